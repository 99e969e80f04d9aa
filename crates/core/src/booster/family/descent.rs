//! Functional gradient descent on losses of margins F_c - F_l, with a line search: GD-MCBoost and, with costs, the
//! guess-averse GEL- and GLL-MCBoost.
//!
//! GD-MCBoost (Saberian and Vasconcelos 2011, Multiclass boosting: theory and algorithms): the loss is
//! sum_n sum_{l != c} exp(-(F_c - F_l) / 2); a tree is fitted to minus its gradient by least squares and added with the step
//! of a line search. Their codewords are the corners of a simplex in K - 1 dimensions; scores that sum to zero in K
//! dimensions are the same up to a rotation.
//!
//! Guess-averse losses (Beijbom, Saberian, Kriegman, Vasconcelos 2014): with the cost C_cl of answering l for c,
//! GEL is sum_l C_cl exp(F_l - F_c), GLL is ln(1 + sum_l C_cl exp(F_l - F_c)). Both are lower for right scores than for
//! equal ones, whatever the costs. GEL is computed at half the scores, which changes no answer and gives it GD-MCBoost's link.
//! With equal costs GLL is the multinomial log loss.

use super::engine::mislabels::Mislabels;
use super::engine::regions::{RegionBooster, RegionRule, sums};
use super::engine::{VECTOR_PARAMETERS, start};
use crate::booster::Problem;
use crate::booster::rebel::COST_MODE;
use crate::context::Context;
use crate::data::CostMatrix;
use crate::learner::regression::{Grown, Targets};
use crate::math::{exp, ln};
use crate::model::Link;
use crate::registry::{Algorithm, Method};

/// GD-MCBoost.
pub const GD_MCBOOST: Algorithm = Algorithm {
    name: "gd-mcboost",
    summary: "gradient descent on the margins between classes, with a line search",
    paper: "Saberian, Vasconcelos 2011, Multiclass boosting: theory and algorithms, GD-MCBoost",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump"],
    learner_parameters: VECTOR_PARAMETERS,
    own_parameters: &[],
    method: Method::Rounds(|problem| {
        Ok(Box::new(RegionBooster::new(problem, Descent::new(problem, Shape::Exponential))?))
    }),
};

/// GEL-MCBoost.
pub const GEL: Algorithm = Algorithm {
    name: "gel-mcboost",
    summary: "gradient descent on a guess-averse exponential loss with costs",
    paper: "Beijbom, Saberian, Kriegman, Vasconcelos 2014, Guess-averse loss functions, GEL",
    trains_on_costs: true,
    own_parameters: &[COST_MODE],
    ..GD_MCBOOST
};

/// GLL-MCBoost.
pub const GLL: Algorithm = Algorithm {
    name: "gll-mcboost",
    summary: "gradient descent on a guess-averse logistic loss with costs",
    paper: "Beijbom, Saberian, Kriegman, Vasconcelos 2014, Guess-averse loss functions, GLL",
    method: Method::Rounds(|problem| {
        Ok(Box::new(RegionBooster::new(problem, Descent::new(problem, Shape::Logistic))?))
    }),
    ..GEL
};

/// What is made of the sum over wrong labels.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// The sum.
    Exponential,
    /// ln(1 + the sum).
    Logistic,
}

struct Descent<'a> {
    weights: Mislabels<'a>,
    shape: Shape,
    /// Mean cost one; a zero cost leaves a label without loss.
    costs: CostMatrix,
    /// Minus the gradient, `[row][class]`.
    slopes: Vec<f64>,
    /// Loss at the last scores.
    loss: f64,
}

impl<'a> Descent<'a> {
    fn new(problem: &Problem<'a>, shape: Shape) -> Self {
        let scale = if shape == Shape::Exponential { 0.5 } else { 1.0 };
        Descent {
            weights: Mislabels::new(problem.data, scale),
            shape,
            costs: problem.costs.normalised(),
            slopes: Vec::new(),
            loss: 0.0,
        }
    }

    fn scale(&self) -> f64 {
        if self.shape == Shape::Exponential { 0.5 } else { 1.0 }
    }

    /// Loss, slope and curvature along a direction at this step, as weighted sums over rows.
    fn along(&self, scores: &[f64], directions: &[f64], leaf_of: &[u32], step: f64, context: &Context) -> [f64; 3] {
        const CHUNK: usize = 512;
        let data = self.weights.data();
        let (classes, scale) = (data.class_count(), self.scale());
        let parts = context.map(data.rows().div_ceil(CHUNK), scores.len() * 16, |i| {
            let mut sums = [0.0; 3];
            for row in i * CHUNK..data.rows().min((i + 1) * CHUNK) {
                let own = data.labels[row] as usize;
                let scores = &scores[row * classes..][..classes];
                let direction = &directions[leaf_of[row] as usize * classes..][..classes];
                let costs = self.costs.row(own);
                // Sum of e, of e d and of e d^2, where d is how fast a margin falls.
                let (mut e0, mut e1, mut e2) = (0.0, 0.0, 0.0);
                for class in (0..classes).filter(|class| *class != own) {
                    let d = scale * (direction[class] - direction[own]);
                    let e = costs[class] * exp((scale * (scores[class] - scores[own]) + step * d).min(700.0));
                    e0 += e;
                    e1 += e * d;
                    e2 += e * d * d;
                }
                let values = match self.shape {
                    Shape::Exponential => [e0, e1, e2],
                    Shape::Logistic => {
                        let q = e1 / (1.0 + e0);
                        [ln(1.0 + e0), q, e2 / (1.0 + e0) - q * q]
                    }
                };
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += data.weights[row] * value);
            }
            sums
        });
        parts.into_iter().fold([0.0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]])
    }

    /// The step of least loss, and that loss: Newton's method within a bracket that shrinks. The loss is convex along any
    /// direction. Steps are told apart by slopes and not by losses, which near the end differ by rounding alone.
    fn search(&self, scores: &[f64], directions: &[f64], leaf_of: &[u32], context: &Context) -> (f64, f64) {
        let at = |step: f64| self.along(scores, directions, leaf_of, step, context);
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut step = 0.0;
        let mut found = (0.0, f64::INFINITY);
        for _ in 0..MOST_TRIALS {
            let [loss, slope, curvature] = at(step);
            found = (step, loss);
            if slope < 0.0 {
                low = step
            } else {
                high = step
            }
            let newton = step - slope / curvature;
            // As near as slopes can tell; within rounding of an end of the bracket Newton's step may be its very end.
            if (newton - step).abs() <= 1e-9 * step {
                break;
            }
            let next = match high.is_finite() {
                _ if newton.is_finite() && newton > low && newton < high.min(4.0 * low + LARGEST_FIRST) => newton,
                true => 0.5 * (low + high),
                false => 2.0 * low + LARGEST_FIRST / 8.0,
            };
            // Where no mistake is left the loss falls for ever: the longest step itself, not the last trial before it, which
            // would hang on rounding.
            let next = next.min(LARGEST_STEP);
            if next == step {
                break;
            }
            step = next;
        }
        found
    }
}

/// Trials of the line search at most.
const MOST_TRIALS: usize = 25;
/// Steps are bounded, in multiples of a tree whose largest answer is one.
const LARGEST_STEP: f64 = 30.0;
/// And the first guess more so.
const LARGEST_FIRST: f64 = 8.0;

impl RegionRule for Descent<'_> {
    fn start(&self) -> Vec<f64> {
        start(self.weights.data())
    }

    fn link(&self) -> &'static str {
        Link::SOFTMAX
    }

    fn weigh(&mut self, scores: &[f64], _: usize, context: &Context) -> f64 {
        let costs = &self.costs;
        let (most, total) = self.weights.weigh(scores, |truth, answer| costs.get(truth, answer), context);
        let data = self.weights.data();
        self.slopes.clone_from(&self.weights.slopes);
        let sum: f64 = data.weights.iter().sum();
        self.loss = match self.shape {
            Shape::Exponential => exp(most) * total,
            Shape::Logistic => {
                // The derivative of ln(1 + S) is that of S over 1 + S; weights hold w S / e^most.
                let (rows, classes) = (self.weights.weights.iter().zip(&data.weights), data.class_count());
                let mut loss = 0.0;
                for ((w_s, w), slopes) in rows.zip(self.slopes.chunks_exact_mut(classes)) {
                    let s = w_s / w;
                    let unit = exp(-most);
                    slopes.iter_mut().for_each(|slope| *slope /= unit + s);
                    loss += w * (ln(unit + s) + most);
                }
                loss
            }
        };
        self.loss / sum
    }

    fn targets(&self) -> Targets<'_> {
        let data = self.weights.data();
        let outputs = data.class_count();
        Targets::Gradients { gradients: &self.slopes, outputs, curvatures: &data.weights, ridge: 0.0 }
    }

    fn leaves(&mut self, grown: &Grown, scores: &[f64], context: &Context) -> Option<(Vec<f64>, f64)> {
        let classes = self.weights.data().class_count();
        let mut output = sums(grown, &self.slopes, classes);
        let mut weights = vec![0.0; grown.leaves];
        grown.leaf_of.iter().zip(&self.weights.data().weights).for_each(|(leaf, w)| weights[*leaf as usize] += w);
        output.chunks_exact_mut(classes).zip(&weights).for_each(|(leaf, w)| leaf.iter_mut().for_each(|a| *a /= w));
        let largest = output.iter().copied().map(f64::abs).fold(0.0, f64::max);
        if largest <= 0.0 {
            return None;
        }
        output.iter_mut().for_each(|a| *a /= largest);
        let (step, loss) = self.search(scores, &output, &grown.leaf_of, context);
        let gain = 1.0 - loss / self.loss;
        output.iter_mut().for_each(|a| *a *= step);
        (gain > 1e-12).then_some((output, gain))
    }
}
