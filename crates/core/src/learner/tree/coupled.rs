//! Trees for the coupled loss (thesis 4.4): the root minimises the loss over response and output vector jointly;
//! each deeper layer keeps the vector, re-chooses the sides of rows, then re-optimises the vector. The homogeneous
//! stump, one answer for all rows, is taken where it reduces the loss more.
//!
//! Two classes whose slopes are opposite, as they are for any costs, make it a problem of signs: the root's criterion is least
//! where |D| is largest, and the sides of rows are their slopes times one number, whatever the vector. All layers then see
//! the same weights, as AdaBoost's do.
//!
//! Rows that sit a round out (`booster/draw.rs`) have no part in the search for splits; vectors are fitted to all rows.

use super::{Binary, FixedRows, FixedVectors, LeafSearch, Pruning, RootCriterion, SignLearner, TreeGrower};
use crate::binning::BinnedDataset;
use crate::booster::draw::{Draw, Drawn};
use crate::context::Context;
use crate::error::Result;
use crate::learner::{CoupledLearner, Found, Round, Work};
use crate::loss::RoundWeights;
use crate::model::WeakModel;
use crate::settings::Settings;

/// Depth of the trees the settings ask for.
pub fn depth(settings: &Settings) -> Result<usize> {
    Ok(if settings.word("learner")?.ends_with("stump") { 1 } else { settings.integer("depth")? })
}

/// Grows one tree a round.
pub struct TreeLearner<'a> {
    bins: &'a BinnedDataset,
    depth: usize,
    pruning: Pruning,
    search: LeafSearch<'a>,
    /// For two classes.
    signs: Option<SignLearner<'a>>,
    draw: Option<Draw>,
    round: usize,
    // Scratch, reused from round to round.
    vectors: Vec<i32>,
    rows: Vec<i32>,
    delta: Vec<f64>,
}

impl<'a> TreeLearner<'a> {
    /// Trees of this depth on these bins.
    pub fn new(bins: &'a BinnedDataset, depth: usize, pruning: Pruning) -> Self {
        let search = LeafSearch::new(bins, pruning);
        let (vectors, rows, delta) = (Vec::new(), Vec::new(), Vec::new());
        TreeLearner { bins, depth, pruning, search, signs: None, draw: None, round: 0, vectors, rows, delta }
    }

    /// Each from a part of the rows and features.
    pub(crate) fn drawing(mut self, draw: Draw) -> Self {
        self.draw = draw.draws().then_some(draw);
        self
    }

    /// What the next tree is grown on.
    fn drawn(&mut self, round: &Round<'_>) -> Drawn {
        let number = self.round;
        self.round += 1;
        self.draw.as_ref().map_or_else(Drawn::default, |draw| {
            let classes = round.weights.totals.len();
            let weight = |slopes: &[f64]| slopes.iter().map(|s| s.abs()).sum();
            let weights: Vec<f64> = round.weights.slopes.chunks_exact(classes).map(weight).collect();
            draw.draw(number, &weights, self.bins.columns.len(), round.context)
        })
    }

    /// A tree for two classes with opposite slopes.
    fn fit_signs(&mut self, round: &Round<'_>, drawn: &Drawn) -> Found {
        self.delta.clear();
        self.delta.extend(round.weights.slopes.iter().step_by(2));
        let new = || SignLearner::new(self.bins, self.depth, self.pruning, 1);
        let signs = self.signs.get_or_insert_with(new);
        let allowed = drawn.features.as_deref();
        let Binary { learner, response } = signs.fit(0, &drawn.signed(&self.delta), allowed, round.context);
        let step = round.step(&response);
        Found { model: learner, response, step }
    }

    /// One more layer for the output vector of the present one.
    fn deepen(&mut self, tree: &mut TreeGrower<'_>, round: &Round<'_>, output: &[f64], drawn: &Drawn) {
        self.delta.resize(self.bins.rows, 0.0);
        round.loss.sides(round.weights, round.scores, output, &mut self.delta, round.context);
        // +1 costs delta more than -1: the tree should answer +1 where delta is negative.
        self.delta.iter_mut().for_each(|d| *d = -*d);
        let fixed = FixedRows::new(&drawn.signed(&self.delta), std::mem::take(&mut self.rows), round.context);
        self.search.reweighted(0);
        tree.deepen(&fixed, 1, &mut self.search, round.context);
        self.rows = fixed.values;
    }
}

impl CoupledLearner for TreeLearner<'_> {
    fn work(&self) -> Option<Work> {
        let mut work = self.search.work;
        if let Some(signs) = &self.signs {
            work += signs.work();
        }
        Some(work)
    }

    fn fit(&mut self, round: &Round<'_>) -> Result<Option<Found>> {
        let drawn = self.drawn(round);
        if round.loss.surrogate().is_exponential() && opposite(round.weights) {
            return Ok(Some(self.fit_signs(round, &drawn)));
        }
        let scratch = std::mem::take(&mut self.vectors);
        let vectors = match &drawn.rows {
            Some(rows) => seen(round.weights, rows, scratch, round.context),
            None => {
                let RoundWeights { slopes, magnitudes, totals, .. } = round.weights;
                FixedVectors::new(slopes, magnitudes, totals, scratch, round.context)
            }
        };
        let bins = self.bins;
        let grower = || match &drawn.features {
            Some(allowed) => TreeGrower::new(bins).among(allowed),
            None => TreeGrower::new(bins),
        };
        let criterion = if round.loss.surrogate().is_exponential() {
            RootCriterion::Exponential
        } else {
            RootCriterion::SecondOrder
        };
        let mut tree = grower();
        let try_homogeneous = tree.split_root(&vectors, criterion, &mut self.search, round.context);
        self.vectors = vectors.values;
        let mut response = vec![0.0; self.bins.rows];
        tree.responses(&mut response);
        let mut step = round.step(&response);
        let mut answers = vec![0.0; self.bins.rows];
        for _ in 1..self.depth {
            let mut deeper = tree.clone();
            self.deepen(&mut deeper, round, &step.output, &drawn);
            deeper.responses(&mut answers);
            let deeper_step = round.step(&answers);
            // With exact arithmetic a layer never raises the loss (4.4); rounding may, and then it is taken back.
            if deeper_step.loss >= step.loss {
                break;
            }
            std::mem::swap(&mut response, &mut answers);
            (tree, step) = (deeper, deeper_step);
        }
        if try_homogeneous {
            answers.fill(1.0);
            let homogeneous = round.step(&answers);
            if homogeneous.loss < step.loss {
                (tree, response, step) = (grower(), answers, homogeneous);
            }
        }
        Ok(Some(Found { model: WeakModel::Tree(tree.finish()), response, step }))
    }

    fn skip(&mut self, rounds: usize) {
        self.round = rounds;
    }
}

/// Whether there are two classes, of which one loses what the other gains, but for rounding.
fn opposite(weights: &RoundWeights) -> bool {
    let same = |pair: &[f64; 2]| (pair[0] + pair[1]).abs() <= 1e-9 * pair[0].abs();
    weights.totals.len() == 2 && weights.slopes.as_chunks().0.iter().all(same)
}

/// Derivatives of these rows alone. Sums of second derivatives are taken to shrink as those of the first do.
fn seen(weights: &RoundWeights, rows: &[u32], scratch: Vec<i32>, context: &Context) -> FixedVectors {
    let classes = weights.totals.len();
    let mut slopes = vec![0.0; weights.slopes.len()];
    let mut magnitudes = vec![0.0; classes];
    for row in rows {
        let at = *row as usize * classes..(*row as usize + 1) * classes;
        slopes[at.clone()].copy_from_slice(&weights.slopes[at.clone()]);
        magnitudes.iter_mut().zip(&slopes[at]).for_each(|(sum, s)| *sum += s.abs());
    }
    let share = |k: usize| if weights.magnitudes[k] > 0.0 { magnitudes[k] / weights.magnitudes[k] } else { 0.0 };
    let totals: Vec<f64> = (0..classes).map(|k| weights.totals[k] * share(k)).collect();
    FixedVectors::new(&slopes, &magnitudes, &totals, scratch, context)
}
