//! Arrays of binary numbers, as NPY and IDX hold them, streamed into columns.
//!
//! Memory grows with the bytes that are really there, never with what a header promises.

use crate::builder::ColumnBuilder;
use crate::csv::unreadable;
use rebelboost::error::{Error, Result};
use std::io::Read;

/// Type of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl Element {
    pub(crate) fn size(self) -> usize {
        match self {
            Element::U8 | Element::I8 => 1,
            Element::U16 | Element::I16 => 2,
            Element::U32 | Element::I32 | Element::F32 => 4,
            Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }

    /// The number in these little-endian bytes.
    fn value(self, bytes: [u8; 8]) -> f64 {
        let [a, b, c, d, ..] = bytes;
        match self {
            Element::U8 => f64::from(a),
            Element::I8 => f64::from(a as i8),
            Element::U16 => f64::from(u16::from_le_bytes([a, b])),
            Element::I16 => f64::from(i16::from_le_bytes([a, b])),
            Element::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Element::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Element::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Element::U64 => u64::from_le_bytes(bytes) as f64,
            Element::I64 => i64::from_le_bytes(bytes) as f64,
            Element::F64 => f64::from_le_bytes(bytes),
        }
    }
}

/// How numbers lie in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) rows: u64,
    pub(crate) element: Element,
    pub(crate) big_endian: bool,
    /// Column after column instead of row after row.
    pub(crate) by_column: bool,
}

/// Reads `rows` values into each builder; the input must end there.
pub(crate) fn read_values(input: &mut dyn Read, layout: Layout, builders: &mut [ColumnBuilder]) -> Result<()> {
    let Layout { rows, element, big_endian, by_column } = layout;
    let (columns, size) = (builders.len() as u64, element.size());
    let total =
        rows.checked_mul(columns).ok_or_else(|| Error::parse("the header promises more than there can be"))?;
    let mut buffer = vec![0; 1 << 16];
    let (mut filled, mut done, mut column) = (0, 0_u64, 0_usize);
    loop {
        let count = input.read(&mut buffer[filled..]).map_err(unreadable)?;
        filled += count;
        if count == 0 {
            break;
        }
        for chunk in buffer[..filled].chunks_exact(size) {
            if done == total {
                return Err(Error::parse(format!("there is more in the file than the {total} values of its header")));
            }
            let mut bytes = [0; 8];
            bytes[..size].copy_from_slice(chunk);
            if big_endian {
                bytes[..size].reverse();
            }
            let (builder, row) = if by_column {
                (&mut builders[(done / rows) as usize], done % rows)
            } else {
                let at = column;
                column = if column + 1 == columns as usize { 0 } else { column + 1 };
                (&mut builders[at], done / columns)
            };
            let value = element.value(bytes);
            if value.is_infinite() {
                return Err(Error::data(format!("the value of data row {} is infinite", row + 1))
                    .at_column(builder.name())
                    .hint("use NaN if it is unknown"));
            }
            builder.push_number(value)?;
            done += 1;
        }
        let used = filled - filled % size;
        buffer.copy_within(used..filled, 0);
        filled -= used;
    }
    if done < total || filled > 0 {
        return Err(Error::parse(format!("the file is cut short: {done} of {total} values found")));
    }
    Ok(())
}

/// Reads exactly these bytes of a header.
pub(crate) fn read_header<const N: usize>(input: &mut dyn Read) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes).map_err(|e| match e.kind() {
        std::io::ErrorKind::UnexpectedEof => Error::parse("the file is cut short: it ends in its header"),
        _ => unreadable(e),
    })?;
    Ok(bytes)
}
