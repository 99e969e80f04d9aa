//! The learner of boosters that add one tree of +1 and -1 a round, each round on its own part of rows and features.

use super::Problem;
use super::draw::Draw;
use crate::context::Context;
use crate::error::Result;
use crate::learner::tree::{Binary, SignLearner, depth};

/// A learner and the number of the next round.
pub(crate) struct SignRounds<'a> {
    context: &'a Context,
    learner: SignLearner<'a>,
    features: usize,
    draw: Draw,
    round: usize,
}

impl<'a> SignRounds<'a> {
    /// Checks settings.
    pub fn new(problem: &Problem<'a>) -> Result<Self> {
        Ok(SignRounds {
            context: problem.context,
            learner: SignLearner::new(problem.bins, depth(problem.settings)?),
            features: problem.bins.columns.len(),
            draw: Draw::new(problem.settings)?,
            round: 0,
        })
    }

    /// So many rounds have been.
    pub fn skip(&mut self, rounds: usize) {
        self.round = rounds;
    }

    /// The next round's number, from 0.
    pub fn round(&self) -> usize {
        self.round
    }

    /// The next round's tree for signed weights, one a row.
    pub fn fit(&mut self, signed: &[f64]) -> Binary {
        let weights: Vec<f64> = signed.iter().map(|yw| yw.abs()).collect();
        let drawn = self.draw.draw(self.round, &weights, self.features, self.context);
        self.round += 1;
        self.learner.fit(&drawn.signed(signed), drawn.features.as_deref(), self.context)
    }
}
