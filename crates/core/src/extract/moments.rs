//! Weighted means and scatter of points, block by block.

use super::Request;
use crate::linear::Symmetric;

/// Rows of a block.
const BLOCK: usize = 1024;

/// Weight and mean point of each class; a class without rows has weight and mean zero.
pub(super) fn class_means(request: &Request<'_>) -> (Vec<f64>, Vec<f64>) {
    let (data, dimensions) = (request.data, request.coding.dimensions());
    let mut weights = vec![0.0; data.class_count()];
    let mut means = vec![0.0; weights.len() * dimensions];
    for start in (0..data.rows()).step_by(BLOCK) {
        let rows = BLOCK.min(data.rows() - start);
        let points = request.coding.coordinates(&data.features, start, rows);
        for (row, point) in points.chunks_exact(dimensions).enumerate() {
            let (w, k) = (data.weights[start + row], data.labels[start + row] as usize);
            weights[k] += w;
            means[k * dimensions..][..dimensions].iter_mut().zip(point).for_each(|(mean, x)| *mean += w * x);
        }
    }
    for (mean, weight) in means.chunks_exact_mut(dimensions).zip(&weights).filter(|(_, weight)| **weight > 0.0) {
        mean.iter_mut().for_each(|x| *x /= weight);
    }
    (weights, means)
}

/// The mean of all points, from those of the classes.
pub(super) fn mean(weights: &[f64], means: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let dimensions = means.len() / weights.len().max(1);
    let mut mean = vec![0.0; dimensions];
    for (class, weight) in means.chunks_exact(dimensions).zip(weights) {
        mean.iter_mut().zip(class).for_each(|(mean, x)| *mean += weight / total * x);
    }
    mean
}

/// Weighted covariance of points around a centre of each row.
pub(super) fn scatter<'a>(request: &Request<'_>, centre: impl Fn(usize) -> &'a [f64]) -> Symmetric {
    let (data, dimensions) = (request.data, request.coding.dimensions());
    let total: f64 = data.weights.iter().sum();
    let mut sum = Symmetric::zero(dimensions);
    for start in (0..data.rows()).step_by(BLOCK) {
        let rows = BLOCK.min(data.rows() - start);
        let points = request.coding.coordinates(&data.features, start, rows);
        // [coordinate][row], as matrices are.
        let (mut left, mut right) = (vec![0.0; points.len()], vec![0.0; points.len()]);
        for (row, point) in points.chunks_exact(dimensions).enumerate() {
            let share = data.weights[start + row] / total;
            for (i, (x, c)) in point.iter().zip(centre(start + row)).enumerate() {
                right[i * rows + row] = x - c;
                left[i * rows + row] = (x - c) * share;
            }
        }
        sum.add(&left, &right, request.context);
    }
    sum
}
