//! AdaBoost.M1: a tree of classes a round that votes with ln((1 - e) / e), e its weighted error (Freund and Schapire 1997,
//! A decision-theoretic generalization of on-line learning, fig. 2).
//!
//! Like SAMME without the term ln(K - 1), so every tree must be right more often than wrong, which many classes make hard:
//! training ends, and says so, at the first tree with e >= 1/2.
//!
//! Scores are centred as in `samme`; only their differences count. Deviation: a tree without a mistake would have an
//! infinite vote and gets that of an error of one in a million.

use super::engine::REGION_PARAMETERS;
use super::engine::regions::{RegionBooster, RegionRule};
use crate::context::Context;
use crate::data::Dataset;
use crate::learner::regression::{CRITERION, Grown, Targets};
use crate::loss::MultiExponential;
use crate::math::ln;
use crate::model::{Link, argmax};
use crate::registry::{Algorithm, Method};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "adaboost-m1",
    summary: "AdaBoost with trees of all classes, each right more often than wrong",
    paper: "Freund, Schapire 1997, A decision-theoretic generalization of on-line learning, AdaBoost.M1",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump"],
    learner_parameters: REGION_PARAMETERS,
    own_parameters: &[CRITERION],
    method: Method::Rounds(|problem| Ok(Box::new(RegionBooster::new(problem, Votes::new(problem.data))?))),
};

/// The error of a tree without a mistake.
const LEAST_ERROR: f64 = 1e-6;

struct Votes<'a> {
    data: &'a Dataset,
    loss: MultiExponential<'a>,
    weights: Vec<f64>,
    /// The error that ended training.
    too_wrong: Option<f64>,
}

impl<'a> Votes<'a> {
    fn new(data: &'a Dataset) -> Self {
        Votes { data, loss: MultiExponential::new(data), weights: Vec::new(), too_wrong: None }
    }
}

impl RegionRule for Votes<'_> {
    fn start(&self) -> Vec<f64> {
        vec![0.0; self.data.class_count()]
    }

    fn link(&self) -> &'static str {
        Link::MULTI_EXPONENTIAL
    }

    fn weigh(&mut self, scores: &[f64], _: usize, context: &Context) -> f64 {
        self.loss.weigh(scores, &mut self.weights, context)
    }

    fn targets(&self) -> Targets<'_> {
        let (labels, classes) = (&self.data.labels, self.data.class_count());
        Targets::Classes { labels, classes, weights: &self.weights }
    }

    fn leaves(&mut self, grown: &Grown, scores: &[f64], _: &Context) -> Option<(Vec<f64>, f64)> {
        let classes = self.data.class_count();
        let mut output = grown.class_weights(&self.data.labels, classes, &self.weights);
        let answers: Vec<usize> = output.chunks_exact(classes).map(argmax).collect();
        let total: f64 = output.iter().sum();
        let leaves = output.chunks_exact(classes).zip(&answers);
        let wrong = leaves.flat_map(|(leaf, answer)| leaf.iter().enumerate().filter(move |(k, _)| k != answer));
        let error = wrong.map(|(_, weight)| weight).sum::<f64>() / total;
        if error <= 0.0 && all_right(scores, self.data) {
            return None;
        }
        if error >= 0.5 - 1e-12 {
            self.too_wrong = Some(error);
            return None;
        }
        let counted = error.max(LEAST_ERROR);
        let k = classes as f64;
        let scale = ln((1.0 - counted) / counted) * (k - 1.0);
        for (leaf, answer) in output.chunks_exact_mut(classes).zip(&answers) {
            leaf.fill(-scale / k);
            leaf[*answer] = scale * (k - 1.0) / k;
        }
        Some((output, 1.0 - 2.0 * error))
    }

    fn notes(&self) -> Vec<String> {
        let words = |error: f64| {
            format!(
                "the last tree was wrong on {:.1} % of the weight; AdaBoost.M1 needs less than half and ended there (samme asks less)",
                100.0 * error
            )
        };
        self.too_wrong.map(words).into_iter().collect()
    }
}

/// Whether every row's own class has the largest score.
fn all_right(scores: &[f64], data: &Dataset) -> bool {
    let rows = scores.chunks_exact(data.class_count()).zip(&data.labels);
    rows.into_iter().all(|(scores, label)| argmax(scores) == *label as usize)
}
