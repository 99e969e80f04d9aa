//! Trees for the coupled loss (thesis 4.4): the root minimises the loss over response and output vector jointly;
//! each deeper layer keeps the vector, re-chooses the sides of rows, then re-optimises the vector. The homogeneous
//! stump, one answer for all rows, is taken where it reduces the loss more.

use super::{FixedRows, FixedVectors, LeafSearch, Pruning, RootCriterion, TreeGrower};
use crate::binning::BinnedDataset;
use crate::error::Result;
use crate::learner::{CoupledLearner, Found, Round, Work};
use crate::model::WeakModel;
use crate::settings::Settings;

/// Depth of the trees the settings ask for.
pub fn depth(settings: &Settings) -> Result<usize> {
    Ok(if settings.word("learner")?.ends_with("stump") { 1 } else { settings.integer("depth")? })
}

/// Grows one tree a round.
pub struct TreeLearner<'a> {
    bins: &'a BinnedDataset,
    depth: usize,
    search: LeafSearch<'a>,
    // Scratch, reused from round to round.
    vectors: Vec<i32>,
    rows: Vec<i32>,
    delta: Vec<f64>,
}

impl<'a> TreeLearner<'a> {
    /// Trees of this depth on these bins.
    pub fn new(bins: &'a BinnedDataset, depth: usize, pruning: Pruning) -> Self {
        let search = LeafSearch::new(bins, pruning);
        TreeLearner { bins, depth, search, vectors: Vec::new(), rows: Vec::new(), delta: Vec::new() }
    }

    /// One more layer for the output vector of the present one.
    fn deepen(&mut self, tree: &mut TreeGrower<'_>, round: &Round<'_>, output: &[f64]) {
        self.delta.resize(self.bins.rows, 0.0);
        round.loss.sides(round.weights, round.scores, output, &mut self.delta, round.context);
        // +1 costs delta more than -1: the tree should answer +1 where delta is negative.
        self.delta.iter_mut().for_each(|d| *d = -*d);
        let fixed = FixedRows::new(&self.delta, std::mem::take(&mut self.rows), round.context);
        self.search.reweighted(0);
        tree.deepen(&fixed, &mut self.search, round.context);
        self.rows = fixed.values;
    }
}

impl CoupledLearner for TreeLearner<'_> {
    fn work(&self) -> Option<Work> {
        Some(self.search.work)
    }

    fn fit(&mut self, round: &Round<'_>) -> Result<Option<Found>> {
        let scratch = std::mem::take(&mut self.vectors);
        let weights = round.weights;
        let vectors =
            FixedVectors::new(&weights.slopes, &weights.magnitudes, &weights.totals, scratch, round.context);
        let criterion = if round.loss.surrogate().is_exponential() {
            RootCriterion::Exponential
        } else {
            RootCriterion::SecondOrder
        };
        let mut tree = TreeGrower::new(self.bins);
        let try_homogeneous = tree.split_root(&vectors, criterion, &mut self.search, round.context);
        self.vectors = vectors.values;
        let mut response = vec![0.0; self.bins.rows];
        tree.responses(&mut response);
        let mut step = round.step(&response);
        let mut answers = vec![0.0; self.bins.rows];
        for _ in 1..self.depth {
            let mut deeper = tree.clone();
            self.deepen(&mut deeper, round, &step.output);
            deeper.responses(&mut answers);
            let deeper_step = round.step(&answers);
            // With exact arithmetic a layer never raises the loss (4.4); rounding may, and then it is taken back.
            if deeper_step.loss >= step.loss {
                break;
            }
            std::mem::swap(&mut response, &mut answers);
            (tree, step) = (deeper, deeper_step);
        }
        if try_homogeneous {
            answers.fill(1.0);
            let homogeneous = round.step(&answers);
            if homogeneous.loss < step.loss {
                (tree, response, step) = (TreeGrower::new(self.bins), answers, homogeneous);
            }
        }
        Ok(Some(Found { model: WeakModel::Tree(tree.finish()), response, step }))
    }
}
