//! Surrogate losses: convex bounds of the unit step, and the coupled sum REBEL builds from them.
//!
//! To add one: a new file with a unit struct that implements [`Surrogate`], and one line in [`SURROGATES`]. The
//! conformance tests (derivatives, bound, convexity, subcosts) run over that list.

mod bucketed;
mod coupled;
mod exponential;
mod logistic;
mod multi_exponential;
mod softmax;
mod squared;

pub use coupled::{CoupledLoss, RoundWeights, Step, Subcosts};
pub use exponential::Exponential;
pub use logistic::Logistic;
pub use multi_exponential::MultiExponential;
pub use softmax::Softmax;
pub use squared::Squared;

use crate::error::{Error, Result, nearest};

/// A scalar function g that is convex, at least the unit step (g(x) >= 1 for x >= 0), and has infimum 0
/// (thesis 4.3; called F in the paper).
pub trait Surrogate: Sync {
    /// Name in options and model files.
    fn name(&self) -> &'static str;
    /// One line for people.
    fn summary(&self) -> &'static str;
    /// g(x).
    fn value(&self, x: f64) -> f64;
    /// g'(x).
    fn slope(&self, x: f64) -> f64;
    /// g''(x).
    fn curvature(&self, x: f64) -> f64;
    /// min over h of p g(h) + q g(-h), for p, q >= 0.
    fn pair_minimum(&self, p: f64, q: f64) -> f64;
    /// The p with `pair_minimum(p, theta) = cost`: eq. 4.3 of the thesis with equality. Infinite if there is none.
    fn partner(&self, theta: f64, cost: f64) -> f64;
    /// Probability of a class whose score is h, where the expected loss with equal subcosts is smallest.
    fn probability(&self, h: f64) -> f64;
    /// For e^x alone: loss along a response of +-1 has a closed-form minimum, and all curvatures are weights.
    fn is_exponential(&self) -> bool {
        false
    }
    /// Replaces the scores of many rows by what [`row`](Self::row) needs of them; nothing unless a surrogate says so.
    fn prepare(&self, _scores: &mut [f64]) {}
    /// Writes the first and second derivatives with respect to each score of `plus g(h) + minus g(-h)`, times `weight`;
    /// returns the weighted sum of values. `scores` are those of one row, as [`prepare`](Self::prepare) left them.
    fn row(&self, weight: f64, scores: &[f64], plus: &[f64], minus: &[f64], out: &mut [(f64, f64)]) -> f64 {
        let mut loss = 0.0;
        for k in 0..scores.len() {
            let (h, p, q) = (scores[k], weight * plus[k], weight * minus[k]);
            out[k] = (p * self.slope(h) - q * self.slope(-h), p * self.curvature(h) + q * self.curvature(-h));
            loss += p * self.value(h) + q * self.value(-h);
        }
        loss
    }
}

/// All surrogates.
pub const SURROGATES: &[&dyn Surrogate] = &[&Exponential, &Logistic, &Squared];

/// A surrogate by name.
pub fn surrogate(name: &str) -> Result<&'static dyn Surrogate> {
    SURROGATES.iter().copied().find(|s| s.name() == name).ok_or_else(|| {
        let error = Error::option(format!("there is no loss '{name}'"));
        match nearest(name, SURROGATES.iter().map(|s| s.name())) {
            Some(near) => error.hint(format!("did you mean '{near}'?")),
            None => error,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn derivatives_are_numerical_derivatives(x in -8.0..8.0f64) {
            for g in SURROGATES {
                let e = 1e-5;
                let slope = (g.value(x + e) - g.value(x - e)) / (2.0 * e);
                let curvature = (g.slope(x + e) - g.slope(x - e)) / (2.0 * e);
                let scale = 1.0 + g.value(x).abs() + g.value(-x).abs();
                prop_assert!((slope - g.slope(x)).abs() < 1e-6 * scale, "{} slope at {x}", g.name());
                prop_assert!((curvature - g.curvature(x)).abs() < 1e-6 * scale, "{} curvature at {x}", g.name());
                prop_assert!(g.curvature(x) > 0.0);
                prop_assert!(g.value(x) >= f64::from(u8::from(x >= 0.0)), "{} bounds the step", g.name());
            }
        }

        #[test]
        fn pair_minimum_is_the_minimum(p in 0.01..10.0f64, q in 0.01..10.0f64) {
            for g in SURROGATES {
                let least = (-4000..=4000)
                    .map(|i| f64::from(i) * 0.005)
                    .map(|h| p * g.value(h) + q * g.value(-h))
                    .fold(f64::INFINITY, f64::min);
                let exact = g.pair_minimum(p, q);
                prop_assert!(exact <= least + 1e-12 && least <= exact + 1e-4 * (p + q), "{}", g.name());
            }
        }

        #[test]
        fn partner_solves_equation_4_3(theta in 0.3..10.0f64, cost in 0.01..1.0f64) {
            for g in SURROGATES {
                let p = g.partner(theta, cost);
                prop_assert!((g.pair_minimum(p, theta) - cost).abs() < 1e-9 * cost, "{} {p}", g.name());
            }
        }

        #[test]
        fn probability_minimises_the_expected_loss(p in 0.02..0.98f64) {
            for g in SURROGATES {
                let h = (-4000..=4000)
                    .map(|i| f64::from(i) * 0.002)
                    .min_by(|a, b| {
                        let risk = |h: f64| (1.0 - p) * g.value(h) + p * g.value(-h);
                        risk(*a).total_cmp(&risk(*b))
                    })
                    .unwrap();
                prop_assert!((g.probability(h) - p).abs() < 2e-3, "{}", g.name());
            }
        }
    }
}
