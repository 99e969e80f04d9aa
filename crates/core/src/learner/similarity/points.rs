//! Chooses how rows become points (design 5.2): centre and scale of every number, shares of levels, indicators.

use super::whiten;
use crate::context::Context;
use crate::data::{Column, Dataset, FeatureKind, MISSING_LEVEL, Numeric};
use crate::error::{Error, Result};
use crate::model::similarity::{Coding, PointCoding, Points, Supports, padded};

/// Missing values more common than this get a coordinate of their own.
const COMMON: f64 = 0.05;
/// Within-class deviations are at least this share of the overall one: a column that never varies within a class
/// would otherwise outweigh all others.
const LEAST_WITHIN: f64 = 0.05;

/// How numbers are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// Mean zero, deviation one.
    Standard,
    /// The range becomes one.
    MinMax,
    /// As they are, but for one factor common to all.
    Raw,
    /// Deviation one within classes.
    WithinClass,
    /// The same, and uncorrelated within classes.
    Whitened,
}

impl Scaling {
    /// By the name in `--scaling`.
    pub fn named(name: &str) -> Scaling {
        match name {
            "minmax" => Scaling::MinMax,
            "raw" => Scaling::Raw,
            "within-class" => Scaling::WithinClass,
            "whitened" => Scaling::Whitened,
            _ => Scaling::Standard,
        }
    }
}

/// Weighted moments of a numeric column, in units of its largest absolute value so that squares do not overflow.
struct Moments {
    mean: f64,
    deviation: f64,
    within: f64,
    low: f64,
    high: f64,
    missing: f64,
}

impl Moments {
    fn of(column: &Numeric, data: &Dataset) -> Moments {
        let values = column.to_vec();
        let unit = values.iter().filter(|v| !v.is_nan()).fold(0.0f64, |m, v| m.max(v.abs()));
        let unit = if unit > 0.0 { unit } else { 1.0 };
        let rows = || values.iter().zip(&data.weights).zip(&data.labels).filter(|((v, _), _)| !v.is_nan());
        let (mut weight, mut sum) = (0.0, 0.0);
        let mut per_class = vec![(0.0, 0.0); data.class_count()];
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for ((v, w), y) in rows() {
            weight += w;
            sum += w * (v / unit);
            per_class[*y as usize].0 += w;
            per_class[*y as usize].1 += w * (v / unit);
            (low, high) = (low.min(*v), high.max(*v));
        }
        let all: f64 = data.weights.iter().sum();
        let missing = 1.0 - weight / all;
        if weight == 0.0 || low == high {
            let mean = if weight == 0.0 { 0.0 } else { low };
            return Moments { mean, deviation: 0.0, within: 0.0, low: mean, high: mean, missing };
        }
        let mean = sum / weight;
        let (mut square, mut within) = (0.0, 0.0);
        for ((v, w), y) in rows() {
            let (class_weight, class_sum) = per_class[*y as usize];
            square += w * (v / unit - mean).powi(2);
            within += w * (v / unit - class_sum / class_weight).powi(2);
        }
        let deviation = (square / weight).sqrt() * unit;
        Moments { mean: mean * unit, deviation, within: (within / weight).sqrt() * unit, low, high, missing }
    }
}

/// The rows of a data set as points.
pub struct Placed {
    /// How rows become points.
    pub coding: PointCoding,
    /// Those of all rows.
    pub points: Points,
}

impl Placed {
    /// Memory it takes, but for the coding of single features.
    pub fn bytes(&self) -> usize {
        let matrix = self.coding.whitening.as_ref().map_or(0, |whitening| whitening.rows.len());
        4 * (self.points.values.len() + matrix)
    }
}

/// Chooses the coding and makes the points.
pub fn place(data: &Dataset, scaling: Scaling, context: &Context) -> Result<Placed> {
    let coding = coding(data, scaling, context)?;
    let points = points(&coding, data, context);
    Ok(Placed { coding, points })
}

/// The coding of a data set. Columns that never vary are left out.
pub(super) fn coding(data: &Dataset, scaling: Scaling, context: &Context) -> Result<PointCoding> {
    let mut coding = scaled(data, scaling, context);
    if coding.codings.is_empty() {
        return Err(Error::data("every feature has one value only, so rows cannot be compared"));
    }
    if scaling == Scaling::Whitened {
        coding.whitening = whiten::whitening(&coding, data, whiten::SHRINKAGE, context)?;
    }
    Ok(coding)
}

pub(crate) fn scaled(data: &Dataset, scaling: Scaling, context: &Context) -> PointCoding {
    let features = &data.schema.features;
    let moments =
        context.map(features.len(), data.rows() * features.len() * 4, |i| match &data.features.columns[i] {
            Column::Numeric(c) => Some(Moments::of(c, data)),
            Column::Categorical(_) => None,
        });
    let varied: Vec<f64> = moments.iter().flatten().map(|m| m.deviation).filter(|d| *d > 0.0).collect();
    // The largest first: its square might overflow.
    let largest = varied.iter().copied().fold(0.0, f64::max);
    let common = largest * (varied.iter().map(|d| (d / largest).powi(2)).sum::<f64>() / varied.len() as f64).sqrt();
    let all: f64 = data.weights.iter().sum();
    let mut codings = Vec::new();
    for (i, feature) in features.iter().enumerate() {
        match (&feature.kind, &moments[i], &data.features.columns[i]) {
            (FeatureKind::Numeric, Some(m), _) => {
                let (centre, spread) = match scaling {
                    Scaling::Standard => (m.mean, m.deviation),
                    Scaling::MinMax => (0.5 * m.low + 0.5 * m.high, m.high - m.low),
                    Scaling::Raw => (m.mean, common),
                    Scaling::WithinClass | Scaling::Whitened => (m.mean, m.within.max(LEAST_WITHIN * m.deviation)),
                };
                let (centre, spread) = (rounded(centre), rounded(spread));
                // A spread too small or too large to divide by tells rows apart no more than none.
                let scale = if m.deviation > 0.0 { 1.0 / spread } else { 0.0 };
                let scale = if scale.is_finite() { scale } else { 0.0 };
                let indicator = m.missing > COMMON || (scale == 0.0 && m.missing > 0.0);
                if scale > 0.0 || indicator {
                    codings.push(Coding::Numeric { feature: i as u32, centre, scale, indicator });
                }
            }
            (FeatureKind::Categorical(levels), _, Column::Categorical(c)) => {
                let mut shares = vec![0.0; levels.len()];
                let mut known = 0.0;
                for (code, w) in c.codes.iter().zip(&data.weights).filter(|(code, _)| **code != MISSING_LEVEL) {
                    shares[*code as usize] += w;
                    known += w;
                }
                let used = shares.iter().filter(|s| **s > 0.0).count();
                let missing = 1.0 - known / all;
                let indicator = missing > COMMON || (used < 2 && missing > 0.0);
                if used > 1 || indicator {
                    shares.iter_mut().for_each(|s| *s = if known > 0.0 { *s / known } else { 0.0 });
                    codings.push(Coding::Levels { feature: i as u32, shares, indicator });
                }
            }
            _ => {}
        }
    }
    PointCoding { codings, whitening: None }
}

/// Without the last bits, in which the order of rows shows.
fn rounded(value: f64) -> f64 {
    f64::from_bits(value.to_bits().wrapping_add(1 << 15) & !0xffff)
}

/// The points of all rows.
pub(super) fn points(coding: &PointCoding, data: &Dataset, context: &Context) -> Points {
    const BLOCK: usize = 256;
    let length = padded(coding.dimensions());
    let mut values = vec![0.0; data.rows() * length];
    let work = values.len() * 4;
    context.map_parts(&mut values, BLOCK * length, work, |i, part| {
        part.copy_from_slice(&coding.points(&data.features, i * BLOCK, part.len() / length).values);
    });
    Points { length, values }
}

/// Some rows as the supports of a model.
pub fn supports(data: &Dataset, placed: &Placed, rows: &[usize], keep_values: bool) -> Supports {
    let Placed { coding, points } = placed;
    Supports {
        coding: coding.clone(),
        points: Points {
            length: points.length,
            values: rows.iter().flat_map(|row| points.row(*row)).copied().collect(),
        },
        rows: rows.iter().map(|row| data.origin[*row] as u64).collect(),
        classes: rows.iter().map(|row| data.labels[*row]).collect(),
        values: keep_values.then(|| data.features.columns.iter().map(|column| column.select(rows)).collect()),
    }
}
