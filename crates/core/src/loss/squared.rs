//! g(x) = (1 + x)^2: every step is one linear solve (thesis 4.3; L2Boost's loss, 7.3).

use super::Surrogate;

/// (1 + x)^2.
pub struct Squared;

impl Surrogate for Squared {
    fn name(&self) -> &'static str {
        "squared"
    }

    fn summary(&self) -> &'static str {
        "(1 + x)^2: scores are bounded estimates of 2p - 1"
    }

    fn value(&self, x: f64) -> f64 {
        (1.0 + x) * (1.0 + x)
    }

    fn slope(&self, x: f64) -> f64 {
        2.0 * (1.0 + x)
    }

    fn curvature(&self, _x: f64) -> f64 {
        2.0
    }

    fn pair_minimum(&self, p: f64, q: f64) -> f64 {
        if p <= 0.0 || q <= 0.0 { 0.0 } else { 4.0 * p * q / (p + q) }
    }

    fn partner(&self, theta: f64, cost: f64) -> f64 {
        if 4.0 * theta > cost { cost * theta / (4.0 * theta - cost) } else { f64::INFINITY }
    }

    fn probability(&self, h: f64) -> f64 {
        (0.5 * (1.0 + h)).clamp(0.0, 1.0)
    }
}
