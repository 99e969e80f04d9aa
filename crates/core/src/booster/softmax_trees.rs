//! Gradient boosting of the multinomial log loss with one tree a round for all classes (Friedman 2001, Algorithm 6, with
//! one tree instead of K; Newton leaves and regularised gain as in XGBoost, Chen and Guestrin 2016, eq. 6-7, summed
//! over outputs).
//!
//! With gradients g = w (p - y) and curvatures h = w p (1 - p), G and H their sums over a node, the gain of a split is that of
//! sum_k G_k^2 / (mean_k H_k + lambda), and a leaf answers -G_k / (H_k + lambda) for class k, times the learning rate.
//! Rows and features are drawn anew for every tree (Friedman 2002).
//!
//! Deviations: a step is at most four before shrinkage (Friedman, Hastie, Tibshirani 2000 do the same in LogitBoost): a
//! class of a few rows has next to no curvature where it is not expected, and an unbounded step can throw all others
//! off. Above 48 classes splits are judged by a sketch of the gradients, 32 sums of classes with random signs, fresh each
//! round: squared lengths are right on average (count sketch; SketchBoost, Iosipoi and Vakhrushev 2022, finds such
//! projections harmless), and memory does not grow with K. Leaves are exact.

use super::draw::{FEATURE_SAMPLE, ROW_SAMPLE};
use super::sample::{rising, share_of};
use super::{Booster, NextTerm, Problem};
use crate::context::Context;
use crate::data::Dataset;
use crate::data::synthetic::random::below;
use crate::error::Result;
use crate::learner::regression::{Grown, LEAVES, NOWHERE, Part, RegionGrower, Targets};
use crate::loss::Softmax;
use crate::model::{Link, Term, WeakModel};
use crate::registry::{Algorithm, BINS, DEPTH, LEARNING_RATE, Method};
use crate::settings::{Kind, Parameter};
use rand_chacha::ChaCha8Rng;

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "softmax-trees",
    summary: "gradient boosting of the log loss: one tree a round with a vector in each leaf",
    paper: "Friedman 2001, Greedy function approximation, Algorithm 6; Chen, Guestrin 2016, XGBoost, eq. 6-7",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree"],
    learner_parameters: &[&[Parameter { default: "64", ..LEAVES }, Parameter { default: "8", ..DEPTH }, BINS]],
    own_parameters: &[
        Parameter { default: "0.1", ..LEARNING_RATE },
        Parameter { default: "0.7", ..ROW_SAMPLE },
        Parameter { default: "0.4", ..FEATURE_SAMPLE },
        Parameter {
            name: "lambda",
            kind: Kind::Real(0.0, 1e6),
            default: "1",
            help: "added to the curvature of a leaf: more means smaller steps where rows are few",
        },
    ],
    method: Method::Rounds(|problem| Ok(Box::new(SoftmaxTrees::new(problem)?))),
};

/// Largest step of a class before shrinkage.
pub const LARGEST_STEP: f64 = 4.0;
/// With more classes, splits are judged by a sketch.
pub const MOST_EXACT: usize = 48;
/// Its size.
const SKETCH: usize = 32;

/// The booster.
pub struct SoftmaxTrees<'a> {
    data: &'a Dataset,
    context: &'a Context,
    loss: Softmax<'a>,
    grower: RegionGrower<'a>,
    features: usize,
    depth: usize,
    rate: f64,
    row_sample: f64,
    feature_sample: f64,
    lambda: f64,
    round: usize,
    probabilities: Vec<f64>,
    gradients: Vec<f64>,
    curvatures: Vec<f64>,
}

impl<'a> SoftmaxTrees<'a> {
    /// Checks settings.
    pub fn new(problem: &Problem<'a>) -> Result<Self> {
        let Problem { data, bins, settings, context, .. } = problem;
        Ok(SoftmaxTrees {
            data,
            context,
            loss: Softmax::new(data),
            grower: RegionGrower::new(bins, settings.integer("leaves")?),
            features: bins.columns.len(),
            depth: settings.integer("depth")?,
            rate: settings.real("learning-rate")?,
            row_sample: settings.real("row-sample")?,
            feature_sample: settings.real("feature-sample")?,
            lambda: settings.real("lambda")?,
            round: 0,
            probabilities: Vec::new(),
            gradients: Vec::new(),
            curvatures: Vec::new(),
        })
    }

    /// Gradients as splits see them (`[row][output]`) and the mean curvature of each row; the number of outputs.
    fn differentiate(&mut self, rng: &mut ChaCha8Rng) -> usize {
        const CHUNK: usize = 512;
        let classes = self.data.class_count();
        let outputs = if classes > MOST_EXACT { SKETCH } else { classes };
        let place: Vec<(usize, f64)> = if outputs == classes {
            (0..classes).map(|k| (k, 1.0)).collect()
        } else {
            let draw = |_| (below(SKETCH as u64, rng) as usize, if below(2, rng) == 0 { 1.0 } else { -1.0 });
            (0..classes).map(draw).collect()
        };
        let (data, probabilities, work) = (self.data, &self.probabilities, self.probabilities.len() * 2);
        self.gradients.resize(data.rows() * outputs, 0.0);
        let curvatures = self.context.map_parts(&mut self.gradients, CHUNK * outputs, work, |i, part| {
            let rows = part.chunks_exact_mut(outputs).enumerate();
            let each = rows.map(|(row, out)| {
                let row = i * CHUNK + row;
                let (label, weight) = (data.labels[row] as usize, data.weights[row]);
                let (mut curvature, own) = (0.0, place[label]);
                out.fill(0.0);
                for (p, (at, sign)) in probabilities[row * classes..][..classes].iter().zip(&place) {
                    out[*at] += sign * weight * p;
                    curvature += p * (1.0 - p);
                }
                out[own.0] -= own.1 * weight;
                weight * curvature / classes as f64
            });
            each.collect::<Vec<f64>>()
        });
        self.curvatures.clear();
        curvatures.into_iter().for_each(|part| self.curvatures.extend(part));
        outputs
    }

    /// The vectors of the leaves, and the share of the gradients' squared length that the leaves explain.
    fn leaves(&self, grown: &Grown) -> (Vec<f64>, f64) {
        let classes = self.data.class_count();
        let mut gradients = vec![0.0; grown.leaves * classes];
        let mut curvatures = gradients.clone();
        let mut weights = vec![0.0; grown.leaves];
        let mut length = 0.0;
        for (row, leaf) in grown.leaf_of.iter().enumerate().filter(|(_, leaf)| **leaf != NOWHERE) {
            let (leaf, label, weight) = (*leaf as usize, self.data.labels[row] as usize, self.data.weights[row]);
            weights[leaf] += weight;
            let sums = gradients[leaf * classes..].iter_mut().zip(&mut curvatures[leaf * classes..]);
            for (k, (p, (g, h))) in self.probabilities[row * classes..][..classes].iter().zip(sums).enumerate() {
                let slope = if k == label { p - 1.0 } else { *p };
                *g += weight * slope;
                *h += weight * p * (1.0 - p);
                length += weight * slope * slope;
            }
        }
        let leaves = gradients.chunks_exact(classes).zip(&weights);
        let explained: f64 = leaves.map(|(g, w)| g.iter().map(|g| g * g).sum::<f64>() / w).sum();
        let output = gradients.iter().zip(&curvatures).map(|(g, h)| self.rate * step(*g, *h, self.lambda)).collect();
        (output, if length > 0.0 { explained / length } else { 0.0 })
    }
}

/// The Newton step -G / (H + lambda), bounded; zero where there is nothing to divide by.
pub fn step(gradient: f64, curvature: f64, lambda: f64) -> f64 {
    let step = -gradient / (curvature + lambda);
    if step.is_nan() { 0.0 } else { step.clamp(-LARGEST_STEP, LARGEST_STEP) }
}

impl Booster for SoftmaxTrees<'_> {
    fn start(&mut self) -> Vec<f64> {
        self.loss.start()
    }

    fn weigh(&mut self, scores: &[f64]) -> f64 {
        self.loss.weigh(scores, &mut self.probabilities, self.context)
    }

    /// Never: the log loss has no minimum on rows that can be told apart.
    fn enough(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn link(&self) -> &'static str {
        Link::SOFTMAX
    }

    fn skip(&mut self, rounds: usize) {
        self.round = rounds;
    }

    fn next(&mut self, _scores: &[f64]) -> Result<Option<NextTerm>> {
        let mut rng = self.context.stream(&format!("softmax-trees/{}", self.round));
        self.round += 1;
        // Rows last: how much they draw depends on their number.
        let mut allowed = vec![false; self.features];
        let features = rising(share_of(self.feature_sample, self.features), self.features, &mut rng);
        features.into_iter().for_each(|feature| allowed[feature as usize] = true);
        let outputs = self.differentiate(&mut rng);
        let rows = self.data.rows();
        let drawn = rising(share_of(self.row_sample, rows), rows, &mut rng);
        let part =
            Part { rows: (drawn.len() < rows).then_some(&*drawn), features: Some(&allowed), depth: Some(self.depth) };
        let targets = Targets::Gradients {
            gradients: &self.gradients,
            outputs,
            curvatures: &self.curvatures,
            ridge: self.lambda,
        };
        let mut grown = self.grower.grow_on(part, targets, self.context);
        let (output, edge) = self.leaves(&grown);
        if output.iter().all(|step| *step == 0.0) {
            return Ok(None);
        }
        grown.place_others(&self.data.features, self.context);
        let response = grown.responses();
        Ok(Some(NextTerm { term: Term { learner: WeakModel::Regions(grown.tree), output }, response, edge }))
    }
}
