//! One more layer: for every leaf the split that best separates rows of positive from rows of negative weight.
//!
//! With the output vector fixed, row n gains from standing on the right side in proportion to |delta_n| (design
//! 5.1), so a split is worth |sum of delta on the left - sum on the right|. All leaves are searched in one pass
//! over each feature: the histogram index is leaf and bin together. This way, column by column, is for searches among a few of
//! the features; `search/` knows faster ones for all of them.

use super::fixed::FixedRows;
use super::search::Leaves;
use super::split::{Best, Split, scan_order};
use crate::binning::{BinColumn, BinMap, BinnedDataset, MISSING_BIN};
use crate::context::Context;

/// Rows handled together for all features of a block.
const ROWS: usize = 4096;
/// Features handled together.
const BLOCK: usize = 8;
/// Leaf and bin fit in sixteen bits.
const CELLS: usize = 1 << 16;

/// The best split of each leaf among these features. Leaves are fewer than 256.
pub(super) fn best_splits(
    data: &BinnedDataset,
    features: &[usize],
    weights: &FixedRows,
    leaves: &Leaves<'_>,
    context: &Context,
) -> Vec<Option<Best<u64>>> {
    let blocks = features.len().div_ceil(BLOCK);
    let work = data.rows * features.len();
    let bests = context.map_with(
        blocks,
        work,
        || vec![0i32; BLOCK * CELLS],
        |histograms, index| {
            let features = &features[index * BLOCK..((index + 1) * BLOCK).min(features.len())];
            let columns: Vec<&BinColumn> = features.iter().map(|&feature| &data.columns[feature]).collect();
            let (histograms, _) = histograms.as_chunks_mut::<CELLS>();
            fill(&columns, weights, leaves.of, leaves.totals, histograms);
            let mut bests: Vec<Option<Best<u64>>> = vec![None; leaves.count()];
            for (&feature, histogram) in features.iter().zip(&*histograms) {
                for (leaf, best) in bests.iter_mut().enumerate() {
                    let histogram = &histogram[leaf * 256..(leaf + 1) * 256];
                    keep_better(best, scan(feature, &data.maps[feature], histogram, leaves.totals[leaf]));
                }
            }
            bests
        },
    );
    let mut best: Vec<Option<Best<u64>>> = vec![None; leaves.count()];
    for block in bests {
        best.iter_mut().zip(block).for_each(|(kept, found)| keep_better(kept, found));
    }
    best
}

/// Keeps the better of two splits; of equals the one of the lower feature.
pub(super) fn keep_better(kept: &mut Option<Best<u64>>, found: Option<Best<u64>>) {
    if let Some(found) = found
        && kept.as_ref().is_none_or(|k| (found.score, k.split.feature) > (k.score, found.split.feature))
    {
        *kept = Some(found);
    }
}

/// `histograms[feature in block][leaf and bin]`.
fn fill(columns: &[&BinColumn], weights: &FixedRows, leaf_of: &[u8], sums: &[i32], histograms: &mut [[i32; CELLS]]) {
    for histogram in &mut *histograms {
        histogram[..sums.len() * 256].fill(0);
    }
    let rows = leaf_of.len();
    let mut cursors = [0usize; BLOCK];
    for start in (0..rows).step_by(ROWS) {
        let part = start..(start + ROWS).min(rows);
        let (leaves, values) = (&leaf_of[part.clone()], &weights.values[part.clone()]);
        let mut i = 0;
        while i < columns.len() {
            let (first, rest) = histograms[i..].split_at_mut(1);
            let first = &mut first[0];
            match (columns[i], columns.get(i + 1).copied()) {
                // Two columns at once share what is read for a row, and do not wait for each other.
                (BinColumn::Dense(a), Some(BinColumn::Dense(b))) => {
                    let second = &mut rest[0];
                    let codes = a[part.clone()].iter().zip(&b[part.clone()]);
                    for (((a, b), leaf), weight) in codes.zip(leaves).zip(values) {
                        add(first, *leaf, *a, *weight);
                        add(second, *leaf, *b, *weight);
                    }
                    i += 2;
                }
                (BinColumn::Dense(codes), _) => {
                    for ((code, leaf), weight) in codes[part.clone()].iter().zip(leaves).zip(values) {
                        add(first, *leaf, *code, *weight);
                    }
                    i += 1;
                }
                (BinColumn::Sparse { rows: listed, bins, .. }, _) => {
                    let from = cursors[i];
                    let count = listed[from..].partition_point(|&r| (r as usize) < part.end);
                    for (row, bin) in listed[from..from + count].iter().zip(&bins[from..from + count]) {
                        add(first, leaf_of[*row as usize], *bin, weights.values[*row as usize]);
                    }
                    cursors[i] = from + count;
                    i += 1;
                }
            }
        }
    }
    for (column, histogram) in columns.iter().zip(histograms) {
        if let BinColumn::Sparse { common, .. } = column {
            for (leaf, sum) in sums.iter().enumerate() {
                let cells = &mut histogram[leaf * 256..(leaf + 1) * 256];
                let listed = cells.iter().fold(0i32, |a, b| a.wrapping_add(*b));
                cells[*common as usize] = sum.wrapping_sub(listed);
            }
        }
    }
}

#[inline(always)]
fn add(histogram: &mut [i32; CELLS], leaf: u8, bin: u8, weight: i32) {
    let cell = &mut histogram[usize::from(leaf) << 8 | usize::from(bin)];
    *cell = cell.wrapping_add(weight);
}

/// The best split of one leaf on one feature by |left - right|.
pub(super) fn scan(feature: usize, map: &BinMap, histogram: &[i32], sum: i32) -> Option<Best<u64>> {
    let sum = i64::from(sum);
    let worth = |left: i64| (2 * left - sum).unsigned_abs();
    let bins = map.bins();
    if map.is_categorical() {
        let order = scan_order(bins, |bin| f64::from(histogram[bin as usize]));
        let mut left = 0;
        let mut best: Option<(u64, usize)> = None;
        for (i, &bin) in order[..order.len() - 1].iter().enumerate() {
            left += i64::from(histogram[bin as usize]);
            if best.is_none_or(|(most, _)| worth(left) > most) {
                best = Some((worth(left), i));
            }
        }
        return best.map(|(score, i)| Best { score, split: Split::subset(feature, &order[..=i]) });
    }
    let missing = i64::from(histogram[MISSING_BIN as usize]);
    let mut left = 0;
    let mut best: Option<(u64, u8, bool)> = None;
    let mut consider = |score: u64, bin: usize, missing_left: bool| {
        if best.is_none_or(|(most, ..)| score > most) {
            best = Some((score, bin as u8, missing_left));
        }
    };
    for bin in 0..if missing != 0 { bins } else { bins - 1 } {
        left += i64::from(histogram[bin]);
        consider(worth(left), bin, false);
        if missing != 0 && bin + 1 < bins {
            consider(worth(left + missing), bin, true);
        }
    }
    best.map(|(score, bin, missing_left)| Best { score, split: Split::ordered(feature, bin, missing_left) })
}
