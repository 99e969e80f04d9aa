//! Boosters: algorithms that turn scores into the next term of a model.

pub mod ada;
pub mod auto;
mod checkpoint;
pub mod discriminant;
pub mod draw;
pub mod family;
pub mod forest;
pub mod gamble;
mod holdout;
pub mod logistic;
pub mod metacost;
pub mod network;
mod observe;
pub mod pairs;
mod prepared;
pub mod rebel;
mod round;
pub(crate) mod sample;
mod sign_rounds;
pub mod softmax_trees;
mod standing;
mod train;
mod whole;

pub(crate) use checkpoint::{continued, fingerprint};
pub use observe::{Estimate, Observer, Partial, RoundInfo, Stop, Trained, TrainingSummary};
pub use prepared::Prepared;
pub(crate) use train::train_prepared;
pub use train::{resume, train};

use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::data::{CostMatrix, Dataset};
use crate::error::Result;
use crate::learner::Work;
use crate::model::{Chain, Model, Part, Supports, Term};
use crate::settings::Settings;

/// What a booster is built from.
pub struct Problem<'a> {
    /// Rows to learn from.
    pub data: &'a Dataset,
    /// The same rows, binned.
    pub bins: &'a BinnedDataset,
    /// What other trainings on the same rows may have made of them already.
    pub prepared: &'a Prepared,
    /// Costs to train on; uniform if the user gave none or wants them used in the decision only.
    pub costs: &'a CostMatrix,
    /// Checked settings.
    pub settings: &'a Settings,
    /// Threads and random streams.
    pub context: &'a Context,
}

/// What an algorithm hands back.
pub struct Outcome {
    /// The model's terms.
    pub chain: Chain,
    /// The members of a stacked model.
    pub parts: Vec<Part>,
    /// Name of the link that turns scores into probabilities; `None` if they are not about probabilities.
    pub link: Option<&'static str>,
    /// Why it ended.
    pub stopped: Stop,
    /// Loss at the end; without rounds, on rows as if they had not been trained on.
    pub loss: f64,
    /// Every round of this run.
    pub history: Vec<RoundInfo>,
    /// What the model is expected to do on rows it has not seen.
    pub estimate: Option<Estimate>,
    /// Things worth knowing, in plain words.
    pub notes: Vec<String>,
}

/// Who watches a run, and what there is to know of the model before it has terms.
pub struct Watched<'a> {
    /// Is told.
    pub observer: &'a mut dyn Observer,
    /// The model without terms.
    pub template: &'a Model,
}

/// A learner with its response to every training row, as the loop needs it.
pub struct NextTerm {
    /// The term to add.
    pub term: Term,
    /// Response of its learner to every training row; the number of the leaf for a region tree.
    pub response: Vec<f64>,
    /// How far the learner is from guessing (eq. 4.12).
    pub edge: f64,
}

/// Turns the current scores into the next term. The loop owns rounds, limits, scores and history; a booster owns
/// its loss and its learner and keeps no state that the scores do not determine, so that a run can be resumed from
/// a model.
pub trait Booster {
    /// Scores before the first term, one a class.
    fn start(&mut self) -> Vec<f64>;
    /// Weighs the rows at these scores (`[row][class]`) and returns the loss.
    fn weigh(&mut self, scores: &[f64]) -> f64;
    /// A loss at or below this leaves nothing to gain.
    fn enough(&self) -> f64;
    /// The next term for the rows as last weighed, or `None` if no learner reduces the loss.
    fn next(&mut self, scores: &[f64]) -> Result<Option<NextTerm>>;
    /// Name of the link that turns its scores into probabilities.
    fn link(&self) -> &'static str;
    /// Whether its scores are about probabilities at all.
    fn has_link(&self) -> bool {
        true
    }
    /// Whether many rounds that hardly reduce the loss end training.
    fn gives_up(&self) -> bool {
        false
    }
    /// Things worth knowing, in plain words; asked for when training has ended.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
    /// What all searches so far added up, where that is counted.
    fn work(&self) -> Option<Work> {
        None
    }
    /// Whether it needs to see every term go by ([`added`](Self::added)), since scores alone do not determine its state:
    /// a checkpoint is then replayed term by term.
    fn follows(&self) -> bool {
        false
    }
    /// This term was added to the scores; these were its responses.
    fn added(&mut self, _term: &Term, _response: &[f64]) {}
    /// Whether a round changes what earlier ones added: it fits the outputs of all terms again (totally corrective
    /// boosting), or gathers them.
    fn refits(&self) -> bool {
        false
    }
    /// The last term was added: fits the outputs of all terms again, or not, and returns the new scores of the training rows.
    /// What it does follows from the terms, their outputs and what [`next`](Self::next) found before the last.
    fn refit(&mut self, _bias: &[f64], _terms: &mut [Term]) -> Option<Vec<f64>> {
        None
    }
    /// The terms of the model that these, one a round, make up, where they are others.
    fn gathered(&self, _terms: &[Term]) -> Option<Vec<Term>> {
        None
    }
    /// The terms that were gathered into those of a checkpoint, one a round.
    fn taken_apart(&self, terms: Vec<Term>) -> Result<Vec<Term>> {
        Ok(terms)
    }
    /// So many terms exist already: random streams go on from there.
    fn skip(&mut self, _rounds: usize) {}
    /// Whether terms depend on the number of rounds asked for, so that a checkpoint cannot go on to another.
    fn fixes_rounds(&self) -> bool {
        false
    }
    /// The training rows these terms compare with.
    fn supports(&self, _terms: &[Term]) -> Option<Supports> {
        None
    }
    /// Goes on from a checkpoint with these supports.
    fn restore(&mut self, _supports: &Supports) -> Result<()> {
        Ok(())
    }
}
