//! Squared Euclidean distances in single precision, by differences: near-coincident points keep their relative
//! accuracy (norms plus dot products would lose it), and a whole column of distances is bound by memory, not by
//! arithmetic, either way.
//!
//! Sums run over a fixed number of lanes that are added up in a fixed order, so that every instruction set gives
//! the same bits. Coordinates are padded with zeros, which add nothing.

use super::Points;

/// Partial sums of a distance.
pub const LANES: usize = 16;

/// Length of a stored point with this many coordinates: no rest is left over when it is read in vectors.
pub const fn padded(dimensions: usize) -> usize {
    if dimensions <= 4 {
        4
    } else if dimensions <= 8 {
        8
    } else {
        dimensions.div_ceil(LANES) * LANES
    }
}

/// |x - y|^2 of two padded points of the same length.
#[inline(always)]
pub fn squared_distance(x: &[f32], y: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    if x.len() < LANES {
        for (lane, (a, b)) in lanes.iter_mut().zip(x.iter().zip(y)) {
            let difference = a - b;
            *lane = difference * difference;
        }
    } else {
        for (x, y) in x.chunks_exact(LANES).zip(y.chunks_exact(LANES)) {
            for l in 0..LANES {
                let difference = x[l] - y[l];
                lanes[l] += difference * difference;
            }
        }
    }
    for l in 0..8 {
        lanes[l] += lanes[l + 8];
    }
    for l in 0..4 {
        lanes[l] += lanes[l + 4];
    }
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

/// Squared distances of consecutive points to one point. Compiled for several instruction sets and chosen at run
/// time.
pub fn squared_distances(points: &[f32], to: &[f32], out: &mut [f32]) {
    pulp::Arch::new().dispatch(Columns { points, to, out });
}

/// Squared distances of some of the points to one point.
pub fn scattered_distances(points: &Points, rows: &[u32], to: &[f32], out: &mut [f32]) {
    pulp::Arch::new().dispatch(Scattered { points, rows, to, out });
}

/// A struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct Columns<'a> {
    points: &'a [f32],
    to: &'a [f32],
    out: &'a mut [f32],
}

impl pulp::NullaryFnOnce for Columns<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        columns(self.points, self.to, self.out);
    }
}

struct Scattered<'a> {
    points: &'a Points,
    rows: &'a [u32],
    to: &'a [f32],
    out: &'a mut [f32],
}

impl pulp::NullaryFnOnce for Scattered<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (out, row) in self.out.iter_mut().zip(self.rows) {
            *out = squared_distance(self.points.row(*row as usize), self.to);
        }
    }
}

#[inline(always)]
fn columns(points: &[f32], to: &[f32], out: &mut [f32]) {
    // Lengths known to the compiler make the short cases one straight line of vector instructions.
    match to.len() {
        4 => short::<4>(points, to, out),
        8 => short::<8>(points, to, out),
        16 => short::<16>(points, to, out),
        32 => short::<32>(points, to, out),
        length => {
            for (out, x) in out.iter_mut().zip(points.chunks_exact(length)) {
                *out = squared_distance(x, to);
            }
        }
    }
}

#[inline(always)]
fn short<const D: usize>(points: &[f32], to: &[f32], out: &mut [f32]) {
    let mut y = [0.0; D];
    y.copy_from_slice(to);
    for (out, x) in out.iter_mut().zip(points.chunks_exact(D)) {
        *out = squared_distance(x, &y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_double_precision(values in prop::collection::vec((-9.0..9.0f32, -9.0..9.0f32), 1..70)) {
            let length = padded(values.len());
            let (mut x, mut y) = (vec![0.0; length], vec![0.0; length]);
            values.iter().enumerate().for_each(|(i, (a, b))| (x[i], y[i]) = (*a, *b));
            let exact: f64 = values.iter().map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
            let mut out = [0.0; 2];
            squared_distances(&[x.clone(), x.clone()].concat(), &y, &mut out);
            prop_assert!((f64::from(out[0]) - exact).abs() <= 1e-5 * exact + 1e-30);
            prop_assert_eq!(out[0], squared_distance(&y, &x));
            prop_assert_eq!(out[1], out[0]);
            let mut scattered = [0.0];
            scattered_distances(&Points { length, values: [y.clone(), x].concat() }, &[1], &y, &mut scattered);
            prop_assert_eq!(scattered[0], out[0]);
        }
    }
}
