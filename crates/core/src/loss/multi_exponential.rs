//! The multi-class exponential loss exp(-y'F / K) of SAMME and GAMBLE (GAMBLE thesis 3.1; Zhu et al. 2009).
//!
//! Class c is coded as y with y_c = 1 and -1 / (K - 1) elsewhere. F sums to zero, so y'F / K = F_c / (K - 1): only the
//! score of a row's own class counts. Scores may be F and a mean that is the same for all rows.

use crate::context::Context;
use crate::data::Dataset;
use crate::math::{exp, exp_all};

/// Rows handled together.
const CHUNK: usize = 2048;

/// The loss on some rows.
pub struct MultiExponential<'a> {
    data: &'a Dataset,
    total: f64,
}

impl<'a> MultiExponential<'a> {
    /// The loss on these rows.
    pub fn new(data: &'a Dataset) -> Self {
        MultiExponential { data, total: data.weights.iter().sum() }
    }

    /// Weight of each row at these scores (`[row][class]`, each row with this mean over classes), up to a factor that keeps
    /// the largest near one; returns the loss, a weighted mean.
    pub fn weigh(&self, scores: &[f64], mean: f64, weights: &mut Vec<f64>, context: &Context) -> f64 {
        let (rows, classes) = (self.data.rows(), self.data.class_count());
        weights.resize(rows, 0.0);
        let share = 1.0 / (classes as f64 - 1.0);
        let exponents = context.map_parts(weights, CHUNK, rows * 2, |i, part| {
            let labels = &self.data.labels[i * CHUNK..];
            let scores = scores[i * CHUNK * classes..].chunks_exact(classes);
            let mut most = f64::NEG_INFINITY;
            for ((out, scores), label) in part.iter_mut().zip(scores).zip(labels) {
                *out = (mean - scores[*label as usize]) * share;
                most = most.max(*out);
            }
            most
        });
        let most = exponents.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let sums = context.map_parts(weights, CHUNK, rows * 16, |i, part| {
            part.iter_mut().for_each(|exponent| *exponent -= most);
            exp_all(part);
            let weighed = part.iter_mut().zip(&self.data.weights[i * CHUNK..]);
            weighed.fold(0.0, |sum, (out, weight)| {
                *out *= weight;
                sum + *out
            })
        });
        exp(most) * (sums.into_iter().sum::<f64>() / self.total)
    }
}
