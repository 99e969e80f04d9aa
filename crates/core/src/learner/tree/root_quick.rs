//! QuickBoost for the first split of a tree for K classes (thesis 3.4; design 5.3).
//!
//! S_k is known, so a tighter bound than that of appendix 7.2 is free: with p of D_k added, |D_k| is at most |p| plus the weight of
//! the rows to come, and sqrt(S_k^2 - D_k^2) falls with |D_k|. Categories of more than two classes are split along an order that
//! changes as rows are added, so they are never pruned.

use super::fixed::FixedVectors;
use super::root::{RootCriterion, Scan, homogeneous};
use super::split::Split;
use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::learner::Work;
use crate::learner::quick::{Prunable, schedule, search};
use std::borrow::Cow;
use std::ops::Range;

/// Bounds are computed in floating point: this share is added.
const ROUNDING: f64 = 1e-9;

struct Root<'a> {
    data: &'a BinnedDataset,
    columns: &'a [Cow<'a, [u8]>],
    weights: &'a FixedVectors,
    criterion: RootCriterion,
    /// By falling weight.
    rows: Vec<u32>,
    ends: &'a [usize],
    /// Per end and lane: the weight of the rows behind it.
    open: Vec<f64>,
}

/// `[tile][bin][lane]`, and the sum of each lane.
struct Sums {
    bins: Vec<i32>,
    total: Vec<i32>,
}

impl Prunable for Root<'_> {
    type Sums = Sums;
    type Found = (f64, Split);

    fn empty(&self) -> Sums {
        let lanes = self.weights.tiles * self.weights.lanes;
        Sums { bins: vec![0; lanes * 256], total: vec![0; lanes] }
    }

    fn add(&self, feature: usize, rows: Range<usize>, sums: &mut Sums) {
        let FixedVectors { lanes, tiles, .. } = *self.weights;
        let codes = &self.columns[feature];
        for &row in &self.rows[rows] {
            let bin = usize::from(codes[row as usize]);
            for tile in 0..tiles {
                let values = &self.weights.tile(tile)[row as usize * lanes..][..lanes];
                let bins = &mut sums.bins[(tile * 256 + bin) * lanes..][..lanes];
                let total = &mut sums.total[tile * lanes..][..lanes];
                for lane in 0..lanes {
                    bins[lane] = bins[lane].wrapping_add(values[lane]);
                    total[lane] = total[lane].wrapping_add(values[lane]);
                }
            }
        }
    }

    fn bound(&self, feature: usize, rows: usize, sums: &Sums) -> f64 {
        let map = &self.data.maps[feature];
        if map.is_categorical() {
            return f64::INFINITY;
        }
        let lanes = sums.total.len();
        let at = self.ends.partition_point(|end| *end < rows);
        let open = &self.open[at * lanes..][..lanes];
        let scan = Scan {
            weights: self.weights,
            criterion: self.criterion,
            histogram: &sums.bins,
            total: &sums.total,
            open,
        };
        let homogeneous = scan.judge(&sums.total);
        let least = scan.feature(feature, map).map_or(homogeneous, |best| best.score.min(homogeneous));
        ROUNDING * least.abs() - least
    }

    fn complete(&self, feature: usize, sums: &Sums) -> Option<(f64, (f64, Split))> {
        let scan = Scan {
            weights: self.weights,
            criterion: self.criterion,
            histogram: &sums.bins,
            total: &sums.total,
            open: &[],
        };
        let best = scan.feature(feature, &self.data.maps[feature])?;
        Some((-best.score, (best.score, best.split)))
    }
}

/// As `best_root`, with features pruned.
pub(super) fn best_root(
    data: &BinnedDataset,
    columns: &[Cow<'_, [u8]>],
    features: &[usize],
    weights: &FixedVectors,
    criterion: RootCriterion,
    work: &mut Work,
    context: &Context,
) -> (Option<Split>, bool) {
    let lanes = weights.tiles * weights.lanes;
    let size = |row: u32, lane: usize| {
        let tile = weights.tile(lane / weights.lanes);
        f64::from(tile[row as usize * weights.lanes + lane % weights.lanes].unsigned_abs())
    };
    let sizes: Vec<f64> =
        (0..data.rows as u32).map(|row| (0..lanes).map(|lane| size(row, lane) * weights.units[lane]).sum()).collect();
    let mut rows: Vec<u32> = (0..data.rows as u32).collect();
    rows.sort_by(|&a, &b| sizes[b as usize].total_cmp(&sizes[a as usize]).then(a.cmp(&b)));
    let ends = schedule(rows.len(), |at| sizes[rows[at] as usize]);
    let mut open = vec![0.0; ends.len() * lanes];
    for (at, end) in ends.iter().enumerate() {
        let to_come = &rows[*end..];
        (0..lanes).for_each(|lane| open[at * lanes + lane] = to_come.iter().map(|&row| size(row, lane)).sum());
    }
    work.all += (data.rows * features.len()) as u64;
    let root = Root { data, columns, weights, criterion, rows, ends: &ends, open };
    let best = search(&root, features, &ends, work, context);
    let better = best.as_ref().is_none_or(|(score, _)| homogeneous(weights, criterion) < *score);
    (best.map(|(_, split)| split), better)
}
