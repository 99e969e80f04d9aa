//! Reading numbers from bytes, never past the end.

use crate::error::{Error, Result};

/// A cursor over bytes.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(rest: &'a [u8]) -> Self {
        Reader { rest }
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| Error::model("the model file ends too early").hint("copy it again or train anew"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A finite number.
    pub fn f64(&mut self) -> Result<f64> {
        let value = f64::from_le_bytes(self.array()?);
        if value.is_finite() { Ok(value) } else { Err(Error::model("the model holds a number that is not finite")) }
    }

    /// A finite number in single precision.
    pub fn f32(&mut self) -> Result<f32> {
        let value = f32::from_le_bytes(self.array()?);
        if value.is_finite() { Ok(value) } else { Err(Error::model("the model holds a number that is not finite")) }
    }

    /// As many numbers as said, none so large that a sum of them could overflow; the bytes are taken before memory
    /// is asked for.
    pub fn f64s(&mut self, count: usize) -> Result<Vec<f64>> {
        const LARGEST: f64 = 1e100;
        let mut part = Reader::new(self.take(count.saturating_mul(8))?);
        let mut number = || match part.f64()? {
            value if value.abs() <= LARGEST => Ok(value),
            value => Err(Error::model(format!("the model holds a score of {value:e}, which no training gives"))),
        };
        (0..count).map(|_| number()).collect()
    }

    /// A list of `u32` preceded by its length.
    pub fn u32s(&mut self) -> Result<Vec<u32>> {
        let count = self.u32()? as usize;
        let mut part = Reader::new(self.take(count.saturating_mul(4))?);
        (0..count).map(|_| part.u32()).collect()
    }

    /// A part preceded by its length.
    pub fn sized(&mut self) -> Result<&'a [u8]> {
        let length = self.u64()?;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// What is left.
    pub fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Nothing may be left.
    pub fn finish(self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(Error::model("the model file has bytes after its end")) }
    }
}
