//! Directions, ramps and the coordinates that they are made of as bytes (docs/file-format.md).

use super::body::{put_f64s, put_u32};
use super::bytes::Reader;
use crate::data::{FeatureKind, Schema};
use crate::error::{Error, Result};
use crate::model::{Coordinate, Direction, Ramp};

fn refuse(what: &str) -> Error {
    Error::model(format!("the model holds a broken direction: {what}"))
}

pub(super) fn put(out: &mut Vec<u8>, direction: &Direction) {
    put_coordinates(out, &direction.coordinates);
    put_f64s(out, &[direction.threshold]);
}

pub(super) fn put_coordinates(out: &mut Vec<u8>, coordinates: &[Coordinate]) {
    put_u32(out, coordinates.len() as u32);
    for Coordinate { feature, level, centre, scale, weight } in coordinates {
        put_u32(out, *feature);
        level.iter().for_each(|level| put_u32(out, *level));
        put_f64s(out, &[*centre, *scale, *weight]);
    }
}

pub(super) fn read(reader: &mut Reader<'_>, schema: &Schema) -> Result<Direction> {
    Ok(Direction { coordinates: coordinates(reader, schema)?, threshold: reader.f64()? })
}

/// Checks what prediction relies on: coordinates that fit their features, each once, and sums that are finite.
pub(super) fn coordinates(reader: &mut Reader<'_>, schema: &Schema) -> Result<Vec<Coordinate>> {
    let mut coordinates: Vec<Coordinate> = Vec::new();
    for _ in 0..reader.u32()? {
        let feature = reader.u32()?;
        let level = level(reader, schema, feature, refuse)?;
        let (centre, scale, weight) = (reader.f64()?, reader.f64()?, reader.f64()?);
        if scale <= 0.0 || weight.abs() > 1.0 {
            return Err(refuse("a coordinate is not standardised"));
        }
        if coordinates.last().is_some_and(|last| (last.feature, last.level) >= (feature, level)) {
            return Err(refuse("its coordinates are not in order"));
        }
        coordinates.push(Coordinate { feature, level, centre, scale, weight });
    }
    Ok(coordinates)
}

pub(super) fn put_ramp(out: &mut Vec<u8>, ramp: &Ramp) {
    put(out, &ramp.direction);
    put_f64s(out, &[ramp.steepness]);
}

pub(super) fn read_ramp(reader: &mut Reader<'_>, schema: &Schema) -> Result<Ramp> {
    let direction = read(reader, schema)?;
    match reader.f64()? {
        steepness if steepness > 0.0 => Ok(Ramp { direction, steepness }),
        _ => Err(refuse("a ramp is not steep")),
    }
}

/// The level behind a feature, which only a category has.
pub(super) fn level(
    reader: &mut Reader<'_>,
    schema: &Schema,
    feature: u32,
    refuse: impl Fn(&str) -> Error,
) -> Result<Option<u32>> {
    match schema.features.get(feature as usize).map(|f| &f.kind) {
        Some(FeatureKind::Numeric) => Ok(None),
        Some(FeatureKind::Categorical(known)) => match reader.u32()? {
            level if (level as usize) < known.len() => Ok(Some(level)),
            _ => Err(refuse("a level does not fit its feature")),
        },
        None => Err(refuse("it asks about a feature that is not there")),
    }
}
