//! Scores of rows: bias, then terms in stored order, so that the sum is the same to the bit wherever it is made.

use super::flat::{FlatTrees, Form, LEAST_ROWS};
use super::sums::Sums;
use super::{Chain, Model, Supports, Term, WeakModel};
use crate::context::Context;
use crate::data::Features;
use std::ops::Range;

/// One score a row and class.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// Number of classes.
    pub classes: usize,
    /// `[row][class]`.
    pub values: Vec<f64>,
}

impl Scores {
    /// The scores of each row.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.classes.max(1))
    }

    /// The scores of one row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.classes..(row + 1) * self.classes]
    }
}

impl Model {
    /// Scores of every row.
    pub fn scores(&self, features: &Features, context: &Context) -> Scores {
        Scores { classes: self.class_count(), values: self.chain.scores(features, context) }
    }
}

impl Chain {
    /// `[row][class]`.
    pub fn scores(&self, features: &Features, context: &Context) -> Vec<f64> {
        let mut scores = self.bias.repeat(features.rows);
        self.add_terms(0..self.terms.len(), features, &mut scores, context);
        scores
    }

    /// Adds some of the terms to scores (`[row][class]`).
    pub fn add_terms(&self, terms: Range<usize>, features: &Features, scores: &mut [f64], context: &Context) {
        // One stretch after the other: each score gets its terms in stored order.
        for stretch in self.terms[terms].chunk_by(|a, b| a.learner.is_tree() == b.learner.is_tree()) {
            self.add_stretch(stretch, features, scores, context);
        }
    }

    fn add_stretch(&self, terms: &[Term], features: &Features, scores: &mut [f64], context: &Context) {
        let compared = Compared::new(&self.supports, terms, features.rows >= LEAST_ROWS);
        let classes = self.bias.len();
        let block = compared.block(features.rows.div_ceil(context.threads()), classes);
        let learners = terms.iter().flat_map(|term| term.learner.alone()).count();
        let work = features.rows * ((learners + 1) * 8 + compared.work());
        context.map_parts(scores, block * classes, work, |i, part| {
            let rows = part.len() / classes;
            let mut sums = Sums::new(part, classes);
            compared.each_response(terms, features, i * block, rows, |term, responses| sums.add(term, responses));
            sums.finish();
        });
    }

    /// Responses of one term to every row.
    pub(crate) fn responses_of(&self, term: usize, features: &Features, context: &Context) -> Vec<f64> {
        const BLOCK: usize = 512;
        let terms = &self.terms[term..=term];
        let compared = Compared::new(&self.supports, terms, true);
        let mut out = vec![0.0; features.rows];
        context.map_parts(&mut out, BLOCK, features.rows * (16 + compared.work()), |i, part| {
            compared.each_response(terms, features, i * BLOCK, part.len(), |_, responses| {
                part.copy_from_slice(responses);
            });
        });
        out
    }

    /// Responses of all terms to one row, in stored order; that of a region tree is the number of the leaf.
    pub fn responses(&self, features: &Features, row: usize) -> Vec<f64> {
        let mut out = Vec::with_capacity(self.terms.len());
        let compared = Compared::new(&self.supports, &self.terms, false);
        compared.each_response(&self.terms, features, row, 1, |_, responses| out.push(responses[0]));
        out
    }
}

impl Term {
    /// Adds what the term gives to rows with these responses to their scores (`[row][class]`).
    pub fn add(&self, responses: &[f64], scores: &mut [f64], classes: usize) {
        pulp::Arch::new().dispatch(Add { term: self, responses, scores, classes });
    }

    /// What the term gives to each class at this response: the very numbers that [`add`](Self::add) adds.
    pub fn contributions(&self, response: f64, classes: usize) -> Vec<f64> {
        match self.learner.tells_regions() {
            true => self.output[response as usize * classes..][..classes].to_vec(),
            false => self.output.iter().map(|a| response * a).collect(),
        }
    }
}

/// A struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct Add<'a> {
    term: &'a Term,
    responses: &'a [f64],
    scores: &'a mut [f64],
    classes: usize,
}

impl pulp::NullaryFnOnce for Add<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        add(self.term, self.responses, self.scores, self.classes);
    }
}

/// [`Term::add`], wherever it is inlined.
#[inline(always)]
pub(super) fn add(term: &Term, responses: &[f64], scores: &mut [f64], classes: usize) {
    let rows = scores.chunks_exact_mut(classes).zip(responses);
    match term.learner.tells_regions() {
        true => {
            for (scores, leaf) in rows {
                let output = &term.output[*leaf as usize * classes..][..classes];
                scores.iter_mut().zip(output).for_each(|(h, a)| *h += a);
            }
        }
        false => {
            for (scores, f) in rows {
                scores.iter_mut().zip(&term.output).for_each(|(h, a)| *h += *f * a);
            }
        }
    }
}

/// What some terms need to know of rows: the distance to each support that they compare with, computed once a row, and the
/// features that their trees ask about.
pub(super) struct Compared<'a> {
    metrics: Vec<Metric<'a>>,
    /// For many rows.
    trees: Option<FlatTrees>,
}

/// The supports of one metric.
struct Metric<'a> {
    supports: &'a Supports,
    used: Vec<u32>,
    /// Position in `used` of each support.
    position: Vec<usize>,
}

impl<'a> Compared<'a> {
    /// `many` rows are worth laying trees out for.
    pub(super) fn new(supports: &'a [Supports], terms: &[Term], many: bool) -> Self {
        let mut used = vec![Vec::new(); supports.len()];
        for term in terms {
            if let WeakModel::Similarity(similarity) = &term.learner {
                used[similarity.metric as usize].extend(similarity.supports());
            }
        }
        let metric = |(supports, mut used): (&'a Supports, Vec<u32>)| {
            used.sort_unstable();
            used.dedup();
            let mut position = vec![0; supports.len()];
            used.iter().enumerate().for_each(|(i, support)| position[*support as usize] = i);
            Metric { supports, used, position }
        };
        let trees = many.then(|| FlatTrees::new(terms.iter().flat_map(|term| term.learner.alone()), Form::Blocks));
        Compared { metrics: supports.iter().zip(used).map(metric).collect(), trees }
    }

    /// Rows of a block. Its scores stay in the cache; with supports, its distances to all of them. Trees that do not fit into it are
    /// read once a block, so there as many rows share them as there is room for, scores and values together. `rows` are those of
    /// a thread; no score depends on blocks.
    fn block(&self, rows: usize, classes: usize) -> usize {
        const LARGE: usize = 1 << 15;
        const NUMBERS: usize = 1 << 16;
        if self.metrics.iter().any(|metric| !metric.used.is_empty()) {
            return 64;
        }
        match &self.trees {
            Some(trees) if trees.walked() > LARGE => {
                (NUMBERS / (trees.asked() + 2 * classes)).min(rows).clamp(256, 4096)
            }
            _ => 256,
        }
    }

    /// Elementary operations a row.
    fn work(&self) -> usize {
        self.metrics.iter().map(|metric| metric.supports.points.length * metric.used.len()).sum()
    }

    /// Calls `visit` with every term and its responses to `rows` rows from `start` on.
    pub(super) fn each_response<'t>(
        &self,
        terms: &'t [Term],
        features: &Features,
        start: usize,
        rows: usize,
        mut visit: impl FnMut(&'t Term, &[f64]),
    ) {
        let distances: Vec<Vec<f32>> = self
            .metrics
            .iter()
            .map(|metric| metric.supports.distances(&metric.used, features, start, rows))
            .collect();
        let trees = self.trees.as_ref().map(|trees| (trees, trees.block(features, start, rows)));
        let (mut number, mut said) = (0, Vec::new());
        let mut respond = |learner: &WeakModel, responses: &mut [f64]| {
            let laid_out =
                trees.as_ref().is_some_and(|(trees, block)| trees.respond(number, block, &mut said, responses));
            number += 1;
            match learner {
                _ if laid_out => {}
                WeakModel::Similarity(similarity) => {
                    let metric = similarity.metric as usize;
                    let column =
                        |s: u32| &distances[metric][self.metrics[metric].position[s as usize] * rows..][..rows];
                    let mut columns = similarity.supports().map(column);
                    let (a, b) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
                    similarity.respond(a, b, responses);
                }
                other => other.respond(features, start, responses),
            }
        };
        let mut responses = vec![0.0; rows];
        for term in terms {
            match &term.learner {
                WeakModel::Committee(committee) => committee.respond(&mut responses, &mut respond),
                learner => respond(learner, &mut responses),
            }
            visit(term, &responses);
        }
    }
}
