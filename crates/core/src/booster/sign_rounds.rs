//! The learner of boosters that add one answer of +1 and -1 a round, each round on its own part of rows and features.

use super::Problem;
use super::draw::{Draw, Drawn};
use crate::context::Context;
use crate::error::Result;
use crate::learner::Work;
use crate::learner::direction::DirectionLearner;
use crate::learner::tree::{Binary, ExactStump, PRUNING, Pruning, SignLearner, depth};

enum Learner<'a> {
    Binned(Box<SignLearner<'a>>),
    Exact(ExactStump<'a>),
    Linear(DirectionLearner<'a>),
}

/// A learner and the number of the next round.
pub(crate) struct SignRounds<'a> {
    context: &'a Context,
    learner: Learner<'a>,
    features: usize,
    draw: Draw,
    round: usize,
}

impl<'a> SignRounds<'a> {
    /// Checks settings; so many two-class problems take turns.
    pub fn new(problem: &Problem<'a>, problems: usize) -> Result<Self> {
        Ok(SignRounds {
            context: problem.context,
            learner: match problem.settings.learner() {
                "linear" => Learner::Linear(DirectionLearner::new(problem)?),
                "exact-stump" => Learner::Exact(ExactStump::new(&problem.data.features, problem.context)),
                _ => {
                    let pruning = Pruning::named(problem.settings.word(PRUNING.name)?);
                    let trees = SignLearner::new(problem.bins, depth(problem.settings)?, pruning, problems);
                    Learner::Binned(Box::new(trees))
                }
            },
            features: problem.data.features.columns.len(),
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

    /// What all searches so far did, if that is counted.
    pub fn work(&self) -> Option<Work> {
        match &self.learner {
            Learner::Binned(learner) => Some(learner.work()),
            Learner::Exact(_) | Learner::Linear(_) => None,
        }
    }

    /// The next round's learner for the signed weights of a problem, one a row.
    pub fn fit(&mut self, problem: usize, signed: &[f64]) -> Binary {
        let round = self.round;
        let drawn = match self.draw.draws() {
            true => {
                let weights: Vec<f64> = signed.iter().map(|yw| yw.abs()).collect();
                self.draw.draw(round, &weights, self.features, self.context)
            }
            false => Drawn::default(),
        };
        self.round += 1;
        let (seen, allowed) = (drawn.signed(signed), drawn.features.as_deref());
        match &mut self.learner {
            Learner::Binned(learner) => learner.fit(problem, &seen, allowed, self.context),
            Learner::Exact(learner) => learner.fit(&seen, allowed, self.context),
            Learner::Linear(learner) => learner.fit(round, &seen, allowed, self.context),
        }
    }
}
