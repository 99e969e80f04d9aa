//! The classifiers of the lecture's table besides boosting: naive Bayes and the perceptron, for binary features.

use rand::seq::SliceRandom;
use rebelboost::context::stream;
use rebelboost::data::{Column, Dataset};
use rebelboost::model::argmax;

/// Rows as bits.
struct Bits {
    /// `[row][feature]`.
    values: Vec<bool>,
    features: usize,
}

impl Bits {
    fn of(data: &Dataset) -> Self {
        let features = data.features.columns.len();
        let mut values = vec![false; data.rows() * features];
        for (j, column) in data.features.columns.iter().enumerate() {
            if let Column::Numeric(numbers) = column {
                (0..data.rows()).for_each(|row| values[row * features + j] = numbers.get(row) > 0.5);
            }
        }
        Bits { values, features }
    }

    fn rows(&self) -> impl Iterator<Item = &[bool]> {
        self.values.chunks_exact(self.features)
    }
}

/// Answers to the test rows of naive Bayes: features are independent within a class, with one row of each kind added.
pub fn naive_bayes(training: &Dataset, test: &Dataset) -> Vec<u32> {
    let (bits, classes) = (Bits::of(training), training.class_count());
    let mut rows = vec![0.0; classes];
    let mut ones = vec![0.0; classes * bits.features];
    for (row, y) in bits.rows().zip(&training.labels) {
        rows[*y as usize] += 1.0;
        let ones = &mut ones[*y as usize * bits.features..][..bits.features];
        ones.iter_mut().zip(row).for_each(|(one, x)| *one += f64::from(u8::from(*x)));
    }
    let score = |row: &[bool], k: usize| -> f64 {
        let chance = |(j, x): (usize, &bool)| {
            let p = (ones[k * bits.features + j] + 1.0) / (rows[k] + 2.0);
            (if *x { p } else { 1.0 - p }).ln()
        };
        ((rows[k] + 1.0) / training.rows() as f64).ln() + row.iter().enumerate().map(chance).sum::<f64>()
    };
    let answer = |row: &[bool]| argmax(&(0..classes).map(|k| score(row, k)).collect::<Vec<_>>()) as u32;
    Bits::of(test).rows().map(answer).collect()
}

/// Answers to the test rows of an averaged perceptron, one vector a class, after so many passes over the training rows.
pub fn perceptron(training: &Dataset, test: &Dataset, passes: usize) -> Vec<u32> {
    let (bits, classes) = (Bits::of(training), training.class_count());
    let width = bits.features + 1;
    // The last weight is that of a feature that is always there.
    let score = |weights: &[f64], row: &[bool], k: usize| -> f64 {
        let weights = &weights[k * width..(k + 1) * width];
        let signed = |(x, w): (&bool, &f64)| if *x { *w } else { -*w };
        row.iter().zip(weights).map(signed).sum::<f64>() + weights[width - 1]
    };
    let answer =
        |weights: &[f64], row: &[bool]| argmax(&(0..classes).map(|k| score(weights, row, k)).collect::<Vec<_>>());
    let (mut weights, mut sums) = (vec![0.0; classes * width], vec![0.0; classes * width]);
    let rows: Vec<&[bool]> = bits.rows().collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut rng = stream(0, "bench/perceptron");
    for _ in 0..passes {
        order.shuffle(&mut rng);
        for &row in &order {
            let (truth, said) = (training.labels[row] as usize, answer(&weights, rows[row]));
            for (k, step) in [(truth, 1.0), (said, -1.0)].into_iter().filter(|_| truth != said) {
                let weights = &mut weights[k * width..(k + 1) * width];
                weights.iter_mut().zip(rows[row]).for_each(|(w, x)| *w += if *x { step } else { -step });
                weights[width - 1] += step;
            }
        }
        sums.iter_mut().zip(&weights).for_each(|(sum, w)| *sum += w);
    }
    Bits::of(test).rows().map(|row| answer(&sums, row) as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rebelboost::data::{Roles, Table};

    fn data(rows: &[(&[u8], &str)]) -> Dataset {
        let width = rows[0].0.len();
        let mut columns: Vec<Column> =
            (0..width).map(|j| Column::numeric(rows.iter().map(|r| f64::from(r.0[j])).collect())).collect();
        columns.push(Column::categorical(rows.iter().map(|r| Some(r.1))));
        let names = (0..width).map(|j| format!("x{j}")).chain(["class".into()]).collect();
        Dataset::from_table(&Table::new(names, columns).unwrap(), &Roles::default(), &mut Vec::new()).unwrap()
    }

    #[test]
    fn both_learn_a_majority() {
        let all: Vec<(Vec<u8>, &str)> = (0..8u8)
            .map(|n| ((0..3).map(|j| (n >> j) & 1).collect(), if n.count_ones() > 1 { "many" } else { "few" }))
            .collect();
        let rows: Vec<(&[u8], &str)> = all.iter().map(|(bits, class)| (bits.as_slice(), *class)).collect();
        let data = data(&rows);
        assert_eq!(naive_bayes(&data, &data), data.labels);
        assert_eq!(perceptron(&data, &data, 20), data.labels);
    }
}
