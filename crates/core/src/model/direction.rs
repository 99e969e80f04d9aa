//! The prediction form of the linear learner: a weighted sum of standardised columns, compared with a threshold.
//!
//! A column of numbers is one coordinate, a category one for each level (1 where a row has it, else 0). A missing value counts as
//! the mean, which is zero once standardised: it says nothing for either side.

use crate::data::{Column, Features, MISSING_LEVEL};
use serde::Serialize;

/// What one coordinate adds is at most this: sums are finite whatever a table holds.
const LARGEST: f64 = 1e30;

/// Answers +1 where the sum of all coordinates is at most the threshold, else -1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Direction {
    /// Rising by feature, then level. None at all: every row is answered alike.
    pub coordinates: Vec<Coordinate>,
    /// The largest sum that is answered +1.
    pub threshold: f64,
}

/// A standardised column and its weight: `weight * (value - centre) * scale`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Coordinate {
    /// Feature number.
    pub feature: u32,
    /// The level that counts one, if the feature is a category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// Mean of the column.
    pub centre: f64,
    /// One over its deviation.
    pub scale: f64,
    /// Its weight.
    pub weight: f64,
}

impl Coordinate {
    /// The value of a row that it is about; not a number if it is missing, or if the coordinate does not fit the column.
    #[inline]
    pub(crate) fn value(&self, features: &Features, row: usize) -> f64 {
        match (&features.columns[self.feature as usize], self.level) {
            (Column::Numeric(numbers), None) => numbers.get(row),
            (Column::Categorical(levels), Some(level)) => match levels.codes[row] {
                MISSING_LEVEL => f64::NAN,
                code => f64::from(u8::from(code == level)),
            },
            _ => f64::NAN,
        }
    }

    /// Where a value stands, in deviations from the mean; a missing one, which is not a number, at the mean.
    #[inline]
    pub(crate) fn place(&self, value: f64) -> f64 {
        if value.is_nan() {
            return 0.0;
        }
        ((value - self.centre) * self.scale).clamp(-LARGEST, LARGEST)
    }

    /// What a value adds.
    #[inline]
    pub(super) fn share(&self, value: f64) -> f64 {
        self.weight * self.place(value)
    }
}

impl Direction {
    /// The feature of each coordinate that counts, and the size of its weight.
    pub fn parts(&self) -> impl Iterator<Item = (u32, f64)> {
        self.coordinates.iter().filter(|c| c.weight != 0.0).map(|c| (c.feature, c.weight.abs()))
    }

    /// Sums of the rows from `start` on, as many as `out` holds.
    pub fn project(&self, features: &Features, start: usize, out: &mut [f64]) {
        out.fill(0.0);
        let mut values = vec![0.0; out.len()];
        for coordinate in &self.coordinates {
            match (&features.columns[coordinate.feature as usize], coordinate.level) {
                (Column::Numeric(numbers), None) => numbers.read(start, &mut values),
                (Column::Categorical(levels), Some(level)) => {
                    let value = |code: u32| match code {
                        MISSING_LEVEL => f64::NAN,
                        code => f64::from(u8::from(code == level)),
                    };
                    values.iter_mut().zip(&levels.codes[start..]).for_each(|(x, code)| *x = value(*code));
                }
                // A model file whose coordinate does not fit its schema is refused when it is loaded.
                _ => values.fill(f64::NAN),
            }
            out.iter_mut().zip(&values).for_each(|(sum, value)| *sum += coordinate.share(*value));
        }
    }

    /// Answers for the rows from `start` on, as many as `out` holds.
    pub fn respond(&self, features: &Features, start: usize, out: &mut [f64]) {
        self.project(features, start, out);
        out.iter_mut().for_each(|sum| *sum = if *sum <= self.threshold { 1.0 } else { -1.0 });
    }
}
