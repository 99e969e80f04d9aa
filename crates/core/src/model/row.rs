//! Scores of one row at a time: for a service that answers as questions come.

use super::compact::{ABREAST, Compact};
use super::flat::{FlatTrees, Form};
use super::predict::Compared;
use super::{Chain, Model, Term};
use crate::data::Features;

/// A model laid out once, for any number of single rows. Scores are those of [`Model::scores`], to the bit; where the
/// model is made of trees, a row allocates nothing.
///
/// ```
/// # use rebelboost::{booster, context::Context, data::{Column, Dataset, Roles, Table}, settings::Settings};
/// # let columns = vec![Column::numeric(vec![1.0, 2.0, 3.0, 4.0]), Column::categorical([Some("a"), Some("a"), Some("b"), Some("b")])];
/// # let table = Table::new(vec!["x".into(), "class".into()], columns)?;
/// # let data = Dataset::from_table(&table, &Roles::default(), &mut Vec::new())?;
/// # let context = Context::new(0, 1)?;
/// # let model = booster::train(&data, None, &Settings::new("rebel")?, &context, &mut ())?.model;
/// let mut scorer = model.row_scorer();
/// let scores = scorer.scores(&data.features, 3);
/// assert_eq!(scores, model.scores(&data.features, &context).row(3));
/// # Ok::<(), rebelboost::error::Error>(())
/// ```
pub struct RowScorer<'a> {
    chain: &'a Chain,
    /// Where there is nothing but shallow trees: for rows without missing values.
    compact: Option<Compact>,
    trees: FlatTrees,
    /// Terms that are no trees, and their places in the chain.
    others: (Vec<Term>, Vec<usize>),
    compared: Compared<'a>,
    vectors: Vectors,
    values: Vec<f64>,
    answers: Vec<i8>,
    responses: Vec<f64>,
    added: Vec<Added>,
    scores: Vec<f64>,
}

impl Model {
    /// Lays the model out for single rows.
    pub fn row_scorer(&self) -> RowScorer<'_> {
        let chain = &self.chain;
        let others = chain.terms.iter().enumerate().filter(|(_, term)| !term.learner.is_tree());
        let others: (Vec<Term>, Vec<usize>) = others.map(|(place, term)| (term.clone(), place)).unzip();
        let learners = chain.terms.iter().map(|term| &term.learner);
        RowScorer {
            chain,
            compact: Compact::new(learners.clone()),
            trees: FlatTrees::new(learners, Form::Single),
            compared: Compared::new(&chain.supports, &others.0, false),
            others,
            vectors: Vectors::new(chain),
            values: Vec::new(),
            answers: vec![0; chain.terms.len().next_multiple_of(ABREAST)],
            responses: vec![0.0; chain.terms.len()],
            added: vec![Added::default(); chain.terms.len()],
            scores: vec![0.0; chain.bias.len().next_multiple_of(WIDEST)],
        }
    }
}

impl RowScorer<'_> {
    /// One score a class.
    pub fn scores(&mut self, features: &Features, row: usize) -> &[f64] {
        self.respond(features, row);
        let RowScorer { chain, vectors, added, scores, .. } = self;
        let classes = chain.bias.len();
        scores[..classes].copy_from_slice(&chain.bias);
        pulp::Arch::new().dispatch(AddAll { vectors, added, scores });
        &scores[..classes]
    }

    /// What every term adds.
    fn respond(&mut self, features: &Features, row: usize) {
        let RowScorer { compact, trees, others: (terms, places), compared, vectors, .. } = self;
        let RowScorer { values, answers, responses, added, .. } = self;
        if let Some(compact) = compact {
            values.clear();
            values.extend(compact.asked().iter().map(|feature| features.columns[*feature as usize].number(row)));
            if !values.iter().any(|value| value.is_nan()) {
                compact.answer(values, answers);
                for (term, (added, answer)) in added.iter_mut().zip(answers).enumerate() {
                    *added = vectors.added(term, f64::from(*answer));
                }
                return;
            }
        }
        trees.answer(features, row, values, responses);
        // Nothing is allocated where there are only trees.
        if !terms.is_empty() {
            let mut places = places.iter();
            compared.each_response(terms, features, row, 1, |_, response| {
                if let Some(place) = places.next() {
                    responses[*place] = response[0];
                }
            });
        }
        for (term, (added, response)) in added.iter_mut().zip(responses).enumerate() {
            *added = vectors.added(term, *response);
        }
    }
}

/// Numbers in the widest register.
const WIDEST: usize = 8;

/// What a term adds: a vector times a number.
#[derive(Clone, Copy, Default)]
struct Added {
    vector: u32,
    factor: f64,
}

/// The vectors of all terms, one behind the other.
struct Vectors {
    /// `[vector][class]`, filled up with zeros.
    values: Vec<f64>,
    /// Classes with what fills them up: whole registers.
    stride: usize,
    /// First vector of each term, and whether it has one for each region.
    first: Vec<(u32, bool)>,
}

impl Vectors {
    fn new(chain: &Chain) -> Self {
        let classes = chain.bias.len();
        let stride = classes.next_multiple_of(WIDEST);
        let mut vectors = Vectors { values: Vec::new(), stride, first: Vec::new() };
        for term in &chain.terms {
            let number = (vectors.values.len() / stride) as u32;
            vectors.first.push((number, term.learner.tells_regions()));
            for vector in term.output.chunks_exact(classes) {
                vectors.values.extend_from_slice(vector);
                vectors.values.resize(vectors.values.len().next_multiple_of(stride), 0.0);
            }
        }
        vectors
    }

    /// What the term adds at this response. A product with one is exact.
    #[inline(always)]
    fn added(&self, term: usize, response: f64) -> Added {
        match self.first[term] {
            (first, true) => Added { vector: first + response as u32, factor: 1.0 },
            (vector, false) => Added { vector, factor: response },
        }
    }
}

struct AddAll<'a> {
    vectors: &'a Vectors,
    added: &'a [Added],
    /// As long as a vector.
    scores: &'a mut [f64],
}

impl pulp::WithSimd for AddAll<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, simd: S) {
        let all = self.scores.len() / S::F64_LANES;
        for first in (0..all).step_by(4) {
            match all - first {
                1 => self.run::<S, 1>(simd, first),
                2 => self.run::<S, 2>(simd, first),
                3 => self.run::<S, 3>(simd, first),
                _ => self.run::<S, 4>(simd, first),
            }
        }
    }
}

impl AddAll<'_> {
    /// The scores of N registers stay there while all terms are added.
    #[inline(always)]
    fn run<S: pulp::Simd, const N: usize>(&mut self, simd: S, first: usize) {
        let AddAll { vectors: Vectors { values, stride, .. }, added, scores } = self;
        let scores = &mut S::as_mut_simd_f64s(scores).0[first..][..N];
        let mut sums: [S::f64s; N] = std::array::from_fn(|i| scores[i]);
        for Added { vector, factor } in *added {
            let vector = &S::as_simd_f64s(&values[*vector as usize * stride..][..*stride]).0[first..][..N];
            let factor = simd.splat_f64s(*factor);
            (0..N).for_each(|i| sums[i] = simd.add_f64s(sums[i], simd.mul_f64s(factor, vector[i])));
        }
        scores.copy_from_slice(&sums);
    }
}
