//! The first split of a tree, for K classes at once.
//!
//! One histogram of K-vectors a feature; each threshold is judged from D_k = sum_n f(x_n) g_nk and the known S_k:
//! * exact for exp: L = sum_k 2 sqrt(s+ s-) = sum_k sqrt(S_k^2 - D_k^2)     (thesis eq. 4.10)
//! * exact for one vote for all classes (AdaBoost.MH, factorised): the largest edge sum_k |D_k|
//! * otherwise the second-order gain of a Newton step: minus sum_k D_k^2 / (2 S_k)
//!
//! Lower is better in both.

use super::fixed::FixedVectors;
use super::split::{Best, Split, scan_order};
use crate::binning::{BinColumn, BinMap, BinnedDataset, MISSING_BIN};
use crate::context::Context;

/// How a root split is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootCriterion {
    /// sum_k sqrt(S_k^2 - D_k^2).
    Exponential,
    /// minus sum_k |D_k|: the edge of one vote with the better sign for each class.
    Edge,
    /// minus sum_k D_k^2 / (2 S_k).
    SecondOrder,
}

/// Rows handled together for all features of a block, so that their weights stay in the cache.
const ROWS: usize = 512;

/// The best root split, if any feature can be split, and whether the homogeneous stump (one answer for all rows, a
/// later a0) would be better still. Ties to the lowest feature, then threshold.
pub(super) fn best_root(
    data: &BinnedDataset,
    features: &[usize],
    weights: &FixedVectors,
    criterion: RootCriterion,
    context: &Context,
) -> (Option<Split>, bool) {
    let row_bytes = weights.tiles * weights.lanes * 256 * 4;
    let block = (256 * 1024 / row_bytes).clamp(1, 16);
    let blocks = features.len().div_ceil(block);
    let work = data.rows * features.len() * weights.tiles * weights.lanes;
    let bests = context.map_with(
        blocks,
        work,
        || vec![0i32; block * row_bytes / 4],
        |histograms, index| {
            let features = &features[index * block..((index + 1) * block).min(features.len())];
            fill(data, weights, features, histograms);
            let size = row_bytes / 4;
            pulp::Arch::new().dispatch(BestOf { data, features, weights, criterion, histograms, size })
        },
    );
    let best = bests.into_iter().flatten().reduce(|a, b| if b.score < a.score { b } else { a });
    let better = best.as_ref().is_none_or(|best| homogeneous(weights, criterion) < best.score);
    (best.map(|best| best.split), better)
}

/// The best split among the features of a block. `pulp` compiles this once for each instruction set; vectors do not change the
/// order of addition.
struct BestOf<'a> {
    data: &'a BinnedDataset,
    features: &'a [usize],
    weights: &'a FixedVectors,
    criterion: RootCriterion,
    histograms: &'a [i32],
    /// Of one feature's histogram.
    size: usize,
}

impl pulp::NullaryFnOnce for BestOf<'_> {
    type Output = Option<Best<f64>>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let BestOf { data, features, weights, criterion, histograms, size } = self;
        let mut best: Option<Best<f64>> = None;
        for (&feature, histogram) in features.iter().zip(histograms.chunks_exact(size)) {
            let scan = Scan { weights, criterion, histogram, total: &weights.sums, open: &[] };
            if let Some(found) = scan.feature(feature, &data.maps[feature])
                && best.as_ref().is_none_or(|b| found.score < b.score)
            {
                best = Some(found);
            }
        }
        best
    }
}

/// The criterion of one answer for all rows.
pub(super) fn homogeneous(weights: &FixedVectors, criterion: RootCriterion) -> f64 {
    Scan { weights, criterion, histogram: &[], total: &weights.sums, open: &[] }.judge(&weights.sums)
}

/// `histograms[feature in block][tile][bin][lane]`. Compiled for several instruction sets and chosen at run time;
/// sums of integers are the same in all.
fn fill(data: &BinnedDataset, weights: &FixedVectors, features: &[usize], histograms: &mut [i32]) {
    histograms.fill(0);
    let columns: Vec<&BinColumn> = features.iter().map(|&feature| &data.columns[feature]).collect();
    let columns = &*columns;
    macro_rules! with_lanes {
        ($($lanes:literal)*) => {
            match weights.lanes {
                $($lanes => pulp::Arch::new().dispatch(Fill::<$lanes> { columns, weights, histograms }),)*
                other => unreachable!("{other} lanes: FixedVectors makes multiples of four up to 32"),
            }
        };
    }
    with_lanes!(4 8 12 16 20 24 28 32);
}

/// A function that `pulp` compiles once for each instruction set; everything below it must be inlined.
struct Fill<'a, const L: usize> {
    columns: &'a [&'a BinColumn],
    weights: &'a FixedVectors,
    histograms: &'a mut [i32],
}

impl<const L: usize> pulp::NullaryFnOnce for Fill<'_, L> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        fill_lanes::<L>(self.columns, self.weights, self.histograms);
    }
}

#[inline(always)]
fn fill_lanes<const L: usize>(columns: &[&BinColumn], weights: &FixedVectors, histograms: &mut [i32]) {
    let tiles = weights.tiles;
    let (histograms, _) = histograms.as_chunks_mut::<L>();
    let (histograms, _) = histograms.as_chunks_mut::<256>();
    for tile in 0..tiles {
        let (rows, _) = weights.tile(tile).as_chunks::<L>();
        let mut cursors = vec![0usize; columns.len()];
        for start in (0..weights.rows).step_by(ROWS) {
            let end = (start + ROWS).min(weights.rows);
            let mut i = 0;
            while i < columns.len() {
                let (first, rest) = histograms[i * tiles + tile..].split_at_mut(1);
                let first = &mut first[0];
                match (columns[i], columns.get(i + 1).copied()) {
                    // Two columns at once: a run of equal bins then does not wait for its own last addition.
                    (BinColumn::Dense(a), Some(BinColumn::Dense(b))) => {
                        let second = &mut rest[tiles - 1];
                        let codes = a[start..end].iter().zip(&b[start..end]);
                        for ((a, b), row) in codes.zip(&rows[start..end]) {
                            add(&mut first[*a as usize], row);
                            add(&mut second[*b as usize], row);
                        }
                        i += 2;
                    }
                    (BinColumn::Dense(codes), _) => {
                        for (code, row) in codes[start..end].iter().zip(&rows[start..end]) {
                            add(&mut first[*code as usize], row);
                        }
                        i += 1;
                    }
                    (BinColumn::Sparse { rows: listed, bins, .. }, _) => {
                        let from = cursors[i];
                        let count = listed[from..].partition_point(|&r| (r as usize) < end);
                        for (row, bin) in listed[from..from + count].iter().zip(&bins[from..from + count]) {
                            add(&mut first[*bin as usize], &rows[*row as usize]);
                        }
                        cursors[i] = from + count;
                        i += 1;
                    }
                }
            }
        }
        for (i, column) in columns.iter().enumerate() {
            if let BinColumn::Sparse { common, .. } = column {
                let histogram = &mut histograms[i * tiles + tile];
                let mut rest = [0i32; L];
                rest.copy_from_slice(&weights.sums[tile * L..(tile + 1) * L]);
                for bin in &*histogram {
                    (0..L).for_each(|lane| rest[lane] = rest[lane].wrapping_sub(bin[lane]));
                }
                histogram[*common as usize] = rest;
            }
        }
    }
}

/// Reads both before it writes: only then does the compiler know that lanes do not overlap and use vectors.
#[inline(always)]
fn add<const L: usize>(to: &mut [i32; L], from: &[i32; L]) {
    let (mut sum, other) = (*to, *from);
    for lane in 0..L {
        sum[lane] = sum[lane].wrapping_add(other[lane]);
    }
    *to = sum;
}

pub(super) struct Scan<'a> {
    pub weights: &'a FixedVectors,
    pub criterion: RootCriterion,
    /// `[tile][bin][lane]`.
    pub histogram: &'a [i32],
    /// Sum of the histogram, by lane.
    pub total: &'a [i32],
    /// By lane, what rows that are not in the histogram may add to |D| at most; nothing if empty.
    pub open: &'a [f64],
}

impl Scan<'_> {
    #[inline(always)]
    fn bin(&self, bin: u8) -> impl Iterator<Item = &[i32]> {
        let lanes = self.weights.lanes;
        (0..self.weights.tiles).map(move |tile| &self.histogram[(tile * 256 + bin as usize) * lanes..][..lanes])
    }

    #[inline(always)]
    fn add_bin(&self, bin: u8, to: &mut [i32]) {
        for (part, bin) in to.chunks_exact_mut(self.weights.lanes).zip(self.bin(bin)) {
            part.iter_mut().zip(bin).for_each(|(a, b)| *a = a.wrapping_add(*b));
        }
    }

    #[inline(always)]
    pub fn feature(&self, feature: usize, map: &BinMap) -> Option<Best<f64>> {
        let bins = map.bins();
        let has_missing = self.bin(MISSING_BIN).any(|tile| tile.iter().any(|v| *v != 0));
        if map.is_categorical() {
            return self.subsets(feature, bins);
        }
        let mut best: Option<(f64, u8, bool)> = None;
        let mut prefix = vec![0i32; self.weights.sums.len()];
        let mut with_missing = prefix.clone();
        // The last bin ends a split only if missing values stand on the other side.
        let ends = if has_missing { bins } else { bins - 1 };
        for bin in 0..ends {
            self.add_bin(bin as u8, &mut prefix);
            let mut consider = |score: f64, missing_left: bool| {
                if best.is_none_or(|(least, ..)| score < least) {
                    best = Some((score, bin as u8, missing_left));
                }
            };
            consider(self.judge(&prefix), false);
            if has_missing && bin + 1 < bins {
                with_missing.copy_from_slice(&prefix);
                self.add_bin(MISSING_BIN, &mut with_missing);
                consider(self.judge(&with_missing), true);
            }
        }
        best.map(|(score, bin, missing_left)| Best { score, split: Split::ordered(feature, bin, missing_left) })
    }

    /// Levels ordered by their projection on the direction in which they differ most, then split as ordered
    /// (exact for two classes; for more, the subset that is best along that direction is among the candidates).
    fn subsets(&self, feature: usize, bins: usize) -> Option<Best<f64>> {
        let direction = self.direction(bins);
        let order = scan_order(bins, |bin| self.project(bin, &direction));
        let mut prefix = vec![0i32; self.weights.sums.len()];
        let mut best: Option<(f64, usize)> = None;
        for (i, &bin) in order[..order.len() - 1].iter().enumerate() {
            self.add_bin(bin, &mut prefix);
            let score = self.judge(&prefix);
            if best.is_none_or(|(least, _)| score < least) {
                best = Some((score, i));
            }
        }
        best.map(|(score, i)| Best { score, split: Split::subset(feature, &order[..=i]) })
    }

    /// Leading direction of the levels' weight vectors, each class in units of its total: a few steps of the power
    /// method from the largest vector.
    fn direction(&self, bins: usize) -> Vec<f64> {
        let all = || (0..bins).map(|b| b as u8).chain([MISSING_BIN]);
        let norm = |bin: u8| self.scaled(bin).map(|x| x * x).sum::<f64>();
        let start = all().fold(0u8, |best, bin| if norm(bin) > norm(best) { bin } else { best });
        let mut direction: Vec<f64> = self.scaled(start).collect();
        for _ in 0..4 {
            let mut next = vec![0.0; direction.len()];
            for bin in all() {
                let along = self.project(bin, &direction);
                next.iter_mut().zip(self.scaled(bin)).for_each(|(n, x)| *n += along * x);
            }
            let length = next.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length == 0.0 {
                break;
            }
            direction = next.into_iter().map(|x| x / length).collect();
        }
        direction
    }

    fn scaled(&self, bin: u8) -> impl Iterator<Item = f64> {
        let totals = &self.weights.totals;
        let values = self.bin(bin).flatten();
        values.zip(totals).map(|(v, s)| if *s > 0.0 { f64::from(*v) / s } else { 0.0 })
    }

    fn project(&self, bin: u8, direction: &[f64]) -> f64 {
        self.scaled(bin).zip(direction).map(|(x, d)| x * d).sum()
    }

    /// The criterion when `left` is the sum over the rows that go left. Four running sums, so that the loop can
    /// use vector registers without changing the order of addition.
    #[inline(always)]
    pub fn judge(&self, left: &[i32]) -> f64 {
        let FixedVectors { totals, units, .. } = self.weights;
        if !self.open.is_empty() {
            return self.judge_at_best(left);
        }
        let sums = self.total;
        let mut parts = [0.0f64; 4];
        let lanes = left.len();
        let (sums, totals, units) = (&sums[..lanes], &totals[..lanes], &units[..lanes]);
        for base in (0..lanes).step_by(4) {
            for j in 0..4 {
                let k = base + j;
                // Wraps at most once on the way; the result fits.
                let d = f64::from(left[k].wrapping_add(left[k]).wrapping_sub(sums[k]));
                let s = totals[k];
                parts[j] += match self.criterion {
                    RootCriterion::Exponential => ((s - d) * (s + d)).max(0.0).sqrt() * units[k],
                    RootCriterion::Edge => -d.abs() * units[k],
                    RootCriterion::SecondOrder if s > 0.0 => -0.5 * d * d / s * units[k],
                    RootCriterion::SecondOrder => 0.0,
                };
            }
        }
        (parts[0] + parts[1]) + (parts[2] + parts[3])
    }

    /// The same if all rows that are not in the histogram stood on the right side.
    fn judge_at_best(&self, left: &[i32]) -> f64 {
        let FixedVectors { totals, units, .. } = self.weights;
        let lanes = left.iter().zip(self.total).zip(self.open).zip(totals.iter().zip(units));
        let each = lanes.map(|(((left, sum), open), (s, unit))| {
            let d = (f64::from(left.wrapping_add(*left).wrapping_sub(*sum)).abs() + open).min(*s);
            match self.criterion {
                RootCriterion::Exponential => ((s - d) * (s + d)).max(0.0).sqrt() * unit,
                RootCriterion::Edge => -d * unit,
                RootCriterion::SecondOrder if *s > 0.0 => -0.5 * d * d / s * unit,
                RootCriterion::SecondOrder => 0.0,
            }
        });
        each.sum()
    }
}
