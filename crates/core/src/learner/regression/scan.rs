//! The best split of one node on one feature, from the sums of its bins.

use super::Criterion;
use super::sums::Sums;
use crate::binning::{BinMap, MISSING_BIN};
use crate::learner::tree::Split;

/// A split that was found, before it is made into a table of sides.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// |s_left|^2 / w_left + |s_right|^2 / w_right; higher is better.
    pub score: f64,
    pub feature: usize,
    pub sides: Sides,
}

#[derive(Clone, Debug)]
pub(super) enum Sides {
    /// Bins up to this one go left; missing as said.
    UpTo(u8, bool),
    /// These bins go left.
    Among(Vec<u8>),
}

impl Candidate {
    pub fn split(&self) -> Split {
        match &self.sides {
            Sides::UpTo(bin, missing_left) => Split::ordered(self.feature, *bin, *missing_left),
            Sides::Among(bins) => Split::subset(self.feature, bins),
        }
    }
}

/// A node as its sums.
#[derive(Clone, Debug)]
pub(super) struct Totals {
    pub cell: Vec<i32>,
    pub weight: i64,
    /// |s|^2.
    pub square: i64,
    /// Added to weights, in their unit.
    pub ridge: f64,
    pub criterion: Criterion,
}

impl Totals {
    pub fn new<S: Sums>(sums: &S, cell: Vec<i32>) -> Self {
        let (weight, square) = (sums.weight::<4>(&cell), dot(&cell[..sums.squared()], &cell));
        Totals { cell, weight, square, ridge: sums.ridge(), criterion: sums.criterion() }
    }

    /// |s|^2 / (w + ridge): what splitting must improve on.
    pub fn score(&self) -> f64 {
        if self.criterion != Criterion::Gini {
            return self.criterion.node(&self.cell);
        }
        self.square as f64 / (self.weight as f64 + self.ridge)
    }

    /// A left side with |left|^2 = `a`, <s, left> = `b` and this weight; `None` if a side has no weight. Criteria that
    /// are not squares read the lanes of the left side, with `more`.
    #[inline(always)]
    fn judge(&self, a: i64, b: i64, weight: i64, left: &[i32], more: Option<&[i32]>) -> Option<f64> {
        let rest = self.weight - weight;
        if self.criterion != Criterion::Gini {
            return (weight > 0 && rest > 0).then(|| self.criterion.split(left, more, &self.cell));
        }
        // |s - left|^2, exactly.
        let other = self.square - 2 * b + a;
        (weight > 0 && rest > 0)
            .then(|| a as f64 / (weight as f64 + self.ridge) + other as f64 / (rest as f64 + self.ridge))
    }
}

fn dot(a: &[i32], b: &[i32]) -> i64 {
    a.iter().zip(b).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum()
}

/// Adds a cell to `left`; |left|^2 and <total, left> after it. Sums of integers, so the order does not matter and groups
/// of known size become a few vector instructions.
#[inline(always)]
fn take<const C: usize>(left: &mut [i32], cell: &[i32], total: &[i32]) -> (i64, i64) {
    let (mut a, mut b) = (0, 0);
    let others = cell.as_chunks::<C>().0.iter().zip(total.as_chunks::<C>().0);
    for (left, (cell, total)) in left.as_chunks_mut::<C>().0.iter_mut().zip(others) {
        let (mut sum, cell, total) = (*left, *cell, *total);
        (0..C).for_each(|j| sum[j] += cell[j]);
        a += sum.iter().map(|x| i64::from(*x) * i64::from(*x)).sum::<i64>();
        b += sum.iter().zip(&total).map(|(x, t)| i64::from(*x) * i64::from(*t)).sum::<i64>();
        *left = sum;
    }
    (a, b)
}

/// The best split of a node whose bins (missing last) are `cells`, in groups of C. `left` is memory for the squared lanes.
#[inline(always)]
pub(super) fn scan<S: Sums, const C: usize>(
    sums: &S,
    feature: usize,
    map: &BinMap,
    cells: &[i32],
    totals: &Totals,
    left: &mut [i32],
) -> Option<Candidate> {
    let bins = map.bins();
    if map.is_categorical() {
        return among::<S, C>(sums, feature, bins, cells, totals, left);
    }
    let lanes = sums.lanes();
    let squared = sums.squared();
    let missing = &cells[bins * lanes..][..lanes];
    let missing_weight = sums.weight::<C>(missing);
    let (missing_square, missing_total) = (dot(&missing[..squared], missing), dot(&missing[..squared], &totals.cell));
    left.fill(0);
    let mut weight = 0;
    let mut best: Option<(f64, u8, bool)> = None;
    for (bin, cell) in cells[..bins * lanes].chunks_exact(lanes).enumerate() {
        let more = sums.weight::<C>(cell);
        if S::EMPTY_IF_WEIGHTLESS && more == 0 {
            continue; // the same split as one bin before
        }
        weight += more;
        let (a, b) = take::<C>(left, cell, &totals.cell);
        let mut consider = |score: Option<f64>, missing_left: bool| {
            if let Some(score) = score
                && best.is_none_or(|(most, ..)| score > most)
            {
                best = Some((score, bin as u8, missing_left));
            }
        };
        // Where no row of the node is missing, missing values go with the greater weight.
        consider(totals.judge(a, b, weight, left, None), missing_weight == 0 && 2 * weight >= totals.weight);
        if missing_weight > 0 {
            let with = a + 2 * dot(left, missing) + missing_square;
            consider(totals.judge(with, b + missing_total, weight + missing_weight, left, Some(missing)), true);
        }
    }
    best.map(|(score, bin, missing_left)| Candidate { score, feature, sides: Sides::UpTo(bin, missing_left) })
}

/// Levels, the missing one included, ordered by the projection of their mean target on the direction in which these
/// differ most, then split as ordered: exact for two classes (Fisher), one sensible order for more. Levels that no row
/// of the node has go with the greater weight.
fn among<S: Sums, const C: usize>(
    sums: &S,
    feature: usize,
    bins: usize,
    cells: &[i32],
    totals: &Totals,
    left: &mut [i32],
) -> Option<Candidate> {
    let lanes = sums.lanes();
    let cell = |level: usize| &cells[level * lanes..][..lanes];
    let mut levels: Vec<usize> = (0..=bins).filter(|&level| sums.weight::<C>(cell(level)) > 0).collect();
    let mean = |cell: &[i32], weight: i64| -> Vec<f64> {
        cell[..sums.squared()].iter().map(|s| f64::from(*s) / weight as f64).collect()
    };
    let centre = mean(&totals.cell, totals.weight);
    let offsets: Vec<(f64, Vec<f64>)> = (levels.iter())
        .map(|&level| {
            let weight = sums.weight::<C>(cell(level));
            let offset = mean(cell(level), weight).iter().zip(&centre).map(|(x, c)| x - c).collect();
            (weight as f64, offset)
        })
        .collect();
    let direction = direction(&offsets);
    let mut key = vec![0.0; bins + 1];
    levels.iter().zip(&offsets).for_each(|(level, (_, offset))| key[*level] = inner(offset, &direction));
    levels.sort_by(|&a, &b| key[a].total_cmp(&key[b]).then(a.cmp(&b)));
    left.fill(0);
    let mut weight = 0;
    let mut best: Option<(f64, usize, bool)> = None;
    for (i, &level) in levels.iter().enumerate() {
        weight += sums.weight::<C>(cell(level));
        let (a, b) = take::<C>(left, cell(level), &totals.cell);
        if let Some(score) = totals.judge(a, b, weight, left, None)
            && best.is_none_or(|(most, ..)| score > most)
        {
            best = Some((score, i, 2 * weight >= totals.weight));
        }
    }
    best.map(|(score, last, left_is_heavier)| {
        let stated = |level: &usize| levels.contains(level);
        let absent = (0..=bins).filter(|level| left_is_heavier && !stated(level));
        let code = |level: usize| if level == bins { MISSING_BIN } else { level as u8 };
        let going_left = levels[..=last].iter().copied().chain(absent).map(code).collect();
        Candidate { score, feature, sides: Sides::Among(going_left) }
    })
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Leading direction of weighted vectors: a few steps of the power method from the longest one.
fn direction(vectors: &[(f64, Vec<f64>)]) -> Vec<f64> {
    let length = |(w, v): &(f64, Vec<f64>)| w * inner(v, v);
    let longest = vectors.iter().reduce(|a, b| if length(b) > length(a) { b } else { a });
    let mut direction = longest.map(|(_, v)| v.clone()).unwrap_or_default();
    for _ in 0..4 {
        let mut next = vec![0.0; direction.len()];
        for (weight, vector) in vectors {
            let along = weight * inner(vector, &direction);
            next.iter_mut().zip(vector).for_each(|(n, x)| *n += along * x);
        }
        let length = inner(&next, &next).sqrt();
        if length == 0.0 {
            break;
        }
        direction = next.into_iter().map(|x| x / length).collect();
    }
    direction
}
