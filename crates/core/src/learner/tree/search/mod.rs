//! Which split of each leaf agrees best with signed weights, one a row?
//!
//! All ways give the same answer, to the bit: `plain` adds everything up, `quick` is the thesis' QuickBoost, `delta` keeps the
//! sums of weights that are slightly out of date and adds only what has changed. They differ in what they add up, which
//! [`Work`] counts.

mod delta;
mod groups;
mod plain;
mod pruning;
mod quick;
#[cfg(test)]
mod tests;

use super::fixed::FixedRows;
use super::layer;
use super::split::Best;
use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::learner::Work;
use delta::Delta;
use groups::Groups;
use plain::Plain;
use pruning::Trial;
pub use pruning::{PRUNING, Pruning};
use quick::Quick;
use std::borrow::Cow;

/// The leaves of a growing tree.
pub(super) struct Leaves<'a> {
    /// The leaf of each row.
    pub of: &'a [u8],
    /// How many rows are in each.
    pub rows: &'a [usize],
    /// Sum of weights in each.
    pub totals: &'a [i32],
    /// The leaves that the last layer made: a left child keeps the number of its parent.
    pub born: &'a [(u8, u8)],
}

impl Leaves<'_> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.totals.len()
    }
}

/// One layer's question.
struct Layer<'a> {
    data: &'a BinnedDataset,
    groups: &'a Groups,
    weights: &'a FixedRows,
    leaves: &'a Leaves<'a>,
    /// Whether each feature may be asked about; all if `None`.
    allowed: Option<&'a [bool]>,
    /// Asks for a split even where one answer for all rows is as good.
    force: bool,
}

/// Which rows a tree has right: its answer has the sign of their weight.
fn rows_right(weights: &[i32], response: &[f64], right: &mut Vec<bool>) {
    right.clear();
    right.extend(weights.iter().zip(response).map(|(w, f)| f64::from(*w) * f > 0.0));
}

/// Searches the leaves of tree after tree on one data set.
pub struct LeafSearch<'a> {
    data: &'a BinnedDataset,
    groups: Option<Groups>,
    same_weights: bool,
    plain: Plain,
    quick: Quick<'a>,
    /// One a problem, where several take turns.
    deltas: Vec<Delta>,
    problem: usize,
    trial: Trial,
    /// What all searches so far did.
    pub work: Work,
}

impl<'a> LeafSearch<'a> {
    /// For weights that differ from layer to layer, where there is nothing that the delta filter could keep.
    pub fn new(data: &'a BinnedDataset, pruning: Pruning) -> Self {
        let pruning = if pruning == Pruning::Quickboost { pruning } else { Pruning::Off };
        LeafSearch { same_weights: false, ..Self::of_trees(data, pruning, 1, 1) }
    }

    /// Columns that can be read at any row and where to count, if features are to be pruned as in the thesis.
    pub(super) fn quick(&mut self) -> Option<(&[Cow<'a, [u8]>], &mut Work)> {
        let asked = self.trial.method() == Pruning::Quickboost;
        asked.then(|| (self.quick.columns(self.data), &mut self.work))
    }

    /// For trees of this depth, whose layers all see the same weights, and for so many problems that take turns.
    pub fn of_trees(data: &'a BinnedDataset, pruning: Pruning, depth: usize, problems: usize) -> Self {
        let trial = Trial::new(pruning, data, depth, problems);
        let deltas = if trial.may_filter() { problems } else { 0 };
        LeafSearch {
            data,
            groups: None,
            same_weights: true,
            plain: Plain::default(),
            quick: Quick::default(),
            deltas: (0..deltas).map(|_| Delta::new(depth == 1)).collect(),
            problem: 0,
            trial,
            work: Work::default(),
        }
    }

    /// A node of all rows was added up without it.
    pub(super) fn looked_at_all(&mut self, features: usize) {
        let reached = (self.data.rows * features) as u64;
        self.work.all += reached;
        self.work.added += reached;
    }

    /// A new tree, or a new layer with new weights, for this problem.
    pub fn reweighted(&mut self, problem: usize) {
        self.plain.forget();
        self.problem = problem;
        self.trial.begin();
    }

    /// The tree is done and gives these answers.
    pub fn answered(&mut self, weights: &FixedRows, response: &[f64]) {
        match (self.trial.end(), self.deltas.get_mut(self.problem)) {
            (Pruning::Delta, Some(delta)) => delta.answered(&weights.values, response),
            (Pruning::Quickboost, _) => self.quick.answered(&weights.values, response),
            _ => {}
        }
    }

    /// The best split of each leaf among these features; `force` asks for one even where one answer for all rows is as good.
    pub(super) fn layer(
        &mut self,
        features: &[usize],
        weights: &FixedRows,
        leaves: &Leaves<'_>,
        force: bool,
        context: &Context,
    ) -> Vec<Option<Best<u64>>> {
        let data = self.data;
        let reached = (data.rows * features.len()) as u64;
        self.work.all += reached;
        let method = self.trial.method();
        // A few features are looked at column by column.
        if method == Pruning::Off && features.len() * 4 < data.columns.len() * 3 {
            self.work.added += reached;
            return layer::best_splits(data, features, weights, leaves, context);
        }
        let mask = (features.len() < data.columns.len()).then(|| {
            let mut mask = vec![false; data.columns.len()];
            features.iter().for_each(|&feature| mask[feature] = true);
            mask
        });
        let groups = self.groups.get_or_insert_with(|| Groups::new(data, context));
        let task = Layer { data, groups, weights, leaves, allowed: mask.as_deref(), force };
        match (method, self.deltas.get_mut(self.problem)) {
            (Pruning::Quickboost, _) => self.quick.layer(data, &task, features, &mut self.work, context),
            (Pruning::Delta, Some(delta)) => {
                let best = delta.layer(&task, &mut self.work, context);
                // Where no feature beats one answer for all rows the filter has not looked at all of them.
                let homogeneous = u64::from(leaves.totals[0].unsigned_abs());
                if force && best[0].as_ref().is_none_or(|best| best.score <= homogeneous) {
                    return layer::best_splits(data, features, weights, leaves, context);
                }
                best
            }
            _ => self.plain.layer(&task, self.same_weights, &mut self.work, context),
        }
    }
}
