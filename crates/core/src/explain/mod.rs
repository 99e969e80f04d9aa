//! Why a model answers what it answers: every term in words, with what it gave to each class, and the training rows
//! most like the one in question.
//!
//! Contributions are the very products prediction adds up: bias, then terms in stored order, give the score to the
//! bit.

mod importance;
mod shares;
mod similar;
mod uses;
mod way;
mod words;

pub use importance::{Influence, PairImportance, Share, importance};
pub use shares::feature_shares;
pub use similar::{ComparedValue, SimilarRow};
pub use uses::{Use, uses};
pub use words::{centre, scale, side};

use crate::data::Features;
use crate::error::{Error, Result};
use crate::model::{Model, Part, Scores, WeakModel};
use serde::Serialize;
use std::collections::BTreeMap;

/// Similar training rows listed.
const SIMILAR_ROWS: usize = 5;

/// A decision taken apart.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// Row of the data that was asked about, from 0.
    pub row: usize,
    /// Class names.
    pub classes: Vec<String>,
    /// The answer, a position in `classes`.
    pub answer: u32,
    /// The class with the largest score besides the answer.
    pub second: u32,
    /// One score a class.
    pub scores: Vec<f64>,
    /// Where the scores start, one a class.
    pub bias: Vec<f64>,
    /// All terms in stored order.
    pub terms: Vec<TermShare>,
    /// The nearest of the training rows the model compares with, nearest first; empty for models without.
    pub similar: Vec<SimilarRow>,
}

/// What one term said about the row.
#[derive(Clone, Debug, Serialize)]
pub struct TermShare {
    /// Number of the term, from 0.
    pub term: usize,
    /// What it found, in words.
    pub text: String,
    /// The features it asked about on the row's way down a tree; a similarity compares all features and lists none.
    pub features: Vec<u32>,
    /// The part of each in the term; together one. Questions of a tree have equal parts, columns of a direction by their weights.
    pub shares: Vec<f64>,
    /// The rows of the training data that a similarity compares with, from 0; none for a tree.
    pub rows: Vec<u64>,
    /// Its response; that of a region tree is the number of the leaf.
    pub response: f64,
    /// What it added to each class's score.
    pub contributions: Vec<f64>,
}

impl Explanation {
    /// What a term did for the answer and against the second-best class.
    pub fn weight(&self, term: &TermShare) -> f64 {
        term.contributions[self.answer as usize] - term.contributions[self.second as usize]
    }

    /// Terms by how much they moved the decision between the answer and the second-best class; ties in stored order.
    pub fn by_weight(&self) -> Vec<&TermShare> {
        let mut terms: Vec<&TermShare> = self.terms.iter().collect();
        terms.sort_by(|a, b| self.weight(b).abs().total_cmp(&self.weight(a).abs()));
        terms
    }

    /// What each feature brought to the answer over the second-best class; terms are shared among the features that they
    /// asked about on the row's way. The largest first.
    pub fn by_feature(&self) -> Vec<(usize, f64)> {
        let features = |term: &TermShare| term.features.iter().map(|feature| *feature as usize).collect::<Vec<_>>();
        self.shared_by(|term| features(term).into_iter().zip(term.shares.iter().copied()).collect())
    }

    /// What each training row brought to the answer over the second-best class; terms are shared evenly among the rows
    /// that they compare with. The largest first.
    pub fn by_row(&self) -> Vec<(u64, f64)> {
        self.shared_by(|term| term.rows.iter().map(|row| (*row, 1.0 / term.rows.len() as f64)).collect())
    }

    /// What each member of a stacked model brought to the answer over the second-best class, in stored order.
    pub fn by_part<'a>(&self, parts: &'a [Part]) -> Vec<(&'a str, f64)> {
        let mut terms = self.terms.iter();
        let sum =
            |part: &'a Part| (part.name.as_str(), terms.by_ref().take(part.terms).map(|t| self.weight(t)).sum());
        parts.iter().map(sum).collect()
    }

    fn shared_by<K: Ord>(&self, among: impl Fn(&TermShare) -> Vec<(K, f64)>) -> Vec<(K, f64)> {
        let mut sums = BTreeMap::new();
        for term in &self.terms {
            for (key, share) in among(term) {
                *sums.entry(key).or_insert(0.0) += self.weight(term) * share;
            }
        }
        let mut sums: Vec<(K, f64)> = sums.into_iter().filter(|(_, sum)| *sum != 0.0).collect();
        sums.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        sums
    }
}

/// The rows of the training data that a learner compares with.
fn compared(model: &Model, learner: &WeakModel) -> Vec<u64> {
    let WeakModel::Similarity(similarity) = learner else { return Vec::new() };
    match model.chain.supports.get(similarity.metric as usize) {
        Some(supports) => similarity.supports().map(|support| supports.rows[support as usize]).collect(),
        None => Vec::new(),
    }
}

/// Explains the model's answer to one row.
pub fn explain(model: &Model, features: &Features, row: usize) -> Result<Explanation> {
    if row >= features.rows {
        return Err(Error::option(format!("there is no row {}; the data have {}", row + 1, features.rows)));
    }
    let chain = &model.chain;
    let mut scores = chain.bias.clone();
    let mut terms = Vec::with_capacity(chain.terms.len());
    for (number, (term, response)) in chain.terms.iter().zip(chain.responses(features, row)).enumerate() {
        let contributions = term.contributions(response, scores.len());
        scores.iter_mut().zip(&contributions).for_each(|(h, c)| *h += c);
        let (text, asked) = words::term(&term.learner, model, features, row, response);
        let rows = compared(model, &term.learner);
        let whole: f64 = asked.iter().map(|(_, part)| part).sum();
        let (features, shares) = asked.into_iter().map(|(feature, part)| (feature, part / whole)).unzip();
        terms.push(TermShare { term: number, text, features, shares, rows, response, contributions });
    }
    let as_scores = Scores { classes: scores.len(), values: scores.clone() };
    let answer = model.decide(&as_scores, None)?.first().copied().unwrap_or(0);
    let others = (0..scores.len()).filter(|k| *k != answer as usize);
    let second = others.reduce(|a, b| if scores[b] > scores[a] { b } else { a }).unwrap_or(0) as u32;
    Ok(Explanation {
        row,
        classes: model.schema.classes.clone(),
        answer,
        second,
        scores,
        bias: chain.bias.clone(),
        terms,
        similar: similar::nearest(model, features, row, SIMILAR_ROWS),
    })
}
