//! Weak learners: what a round adds.
//!
//! A learner for the coupled loss implements [`CoupledLearner`]; to add one: a new file or folder here, and one arm
//! in [`coupled_learner`].

pub mod direction;
pub(crate) mod leading;
pub(crate) mod quick;
pub mod random_tree;
pub mod regression;
pub mod similarity;
pub mod tree;

use crate::booster::Problem;
use crate::booster::draw::Draw;
use crate::context::Context;
use crate::error::Result;
use crate::loss::{CoupledLoss, RoundWeights, Step};
use crate::model::{Supports, Term, WeakModel};
pub use quick::Work;

/// A round as a learner sees it: the loss, its derivatives at the current scores, and the scores.
pub struct Round<'a> {
    /// The loss.
    pub loss: &'a CoupledLoss,
    /// Its derivatives.
    pub weights: &'a RoundWeights,
    /// `[row][class]`.
    pub scores: &'a [f64],
    /// Threads.
    pub context: &'a Context,
}

impl Round<'_> {
    /// The best output vector for a response to every row.
    pub fn step(&self, response: &[f64]) -> Step {
        self.loss.step(self.weights, self.scores, response, self.context)
    }
}

/// A learner, its response to every training row, and the best output vector for it.
pub struct Found {
    /// The learner.
    pub model: WeakModel,
    /// In [-1, 1], one a row.
    pub response: Vec<f64>,
    /// Output vector and what it achieves.
    pub step: Step,
}

/// Finds binary responses that reduce a coupled loss.
pub trait CoupledLearner {
    /// The best learner it can find, or `None` if there is none at all.
    fn fit(&mut self, round: &Round<'_>) -> Result<Option<Found>>;

    /// Labels and weights to train on, where they are not those of the data.
    fn training_rows(&self) -> Option<(Vec<u32>, Vec<f64>)> {
        None
    }

    /// What all searches so far added up, where that is counted.
    fn work(&self) -> Option<Work> {
        None
    }

    /// Things worth knowing, in plain words.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// So many learners were found already: random streams go on from there.
    fn skip(&mut self, _rounds: usize) {}

    /// The training rows these terms compare with.
    fn supports(&self, _terms: &[Term]) -> Option<Supports> {
        None
    }

    /// Goes on from a checkpoint with these supports.
    fn restore(&mut self, _supports: &Supports) -> Result<()> {
        Ok(())
    }
}

/// The learner the settings name.
pub fn coupled_learner<'a>(problem: &Problem<'a>) -> Result<Box<dyn CoupledLearner + 'a>> {
    if problem.settings.word("learner")? == "similarity" {
        return Ok(Box::new(similarity::SimilarityLearner::new(problem)?));
    }
    let pruning = tree::Pruning::named(problem.settings.word(tree::PRUNING.name)?);
    let trees = tree::TreeLearner::new(problem.bins, tree::depth(problem.settings)?, pruning);
    Ok(Box::new(trees.drawing(Draw::new(problem.settings)?)))
}
