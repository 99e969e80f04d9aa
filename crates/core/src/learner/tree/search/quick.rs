//! QuickBoost for signed weights: a feature's worth is |D|, and rows not yet added can change it by at most their own weight.

use super::super::layer::scan;
use super::super::split::Best;
use super::{Layer, Work, rows_right};
use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::learner::quick::{Prunable, schedule, search};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

/// Columns that can be read at any row, and rows in order of weight.
#[derive(Default)]
pub(super) struct Quick<'a> {
    columns: Vec<Cow<'a, [u8]>>,
    order: Vec<u32>,
    /// Rows that the last tree had right.
    right: Vec<bool>,
}

struct Leaf<'a> {
    data: &'a BinnedDataset,
    columns: &'a [Cow<'a, [u8]>],
    weights: &'a [i32],
    /// By falling weight.
    rows: Vec<u32>,
    /// Absolute weight of the rows from each place on.
    rest: Vec<u64>,
}

struct Sums {
    bins: Box<[i32; 256]>,
    total: i32,
}

impl Prunable for Leaf<'_> {
    type Sums = Sums;
    type Found = Best<u64>;

    fn empty(&self) -> Sums {
        Sums { bins: Box::new([0; 256]), total: 0 }
    }

    fn add(&self, feature: usize, rows: Range<usize>, sums: &mut Sums) {
        let codes = &self.columns[feature];
        for &row in &self.rows[rows] {
            let weight = self.weights[row as usize];
            let cell = &mut sums.bins[usize::from(codes[row as usize])];
            *cell = cell.wrapping_add(weight);
            sums.total = sums.total.wrapping_add(weight);
        }
    }

    fn bound(&self, feature: usize, rows: usize, sums: &Sums) -> f64 {
        let so_far = self.complete(feature, sums).map_or(0.0, |(worth, _)| worth);
        so_far.max(f64::from(sums.total.unsigned_abs())) + self.rest[rows] as f64
    }

    fn complete(&self, feature: usize, sums: &Sums) -> Option<(f64, Best<u64>)> {
        let best = scan(feature, &self.data.maps[feature], &*sums.bins, sums.total)?;
        Some((best.score as f64, best))
    }
}

impl<'a> Quick<'a> {
    /// Made when they are first asked for.
    pub fn columns(&mut self, data: &'a BinnedDataset) -> &[Cow<'a, [u8]>] {
        if self.columns.is_empty() {
            self.columns = data.columns.iter().map(|column| column.codes(data.rows)).collect();
        }
        &self.columns
    }

    /// Tells which rows the tree had right.
    pub fn answered(&mut self, weights: &[i32], response: &[f64]) {
        rows_right(weights, response, &mut self.right);
    }

    /// By falling weight. Rows that the last tree had right keep their order among themselves, and so do the others: put one
    /// behind the other they are two long runs, which a sort that looks for runs merges in O(N) (thesis 3.4).
    fn sort(&mut self, weights: &[i32]) {
        if !self.order.is_empty() && self.right.len() == self.order.len() {
            let (mut order, wrong): (Vec<u32>, Vec<u32>) =
                self.order.iter().partition(|row| self.right[**row as usize]);
            order.extend(wrong);
            self.order = order;
        } else {
            self.order = (0..weights.len() as u32).collect();
        }
        self.order.sort_by_key(|&row| (Reverse(weights[row as usize].unsigned_abs()), row));
    }

    pub fn layer(
        &mut self,
        data: &'a BinnedDataset,
        task: &Layer<'_>,
        features: &[usize],
        work: &mut Work,
        context: &Context,
    ) -> Vec<Option<Best<u64>>> {
        let weights = &task.weights.values;
        self.columns(data);
        self.sort(weights);
        let mut leaves: Vec<Vec<u32>> = vec![Vec::new(); task.leaves.count()];
        for &row in self.order.iter().filter(|row| weights[**row as usize] != 0) {
            leaves[task.leaves.of[row as usize] as usize].push(row);
        }
        let each = leaves.into_iter().map(|rows| {
            let mut rest = vec![0; rows.len() + 1];
            for (at, row) in rows.iter().enumerate().rev() {
                rest[at] = rest[at + 1] + u64::from(weights[*row as usize].unsigned_abs());
            }
            let ends = schedule(rows.len(), |at| (rest[at] - rest[at + 1]) as f64);
            let leaf = Leaf { data, columns: &self.columns, weights, rows, rest };
            search(&leaf, features, &ends, work, context)
        });
        each.collect()
    }
}
