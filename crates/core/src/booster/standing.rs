//! How the training rows stand: their scores, and how many answers are wrong.
//!
//! A term of most boosters changes every score of a row, and whether its answer is wrong shows when all are compared with
//! that of its own class. A tree that votes gives something to one class of a row, so that the class that leads either still
//! does or is now the one voted for: a few operations a row, however many classes there are. Both ways agree to the bit.

use crate::context::Context;
use crate::data::Dataset;
use crate::model::{Term, argmax};

/// Rows handled together.
const CHUNK: usize = 2048;

/// The scores of the training rows.
pub(super) struct Standing<'a> {
    data: &'a Dataset,
    context: &'a Context,
    /// `[row][class]`.
    scores: Vec<f64>,
    /// Who leads in each row, and the weight of those whose class does not, where the last term voted.
    leaders: Vec<Leader>,
    mistakes: Option<f64>,
}

/// The answer to a row and its score.
#[derive(Clone, Copy)]
struct Leader {
    score: f64,
    class: u32,
}

impl<'a> Standing<'a> {
    /// Of rows with these scores.
    pub fn new(data: &'a Dataset, scores: Vec<f64>, context: &'a Context) -> Self {
        Standing { data, context, scores, leaders: Vec::new(), mistakes: None }
    }

    /// `[row][class]`.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// To change them otherwise than by [`add`](Self::add).
    pub fn scores_mut(&mut self) -> &mut Vec<f64> {
        self.leaders.clear();
        self.mistakes = None;
        &mut self.scores
    }

    /// Adds a term with these responses: the same sums, in the same order, as prediction.
    pub fn add(&mut self, term: &Term, response: &[f64]) {
        let classes = self.data.class_count();
        match votes(term, classes) {
            Some(votes) => self.vote(&votes, response),
            None => {
                let context = self.context;
                add(term, response, self.scores_mut(), context);
            }
        }
    }

    fn vote(&mut self, votes: &[Leader], response: &[f64]) {
        let Standing { data, context, scores, leaders, mistakes } = self;
        let (classes, rows) = (data.class_count(), response.len());
        if leaders.is_empty() {
            leaders.extend(scores.chunks_exact(classes).map(|scores| {
                let class = argmax(scores);
                Leader { score: scores[class], class: class as u32 }
            }));
        }
        // The scores and the leaders of some rows are changed together.
        let mut parts: Vec<_> = scores.chunks_mut(CHUNK * classes).zip(leaders.chunks_mut(CHUNK)).collect();
        let parts = context.map_parts(&mut parts, 1, rows * 8, |i, part| {
            let (scores, leaders) = &mut part[0];
            let (labels, weights) = (&data.labels[i * CHUNK..], &data.weights[i * CHUNK..]);
            let rows = scores.chunks_exact_mut(classes).zip(leaders.iter_mut()).zip(&response[i * CHUNK..]);
            let mut sum = 0.0;
            for (((scores, leader), leaf), (label, weight)) in rows.zip(labels.iter().zip(weights)) {
                let vote = votes[*leaf as usize];
                let score = &mut scores[vote.class as usize];
                *score += vote.score;
                // Without a branch, which would often be mispredicted.
                let first = vote.class <= leader.class;
                let leads =
                    (*score > leader.score) | ((*score == leader.score) & first) | (vote.class == leader.class);
                leader.score = if leads { *score } else { leader.score };
                leader.class = if leads { vote.class } else { leader.class };
                sum += if leader.class == *label { 0.0 } else { *weight };
            }
            sum
        });
        *mistakes = Some(parts.into_iter().sum());
    }

    /// Weighted share of rows whose largest score is not that of their class.
    pub fn error(&self) -> f64 {
        let Standing { data, context, scores, mistakes, .. } = self;
        let counted = || {
            let classes = data.class_count();
            let parts = context.map(data.rows().div_ceil(CHUNK), scores.len(), |i| {
                let rows = i * CHUNK..((i + 1) * CHUNK).min(data.rows());
                let (labels, weights) = (&data.labels[rows.clone()], &data.weights[rows.clone()]);
                let scores = &scores[rows.start * classes..rows.end * classes];
                pulp::Arch::new().dispatch(WeightOfMistakes { labels, weights, scores, classes })
            });
            parts.into_iter().sum()
        };
        // Adding to zero: no sum is that of no terms, -0.
        (0.0 + mistakes.unwrap_or_else(counted)) / data.weights.iter().sum::<f64>()
    }
}

/// Adds a term to scores of the training rows.
pub(super) fn add(term: &Term, response: &[f64], scores: &mut [f64], context: &Context) {
    let classes = scores.len() / response.len().max(1);
    let work = scores.len();
    context.map_parts(scores, CHUNK * classes, work, |i, part| term.add(&response[i * CHUNK..], part, classes));
}

/// What each region gives to the one class it gives anything to; `None` if a region gives to several, or takes.
fn votes(term: &Term, classes: usize) -> Option<Vec<Leader>> {
    if !term.learner.tells_regions() {
        return None;
    }
    let vote = |leaf: &[f64]| {
        let class = argmax(leaf);
        let alone = leaf.iter().enumerate().all(|(k, score)| k == class || *score == 0.0);
        (alone && leaf[class] >= 0.0).then(|| Leader { score: leaf[class], class: class as u32 })
    };
    term.output.chunks_exact(classes).map(vote).collect()
}

/// A struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct WeightOfMistakes<'a> {
    labels: &'a [u32],
    weights: &'a [f64],
    scores: &'a [f64],
    classes: usize,
}

impl pulp::NullaryFnOnce for WeightOfMistakes<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let mut sum = 0.0;
        for ((scores, label), weight) in self.scores.chunks_exact(self.classes).zip(self.labels).zip(self.weights) {
            let label = *label as usize;
            let own = scores[label];
            // Counted to the end: stopping early would keep the loop from being vectorised.
            let (mut above, mut level) = (0u64, 0u64);
            for score in scores {
                above += u64::from(*score > own);
                level += u64::from(*score >= own);
            }
            // The answer is the first of the largest scores.
            let tied = level > above + 1;
            let wrong = above > 0 || (tied && scores[..label].contains(&own));
            sum += if wrong { *weight } else { 0.0 };
        }
        sum
    }
}
