//! How surprised probabilities are by the truth.

use super::weighted_mean;
use crate::math::ln;

/// Probabilities below this count as this: one certain mistake costs 34.5, not infinitely much.
pub const SMALLEST_PROBABILITY: f64 = 1e-15;

/// Weighted mean of -ln(probability of the true class), a class never seen having the smallest probability.
pub fn log_loss(labels: &[u32], probabilities: &[f64], classes: usize, weights: &[f64]) -> f64 {
    debug_assert!(probabilities.len() == labels.len() * classes && labels.len() == weights.len());
    weighted_mean(weights, |row| {
        let truth = labels[row] as usize;
        let p = if truth < classes { probabilities[row * classes + truth] } else { 0.0 };
        // NaN must not pass for a probability. Adding zero makes zero of minus zero.
        if p.is_nan() { p } else { -ln(p.clamp(SMALLEST_PROBABILITY, 1.0)) + 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::UNSEEN_CLASS;

    #[test]
    fn known_values() {
        assert_eq!(log_loss(&[0, 1], &[1.0, 0.0, 0.0, 1.0], 2, &[1.0, 1.0]), 0.0);
        let half = log_loss(&[0, 1], &[0.5, 0.5, 0.5, 0.5], 2, &[1.0, 7.0]);
        assert!((half - std::f64::consts::LN_2).abs() < 1e-15);
        let worst = -ln(SMALLEST_PROBABILITY);
        assert_eq!(log_loss(&[1], &[1.0, 0.0], 2, &[1.0]), worst);
        assert_eq!(log_loss(&[UNSEEN_CLASS], &[1.0, 0.0], 2, &[1.0]), worst);
        assert!(log_loss(&[0], &[f64::NAN, 0.0], 2, &[1.0]).is_nan());
    }
}
