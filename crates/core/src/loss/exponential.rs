//! g(x) = e^x: REBEL proper (thesis 4.3). Reduces to AdaBoost for two classes (7.3).

use super::Surrogate;
use crate::math::{exp, exp_all, sigmoid};

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

    /// Many at once: the exponentials are most of the time, and the classes of one row would not fill vectors.
    fn prepare(&self, scores: &mut [f64]) {
        exp_all(scores);
    }

    // One exponential a class instead of six: e^-h is its reciprocal, and value, slope and curvature agree.
    fn row(&self, weight: f64, exponentials: &[f64], plus: &[f64], minus: &[f64], out: &mut [(f64, f64)]) -> f64 {
        for (((out, e), plus), minus) in out.iter_mut().zip(exponentials).zip(plus).zip(minus) {
            let (p, q) = (weight * plus * e, weight * minus / e);
            *out = (p - q, p + q);
        }
        out.iter().map(|(_, curvature)| curvature).sum()
    }
}
