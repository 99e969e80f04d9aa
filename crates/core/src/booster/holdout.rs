//! Choosing the number of rounds on rows held out of training (`--holdout`, `--patience`), for every booster.
//!
//! The rows are a random part with every class shared out evenly; which, follows from the seed. After each round the
//! mean cost of the answers to them is taken (the error, unless training is on costs). Training ends when so many rounds
//! have not lowered it, and the model is cut back to the first round that had the lowest.
//!
//! Resuming is exact: a checkpoint holds all terms so far, so the costs are computed again. A finished model was cut
//! back; going on from it repeats the rounds that were cut off and ends where the first run did.

use crate::context::Context;
use crate::data::{CostMatrix, Dataset, stratified_split};
use crate::error::{Error, Result};
use crate::model::{Chain, argmax};
use crate::settings::Settings;

/// The rows of a run.
pub(super) struct Parts {
    /// To learn from.
    pub train: Dataset,
    /// To choose the number of rounds by.
    pub held: Dataset,
}

impl Parts {
    /// The parts the settings ask for, if they ask for any.
    pub fn new(data: &Dataset, settings: &Settings, context: &Context) -> Result<Option<Self>> {
        let share = settings.real("holdout")?;
        if share == 0.0 {
            return Ok(None);
        }
        let stream = &mut context.stream("holdout");
        let part_of = stratified_split(&data.labels, data.class_count(), &[1.0 - share, share], stream);
        let rows = |part: u32| (0..data.rows()).filter(|&row| part_of[row] == part).collect::<Vec<_>>();
        let (train, held) = (rows(0), rows(1));
        if train.is_empty() || held.is_empty() {
            return Err(Error::option(format!("--holdout {share} leaves nothing of {} rows", data.rows()))
                .hint("give more rows, or --holdout 0"));
        }
        Ok(Some(Parts { train: data.select(&train), held: data.select(&held) }))
    }
}

/// Follows the rows held out.
pub(super) struct Watch<'a> {
    data: &'a Dataset,
    costs: &'a CostMatrix,
    context: &'a Context,
    scores: Vec<f64>,
    rounds: usize,
    best: Option<(f64, usize)>,
}

impl<'a> Watch<'a> {
    pub fn new(data: &'a Dataset, costs: &'a CostMatrix, bias: &[f64], context: &'a Context) -> Self {
        Watch { data, costs, context, scores: bias.repeat(data.rows()), rounds: 0, best: None }
    }

    /// Adds the term at this place of a chain; the mean cost of the answers after it.
    pub fn add(&mut self, chain: &Chain, term: usize) -> f64 {
        chain.add_terms(term..term + 1, &self.data.features, &mut self.scores, self.context);
        self.judge()
    }

    /// Takes a chain for the one so far, of which a round has changed more than its last term; the mean cost of its answers.
    pub fn replace(&mut self, chain: &Chain) -> f64 {
        self.scores = chain.scores(&self.data.features, self.context);
        self.judge()
    }

    fn judge(&mut self) -> f64 {
        let answers = self.scores.chunks_exact(self.data.class_count()).map(argmax);
        let rows = answers.zip(&self.data.labels).zip(&self.data.weights);
        let sum: f64 = rows.map(|((answer, truth), weight)| weight * self.costs.get(*truth as usize, answer)).sum();
        let cost = (sum + 0.0) / self.data.weights.iter().sum::<f64>();
        self.rounds += 1;
        if self.best.is_none_or(|(least, _)| cost < least) {
            self.best = Some((cost, self.rounds));
        }
        cost
    }

    /// Whether the last `patience` rounds were all in vain.
    pub fn gives_up(&self, patience: usize) -> bool {
        self.best.is_some_and(|(_, round)| self.rounds - round >= patience)
    }

    /// Lowest mean cost and the first round that had it.
    pub fn best(&self) -> Option<(f64, usize)> {
        self.best
    }
}
