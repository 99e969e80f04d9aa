//! What rows add to a bin: integers, so that sums do not depend on order and one child is the parent less the other.
//!
//! The scale is a power of two under which the absolute values of all rows and outputs together sum to at most 2^30
//! (plus half a unit a row and lane for rounding). So no sum leaves an `i32`, and no sum of squares an `i64`.

use super::Criterion;
use crate::context::Context;
use crate::learner::tree::{FixedRows, round, scale_for};

/// Lanes are a multiple of a group, whose size the search knows when it is compiled: all of them up to this many classes.
const LARGEST_GROUP: usize = 32;

fn group_for(lanes: usize) -> usize {
    if lanes <= LARGEST_GROUP { lanes.next_multiple_of(4) } else { 16 }
}

/// Sums of rows, one cell of [`lanes`](Self::lanes) integers a bin.
pub(super) trait Sums: Sync {
    /// What is kept of a row.
    type Item: Copy + Send + Sync;

    /// Whether a cell of weight zero holds nothing.
    const EMPTY_IF_WEIGHTLESS: bool;

    /// Integers in a cell, a multiple of four.
    fn lanes(&self) -> usize;

    /// The first so many of them are the sum s whose square counts, a multiple of the group.
    fn squared(&self) -> usize;

    /// Size of a group: a multiple of four up to 32.
    fn group(&self) -> usize;

    /// A row.
    fn item(&self, row: usize) -> Self::Item;

    /// Adds a row to the cell that starts here. A sum of rows never overflows; what is added up of nobody's rows, over and
    /// over, may wrap.
    fn add(&self, item: Self::Item, cells: &mut [i32], at: usize);

    /// Weight of the rows in a cell, for groups of C.
    fn weight<const C: usize>(&self, cell: &[i32]) -> i64;

    /// How splits are judged; other than by squares only where lanes are classes.
    fn criterion(&self) -> Criterion {
        Criterion::Gini
    }

    /// What is added to the weight of a node that is judged, in the unit of the sums.
    fn ridge(&self) -> f64 {
        0.0
    }
}

/// The weight of each class.
pub(super) struct ClassSums {
    rows: Vec<(u32, i32)>,
    lanes: usize,
    criterion: Criterion,
}

impl ClassSums {
    pub fn new(labels: &[u32], classes: usize, weights: &[f64], criterion: Criterion, context: &Context) -> Self {
        let fixed = FixedRows::new(weights, Vec::new(), context);
        let rows = labels.iter().copied().zip(fixed.values).collect();
        ClassSums { rows, lanes: classes.next_multiple_of(group_for(classes)), criterion }
    }
}

impl Sums for ClassSums {
    type Item = (u32, i32);

    const EMPTY_IF_WEIGHTLESS: bool = true;

    fn criterion(&self) -> Criterion {
        self.criterion
    }

    fn lanes(&self) -> usize {
        self.lanes
    }

    fn squared(&self) -> usize {
        self.lanes
    }

    fn group(&self) -> usize {
        group_for(self.lanes)
    }

    #[inline(always)]
    fn item(&self, row: usize) -> (u32, i32) {
        self.rows[row]
    }

    #[inline(always)]
    fn add(&self, (class, weight): (u32, i32), cells: &mut [i32], at: usize) {
        let cell = &mut cells[at + class as usize];
        *cell = cell.wrapping_add(weight);
    }

    #[inline(always)]
    fn weight<const C: usize>(&self, cell: &[i32]) -> i64 {
        let groups = cell.as_chunks::<C>().0.iter();
        i64::from(groups.map(|group| group.iter().sum::<i32>()).sum::<i32>())
    }
}

/// Vectors, and behind them the weight.
pub(super) struct VectorSums {
    values: Vec<i32>,
    squared: usize,
    group: usize,
    ridge: f64,
}

/// Lanes for the weight: one would do, but four keep vectors aligned.
const WEIGHT_LANES: usize = 4;

impl VectorSums {
    /// Sums of `value(row, weight of the row, output)`.
    pub fn new(
        outputs: usize,
        weights: &[f64],
        ridge: f64,
        value: impl Fn(usize, f64, usize) -> f64 + Sync,
        context: &Context,
    ) -> Self {
        const CHUNK: usize = 1024;
        let group = group_for(outputs);
        let squared = outputs.next_multiple_of(group);
        let lanes = squared + WEIGHT_LANES;
        let work = weights.len() * outputs * 2;
        let parts = context.map(weights.len().div_ceil(CHUNK), work, |i| {
            let rows = i * CHUNK..weights.len().min((i + 1) * CHUNK);
            let size = |row: usize| (0..outputs).map(|k| value(row, weights[row], k).abs()).sum::<f64>();
            rows.map(|row| weights[row] + size(row)).sum::<f64>()
        });
        let scale = scale_for(parts.iter().sum());
        let mut fixed = vec![0; weights.len() * lanes];
        context.map_parts(&mut fixed, CHUNK * lanes, work, |i, part| {
            for (row, cell) in (i * CHUNK..).zip(part.chunks_exact_mut(lanes)) {
                (0..outputs).for_each(|k| cell[k] = round(value(row, weights[row], k) * scale));
                cell[squared] = round(weights[row] * scale);
            }
        });
        VectorSums { values: fixed, squared, group, ridge: ridge * scale }
    }
}

impl Sums for VectorSums {
    type Item = u32;

    const EMPTY_IF_WEIGHTLESS: bool = false;

    fn lanes(&self) -> usize {
        self.squared + WEIGHT_LANES
    }

    fn squared(&self) -> usize {
        self.squared
    }

    fn group(&self) -> usize {
        self.group
    }

    #[inline(always)]
    fn item(&self, row: usize) -> u32 {
        row as u32
    }

    #[inline(always)]
    fn add(&self, row: u32, cells: &mut [i32], at: usize) {
        let lanes = self.lanes();
        cells[at..][..lanes]
            .iter_mut()
            .zip(&self.values[row as usize * lanes..][..lanes])
            .for_each(|(a, b)| *a = a.wrapping_add(*b));
    }

    #[inline(always)]
    fn weight<const C: usize>(&self, cell: &[i32]) -> i64 {
        i64::from(cell[self.squared])
    }

    fn ridge(&self) -> f64 {
        self.ridge
    }
}
