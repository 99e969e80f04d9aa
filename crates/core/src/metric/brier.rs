//! The squared distance of probabilities from the truth (Brier 1950).

use super::weighted_mean;

/// Weighted mean of sum over k of (p_k - [k is the truth])^2, from 0 (certain and right) to 2 (certain and wrong). A
/// class never seen is a class of probability zero beyond the K.
pub fn brier(labels: &[u32], probabilities: &[f64], classes: usize, weights: &[f64]) -> f64 {
    debug_assert!(probabilities.len() == labels.len() * classes && labels.len() == weights.len());
    weighted_mean(weights, |row| {
        let truth = labels[row] as usize;
        let unseen = if truth < classes { 0.0 } else { 1.0 };
        let row = &probabilities[row * classes..][..classes];
        row.iter().enumerate().map(|(k, p)| (p - f64::from(u8::from(k == truth))).powi(2)).sum::<f64>() + unseen
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::UNSEEN_CLASS;

    #[test]
    fn known_values() {
        assert_eq!(brier(&[0, 1], &[1.0, 0.0, 0.0, 1.0], 2, &[1.0, 1.0]), 0.0);
        assert_eq!(brier(&[1], &[1.0, 0.0], 2, &[1.0]), 2.0);
        assert_eq!(brier(&[0], &[0.5, 0.5], 2, &[1.0]), 0.5);
        assert_eq!(brier(&[UNSEEN_CLASS], &[1.0, 0.0], 2, &[1.0]), 2.0);
    }
}
