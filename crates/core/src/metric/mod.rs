//! How good predictions are: pure functions of labels, predictions or probabilities, and row weights.
//!
//! Shared conventions. Labels and predictions are class numbers below K; a label of
//! [`UNSEEN_CLASS`](crate::data::UNSEEN_CLASS) is a class the model never met, so every answer to it is wrong and its
//! probability was zero. Probabilities are stored row by row, K to a row. Weight two counts as two rows and weight
//! zero as none. A mean over nothing (no rows, or weights that add up to zero) is NaN: no number would be true.

mod auc;
mod brier;
mod calibration;
mod confusion;
mod cost;
mod error;
mod interval;
mod log_loss;
mod ranking;

pub use auc::auc_binary;
pub use brier::brier;
pub use calibration::{CALIBRATION_BINS, ReliabilityBin, expected_calibration_error, reliability};
pub use confusion::Confusion;
pub use cost::mean_cost;
pub use error::error_rate;
pub use interval::wilson_interval;
pub use log_loss::{SMALLEST_PROBABILITY, log_loss};
pub use ranking::{ndcg, pair_error};

/// Weighted mean of the values of rows, summed in row order.
fn weighted_mean(weights: &[f64], value: impl Fn(usize) -> f64) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (row, &weight) in weights.iter().enumerate() {
        // A row of weight zero is absent, even if its value is not a number.
        if weight != 0.0 {
            sum += weight * value(row);
            total += weight;
        }
    }
    sum / total
}

#[cfg(test)]
mod tests;
