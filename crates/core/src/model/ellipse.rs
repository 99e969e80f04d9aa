//! The prediction form of a multivariate t distribution: how far a row is from a centre, by a measure of distance of its own.
//!
//! The squared distance is q = |L s|^2, where s are the standardised columns, bent to be less skewed, less the centre, and L is a lower triangular matrix. What
//! counts is ln(1 + q / f), like q / f for near rows and hardly growing for far ones, f being the degrees of freedom. Beyond
//! a reach nothing grows: a row unlike all that was seen cannot outweigh all other terms. A missing value counts as the centre's,
//! so it says nothing for or against.

use super::Coordinate;
use crate::data::Features;
use crate::math::{exp, exp_all, ln};
use serde::Serialize;

/// Rows whose distances are summed up together.
const BLOCK: usize = 128;

/// Answers 0 at its centre, -1 from its reach on, and between them in proportion to ln(1 + q / freedom).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ellipse {
    /// Rising by feature, then level. None at all: every row is at the centre.
    pub axes: Vec<Axis>,
    /// L, row after row: the entries of a row up to its diagonal.
    pub factor: Vec<f64>,
    /// Degrees of freedom: the fewer, the less rows far away count.
    pub freedom: f64,
    /// The least squared distance that is answered -1.
    pub reach: f64,
}

/// A standardised column, bent, from the centre.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// Feature number.
    pub feature: u32,
    /// The level that counts one, if the feature is a category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// Mean of the column.
    pub mean: f64,
    /// One over its deviation.
    pub scale: f64,
    /// How it is bent: [`bent`] at this power; 1 = not at all.
    pub power: f64,
    /// Where the centre is, standardised and bent.
    pub centre: f64,
}

impl Axis {
    /// A column that is not bent, from its mean.
    pub(crate) fn of(column: &Coordinate) -> Self {
        let Coordinate { feature, level, centre, scale, .. } = *column;
        Axis { feature, level, mean: centre, scale, power: 1.0, centre: 0.0 }
    }

    /// Where a row stands; not a number if the value is missing.
    #[inline]
    pub(crate) fn stands(&self, features: &Features, row: usize) -> f64 {
        let Axis { feature, level, mean, scale, .. } = *self;
        let column = Coordinate { feature, level, centre: mean, scale, weight: 1.0 };
        let value = column.value(features, row);
        if value.is_nan() { value } else { bent(column.place(value), self.power) }
    }

    /// How far this is from the centre; what is missing is there.
    #[inline]
    pub(crate) fn away(&self, stands: f64) -> f64 {
        if stands.is_nan() { 0.0 } else { stands - self.centre }
    }

    /// How far a row is from the centre.
    #[inline]
    fn place(&self, features: &Features, row: usize) -> f64 {
        self.away(self.stands(features, row))
    }

    /// The value of a number at the centre.
    pub fn middle(&self) -> f64 {
        self.at(0.0)
    }

    /// The value of a number that stands here.
    pub fn at(&self, place: f64) -> f64 {
        self.mean + unbent(self.centre + place, self.power) / self.scale
    }
}

/// The transformation of Yeo and Johnson 2000, eq. 2.1: smooth, rising, 0 at 0 with slope 1; powers below one draw in what is far above, those
/// above one what is far below.
#[inline]
fn bent(x: f64, power: f64) -> f64 {
    if power == 1.0 {
        return x;
    }
    let (power, sign) = if x < 0.0 { (2.0 - power, -1.0) } else { (power, 1.0) };
    let logarithm = ln(1.0 + x.abs());
    sign * if power == 0.0 { logarithm } else { (exp(power * logarithm) - 1.0) / power }
}

/// [`bent`] of many values, given ln(1 + |x|) of each with the sign of x.
pub(crate) fn bent_all(logarithms: &[f64], power: f64, out: &mut [f64]) {
    // Below zero it is the mirror image of what two less the power makes of what is above.
    let of = |l: f64| if l < 0.0 { 2.0 - power } else { power };
    out.iter_mut().zip(logarithms).for_each(|(out, l)| *out = of(*l) * l.abs());
    exp_all(out);
    for (out, l) in out.iter_mut().zip(logarithms) {
        let power = of(*l);
        *out = l.signum() * if power == 0.0 { l.abs() } else { (*out - 1.0) / power };
    }
}

/// What is bent to this; the nearest there is if nothing is.
fn unbent(y: f64, power: f64) -> f64 {
    if power == 1.0 {
        return y;
    }
    let (power, sign) = if y < 0.0 { (2.0 - power, -1.0) } else { (power, 1.0) };
    let logarithm = if power == 0.0 { y.abs() } else { ln((1.0 + power * y.abs()).max(f64::MIN_POSITIVE)) / power };
    sign * (exp(logarithm) - 1.0)
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
            for axis in &self.axes {
                let first = start + block * BLOCK;
                places.extend((first..first + out.len()).map(|row| axis.place(features, row)));
            }
            out.fill(0.0);
            pulp::Arch::new().dispatch(Squares { factor: &self.factor, places: &places, out });
        }
    }

    /// The features it measures, each once.
    pub fn features(&self) -> Vec<u32> {
        let mut features: Vec<u32> = self.axes.iter().map(|axis| axis.feature).collect();
        features.dedup();
        features
    }

    /// The part of each axis in the squared distance of a row, from which correlations may take more than there is: s_c (L'L s)_c.
    fn places(&self, features: &Features, row: usize) -> Vec<f64> {
        let s: Vec<f64> = self.axes.iter().map(|axis| axis.place(features, row)).collect();
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

    /// The feature of each axis that makes a row differ from the centre, and its part in the squared distance.
    pub fn parts_at(&self, features: &Features, row: usize) -> impl Iterator<Item = (u32, f64)> {
        let parts = self.axes.iter().zip(self.places(features, row));
        parts.map(|(axis, part)| (axis.feature, part)).filter(|(_, part)| *part > 0.0 && part.is_finite())
    }

    /// The feature of each axis, and how much a deviation along it alone adds to the squared distance: (L'L)_cc.
    pub fn parts(&self) -> impl Iterator<Item = (u32, f64)> {
        let mut sums = vec![0.0; self.axes.len()];
        let mut rest: &[f64] = &self.factor;
        for i in 0..sums.len() {
            let (entries, after) = rest.split_at(i + 1);
            rest = after;
            sums.iter_mut().zip(entries).for_each(|(sum, l)| *sum += l * l);
        }
        self.axes.iter().map(|axis| axis.feature).zip(sums).filter(|(_, part)| *part > 0.0 && part.is_finite())
    }
}

/// Adds |L s|^2 of each row, in an order that does not depend on how many rows there are. A struct and not a closure: closures
/// are not compiled for the instruction set they are dispatched to.
struct Squares<'a> {
    factor: &'a [f64],
    /// `[axis][row]`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn many_are_bent_as_one_is(values in prop::collection::vec(-50.0..50.0f64, 1..20), power in -2.0..4.0f64) {
            let logarithms: Vec<f64> = values.iter().map(|x| x.signum() * ln(1.0 + x.abs())).collect();
            for power in [power, 0.0, 1.0, 2.0] {
                let mut many = vec![0.0; values.len()];
                bent_all(&logarithms, power, &mut many);
                for (x, y) in values.iter().zip(many) {
                    prop_assert!((bent(*x, power) - y).abs() < 1e-9 * (1.0 + y.abs()), "{x} {power}");
                }
            }
        }

        /// Rising, and taken back.
        #[test]
        fn what_is_bent_is_unbent(x in -50.0..50.0f64, step in 1e-3..10.0f64, power in -2.0..4.0f64) {
            for power in [power, 0.0, 1.0, 2.0] {
                prop_assert!(bent(x, power) < bent(x + step, power) || (bent(x, power) - bent(x + step, power)).abs() < 1e-9);
                let back = unbent(bent(x, power), power);
                // Far out a curve may be too flat to tell.
                let slope = exp((if x < 0.0 { 1.0 - power } else { power - 1.0 }) * ln(1.0 + x.abs()));
                prop_assert!((back - x).abs() < 1e-12 * (1.0 + x.abs()) * (1.0 + 1.0 / slope), "{x} {back} {power}");
            }
        }
    }
}
