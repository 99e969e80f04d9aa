//! What holds for all measures: weights, bounds, and agreement among them.

use super::*;
use crate::data::{CostMatrix, UNSEEN_CLASS};
use proptest::prelude::*;

const K: usize = 4;

/// Label (K stands for an unseen class), prediction, whole weight, unnormalised probabilities.
fn rows() -> impl Strategy<Value = Vec<(u32, u32, u8, [f64; K])>> {
    let probabilities = prop::array::uniform4(0.001f64..1.0);
    prop::collection::vec((0..=K as u32, 0..K as u32, 0u8..4, probabilities), 1..60)
}

struct Sample {
    labels: Vec<u32>,
    predicted: Vec<u32>,
    weights: Vec<f64>,
    probabilities: Vec<f64>,
}

/// Each row `times(weight)` times with weight `weight_of(weight)`.
fn sample(rows: &[(u32, u32, u8, [f64; K])], times: fn(u8) -> u8, weight_of: fn(u8) -> f64) -> Sample {
    let mut s = Sample { labels: vec![], predicted: vec![], weights: vec![], probabilities: vec![] };
    for &(label, predicted, weight, p) in rows {
        for _ in 0..times(weight) {
            s.labels.push(if label == K as u32 { UNSEEN_CLASS } else { label });
            s.predicted.push(predicted);
            s.weights.push(weight_of(weight));
            s.probabilities.extend(p.map(|x| x / p.iter().sum::<f64>()));
        }
    }
    s
}

fn measures(s: &Sample) -> [f64; 6] {
    [
        error_rate(&s.labels, &s.predicted, &s.weights),
        mean_cost(&s.labels, &s.predicted, &s.weights, &CostMatrix::uniform(K)),
        log_loss(&s.labels, &s.probabilities, K, &s.weights),
        brier(&s.labels, &s.probabilities, K, &s.weights),
        expected_calibration_error(&s.labels, &s.probabilities, K, &s.weights),
        auc_binary(&s.labels, 1, &s.probabilities.iter().step_by(K).copied().collect::<Vec<_>>(), &s.weights),
    ]
}

proptest! {
    #[test]
    fn weight_two_is_two_rows_and_weight_zero_none(rows in rows()) {
        let weighted = measures(&sample(&rows, |_| 1, f64::from));
        let repeated = measures(&sample(&rows, |w| w, |_| 1.0));
        for (a, b) in weighted.iter().zip(&repeated) {
            prop_assert!((a - b).abs() < 1e-9 || (a.is_nan() && b.is_nan()), "{weighted:?} {repeated:?}");
        }
    }

    #[test]
    fn measures_keep_their_bounds(rows in rows()) {
        let [error, cost, log_loss, brier, calibration, auc] = measures(&sample(&rows, |_| 1, |w| f64::from(w) + 0.5));
        prop_assert!((0.0..=1.0).contains(&error));
        prop_assert!((error - cost).abs() < 1e-12);
        prop_assert!((0.0..=34.6).contains(&log_loss));
        prop_assert!((0.0..=2.0).contains(&brier));
        prop_assert!((0.0..=1.0).contains(&calibration));
        prop_assert!(auc.is_nan() || (0.0..=1.0 + 1e-12).contains(&auc));
    }

    #[test]
    fn confusion_adds_up(rows in rows()) {
        let s = sample(&rows, |_| 1, |w| f64::from(w) * 0.3);
        let confusion = Confusion::new(&s.labels, &s.predicted, &s.weights, K);
        let total: f64 = s.weights.iter().sum();
        prop_assert!((confusion.total() - total).abs() < 1e-9);
        prop_assert!(((0..=K).map(|k| confusion.support(k)).sum::<f64>() - total).abs() < 1e-9);
        prop_assert!(((0..K).map(|k| confusion.answered(k)).sum::<f64>() - total).abs() < 1e-9);
        let error = error_rate(&s.labels, &s.predicted, &s.weights);
        if total > 0.0 {
            prop_assert!((1.0 - confusion.correct() / total - error).abs() < 1e-9);
        }
    }

    #[test]
    fn bins_hold_every_row_once(rows in rows(), bins in 0usize..20) {
        let s = sample(&rows, |_| 1, f64::from);
        let diagram = reliability(&s.labels, &s.probabilities, K, &s.weights, bins);
        let total: f64 = diagram.iter().map(|b| b.weight).sum();
        prop_assert!((total - s.weights.iter().sum::<f64>()).abs() < 1e-9);
        for bin in diagram.iter().filter(|b| b.weight > 0.0) {
            prop_assert!(bin.low - 1e-9 <= bin.confidence && bin.confidence <= bin.high + 1e-9);
            prop_assert!((0.0..=1.0 + 1e-12).contains(&bin.accuracy));
        }
    }
}
