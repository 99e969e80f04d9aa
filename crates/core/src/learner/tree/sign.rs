//! Trees for a two-class problem with signed weights y_n w_n: the learner of AdaBoost, of its reductions to many two-class
//! problems, and of RankBoost. The tree answers +1 where it finds positive weight; one answer for all rows is taken where
//! no tree does better.

use super::{FixedRows, LeafSearch, Pruning, TreeGrower};
use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::learner::Work;
use crate::model::WeakModel;

/// Grows one tree a round.
pub struct SignLearner<'a> {
    bins: &'a BinnedDataset,
    depth: usize,
    search: LeafSearch<'a>,
    // Scratch, reused from round to round.
    fixed: Vec<i32>,
}

/// A learner that answers +1 or -1, and its answer to every training row.
pub struct Binary {
    /// The tree, or whatever else was asked for.
    pub learner: WeakModel,
    /// +1 or -1, one a row.
    pub response: Vec<f64>,
}

impl<'a> SignLearner<'a> {
    /// Trees of this depth on these bins, for so many two-class problems that take turns.
    pub fn new(bins: &'a BinnedDataset, depth: usize, pruning: Pruning, problems: usize) -> Self {
        SignLearner { bins, depth, search: LeafSearch::of_trees(bins, pruning, depth, problems), fixed: Vec::new() }
    }

    /// What all searches so far did.
    pub fn work(&self) -> Work {
        self.search.work
    }

    /// The tree whose answers agree best with the signs of the weights of this problem, among the features that are allowed.
    pub fn fit(&mut self, problem: usize, signed: &[f64], allowed: Option<&[bool]>, context: &Context) -> Binary {
        let grower = || match allowed {
            Some(allowed) => TreeGrower::new(self.bins).among(allowed),
            None => TreeGrower::new(self.bins),
        };
        let mut tree = grower();
        let fixed = FixedRows::new(signed, std::mem::take(&mut self.fixed), context);
        self.search.reweighted(problem);
        let try_homogeneous = tree.split_root_by_sign(&fixed, &mut self.search, context);
        if self.depth > 1 {
            tree.deepen(&fixed, self.depth - 1, &mut self.search, context);
        }
        let mut response = vec![0.0; signed.len()];
        tree.responses(&mut response);
        self.search.answered(&fixed, &response);
        self.fixed = fixed.values;
        if try_homogeneous {
            let edge = signed.iter().zip(&response).map(|(yw, f)| yw * f).sum::<f64>();
            if signed.iter().sum::<f64>().abs() > edge.abs() {
                tree = grower();
                response.fill(1.0);
            }
        }
        Binary { learner: WeakModel::Tree(tree.finish()), response }
    }
}
