//! Trees of all classes that vote: AdaBoost.M1 (Freund and Schapire 1997, A decision-theoretic generalization of on-line
//! learning, fig. 2) and SAMME (Zhu, Zou, Rosset, Hastie 2009, Algorithm 2; the comparison of the GAMBLE thesis, ch. 5).
//!
//! A round fits a classification tree to the weighted rows, each leaf answering its weightiest class; with e its weighted
//! error, the vote is alpha = ln((1 - e) / e), and rows it got wrong gain e^alpha. SAMME adds ln(K - 1), which is all the
//! difference: its trees are worth something if they beat guessing one of K classes, those of M1 must be right more often
//! than wrong, which many classes make hard. Training ends, and says so, at the first tree that is worth nothing. Trees are
//! grown best first by the weighted Gini index, which is the squared error of the class indicator: the trees of GAMBLE.
//!
//! A leaf gives its vote, times K - 1, to the score of its answer and nothing to the others. Less their mean, which is the
//! same for all rows, the scores are those of the loss, F = (K-1)^2 / K sum of alpha y (y the code of the answer); a
//! mean changes neither answers nor probabilities. For M1 they are scaled alike.
//!
//! Deviation: a tree without a mistake would have an infinite vote. It gets that of an error of one in a million, again
//! until all rows are right; then training ends.

use super::engine::REGION_PARAMETERS;
use super::engine::regions::{RegionBooster, RegionRule};
use crate::booster::{Booster, Problem, draw};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::Result;
use crate::learner::regression::{CRITERION, Grown, LEAVES, Targets};
use crate::loss::MultiExponential;
use crate::math::ln;
use crate::model::{Link, argmax};
use crate::registry::{Algorithm, BINS, Method};

/// AdaBoost.M1's entry in the registry.
pub const M1: Algorithm = Algorithm {
    name: "adaboost-m1",
    summary: "AdaBoost with trees of all classes, each right more often than wrong",
    paper: "Freund, Schapire 1997, A decision-theoretic generalization of on-line learning, AdaBoost.M1",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump"],
    learner_parameters: REGION_PARAMETERS,
    own_parameters: &[CRITERION],
    method: Method::Rounds(|problem| {
        booster(problem, 0.5, "AdaBoost.M1 needs less than half and ended there (samme asks less)")
    }),
};

/// SAMME's entry in the registry.
pub const SAMME: Algorithm = Algorithm {
    name: "samme",
    summary: "AdaBoost for many classes: one classification tree a round that votes",
    paper: "Zhu, Zou, Rosset, Hastie 2009, Multi-class AdaBoost, Algorithm 2 (discrete)",
    learners: &["tree"],
    learner_parameters: &[&[LEAVES, BINS], draw::PARTS],
    method: Method::Rounds(|problem| {
        let classes = problem.data.class_count() as f64;
        booster(problem, (classes - 1.0) / classes, "guessing does no worse, and training ended there")
    }),
    ..M1
};

/// The error of a tree without a mistake.
const LEAST_ERROR: f64 = 1e-6;

struct Votes<'a> {
    data: &'a Dataset,
    loss: MultiExponential<'a>,
    weights: Vec<f64>,
    /// The error at which a tree is worth nothing.
    worthless: f64,
    /// The error that ended training, and what is wrong with it.
    too_wrong: Option<f64>,
    complaint: &'static str,
}

fn booster<'a>(problem: &Problem<'a>, worthless: f64, complaint: &'static str) -> Result<Box<dyn Booster + 'a>> {
    let data = problem.data;
    let loss = MultiExponential::new(data);
    let votes = Votes { data, loss, weights: Vec::new(), worthless, too_wrong: None, complaint };
    Ok(Box::new(RegionBooster::new(problem, votes)?))
}

impl RegionRule for Votes<'_> {
    fn start(&self) -> Vec<f64> {
        vec![0.0; self.data.class_count()]
    }

    fn link(&self) -> &'static str {
        Link::MULTI_EXPONENTIAL
    }

    fn weigh(&mut self, scores: &[f64], _: usize, context: &Context) -> f64 {
        // Every row got as many votes as the first.
        let classes = self.data.class_count();
        let mean = scores.iter().take(classes).sum::<f64>() / classes as f64;
        self.loss.weigh(scores, mean, &mut self.weights, context)
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
        // The weight off the answer, summed itself: the rest of a sum near one would lose a small error.
        let leaves = output.chunks_exact(classes).zip(&answers);
        let wrong = leaves.flat_map(|(leaf, answer)| leaf.iter().enumerate().filter(move |(k, _)| k != answer));
        let error = wrong.map(|(_, weight)| weight).sum::<f64>() / total;
        if error <= 0.0 && all_right(scores, self.data) {
            return None;
        }
        // A vote as small as rounding would go on for ever.
        if error >= self.worthless - 1e-12 {
            self.too_wrong = Some(error);
            return None;
        }
        let counted = error.max(LEAST_ERROR);
        let vote = ln((1.0 - counted) / counted) + ln(self.worthless / (1.0 - self.worthless));
        output.fill(0.0);
        for (leaf, answer) in output.chunks_exact_mut(classes).zip(&answers) {
            leaf[*answer] = vote * (classes as f64 - 1.0);
        }
        Some((output, 1.0 - error / self.worthless))
    }

    fn notes(&self) -> Vec<String> {
        let words = |error: f64| {
            format!("the last tree was wrong on {:.1} % of the weight; {}", 100.0 * error, self.complaint)
        };
        self.too_wrong.map(words).into_iter().collect()
    }
}

/// Whether every row's own class has the largest score.
fn all_right(scores: &[f64], data: &Dataset) -> bool {
    let rows = scores.chunks_exact(data.class_count()).zip(&data.labels);
    rows.into_iter().all(|(scores, label)| argmax(scores) == *label as usize)
}
