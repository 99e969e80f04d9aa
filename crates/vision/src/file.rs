//! Our own file: one line that says what it is, with a checksum, then JSON. It also holds soft cascades and the
//! calibration, which OpenCV's XML cannot.

use crate::cascade::Cascade;
use rebelboost::error::{Error, Result};

/// The newest version: 2 has a fitted calibration and 3 one of several stages, which programs that know only those before
/// would misread.
pub const VERSION: u32 = 3;
const MAGIC: &str = "rebel-detector";

impl Cascade {
    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Finite numbers, names and lists (see `check`): nothing that JSON could refuse.
        let body = serde_json::to_string(self).unwrap_or_default();
        let version = match (self.calibration.is_fitted(), self.calibration.stages) {
            (_, 2..) => VERSION,
            (true, _) => 2,
            (false, _) => 1,
        };
        format!("{MAGIC} {version} {:08x}\n{body}\n", crc32fast::hash(body.as_bytes())).into_bytes()
    }

    /// Reads a detector: our own file or OpenCV's XML, whichever it is.
    pub fn from_bytes(bytes: &[u8]) -> Result<Cascade> {
        let text = std::str::from_utf8(bytes).map_err(|_| foreign())?;
        match text.strip_prefix(MAGIC) {
            Some(rest) => own(rest),
            None if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') => Cascade::from_xml(text),
            None => Err(foreign()),
        }
    }
}

fn foreign() -> Error {
    Error::model("this is not a detector").hint("give a file of 'rebel train-detector' or a cascade of OpenCV (XML)")
}

fn own(rest: &str) -> Result<Cascade> {
    let (head, body) = rest.split_once('\n').ok_or_else(|| Error::model("the detector is cut short"))?;
    let mut head = head.split_whitespace();
    let version: u32 = head.next().and_then(|v| v.parse().ok()).ok_or_else(foreign)?;
    if version > VERSION {
        return Err(Error::model(format!("the detector is of version {version}, but this program knows {VERSION}"))
            .hint("use a newer program"));
    }
    let body = body.trim_end();
    let sum = head.next().and_then(|sum| u32::from_str_radix(sum, 16).ok());
    if sum != Some(crc32fast::hash(body.as_bytes())) {
        return Err(Error::model("the detector is damaged: its checksum is wrong"));
    }
    let cascade: Cascade =
        serde_json::from_str(body).map_err(|e| Error::model(format!("the detector is damaged: {e}")))?;
    cascade.check()?;
    Ok(cascade)
}
