//! How well scores rank one class above the others.

/// The area under the ROC curve: the weighted chance that a row of class `positive` scores higher than a row of any
/// other class (unseen ones included), ties counting half. NaN if either side is empty or a score is NaN.
pub fn auc_binary(labels: &[u32], positive: u32, scores: &[f64], weights: &[f64]) -> f64 {
    debug_assert!(labels.len() == scores.len() && labels.len() == weights.len());
    let mut order: Vec<usize> = (0..labels.len()).filter(|&row| weights[row] != 0.0).collect();
    if order.iter().any(|&row| scores[row].is_nan()) {
        return f64::NAN;
    }
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    // Plus and minus zero are one score, so ties are found by equality.
    let (mut below, mut positives, mut pairs) = (0.0, 0.0, 0.0);
    for tied in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let (mut up, mut down) = (0.0, 0.0);
        for &row in tied {
            *(if labels[row] == positive { &mut up } else { &mut down }) += weights[row];
        }
        pairs += up * (below + 0.5 * down);
        positives += up;
        below += down;
    }
    pairs / (positives * below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let area = |scores: [f64; 4]| auc_binary(&[0, 0, 1, 1], 1, &scores, &[1.0; 4]);
        assert_eq!(area([0.1, 0.2, 0.3, 0.4]), 1.0);
        assert_eq!(area([0.4, 0.3, 0.2, 0.1]), 0.0);
        assert_eq!(area([0.0, -0.0, 0.0, -0.0]), 0.5);
        assert_eq!(area([0.1, 0.4, 0.35, 0.8]), 0.75);
        assert!(auc_binary(&[1, 1], 1, &[0.0, 1.0], &[1.0; 2]).is_nan());
        assert!(area([0.1, f64::NAN, 0.35, 0.8]).is_nan());
    }
}
