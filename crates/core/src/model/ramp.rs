//! The prediction form of a unit of a network: a direction whose answer turns gradually instead of at once.

use super::Direction;
use crate::data::Features;
use crate::math::tanh_all;
use serde::Serialize;

/// Answers tanh(steepness (threshold - sum)), where a [`Direction`] answers the sign of that.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ramp {
    /// Where the answer is zero, and on which side it is positive.
    pub direction: Direction,
    /// How fast it turns, by standard deviations; above zero.
    pub steepness: f64,
}

impl Ramp {
    /// Answers for the rows from `start` on, as many as `out` holds.
    pub fn respond(&self, features: &Features, start: usize, out: &mut [f64]) {
        self.direction.project(features, start, out);
        out.iter_mut().for_each(|sum| *sum = self.steepness * (self.direction.threshold - *sum));
        tanh_all(out);
    }
}
