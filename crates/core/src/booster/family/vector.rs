//! Vector trees with one Newton or least-squares step a class: Gentle AdaBoost.MH and L2Boost.
//!
//! Gentle AdaBoost.MH (Friedman, Hastie, Tibshirani 2000, section 8; as the base of JointBoost in Torralba, Murphy, Freeman
//! 2007): the loss is sum_n sum_k w_n exp(-y_nk F_k), y_nk = +1 for the own class and -1 else; a leaf adds the weighted mean
//! of y_nk to class k. The published version fits K separate trees; here one tree serves all classes (shared learners), split
//! by the summed second-order gain.
//!
//! L2Boost (Buhlmann and Yu 2003, Boosting with the L2 loss): a tree of the residuals y_nk - F_k by least squares.

use super::engine::VECTOR_PARAMETERS;
use super::engine::regions::{RegionBooster, RegionRule, sums};
use super::engine::{sign, start};
use crate::context::Context;
use crate::data::Dataset;
use crate::learner::regression::{Grown, Targets};
use crate::math::exp;
use crate::registry::{Algorithm, Method};

/// Gentle AdaBoost.MH.
pub const GENTLE_MH: Algorithm = Algorithm {
    name: "gentle-mh",
    summary: "gentle steps on one-against-all exponential losses, one tree for all classes",
    paper: "Friedman, Hastie, Tibshirani 2000, section 8 (AdaBoost.MH with gentle steps); Torralba, Murphy, Freeman 2007",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump"],
    learner_parameters: VECTOR_PARAMETERS,
    own_parameters: &[],
    method: Method::Rounds(|problem| {
        Ok(Box::new(RegionBooster::new(problem, Vectors::new(problem.data, Loss::Exponential))?))
    }),
};

/// L2Boost.
pub const L2_BOOST: Algorithm = Algorithm {
    name: "l2boost",
    summary: "least squares: each tree fits what is left of the class codes",
    paper: "Buhlmann, Yu 2003, Boosting with the L2 loss",
    method: Method::Rounds(|problem| {
        Ok(Box::new(RegionBooster::new(problem, Vectors::new(problem.data, Loss::Squared))?))
    }),
    ..GENTLE_MH
};

#[derive(Clone, Copy, PartialEq)]
enum Loss {
    Exponential,
    Squared,
}

struct Vectors<'a> {
    data: &'a Dataset,
    loss: Loss,
    /// Minus the gradient and the curvature, `[row][class]`.
    slopes: Vec<f64>,
    curvatures: Vec<f64>,
    /// Mean curvature of each row.
    weights: Vec<f64>,
}

impl<'a> Vectors<'a> {
    fn new(data: &'a Dataset, loss: Loss) -> Self {
        Vectors { data, loss, slopes: Vec::new(), curvatures: Vec::new(), weights: Vec::new() }
    }
}

/// Rows handled together.
const CHUNK: usize = 512;

impl RegionRule for Vectors<'_> {
    fn start(&self) -> Vec<f64> {
        match self.loss {
            Loss::Exponential => start(self.data),
            // Least squares finds the level of every class with its first tree, and could not undo a large start.
            Loss::Squared => vec![0.0; self.data.class_count()],
        }
    }

    fn link(&self) -> &'static str {
        match self.loss {
            Loss::Exponential => "exp",
            Loss::Squared => "squared",
        }
    }

    fn weigh(&mut self, scores: &[f64], _: usize, context: &Context) -> f64 {
        let (data, loss, classes) = (self.data, self.loss, self.data.class_count());
        self.slopes.resize(scores.len(), 0.0);
        self.curvatures.resize(scores.len(), 0.0);
        let mut both: Vec<(&mut f64, &mut f64)> = self.slopes.iter_mut().zip(&mut self.curvatures).collect();
        let parts = context.map_parts(&mut both, CHUNK * classes, scores.len() * 16, |i, part| {
            let rows = part.chunks_exact_mut(classes).zip(scores[i * CHUNK * classes..].chunks_exact(classes));
            let known = data.labels[i * CHUNK..].iter().zip(&data.weights[i * CHUNK..]);
            let each = rows.zip(known).map(|((out, scores), (label, weight))| {
                let (mut sum, mut bend) = (0.0, 0.0);
                for (class, ((slope, curvature), score)) in out.iter_mut().zip(scores).enumerate() {
                    let y = sign(*label, class);
                    (**slope, **curvature) = match loss {
                        Loss::Exponential => {
                            let e = weight * exp(-y * score);
                            sum += e;
                            (y * e, e)
                        }
                        Loss::Squared => {
                            sum += weight * (y - score) * (y - score);
                            (weight * (y - score), *weight)
                        }
                    };
                    bend += **curvature;
                }
                (sum, bend / classes as f64)
            });
            each.collect::<Vec<(f64, f64)>>()
        });
        self.weights.clear();
        let mut total = 0.0;
        for (loss, weight) in parts.into_iter().flatten() {
            total += loss;
            self.weights.push(weight);
        }
        total / (data.weights.iter().sum::<f64>() * classes as f64)
    }

    fn targets(&self) -> Targets<'_> {
        let outputs = self.data.class_count();
        Targets::Gradients { gradients: &self.slopes, outputs, curvatures: &self.weights, ridge: 0.0 }
    }

    fn leaves(&mut self, grown: &Grown, _: &[f64], _: &Context) -> Option<(Vec<f64>, f64)> {
        let classes = self.data.class_count();
        let slopes = sums(grown, &self.slopes, classes);
        let curvatures = sums(grown, &self.curvatures, classes);
        let step = |(g, h): (&f64, &f64)| if *h > 0.0 { g / h } else { 0.0 };
        let output: Vec<f64> = slopes.iter().zip(&curvatures).map(step).collect();
        let edge = slopes.iter().zip(&output).map(|(g, a)| g * a).sum::<f64>() / curvatures.iter().sum::<f64>();
        Some((output, if edge.is_finite() { edge } else { 0.0 }))
    }
}
