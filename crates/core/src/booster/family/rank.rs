//! RankBoost: scores that put rows in the right order (Freund, Iyer, Schapire, Singer 2003, An efficient boosting algorithm
//! for combining preferences; the EPFL lecture).
//!
//! The classes are ordered as the schema lists them (numbers by value, names by the alphabet). Every pair of rows a, b of
//! one query group with class(a) > class(b) weighs w_a w_b exp(h(b) - h(a)). The exponential makes the sum over pairs a
//! product of sums over rows, so a round is linear in the rows (their section 3.2, for any number of levels): row n has
//! the potential pi_n, the weight of its pairs as the better row less that as the worse one. A tree f in {0, 1} is chosen
//! by r = sum_n pi_n f(x_n) / Z and gets alpha = ln((1 + r) / (1 - r)) / 2 (the "third method"). Two classes without groups
//! are RankBoost.B.
//!
//! A model's score is K numbers; here class k gets h times a code from -1 (lowest class) to +1 (highest), so the score of the
//! highest class is the rank score, and for two classes the answer is the sign of h. With more classes only the order
//! means something. Deviation: smoothing of votes, as in `adaboost`.

use super::engine::start;
use crate::booster::ada::vote;
use crate::booster::draw;
use crate::booster::rebel::{SMOOTHING, smoothing};
use crate::booster::sign_rounds::SignRounds;
use crate::booster::{Booster, NextTerm, Problem};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learner::tree::Binary;
use crate::learner::{Work, direction};
use crate::math::exp;
use crate::model::{Link, Term};
use crate::registry::{Algorithm, Method, SIGN_TREE_PARAMETERS};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "rankboost",
    summary: "scores that put rows in the order of their classes, within each query group (--group)",
    paper: "Freund, Iyer, Schapire, Singer 2003, An efficient boosting algorithm for combining preferences",
    most_classes: None,
    trains_on_costs: false,
    ranks: true,
    learners: &["tree", "stump", "exact-stump", "linear"],
    learner_parameters: &[SIGN_TREE_PARAMETERS, direction::PARAMETERS, draw::PARAMETERS],
    own_parameters: &[SMOOTHING],
    method: Method::Rounds(|problem| Ok(Box::new(RankBoost::new(problem)?))),
};

/// Exponents beyond this count as this: no pair that far apart is in doubt.
const LARGEST_EXPONENT: f64 = 300.0;

struct RankBoost<'a> {
    data: &'a Dataset,
    rounds: SignRounds<'a>,
    /// Rows of each group.
    groups: Vec<Vec<u32>>,
    /// What each class gets of h.
    code: Vec<f64>,
    rate: f64,
    smoothing: f64,
    /// Sum of the pairs' weights at the start.
    pairs: f64,
    potentials: Vec<f64>,
    /// Sum of the pairs' weights.
    total: f64,
}

impl<'a> RankBoost<'a> {
    fn new(problem: &Problem<'a>) -> Result<Self> {
        let Problem { data, settings, .. } = problem;
        let classes = data.class_count();
        let count = data.groups.iter().max().map_or(1, |most| *most as usize + 1);
        let mut groups = vec![Vec::new(); count];
        for row in 0..data.rows() {
            groups[data.groups.get(row).map_or(0, |group| *group as usize)].push(row as u32);
        }
        let mut booster = RankBoost {
            data,
            rounds: SignRounds::new(problem, 1)?,
            groups,
            code: (0..classes).map(|k| 2.0 * k as f64 / (classes as f64 - 1.0).max(1.0) - 1.0).collect(),
            rate: settings.real("learning-rate")?,
            smoothing: smoothing(settings, &data.weights)?,
            pairs: 0.0,
            potentials: Vec::new(),
            total: 0.0,
        };
        booster.weigh(&vec![0.0; data.rows() * classes]);
        booster.pairs = booster.total;
        if booster.pairs <= 0.0 {
            return Err(Error::data("no query group has rows of two classes, so there is nothing to put in order")
                .hint("check --group"));
        }
        Ok(booster)
    }
}

impl Booster for RankBoost<'_> {
    fn start(&mut self) -> Vec<f64> {
        start(self.data)
    }

    fn weigh(&mut self, scores: &[f64]) -> f64 {
        let (data, classes) = (self.data, self.data.class_count());
        // h, in the place of the highest class; a class without rows starts far below.
        let place =
            (0..classes).rev().find(|&k| scores[k].abs() < 900.0 && self.code[k] != 0.0).unwrap_or(classes - 1);
        let h = |row: u32| scores[row as usize * classes + place] / self.code[place];
        let limited = |x: f64| exp(x.clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT));
        self.potentials.clear();
        self.potentials.resize(data.rows(), 0.0);
        self.total = 0.0;
        for group in &self.groups {
            let range = group
                .iter()
                .map(|&row| h(row))
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            let middle = 0.5 * (range.0 + range.1);
            // Sums of w e^h and w e^-h of each class.
            let (mut up, mut down) = (vec![0.0; classes], vec![0.0; classes]);
            for &row in group {
                let (class, weight) = (data.labels[row as usize] as usize, data.weights[row as usize]);
                up[class] += weight * limited(h(row) - middle);
                down[class] += weight * limited(middle - h(row));
            }
            // Of all lower classes, and of all higher ones.
            let mut lower = vec![0.0; classes];
            (1..classes).for_each(|k| lower[k] = lower[k - 1] + up[k - 1]);
            let mut higher = vec![0.0; classes];
            (1..classes).rev().for_each(|k| higher[k - 1] = higher[k] + down[k]);
            for &row in group {
                let (class, weight) = (data.labels[row as usize] as usize, data.weights[row as usize]);
                let better = weight * limited(middle - h(row)) * lower[class];
                let worse = weight * limited(h(row) - middle) * higher[class];
                self.potentials[row as usize] = better - worse;
                self.total += better;
            }
        }
        self.total / if self.pairs > 0.0 { self.pairs } else { self.total.max(f64::MIN_POSITIVE) }
    }

    /// Never: only the order counts, and it can be made clearer.
    fn enough(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn work(&self) -> Option<Work> {
        self.rounds.work()
    }

    fn link(&self) -> &'static str {
        Link::SOFTMAX
    }

    fn skip(&mut self, rounds: usize) {
        self.rounds.skip(rounds);
    }

    fn next(&mut self, _scores: &[f64]) -> Result<Option<NextTerm>> {
        if self.total <= 0.0 {
            return Ok(None);
        }
        let Binary { learner, response } = self.rounds.fit(0, &self.potentials);
        // Potentials sum to zero, so f in {0, 1} has half the sum of f in {-1, 1}.
        let r = 0.5 * self.potentials.iter().zip(&response).map(|(pi, f)| pi * f).sum::<f64>() / self.total;
        if r.is_nan() || r.abs() <= 1e-12 {
            return Ok(None);
        }
        let alpha = vote(0.5 * (1.0 - r.clamp(-1.0, 1.0)), self.smoothing);
        let output = self.code.iter().map(|code| 0.5 * alpha * self.rate * code).collect();
        Ok(Some(NextTerm { term: Term { learner, output }, response, edge: r.abs() }))
    }
}
