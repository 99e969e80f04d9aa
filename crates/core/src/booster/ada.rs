//! AdaBoost for two classes (thesis 2.2; Freund and Schapire 1997), written from its own equations and not as a
//! case of REBEL: the two check each other (thesis 7.3).
//!
//! Weights w_n = exp(-y_n h(x_n)); a learner's error is its share of the weight (eq. 2.11); its vote is
//! alpha = ln((1 - e) / e) / 2 (eq. 2.12); the loss shrinks by 2 sqrt(e (1 - e)). Class 1 scores +h, class 0 -h.
//!
//! Deviations: smoothing of the vote, as in REBEL (`--smoothing 0` = as published).

use super::draw;
use super::rebel::{BIAS, SMOOTHING, STOP_LOSS, smoothing};
use super::sign_rounds::SignRounds;
use super::{Booster, NextTerm, Problem};
use crate::error::{Error, Result};
use crate::learner::tree::Binary;
use crate::learner::{Work, direction};
use crate::math::{exp, exp_all, ln};
use crate::model::Term;
use crate::registry::{Algorithm, Method, SIGN_TREE_PARAMETERS};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "adaboost",
    summary: "the original, for two classes",
    paper: "Freund and Schapire 1997; Appel 2017, thesis 2.2",
    most_classes: Some(2),
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump", "exact-stump", "linear"],
    learner_parameters: &[SIGN_TREE_PARAMETERS, direction::PARAMETERS, draw::PARAMETERS],
    own_parameters: &[SMOOTHING, BIAS, STOP_LOSS],
    method: Method::Rounds(|problem| Ok(Box::new(AdaBoost::new(problem)?))),
};

/// Largest vote: without smoothing, a perfect learner would ask for infinity.
const LARGEST_VOTE: f64 = 14.0;

/// alpha = ln((1 - e) / e) / 2 (eq. 2.12), with this much added to both shares of the weight.
pub(super) fn vote(error: f64, smoothing: f64) -> f64 {
    match (error + smoothing, 1.0 - error + smoothing) {
        (0.0, _) => LARGEST_VOTE,
        (_, 0.0) => -LARGEST_VOTE,
        (wrong, right) => (0.5 * (ln(right) - ln(wrong))).clamp(-LARGEST_VOTE, LARGEST_VOTE),
    }
}

/// The booster.
pub struct AdaBoost<'a> {
    rounds: SignRounds<'a>,
    /// +1 for class 1, -1 for class 0.
    labels: Vec<f64>,
    /// Row weights that sum to one.
    weights: Vec<f64>,
    rate: f64,
    bias: bool,
    smoothing: f64,
    enough: f64,
    /// y_n w_n, and the sum of the w_n, which is the loss.
    signed: Vec<f64>,
    total: f64,
}

impl<'a> AdaBoost<'a> {
    /// Refuses more than two classes.
    pub fn new(problem: &Problem<'a>) -> Result<Self> {
        let Problem { data, settings, .. } = problem;
        if data.class_count() != 2 {
            return Err(Error::data(format!(
                "adaboost tells two classes apart and there are {}",
                data.class_count()
            ))
            .hint("use --algorithm rebel"));
        }
        let sum: f64 = data.weights.iter().sum();
        let weights: Vec<f64> = data.weights.iter().map(|w| w / sum).collect();
        let smallest = weights.iter().copied().fold(f64::INFINITY, f64::min);
        Ok(AdaBoost {
            rounds: SignRounds::new(problem, 1)?,
            labels: data.labels.iter().map(|&y| if y == 1 { 1.0 } else { -1.0 }).collect(),
            rate: settings.real("learning-rate")?,
            bias: settings.switch("bias")?,
            smoothing: smoothing(settings, &data.weights)?,
            enough: settings.real_or_auto("stop-loss")?.map_or(smallest, |x| if x == 0.0 { -1.0 } else { x }),
            weights,
            signed: Vec::new(),
            total: 0.0,
        })
    }

    /// alpha, the loss factor it achieves, and the edge 1 - 2 e.
    fn vote(&self, response: &[f64]) -> (f64, f64, f64) {
        // Without a branch, which would often be mispredicted.
        let wrong = |(yw, f): (&f64, &f64)| if yw * f < 0.0 { yw.abs() } else { 0.0 };
        let wrong: f64 = self.signed.iter().zip(response).map(wrong).sum();
        let error = wrong / self.total;
        let alpha = vote(error, self.smoothing);
        (alpha, error * exp(alpha) + (1.0 - error) * exp(-alpha), 1.0 - 2.0 * error)
    }
}

impl Booster for AdaBoost<'_> {
    /// The vote of a learner that always answers +1.
    fn start(&mut self) -> Vec<f64> {
        if !self.bias {
            return vec![0.0; 2];
        }
        let rows = self.labels.len();
        self.weigh(&vec![0.0; rows * 2]);
        let (alpha, ..) = self.vote(&vec![1.0; rows]);
        vec![-alpha, alpha]
    }

    fn weigh(&mut self, scores: &[f64]) -> f64 {
        self.total = 0.0;
        self.signed.clear();
        self.signed.extend(scores.chunks_exact(2).zip(&self.labels).map(|(scores, y)| -y * scores[1]));
        exp_all(&mut self.signed);
        for ((signed, y), weight) in self.signed.iter_mut().zip(&self.labels).zip(&self.weights) {
            let w = weight * *signed;
            self.total += w;
            *signed = y * w;
        }
        self.total
    }

    fn enough(&self) -> f64 {
        self.enough
    }

    fn skip(&mut self, rounds: usize) {
        self.rounds.skip(rounds);
    }

    fn work(&self) -> Option<Work> {
        self.rounds.work()
    }

    fn link(&self) -> &'static str {
        "exp"
    }

    fn next(&mut self, _scores: &[f64]) -> Result<Option<NextTerm>> {
        let Binary { learner, response } = self.rounds.fit(0, &self.signed);
        let (alpha, factor, edge) = self.vote(&response);
        if alpha == 0.0 || factor >= 1.0 {
            return Ok(None);
        }
        let output = vec![-alpha * self.rate, alpha * self.rate];
        let term = Term { learner, output };
        Ok(Some(NextTerm { term, response, edge: edge.abs() }))
    }
}
