//! QuickBoost for regression trees and trees of classes (thesis 3.4 and appendix 7.2).
//!
//! A split's worth is superadditive in rows: |a + b|^2 / (u + v) <= |a|^2 / u + |b|^2 / v, and the same for entropy and error. So
//! a row adds at most what it is worth in a leaf of its own: its weight (Gini, error), its weight times ln K (entropy) or
//! |s|^2 / w (variance). For the gain ratio no such bound holds, whatever appendix 7.2 says (the gain is divided by the entropy
//! of the split, which rows may lower), so nothing is pruned then.

use super::Criterion;
use super::scan::{Candidate, Scratch, Totals, scan};
use super::sums::Sums;
use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::learner::Work;
use crate::learner::quick::{Prunable, schedule, search};
use std::borrow::Cow;
use std::ops::Range;

/// Bounds are computed in floating point: this share is added.
const ROUNDING: f64 = 1e-9;

/// Columns that can be read at any row, and what was done.
pub(super) struct Quick<'a> {
    data: &'a BinnedDataset,
    columns: Vec<Cow<'a, [u8]>>,
    pub work: Work,
}

struct Node<'a, S> {
    data: &'a BinnedDataset,
    columns: &'a [Cow<'a, [u8]>],
    sums: &'a S,
    totals: &'a Totals,
    /// By falling mass.
    rows: Vec<u32>,
    /// Mass of the rows from each place on.
    rest: Vec<f64>,
}

impl<'a> Quick<'a> {
    pub fn new(data: &'a BinnedDataset) -> Self {
        let columns = data.columns.iter().map(|column| column.codes(data.rows)).collect();
        Quick { data, columns, work: Work::default() }
    }

    /// The best split of a node.
    pub fn search<S: Sums>(
        &mut self,
        sums: &S,
        rows: &[u32],
        totals: &Totals,
        allowed: Option<&[bool]>,
        context: &Context,
    ) -> Option<Candidate> {
        let features: Vec<usize> =
            (0..self.columns.len()).filter(|&feature| allowed.is_none_or(|allowed| allowed[feature])).collect();
        let mut by_mass: Vec<(f64, u32)> = rows.iter().map(|&row| (mass(sums, row), row)).collect();
        by_mass.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut rest = vec![0.0; rows.len() + 1];
        for (at, (mass, _)) in by_mass.iter().enumerate().rev() {
            rest[at] = rest[at + 1] + mass;
        }
        let ends = schedule(rows.len(), |at| by_mass[at].0);
        let rows = by_mass.into_iter().map(|(_, row)| row).collect();
        let node = Node { data: self.data, columns: &self.columns, sums, totals, rows, rest };
        self.work.all += (node.rows.len() * features.len()) as u64;
        search(&node, &features, &ends, &mut self.work, context)
    }
}

/// What a row is worth in a leaf of its own.
fn mass<S: Sums>(sums: &S, row: u32) -> f64 {
    let mut cell = vec![0; sums.lanes()];
    sums.add(sums.item(row as usize), &mut cell, 0);
    worth_alone(sums, cell)
}

/// What the rows of a cell are worth in a leaf of their own. Without weight they must be worth nothing, or anything.
fn worth_alone<S: Sums>(sums: &S, cell: Vec<i32>) -> f64 {
    let totals = Totals { ridge: 0.0, ..Totals::new(sums, cell) };
    match totals.weight {
        0 if totals.square == 0 => 0.0,
        0 => f64::INFINITY,
        _ => totals.score(),
    }
}

impl<S: Sums> Prunable for Node<'_, S> {
    type Sums = Vec<i32>;
    type Found = Candidate;

    fn empty(&self) -> Vec<i32> {
        vec![0; 256 * self.sums.lanes()]
    }

    fn add(&self, feature: usize, rows: Range<usize>, cells: &mut Vec<i32>) {
        let (lanes, bins) = (self.sums.lanes(), self.data.maps[feature].bins());
        let codes = &self.columns[feature];
        for &row in &self.rows[rows] {
            let bin = usize::from(codes[row as usize]).min(bins);
            self.sums.add(self.sums.item(row as usize), cells, bin * lanes);
        }
    }

    fn bound(&self, feature: usize, rows: usize, cells: &Vec<i32>) -> f64 {
        if self.totals.criterion == Criterion::GainRatio {
            return f64::INFINITY;
        }
        let (lanes, map) = (self.sums.lanes(), &self.data.maps[feature]);
        let cells = &cells[..(map.bins() + 1) * lanes];
        let so_far = if map.is_categorical() {
            // Any set of levels may go left: at best each is a leaf of its own.
            cells.chunks_exact(lanes).map(|cell| worth_alone(self.sums, cell.to_vec())).sum()
        } else {
            let mut cell = vec![0; lanes];
            cells.chunks_exact(lanes).for_each(|more| cell.iter_mut().zip(more).for_each(|(a, b)| *a += b));
            let totals = Totals { ridge: self.totals.ridge, ..Totals::new(self.sums, cell.clone()) };
            let split = self.scan(feature, cells, &totals).map_or(0.0, |found| found.score);
            split.max(worth_alone(self.sums, cell))
        };
        (so_far + self.rest[rows]) * (1.0 + ROUNDING)
    }

    fn complete(&self, feature: usize, cells: &Vec<i32>) -> Option<(f64, Candidate)> {
        let cells = &cells[..(self.data.maps[feature].bins() + 1) * self.sums.lanes()];
        self.scan(feature, cells, self.totals).map(|found| (found.score, found))
    }
}

impl<S: Sums> Node<'_, S> {
    fn scan(&self, feature: usize, cells: &[i32], totals: &Totals) -> Option<Candidate> {
        let mut scratch = Scratch::default();
        scratch.left.resize(self.sums.squared(), 0);
        scan::<S, 4>(self.sums, feature, &self.data.maps[feature], cells, totals, f64::NEG_INFINITY, &mut scratch)
    }
}
