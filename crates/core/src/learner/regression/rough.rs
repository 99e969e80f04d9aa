//! A look at a column through few, wide bins, to see which nodes it may split best.
//!
//! Most columns have nothing to say about most nodes, and where a column has many bins and a node few rows, clearing and
//! judging the sums of its bins costs more than adding up its rows. So rows are first added up in groups of bins, which are
//! few. The borders of groups are splits that can be had; `scan`'s bounds say what thresholds within a group may be worth at
//! most. Only nodes that the column may split better than any other are added up bin by bin.

use super::Criterion;
use super::scan::{ROUNDING, Totals, take};
use super::sums::Sums;
use crate::binning::{BinColumn, BinnedDataset};

/// Groups that listed rows are shared out to.
const GROUPS: usize = 16;
/// Fewer bins than this are not worth a look beforehand.
const LEAST_BINS: usize = 4 * GROUPS;

/// A column of all rows is looked at if it has at most so many a cell: with more of them, adding them up once more is dear.
const MOST_ROWS_A_CELL: usize = 8;

/// The groups of a column: bins next to each other with about as many rows each, the common bin by itself.
pub(super) struct Groups {
    /// By code.
    of: [u8; 256],
    /// Whether a group is a single bin; the missing values are the last group.
    single: Vec<bool>,
}

impl Groups {
    /// Those of a feature, if it is worth a look.
    pub fn new(data: &BinnedDataset, feature: usize, lanes: usize) -> Option<Self> {
        let map = &data.maps[feature];
        if map.is_categorical() || map.bins() < LEAST_BINS {
            return None;
        }
        let mut counts = [0usize; 256];
        let codes = match &data.columns[feature] {
            BinColumn::Dense(codes) | BinColumn::Sparse { bins: codes, .. } => codes,
        };
        codes.iter().for_each(|code| counts[usize::from(*code)] += 1);
        let common = match &data.columns[feature] {
            BinColumn::Sparse { common, .. } => usize::from(*common),
            BinColumn::Dense(_) => {
                let common = (0..256).rev().max_by_key(|bin| counts[*bin])?;
                // The more rows are elsewhere, the less groups of them tell.
                let rough = counts[common] * 10 < data.rows * 3;
                if rough || data.rows > MOST_ROWS_A_CELL * map.bins() * lanes {
                    return None;
                }
                std::mem::take(&mut counts[common]);
                common
            }
        };
        let listed: usize = counts.iter().sum();
        let (mut of, mut single) = ([0; 256], Vec::new());
        let mut rows = 0;
        for bin in 0..map.bins() {
            if bin == 0 || bin == common || bin == common + 1 || rows * GROUPS >= listed {
                single.push(true);
                rows = 0;
            } else if let Some(last) = single.last_mut() {
                *last = false;
            }
            of[bin] = single.len() as u8 - 1;
            rows += counts[bin];
        }
        of[map.bins()..].fill(single.len() as u8);
        single.push(true);
        Some(Groups { of, single })
    }

    /// Whether sums of this kind can be judged by the group.
    pub fn help<S: Sums>(sums: &S) -> bool {
        S::EMPTY_IF_WEIGHTLESS && sums.criterion() == Criterion::Gini
    }

    /// Their number, that of missing values included.
    pub fn len(&self) -> usize {
        self.single.len()
    }

    /// The group of a code.
    #[inline(always)]
    pub fn of(&self, code: u8) -> usize {
        usize::from(self.of[usize::from(code)])
    }

    /// What the best split of a node with these sums by group is worth, at least and at most; the more closely the more it
    /// is above `beat`.
    #[inline(always)]
    pub fn outlook<S: Sums, const C: usize>(
        &self,
        sums: &S,
        cells: &[i32],
        totals: &Totals,
        beat: f64,
        left: &mut [i32],
    ) -> (f64, f64) {
        let lanes = sums.lanes();
        let (cells, missing) = cells.split_at(cells.len() - lanes);
        if sums.weight::<C>(missing) > 0 {
            return (0.0, f64::INFINITY);
        }
        left.fill(0);
        let (mut weight, mut worth) = (0, 0.0);
        let (mut least, mut most) = (0.0f64, 0.0f64);
        for (cell, single) in cells.chunks_exact(lanes).zip(&self.single) {
            let more = sums.weight::<C>(cell);
            if more == 0 {
                continue;
            }
            let (a, b) = take::<C>(left, cell, &totals.cell);
            weight += more;
            let rest = totals.weight - weight;
            let behind = if rest > 0 { totals.without(a, b) / rest as f64 } else { 0.0 };
            let before = worth;
            worth = a as f64 / weight as f64;
            if rest > 0 {
                least = least.max(worth + behind);
            }
            if !single {
                let largest = cell.iter().copied().fold(0, i32::max);
                let mut ceiling = (before + behind + more.min(2 * i64::from(largest)) as f64) * ROUNDING;
                if ceiling >= beat.max(least) {
                    ceiling = ceiling.min(totals.ceiling::<C>(left, cell, (weight - more, before), (rest, behind)));
                }
                most = most.max(ceiling);
            }
        }
        (least, most.max(least * ROUNDING))
    }
}

#[cfg(test)]
mod tests {
    use super::super::sums::ClassSums;
    use super::super::{RegionGrower, Targets};
    use super::*;
    use crate::context::{Context, stream};
    use crate::data::{Column, Dataset, Roles, Table};
    use proptest::prelude::*;
    use rand::RngExt;

    /// Columns with many values that say something about the class, zeros, more or less than most, and perhaps some missing.
    fn many_zeros(rows: usize, classes: u32, missing: f64, seed: u64) -> (Dataset, Vec<f64>) {
        let rng = &mut stream(seed, "columns");
        let labels: Vec<u32> = (0..rows).map(|row| row as u32 % classes).collect();
        let mut columns = Vec::new();
        for column in 0..6u32 {
            let values = labels.iter().map(|label| match rng.random::<f64>() {
                u if u < missing => f64::NAN,
                u if u < 0.45 + 0.3 * f64::from(column % 2) => 0.0,
                _ => f64::from((label + column) % classes) * 40.0 + f64::from(rng.random_range(-150i32..150)),
            });
            columns.push(Column::numeric(values.collect()));
        }
        columns.push(Column::categorical(labels.iter().map(|label| Some(format!("{label}")))));
        let names = (0..columns.len()).map(|column| format!("x{column}")).collect();
        let table = Table::new(names, columns).unwrap();
        let data = Dataset::from_table(&table, &Roles::default(), &mut Vec::new()).unwrap();
        let weights = (0..rows).map(|_| (-rng.random_range(0.0..12.0f64)).exp()).collect();
        (data, weights)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Looking first never changes a tree, on any number of threads.
        #[test]
        fn trees_are_those_grown_without_a_look(
            rows in 700usize..1500, classes in 2u32..8, leaves in 2usize..16, missing in prop::sample::select(vec![0.0, 0.02]),
            seed in any::<u64>(),
        ) {
            let (data, weights) = many_zeros(rows, classes, missing, seed);
            let classes = data.class_count();
            let targets = Targets::Classes { labels: &data.labels, classes, weights: &weights };
            let context = Context::new(0, 1).unwrap();
            let bins = BinnedDataset::new(&data, 255, &context);
            prop_assert!((0..6).all(|feature| Groups::new(&bins, feature, classes).is_some()), "nothing to look at");
            let mut plain = RegionGrower::new(&bins, leaves);
            plain.histograms.looks = false;
            let expected = plain.grow(targets, &context);
            for threads in [1, 3] {
                let grown = RegionGrower::new(&bins, leaves).grow(targets, &Context::new(0, threads).unwrap());
                prop_assert_eq!(&grown.leaf_of, &expected.leaf_of);
            }
        }

        /// The best threshold is within the bounds, each of them as good as nothing to beat or a lot makes it.
        #[test]
        fn the_best_split_is_within_the_outlook(rows in 700usize..1500, classes in 2u32..12, seed in any::<u64>(), beat in 0.0..2.0f64) {
            let (data, weights) = many_zeros(rows, classes, 0.0, seed);
            let context = Context::new(0, 1).unwrap();
            let bins = BinnedDataset::new(&data, 255, &context);
            let sums = ClassSums::new(&data.labels, data.class_count(), &weights, Criterion::Gini, &context);
            let lanes = sums.lanes();
            let mut total = vec![0; lanes];
            (0..rows).for_each(|row| sums.add(sums.item(row), &mut total, 0));
            let totals = Totals::new(&sums, total);
            for feature in 0..6 {
                let groups = Groups::new(&bins, feature, lanes).unwrap();
                let (mut rough, mut fine) = (vec![0; groups.len() * lanes], vec![0; 256 * lanes]);
                bins.columns[feature].for_each(rows, |row, code| {
                    sums.add(sums.item(row), &mut rough, groups.of(code) * lanes);
                    sums.add(sums.item(row), &mut fine, usize::from(code) * lanes);
                });
                let (mut left, mut best) = (vec![0; lanes], 0.0f64);
                for cell in fine.chunks_exact(lanes) {
                    let (a, b) = take::<4>(&mut left, cell, &totals.cell);
                    let weight = sums.weight::<4>(&left);
                    if weight > 0 && weight < totals.weight {
                        best = best.max(a as f64 / weight as f64 + totals.without(a, b) / (totals.weight - weight) as f64);
                    }
                }
                let (least, most) = groups.outlook::<_, 4>(&sums, &rough, &totals, beat * totals.score(), &mut left);
                prop_assert!(least <= best * ROUNDING && best <= most, "{least} {best} {most}");
                // A bound that never says anything would pass, too.
                prop_assert!(most <= 1.5 * best, "{best} {most}");
            }
        }
    }
}
