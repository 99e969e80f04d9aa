//! How well scores put rows in the order of their classes, within query groups.

use crate::math::ln;

/// The rows of each group in rising order of the group's number; one group if `groups` is empty.
fn by_group(groups: &[u32], rows: usize) -> Vec<Vec<usize>> {
    let count = groups.iter().max().map_or(1, |most| *most as usize + 1);
    let mut members = vec![Vec::new(); count];
    (0..rows).for_each(|row| members[groups.get(row).map_or(0, |group| *group as usize)].push(row));
    members
}

/// The weighted share of pairs of one group and different classes that the scores put in the wrong order, ties counting
/// half (the ranking loss of RankBoost). For two classes and one group, one less the area under the ROC curve. NaN without
/// pairs, or if a score is NaN.
pub fn pair_error(labels: &[u32], scores: &[f64], weights: &[f64], groups: &[u32]) -> f64 {
    if scores.iter().any(|score| score.is_nan()) {
        return f64::NAN;
    }
    let classes = labels.iter().max().map_or(0, |most| *most as usize + 1);
    let (mut wrong, mut pairs) = (0.0, 0.0);
    for mut group in by_group(groups, labels.len()) {
        group.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        // Weight of each class among the rows below.
        let mut below = vec![0.0; classes];
        for tied in group.chunk_by(|&a, &b| scores[a] == scores[b]) {
            let mut here = vec![0.0; classes];
            tied.iter().for_each(|&row| here[labels[row] as usize] += weights[row]);
            for class in (0..classes).filter(|&class| here[class] > 0.0) {
                wrong += here[class] * below[class + 1..].iter().sum::<f64>();
                wrong += 0.5 * here[class] * here[class + 1..].iter().sum::<f64>();
            }
            below.iter_mut().zip(&here).for_each(|(sum, more)| *sum += more);
        }
        for class in 0..classes {
            pairs += below[class] * below[class + 1..].iter().sum::<f64>();
        }
    }
    wrong / pairs
}

/// Normalised discounted cumulative gain at a depth, the mean over groups that have a row of a higher class than the
/// lowest (Jarvelin and Kekalainen 2002; gain 2^class - 1, discount 1 / log2(1 + place)). Ties in the order of rows. NaN
/// without such a group.
pub fn ndcg(labels: &[u32], scores: &[f64], groups: &[u32], depth: usize) -> f64 {
    let gain = |order: &[usize]| -> f64 {
        let places = order.iter().take(depth).zip(1..);
        places
            .map(|(&row, place)| (f64::from(labels[row]).exp2() - 1.0) / (ln(1.0 + f64::from(place)) / ln(2.0)))
            .sum()
    };
    let (mut sum, mut count) = (0.0, 0.0);
    for mut group in by_group(groups, labels.len()) {
        group.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let found = gain(&group);
        group.sort_by(|&a, &b| labels[b].cmp(&labels[a]));
        let best = gain(&group);
        if best > 0.0 {
            sum += found / best;
            count += 1.0;
        }
    }
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::auc_binary;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pair_error_is_one_less_the_auc(rows in prop::collection::vec((0u32..2, 0..6, 0.5..2.0f64), 2..40)) {
            let labels: Vec<u32> = rows.iter().map(|r| r.0).collect();
            let scores: Vec<f64> = rows.iter().map(|r| f64::from(r.1)).collect();
            let weights: Vec<f64> = rows.iter().map(|r| r.2).collect();
            let area = auc_binary(&labels, 1, &scores, &weights);
            let error = pair_error(&labels, &scores, &weights, &[]);
            prop_assert!(area.is_nan() && error.is_nan() || (1.0 - area - error).abs() < 1e-9);
        }

        /// Against all pairs, one by one.
        #[test]
        fn pair_error_counts_pairs(rows in prop::collection::vec((0u32..4, 0..6, 0u32..3), 2..40)) {
            let (labels, groups): (Vec<u32>, Vec<u32>) = rows.iter().map(|r| (r.0, r.2)).unzip();
            let scores: Vec<f64> = rows.iter().map(|r| f64::from(r.1)).collect();
            let (mut wrong, mut pairs) = (0.0, 0.0);
            for a in 0..rows.len() {
                for b in 0..rows.len() {
                    if groups[a] == groups[b] && labels[a] > labels[b] {
                        pairs += 1.0;
                        wrong += if scores[a] < scores[b] { 1.0 } else if scores[a] == scores[b] { 0.5 } else { 0.0 };
                    }
                }
            }
            let error = pair_error(&labels, &scores, &vec![1.0; rows.len()], &groups);
            prop_assert!(pairs == 0.0 && error.is_nan() || (error - wrong / pairs).abs() < 1e-12);
        }
    }

    #[test]
    fn ndcg_of_known_orders() {
        assert_eq!(ndcg(&[2, 1, 0], &[3.0, 2.0, 1.0], &[], 10), 1.0);
        // (1 + 3 / log2 3) / (3 + 1 / log2 3)
        assert!((ndcg(&[2, 1, 0], &[2.0, 3.0, 1.0], &[], 10) - 0.796_707_6).abs() < 1e-6);
        assert!(ndcg(&[0, 0], &[1.0, 2.0], &[], 10).is_nan());
    }
}
