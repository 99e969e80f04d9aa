//! Calibrated probabilities from a booster's scores, for the two-step way of using costs: p = softmax(t H + b), with
//! one temperature and a bias for each class, fitted by least log-loss to scores of rows the booster did not train on
//! (3-fold out of fold). Platt's scaling (1999), for K classes.

use crate::plane::rebel;
use rebelboost::Result;
use rebelboost::context::{Context, stream};
use rebelboost::data::{CostMatrix, Dataset, stratified_folds};
use rebelboost::model::{Scores, argmax};

const FOLDS: usize = 3;

/// The fitted map from scores to probabilities.
pub struct Calibration {
    temperature: f64,
    biases: Vec<f64>,
}

/// Fits the map to out-of-fold scores of boosters like the one to be calibrated.
pub fn out_of_fold(data: &Dataset, rounds: usize, depth: usize, context: &Context) -> Result<Calibration> {
    let classes = data.class_count();
    let fold_of = stratified_folds(&data.labels, classes, FOLDS, &mut stream(0, "bench/calibration"));
    let mut scores = Scores { classes, values: vec![0.0; data.rows() * classes] };
    for fold in 0..FOLDS as u32 {
        let rows = |inside: bool| (0..data.rows()).filter(|&r| (fold_of[r] == fold) == inside).collect::<Vec<_>>();
        let (held, others) = (rows(true), rows(false));
        let model = rebel(&data.select(&others), None, rounds, depth, context)?;
        let held_scores = model.scores(&data.select(&held).features, context);
        for (row, h) in held.iter().zip(held_scores.rows()) {
            scores.values[row * classes..(row + 1) * classes].copy_from_slice(h);
        }
    }
    Ok(Calibration::fit(&scores, &data.labels))
}

impl Calibration {
    /// Newton's method on the log-loss, which is convex in temperature and biases; a trace of ridge keeps the
    /// direction that changes nothing (all biases alike) at zero.
    pub fn fit(scores: &Scores, labels: &[u32]) -> Self {
        let classes = scores.classes;
        let size = classes + 1;
        let mut fitted = Calibration { temperature: 1.0, biases: vec![0.0; classes] };
        let mut loss = fitted.loss(scores, labels);
        for _ in 0..50 {
            let mut slope = vec![0.0; size];
            let mut curve = vec![0.0; size * size];
            for (h, &label) in scores.rows().zip(labels) {
                let p = fitted.probabilities(h);
                let mean: f64 = p.iter().zip(h).map(|(p, h)| p * h).sum();
                slope[0] += mean - h[label as usize];
                curve[0] += p.iter().zip(h).map(|(p, h)| p * (h - mean) * (h - mean)).sum::<f64>();
                for k in 0..classes {
                    slope[k + 1] += p[k] - f64::from(u8::from(label as usize == k));
                    curve[k + 1] += p[k] * (h[k] - mean);
                    for j in 0..classes {
                        curve[(k + 1) * size + j + 1] += p[k] * (f64::from(u8::from(j == k)) - p[j]);
                    }
                }
            }
            for k in 0..size {
                curve[k * size] = curve[k];
                curve[k * size + k] += 1e-6 * labels.len() as f64;
            }
            let step = solve(curve, slope);
            // Halved until it helps: far from the optimum a full step can overshoot.
            let better = (0..20).map(|halvings| 0.5f64.powi(halvings)).find_map(|share| {
                let trial = Calibration {
                    temperature: fitted.temperature - share * step[0],
                    biases: fitted.biases.iter().zip(&step[1..]).map(|(b, s)| b - share * s).collect(),
                };
                let trial_loss = trial.loss(scores, labels);
                (trial_loss < loss - 1e-12).then_some((trial, trial_loss))
            });
            let Some((next, next_loss)) = better else { break };
            (fitted, loss) = (next, next_loss);
        }
        fitted
    }

    /// Probabilities of the classes of one row.
    pub fn probabilities(&self, scores: &[f64]) -> Vec<f64> {
        let logits: Vec<f64> = scores.iter().zip(&self.biases).map(|(h, b)| self.temperature * h + b).collect();
        let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = logits.iter().map(|z| (z - largest).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.iter().map(|p| p / sum).collect()
    }

    /// The answers of least expected cost.
    pub fn decide(&self, scores: &Scores, costs: &CostMatrix) -> Vec<u32> {
        let answer = |h: &[f64]| {
            let p = self.probabilities(h);
            let gain = |answer: usize| -(0..p.len()).map(|truth| p[truth] * costs.get(truth, answer)).sum::<f64>();
            argmax(&(0..p.len()).map(gain).collect::<Vec<_>>()) as u32
        };
        scores.rows().map(answer).collect()
    }

    fn loss(&self, scores: &Scores, labels: &[u32]) -> f64 {
        let of_row = |(h, &label): (&[f64], &u32)| -self.probabilities(h)[label as usize].max(1e-300).ln();
        scores.rows().zip(labels).map(of_row).sum::<f64>() / labels.len() as f64
    }
}

/// Solves a symmetric positive definite system by elimination; it is K + 1 wide.
fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for i in 0..n {
        for below in i + 1..n {
            let factor = matrix[below * n + i] / matrix[i * n + i];
            for column in i..n {
                matrix[below * n + column] -= factor * matrix[i * n + column];
            }
            right[below] -= factor * right[i];
        }
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| matrix[i * n + j] * right[j]).sum();
        right[i] = (right[i] - known) / matrix[i * n + i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_a_small_system() {
        let x = solve(vec![4.0, 1.0, 1.0, 3.0], vec![1.0, 2.0]);
        assert!((x[0] - 1.0 / 11.0).abs() < 1e-12 && (x[1] - 7.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn recovers_frequencies() {
        // Two kinds of rows: scores (1, 0) are class 0 in 3 of 4 cases, scores (0, 1) in 1 of 4.
        let values = [[1.0, 0.0], [0.0, 1.0]].repeat(4).concat();
        let labels = [0, 1, 0, 1, 0, 1, 1, 0];
        let fitted = Calibration::fit(&Scores { classes: 2, values }, &labels);
        let p = fitted.probabilities(&[1.0, 0.0]);
        assert!((p[0] - 0.75).abs() < 1e-3, "{p:?}");
    }
}
