//! What a run tells: rounds and progress while it goes on, a summary at the end.

use crate::error::Result;
use crate::learner::Work;
use crate::model::Model;
use serde::{Deserialize, Serialize};

/// Why training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// All rounds were used.
    Rounds,
    /// The loss is small enough; by default, so small that no training row can be wrong.
    LossSmallEnough,
    /// No weak learner reduces the loss any more.
    NoLearner,
    /// The last rounds hardly reduced the loss.
    Stalled,
    /// The last rounds brought no fewer mistakes on the rows held out.
    Holdout,
    /// All terms were fitted, together.
    Fitted,
    /// The time limit was reached.
    TimeLimit,
    /// Someone asked to stop.
    Interrupted,
    /// Not ended: a checkpoint.
    Running,
}

impl Stop {
    /// In plain words.
    pub fn words(self) -> &'static str {
        match self {
            Stop::Rounds => "all rounds were used",
            Stop::LossSmallEnough => "the loss is small enough",
            Stop::NoLearner => "no weak learner reduces the loss any more",
            Stop::Stalled => "the last 20 rounds hardly reduced the loss",
            Stop::Holdout => "more rounds brought no fewer mistakes on the rows held out",
            Stop::Fitted => "all its terms are fitted",
            Stop::TimeLimit => "the time limit was reached",
            Stop::Interrupted => "it was interrupted",
            Stop::Running => "it was still running",
        }
    }
}

/// What happened in a round.
#[derive(Clone, Debug, Serialize)]
pub struct RoundInfo {
    /// Number of terms so far.
    pub round: usize,
    /// Loss on the training rows.
    pub loss: f64,
    /// Weighted share of training rows whose largest score is not their class.
    pub error: f64,
    /// Edge of the round's learner (eq. 4.12).
    pub edge: f64,
    /// Mean cost on the rows held out, if there are any: the error, unless training is on costs.
    pub holdout: Option<f64>,
    /// What the search for its learner added up, with that of all rounds before, where that is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
}

/// Watches a run. Watching never changes the result.
pub trait Observer {
    /// After each round. An error ends training and is returned.
    fn round(&mut self, info: &RoundInfo, partial: &Partial<'_>) -> Result<()>;

    /// Where an algorithm without rounds has got to: a share of all its work, and what was just done.
    fn progress(&mut self, _share: f64, _what: &str) -> Result<()> {
        Ok(())
    }

    /// A moment at which an algorithm without rounds can be continued.
    fn checkpoint(&mut self, _partial: &Partial<'_>) -> Result<()> {
        Ok(())
    }
}

/// Watches nothing.
impl Observer for () {
    fn round(&mut self, _: &RoundInfo, _: &Partial<'_>) -> Result<()> {
        Ok(())
    }
}

/// The model so far, for checkpoints.
pub struct Partial<'a> {
    make: &'a dyn Fn() -> Model,
    /// Rounds asked for.
    pub rounds: usize,
    /// Whether a round changes what earlier ones added, so that the first terms of a model are not the model of an
    /// earlier round.
    pub refits: bool,
}

impl<'a> Partial<'a> {
    pub(crate) fn new(rounds: usize, make: &'a dyn Fn() -> Model) -> Self {
        Partial { make, rounds, refits: false }
    }

    /// The model so far; training can be resumed from it.
    pub fn model(&self) -> Model {
        (self.make)()
    }
}

/// A trained model and how it came about.
pub struct Trained {
    /// The model.
    pub model: Model,
    /// The run.
    pub summary: TrainingSummary,
}

/// The training rows as models saw them that were trained without them.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// Number of parts the rows were cut into; as many as rows if each was left out alone.
    pub folds: usize,
    /// The training rows that were left out of some model, rising.
    pub rows: Vec<usize>,
    /// One score for each of them and each class, `[row][class]`; the model's link turns them into probabilities.
    pub scores: Vec<f64>,
}

/// How training went.
#[derive(Clone, Debug)]
pub struct TrainingSummary {
    /// Why it ended.
    pub stopped: Stop,
    /// Loss at the end.
    pub loss: f64,
    /// Every round of this run.
    pub history: Vec<RoundInfo>,
    /// Things worth knowing, in plain words.
    pub notes: Vec<String>,
    /// What the model is expected to do on rows it has not seen, if training found that out.
    pub estimate: Option<Estimate>,
    /// Wall-clock seconds of this run, binning included.
    pub seconds: f64,
}
