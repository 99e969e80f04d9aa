//! Boosting by class probabilities: SAMME.R (Zhu, Zou, Rosset, Hastie 2009, Algorithm 4, as in their technical report) and,
//! for two classes, Real AdaBoost (Schapire and Singer 1999; Friedman, Hastie, Tibshirani 2000, Algorithm 2; the region-wise
//! alpha_d of the EPFL lecture).
//!
//! A tree of classes is fitted to the weighted rows; a leaf with class shares p adds
//! (K - 1) (ln p_k - mean of ln p), which for K = 2 is +- ln(p / (1 - p)) / 2. Rows weigh exp(-F_c / (K - 1)).
//!
//! Deviations: shares are smoothed (`--smoothing`, Schapire and Singer 4.2; 0 = at least 1e-10), else a leaf of one class
//! would ask for infinity. SAMME.R can still drift, which is why scikit-learn removed it.

use super::engine::REGION_PARAMETERS;
use super::engine::regions::{RegionBooster, RegionRule};
use crate::booster::Problem;
use crate::booster::rebel::{SMOOTHING, smoothing};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::Result;
use crate::learner::regression::{CRITERION, Grown, Targets};
use crate::loss::MultiExponential;
use crate::math::ln;
use crate::model::Link;
use crate::registry::{Algorithm, Method};

/// SAMME.R.
pub const SAMME_R: Algorithm = Algorithm {
    name: "samme-r",
    summary: "SAMME with class probabilities in the place of votes",
    paper: "Zhu, Zou, Rosset, Hastie 2009, Multi-class AdaBoost, Algorithm 4 (real)",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump"],
    learner_parameters: REGION_PARAMETERS,
    own_parameters: &[SMOOTHING, CRITERION],
    method: Method::Rounds(|problem| Ok(Box::new(RegionBooster::new(problem, Real::new(problem, Step::LogRatio)?)?))),
};

/// Real AdaBoost.
pub const REAL_ADABOOST: Algorithm = Algorithm {
    name: "real-adaboost",
    summary: "AdaBoost for two classes with a vote of its own for each leaf",
    paper: "Schapire, Singer 1999; Friedman, Hastie, Tibshirani 2000, Algorithm 2; EPFL EE-613 (alpha_d)",
    most_classes: Some(2),
    ..SAMME_R
};

/// Gentle AdaBoost (Friedman, Hastie, Tibshirani 2000, Algorithm 4; GAMBLE thesis, Algorithm 3): a leaf adds the weighted
/// mean of y, a Newton step that never exceeds one.
pub const GENTLE_ADABOOST: Algorithm = Algorithm {
    name: "gentle-adaboost",
    summary: "AdaBoost for two classes with gentle, bounded steps",
    paper: "Friedman, Hastie, Tibshirani 2000, Algorithm 4; Huang 2009, MSc thesis, Algorithm 3",
    most_classes: Some(2),
    own_parameters: &[],
    method: Method::Rounds(|problem| Ok(Box::new(RegionBooster::new(problem, Real::new(problem, Step::Mean)?)?))),
    ..SAMME_R
};

/// What a leaf adds.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// (K - 1) (ln p_k - mean of ln p).
    LogRatio,
    /// p_1 - p_0, for two classes.
    Mean,
}

struct Real<'a> {
    data: &'a Dataset,
    loss: MultiExponential<'a>,
    step: Step,
    smoothing: f64,
    weights: Vec<f64>,
}

/// Smallest share of a class in a leaf.
const LEAST_SHARE: f64 = 1e-10;

impl<'a> Real<'a> {
    fn new(problem: &Problem<'a>, step: Step) -> Result<Self> {
        let data = problem.data;
        let smoothing = if step == Step::LogRatio { smoothing(problem.settings, &data.weights)? } else { 0.0 };
        Ok(Real { data, loss: MultiExponential::new(data), step, smoothing, weights: Vec::new() })
    }
}

impl RegionRule for Real<'_> {
    fn start(&self) -> Vec<f64> {
        vec![0.0; self.data.class_count()]
    }

    fn link(&self) -> &'static str {
        Link::MULTI_EXPONENTIAL
    }

    fn weigh(&mut self, scores: &[f64], _: usize, context: &Context) -> f64 {
        self.loss.weigh(scores, 0.0, &mut self.weights, context)
    }

    fn targets(&self) -> Targets<'_> {
        let (labels, classes) = (&self.data.labels, self.data.class_count());
        Targets::Classes { labels, classes, weights: &self.weights }
    }

    fn leaves(&mut self, grown: &Grown, _: &[f64], _: &Context) -> Option<(Vec<f64>, f64)> {
        let classes = self.data.class_count();
        let k = classes as f64;
        let mut output = grown.class_weights(&self.data.labels, classes, &self.weights);
        let total: f64 = output.iter().sum();
        let mut edge = 0.0;
        for leaf in output.chunks_exact_mut(classes) {
            let weight: f64 = leaf.iter().sum();
            if weight <= 0.0 {
                leaf.fill(0.0);
                continue;
            }
            let most = leaf.iter().copied().fold(0.0, f64::max);
            edge += (most * k - weight) / (k - 1.0);
            match self.step {
                Step::Mean => {
                    let step = (leaf[1] - leaf[0]) / weight;
                    leaf.copy_from_slice(&[-step, step]);
                }
                Step::LogRatio => {
                    let smoothing = self.smoothing * total;
                    let share = |w: f64| ((w + smoothing) / (weight + k * smoothing)).max(LEAST_SHARE);
                    leaf.iter_mut().for_each(|w| *w = ln(share(*w)));
                    let mean = leaf.iter().sum::<f64>() / k;
                    leaf.iter_mut().for_each(|l| *l = (k - 1.0) * (*l - mean));
                }
            }
        }
        Some((output, edge / total))
    }
}
