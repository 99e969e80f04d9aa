//! Random prices of mistakes, for experiments with costs (thesis 4.6, Fig. 4.5).

use super::random::Normal;
use crate::data::CostMatrix;
use crate::error::{Error, Result};
use rand_chacha::ChaCha8Rng;

/// A cost matrix with positive, normally distributed mistakes (absolute values of standard normal deviates),
/// "normalized such that random classification results in unit cost" (thesis 4.6).
///
/// A random answer is one of K, whatever the truth, and truths are equally likely: its expected cost is the mean of
/// all K x K cells, the zero diagonal included. So the cells are divided by their sum and multiplied by K^2, and the
/// mean off-diagonal cost is K/(K-1), not 1. Fails for fewer than two classes.
pub fn random_cost_matrix(class_names: &[String], rng: &mut ChaCha8Rng) -> Result<CostMatrix> {
    let classes = class_names.len();
    if classes < 2 {
        return Err(Error::costs("random costs need at least two classes"));
    }
    let mut normal = Normal::default();
    let mut values: Vec<f64> = (0..classes * classes)
        .map(|i| if i / classes == i % classes { 0.0 } else { normal.next(rng).abs().max(f64::MIN_POSITIVE) })
        .collect();
    let scale = (classes * classes) as f64 / values.iter().sum::<f64>();
    values.iter_mut().for_each(|cost| *cost *= scale);
    CostMatrix::new(values, class_names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::stream;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_random_answer_costs_one(classes in 2usize..12, seed: u64) {
            let names: Vec<String> = (0..classes).map(|k| k.to_string()).collect();
            let costs = random_cost_matrix(&names, &mut stream(seed, "costs")).unwrap();
            let sum: f64 = (0..classes).flat_map(|t| costs.row(t)).sum();
            prop_assert!((sum / (classes * classes) as f64 - 1.0).abs() < 1e-12);
            for (truth, answer) in (0..classes).flat_map(|t| (0..classes).map(move |a| (t, a))) {
                prop_assert_eq!(costs.get(truth, answer) > 0.0, truth != answer);
            }
        }
    }

    #[test]
    fn one_class_has_no_mistakes() {
        assert!(random_cost_matrix(&["a".into()], &mut stream(0, "costs")).is_err());
    }
}
