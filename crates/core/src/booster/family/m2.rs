//! AdaBoost.M2 and AdaBoost.MR: boosting of the pseudo-loss over wrong labels.
//!
//! Every row has a weight for each wrong label, D(n, l) = w_n exp((F_l - F_c) / 2). A tree says for each label whether it is
//! plausible, h in {0, 1} (M2: Freund and Schapire 1997, fig. 3); its pseudo-loss is
//! e = sum D (1 - h(x, c) + h(x, l)) / 2, its vote ln((1 - e) / e). Given the regions of a tree, the h of least pseudo-loss
//! is 1 where the slope sum over the region is positive, so leaves are exact.
//!
//! MR (Schapire and Singer 1999, section 9) bounds the ranking loss, the same sum, for real h. A leaf answers
//! h_l = ln(W+_l / W-_l) / 2, where W+_l is the weight of rows of class l and W-_l that of label l as a wrong one: since
//! exp((h_l - h_c) / 2) <= (e^h_l + e^-h_c) / 2, that is the minimum of a bound and the loss never rises. With h in {-1, 1}
//! and one vote a tree, MR is M2.
//!
//! Deviations: both leave the search for the tree to the learner; ours splits by the second-order gain of the same weights.
//! MR's weights are smoothed (`--smoothing`).

use super::engine::mislabels::Mislabels;
use super::engine::regions::{RegionBooster, RegionRule, sums};
use super::engine::{VECTOR_PARAMETERS, start};
use crate::booster::Problem;
use crate::booster::rebel::{SMOOTHING, smoothing};
use crate::context::Context;
use crate::error::Result;
use crate::learner::regression::{Grown, Targets};
use crate::math::{exp, ln};
use crate::model::Link;
use crate::registry::{Algorithm, Method};

/// AdaBoost.M2.
pub const M2: Algorithm = Algorithm {
    name: "adaboost-m2",
    summary: "trees that name plausible classes, weighed by how wrong each label is",
    paper: "Freund, Schapire 1997, A decision-theoretic generalization of on-line learning, AdaBoost.M2",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump"],
    learner_parameters: VECTOR_PARAMETERS,
    own_parameters: &[],
    method: Method::Rounds(|problem| Ok(Box::new(RegionBooster::new(problem, PseudoLoss::new(problem, None)?)?))),
};

/// AdaBoost.MR.
pub const MR: Algorithm = Algorithm {
    name: "adaboost-mr",
    summary: "ranks the right class above each wrong one",
    paper: "Schapire, Singer 1999, Improved boosting algorithms using confidence-rated predictions, AdaBoost.MR",
    own_parameters: &[SMOOTHING],
    method: Method::Rounds(|problem| {
        let smoothing = smoothing(problem.settings, &problem.data.weights)?;
        Ok(Box::new(RegionBooster::new(problem, PseudoLoss::new(problem, Some(smoothing))?)?))
    }),
    ..M2
};

/// The pseudo-loss of a tree without a mistake.
const LEAST_ERROR: f64 = 1e-6;
/// Largest answer of a leaf.
const LARGEST_STEP: f64 = 14.0;

struct PseudoLoss<'a> {
    weights: Mislabels<'a>,
    /// Of MR; `None` for M2.
    smoothing: Option<f64>,
    total: f64,
}

impl<'a> PseudoLoss<'a> {
    fn new(problem: &Problem<'a>, smoothing: Option<f64>) -> Result<Self> {
        Ok(PseudoLoss { weights: Mislabels::new(problem.data, 0.5), smoothing, total: 0.0 })
    }

    fn plausible(&self, grown: &Grown) -> Option<(Vec<f64>, f64)> {
        let slopes = sums(grown, &self.weights.slopes, self.weights.data().class_count());
        // Slopes that cancel are a matter of rounding: such a label is not plausible.
        let least = 1e-9 * self.total;
        let edge = slopes.iter().filter(|s| **s > least).sum::<f64>() / self.total;
        let error = (0.5 * (1.0 - edge)).max(LEAST_ERROR);
        let vote = ln((1.0 - error) / error);
        let output = slopes.iter().map(|s| if *s > least { vote } else { 0.0 }).collect();
        (vote > 1e-12).then_some((output, edge))
    }

    fn ranked(&self, grown: &Grown, smoothing: f64) -> Option<(Vec<f64>, f64)> {
        let data = self.weights.data();
        let classes = data.class_count();
        // The own class's slope is W+; minus the others' is W-.
        let (mut right, mut wrong) = (vec![0.0; grown.leaves * classes], vec![0.0; grown.leaves * classes]);
        let rows = grown.leaf_of.iter().zip(self.weights.slopes.chunks_exact(classes)).zip(&data.labels);
        for ((leaf, slopes), label) in rows {
            let at = *leaf as usize * classes;
            for (class, slope) in slopes.iter().enumerate() {
                if class == *label as usize { right[at + class] += slope } else { wrong[at + class] -= slope }
            }
        }
        let added = smoothing * self.total;
        let step = |(r, w): (&f64, &f64)| match (r + added, w + added) {
            (0.0, 0.0) => 0.0,
            (0.0, _) => -LARGEST_STEP,
            (_, 0.0) => LARGEST_STEP,
            (r, w) => (0.5 * (ln(r) - ln(w))).clamp(-LARGEST_STEP, LARGEST_STEP),
        };
        let output: Vec<f64> = right.iter().zip(&wrong).map(step).collect();
        let bound = |((r, w), h): ((&f64, &f64), &f64)| r * exp(-h) + w * exp(*h);
        let bound: f64 = right.iter().zip(&wrong).zip(&output).map(bound).sum::<f64>() / (2.0 * self.total);
        (bound < 1.0 - 1e-12).then_some((output, 1.0 - bound))
    }
}

impl RegionRule for PseudoLoss<'_> {
    fn start(&self) -> Vec<f64> {
        start(self.weights.data())
    }

    fn link(&self) -> &'static str {
        Link::SOFTMAX
    }

    fn weigh(&mut self, scores: &[f64], _: usize, context: &Context) -> f64 {
        let (most, total) = self.weights.weigh(scores, |_, _| 1.0, context);
        self.total = total;
        exp(most) * total / self.weights.data().weights.iter().sum::<f64>()
    }

    fn targets(&self) -> Targets<'_> {
        let Mislabels { slopes, weights, .. } = &self.weights;
        let outputs = self.weights.data().class_count();
        Targets::Gradients { gradients: slopes, outputs, curvatures: weights, ridge: 0.0 }
    }

    fn leaves(&mut self, grown: &Grown, _: &[f64], _: &Context) -> Option<(Vec<f64>, f64)> {
        match self.smoothing {
            None => self.plausible(grown),
            Some(smoothing) => self.ranked(grown, smoothing),
        }
    }
}
