//! Weighted regression trees for several outputs at once (GAMBLE thesis 3.2.1, eq. 3.5-3.8), grown best first.
//!
//! A leaf answers with the weighted mean of its rows' target vectors (eq. 3.7), so the weighted squared error that a
//! split removes is |s_left|^2 / w_left + |s_right|^2 / w_right - |s|^2 / w, where s is a node's sum of w y and w its
//! sum of weights. Everything is judged from such sums, one vector a bin: a split search reads bins and never sorts.
//!
//! * Where the target is a class, s is the weight of each class: one addition a row and feature, whatever K is. Any code
//!   with one value for the row's class and another for all others gives the same tree (see `gamble.rs`).
//! * The larger child's sums are the parent's less the smaller child's, exactly, since sums are of integers.
//! * Booster-independent: the caller gives targets and makes vectors of the rows in each leaf.

mod grow;
mod histogram;
mod scan;
mod sums;

use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::model::RegionTree;
use crate::settings::{Kind, Parameter};
use grow::Growth;
use histogram::Histograms;
use sums::{ClassSums, VectorSums};

/// `--leaves`.
pub const LEAVES: Parameter =
    Parameter { name: "leaves", kind: Kind::Integer(2, 1024), default: "15", help: "leaves of each tree at most" };

/// What a tree is fitted to. Weights are positive, one a row.
#[derive(Clone, Copy)]
pub enum Targets<'a> {
    /// One of `classes` classes a row.
    Classes {
        /// The class of each row.
        labels: &'a [u32],
        /// Number of classes.
        classes: usize,
        /// Row weights.
        weights: &'a [f64],
    },
    /// Any vectors.
    Vectors {
        /// `[row][output]`.
        values: &'a [f64],
        /// Number of outputs.
        outputs: usize,
        /// Row weights.
        weights: &'a [f64],
    },
}

/// A tree and where it puts the training rows.
pub struct Grown {
    /// The tree.
    pub tree: RegionTree,
    /// Number of leaves.
    pub leaves: usize,
    /// The leaf of each training row.
    pub leaf_of: Vec<u32>,
}

/// Grows trees on one data set; keeps its memory from tree to tree.
pub struct RegionGrower<'a> {
    data: &'a BinnedDataset,
    leaves: usize,
    histograms: Histograms,
}

impl<'a> RegionGrower<'a> {
    /// Trees of at most so many leaves on these bins.
    pub fn new(data: &'a BinnedDataset, leaves: usize) -> Self {
        RegionGrower { data, leaves, histograms: Histograms::new(data) }
    }

    /// Bytes for the sums of waiting leaves (256 MB). The tree does not depend on it: a leaf whose sums are not kept has
    /// both its children summed up from rows.
    pub fn with_memory(mut self, bytes: usize) -> Self {
        self.histograms.kept_bytes = bytes;
        self
    }

    /// The tree that splits the leaf with the most to gain, again and again. Ties to the lowest feature, then threshold.
    pub fn grow(&mut self, targets: Targets<'_>, context: &Context) -> Grown {
        let histograms = &mut self.histograms;
        match targets {
            Targets::Classes { labels, classes, weights } => {
                let sums = ClassSums::new(labels, classes, weights, context);
                Growth::new(self.data, self.leaves, histograms, &sums, context).run()
            }
            Targets::Vectors { values, outputs, weights } => {
                let sums = VectorSums::new(values, outputs, weights);
                Growth::new(self.data, self.leaves, histograms, &sums, context).run()
            }
        }
    }
}

impl Grown {
    /// The weight of each class in each leaf, `[leaf][class]`, added up in the order of rows.
    pub fn class_weights(&self, labels: &[u32], classes: usize, weights: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.leaves * classes];
        for ((leaf, label), weight) in self.leaf_of.iter().zip(labels).zip(weights) {
            sums[*leaf as usize * classes + *label as usize] += weight;
        }
        sums
    }

    /// The weighted mean of the rows' vectors in each leaf, `[leaf][output]` (eq. 3.7).
    pub fn means(&self, values: &[f64], outputs: usize, weights: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.leaves * outputs];
        let mut totals = vec![0.0; self.leaves];
        for ((leaf, values), weight) in self.leaf_of.iter().zip(values.chunks_exact(outputs)).zip(weights) {
            let leaf = *leaf as usize;
            totals[leaf] += weight;
            sums[leaf * outputs..].iter_mut().zip(values).for_each(|(s, y)| *s += weight * y);
        }
        sums.chunks_exact_mut(outputs).zip(totals).for_each(|(sums, w)| sums.iter_mut().for_each(|s| *s /= w));
        sums
    }

    /// The leaves as responses of a region tree.
    pub fn responses(&self) -> Vec<f64> {
        self.leaf_of.iter().map(|leaf| f64::from(*leaf)).collect()
    }
}
