//! Ellipses as bytes (docs/file-format.md).

use super::body::{put_f64s, put_u32};
use super::bytes::Reader;
use super::direction::level;
use crate::data::Schema;
use crate::error::{Error, Result};
use crate::model::{Axis, Ellipse};

/// Powers that a column may be bent by.
const POWERS: std::ops::RangeInclusive<f64> = -4.0..=6.0;

pub(super) fn put(out: &mut Vec<u8>, ellipse: &Ellipse) {
    put_u32(out, ellipse.axes.len() as u32);
    for Axis { feature, level, mean, scale, power, centre } in &ellipse.axes {
        put_u32(out, *feature);
        level.iter().for_each(|level| put_u32(out, *level));
        put_f64s(out, &[*mean, *scale, *power, *centre]);
    }
    put_f64s(out, &ellipse.factor);
    put_f64s(out, &[ellipse.freedom, ellipse.reach]);
}

/// Checks what prediction relies on: axes that fit their features, each once, a matrix of their size, and a reach.
pub(super) fn read(reader: &mut Reader<'_>, schema: &Schema) -> Result<Ellipse> {
    let refuse = |what: &str| Error::model(format!("the model holds a broken ellipse: {what}"));
    let mut axes: Vec<Axis> = Vec::new();
    for _ in 0..reader.u32()? {
        let feature = reader.u32()?;
        let level = level(reader, schema, feature, refuse)?;
        let axis = Axis {
            feature,
            level,
            mean: reader.f64()?,
            scale: reader.f64()?,
            power: reader.f64()?,
            centre: reader.f64()?,
        };
        if axis.scale <= 0.0 || !POWERS.contains(&axis.power) {
            return Err(refuse("an axis is not standardised"));
        }
        if axes.last().is_some_and(|last| (last.feature, last.level) >= (feature, level)) {
            return Err(refuse("its axes are not in order"));
        }
        axes.push(axis);
    }
    let factor = reader.f64s(Ellipse::entries(axes.len()))?;
    match (reader.f64()?, reader.f64()?) {
        (freedom, reach) if freedom > 0.0 && reach > 0.0 => Ok(Ellipse { axes, factor, freedom, reach }),
        _ => Err(refuse("it has no reach")),
    }
}
