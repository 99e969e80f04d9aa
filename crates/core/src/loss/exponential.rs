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
        pulp::Arch::new().dispatch(Row { weight, scores, plus, minus, out: &mut *out });
        out.iter().map(|(_, curvature)| curvature).sum()
    }
}

/// Derivatives of one row, compiled for several instruction sets; each element is computed alike in all.
struct Row<'a> {
    weight: f64,
    scores: &'a [f64],
    plus: &'a [f64],
    minus: &'a [f64],
    out: &'a mut [(f64, f64)],
}

impl pulp::NullaryFnOnce for Row<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Row { weight, scores, plus, minus, out } = self;
        for (((out, h), plus), minus) in out.iter_mut().zip(scores).zip(plus).zip(minus) {
            let e = exp(*h);
            let (p, q) = (weight * plus * e, weight * minus / e);
            *out = (p - q, p + q);
        }
    }
}
