//! The prediction form of a multivariate t distribution: how far a row is from a centre, by a measure of distance of its own.
//!
//! The squared distance is q = |L s|^2, where s are the standardised columns less the centre and L is a lower triangular matrix. What
//! counts is ln(1 + q / f), like q / f for near rows and hardly growing for far ones, f being the degrees of freedom. Beyond
//! a reach nothing grows: a row unlike all that was seen cannot outweigh all other terms. A missing value counts as the centre's,
//! so it says nothing for or against.

use super::Coordinate;
use crate::data::Features;
use crate::math::ln;
use serde::Serialize;

/// Rows whose distances are summed up together.
const BLOCK: usize = 128;

/// Answers 0 at its centre, -1 from its reach on, and between them in proportion to ln(1 + q / freedom).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ellipse {
    /// Rising by feature, then level, with weight one. None at all: every row is at the centre.
    pub coordinates: Vec<Coordinate>,
    /// L, row after row: the entries of a row up to its diagonal.
    pub factor: Vec<f64>,
    /// Degrees of freedom: the fewer, the less rows far away count.
    pub freedom: f64,
    /// The least squared distance that is answered -1.
    pub reach: f64,
}

impl Ellipse {
    /// Entries of a lower triangular matrix with so many rows.
    pub(crate) fn entries(rows: usize) -> usize {
        rows * (rows + 1) / 2
    }

    /// Answers for the rows from `start` on, as many as `out` holds.
    pub fn respond(&self, features: &Features, start: usize, out: &mut [f64]) {
        self.measure(features, start, out);
        for distance in out {
            let part = self.tail(*distance) / self.tail(self.reach);
            // Also where a table holds so large numbers that nothing can be said.
            *distance = if part < 1.0 { -part } else { -1.0 };
        }
    }

    /// ln(1 + q / f).
    pub(crate) fn tail(&self, squared: f64) -> f64 {
        ln(1.0 + squared / self.freedom)
    }

    /// Squared distances of the rows from `start` on, as many as `out` holds.
    pub(crate) fn measure(&self, features: &Features, start: usize, out: &mut [f64]) {
        let mut places = Vec::new();
        for (block, out) in out.chunks_mut(BLOCK).enumerate() {
            places.clear();
            for coordinate in &self.coordinates {
                let first = start + block * BLOCK;
                places
                    .extend((first..first + out.len()).map(|row| coordinate.place(coordinate.value(features, row))));
            }
            out.fill(0.0);
            pulp::Arch::new().dispatch(Squares { factor: &self.factor, places: &places, out });
        }
    }

    /// The features it measures, each once.
    pub fn features(&self) -> Vec<u32> {
        let mut features: Vec<u32> = self.coordinates.iter().map(|c| c.feature).collect();
        features.dedup();
        features
    }

    /// The part of each coordinate in the squared distance of a row, from which correlations may take more than there is: s_c (L'L s)_c.
    fn places(&self, features: &Features, row: usize) -> Vec<f64> {
        let s: Vec<f64> = self.coordinates.iter().map(|c| c.place(c.value(features, row))).collect();
        let mut slopes = vec![0.0; s.len()];
        let mut rest: &[f64] = &self.factor;
        for i in 0..s.len() {
            let (entries, after) = rest.split_at(i + 1);
            rest = after;
            let z: f64 = entries.iter().zip(&s).map(|(l, s)| l * s).sum();
            slopes.iter_mut().zip(entries).for_each(|(slope, l)| *slope += l * z);
        }
        s.iter().zip(&slopes).map(|(s, slope)| s * slope).collect()
    }

    /// The feature of each coordinate that makes a row differ from the centre, and its part in the squared distance.
    pub fn parts_at(&self, features: &Features, row: usize) -> impl Iterator<Item = (u32, f64)> {
        let parts = self.coordinates.iter().zip(self.places(features, row));
        parts.map(|(c, part)| (c.feature, part)).filter(|(_, part)| *part > 0.0 && part.is_finite())
    }

    /// The feature of each coordinate, and how much a deviation along it alone adds to the squared distance: (L'L)_cc.
    pub fn parts(&self) -> impl Iterator<Item = (u32, f64)> {
        let mut sums = vec![0.0; self.coordinates.len()];
        let mut rest: &[f64] = &self.factor;
        for i in 0..sums.len() {
            let (entries, after) = rest.split_at(i + 1);
            rest = after;
            sums.iter_mut().zip(entries).for_each(|(sum, l)| *sum += l * l);
        }
        self.coordinates.iter().map(|c| c.feature).zip(sums).filter(|(_, part)| *part > 0.0 && part.is_finite())
    }
}

/// Adds |L s|^2 of each row, in an order that does not depend on how many rows there are. A struct and not a closure: closures
/// are not compiled for the instruction set they are dispatched to.
struct Squares<'a> {
    factor: &'a [f64],
    /// `[coordinate][row]`.
    places: &'a [f64],
    out: &'a mut [f64],
}

impl pulp::NullaryFnOnce for Squares<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let rows = self.out.len();
        let mut sums = [0.0; BLOCK];
        let sums = &mut sums[..rows];
        let mut rest = self.factor;
        for i in 0..self.places.len() / rows.max(1) {
            let (entries, after) = rest.split_at(i + 1);
            rest = after;
            sums.fill(0.0);
            for (l, places) in entries.iter().zip(self.places.chunks_exact(rows)) {
                sums.iter_mut().zip(places).for_each(|(sum, s)| *sum += l * s);
            }
            self.out.iter_mut().zip(&*sums).for_each(|(out, z)| *out += z * z);
        }
    }
}
