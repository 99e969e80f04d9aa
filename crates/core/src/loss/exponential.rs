//! g(x) = e^x: REBEL proper (thesis 4.3). Reduces to AdaBoost for two classes (7.3).

use super::Surrogate;
use crate::math::{exp, sigmoid};

/// e^x.
pub struct Exponential;

impl Surrogate for Exponential {
    fn name(&self) -> &'static str {
        "exp"
    }

    fn summary(&self) -> &'static str {
        "e^x: closed-form steps; REBEL as published, AdaBoost for two classes"
    }

    fn value(&self, x: f64) -> f64 {
        exp(x)
    }

    fn slope(&self, x: f64) -> f64 {
        exp(x)
    }

    fn curvature(&self, x: f64) -> f64 {
        exp(x)
    }

    fn pair_minimum(&self, p: f64, q: f64) -> f64 {
        2.0 * (p * q).sqrt()
    }

    fn partner(&self, theta: f64, cost: f64) -> f64 {
        cost * cost / (4.0 * theta)
    }

    fn probability(&self, h: f64) -> f64 {
        sigmoid(2.0 * h)
    }

    fn is_exponential(&self) -> bool {
        true
    }

    // One exponential a class instead of six: e^-h is its reciprocal, and value, slope and curvature agree.
    fn row(&self, weight: f64, scores: &[f64], plus: &[f64], minus: &[f64], out: &mut [(f64, f64)]) -> f64 {
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                let mut loss = 0.0;
                for k in 0..scores.len() {
                    let e = exp(scores[k]);
                    let (p, q) = (weight * plus[k] * e, weight * minus[k] / e);
                    out[k] = (p - q, p + q);
                    loss += p + q;
                }
                loss
            },
        )
    }
}
