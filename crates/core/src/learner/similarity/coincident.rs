//! Rows at the same point with different classes (thesis 5.4, footnote 1): no comparison of points can tell them
//! apart, so the loss would stall. Either all get the label that costs least, or they are the thesis' "mixed" class,
//! which is set aside in training.

use crate::data::CostMatrix;
use crate::model::similarity::Points;

/// What to do with differing labels at one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coincident {
    /// The label of least cost: the weighted majority when all mistakes cost the same.
    Majority,
    /// Such rows have no say.
    Mixed,
}

/// Labels and weights to train on, and the groups of coincident rows.
pub struct Merged {
    /// One a row.
    pub labels: Vec<u32>,
    /// One a row; the first of a group has the weight of all, and rows set aside have none.
    pub weights: Vec<f64>,
    /// Rows that share a point with others, rising; the groups by their first row.
    pub groups: Vec<Vec<u32>>,
    /// Rows at points where labels differ.
    pub conflicting: usize,
    /// Of these, rows that were relabelled or set aside.
    pub changed: usize,
}

/// Finds coincident rows and settles their labels.
pub fn merge(points: &Points, labels: &[u32], weights: &[f64], costs: &CostMatrix, how: Coincident) -> Merged {
    let mut merged = Merged {
        labels: labels.to_vec(),
        weights: weights.to_vec(),
        groups: groups(points),
        conflicting: 0,
        changed: 0,
    };
    for group in &merged.groups {
        let rows = || group.iter().map(|&row| row as usize);
        if rows().all(|row| labels[row] == labels[group[0] as usize]) {
            gather(&mut merged.weights, group);
            continue;
        }
        merged.conflicting += group.len();
        match how {
            Coincident::Mixed => {
                rows().for_each(|row| merged.weights[row] = 0.0);
                merged.changed += group.len();
            }
            Coincident::Majority => {
                let price = |answer: usize| {
                    rows().map(|row| weights[row] * costs.get(labels[row] as usize, answer)).sum::<f64>()
                };
                // Ties to the first class.
                let mut best = (0, price(0));
                for answer in 1..costs.classes() {
                    let price = price(answer);
                    if price < best.1 {
                        best = (answer, price);
                    }
                }
                for row in rows() {
                    merged.changed += usize::from(labels[row] as usize != best.0);
                    merged.labels[row] = best.0 as u32;
                }
                gather(&mut merged.weights, group);
            }
        }
    }
    merged
}

/// Coincident rows of one label are one point with their joint weight: a row of weight two is the row twice, also in
/// the eigenvector of eq. 5.6, which squares weights.
fn gather(weights: &mut [f64], group: &[u32]) {
    let sum = group.iter().map(|&row| weights[row as usize]).sum();
    group.iter().for_each(|&row| weights[row as usize] = 0.0);
    weights[group[0] as usize] = sum;
}

/// A number that depends on the point alone. There is no minus zero, so equal points have equal bits.
pub fn hash(point: &[f32]) -> u64 {
    point.iter().fold(0xcbf2_9ce4_8422_2325u64, |h, x| {
        (h ^ u64::from(x.to_bits())).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    })
}

/// Groups of two or more rows with the same point.
fn groups(points: &Points) -> Vec<Vec<u32>> {
    let rows = points.values.len() / points.length;
    // A hash first: comparing long points is dear.
    let mut order: Vec<(u64, u32)> = (0..rows).map(|row| (hash(points.row(row)), row as u32)).collect();
    order.sort_unstable();
    let mut groups = Vec::new();
    for bucket in order.chunk_by(|a, b| a.0 == b.0).filter(|bucket| bucket.len() > 1) {
        let mut open: Vec<Vec<u32>> = Vec::new();
        for &(_, row) in bucket {
            let same = |group: &&mut Vec<u32>| points.row(group[0] as usize) == points.row(row as usize);
            match open.iter_mut().find(same) {
                Some(group) => group.push(row),
                None => open.push(vec![row]),
            }
        }
        groups.extend(open.into_iter().filter(|group| group.len() > 1));
    }
    groups.sort_unstable();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(values: &[f32]) -> Points {
        Points { length: 4, values: values.iter().flat_map(|v| [*v, 0.0, 0.0, 0.0]).collect() }
    }

    #[test]
    fn the_label_of_least_cost_wins() {
        let points = points(&[1.0, 2.0, 1.0, 1.0, 2.0, 3.0]);
        let labels = [0, 1, 0, 1, 1, 0];
        let names = ["a".to_string(), "b".to_string()];
        let even = CostMatrix::uniform(2);
        let merged = merge(&points, &labels, &[1.0; 6], &even, Coincident::Majority);
        assert_eq!(merged.groups, [vec![0, 2, 3], vec![1, 4]]);
        assert_eq!(merged.labels, [0, 1, 0, 0, 1, 0]);
        assert_eq!(merged.weights, [3.0, 2.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!((merged.conflicting, merged.changed), (3, 1));
        // Answering a to a b costs five: now b is the cheaper label.
        let dear = CostMatrix::new(vec![0.0, 1.0, 5.0, 0.0], &names).unwrap();
        assert_eq!(merge(&points, &labels, &[1.0; 6], &dear, Coincident::Majority).labels, [1, 1, 1, 1, 1, 0]);
        let mixed = merge(&points, &labels, &[1.0; 6], &even, Coincident::Mixed);
        assert_eq!(mixed.weights, [0.0, 2.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(mixed.labels, labels);
    }
}
