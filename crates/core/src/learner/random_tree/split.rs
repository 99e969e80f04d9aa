//! One feature of one node.

use super::{Item, Thresholds, position};
use crate::binning::{BinMap, MISSING_BIN};
use crate::data::synthetic::random::below;
use crate::learner::tree::Split;
use rand_chacha::ChaCha8Rng;

/// The node being split, and memory.
pub(super) struct Search {
    totals: Vec<i64>,
    weight: i64,
    square: i64,
    /// The class with the most weight, ties to the first.
    heaviest: usize,
    pure: bool,
    /// Weight of a side at least.
    smallest: i64,
    left: Vec<i64>,
    /// Sums of a large node, `[bin, missing last][class]`.
    cells: Vec<i64>,
    /// Rows of a small node: bin, then place.
    keys: Vec<u64>,
    /// Bins of the node's rows.
    codes: Vec<u8>,
}

/// The best threshold so far.
struct Best {
    score: f64,
    cut: Option<Cut>,
    /// The bin visited last, of those that have rows.
    previous: Option<u8>,
}

/// Between two bins that have rows, and none between them.
struct Cut {
    last: u8,
    next: u8,
    /// Where rows without a value are said to go.
    stated: Option<bool>,
    /// Weight of the left side.
    left: i64,
}

impl Best {
    /// All bins up to this one are on the left.
    #[inline(always)]
    fn visit(&mut self, search: &Search, side: &Side, bin: u8, stated: Option<bool>) {
        if let Some(cut) = &mut self.cut
            && self.previous == Some(cut.last)
            && cut.stated == stated
        {
            cut.next = bin;
        }
        self.previous = Some(bin);
        if let Some(score) = search.judge(side).filter(|score| *score > self.score) {
            self.score = score;
            self.cut = Some(Cut { last: bin, next: bin, stated, left: side.weight });
        }
    }
}

/// The left side, taken class by class: |left|^2 and <totals, left> follow each addition.
#[derive(Clone, Copy, Default)]
struct Side {
    weight: i64,
    square: i64,
    product: i64,
}

impl Search {
    pub fn new(classes: usize, smallest: i64) -> Self {
        let zeros = || vec![0; classes];
        Search {
            totals: zeros(),
            weight: 0,
            square: 0,
            heaviest: 0,
            pure: false,
            smallest: smallest.max(1),
            left: zeros(),
            cells: Vec::new(),
            keys: Vec::new(),
            codes: Vec::new(),
        }
    }

    /// Turns to a node.
    pub fn enter(&mut self, items: &[Item]) {
        sum_by_class(items, |_| true, &mut self.totals);
        self.weight = self.totals.iter().sum();
        self.square = self.totals.iter().map(|w| w * w).sum();
        self.pure = self.totals.iter().filter(|w| **w > 0).count() <= 1;
        self.heaviest = (0..self.totals.len()).rev().max_by_key(|&k| self.totals[k]).unwrap_or(0);
    }

    pub fn is_pure(&self) -> bool {
        self.pure
    }

    /// Whether there is nothing to split.
    pub fn is_done(&self) -> bool {
        self.pure || self.weight < 2 * self.smallest
    }

    /// Appends the shares of the classes.
    pub fn put_shares(&self, out: &mut Vec<f64>) {
        out.extend(self.totals.iter().map(|w| *w as f64 / self.weight as f64));
    }

    /// A split better than `least`, if the feature has one.
    pub fn split(
        &mut self,
        items: &[Item],
        codes: &[u8],
        feature: usize,
        map: &BinMap,
        thresholds: Thresholds,
        least: f64,
        rng: &mut ChaCha8Rng,
    ) -> Option<(f64, Split)> {
        match (map.is_categorical(), thresholds) {
            (true, _) => self.levels(items, codes, feature, map.bins(), thresholds, least, rng),
            (false, Thresholds::Best) => self.best(items, codes, feature, map, least),
            (false, Thresholds::Random) => self.random(items, codes, feature, least, rng),
        }
    }

    fn start(&mut self) -> Side {
        self.left.fill(0);
        Side::default()
    }

    #[inline(always)]
    fn take(&mut self, side: &mut Side, class: usize, weight: i64) {
        let left = &mut self.left[class];
        side.square += weight * (2 * *left + weight);
        side.product += weight * self.totals[class];
        side.weight += weight;
        *left += weight;
    }

    /// |s_left|^2 / w_left + |s_right|^2 / w_right, if both sides are large enough.
    #[inline(always)]
    fn judge(&self, side: &Side) -> Option<f64> {
        let rest = self.weight - side.weight;
        let other = self.square - 2 * side.product + side.square;
        (side.weight >= self.smallest && rest >= self.smallest)
            .then(|| side.square as f64 / side.weight as f64 + other as f64 / rest as f64)
    }

    /// An ordered split of this score; where no row is missing, missing values go with the greater weight.
    fn ordered(&self, feature: usize, last: u8, missing_left: Option<bool>, left: i64) -> Split {
        Split::ordered(feature, last, missing_left.unwrap_or(2 * left >= self.weight))
    }

    /// The best threshold, with missing values on either side.
    fn best(
        &mut self,
        items: &[Item],
        codes: &[u8],
        feature: usize,
        map: &BinMap,
        least: f64,
    ) -> Option<(f64, Split)> {
        let bins = map.bins();
        let missing: Vec<Item> =
            items.iter().copied().filter(|item| codes[item.row as usize] == MISSING_BIN).collect();
        let mut best = Best { score: least, cut: None, previous: None };
        for missing_left in [false, true].into_iter().take(if missing.is_empty() { 1 } else { 2 }) {
            let mut side = self.start();
            if missing_left {
                missing.iter().for_each(|item| self.take(&mut side, item.class as usize, i64::from(item.weight)));
            }
            let stated = (!missing.is_empty()).then_some(missing_left);
            if items.len() * 8 < bins * self.totals.len() || items.len() < 64 {
                self.scan_rows(items, codes, &mut side, |search, side, bin| best.visit(search, side, bin, stated));
            } else {
                self.scan_bins(items, codes, bins, &mut side, |search, side, bin| {
                    best.visit(search, side, bin, stated);
                });
            }
        }
        best.cut.map(|Cut { last, next, stated, left }| {
            (best.score, self.ordered(feature, map.middle(last, next), stated, left))
        })
    }

    /// Calls `visit` after each bin that has rows, from rows sorted by bin.
    fn scan_rows(&mut self, items: &[Item], codes: &[u8], side: &mut Side, mut visit: impl FnMut(&Self, &Side, u8)) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        let code = |item: &Item| codes[item.row as usize];
        let rows = items.iter().enumerate().filter(|(_, item)| code(item) != MISSING_BIN);
        keys.extend(rows.map(|(i, item)| (u64::from(code(item)) << 32) | i as u64));
        keys.sort_unstable();
        for (i, key) in keys.iter().enumerate() {
            let item = items[*key as u32 as usize];
            self.take(side, item.class as usize, i64::from(item.weight));
            if keys.get(i + 1).is_none_or(|next| next >> 32 != key >> 32) {
                visit(self, side, (key >> 32) as u8);
            }
        }
        self.keys = keys;
    }

    /// `[bin][class]`, missing values last: sums of weights, in memory that goes back to `cells`.
    fn table(&mut self, items: &[Item], codes: &[u8], bins: usize) -> Vec<i64> {
        let classes = self.totals.len();
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        cells.resize((bins + 1) * classes, 0);
        for item in items {
            cells[position(codes[item.row as usize], bins) * classes + item.class as usize] += i64::from(item.weight);
        }
        cells
    }

    /// The same from a table of sums.
    fn scan_bins(
        &mut self,
        items: &[Item],
        codes: &[u8],
        bins: usize,
        side: &mut Side,
        mut visit: impl FnMut(&Self, &Side, u8),
    ) {
        let classes = self.totals.len();
        let cells = self.table(items, codes, bins);
        for (bin, cell) in cells.chunks_exact(classes).take(bins).enumerate() {
            let before = side.weight;
            for (class, weight) in cell.iter().enumerate() {
                self.take(side, class, *weight);
            }
            if side.weight > before {
                visit(self, side, bin as u8);
            }
        }
        self.cells = cells;
    }

    /// A threshold drawn evenly from those that part the node's bins; missing values go to a random side.
    fn random(
        &mut self,
        items: &[Item],
        codes: &[u8],
        feature: usize,
        least: f64,
        rng: &mut ChaCha8Rng,
    ) -> Option<(f64, Split)> {
        let mut here = std::mem::take(&mut self.codes);
        here.clear();
        here.extend(items.iter().map(|item| codes[item.row as usize]));
        // The code of a missing value is the greatest; one more makes it the least.
        let low = here.iter().copied().min().unwrap_or(MISSING_BIN);
        let high = here.iter().map(|code| code.wrapping_add(1)).max().unwrap_or(0).saturating_sub(1);
        let missing = here.contains(&MISSING_BIN);
        let stated = match (low < high, missing) {
            (true, true) => Some(below(2, rng) == 0),
            (true, false) => None,
            // One value or missing: that is the question.
            (false, true) if low == high => Some(false),
            _ => {
                self.codes = here;
                return None;
            }
        };
        let last = if low < high { low + below(u64::from(high - low), rng) as u8 } else { high };
        let mut side = Side::default();
        let shift = u8::from(stated.unwrap_or(false));
        sum_by_class(items, |i| here[i].wrapping_add(shift) <= last + shift, &mut self.left);
        self.codes = here;
        for (left, total) in self.left.iter().zip(&self.totals) {
            side.weight += left;
            side.square += left * left;
            side.product += left * total;
        }
        let score = self.judge(&side).filter(|score| *score > least)?;
        Some((score, self.ordered(feature, last, stated, side.weight)))
    }

    /// Levels, the missing one included. Random: each goes to a random side. Best: the best cut in the order of the share
    /// of the node's heaviest class, exact for two classes. Levels without rows go with the greater weight.
    fn levels(
        &mut self,
        items: &[Item],
        codes: &[u8],
        feature: usize,
        bins: usize,
        thresholds: Thresholds,
        least: f64,
        rng: &mut ChaCha8Rng,
    ) -> Option<(f64, Split)> {
        let classes = self.totals.len();
        let cells = self.table(items, codes, bins);
        let cell = |level: usize| &cells[level * classes..][..classes];
        let mut levels: Vec<usize> = (0..=bins).filter(|&level| cell(level).iter().any(|w| *w > 0)).collect();
        let cut = match thresholds {
            Thresholds::Random if levels.len() > 1 => {
                // One level at a random place of a random order: shuffle, then cut.
                crate::data::synthetic::random::shuffle(&mut levels, rng);
                Some(below(levels.len() as u64 - 1, rng) as usize)
            }
            Thresholds::Random => Some(0),
            Thresholds::Best => {
                let share = |level: usize| cell(level)[self.heaviest] as f64 / cell(level).iter().sum::<i64>() as f64;
                levels.sort_by(|&a, &b| share(a).total_cmp(&share(b)).then(a.cmp(&b)));
                None
            }
        };
        let mut side = self.start();
        let mut best = (least, None);
        for (i, level) in levels.iter().enumerate() {
            for (class, weight) in cell(*level).iter().enumerate() {
                self.take(&mut side, class, *weight);
            }
            if cut.is_none_or(|cut| cut == i)
                && let Some(score) = self.judge(&side).filter(|score| *score > best.0)
            {
                best = (score, Some((i, 2 * side.weight >= self.weight)));
            }
        }
        self.cells = cells;
        let (score, found) = best;
        found.map(|(last, left_is_heavier)| {
            let absent = (0..=bins).filter(|level| left_is_heavier && !levels.contains(level));
            let code = |level: usize| if level == bins { MISSING_BIN } else { level as u8 };
            let going_left: Vec<u8> = levels[..=last].iter().copied().chain(absent).map(code).collect();
            (score, Split::subset(feature, &going_left))
        })
    }
}

/// Weights of the rows that `take` names by place, class by class.
#[inline(always)]
fn sum_by_class(items: &[Item], take: impl Fn(usize) -> bool, sums: &mut [i64]) {
    let weight = |(i, item): (usize, &Item)| i64::from(item.weight) * i64::from(take(i));
    if let [first, second] = sums {
        // In registers: adding to one place over and over waits for itself.
        let (mut all, mut of_second) = (0, 0);
        for (i, item) in items.iter().enumerate() {
            let weight = weight((i, item));
            all += weight;
            of_second += weight * i64::from(item.class);
        }
        (*first, *second) = (all - of_second, of_second);
        return;
    }
    sums.fill(0);
    items.iter().enumerate().for_each(|(i, item)| sums[item.class as usize] += weight((i, item)));
}
