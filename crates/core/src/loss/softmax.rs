//! The multinomial log loss: -ln p_c for a row of class c, where p is the softmax of its scores.
//!
//! With row weight w, the gradient is w (p_k - [k = c]) and the diagonal of the curvature w p_k (1 - p_k).

use crate::context::Context;
use crate::data::Dataset;
use crate::math::{exp_all, ln};

/// Rows handled together.
const CHUNK: usize = 512;

/// The loss on some rows.
pub struct Softmax<'a> {
    data: &'a Dataset,
    total: f64,
}

impl<'a> Softmax<'a> {
    /// The loss on these rows.
    pub fn new(data: &'a Dataset) -> Self {
        Softmax { data, total: data.weights.iter().sum() }
    }

    /// Probabilities (`[row][class]`) at these scores; returns the loss, a weighted mean.
    pub fn weigh(&self, scores: &[f64], probabilities: &mut Vec<f64>, context: &Context) -> f64 {
        let classes = self.data.class_count();
        probabilities.resize(scores.len(), 0.0);
        let sums = context.map_parts(probabilities, CHUNK * classes, scores.len() * 16, |i, part| {
            let rows = part.chunks_exact_mut(classes).zip(scores[i * CHUNK * classes..].chunks_exact(classes));
            let known = self.data.labels[i * CHUNK..].iter().zip(&self.data.weights[i * CHUNK..]);
            let largest = |scores: &[f64]| scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for (out, scores) in rows {
                let most = largest(scores);
                out.iter_mut().zip(scores).for_each(|(p, h)| *p = *h - most);
            }
            exp_all(part);
            let rows = part.chunks_exact_mut(classes).zip(scores[i * CHUNK * classes..].chunks_exact(classes));
            let mut loss = 0.0;
            for ((out, scores), (label, weight)) in rows.zip(known) {
                let most = largest(scores);
                let sum: f64 = out.iter().sum();
                out.iter_mut().for_each(|p| *p /= sum);
                loss += weight * (ln(sum) + most - scores[*label as usize]);
            }
            loss
        });
        sums.into_iter().sum::<f64>() / self.total
    }

    /// The start: the logarithm of each class's share of the weight, at least that of one in a million.
    pub fn start(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.data.class_count()];
        self.data.labels.iter().zip(&self.data.weights).for_each(|(label, weight)| shares[*label as usize] += weight);
        shares.into_iter().map(|share| ln((share / self.total).max(1e-6))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Roles, Table};
    use proptest::prelude::*;

    proptest! {
        /// Gradient and curvature against differences of the loss and of the gradient.
        #[test]
        fn derivatives_are_numerical_derivatives(scores in prop::collection::vec(-4.0..4.0f64, 6), weight in 0.5..3.0f64) {
            let class = Column::categorical(["a", "b", "c"].map(Some).into_iter());
            let columns = vec![Column::numeric(vec![1.0, 2.0, 3.0]), Column::numeric(vec![weight, 0.0, 1.0]), class];
            let table = Table::new(vec!["x".into(), "w".into(), "class".into()], columns).unwrap();
            let roles = Roles { target: Some("class".into()), weights: Some("w".into()), ..Roles::default() };
            let data = Dataset::from_table(&table, &roles, &mut Vec::new()).unwrap();
            let k = data.class_count();
            let scores = &scores[..data.rows() * k];
            let context = Context::new(0, 1).unwrap();
            let loss = Softmax::new(&data);
            let total: f64 = data.weights.iter().sum();
            let at = |i: usize, by: f64| {
                let mut moved = scores.to_vec();
                moved[i] += by;
                let mut p = Vec::new();
                (loss.weigh(&moved, &mut p, &context) * total, p)
            };
            let (_, p) = at(0, 0.0);
            for i in 0..scores.len() {
                let (row, class) = (i / k, i % k);
                let (w, own) = (data.weights[row], f64::from(u8::from(data.labels[row] as usize == class)));
                let (e, (high, p_high), (low, p_low)) = (1e-5, at(i, 1e-5), at(i, -1e-5));
                prop_assert!(((high - low) / (2.0 * e) - w * (p[i] - own)).abs() < 1e-7);
                prop_assert!((w * (p_high[i] - p_low[i]) / (2.0 * e) - w * p[i] * (1.0 - p[i])).abs() < 1e-7);
            }
        }
    }
}
