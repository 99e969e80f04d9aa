//! From scores to probabilities: where the expected loss is smallest, scores are a function of the probabilities, and
//! a link is its inverse.

use crate::error::Result;
use crate::loss::{Surrogate, surrogate};
use crate::math::exp;

/// How the scores of a row become probabilities. Model files hold the name.
#[derive(Clone, Copy)]
pub enum Link {
    /// A sum of losses of single scores: each class's own estimate, scaled to sum one.
    Each(&'static dyn Surrogate),
    /// The multi-class exponential loss exp(-y'F / K), smallest at F_k = (K - 1) (ln p_k - mean of ln p) (GAMBLE,
    /// Theorem 1): p is the softmax of F / (K - 1).
    MultiExponential,
    /// The multinomial log loss: p is the softmax of the scores.
    Softmax,
    /// Scores are frequencies, up to a common factor: scaled to sum one, with a thousandth shared out evenly, since what
    /// no tree of a forest has seen is not impossible.
    Frequencies,
}

impl Link {
    /// Name of [`Link::MultiExponential`].
    pub const MULTI_EXPONENTIAL: &'static str = "multi-exp";
    /// Name of [`Link::Softmax`].
    pub const SOFTMAX: &'static str = "softmax";
    /// Name of [`Link::Frequencies`].
    pub const FREQUENCIES: &'static str = "frequencies";

    /// The link of this name.
    pub fn named(name: &str) -> Result<Link> {
        match name {
            Self::MULTI_EXPONENTIAL => Ok(Link::MultiExponential),
            Self::SOFTMAX => Ok(Link::Softmax),
            Self::FREQUENCIES => Ok(Link::Frequencies),
            name => Ok(Link::Each(surrogate(name)?)),
        }
    }

    /// The name of a link that exists.
    pub(crate) fn known(name: &str) -> Result<&'static str> {
        let own = [Self::MULTI_EXPONENTIAL, Self::SOFTMAX, Self::FREQUENCIES].into_iter().find(|own| *own == name);
        own.map_or_else(|| Ok(surrogate(name)?.name()), Ok)
    }

    /// Turns the scores of one row into probabilities.
    pub fn apply(self, row: &mut [f64]) {
        match self {
            Link::Each(g) => row.iter_mut().for_each(|h| *h = g.probability(*h)),
            Link::MultiExponential => exponentials(row, 1.0 / (row.len() as f64 - 1.0).max(1.0)),
            Link::Softmax => exponentials(row, 1.0),
            Link::Frequencies => {
                row.iter_mut().for_each(|h| *h = h.max(0.0));
                let floor = row.iter().sum::<f64>() * UNSEEN / row.len() as f64;
                row.iter_mut().for_each(|h| *h = (1.0 - UNSEEN) * *h + floor);
            }
        }
        let sum: f64 = row.iter().sum();
        let even = 1.0 / row.len() as f64;
        row.iter_mut().for_each(|p| *p = if sum > 0.0 { *p / sum } else { even });
    }
}

/// What a forest's frequencies leave to classes that no tree has seen.
const UNSEEN: f64 = 1e-3;

/// e^(scale h), up to a factor that keeps the largest at one.
fn exponentials(row: &mut [f64], scale: f64) {
    let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    row.iter_mut().for_each(|h| *h = exp((*h - most) * scale));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::ln;
    use proptest::prelude::*;

    proptest! {
        /// Theorem 1: at the scores of these probabilities the expected loss has no slope along sum-zero directions.
        #[test]
        fn the_multi_exponential_link_inverts_the_minimiser(shares in prop::collection::vec(0.05..1.0f64, 2..7)) {
            let k = shares.len() as f64;
            let sum: f64 = shares.iter().sum();
            let p: Vec<f64> = shares.iter().map(|s| s / sum).collect();
            let mean = p.iter().map(|p| ln(*p)).sum::<f64>() / k;
            let scores: Vec<f64> = p.iter().map(|p| (k - 1.0) * (ln(*p) - mean)).collect();
            // d/dF_j of E exp(-F_c / (K - 1)), for F that sum to zero: the same for all j.
            let slopes: Vec<f64> = p.iter().zip(&scores).map(|(p, f)| p * exp(-f / (k - 1.0))).collect();
            prop_assert!(slopes.iter().all(|s| (s - slopes[0]).abs() < 1e-9 * slopes[0]));
            let mut back = scores;
            Link::named(Link::MULTI_EXPONENTIAL).unwrap().apply(&mut back);
            for (a, b) in back.iter().zip(&p) {
                prop_assert!((a - b).abs() < 1e-12);
            }
        }
    }
}
