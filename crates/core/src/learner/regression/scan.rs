//! The best split of one node on one feature, from the sums of its bins.
//!
//! Where lanes are classes, bins are first judged several at a time, and bins that cannot beat the best split so far are
//! passed over. Let f(s) = |s|^2 / w, and a threshold among the bins M, between a left side L and a right side R, give x of
//! them to the left. Two bounds hold on f(L + x) + f(R + M - x):
//! * f is at most its sum over parts of s, and at most the largest lane of s: f(L) + f(R) + 2 max_k M_k, or w_M in place of
//!   the last, if that is less;
//! * with p = L / w_L and q = x / w_x, f(L + x) = f(L) + sum_k x_k (2 p_k - |p|^2) + |p - q|^2 w_x^2 / (w_L + w_x). No class
//!   does better than on the side where its factor is larger, |p - q|^2 is at most 1 + |p|^2, and the last terms of both
//!   sides are largest together if all of M is on one.

use super::Criterion;
use super::sums::Sums;
use crate::binning::{BinMap, MISSING_BIN};
use crate::learner::leading::{inner, leading};
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

    /// A left side with |left|^2 = `a`, <s, left> = `b` and this weight; `None` if a side has no weight, or if it is
    /// worth less than `beat`. Criteria that are not squares read the lanes of the left side, with `more`.
    #[inline(always)]
    fn judge(&self, a: i64, b: i64, weight: i64, beat: f64, left: &[i32], more: Option<&[i32]>) -> Option<f64> {
        let rest = self.weight - weight;
        if weight <= 0 || rest <= 0 {
            return None;
        }
        if self.criterion != Criterion::Gini {
            return Some(self.criterion.split(left, more, &self.cell));
        }
        let (a, other) = (a as f64, self.without(a, b));
        let (weight, rest) = (weight as f64 + self.ridge, rest as f64 + self.ridge);
        // Multiplied out: most splits are not worth a division.
        let may_win = (a * rest + other * weight) * ROUNDING >= beat * (weight * rest);
        may_win.then(|| a / weight + other / rest)
    }

    /// The second bound on thresholds among bins that sum to `more`, the last of the left side `after` them; weight and worth
    /// of what is left and what is right of them all.
    #[inline(always)]
    pub fn ceiling<const C: usize>(&self, after: &[i32], more: &[i32], l: (i64, f64), r: (i64, f64)) -> f64 {
        if l.0 <= 0 || r.0 <= 0 {
            return f64::INFINITY;
        }
        let ((l, left_worth), (r, right_worth)) = ((l.0 as f64, l.1), (r.0 as f64, r.1));
        let (p, q) = (left_worth / l, right_worth / r);
        let (per_left, per_right) = (2.0 / l, 2.0 / r);
        let mut first_order = [0.0; C];
        let lanes = after.as_chunks::<C>().0.iter().zip(more.as_chunks::<C>().0).zip(self.cell.as_chunks::<C>().0);
        for ((after, more), total) in lanes {
            for j in 0..C {
                let on_left = f64::from(after[j] - more[j]) * per_left - p;
                let on_right = f64::from(total[j] - after[j]) * per_right - q;
                first_order[j] += f64::from(more[j]) * if on_left > on_right { on_left } else { on_right };
            }
        }
        let more = self.weight as f64 - l - r;
        let second_order = more * more * ((1.0 + p) / (l + more)).max((1.0 + q) / (r + more));
        // Terms may cancel: what rounding takes away is a share of the whole weight.
        let rounding = (ROUNDING - 1.0) * self.weight as f64;
        left_worth + right_worth + first_order.iter().sum::<f64>() + second_order + rounding
    }

    /// |s - left|^2, exactly.
    #[inline(always)]
    pub fn without(&self, a: i64, b: i64) -> f64 {
        (self.square - 2 * b + a) as f64
    }
}

/// What sums and products of a few roundings may be too small by.
pub(super) const ROUNDING: f64 = 1.0 + 1e-12;
/// Bins that are judged at a time.
const TOGETHER: usize = 16;

/// The sum of all cells, C lanes of them.
#[inline(always)]
pub(super) fn add_up<const C: usize>(cells: &[i32], lanes: usize, first: usize) -> [i32; C] {
    let mut sum = [0; C];
    for cell in cells.chunks_exact(lanes) {
        let cell = &cell[first..][..C];
        (0..C).for_each(|j| sum[j] += cell[j]);
    }
    sum
}

fn dot(a: &[i32], b: &[i32]) -> i64 {
    a.iter().zip(b).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum()
}

/// Adds a cell to `left`; |left|^2 and <total, left> after it. Sums of integers, so the order does not matter and groups
/// of known size become a few vector instructions.
#[inline(always)]
pub(super) fn take<const C: usize>(left: &mut [i32], cell: &[i32], total: &[i32]) -> (i64, i64) {
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

/// Memory that scans share.
#[derive(Default)]
pub(super) struct Scratch {
    /// The squared lanes of the left side.
    pub left: Vec<i32>,
    /// The left side behind several bins.
    ahead: Vec<i32>,
    /// The sum of these.
    sum: Vec<i32>,
    levels: Vec<usize>,
    /// Of the levels that rows have: weight, and how far the mean target is from that of the node, `[level][lane]`.
    weights: Vec<f64>,
    offsets: Vec<f64>,
    centre: Vec<f64>,
    direction: Vec<f64>,
    next: Vec<f64>,
    /// Where each level stands along the direction, by bin.
    key: Vec<f64>,
}

/// The best split of a node whose bins (missing last) are `cells`, in groups of C, if it is not worse than `beat`.
#[inline(always)]
pub(super) fn scan<S: Sums, const C: usize>(
    sums: &S,
    feature: usize,
    map: &BinMap,
    cells: &[i32],
    totals: &Totals,
    beat: f64,
    scratch: &mut Scratch,
) -> Option<Candidate> {
    let bins = map.bins();
    if map.is_categorical() {
        return among::<S, C>(sums, feature, bins, cells, totals, beat, scratch);
    }
    let Scratch { left, ahead, sum, .. } = scratch;
    let lanes = sums.lanes();
    let squared = sums.squared();
    let missing = &cells[bins * lanes..][..lanes];
    let missing_weight = sums.weight::<C>(missing);
    let (missing_square, missing_total) = (dot(&missing[..squared], missing), dot(&missing[..squared], &totals.cell));
    let passes_over = S::EMPTY_IF_WEIGHTLESS && totals.criterion == Criterion::Gini && missing_weight == 0;
    left.fill(0);
    let mut weight = 0;
    // |left|^2 / w, so far.
    let mut worth = 0.0;
    let mut best: Option<(f64, u8, bool)> = None;
    for (start, several) in (0..).step_by(TOGETHER).zip(cells[..bins * lanes].chunks(TOGETHER * lanes)) {
        if passes_over {
            ahead.clear();
            ahead.extend_from_slice(left);
            sum.clear();
            let (mut a, mut b, mut more, mut largest) = (0, 0, 0, 0);
            for first in (0..squared).step_by(C) {
                let group = add_up::<C>(several, lanes, first);
                let (square, total) = take::<C>(&mut ahead[first..][..C], &group, &totals.cell[first..]);
                (a, b, more) = (a + square, b + total, more + i64::from(group.iter().sum::<i32>()));
                largest = group.into_iter().fold(largest, i32::max);
                sum.extend_from_slice(&group);
            }
            let rest = totals.weight - weight - more;
            let behind = if rest > 0 { totals.without(a, b) / rest as f64 } else { 0.0 };
            let beat = best.map_or(beat, |(most, ..)| most.max(beat));
            let most = worth + behind + more.min(2 * i64::from(largest)) as f64;
            let hopeless = more == 0
                || most * ROUNDING < beat
                || totals.ceiling::<C>(ahead, sum, (weight, worth), (rest, behind)) < beat;
            if more > 0 {
                worth = a as f64 / (weight + more) as f64;
            }
            if hopeless {
                std::mem::swap(left, ahead);
                weight += more;
                continue;
            }
        }
        for (bin, cell) in (start..).zip(several.chunks_exact(lanes)) {
            let more = sums.weight::<C>(cell);
            if S::EMPTY_IF_WEIGHTLESS && more == 0 {
                continue; // the same split as one bin before
            }
            weight += more;
            let (a, b) = take::<C>(left, cell, &totals.cell);
            let mut consider = |a: i64, b: i64, weight: i64, more: Option<&[i32]>, missing_left: bool| {
                let beat = best.map_or(beat, |(most, ..)| most.max(beat));
                if let Some(score) = totals.judge(a, b, weight, beat, left, more)
                    && best.is_none_or(|(most, ..)| score > most)
                {
                    best = Some((score, bin as u8, missing_left));
                }
            };
            // Where no row of the node is missing, missing values go with the greater weight.
            consider(a, b, weight, None, missing_weight == 0 && 2 * weight >= totals.weight);
            if missing_weight > 0 {
                let with = a + 2 * dot(left, missing) + missing_square;
                consider(with, b + missing_total, weight + missing_weight, Some(missing), true);
            }
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
    beat: f64,
    scratch: &mut Scratch,
) -> Option<Candidate> {
    let (lanes, squared) = (sums.lanes(), sums.squared());
    let cell = |level: usize| &cells[level * lanes..][..lanes];
    let Scratch { left, levels, weights, offsets, centre, direction, next, key, .. } = scratch;
    levels.clear();
    levels.extend((0..=bins).filter(|&level| sums.weight::<C>(cell(level)) > 0));
    if levels.len() < 2 {
        return None;
    }
    let mean = |cell: &[i32], lane: usize, weight: i64| f64::from(cell[lane]) / weight as f64;
    centre.clear();
    centre.extend((0..squared).map(|lane| mean(&totals.cell, lane, totals.weight)));
    weights.clear();
    offsets.clear();
    for &level in &*levels {
        let (cell, weight) = (cell(level), sums.weight::<C>(cell(level)));
        weights.push(weight as f64);
        offsets.extend((0..squared).map(|lane| mean(cell, lane, weight) - centre[lane]));
    }
    leading(weights, offsets, direction, next);
    let along = offsets.chunks_exact(squared.max(1)).map(|offset| inner(offset, direction));
    key.resize(bins + 1, 0.0);
    levels.iter().zip(along).for_each(|(level, along)| key[*level] = along);
    levels.sort_by(|&a, &b| key[a].total_cmp(&key[b]).then(a.cmp(&b)));
    left.fill(0);
    let mut weight = 0;
    let mut best: Option<(f64, usize, bool)> = None;
    for (i, &level) in levels.iter().enumerate() {
        weight += sums.weight::<C>(cell(level));
        let (a, b) = take::<C>(left, cell(level), &totals.cell);
        if let Some(score) = totals.judge(a, b, weight, beat, left, None)
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
