//! What a member is worth: its scores of rows it had not seen, the factor that calibrates them, its best stage.

use super::folds::Folds;
use super::members::Member;
use crate::calibrate::Judged;
use crate::context::Context;
use crate::data::Dataset;
use crate::math::ln;
use crate::model::{Chain, Link};

/// A member's scores of the rows that were left out.
pub struct Judgement {
    /// Scores times the factor: `[row][class]`, rows as in [`Folds::judged`].
    pub scores: Vec<f64>,
    /// Makes the softmax of the scores calibrated.
    pub factor: f64,
    /// Terms to train on all rows; `None` for all of them.
    pub terms: Option<usize>,
    /// Mean log loss.
    pub log_loss: f64,
    /// Share of mistakes.
    pub error: f64,
}

/// Scores of some rows at each stage of a chain (`[stage][row][class]`).
pub fn stages(chain: &Chain, member: &Member, data: &Dataset, rows: &[usize], context: &Context) -> Vec<Vec<f64>> {
    let features = data.select(rows).features;
    let mut scores = chain.bias.repeat(rows.len());
    let mut from = 0;
    let mut all = Vec::new();
    for stage in member.stages.iter().copied().chain(member.stages.is_empty().then_some(usize::MAX)) {
        let to = stage.min(chain.terms.len());
        chain.add_terms(from..to, &features, &mut scores, context);
        from = to;
        all.push(scores.clone());
    }
    all
}

/// Judges a member by the scores of all its folds, `[fold][stage]`.
pub fn judge(member: &Member, folds: &Folds, by_fold: &[Vec<Vec<f64>>], rows: &Rows<'_>) -> Judgement {
    let mut best: Option<Judgement> = None;
    for stage in 0..member.stages.len().max(1) {
        let scores = rows.gather(folds, by_fold.iter().map(|stages| &stages[stage]));
        // A member that has nearly all rows right must not be so sure that it drowns the others.
        let (factor, log_loss) = rows.judged(&scores).honest_temperature();
        if best.as_ref().is_none_or(|best| log_loss < best.log_loss) {
            let terms = member.stages.get(stage).copied();
            best = Some(Judgement { scores, factor, terms, log_loss, error: 0.0 });
        }
    }
    let mut best =
        best.unwrap_or(Judgement { scores: Vec::new(), factor: 1.0, terms: None, log_loss: 0.0, error: 0.0 });
    best.error = rows.judged(&best.scores).error();
    best.scores.iter_mut().for_each(|h| *h *= best.factor);
    best
}

/// The rows that were left out.
pub struct Rows<'a> {
    /// Rising.
    pub rows: Vec<usize>,
    /// One each.
    pub labels: Vec<u32>,
    /// One each.
    pub weights: Vec<f64>,
    /// All rows.
    pub data: &'a Dataset,
}

impl<'a> Rows<'a> {
    /// Those that the folds leave out.
    pub fn new(data: &'a Dataset, folds: &Folds) -> Self {
        let rows = folds.judged();
        let labels = rows.iter().map(|&row| data.labels[row]).collect();
        let weights = rows.iter().map(|&row| data.weights[row]).collect();
        Rows { rows, labels, weights, data }
    }

    /// Scores of all of them, from those of each fold.
    pub fn gather<'s>(&self, folds: &Folds, by_fold: impl Iterator<Item = &'s Vec<f64>>) -> Vec<f64> {
        let classes = self.data.class_count();
        let mut place = vec![0; self.data.rows()];
        self.rows.iter().enumerate().for_each(|(i, &row)| place[row] = i);
        let mut scores = vec![0.0; self.rows.len() * classes];
        for (fold, values) in by_fold.enumerate() {
            for (&row, values) in folds.left_out(fold).iter().zip(values.chunks_exact(classes)) {
                scores[place[row] * classes..][..classes].copy_from_slice(values);
            }
        }
        scores
    }

    /// Share of mistakes of the best constant answer.
    pub fn trivial_error(&self) -> f64 {
        let mut sums = vec![0.0; self.data.class_count()];
        self.labels.iter().zip(&self.weights).for_each(|(label, weight)| sums[*label as usize] += weight);
        1.0 - sums.iter().copied().fold(0.0, f64::max) / sums.iter().sum::<f64>()
    }

    /// Scores with labels and weights.
    pub fn judged<'s>(&'s self, scores: &'s [f64]) -> Judged<'s> {
        Judged { scores, labels: &self.labels, weights: &self.weights, count: self.labels.len() as f64 }
    }
}

/// Logarithms of the probabilities, mixed with a little of the uniform distribution: what a member thinks impossible must
/// not cost it everything while weights are fitted. `rows` is how many there are.
pub fn log_probabilities(scores: &[f64], classes: usize, rows: usize) -> Vec<f64> {
    let mix = 1.0 / (rows + classes) as f64;
    let mut values = scores.to_vec();
    for row in values.chunks_exact_mut(classes) {
        Link::Softmax.apply(row);
        row.iter_mut().for_each(|p| *p = ln((1.0 - mix) * *p + mix / classes as f64));
    }
    values
}
