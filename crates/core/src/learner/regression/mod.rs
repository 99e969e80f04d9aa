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

mod criterion;
mod grow;
mod histogram;
mod quick;
mod rough;
mod scan;
mod sums;

use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::data::Features;
use crate::learner::Work;
use crate::learner::tree::Pruning;
use crate::model::RegionTree;
use crate::settings::{Kind, Parameter};
pub use criterion::{CRITERION, Criterion};
use grow::{Growth, Scratch};
use histogram::Histograms;
use quick::Quick;
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
    /// Derivatives of a loss (XGBoost's objective): s is the sum of gradients, w that of curvatures, and the gain of a
    /// split is |s_left|^2 / (w_left + ridge) + |s_right|^2 / (w_right + ridge) - |s|^2 / (w + ridge).
    Gradients {
        /// `[row][output]`, row weights included.
        gradients: &'a [f64],
        /// Number of outputs.
        outputs: usize,
        /// One a row, row weights included.
        curvatures: &'a [f64],
        /// Added to a node's curvature.
        ridge: f64,
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

/// What a tree may use.
#[derive(Clone, Copy, Default)]
pub struct Part<'a> {
    /// Rows in rising order; all if `None`.
    pub rows: Option<&'a [u32]>,
    /// Whether each feature may be asked about; all if `None`.
    pub features: Option<&'a [bool]>,
    /// Layers at most; any number if `None`.
    pub depth: Option<usize>,
}

/// A tree and where it puts the training rows.
pub struct Grown {
    /// The tree.
    pub tree: RegionTree,
    /// Number of leaves.
    pub leaves: usize,
    /// The leaf of each training row; [`NOWHERE`] for rows the tree was not grown on.
    pub leaf_of: Vec<u32>,
}

/// The leaf of a row that a tree was not grown on.
pub const NOWHERE: u32 = u32::MAX;

/// Grows trees on one data set; keeps its memory from tree to tree.
pub struct RegionGrower<'a> {
    data: &'a BinnedDataset,
    leaves: usize,
    histograms: Histograms,
    scratch: Scratch,
    criterion: Criterion,
    quick: Option<Quick<'a>>,
}

impl<'a> RegionGrower<'a> {
    /// Trees of at most so many leaves on these bins.
    pub fn new(data: &'a BinnedDataset, leaves: usize) -> Self {
        let (histograms, scratch) = (Histograms::new(data), Scratch::default());
        RegionGrower { data, leaves, histograms, scratch, criterion: Criterion::Gini, quick: None }
    }

    /// Bytes for the sums of waiting leaves (256 MB). The tree does not depend on it: a leaf whose sums are not kept has
    /// both its children summed up from rows.
    pub fn with_memory(mut self, bytes: usize) -> Self {
        self.histograms.kept_bytes = bytes;
        self
    }

    /// Prunes features as in the thesis, and counts. The tree does not depend on it. There is no other way here: a round moves all
    /// weights, so that the delta filter would have nothing to keep.
    pub fn pruned(mut self, pruning: Pruning) -> Self {
        self.quick = (pruning == Pruning::Quickboost).then(|| Quick::new(self.data));
        self
    }

    /// What all searches so far added up, if features are pruned.
    pub fn work(&self) -> Option<Work> {
        self.quick.as_ref().map(|quick| quick.work)
    }

    /// How splits of trees of classes are judged.
    pub fn by(mut self, criterion: Criterion) -> Self {
        self.criterion = criterion;
        self
    }

    /// The tree that splits the leaf with the most to gain, again and again. Ties to the lowest feature, then threshold.
    pub fn grow(&mut self, targets: Targets<'_>, context: &Context) -> Grown {
        self.grow_on(Part::default(), targets, context)
    }

    /// Like [`grow`](Self::grow), from a part of the rows and features.
    pub fn grow_on(&mut self, part: Part<'_>, targets: Targets<'_>, context: &Context) -> Grown {
        let memory = (&mut self.histograms, &mut self.scratch);
        let quick = self.quick.as_mut();
        match targets {
            Targets::Classes { labels, classes, weights } => {
                let sums = ClassSums::new(labels, classes, weights, self.criterion, context);
                Growth::new(self.data, self.leaves, part, memory, &sums, context).run(quick)
            }
            Targets::Gradients { gradients, outputs, curvatures, ridge } => {
                let value = |row: usize, _: f64, k: usize| gradients[row * outputs + k];
                let sums = VectorSums::new(outputs, curvatures, ridge, value, context);
                Growth::new(self.data, self.leaves, part, memory, &sums, context).run(quick)
            }
            Targets::Vectors { values, outputs, weights } => {
                let value = |row: usize, weight: f64, k: usize| weight * values[row * outputs + k];
                let sums = VectorSums::new(outputs, weights, 0.0, value, context);
                Growth::new(self.data, self.leaves, part, memory, &sums, context).run(quick)
            }
        }
    }
}

impl Grown {
    /// Finds the leaves of rows that the tree was not grown on.
    pub fn place_others(&mut self, features: &Features, context: &Context) {
        const CHUNK: usize = 1024;
        let (tree, work) = (&self.tree, self.leaf_of.len() * 16);
        context.map_parts(&mut self.leaf_of, CHUNK, work, |i, part| {
            let mut answer = [0.0];
            for (row, leaf) in (i * CHUNK..).zip(part).filter(|(_, leaf)| **leaf == NOWHERE) {
                tree.respond(features, row, &mut answer);
                *leaf = answer[0] as u32;
            }
        });
    }

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
