//! Weights on wrong labels: D(n, l) = w_n exp(s (F_l - F_c)) for every class l other than the row's own c. The loss of
//! AdaBoost.M2 and .MR, AdaBoost.ECC and GD-MCBoost is their sum with s = 1/2, that of GEL-MCBoost their sum times costs.

use crate::context::Context;
use crate::data::Dataset;
use crate::math::exp;

/// Rows handled together.
const CHUNK: usize = 512;

/// Weights on wrong labels at some scores.
pub(crate) struct Mislabels<'a> {
    data: &'a Dataset,
    /// s.
    scale: f64,
    /// Slopes of the loss downhill, `[row][class]`, without s: minus D for a wrong label, for the own class the sum of D.
    pub slopes: Vec<f64>,
    /// Sum of D over the wrong labels of each row.
    pub weights: Vec<f64>,
}

impl<'a> Mislabels<'a> {
    /// For these rows.
    pub fn new(data: &'a Dataset, scale: f64) -> Self {
        Mislabels { data, scale, slopes: Vec::new(), weights: Vec::new() }
    }

    /// The rows.
    pub fn data(&self) -> &'a Dataset {
        self.data
    }

    /// Weighs all wrong labels, times `factor(class of the row, label)`, up to a common factor that keeps the largest
    /// near one; returns the logarithm of that factor and the sum of all.
    pub fn weigh(
        &mut self,
        scores: &[f64],
        factor: impl Fn(usize, usize) -> f64 + Sync,
        context: &Context,
    ) -> (f64, f64) {
        let (data, classes, scale) = (self.data, self.data.class_count(), self.scale);
        let most = most_negative_margin(data, scores, context) * scale;
        self.slopes.resize(scores.len(), 0.0);
        let sums = context.map_parts(&mut self.slopes, CHUNK * classes, scores.len() * 16, |i, part| {
            let rows = part.chunks_exact_mut(classes).zip(scores[i * CHUNK * classes..].chunks_exact(classes));
            let known = data.labels[i * CHUNK..].iter().zip(&data.weights[i * CHUNK..]);
            let each = rows.zip(known).map(|((out, scores), (label, weight))| {
                let own = *label as usize;
                let mut sum = 0.0;
                for (class, (out, score)) in out.iter_mut().zip(scores).enumerate() {
                    if class != own {
                        let d = weight * factor(own, class) * exp(scale * (score - scores[own]) - most);
                        *out = -d;
                        sum += d;
                    }
                }
                out[own] = sum;
                sum
            });
            each.collect::<Vec<f64>>()
        });
        self.weights.clear();
        sums.into_iter().for_each(|part| self.weights.extend(part));
        (most, self.weights.iter().sum())
    }
}

/// The largest F_l - F_c of all rows and wrong labels, at least zero.
fn most_negative_margin(data: &Dataset, scores: &[f64], context: &Context) -> f64 {
    let classes = data.class_count();
    let parts = context.map(data.rows().div_ceil(CHUNK), scores.len(), |i| {
        let rows = scores[i * CHUNK * classes..].chunks_exact(classes).zip(&data.labels[i * CHUNK..]).take(CHUNK);
        let worst = rows.map(|(scores, label)| {
            scores.iter().copied().fold(f64::NEG_INFINITY, f64::max) - scores[*label as usize]
        });
        worst.fold(0.0, f64::max)
    });
    parts.into_iter().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Roles, Table};
    use proptest::prelude::*;

    proptest! {
        /// Slopes against differences of the loss.
        #[test]
        fn slopes_are_numerical_derivatives(scores in prop::collection::vec(-3.0..3.0f64, 9), scale in 0.3..1.5f64) {
            let class = Column::categorical(["a", "b", "c"].map(Some).into_iter());
            let columns = vec![Column::numeric(vec![1.0, 2.0, 3.0]), Column::numeric(vec![0.5, 2.0, 1.0]), class];
            let table = Table::new(vec!["x".into(), "w".into(), "class".into()], columns).unwrap();
            let roles = Roles { target: Some("class".into()), weights: Some("w".into()), ..Roles::default() };
            let data = Dataset::from_table(&table, &roles, &mut Vec::new()).unwrap();
            let context = Context::new(0, 1).unwrap();
            let cost = |truth: usize, answer: usize| 1.0 + truth as f64 + 0.5 * answer as f64;
            let mut weights = Mislabels::new(&data, scale);
            let mut loss = |scores: &[f64]| {
                let (most, total) = weights.weigh(scores, cost, &context);
                (exp(most) * total, exp(most), weights.slopes.clone())
            };
            let (_, unit, slopes) = loss(&scores);
            for i in 0..scores.len() {
                let mut at = |by: f64| {
                    let mut moved = scores.clone();
                    moved[i] += by;
                    loss(&moved).0
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                prop_assert!((slope + scale * unit * slopes[i]).abs() < 1e-5 * (1.0 + slope.abs()), "{slope} {}", slopes[i]);
            }
        }
    }
}
