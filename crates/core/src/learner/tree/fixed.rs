//! Fixed-point weights (design 5.1): real weights scaled by a power of two and rounded to integers once a round.
//!
//! Integer sums do not depend on the order of addition, so threads, row chunks, left-out bins and subtraction all
//! give exactly the same histograms, and "identical" can mean identical bytes. Each class's absolute sum is at most
//! 2^30 before rounding and rounding adds at most half a unit a row, so with N < 2^30 no sum leaves an `i32`.

use crate::context::Context;

const BITS: i32 = 30;
/// Classes side by side in one histogram row; more classes take several tiles.
const WIDEST: usize = 32;

/// One signed integer a row.
pub struct FixedRows {
    /// The integers.
    pub values: Vec<i32>,
}

/// K signed integers a row, in tiles of `lanes` classes: `values[tile][row][lane]`.
pub struct FixedVectors {
    /// Number of rows.
    pub rows: usize,
    /// Classes in a tile, a multiple of four; unused lanes are zero.
    pub lanes: usize,
    /// Number of tiles.
    pub tiles: usize,
    /// The integers.
    pub values: Vec<i32>,
    /// Per lane: sum over rows.
    pub sums: Vec<i32>,
    /// Per lane: the largest magnitude a signed sum can have, at least the sum of absolute values.
    pub totals: Vec<f64>,
    /// Per lane: the real value of one unit.
    pub units: Vec<f64>,
}

impl FixedRows {
    /// Scales and rounds; `scratch` is memory from an earlier round.
    pub fn new(real: &[f64], scratch: Vec<i32>, context: &Context) -> Self {
        const CHUNK: usize = 8192;
        let parts = context.map(real.len().div_ceil(CHUNK), real.len() * 2, |i| {
            real[i * CHUNK..real.len().min((i + 1) * CHUNK)].iter().map(|x| x.abs()).sum::<f64>()
        });
        let scale = scale_for(parts.iter().sum());
        let mut values = scratch;
        values.resize(real.len(), 0);
        context.map_parts(&mut values, CHUNK, real.len() * 2, |i, part| {
            part.iter_mut().zip(&real[i * CHUNK..]).for_each(|(out, x)| *out = round(x * scale));
        });
        FixedRows { values }
    }
}

impl FixedVectors {
    /// Scales and rounds `real` (`[row][class]`), one scale a class. `magnitudes` are the classes' absolute sums,
    /// `totals` their largest possible sums (S_k), at least as large.
    pub fn new(real: &[f64], magnitudes: &[f64], totals: &[f64], scratch: Vec<i32>, context: &Context) -> Self {
        const CHUNK: usize = 2048;
        let classes = magnitudes.len();
        let rows = real.len() / classes;
        let tiles = classes.div_ceil(WIDEST);
        let lanes = classes.div_ceil(tiles).next_multiple_of(4);
        let scales: Vec<f64> = magnitudes.iter().map(|m| scale_for(*m)).collect();
        let mut values = scratch;
        values.clear();
        values.resize(tiles * rows * lanes, 0);
        let mut sums = vec![0i32; tiles * lanes];
        let mut absolute = vec![0i64; tiles * lanes];
        for (tile, values) in values.chunks_exact_mut((rows * lanes).max(1)).enumerate() {
            let first = tile * lanes;
            let width = lanes.min(classes - first);
            let scales = &scales[first..first + width];
            let parts = context.map_parts(values, CHUNK * lanes, rows * width * 2, |i, out| {
                let real = &real[i * CHUNK * classes..];
                pulp::Arch::new().dispatch(Rounded { real, classes, first, scales, lanes, out })
            });
            for (part_sums, part_absolute) in parts {
                for lane in 0..width {
                    sums[first + lane] = sums[first + lane].wrapping_add(part_sums[lane]);
                    absolute[first + lane] += part_absolute[lane];
                }
            }
        }
        let per_lane = |of: &dyn Fn(usize) -> f64| {
            (0..tiles * lanes).map(|lane| if lane < classes { of(lane) } else { 0.0 }).collect::<Vec<_>>()
        };
        FixedVectors {
            rows,
            lanes,
            tiles,
            totals: per_lane(&|k| (totals[k] * scales[k]).round().max(absolute[k] as f64)),
            units: per_lane(&|k| 1.0 / scales[k]),
            values,
            sums,
        }
    }

    /// The integers of one tile, `[row][lane]`.
    pub fn tile(&self, tile: usize) -> &[i32] {
        &self.values[tile * self.rows * self.lanes..][..self.rows * self.lanes]
    }
}

/// Rounds some rows of one tile; sums and absolute sums of each class. A struct and not a closure: closures are not compiled
/// for the instruction set they are dispatched to.
struct Rounded<'a> {
    /// `[row][class]`.
    real: &'a [f64],
    classes: usize,
    /// The first class of the tile.
    first: usize,
    scales: &'a [f64],
    /// `[row][lane]`.
    out: &'a mut [i32],
    lanes: usize,
}

impl pulp::NullaryFnOnce for Rounded<'_> {
    type Output = (Vec<i32>, Vec<i64>);

    #[inline(always)]
    fn call(self) -> Self::Output {
        let width = self.scales.len();
        let (mut sums, mut absolute) = (vec![0i32; width], vec![0i64; width]);
        let rows = self.out.chunks_exact_mut(self.lanes).zip(self.real.chunks_exact(self.classes));
        for (out, real) in rows {
            let (out, real) = (&mut out[..width], &real[self.first..][..width]);
            let (sums, absolute) = (&mut sums[..width], &mut absolute[..width]);
            for lane in 0..width {
                let value = round(real[lane] * self.scales[lane]);
                out[lane] = value;
                sums[lane] = sums[lane].wrapping_add(value);
                absolute[lane] += i64::from(value.unsigned_abs());
            }
        }
        (sums, absolute)
    }
}

/// The largest power of two that brings a sum to at most 2^30. A power of two, so that scaling rounds nothing.
pub(crate) fn scale_for(sum: f64) -> f64 {
    if sum <= 0.0 || !sum.is_finite() {
        return 1.0;
    }
    // sum < 2^(exponent + 1)
    let exponent = ((sum.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    2f64.powi((BITS - 1 - exponent).clamp(-1000, 1000))
}

/// To the nearest integer without calling the mathematics library.
#[inline(always)]
pub(crate) fn round(x: f64) -> i32 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    (x + SHIFT).to_bits() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_cannot_overflow(values in prop::collection::vec(-1e12..1e12f64, 1..3000), spread in -200i32..200) {
            let context = Context::new(0, 1).unwrap();
            let real: Vec<f64> = values.iter().map(|v| v * 2f64.powi(spread)).collect();
            let fixed = FixedRows::new(&real, Vec::new(), &context);
            let sum: i64 = fixed.values.iter().map(|v| i64::from(v.unsigned_abs())).sum();
            prop_assert!(sum <= (1 << 30) + real.len() as i64);
            prop_assert!(sum > (1 << 28) || real.iter().all(|v| *v == 0.0));
        }

        #[test]
        fn totals_bound_every_signed_sum(
            values in prop::collection::vec(-1.0..1.0f64, 1..200), classes in 1usize..70
        ) {
            let context = Context::new(0, 1).unwrap();
            let rows = values.len();
            let real: Vec<f64> = (0..rows * classes).map(|i| values[i % rows] * (1.0 + (i % classes) as f64)).collect();
            let magnitudes: Vec<f64> =
                (0..classes).map(|k| real.iter().skip(k).step_by(classes).map(|x| x.abs()).sum()).collect();
            let fixed = FixedVectors::new(&real, &magnitudes, &magnitudes, Vec::new(), &context);
            for k in 0..classes {
                let (tile, lane) = (k / fixed.lanes, k % fixed.lanes);
                let column: Vec<i64> = fixed.tile(tile).iter().skip(lane).step_by(fixed.lanes).map(|v| i64::from(*v)).collect();
                prop_assert_eq!(column.iter().sum::<i64>(), i64::from(fixed.sums[k]));
                prop_assert!(column.iter().map(|v| v.abs()).sum::<i64>() as f64 <= fixed.totals[k]);
                for (row, v) in column.iter().enumerate() {
                    prop_assert!((*v as f64 * fixed.units[k] - real[row * classes + k]).abs() <= fixed.units[k]);
                }
            }
        }
    }

    #[test]
    fn rounds_to_nearest() {
        assert_eq!([round(2.4), round(2.6), round(-2.4), round(-2.6), round(-0.4)], [2, 3, -2, -3, 0]);
    }
}
