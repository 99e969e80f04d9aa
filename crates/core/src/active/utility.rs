//! How much a row would teach: pure functions of scores, probabilities or votes.

use crate::data::CostMatrix;
use crate::math;

/// The classes of the largest and second largest score, ties to the first, and how far they are apart. Algorithm 4's
/// utility is the reciprocal of that distance; we keep the distance, which is never infinite.
pub fn margin(scores: &[f64]) -> (usize, usize, f64) {
    let (mut first, mut second) = (0, usize::MAX);
    for k in 1..scores.len() {
        if scores[k] > scores[first] {
            (first, second) = (k, first);
        } else if second == usize::MAX || scores[k] > scores[second] {
            second = k;
        }
    }
    if second == usize::MAX { (first, first, 0.0) } else { (first, second, scores[first] - scores[second]) }
}

/// Entropy of probabilities, in bits.
pub fn entropy(probabilities: &[f64]) -> f64 {
    let nats: f64 = probabilities.iter().filter(|p| **p > 0.0).map(|p| -p * math::ln(*p)).sum();
    // An empty sum is minus zero.
    nats / std::f64::consts::LN_2 + 0.0
}

/// Entropy of the votes of a committee, in bits (Dagan and Engelson 1995).
pub fn vote_entropy(votes: &[u32]) -> f64 {
    let all = f64::from(votes.iter().sum::<u32>().max(1));
    // Sorted, so that it does not depend on which class got which votes, not even in the last bit.
    let mut shares: Vec<f64> = votes.iter().map(|v| f64::from(*v) / all).collect();
    shares.sort_unstable_by(f64::total_cmp);
    entropy(&shares)
}

/// The answer of least expected cost, ties to the first, and that cost.
pub fn expected_cost(probabilities: &[f64], costs: &CostMatrix) -> (usize, f64) {
    let cost = |answer| -> f64 { (0..probabilities.len()).map(|t| probabilities[t] * costs.get(t, answer)).sum() };
    let mut best = (0, cost(0));
    for answer in 1..probabilities.len() {
        let cost = cost(answer);
        if cost < best.1 {
            best = (answer, cost);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn margin_is_that_of_the_sorted_scores(scores in prop::collection::vec(-5i32..5, 2..8)) {
            let scores: Vec<f64> = scores.into_iter().map(f64::from).collect();
            let (first, second, gap) = margin(&scores);
            let mut sorted = scores.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            prop_assert!(first != second && gap >= 0.0);
            prop_assert_eq!((scores[first], scores[second], gap), (sorted[0], sorted[1], sorted[0] - sorted[1]));
            prop_assert_eq!(first, crate::model::argmax(&scores));
        }

        #[test]
        fn entropy_is_largest_when_all_is_open(weights in prop::collection::vec(0.0f64..1.0, 2..8)) {
            let sum: f64 = weights.iter().sum::<f64>() + 1e-12;
            let p: Vec<f64> = weights.iter().map(|w| w / sum).collect();
            let h = entropy(&p);
            prop_assert!((0.0..=(p.len() as f64).log2() + 1e-9).contains(&h), "{h}");
            let by_library: f64 = p.iter().filter(|p| **p > 0.0).map(|p| -p * p.log2()).sum();
            prop_assert!((h - by_library).abs() < 1e-9);
        }
    }

    #[test]
    fn known_values() {
        assert_eq!(margin(&[1.0]), (0, 0, 0.0));
        assert_eq!(entropy(&[1.0, 0.0]), 0.0);
        assert!((vote_entropy(&[2, 2, 0]) - 1.0).abs() < 1e-12);
        assert_eq!(vote_entropy(&[3, 1, 2]), vote_entropy(&[1, 2, 3]));
        let names = ["a".to_string(), "b".to_string()];
        let costs = CostMatrix::new(vec![0.0, 1.0, 10.0, 0.0], &names).unwrap();
        // Answering b costs 0.8, answering a 0.2 * 10.
        assert_eq!(expected_cost(&[0.8, 0.2], &costs), (1, 0.8));
    }
}
