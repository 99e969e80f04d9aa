//! What rows add to a bin: integers, so that sums do not depend on order and one child is the parent less the other.
//!
//! The scale is a power of two under which the absolute values of all rows and outputs together sum to at most 2^30
//! (plus half a unit a row and lane for rounding). So no sum leaves an `i32`, and no sum of squares an `i64`.

use crate::context::Context;
use crate::learner::tree::{FixedRows, round, scale_for};

/// Lanes come in groups of this many, for vector registers.
pub(super) const GROUP: usize = 4;

/// Sums of rows, one cell of [`lanes`](Self::lanes) integers a bin.
pub(super) trait Sums: Sync {
    /// What is kept of a row.
    type Item: Copy + Send + Sync;

    /// Whether a cell of weight zero holds nothing.
    const EMPTY_IF_WEIGHTLESS: bool;

    /// Integers in a cell, a multiple of [`GROUP`].
    fn lanes(&self) -> usize;

    /// The first so many of them are the sum s whose square counts, a multiple of [`GROUP`].
    fn squared(&self) -> usize;

    /// A row.
    fn item(&self, row: usize) -> Self::Item;

    /// Adds a row to a cell.
    fn add(&self, item: Self::Item, cell: &mut [i32]);

    /// Weight of the rows in a cell.
    fn weight(&self, cell: &[i32]) -> i64;
}

/// The weight of each class.
pub(super) struct ClassSums {
    rows: Vec<(u32, i32)>,
    lanes: usize,
}

impl ClassSums {
    pub fn new(labels: &[u32], classes: usize, weights: &[f64], context: &Context) -> Self {
        let fixed = FixedRows::new(weights, Vec::new(), context);
        let rows = labels.iter().copied().zip(fixed.values).collect();
        ClassSums { rows, lanes: classes.next_multiple_of(GROUP) }
    }
}

impl Sums for ClassSums {
    type Item = (u32, i32);

    const EMPTY_IF_WEIGHTLESS: bool = true;

    fn lanes(&self) -> usize {
        self.lanes
    }

    fn squared(&self) -> usize {
        self.lanes
    }

    #[inline(always)]
    fn item(&self, row: usize) -> (u32, i32) {
        self.rows[row]
    }

    #[inline(always)]
    fn add(&self, (class, weight): (u32, i32), cell: &mut [i32]) {
        cell[class as usize] += weight;
    }

    #[inline(always)]
    fn weight(&self, cell: &[i32]) -> i64 {
        let mut parts = [0i32; GROUP];
        for group in cell.as_chunks::<GROUP>().0 {
            (0..GROUP).for_each(|j| parts[j] += group[j]);
        }
        i64::from(parts[0] + parts[1] + parts[2] + parts[3])
    }
}

/// Weighted vectors, and in a group of its own the weight.
pub(super) struct VectorSums {
    values: Vec<i32>,
    squared: usize,
}

impl VectorSums {
    pub fn new(values: &[f64], outputs: usize, weights: &[f64]) -> Self {
        let squared = outputs.next_multiple_of(GROUP);
        let rows = || values.chunks_exact(outputs).zip(weights);
        let total = rows().map(|(y, w)| w * (1.0 + y.iter().map(|y| y.abs()).sum::<f64>())).sum();
        let scale = scale_for(total);
        let mut fixed = vec![0; weights.len() * (squared + GROUP)];
        for ((values, weight), cell) in rows().zip(fixed.chunks_exact_mut(squared + GROUP)) {
            cell.iter_mut().zip(values).for_each(|(out, y)| *out = round(weight * y * scale));
            cell[squared] = round(weight * scale);
        }
        VectorSums { values: fixed, squared }
    }
}

impl Sums for VectorSums {
    type Item = u32;

    const EMPTY_IF_WEIGHTLESS: bool = false;

    fn lanes(&self) -> usize {
        self.squared + GROUP
    }

    fn squared(&self) -> usize {
        self.squared
    }

    #[inline(always)]
    fn item(&self, row: usize) -> u32 {
        row as u32
    }

    #[inline(always)]
    fn add(&self, row: u32, cell: &mut [i32]) {
        let lanes = self.lanes();
        cell.iter_mut().zip(&self.values[row as usize * lanes..][..lanes]).for_each(|(a, b)| *a += b);
    }

    #[inline(always)]
    fn weight(&self, cell: &[i32]) -> i64 {
        i64::from(cell[self.squared])
    }
}
