//! Which value falls into which bin, and which threshold separates two bins.

use super::{MAX_BINS, MISSING_BIN, radix};
use crate::data::{Column, MISSING_LEVEL, Numeric};

/// How one feature is binned.
#[derive(Clone, Debug, PartialEq)]
pub enum BinMap {
    /// Bin b holds values above `cuts[b - 1]` and up to `cuts[b]`.
    Numeric {
        /// Rising thresholds, one fewer than bins.
        cuts: Vec<f64>,
    },
    /// One bin a level; levels beyond the 255 weightiest share the missing bin.
    Categorical {
        /// Bin of each level.
        bin_of_level: Vec<u8>,
        /// Number of bins used.
        bins: usize,
    },
}

impl BinMap {
    /// Weighted quantiles; a feature with few distinct values gets a bin for each, so stumps on it are exact.
    pub fn numeric(column: &Column, weights: &[f64], bins: usize) -> Self {
        let bins = bins.clamp(2, MAX_BINS);
        let values = distinct(column, weights);
        let mut cuts = Vec::new();
        let mut left: f64 = values.iter().map(|v| v.1).sum();
        let mut filled = 0.0;
        for (i, pair) in values.windows(2).enumerate() {
            let [(value, weight), (next, next_weight)] = [pair[0], pair[1]];
            filled += weight;
            let bins_left = bins - cuts.len();
            let close = if values.len() - i <= bins_left {
                true // one bin for each value that is left
            } else if bins_left == 1 {
                false
            } else {
                // Close the bin where it comes nearest to its share of what is left.
                filled + 0.5 * next_weight >= left / bins_left as f64
            };
            if close {
                cuts.push(between(value, next));
                left -= filled;
                filled = 0.0;
            }
        }
        BinMap::Numeric { cuts }
    }

    /// Levels by falling weight, ties by position.
    pub fn categorical(column: &Column, levels: usize, weights: &[f64], bins: usize) -> Self {
        let mut weight_of = vec![0.0; levels];
        if let Column::Categorical(c) = column {
            for (&code, weight) in c.codes.iter().zip(weights).filter(|(code, _)| **code != MISSING_LEVEL) {
                weight_of[code as usize] += weight;
            }
        }
        let mut order: Vec<usize> = (0..levels).collect();
        order.sort_by(|&a, &b| f64::total_cmp(&weight_of[b], &weight_of[a]));
        let bins = bins.clamp(2, MAX_BINS).min(levels);
        let mut bin_of_level = vec![MISSING_BIN; levels];
        // Bins in level order, so that a tie between bins is a tie between level names.
        order.truncate(bins);
        order.sort_unstable();
        order.iter().zip(0u8..).for_each(|(&level, bin)| bin_of_level[level] = bin);
        BinMap::Categorical { bin_of_level, bins }
    }

    /// Number of bins besides the missing one.
    pub fn bins(&self) -> usize {
        match self {
            BinMap::Numeric { cuts } => cuts.len() + 1,
            BinMap::Categorical { bins, .. } => *bins,
        }
    }

    /// The bin to cut behind so that the threshold is near the middle of what is empty between two bins that have values; the first of
    /// them if there is no other.
    pub(crate) fn middle(&self, last: u8, next: u8) -> u8 {
        let BinMap::Numeric { cuts } = self else { return last };
        let Some(empty) = cuts.get(last as usize..next as usize).filter(|empty| empty.len() > 1) else { return last };
        let middle = 0.5 * empty[0] + 0.5 * empty[empty.len() - 1];
        // Of two as near the lower.
        let before = empty.partition_point(|cut| *cut < middle);
        let nearer = before == 0 || empty[before] - middle < middle - empty[before - 1];
        last + (if nearer { before } else { before - 1 }) as u8
    }

    /// Whether bins have no order.
    pub fn is_categorical(&self) -> bool {
        matches!(self, BinMap::Categorical { .. })
    }

    /// Codes of a column.
    pub fn apply(&self, column: &Column) -> Vec<u8> {
        match (self, column) {
            (BinMap::Numeric { cuts }, Column::Numeric(Numeric::U8(values))) => {
                let table: Vec<u8> = (0..=255).map(|v| bin_of(cuts, f64::from(v))).collect();
                values.iter().map(|&v| table[v as usize]).collect()
            }
            (BinMap::Numeric { cuts }, Column::Numeric(numbers)) => codes(cuts, numbers),
            (BinMap::Categorical { bin_of_level, .. }, Column::Categorical(c)) => {
                c.codes.iter().map(|&code| bin_of_level.get(code as usize).copied().unwrap_or(MISSING_BIN)).collect()
            }
            // A schema never pairs a map with a column of the other type.
            (_, column) => vec![MISSING_BIN; column.len()],
        }
    }
}

fn bin_of(cuts: &[f64], value: f64) -> u8 {
    if value.is_nan() { MISSING_BIN } else { cuts.partition_point(|cut| *cut < value) as u8 }
}

/// [`bin_of`] each number. Eight are halved towards their bins side by side: one alone would wait for each comparison.
fn codes(cuts: &[f64], numbers: &Numeric) -> Vec<u8> {
    const ABREAST: usize = 8;
    let mut table = [f64::INFINITY; MAX_BINS + 1];
    table[..cuts.len()].copy_from_slice(cuts);
    let mut out = vec![MISSING_BIN; numbers.len()];
    let mut values = [0.0; 64 * ABREAST];
    for (start, out) in (0..).step_by(values.len()).zip(out.chunks_mut(64 * ABREAST)) {
        numbers.read(start, &mut values[..out.len()]);
        for (values, out) in values.chunks_exact(ABREAST).zip(out.chunks_mut(ABREAST)) {
            let mut bins = [0usize; ABREAST];
            // Bit by bit, without a choice that a compiler might make a branch of. The remainder changes nothing: it spares a
            // check of every address.
            for bit in (0..8).rev() {
                for (bin, value) in bins.iter_mut().zip(values) {
                    *bin |= usize::from(table[((*bin | 1 << bit) - 1) % table.len()] < *value) << bit;
                }
            }
            for (out, (bin, value)) in out.iter_mut().zip(bins.into_iter().zip(values)) {
                *out = if value.is_nan() { MISSING_BIN } else { bin as u8 };
            }
        }
    }
    out
}

/// A threshold with low <= threshold < high.
pub(crate) fn between(low: f64, high: f64) -> f64 {
    let middle = low + 0.5 * (high - low);
    if middle < high && middle.is_finite() { middle } else { low }
}

/// Distinct values in rising order with their weights.
fn distinct(column: &Column, weights: &[f64]) -> Vec<(f64, f64)> {
    let Column::Numeric(numbers) = column else { return Vec::new() };
    if let Numeric::U8(values) = numbers {
        let mut sums = [0.0; 256];
        values.iter().zip(weights).for_each(|(&v, w)| sums[v as usize] += w);
        return (0..256).filter(|&v| sums[v] > 0.0).map(|v| (v as f64, sums[v])).collect();
    }
    if weights.iter().all(|weight| *weight == 1.0)
        && let Some(values) = radix::sorted_values(numbers)
    {
        let mut pairs: Vec<(f64, f64)> = Vec::new();
        for value in values {
            match pairs.last_mut().filter(|last| last.0 == value) {
                Some(last) => last.1 += 1.0,
                None => pairs.push((value, 1.0)),
            }
        }
        return pairs;
    }
    if let Some(sorted) = radix::sorted(numbers) {
        let mut pairs: Vec<(f64, f64)> = Vec::new();
        let mut last = None;
        for (key, row) in sorted {
            let weight = weights[row as usize];
            match pairs.last_mut().filter(|_| last == Some(key)) {
                Some(kept) => kept.1 += weight,
                None => pairs.push((numbers.get(row as usize) + 0.0, weight)),
            }
            last = Some(key);
        }
        return pairs;
    }
    let mut pairs: Vec<(f64, f64)> =
        (0..numbers.len()).map(|row| (numbers.get(row) + 0.0, weights[row])).filter(|p| !p.0.is_nan()).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    pairs.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0.0 };
        same
    });
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_agree_with_cuts(values in prop::collection::vec(-50i32..50, 1..300), bins in 2usize..40) {
            let column = Column::numeric(values.iter().map(|&v| f64::from(v) / 4.0).collect());
            let map = BinMap::numeric(&column, &vec![1.0; values.len()], bins);
            let BinMap::Numeric { cuts } = &map else { unreachable!() };
            prop_assert!(cuts.windows(2).all(|w| w[0] < w[1]));
            prop_assert!(map.bins() <= bins);
            for (row, code) in map.apply(&column).into_iter().enumerate() {
                let v = f64::from(values[row]) / 4.0;
                for (b, cut) in cuts.iter().enumerate() {
                    prop_assert_eq!(v <= *cut, usize::from(code) <= b);
                }
            }
        }

        /// Of all thresholds between two bins none is nearer to the middle.
        #[test]
        fn the_middle_is_the_nearest_cut(values in prop::collection::vec(-50i32..50, 2..100), last in 0usize..50, gap in 0usize..50) {
            let column = Column::numeric(values.iter().map(|&v| f64::from(v * v * v)).collect());
            let map = BinMap::numeric(&column, &vec![1.0; values.len()], 255);
            let BinMap::Numeric { cuts } = &map else { unreachable!() };
            let next = (last + gap).min(cuts.len());
            let chosen = map.middle(last as u8, next as u8) as usize;
            if next <= last {
                prop_assert_eq!(chosen, last);
            } else {
                let off = |cut: usize| (cuts[cut] - 0.5 * (cuts[last] + cuts[next - 1])).abs();
                prop_assert!((last..next).contains(&chosen));
                prop_assert!((last..next).all(|cut| off(chosen) <= off(cut)));
            }
        }

        #[test]
        fn few_values_have_a_bin_each(values in prop::collection::vec(0i32..60, 2..200)) {
            let column = Column::numeric(values.iter().map(|&v| f64::from(v) * 1.5).collect());
            let mut unique = values.clone();
            unique.sort_unstable();
            unique.dedup();
            let map = BinMap::numeric(&column, &vec![1.0; values.len()], 255);
            prop_assert_eq!(map.bins(), unique.len());
        }

        #[test]
        fn weight_two_is_the_row_twice(values in prop::collection::vec(-1e3..1e3f64, 2..400), bins in 2usize..20) {
            let twice: Vec<f64> = values.iter().flat_map(|v| [*v, *v]).collect();
            let once = BinMap::numeric(&Column::numeric(values.clone()), &vec![2.0; values.len()], bins);
            prop_assert_eq!(once, BinMap::numeric(&Column::numeric(twice.clone()), &vec![1.0; twice.len()], bins));
        }
    }

    #[test]
    fn neighbouring_numbers_are_separated() {
        let high = 1.0 + f64::EPSILON;
        let cut = between(1.0, high);
        assert!(1.0 <= cut && cut < high);
        assert!(between(-f64::MAX, f64::MAX).is_finite());
    }
}
