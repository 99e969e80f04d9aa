//! The errors of a model after 1, 2, ... learners.

use crate::booster::{Observer, Partial, RoundInfo};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::Result;
use crate::model::{Model, argmax};
use std::time::Instant;

/// Errors of the first terms of a model: those of each round, unless rounds change what earlier ones added.
pub(super) fn by_learners(model: &Model, rows: &Dataset, context: &Context) -> Vec<f64> {
    let mut scores = model.chain.bias.repeat(rows.rows());
    let error = |term: usize| {
        model.chain.add_terms(term..term + 1, &rows.features, &mut scores, context);
        error_of(&scores, rows)
    };
    (0..model.chain.terms.len()).map(error).collect()
}

fn error_of(scores: &[f64], rows: &Dataset) -> f64 {
    let total: f64 = rows.weights.iter().sum();
    let answers = scores.chunks_exact(rows.class_count()).map(argmax).zip(&rows.labels).zip(&rows.weights);
    let wrong = answers.filter(|((answer, truth), _)| *answer != **truth as usize).map(|(_, weight)| weight);
    (wrong.sum::<f64>() + 0.0) / total
}

/// Watches a booster whose rounds change what earlier ones added: every round is another model, tried on these rows as it comes by.
pub(super) struct Stages<'a> {
    pub observer: &'a mut dyn Observer,
    pub rows: [&'a Dataset; 2],
    pub context: &'a Context,
    /// Errors after each round, by part of the rows; empty unless rounds change what earlier ones added.
    pub errors: [Vec<f64>; 2],
    /// Time taken to find them.
    pub seconds: f64,
}

impl Observer for Stages<'_> {
    fn round(&mut self, info: &RoundInfo, partial: &Partial<'_>) -> Result<()> {
        if partial.refits {
            let started = Instant::now();
            let chain = partial.model().chain;
            for (rows, errors) in self.rows.iter().zip(&mut self.errors) {
                errors.push(error_of(&chain.scores(&rows.features, self.context), rows));
            }
            self.seconds += started.elapsed().as_secs_f64();
        }
        self.observer.round(info, partial)
    }

    fn progress(&mut self, share: f64, what: &str) -> Result<()> {
        self.observer.progress(share, what)
    }

    fn checkpoint(&mut self, partial: &Partial<'_>) -> Result<()> {
        self.observer.checkpoint(partial)
    }
}
