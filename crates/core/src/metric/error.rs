//! The share of wrong answers.

use super::weighted_mean;

/// Weighted fraction of rows whose prediction is not their label; labels of unseen classes are always errors.
pub fn error_rate(labels: &[u32], predicted: &[u32], weights: &[f64]) -> f64 {
    debug_assert!(labels.len() == predicted.len() && labels.len() == weights.len());
    weighted_mean(weights, |row| if labels[row] == predicted[row] { 0.0 } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::UNSEEN_CLASS;

    #[test]
    fn counts_weighted_mistakes() {
        assert_eq!(error_rate(&[0, 1, 2, UNSEEN_CLASS], &[0, 1, 1, 0], &[1.0, 1.0, 1.0, 1.0]), 0.5);
        assert_eq!(error_rate(&[0, 1], &[0, 0], &[3.0, 1.0]), 0.25);
        assert!(error_rate(&[], &[], &[]).is_nan());
    }
}
