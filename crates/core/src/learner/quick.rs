//! QuickBoost (thesis 3.4, "Quick Stump Training"; Appel, Fuchs, Dollar, Perona 2013): features that provably cannot be the best
//! are dropped before all rows are added up.
//!
//! Rows come in order of falling weight. Every feature is first judged on the heaviest, which hold eta of the weight; then, the
//! most promising first, on M longer parts, until it is complete or its bound falls below the best feature so far. What a
//! criterion can still gain by rows not yet added is at most their own weight (Proposition 3.2; appendix 7.2 for others than the
//! error), so the answer is that of a full search, bit by bit, if sums are.
//!
//! This is the method as published, kept for its counts of additions. It rarely saves time: a full pass reads memory in order.

use crate::context::Context;
use serde::Serialize;
use std::ops::Range;

/// Share of the weight that every feature is judged on (thesis: eta_kp = 90 %).
const FIRST: f64 = 0.9;
/// Parts that follow (thesis: M = 20).
const PARTS: usize = 20;

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Work {
    /// Rows that reached a node times features, over all nodes: what adding everything up takes.
    pub all: u64,
    /// Weights added to a sum. Features with a dominant bin count as others do.
    pub added: u64,
    /// Features of nodes that were added up completely.
    pub completed: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.all += other.all;
        self.added += other.added;
        self.completed += other.completed;
    }
}

/// A node whose best split is sought.
pub(crate) trait Prunable: Sync {
    /// Sums of one feature.
    type Sums: Send;
    /// A split.
    type Found;

    /// No rows added.
    fn empty(&self) -> Self::Sums;
    /// Adds rows, by their place in the order of falling weight.
    fn add(&self, feature: usize, rows: Range<usize>, sums: &mut Self::Sums);
    /// The most this feature can be worth, once so many rows are added.
    fn bound(&self, feature: usize, rows: usize, sums: &Self::Sums) -> f64;
    /// Worth and split of a feature, all rows added.
    fn complete(&self, feature: usize, sums: &Self::Sums) -> Option<(f64, Self::Found)>;
}

/// Where the parts end: `weight(n)` is the weight of the n-th row, falling.
pub(crate) fn schedule(rows: usize, weight: impl Fn(usize) -> f64) -> Vec<usize> {
    let total: f64 = (0..rows).map(&weight).sum();
    let mut ends = Vec::with_capacity(PARTS + 1);
    let mut sum = 0.0;
    let target = |part: usize| total * (FIRST + (1.0 - FIRST) * part as f64 / PARTS as f64);
    for row in 0..rows {
        sum += weight(row);
        if ends.len() < PARTS && sum >= target(ends.len()) {
            ends.push(row + 1);
            while ends.len() < PARTS && sum >= target(ends.len()) {
                ends.push(row + 1);
            }
        }
    }
    ends.push(rows);
    ends.dedup();
    ends
}

/// The best split among these features: the highest worth, of equals that of the lowest feature.
pub(crate) fn search<P: Prunable>(
    node: &P,
    features: &[usize],
    ends: &[usize],
    work: &mut Work,
    context: &Context,
) -> Option<P::Found> {
    let (first, rows) = (*ends.first()?, *ends.last()?);
    let mut begun: Vec<(f64, usize, P::Sums)> = context.map(features.len(), first * features.len(), |i| {
        let mut sums = node.empty();
        node.add(features[i], 0..first, &mut sums);
        (node.bound(features[i], first, &sums), features[i], sums)
    });
    work.added += (first * features.len()) as u64;
    begun.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut best: Option<(f64, usize, P::Found)> = None;
    // Of features of equal worth the lowest wins, so one that can only draw level goes on if it is lower.
    let beaten = |best: &Option<(f64, usize, P::Found)>, bound: f64, feature: usize| {
        best.as_ref().is_some_and(|(worth, other, _)| bound < *worth || (bound == *worth && feature > *other))
    };
    for (bound, feature, mut sums) in begun {
        if beaten(&best, bound, feature) {
            continue;
        }
        let mut pruned = false;
        for part in ends.windows(2) {
            node.add(feature, part[0]..part[1], &mut sums);
            work.added += (part[1] - part[0]) as u64;
            pruned = part[1] < rows && beaten(&best, node.bound(feature, part[1], &sums), feature);
            if pruned {
                break;
            }
        }
        if pruned {
            continue;
        }
        work.completed += 1;
        if let Some((worth, found)) = node.complete(feature, &sums)
            && !beaten(&best, worth, feature)
        {
            best = Some((worth, feature, found));
        }
    }
    best.map(|(.., found)| found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_rise_and_end_with_all_rows(mut weights in prop::collection::vec(0.0..1.0f64, 1..200), power in 0..30) {
            weights.iter_mut().for_each(|w| *w = w.powi(power));
            weights.sort_by(|a, b| b.total_cmp(a));
            let ends = schedule(weights.len(), |row| weights[row]);
            prop_assert_eq!(ends.last(), Some(&weights.len()));
            prop_assert!(ends.windows(2).all(|pair| pair[0] < pair[1]));
            let total: f64 = weights.iter().sum();
            let sum: f64 = weights[..ends[0]].iter().sum();
            prop_assert!(sum >= 0.9 * total || ends[0] == weights.len());
            prop_assert!(ends[0] == 1 || sum - weights[ends[0] - 1] < 0.9 * total);
        }
    }
}
