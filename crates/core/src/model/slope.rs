//! The prediction form of a straight line: one measurement, in proportion.
//!
//! A number counts by its distance from the centre, a category by whether a row has one level. Beyond the ends of the scale
//! nothing grows: a value nobody has seen cannot outweigh all others. A missing value says nothing.

use crate::data::{Column, Features, MISSING_LEVEL};
use serde::Serialize;

/// Answers (value - centre) * scale, held between -1 and 1; the value of a level is 1 where a row has it, else 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slope {
    /// Feature number.
    pub feature: u32,
    /// The level that counts one, if the feature is a category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// Where the answer is zero.
    pub centre: f64,
    /// One over the distance from there to where it is one.
    pub scale: f64,
}

impl Slope {
    /// Answers for the rows from `start` on, as many as `out` holds.
    pub fn respond(&self, features: &Features, start: usize, out: &mut [f64]) {
        let answer = |value: f64| {
            let place = (value - self.centre) * self.scale;
            if place.is_nan() { 0.0 } else { place.clamp(-1.0, 1.0) }
        };
        match (&features.columns[self.feature as usize], self.level) {
            (Column::Numeric(numbers), None) => {
                numbers.read(start, out);
                out.iter_mut().for_each(|x| *x = answer(*x));
            }
            (Column::Categorical(levels), Some(level)) => {
                let value = |code: u32| match code {
                    MISSING_LEVEL => 0.0,
                    code => answer(f64::from(u8::from(code == level))),
                };
                out.iter_mut().zip(&levels.codes[start..]).for_each(|(x, code)| *x = value(*code));
            }
            // A model file whose slope does not fit its schema is refused when it is loaded.
            _ => out.fill(0.0),
        }
    }
}
