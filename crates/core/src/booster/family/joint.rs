//! JointBoost: stumps shared by a subset of the classes (Torralba, Murphy, Freeman 2007, Sharing visual features for
//! multiclass and multiview object detection, fig. 4).
//!
//! The loss is sum_n sum_k w_n exp(-z_nk H_k), z_nk = +1 for the own class and -1 else. A round adds the regression stump of
//! least weighted squared error to z: classes of the subset S share its two values, every other class gets its own constant.
//! With G = sum of w z and W = sum of w, that is the largest sum over sides of (G_S)^2 / W_S plus the sum over other classes
//! of G_k^2 / W_k.
//!
//! The 2^K subsets are searched as in the paper, by adding the class that helps most, one after the other, and keeping the
//! best on the way; here for every stump by itself, which tries more than one subset path for all stumps together.
//!
//! Levels of a category are tried one against all others.

use super::engine::{mean_loss, one_against_all, sign, start};
use crate::binning::{BinColumn, BinnedDataset, MISSING_BIN};
use crate::booster::draw::{self, Draw};
use crate::booster::{Booster, NextTerm, Problem};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::Result;
use crate::learner::tree::Split;
use crate::model::{Node, Region, RegionTree, Term, WeakModel};
use crate::registry::{Algorithm, BINS, LEARNER, Method};
use crate::settings::Parameter;

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "jointboost",
    summary: "stumps that each a subset of the classes shares",
    paper: "Torralba, Murphy, Freeman 2007, Sharing visual features for multiclass and multiview object detection",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["stump"],
    learner_parameters: &[&[BINS], draw::PARTS],
    own_parameters: &[Parameter { default: "stump", ..LEARNER }],
    method: Method::Rounds(|problem| Ok(Box::new(Joint::new(problem)?))),
};

struct Joint<'a> {
    data: &'a Dataset,
    bins: &'a BinnedDataset,
    context: &'a Context,
    draw: Draw,
    rate: f64,
    round: usize,
    /// z w exp(-z H), `[row][class]`, and the sizes of each row.
    signed: Vec<f64>,
    by_row: Vec<f64>,
}

/// G and W of a class.
#[derive(Clone, Copy, Default)]
struct Sum {
    g: f64,
    w: f64,
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.g += other.g;
        self.w += other.w;
    }

    fn less(self, other: Sum) -> Sum {
        Sum { g: self.g - other.g, w: self.w - other.w }
    }

    fn score(self) -> f64 {
        if self.w > 0.0 { self.g * self.g / self.w } else { 0.0 }
    }

    fn value(self) -> f64 {
        if self.w > 0.0 { self.g / self.w } else { 0.0 }
    }
}

/// A stump that was found.
struct Best {
    score: f64,
    split: Split,
    shared: Vec<bool>,
}

impl<'a> Joint<'a> {
    fn new(problem: &Problem<'a>) -> Result<Self> {
        let Problem { data, bins, settings, context, .. } = problem;
        let rate = settings.real("learning-rate")?;
        Ok(Joint {
            data,
            bins,
            context,
            draw: Draw::new(settings)?,
            rate,
            round: 0,
            signed: Vec::new(),
            by_row: Vec::new(),
        })
    }

    /// The best stump of a feature. Weights are whole numbers, so sums do not depend on the order of rows and equal stumps
    /// are equal.
    fn feature(&self, feature: usize, rows: &[f64], totals: &[Sum]) -> Option<Best> {
        let classes = totals.len();
        let mut cells = vec![Sum::default(); 256 * classes];
        let mut add = |row: usize, bin: u8| {
            let label = self.data.labels[row];
            let cell = cells[bin as usize * classes..].iter_mut();
            for (class, (cell, w)) in cell.zip(&rows[row * classes..(row + 1) * classes]).enumerate() {
                cell.add(Sum { g: sign(label, class) * w, w: *w });
            }
        };
        self.bins.columns[feature].for_each(self.data.rows(), &mut add);
        let cell = |bin: u8| &cells[bin as usize * classes..][..classes];
        let map = &self.bins.maps[feature];
        let missing = cell(MISSING_BIN);
        let has_missing = missing.iter().any(|sum| sum.w > 0.0);
        let mut best: Option<Best> = None;
        let mut consider = |left: &[Sum], split: &dyn Fn() -> Split| {
            let (score, shared) = subset(left, totals);
            if best.as_ref().is_none_or(|best| score > best.score) {
                best = Some(Best { score, split: split(), shared });
            }
        };
        if map.is_categorical() {
            for bin in (0..map.bins()).map(|bin| bin as u8).chain(has_missing.then_some(MISSING_BIN)) {
                consider(cell(bin), &|| Split::subset(feature, &[bin]));
            }
            return best;
        }
        let mut left = vec![Sum::default(); classes];
        let ends = if has_missing { map.bins() } else { map.bins() - 1 };
        for bin in (0..ends).map(|bin| bin as u8) {
            left.iter_mut().zip(cell(bin)).for_each(|(sum, more)| sum.add(*more));
            consider(&left, &|| Split::ordered(feature, bin, false));
            if has_missing && (bin as usize) + 1 < map.bins() {
                let mut with = left.clone();
                with.iter_mut().zip(missing).for_each(|(sum, more)| sum.add(*more));
                consider(&with, &|| Split::ordered(feature, bin, true));
            }
        }
        best
    }
}

/// The best subset of classes for a stump whose left side has these sums, and its score.
fn subset(left: &[Sum], totals: &[Sum]) -> (f64, Vec<bool>) {
    let apart: f64 = totals.iter().map(|total| total.score()).sum();
    let mut shared = vec![false; totals.len()];
    let mut best = (f64::NEG_INFINITY, 0);
    let mut order = Vec::with_capacity(totals.len());
    let (mut sides, mut others) = ([Sum::default(); 2], apart);
    for _ in 0..totals.len() {
        let mut next: Option<(f64, usize)> = None;
        for class in (0..totals.len()).filter(|&class| !shared[class]) {
            let (mut l, mut r) = (sides[0], sides[1]);
            l.add(left[class]);
            r.add(totals[class].less(left[class]));
            let score = l.score() + r.score() + others - totals[class].score();
            if next.is_none_or(|(most, _)| score > most) {
                next = Some((score, class));
            }
        }
        let Some((score, class)) = next else { break };
        shared[class] = true;
        order.push(class);
        sides[0].add(left[class]);
        sides[1].add(totals[class].less(left[class]));
        others -= totals[class].score();
        if score > best.0 {
            best = (score, order.len());
        }
    }
    shared.fill(false);
    order[..best.1].iter().for_each(|&class| shared[class] = true);
    (best.0, shared)
}

impl Booster for Joint<'_> {
    fn start(&mut self) -> Vec<f64> {
        start(self.data)
    }

    fn weigh(&mut self, scores: &[f64]) -> f64 {
        self.by_row = one_against_all(self.data, scores, &mut self.signed, self.context);
        mean_loss(&self.by_row, self.data)
    }

    /// Never: margins go on growing.
    fn enough(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn link(&self) -> &'static str {
        "exp"
    }

    fn skip(&mut self, rounds: usize) {
        self.round = rounds;
    }

    fn next(&mut self, _scores: &[f64]) -> Result<Option<NextTerm>> {
        let (rows, classes) = (self.data.rows(), self.data.class_count());
        let features = self.bins.columns.len();
        let drawn = self.draw.draw(self.round, &self.by_row, features, self.context);
        self.round += 1;
        // Whole numbers whose sum a float holds exactly.
        let scale = 2f64.powi(50) / self.by_row.iter().sum::<f64>();
        let scale = 2f64.powi(scale.log2().floor() as i32);
        let mut seen = vec![0.0; self.signed.len()];
        let mut take = |row: usize| {
            let at = row * classes..(row + 1) * classes;
            seen[at.clone()].iter_mut().zip(&self.signed[at]).for_each(|(out, zw)| *out = (zw.abs() * scale).round());
        };
        match &drawn.rows {
            Some(rows) => rows.iter().for_each(|&row| take(row as usize)),
            None => (0..rows).for_each(&mut take),
        }
        let mut totals = vec![Sum::default(); classes];
        for (weights, label) in seen.chunks_exact(classes).zip(&self.data.labels) {
            for (class, (total, w)) in totals.iter_mut().zip(weights).enumerate() {
                total.add(Sum { g: sign(*label, class) * w, w: *w });
            }
        }
        let allowed = |feature: usize| drawn.features.as_ref().is_none_or(|allowed| allowed[feature]);
        let work = rows * classes * features * 2;
        let found = self
            .context
            .map(features, work, |feature| allowed(feature).then(|| self.feature(feature, &seen, &totals)).flatten());
        let best = found.into_iter().flatten().reduce(|a, b| if b.score > a.score { b } else { a });
        let apart: f64 = totals.iter().map(|total| total.score()).sum();
        let Some(Best { split, shared, score }) = best else { return Ok(None) };
        if score <= 0.0 || score.is_nan() {
            return Ok(None);
        }
        let response = sides(&split, &self.bins.columns[split.feature], rows);
        // Values from the real weights of all rows, also those that sat out.
        let mut sums = vec![Sum::default(); 2 * classes];
        for (signed, side) in self.signed.chunks_exact(classes).zip(&response) {
            let sums = sums[*side as usize * classes..].iter_mut().zip(signed);
            sums.for_each(|(sum, zw)| sum.add(Sum { g: *zw, w: zw.abs() }));
        }
        let common = [0, 1].map(|side| {
            let mut sum = Sum::default();
            (0..classes).filter(|&class| shared[class]).for_each(|class| sum.add(sums[side * classes + class]));
            sum.value()
        });
        let constant = |class: usize| {
            let mut sum = sums[class];
            sum.add(sums[classes + class]);
            sum.value()
        };
        let value = |side: usize, class: usize| if shared[class] { common[side] } else { constant(class) };
        let output: Vec<f64> = (0..2)
            .flat_map(|side| (0..classes).map(move |class| (side, class)))
            .map(|(s, c)| self.rate * value(s, c))
            .collect();
        if output.iter().all(|a| *a == 0.0) {
            return Ok(None);
        }
        let total: f64 = totals.iter().map(|total| total.w).sum();
        let tree = stump(&split, self.bins, &response);
        let edge = (score / total).max(apart / total);
        Ok(Some(NextTerm { term: Term { learner: WeakModel::Regions(tree), output }, response, edge }))
    }
}

/// The side of every row, 0 for left.
fn sides(split: &Split, column: &BinColumn, rows: usize) -> Vec<f64> {
    let mut sides = vec![0.0; rows];
    column.for_each(rows, |row, bin| sides[row] = if split.left[bin as usize] { 0.0 } else { 1.0 });
    sides
}

/// The stump in raw values. Where no training row was missing, missing values go to the side with more rows.
fn stump(split: &Split, bins: &BinnedDataset, sides: &[f64]) -> RegionTree {
    let learned = bins.has_missing(split.feature);
    let more_left = 2 * sides.iter().filter(|side| **side == 0.0).count() >= sides.len();
    let root = Node::Split {
        feature: split.feature as u32,
        test: split.test(&bins.maps[split.feature]),
        missing_left: if learned { split.missing_left() } else { more_left },
        left: 1,
        right: 2,
    };
    RegionTree { nodes: vec![root, Node::Leaf(Region { region: 0 }), Node::Leaf(Region { region: 1 })] }
}
