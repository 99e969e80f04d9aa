//! Slopes as bytes (docs/file-format.md).

use super::body::{put_f64s, put_u32};
use super::bytes::Reader;
use super::direction::level;
use crate::data::Schema;
use crate::error::{Error, Result};
use crate::model::Slope;

pub(super) fn put(out: &mut Vec<u8>, slope: &Slope) {
    let Slope { feature, level, centre, scale } = slope;
    put_u32(out, *feature);
    level.iter().for_each(|level| put_u32(out, *level));
    put_f64s(out, &[*centre, *scale]);
}

/// Checks what prediction relies on: a feature of the right kind, and a scale.
pub(super) fn read(reader: &mut Reader<'_>, schema: &Schema) -> Result<Slope> {
    let refuse = |what: &str| Error::model(format!("the model holds a broken slope: {what}"));
    let feature = reader.u32()?;
    let level = level(reader, schema, feature, refuse)?;
    let (centre, scale) = (reader.f64()?, reader.f64()?);
    if scale <= 0.0 {
        return Err(refuse("it has no scale"));
    }
    Ok(Slope { feature, level, centre, scale })
}
