//! Which split of each leaf agrees best with signed weights, one a row?
//!
//! All ways give the same answer, to the bit: `plain` adds everything up, `quick` is the thesis' QuickBoost, `delta` keeps
//! the sums of weights that are slightly out of date and adds only what has changed. They differ in what they add up, which
//! [`Work`] counts.

mod groups;
mod plain;

use super::fixed::FixedRows;
use super::layer;
use super::split::Best;
use crate::binning::BinnedDataset;
use crate::context::Context;
use groups::Groups;
use plain::Plain;

/// The leaves of a growing tree.
pub(super) struct Leaves<'a> {
    /// The leaf of each row.
    pub of: &'a [u8],
    /// How many there are.
    pub count: usize,
    /// The leaves that the last layer made: a left child keeps the number of its parent.
    pub born: &'a [(u8, u8)],
    /// Sum of weights in each.
    pub totals: Vec<i32>,
}

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Rows that reached a node times features, over all nodes: what adding everything up takes.
    pub all: u64,
    /// Weights added to a sum.
    pub added: u64,
    /// Features that were added up completely.
    pub completed: u64,
}

/// One layer's question.
pub(super) struct Layer<'a> {
    data: &'a BinnedDataset,
    groups: &'a Groups,
    weights: &'a FixedRows,
    leaves: &'a Leaves<'a>,
    /// Whether each feature may be asked about; all if `None`.
    allowed: Option<&'a [bool]>,
    /// Asks for a split even where one answer for all rows is as good.
    force: bool,
}

/// Searches the leaves of tree after tree on one data set.
pub struct LeafSearch<'a> {
    data: &'a BinnedDataset,
    groups: Option<Groups>,
    same_weights: bool,
    plain: Plain,
    /// What all searches so far did.
    pub work: Work,
}

impl<'a> LeafSearch<'a> {
    /// On these bins. `same_weights`: all layers of a tree see the same weights.
    pub fn new(data: &'a BinnedDataset, same_weights: bool) -> Self {
        LeafSearch { data, groups: None, same_weights, plain: Plain::default(), work: Work::default() }
    }

    /// The weights are other than in the last layer.
    pub fn reweighted(&mut self) {
        self.plain.forget();
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
        let reached = data.rows as u64 * features.len() as u64;
        self.work.all += reached;
        // A few features are looked at column by column.
        if features.len() * 4 < data.columns.len() * 3 {
            self.work.added += reached;
            return layer::best_splits(data, features, weights, leaves, context);
        }
        let mask = (features.len() < data.columns.len()).then(|| {
            let mut mask = vec![false; data.columns.len()];
            features.iter().for_each(|&feature| mask[feature] = true);
            mask
        });
        let groups = self.groups.get_or_insert_with(|| Groups::new(data, context));
        let layer = Layer { data, groups, weights, leaves, allowed: mask.as_deref(), force };
        self.plain.layer(&layer, self.same_weights, &mut self.work, context)
    }
}
