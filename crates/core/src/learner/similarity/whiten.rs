//! `--scaling whitened`: numbers that are uncorrelated within classes, with deviation one. Distances are then those of
//! Mahalanobis, the metric behind linear discriminants.
//!
//! The covariance within classes is shrunk a little towards its diagonal, and a little is added to that, so that
//! neither few rows nor columns that depend on each other make it singular. W = L^-1 with L L' the result.

use crate::context::Context;
use crate::data::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::linear::{Cholesky, Symmetric};
use crate::model::similarity::{PointCoding, Whitening};

/// The matrix has half the square of this many entries, and so has the model.
const MOST_NUMBERS: usize = 2000;
/// Rows of a block.
const BLOCK: usize = 1024;

/// How far the covariance is moved to what is certainly positive definite.
#[derive(Clone, Copy)]
pub struct Shrinkage {
    /// Share of the diagonal matrix.
    pub diagonal: f64,
    /// Added to the diagonal, in units of the variance within classes.
    pub added: f64,
}

/// Found by trial on many data sets: any value near does as well.
pub const SHRINKAGE: Shrinkage = Shrinkage { diagonal: 0.1, added: 0.01 };

/// The matrix for numbers scaled to deviation one within classes; `None` if there are no numbers.
pub fn whitening(
    coding: &PointCoding,
    data: &Dataset,
    shrinkage: Shrinkage,
    context: &Context,
) -> Result<Option<Whitening>> {
    let numbers = coding.numbers().len();
    if numbers == 0 {
        return Ok(None);
    }
    if numbers > MOST_NUMBERS {
        return Err(Error::new(
            ErrorKind::Limit,
            format!("--scaling whitened is for at most {MOST_NUMBERS} numeric features, and there are {numbers}"),
        )
        .hint("use --scaling within-class"));
    }
    let mut covariance = covariance(coding, data, context);
    for column in 0..numbers {
        for row in column + 1..numbers {
            covariance.values[column * numbers + row] *= 1.0 - shrinkage.diagonal;
        }
    }
    let factor = Cholesky::new(&covariance, |_| shrinkage.added)?;
    let mut inverse = vec![0.0; numbers * numbers];
    (0..numbers).for_each(|i| inverse[i * (numbers + 1)] = 1.0);
    factor.half_solve(&mut inverse);
    // [column][row] becomes rows of a triangle. Single precision hides the last bits, in which the order of rows shows.
    let entry = |row: usize| (0..=row).map(move |column| (row, column));
    let entries = (0..numbers).flat_map(entry);
    let rows = entries.map(|(row, column)| inverse[column * numbers + row] as f32).collect();
    Ok(Some(Whitening { rows }))
}

/// Weighted covariance of the coded numbers within classes.
fn covariance(coding: &PointCoding, data: &Dataset, context: &Context) -> Symmetric {
    let places = coding.numbers();
    let (numbers, classes) = (places.len(), data.class_count());
    let block = |start: usize| {
        let rows = BLOCK.min(data.rows() - start);
        let points = coding.points(&data.features, start, rows);
        (rows, move |row: usize, place: usize| f64::from(points.row(row)[place]))
    };
    let mut means = vec![0.0; classes * numbers];
    let mut weights = vec![0.0; classes];
    for start in (0..data.rows()).step_by(BLOCK) {
        let (rows, value) = block(start);
        for row in 0..rows {
            let (w, k) = (data.weights[start + row], data.labels[start + row] as usize);
            weights[k] += w;
            let means = &mut means[k * numbers..(k + 1) * numbers];
            means.iter_mut().zip(&places).for_each(|(mean, place)| *mean += w * value(row, *place));
        }
    }
    for (means, weight) in means.chunks_exact_mut(numbers).zip(&weights).filter(|(_, weight)| **weight > 0.0) {
        means.iter_mut().for_each(|mean| *mean /= weight);
    }
    let total: f64 = weights.iter().sum();
    let mut sum = Symmetric::zero(numbers);
    for start in (0..data.rows()).step_by(BLOCK) {
        let (rows, value) = block(start);
        let mut left = vec![0.0; numbers * rows];
        let mut right = left.clone();
        for (i, place) in places.iter().enumerate() {
            for row in 0..rows {
                let mean = means[data.labels[start + row] as usize * numbers + i];
                let difference = value(row, *place) - mean;
                left[i * rows + row] = difference * data.weights[start + row] / total;
                right[i * rows + row] = difference;
            }
        }
        sum.add(&left, &right, context);
    }
    sum
}
