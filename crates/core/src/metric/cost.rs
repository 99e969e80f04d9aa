//! The mean price of the answers (thesis chapter 4: what REBEL minimises).

use super::weighted_mean;
use crate::data::CostMatrix;

/// Weighted mean cost of the predictions, in the unit of the matrix.
///
/// The matrix has no row for a class that was never seen; a row of such a class costs the mean cost of mistakenly
/// giving its answer, over all true classes but that one. Under 0-1 costs that is one, so the mean cost is the
/// [`error_rate`](super::error_rate()).
pub fn mean_cost(labels: &[u32], predicted: &[u32], weights: &[f64], costs: &CostMatrix) -> f64 {
    debug_assert!(labels.len() == predicted.len() && labels.len() == weights.len());
    let classes = costs.classes();
    let of_unseen: Vec<f64> = (0..classes)
        .map(|answer| (0..classes).map(|truth| costs.get(truth, answer)).sum::<f64>() / (classes - 1) as f64)
        .collect();
    weighted_mean(weights, |row| {
        let (truth, answer) = (labels[row] as usize, predicted[row] as usize);
        if truth < classes { costs.get(truth, answer) } else { of_unseen[answer] }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::UNSEEN_CLASS;

    #[test]
    fn unseen_classes_cost_the_mean_of_that_answer() {
        let names = ["a", "b", "c"].map(String::from);
        let costs = CostMatrix::new(vec![0.0, 1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0], &names).unwrap();
        assert_eq!(mean_cost(&[0, 2], &[2, 2], &[1.0, 1.0], &costs), 1.0);
        assert_eq!(mean_cost(&[UNSEEN_CLASS], &[0], &[1.0], &costs), 4.0);
        assert_eq!(mean_cost(&[UNSEEN_CLASS], &[1], &[1.0], &costs), 3.5);
        assert_eq!(mean_cost(&[0, 1], &[1, 0], &[3.0, 1.0], &costs), 1.5);
    }
}
