//! Similarities and their supports as bytes.
//!
//! ```text
//! learner:  sign u8 | form u8 | nothing, or support u32 + tau f32, or supports u32 x 2 + shape u8 + apart f32
//! supports: coding count u32 | codings, the whitening matrix last | support count u32 | rows u64 | classes u32 | points f32 (without padding)
//!           | has values u8 | one column a feature of the schema
//! ```

use super::body::{put_f64s, put_u32};
use super::bytes::Reader;
use crate::data::{Categorical, Column, Feature, FeatureKind, MISSING_LEVEL, Numeric, Schema};
use crate::error::{Error, Result};
use crate::model::similarity::{Coding, Form, LARGEST_COORDINATE, PointCoding, Points, Shape, Whitening, padded};
use crate::model::{Similarity, Supports};

const ALWAYS: u8 = 0;
const ONE: u8 = 1;
const TWO: u8 = 2;
const NUMERIC: u8 = 1;
const LEVELS: u8 = 2;
const WHITENING: u8 = 3;

fn refuse(what: &str) -> Error {
    Error::model(format!("the model holds broken similarities: {what}"))
}

pub(super) fn put_learner(out: &mut Vec<u8>, learner: &Similarity) {
    out.push(u8::from(learner.sign));
    match learner.form {
        Form::Always => out.push(ALWAYS),
        Form::One { support, tau } => {
            out.push(ONE);
            put_u32(out, support);
            out.extend(tau.to_le_bytes());
        }
        Form::Two { supports, shape, apart } => {
            out.push(TWO);
            supports.iter().for_each(|s| put_u32(out, *s));
            out.push(Shape::ALL.iter().position(|s| *s == shape).unwrap_or(0) as u8);
            out.extend(apart.to_le_bytes());
        }
    }
}

pub(super) fn learner(reader: &mut Reader<'_>, metric: u32) -> Result<Similarity> {
    let sign = flag(reader)?;
    let positive = |value: f32| if value > 0.0 { Ok(value) } else { Err(refuse("a distance is not positive")) };
    let form = match reader.u8()? {
        ALWAYS => Form::Always,
        ONE => Form::One { support: reader.u32()?, tau: positive(reader.f32()?)? },
        TWO => {
            let supports = [reader.u32()?, reader.u32()?];
            let shape = Shape::ALL.get(usize::from(reader.u8()?)).ok_or_else(|| refuse("an unknown shape"))?;
            if supports[0] == supports[1] {
                return Err(refuse("a row is compared with itself"));
            }
            Form::Two { supports, shape: *shape, apart: positive(reader.f32()?)? }
        }
        form => return Err(refuse(&format!("an unknown form ({form})"))),
    };
    Ok(Similarity { form, sign, metric })
}

pub(super) fn put_coding(out: &mut Vec<u8>, PointCoding { codings, whitening }: &PointCoding) {
    put_u32(out, (codings.len() + usize::from(whitening.is_some())) as u32);
    for coding in codings {
        match coding {
            Coding::Numeric { feature, centre, scale, indicator } => {
                out.push(NUMERIC);
                put_u32(out, *feature);
                out.push(u8::from(*indicator));
                put_f64s(out, &[*centre, *scale]);
            }
            Coding::Levels { feature, shares, indicator } => {
                out.push(LEVELS);
                put_u32(out, *feature);
                out.push(u8::from(*indicator));
                put_f64s(out, shares);
            }
        }
    }
    // Last of the codings, so that files without it keep their bytes.
    if let Some(whitening) = whitening {
        out.push(WHITENING);
        whitening.rows.iter().for_each(|x| out.extend(x.to_le_bytes()));
    }
}

pub(super) fn put_supports(out: &mut Vec<u8>, supports: &Supports) {
    put_coding(out, &supports.coding);
    put_u32(out, supports.len() as u32);
    supports.rows.iter().for_each(|row| out.extend(row.to_le_bytes()));
    supports.classes.iter().for_each(|class| put_u32(out, *class));
    let dimensions = supports.coding.dimensions();
    for support in 0..supports.len() {
        supports.points.row(support)[..dimensions].iter().for_each(|x| out.extend(x.to_le_bytes()));
    }
    out.push(u8::from(supports.values.is_some()));
    supports.values.iter().flatten().for_each(|column| put_column(out, column));
}

/// Checks all that prediction and explanation rely on, the learners' references included.
pub(super) fn supports<'a>(
    reader: &mut Reader<'_>,
    schema: &Schema,
    learners: impl Iterator<Item = &'a Similarity>,
) -> Result<Supports> {
    let coding = coding(reader, &schema.features)?;
    let count = reader.u32()? as usize;
    let mut part = Reader::new(reader.take(count.saturating_mul(8))?);
    let rows = (0..count).map(|_| part.u64()).collect::<Result<Vec<_>>>()?;
    let mut part = Reader::new(reader.take(count.saturating_mul(4))?);
    let classes = (0..count).map(|_| part.u32()).collect::<Result<Vec<_>>>()?;
    if classes.iter().any(|class| *class as usize >= schema.class_count()) {
        return Err(refuse("a support has no class"));
    }
    let dimensions = coding.dimensions();
    let mut part = Reader::new(reader.take(count.saturating_mul(dimensions).saturating_mul(4))?);
    // At most four times the bytes just taken.
    let length = padded(dimensions);
    let mut points = Points { length, values: vec![0.0; count.saturating_mul(length)] };
    for point in points.values.chunks_exact_mut(length) {
        for x in &mut point[..dimensions] {
            *x = part.f32()?;
            if f64::from(x.abs()) > LARGEST_COORDINATE {
                return Err(refuse("a coordinate is out of range"));
            }
        }
    }
    let values = match flag(reader)? {
        true => Some(schema.features.iter().map(|f| column(reader, &f.kind, count)).collect::<Result<Vec<_>>>()?),
        false => None,
    };
    for learner in learners {
        if learner.supports().any(|support| support as usize >= count) {
            return Err(refuse("a learner compares with a row that is not there"));
        }
    }
    Ok(Supports { coding, points, rows, classes, values })
}

pub(super) fn flag(reader: &mut Reader<'_>) -> Result<bool> {
    match reader.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(refuse("a switch is neither on nor off")),
    }
}

/// Checks that every coding fits its feature.
pub(super) fn coding(reader: &mut Reader<'_>, features: &[Feature]) -> Result<PointCoding> {
    let mut codings: Vec<Coding> = Vec::new();
    let mut whitening = None;
    for _ in 0..reader.u32()? {
        if whitening.is_some() {
            return Err(refuse("a coding comes after the matrix of all"));
        }
        let tag = reader.u8()?;
        if tag == WHITENING {
            let numbers = codings.iter().filter(|coding| matches!(coding, Coding::Numeric { .. })).count();
            let entries = Whitening::entries(numbers);
            let mut part = Reader::new(reader.take(entries.saturating_mul(4))?);
            let rows = (0..entries).map(|_| part.f32()).collect::<Result<Vec<_>>>()?;
            whitening = Some(Whitening { rows });
            continue;
        }
        let (feature, indicator) = (reader.u32()?, flag(reader)?);
        if codings.last().is_some_and(|before| before.feature() >= feature) {
            return Err(refuse("features are out of order"));
        }
        let kind = features.get(feature as usize).map(|f| &f.kind);
        codings.push(match (tag, kind) {
            (NUMERIC, Some(FeatureKind::Numeric)) => {
                let (centre, scale) = (reader.f64()?, reader.f64()?);
                Coding::Numeric { feature, centre, scale, indicator }
            }
            (LEVELS, Some(FeatureKind::Categorical(levels))) => {
                Coding::Levels { feature, shares: reader.f64s(levels.len())?, indicator }
            }
            _ => return Err(refuse("a coding does not fit its feature")),
        });
    }
    if codings.is_empty() {
        return Err(refuse("no feature enters the distances"));
    }
    Ok(PointCoding { codings, whitening })
}

const U8: u8 = 0;
const I16: u8 = 1;
const I32: u8 = 2;
const F32: u8 = 3;
const F64: u8 = 4;
const CODES: u8 = 5;

fn put_column(out: &mut Vec<u8>, column: &Column) {
    match column {
        Column::Numeric(Numeric::U8(v)) => {
            out.push(U8);
            out.extend(v);
        }
        Column::Numeric(Numeric::I16(v)) => {
            out.push(I16);
            v.iter().for_each(|x| out.extend(x.to_le_bytes()));
        }
        Column::Numeric(Numeric::I32(v)) => {
            out.push(I32);
            v.iter().for_each(|x| out.extend(x.to_le_bytes()));
        }
        Column::Numeric(Numeric::F32(v)) => {
            out.push(F32);
            v.iter().for_each(|x| out.extend(one_nan(f64::from(*x)).to_le_bytes()));
        }
        Column::Numeric(Numeric::F64(v)) => {
            out.push(F64);
            v.iter().for_each(|x| out.extend(one_nan(*x).to_le_bytes()));
        }
        Column::Categorical(c) => {
            out.push(CODES);
            c.codes.iter().for_each(|code| put_u32(out, *code));
        }
    }
}

/// A missing value has many bit patterns; a file has one.
fn one_nan(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}

fn column(reader: &mut Reader<'_>, kind: &FeatureKind, count: usize) -> Result<Column> {
    let tag = reader.u8()?;
    let width = match tag {
        U8 => 1,
        I16 => 2,
        I32 | CODES => 4,
        F32 | F64 => 8,
        _ => return Err(refuse("an unknown kind of column")),
    };
    let bytes = reader.take(count.saturating_mul(width))?;
    fn words<const N: usize, T>(bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<T> {
        let word = |chunk: &[u8]| std::array::from_fn(|i| chunk[i]);
        bytes.chunks_exact(N).map(|chunk| read(word(chunk))).collect()
    }
    let infinite = || refuse("a value is infinite");
    Ok(match (tag, kind) {
        (U8, FeatureKind::Numeric) => Column::Numeric(Numeric::U8(bytes.to_vec())),
        (I16, FeatureKind::Numeric) => Column::Numeric(Numeric::I16(words(bytes, i16::from_le_bytes))),
        (I32, FeatureKind::Numeric) => Column::Numeric(Numeric::I32(words(bytes, i32::from_le_bytes))),
        (F32 | F64, FeatureKind::Numeric) => {
            let values = words(bytes, f64::from_le_bytes);
            if values.iter().any(|x| x.is_infinite()) {
                return Err(infinite());
            }
            if tag == F64 {
                Column::Numeric(Numeric::F64(values))
            } else {
                let single: Vec<f32> = values.iter().map(|x| *x as f32).collect();
                if single.iter().any(|x| x.is_infinite()) {
                    return Err(infinite());
                }
                Column::Numeric(Numeric::F32(single))
            }
        }
        (CODES, FeatureKind::Categorical(levels)) => {
            let codes = words(bytes, u32::from_le_bytes);
            if codes.iter().any(|code| *code != MISSING_LEVEL && *code as usize >= levels.len()) {
                return Err(refuse("a value is not a level of its feature"));
            }
            Column::Categorical(Categorical { codes, levels: levels.clone() })
        }
        _ => return Err(refuse("a column does not fit its feature")),
    })
}
