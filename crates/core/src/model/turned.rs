//! The prediction form of a tree in turned coordinates: it asks about mixtures of standardised columns, each of which is an
//! axis of its own.

use super::{Coordinate, Direction, Region, RegionTree, Test};
use crate::data::Features;
use serde::Serialize;

/// A tree that tells regions apart. A missing value counts as the mean of its column, as in a [`Direction`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnedTree {
    /// What is asked about, each once: the columns of a mixture, rising by feature, then level.
    pub axes: Vec<Vec<Coordinate>>,
    /// The tree; its features are the numbers of axes, and all its questions are about thresholds.
    pub tree: RegionTree,
}

impl TurnedTree {
    /// Answers for the rows from `start` on, as many as `out` holds.
    pub fn respond(&self, features: &Features, start: usize, out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            let Region { region } = self.tree.descend(|axis, test| self.holds(axis, test, features, start + i));
            *out = f64::from(region);
        }
    }

    /// Whether a row passes a test about an axis. Nothing is missing.
    #[inline]
    pub(crate) fn holds(&self, axis: usize, test: &Test, features: &Features, row: usize) -> Option<bool> {
        match test {
            Test::AtMost(threshold) => Some(along(&self.axes[axis], features, row) <= *threshold),
            // A file that says so is refused when it is loaded.
            Test::OneOf(_) => None,
        }
    }

    /// A question as a direction.
    pub fn direction(&self, axis: usize, test: &Test) -> Direction {
        let threshold = if let Test::AtMost(threshold) = test { *threshold } else { 0.0 };
        Direction { coordinates: self.axes[axis].clone(), threshold }
    }

    /// The features of an axis, and the part of each; together one.
    pub fn parts(&self, axis: usize) -> impl Iterator<Item = (u32, f64)> {
        let whole: f64 = self.axes[axis].iter().map(|c| c.weight.abs()).sum();
        self.axes[axis].iter().filter(|c| c.weight != 0.0).map(move |c| (c.feature, c.weight.abs() / whole))
    }

    /// The features that all its questions are about, and the part of each in its question.
    pub fn asked(&self) -> impl Iterator<Item = (u32, f64)> {
        self.tree.features().flat_map(|axis| self.parts(axis as usize))
    }
}

/// Where a row stands along a mixture of columns.
#[inline]
fn along(coordinates: &[Coordinate], features: &Features, row: usize) -> f64 {
    coordinates.iter().map(|coordinate| coordinate.share(coordinate.value(features, row))).sum()
}
