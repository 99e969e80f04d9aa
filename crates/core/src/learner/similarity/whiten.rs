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

/// What the trials of the portfolio used; other values were not compared.
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

#[cfg(test)]
mod tests {
    use super::super::{Scaling, points};
    use super::*;
    use crate::context::stream;
    use crate::data::{Column, Roles, Table};
    use crate::model::similarity::{Points, squared_distance};
    use proptest::prelude::*;
    use rand::RngExt;

    const NONE: Shrinkage = Shrinkage { diagonal: 0.0, added: 0.0 };

    /// Three classes of correlated numbers, a category, and weights.
    fn table(seed: u64, rows: usize) -> Vec<Vec<f64>> {
        let mut rng = stream(seed, "whiten");
        let row = |_: usize| {
            let free: Vec<f64> = (0..4).map(|_| rng.random_range(-1.0..1.0)).collect();
            let class = rng.random_range(0..3);
            let x = free[0] + f64::from(class);
            vec![x, x + 0.3 * free[1], free[2] - 0.5 * free[0], f64::from(class), 1.5 + free[3]]
        };
        (0..rows).map(row).collect()
    }

    /// The numbers after a linear map.
    fn dataset(table: &[Vec<f64>], map: [[f64; 3]; 3]) -> Dataset {
        let number = |i: usize| {
            Column::numeric(table.iter().map(|row| (0..3).map(|j| map[i][j] * row[j]).sum::<f64>()).collect())
        };
        let level = Column::categorical((0..table.len()).map(|row| Some(["p", "q", "r"][row % 3])));
        let class = Column::categorical(table.iter().map(|row| Some(["a", "b", "c"][row[3] as usize])));
        let weight = Column::numeric(table.iter().map(|row| row[4]).collect());
        let names = ["x", "y", "z", "level", "class", "w"].map(String::from).to_vec();
        let columns = vec![number(0), number(1), number(2), level, class, weight];
        let roles = Roles { target: Some("class".into()), weights: Some("w".into()), ..Roles::default() };
        Dataset::from_table(&Table::new(names, columns).unwrap(), &roles, &mut Vec::new()).unwrap()
    }

    fn whitened(data: &Dataset, shrinkage: Shrinkage) -> (PointCoding, Points) {
        let context = Context::new(0, 1).unwrap();
        let mut coding = super::super::points::coding(data, Scaling::WithinClass, &context).unwrap();
        coding.whitening = whitening(&coding, data, shrinkage, &context).unwrap();
        let points = points::points(&coding, data, &context);
        (coding, points)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// By `covariance` itself of the whitened points, which the property of distances below checks in turn.
        #[test]
        fn within_classes_the_covariance_is_the_unit_matrix(seed: u64) {
            let data = dataset(&table(seed, 200), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
            let (coding, _) = whitened(&data, NONE);
            let covariance = covariance(&coding, &data, &Context::new(0, 1).unwrap());
            for i in 0..3 {
                for j in 0..=i {
                    let unit = f64::from(u8::from(i == j));
                    let entry = covariance.values[j * 3 + i];
                    prop_assert!((entry - unit).abs() < 1e-4, "{entry} at {i}, {j}");
                }
            }
        }

        /// Any other units or mixtures of the numbers give the same distances; categories are left alone.
        #[test]
        fn linear_maps_change_nothing(seed: u64, mix in prop::array::uniform3(-0.8..0.8f64)) {
            let table = table(seed, 60);
            let plain = dataset(&table, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
            let mapped = dataset(&table, [[2.0, mix[0], 0.0], [0.0, 0.01, 0.0], [mix[1], mix[2], 30.0]]);
            let (coding, a) = whitened(&plain, NONE);
            let (_, b) = whitened(&mapped, NONE);
            for row in 1..60 {
                let (x, y) = (squared_distance(a.row(0), a.row(row)), squared_distance(b.row(0), b.row(row)));
                prop_assert!((x - y).abs() < 2e-3 * (1.0 + x), "{x} against {y}");
            }
            let levels = coding.dimensions() - 3;
            let length = |point: &[f32]| point[3..3 + levels].iter().map(|v| v * v).sum::<f32>();
            prop_assert!((0..60).all(|row| (length(a.row(row)) - 0.5).abs() < 1e-6));
        }
    }

    #[test]
    fn too_many_numbers_are_refused_in_a_sentence() {
        let names: Vec<String> = (0..=MOST_NUMBERS).map(|i| format!("x{i}")).chain(["class".to_string()]).collect();
        let mut columns: Vec<Column> =
            (0..=MOST_NUMBERS).map(|i| Column::numeric(vec![i as f64, 1.0, 2.5, 4.0])).collect();
        columns.push(Column::categorical(["a", "b", "a", "b"].map(Some)));
        let table = Table::new(names, columns).unwrap();
        let data = Dataset::from_table(&table, &Roles::default(), &mut Vec::new()).unwrap();
        let context = Context::new(0, 1).unwrap();
        let error = super::super::points::coding(&data, Scaling::Whitened, &context).unwrap_err().to_string();
        assert!(error.contains("at most 2000") && error.contains("within-class"), "{error}");
    }
}
