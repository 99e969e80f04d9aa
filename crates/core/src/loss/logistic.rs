//! g(x) = log2(1 + e^x): grows only linearly, so mislabelled rows pull less (thesis 4.3; LogitBoost's loss, 7.3).

use super::Surrogate;
use crate::math::{ln, sigmoid, softplus};
use std::f64::consts::LN_2;

/// log2(1 + e^x).
pub struct Logistic;

impl Surrogate for Logistic {
    fn name(&self) -> &'static str {
        "logistic"
    }

    fn summary(&self) -> &'static str {
        "log2(1 + e^x): milder on rows that look mislabelled"
    }

    fn value(&self, x: f64) -> f64 {
        softplus(x) / LN_2
    }

    fn slope(&self, x: f64) -> f64 {
        sigmoid(x) / LN_2
    }

    fn curvature(&self, x: f64) -> f64 {
        let s = sigmoid(x);
        s * (1.0 - s) / LN_2
    }

    /// At e^h = q / p: (p + q) times the entropy, in bits, of the two shares.
    fn pair_minimum(&self, p: f64, q: f64) -> f64 {
        if p <= 0.0 || q <= 0.0 {
            return 0.0;
        }
        (p * ln(1.0 + q / p) + q * ln(1.0 + p / q)) / LN_2
    }

    /// No closed form; `pair_minimum` grows with p without bound, so bisection on ln p always ends.
    fn partner(&self, theta: f64, cost: f64) -> f64 {
        if cost <= 0.0 {
            return 0.0;
        }
        let (mut low, mut high) = (-700.0f64, 700.0f64);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if self.pair_minimum(crate::math::exp(middle), theta) < cost { low = middle } else { high = middle }
        }
        crate::math::exp(0.5 * (low + high))
    }

    fn probability(&self, h: f64) -> f64 {
        sigmoid(h)
    }

    // One exponential a class for slope and curvature; one logarithm for the value.
    fn row(&self, weight: f64, scores: &[f64], plus: &[f64], minus: &[f64], out: &mut [(f64, f64)]) -> f64 {
        let mut loss = 0.0;
        for k in 0..scores.len() {
            let (h, p, q) = (scores[k], weight * plus[k] / LN_2, weight * minus[k] / LN_2);
            let s = sigmoid(h);
            out[k] = (p * s - q * (1.0 - s), (p + q) * s * (1.0 - s));
            let up = softplus(h);
            loss += p * up + q * (up - h);
        }
        loss
    }
}
