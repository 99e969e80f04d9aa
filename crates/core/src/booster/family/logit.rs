//! LogitBoost (Friedman, Hastie, Tibshirani 2000, Additive logistic regression): Algorithm 3 for two classes, Algorithm 6
//! for more.
//!
//! Newton steps on the log loss: a regression tree is fitted to the working response z = (y* - p) / (p (1 - p)) with
//! weights p (1 - p). Two classes: one tree f, F += f / 2, p = 1 / (1 + e^-2F). K classes: a round of the paper is K
//! trees, one a class, all at the same scores; here each is a term, so `--rounds` counts trees, and the tree of class k
//! adds (K-1)/K (f - f/K) to its own class and -(K-1)/K f/K to the others, whose sum over the K trees is the paper's step.
//!
//! z is capped at +-4, as the paper advises.

use super::engine::VECTOR_PARAMETERS;
use super::engine::regions::{RegionBooster, RegionRule};
use crate::context::Context;
use crate::data::Dataset;
use crate::learner::regression::{Grown, Targets};
use crate::loss::Softmax;
use crate::model::Link;
use crate::registry::{Algorithm, Method};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "logitboost",
    summary: "Newton steps on the log loss, one tree a class in turn",
    paper: "Friedman, Hastie, Tibshirani 2000, Additive logistic regression, Algorithms 3 (two classes) and 6",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump"],
    learner_parameters: VECTOR_PARAMETERS,
    own_parameters: &[],
    method: Method::Rounds(|problem| Ok(Box::new(RegionBooster::new(problem, Logit::new(problem.data))?))),
};

/// Largest working response (the paper: between 2 and 4).
const LARGEST_RESPONSE: f64 = 4.0;
/// Smallest weight, before that of the row.
const LEAST_WEIGHT: f64 = 1e-12;

struct Logit<'a> {
    data: &'a Dataset,
    loss: Softmax<'a>,
    probabilities: Vec<f64>,
    /// Those at the start of the paper's round.
    at_start: Vec<f64>,
    /// z and weights of the class whose turn it is.
    responses: Vec<f64>,
    weights: Vec<f64>,
    class: usize,
}

impl<'a> Logit<'a> {
    fn new(data: &'a Dataset) -> Self {
        Logit {
            data,
            loss: Softmax::new(data),
            probabilities: Vec::new(),
            at_start: Vec::new(),
            responses: Vec::new(),
            weights: Vec::new(),
            class: 0,
        }
    }

    /// Trees in a round of the paper.
    fn turns(&self) -> usize {
        match self.data.class_count() {
            2 => 1,
            many => many,
        }
    }
}

impl RegionRule for Logit<'_> {
    /// A class without rows starts with the logarithm of next to nothing; all others from zero, as published.
    fn start(&self) -> Vec<f64> {
        super::engine::start(self.data)
    }

    fn link(&self) -> &'static str {
        Link::SOFTMAX
    }

    fn takes_turns(&self) -> bool {
        self.turns() > 1
    }

    fn weigh(&mut self, scores: &[f64], trees: usize, context: &Context) -> f64 {
        let loss = self.loss.weigh(scores, &mut self.probabilities, context);
        let turns = self.turns();
        if trees.is_multiple_of(turns) {
            self.at_start.clone_from(&self.probabilities);
        }
        // With two classes the tree is that of class 1.
        self.class = if turns == 1 { 1 } else { trees % turns };
        self.responses.clear();
        self.weights.clear();
        let rows = self.at_start.chunks_exact(self.data.class_count()).zip(&self.data.labels).zip(&self.data.weights);
        for ((p, label), weight) in rows {
            let p = p[self.class];
            let (slope, curvature) = (f64::from(u8::from(*label as usize == self.class)) - p, p * (1.0 - p));
            let response = if curvature > 0.0 { slope / curvature } else { slope * LARGEST_RESPONSE };
            self.responses.push(response.clamp(-LARGEST_RESPONSE, LARGEST_RESPONSE));
            self.weights.push(weight * curvature.max(LEAST_WEIGHT));
        }
        loss
    }

    fn targets(&self) -> Targets<'_> {
        Targets::Vectors { values: &self.responses, outputs: 1, weights: &self.weights }
    }

    fn leaves(&mut self, grown: &Grown, _: &[f64], _: &Context) -> Option<(Vec<f64>, f64)> {
        let classes = self.data.class_count();
        let k = classes as f64;
        let means = grown.means(&self.responses, 1, &self.weights);
        let mut output = Vec::with_capacity(means.len() * classes);
        for f in means {
            let f = if f.is_finite() { f } else { 0.0 };
            let (own, other) = if classes == 2 {
                (f / 2.0, -f / 2.0)
            } else {
                ((k - 1.0) / k * (f - f / k), -(k - 1.0) / k * f / k)
            };
            output.extend((0..classes).map(|class| if class == self.class { own } else { other }));
        }
        // The share of the weighted squared responses that the tree explains.
        let explained: f64 = explained(grown, &self.responses, &self.weights);
        Some((output, explained))
    }
}

fn explained(grown: &Grown, responses: &[f64], weights: &[f64]) -> f64 {
    let mut sums = vec![(0.0, 0.0); grown.leaves];
    let mut all = 0.0;
    for ((leaf, z), w) in grown.leaf_of.iter().zip(responses).zip(weights) {
        let (weight, sum) = &mut sums[*leaf as usize];
        *weight += w;
        *sum += w * z;
        all += w * z * z;
    }
    let by_leaves: f64 = sums.iter().filter(|(w, _)| *w > 0.0).map(|(w, s)| s * s / w).sum();
    if all > 0.0 { by_leaves / all } else { 0.0 }
}
