//! Forests: the mean of deep randomised trees, as terms of the one model form.
//!
//! A round adds one tree. Its leaves hold the class shares of their rows divided by the number of trees asked for, so a
//! score is the mean leaf vector: scores sum to one, an explanation is an exact sum, and the link takes scores for what they
//! are. A run that ends early has scores that sum to less; the link scales them.
//!
//! Trees do not depend on each other or on the scores: each follows from the seed and its number, so several are grown
//! ahead, one a thread, and a resumed run grows the ones that are missing.

mod random;
mod rotation;

pub use random::{ALGORITHM, out_of_bag};
pub use rotation::ALGORITHM as ROTATION_FOREST;

use super::train::TREE_ROUNDS;
use super::{Booster, NextTerm, Problem};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::model::{Link, Term, WeakModel};
use crate::settings::{Kind, Parameter};
use std::collections::VecDeque;

/// `--min-leaf`.
const MIN_LEAF: Parameter = Parameter {
    name: "min-leaf",
    kind: Kind::Integer(1, 10_000_000),
    default: "1",
    help: "rows of mean weight that each leaf of a forest has at least: more of them smooth out noise",
};

/// `--bagging`.
const BAGGING: Parameter = Parameter {
    name: "bagging",
    kind: Kind::Switch,
    default: "off",
    help: "draw rows with replacement: those that a tree of a forest is grown on, as many as there are, or those by which columns of a \
           rotation forest are turned, three quarters of them; off = take all",
};

/// Grows the trees of a forest.
trait Grow: Sync {
    /// The tree of this number, whatever was grown before.
    fn grow(&self, tree: usize) -> Grown;
    /// Elementary operations of a tree, for sharing out.
    fn work(&self) -> usize;
}

/// A tree with the class shares of its leaves.
struct Grown {
    /// Tells regions apart.
    learner: WeakModel,
    /// `[region][class]`, each summing to one.
    shares: Vec<f64>,
    /// The region of each row it was grown on.
    placed: Vec<(u32, u32)>,
}

/// The booster.
struct Forest<'a, G> {
    data: &'a Dataset,
    context: &'a Context,
    grower: G,
    trees: usize,
    /// Number of the next tree to be grown.
    next: usize,
    ahead: VecDeque<Grown>,
}

impl<'a, G: Grow> Forest<'a, G> {
    /// Checks settings.
    fn new(problem: &Problem<'a>, grower: G) -> Result<Self> {
        let Problem { data, settings, context, .. } = problem;
        if settings.real("learning-rate")? != 1.0 {
            return Err(Error::option("a forest takes no steps, so --learning-rate must be 1"));
        }
        let trees = settings.integer_or_auto("rounds")?.unwrap_or(TREE_ROUNDS);
        Ok(Forest { data, context, grower, trees, next: 0, ahead: VecDeque::new() })
    }
}

impl<G: Grow> Booster for Forest<'_, G> {
    fn start(&mut self) -> Vec<f64> {
        vec![0.0; self.data.class_count()]
    }

    /// The mean squared distance of the shares so far from the truth (Brier score).
    fn weigh(&mut self, scores: &[f64]) -> f64 {
        const CHUNK: usize = 2048;
        let (data, classes) = (self.data, self.data.class_count());
        let parts = self.context.map(data.rows().div_ceil(CHUNK), scores.len(), |i| {
            let rows = i * CHUNK..data.rows().min((i + 1) * CHUNK);
            rows.map(|row| {
                let scores = &scores[row * classes..][..classes];
                let sum: f64 = scores.iter().sum();
                let scale = if sum > 0.0 { 1.0 / sum } else { 0.0 };
                let squares: f64 = scores.iter().map(|h| (h * scale) * (h * scale)).sum();
                data.weights[row] * (1.0 + squares - 2.0 * scores[data.labels[row] as usize] * scale)
            })
            .sum::<f64>()
        });
        parts.into_iter().sum::<f64>() / data.weights.iter().sum::<f64>()
    }

    /// Never: trees are averaged, not added up.
    fn enough(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn link(&self) -> &'static str {
        Link::FREQUENCIES
    }

    fn skip(&mut self, rounds: usize) {
        self.next = rounds;
    }

    fn fixes_rounds(&self) -> bool {
        true
    }

    fn next(&mut self, _scores: &[f64]) -> Result<Option<NextTerm>> {
        if self.ahead.is_empty() {
            let count = self.context.threads().min(self.trees.saturating_sub(self.next)).max(1);
            let work = count * self.grower.work();
            self.ahead = self.context.map(count, work, |i| self.grower.grow(self.next + i)).into();
            self.next += count;
        }
        let Some(grown) = self.ahead.pop_front() else { return Ok(None) };
        let classes = self.data.class_count();
        let mut response = vec![f64::NAN; self.data.rows()];
        grown.placed.iter().for_each(|(row, region)| response[*row as usize] = f64::from(*region));
        for (row, out) in response.iter_mut().enumerate().filter(|(_, out)| out.is_nan()) {
            grown.learner.respond(&self.data.features, row, std::slice::from_mut(out));
        }
        let own = |row: usize| grown.shares[response[row] as usize * classes + self.data.labels[row] as usize];
        let edge = (0..response.len()).map(own).sum::<f64>() / response.len() as f64;
        let output = grown.shares.iter().map(|share| share / self.trees as f64).collect();
        Ok(Some(NextTerm { term: Term { learner: grown.learner, output }, response, edge }))
    }
}
