//! SAMME: stagewise additive modelling with the multi-class exponential loss, discrete (Zhu, Zou, Rosset, Hastie 2009,
//! Algorithm 2; the comparison of the GAMBLE thesis, ch. 5).
//!
//! A round fits a classification tree to the weighted rows, each leaf answering its weightiest class; with e its weighted
//! error, the vote is alpha = ln((1 - e) / e) + ln(K - 1), and rows it got wrong gain e^alpha. Trees are grown best
//! first by the weighted Gini index, which is the squared error of the class indicator: the trees of GAMBLE.
//!
//! Scores are those of the loss, F = (K-1)^2 / K sum of alpha y (y the code of the answer), so that they sum to zero and
//! have the loss's link. A constant factor changes no answer.
//!
//! Deviation: a tree without a mistake would have an infinite vote. It gets that of an error of one in a million, again
//! until all rows are right; then training ends.

use super::draw::{self, Draw};
use super::{Booster, NextTerm, Problem};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::Result;
use crate::learner::regression::{CRITERION, Criterion, LEAVES, RegionGrower, Targets};
use crate::loss::MultiExponential;
use crate::math::ln;
use crate::model::{Link, Term, WeakModel, argmax};
use crate::registry::{Algorithm, BINS, Method};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "samme",
    summary: "AdaBoost for many classes: one classification tree a round that votes",
    paper: "Zhu, Zou, Rosset, Hastie 2009, Multi-class AdaBoost, Algorithm 2 (discrete)",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree"],
    learner_parameters: &[&[LEAVES, BINS], draw::PARTS],
    own_parameters: &[CRITERION],
    method: Method::Rounds(|problem| Ok(Box::new(Samme::new(problem)?))),
};

/// The error of a tree without a mistake.
const LEAST_ERROR: f64 = 1e-6;

/// The booster.
pub struct Samme<'a> {
    data: &'a Dataset,
    context: &'a Context,
    loss: MultiExponential<'a>,
    grower: RegionGrower<'a>,
    features: usize,
    draw: Draw,
    round: usize,
    rate: f64,
    weights: Vec<f64>,
}

impl<'a> Samme<'a> {
    /// Checks settings.
    pub fn new(problem: &Problem<'a>) -> Result<Self> {
        let Problem { data, bins, settings, context, .. } = problem;
        Ok(Samme {
            data,
            context,
            loss: MultiExponential::new(data),
            grower: RegionGrower::new(bins, settings.integer("leaves")?)
                .by(Criterion::named(settings.word(CRITERION.name)?)),
            features: bins.columns.len(),
            draw: Draw::new(settings)?,
            round: 0,
            rate: settings.real("learning-rate")?,
            weights: Vec::new(),
        })
    }

    fn all_right(&self, scores: &[f64]) -> bool {
        let rows = scores.chunks_exact(self.data.class_count()).zip(&self.data.labels);
        rows.into_iter().all(|(scores, label)| argmax(scores) == *label as usize)
    }
}

impl Booster for Samme<'_> {
    fn start(&mut self) -> Vec<f64> {
        vec![0.0; self.data.class_count()]
    }

    fn weigh(&mut self, scores: &[f64]) -> f64 {
        self.loss.weigh(scores, &mut self.weights, self.context)
    }

    /// Never: margins go on growing, and only the ratios of weights count.
    fn enough(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn link(&self) -> &'static str {
        Link::MULTI_EXPONENTIAL
    }

    fn skip(&mut self, rounds: usize) {
        self.round = rounds;
    }

    fn next(&mut self, scores: &[f64]) -> Result<Option<NextTerm>> {
        let (labels, classes, weights) = (&self.data.labels, self.data.class_count(), &self.weights);
        let drawn = self.draw.draw(self.round, weights, self.features, self.context);
        self.round += 1;
        let targets = Targets::Classes { labels, classes, weights };
        let grown = drawn.grow(&mut self.grower, targets, None, &self.data.features, self.context);
        let mut output = grown.class_weights(labels, classes, weights);
        let answers: Vec<usize> = output.chunks_exact(classes).map(argmax).collect();
        let total: f64 = output.iter().sum();
        // The weight off the answer, summed itself: the rest of a sum near one would lose a small error.
        let leaves = output.chunks_exact(classes).zip(&answers);
        let wrong = leaves.flat_map(|(leaf, answer)| leaf.iter().enumerate().filter(move |(k, _)| k != answer));
        let error = wrong.map(|(_, weight)| weight).sum::<f64>() / total;
        if error <= 0.0 && self.all_right(scores) {
            return Ok(None);
        }
        let k = classes as f64;
        let counted = error.max(LEAST_ERROR);
        let vote = ln((1.0 - counted) / counted) + ln(k - 1.0);
        // Not better than guessing; a vote as small as rounding would go on for ever.
        if vote <= 1e-12 {
            return Ok(None);
        }
        let scale = vote * (k - 1.0) * self.rate;
        for (leaf, answer) in output.chunks_exact_mut(classes).zip(&answers) {
            leaf.fill(-scale / k);
            leaf[*answer] = scale * (k - 1.0) / k;
        }
        let response = grown.responses();
        let term = Term { learner: WeakModel::Regions(grown.tree), output };
        Ok(Some(NextTerm { term, response, edge: 1.0 - error * k / (k - 1.0) }))
    }
}
