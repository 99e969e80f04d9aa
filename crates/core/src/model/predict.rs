//! Scores of rows: bias, then terms in stored order, so that the sum is the same to the bit wherever it is made.

use super::{Chain, Model, WeakModel};
use crate::context::Context;
use crate::data::Features;

/// One score a row and class.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// Number of classes.
    pub classes: usize,
    /// `[row][class]`.
    pub values: Vec<f64>,
}

impl Scores {
    /// The scores of each row.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.classes.max(1))
    }

    /// The scores of one row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.classes..(row + 1) * self.classes]
    }
}

impl Model {
    /// Scores of every row.
    pub fn scores(&self, features: &Features, context: &Context) -> Scores {
        Scores { classes: self.class_count(), values: self.chain.scores(features, context) }
    }
}

impl Chain {
    /// `[row][class]`.
    pub fn scores(&self, features: &Features, context: &Context) -> Vec<f64> {
        const BLOCK: usize = 512;
        let classes = self.bias.len();
        let mut scores = self.bias.repeat(features.rows);
        let work = features.rows * (self.terms.len() + 1) * 8;
        context.map_parts(&mut scores, BLOCK * classes, work, |i, part| {
            let mut responses = [0.0; BLOCK];
            let rows = part.len() / classes;
            for term in &self.terms {
                let responses = &mut responses[..rows];
                term.learner.respond(features, i * BLOCK, responses);
                for (scores, f) in part.chunks_exact_mut(classes).zip(responses) {
                    scores.iter_mut().zip(&term.output).for_each(|(h, a)| *h += *f * a);
                }
            }
        });
        scores
    }
}

impl WeakModel {
    /// Responses to the rows from `start` on, as many as `out` holds.
    pub fn respond(&self, features: &Features, start: usize, out: &mut [f64]) {
        match self {
            WeakModel::Tree(tree) => tree.respond(features, start, out),
        }
    }
}
