//! AOSO-LogitBoost: adaptive one-versus-one (Sun, Reid, Zhou 2012, ICML; arXiv:1110.3907).
//!
//! Newton steps on the log loss under the sum-to-zero constraint: every leaf picks one pair of classes (r, s) and adds +t
//! to r and -t to s. With G = sum w (y - p) and the curvature H_rs = sum w (p_r (1 - p_r) + p_s (1 - p_s) + 2 p_r p_s),
//! t = (G_r - G_s) / H_rs and the gain is (G_r - G_s)^2 / (2 H_rs). As in the paper's fast version, r is the class of the
//! largest slope and s the one of the largest gain with it.
//!
//! Deviations: splits are judged by the gain summed over classes, not by that of the best pair; a step is at most four.

use super::engine::VECTOR_PARAMETERS;
use super::engine::regions::{RegionBooster, RegionRule, sums};
use crate::context::Context;
use crate::data::Dataset;
use crate::learner::regression::{Grown, Targets};
use crate::loss::Softmax;
use crate::model::Link;
use crate::registry::{Algorithm, Method};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "aoso-logitboost",
    summary: "LogitBoost whose leaves each tell one pair of classes apart",
    paper: "Sun, Reid, Zhou 2012, AOSO-LogitBoost, arXiv:1110.3907",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump"],
    learner_parameters: VECTOR_PARAMETERS,
    own_parameters: &[],
    method: Method::Rounds(|problem| Ok(Box::new(RegionBooster::new(problem, Aoso::new(problem.data))?))),
};

/// Largest step.
const LARGEST_STEP: f64 = 4.0;

struct Aoso<'a> {
    data: &'a Dataset,
    loss: Softmax<'a>,
    probabilities: Vec<f64>,
    /// w (y - p), `[row][class]`.
    slopes: Vec<f64>,
    /// Mean over classes of w p (1 - p).
    weights: Vec<f64>,
}

impl<'a> Aoso<'a> {
    fn new(data: &'a Dataset) -> Self {
        let (probabilities, slopes, weights) = Default::default();
        Aoso { data, loss: Softmax::new(data), probabilities, slopes, weights }
    }
}

impl RegionRule for Aoso<'_> {
    fn start(&self) -> Vec<f64> {
        super::engine::start(self.data)
    }

    fn link(&self) -> &'static str {
        Link::SOFTMAX
    }

    fn weigh(&mut self, scores: &[f64], _: usize, context: &Context) -> f64 {
        let loss = self.loss.weigh(scores, &mut self.probabilities, context);
        let classes = self.data.class_count();
        self.slopes.clear();
        self.weights.clear();
        let rows = self.probabilities.chunks_exact(classes).zip(&self.data.labels).zip(&self.data.weights);
        for ((p, label), weight) in rows {
            let own = *label as usize;
            self.slopes.extend(p.iter().enumerate().map(|(k, p)| weight * (f64::from(u8::from(k == own)) - p)));
            self.weights.push(weight * p.iter().map(|p| p * (1.0 - p)).sum::<f64>() / classes as f64);
        }
        loss
    }

    fn targets(&self) -> Targets<'_> {
        let outputs = self.data.class_count();
        Targets::Gradients { gradients: &self.slopes, outputs, curvatures: &self.weights, ridge: 1e-9 }
    }

    fn leaves(&mut self, grown: &Grown, _: &[f64], _: &Context) -> Option<(Vec<f64>, f64)> {
        let classes = self.data.class_count();
        let slopes = sums(grown, &self.slopes, classes);
        let up: Vec<usize> = slopes.chunks_exact(classes).map(first_largest).collect();
        // H_rs for the r of the row's leaf and every s.
        let mut curvatures = vec![0.0; slopes.len()];
        let rows = self.probabilities.chunks_exact(classes).zip(&grown.leaf_of).zip(&self.data.weights);
        for ((p, leaf), weight) in rows {
            let leaf = *leaf as usize;
            let r = p[up[leaf]];
            for (h, s) in curvatures[leaf * classes..].iter_mut().zip(p) {
                *h += weight * (r * (1.0 - r) + s * (1.0 - s) + 2.0 * r * s);
            }
        }
        let mut output = vec![0.0; slopes.len()];
        let mut edge = 0.0;
        for (leaf, r) in up.into_iter().enumerate() {
            let at = leaf * classes;
            let gain = |s: usize| {
                let (difference, h) = (slopes[at + r] - slopes[at + s], curvatures[at + s]);
                if s == r || h <= 0.0 { 0.0 } else { difference * difference / h }
            };
            let gains: Vec<f64> = (0..classes).map(gain).collect();
            let s = first_largest(&gains);
            if gains[s] > 0.0 {
                let step =
                    ((slopes[at + r] - slopes[at + s]) / curvatures[at + s]).clamp(-LARGEST_STEP, LARGEST_STEP);
                output[at + r] = step;
                output[at + s] = -step;
                edge += gains[s] / 2.0;
            }
        }
        Some((output, edge / self.data.weights.iter().sum::<f64>()))
    }
}

/// Position of the largest value; the first of those that differ by no more than rounding, so that the order of rows does not
/// choose the class.
fn first_largest(values: &[f64]) -> usize {
    let (most, size) =
        values.iter().fold((f64::NEG_INFINITY, 0.0f64), |(most, size), v| (most.max(*v), size.max(v.abs())));
    values.iter().position(|v| *v >= most - 1e-9 * size).unwrap_or(0)
}
