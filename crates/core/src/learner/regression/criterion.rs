//! How a split of a tree of classes is judged, from the weight of each class on both sides (thesis 3.3).
//!
//! Impurities are masses: weight times impurity, so that a split's worth is the parent's mass less the children's and best-first
//! growth compares leaves of any size.
//! * gini: sum_k n_k (1 - n_k / n), the squared error of the class indicator: as everywhere else in this module;
//! * entropy: minus sum_k n_k ln(n_k / n) (ID3);
//! * gain-ratio: what entropy gains, divided by the entropy of the split itself (C4.5), without C4.5's rule that the gain must be
//!   above average;
//! * error: n less the weight of the weightiest class. Many splits gain nothing by it, and then a leaf stays whole.

use crate::math::ln;
use crate::settings::{Kind, Parameter};

/// `--criterion`.
pub const CRITERION: Parameter = Parameter {
    name: "criterion",
    kind: Kind::Choice(&["gini", "entropy", "gain-ratio", "error"]),
    default: "gini",
    help: "how splits of trees of classes are judged",
};

/// A criterion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// The Gini index, or the variance.
    #[default]
    Gini,
    /// The entropy.
    Entropy,
    /// The gain of entropy by that of the split.
    GainRatio,
    /// The error of the weightiest class.
    Error,
}

impl Criterion {
    /// By name; anything unknown is the default.
    pub fn named(name: &str) -> Self {
        match name {
            "entropy" => Criterion::Entropy,
            "gain-ratio" => Criterion::GainRatio,
            "error" => Criterion::Error,
            _ => Criterion::Gini,
        }
    }

    /// The worth of a node of these class weights, which a split must improve on; not for Gini, which is judged by squares.
    pub(super) fn node(self, total: &[i32]) -> f64 {
        let weight: f64 = total.iter().map(|n| f64::from(*n)).sum();
        match self {
            Criterion::Error => total.iter().copied().max().map_or(0.0, f64::from),
            _ => weight * ln(total.len() as f64) - entropy(total.iter().map(|n| f64::from(*n)), weight),
        }
    }

    /// The worth of a split into `left` (with `more`, if any) and the rest of `total`.
    pub(super) fn split(self, left: &[i32], more: Option<&[i32]>, total: &[i32]) -> f64 {
        let at = |k: usize| f64::from(left[k]) + more.map_or(0.0, |more| f64::from(more[k]));
        let left: Vec<f64> = (0..total.len()).map(at).collect();
        let right: Vec<f64> = left.iter().zip(total).map(|(l, t)| f64::from(*t) - l).collect();
        let weights = [left.iter().sum::<f64>(), right.iter().sum::<f64>()];
        if self == Criterion::Error {
            let most = |side: &[f64]| side.iter().copied().fold(0.0, f64::max);
            return most(&left) + most(&right);
        }
        let before = self.node(total);
        let weight = weights[0] + weights[1];
        let masses = entropy(left.into_iter(), weights[0]) + entropy(right.into_iter(), weights[1]);
        let gain = weight * ln(total.len() as f64) - masses - before;
        match self {
            Criterion::GainRatio => {
                let itself = entropy(weights.into_iter(), weight) / weight;
                before + if itself > 0.0 { gain / itself } else { 0.0 }
            }
            _ => before + gain,
        }
    }
}

/// Minus sum of n ln(n / weight).
fn entropy(counts: impl Iterator<Item = f64>, weight: f64) -> f64 {
    counts.filter(|n| *n > 0.0).map(|n| n * (ln(weight) - ln(n))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// No split is worth less than none, and a pure split is worth most of all.
        #[test]
        fn splits_never_lose(left in prop::collection::vec(0i32..1000, 4), right in prop::collection::vec(0i32..1000, 4)) {
            let total: Vec<i32> = left.iter().zip(&right).map(|(l, r)| l + r).collect();
            prop_assume!(left.iter().any(|n| *n > 0) && right.iter().any(|n| *n > 0));
            for criterion in [Criterion::Entropy, Criterion::GainRatio, Criterion::Error] {
                let (split, node) = (criterion.split(&left, None, &total), criterion.node(&total));
                prop_assert!(split >= node - 1e-9 * (1.0 + node.abs()), "{criterion:?}");
            }
            // Entropy against its definition.
            let plain = |counts: &[i32]| -> f64 {
                let n: i32 = counts.iter().sum();
                counts.iter().filter(|c| **c > 0).map(|c| -f64::from(*c) * (f64::from(*c) / f64::from(n)).ln()).sum()
            };
            let gain = Criterion::Entropy.split(&left, None, &total) - Criterion::Entropy.node(&total);
            prop_assert!((gain - (plain(&total) - plain(&left) - plain(&right))).abs() < 1e-6);
        }
    }
}
