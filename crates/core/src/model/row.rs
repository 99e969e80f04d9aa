//! Scores of one row at a time: for a service that answers as questions come.

use super::flat::{FlatTrees, Form};
use super::predict::{Compared, add};
use super::{Chain, Model, Term, WeakModel};
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
    trees: FlatTrees,
    /// Terms that are no trees, and their places in the chain.
    others: (Vec<Term>, Vec<usize>),
    compared: Compared<'a>,
    values: Vec<f64>,
    responses: Vec<f64>,
    scores: Vec<f64>,
}

impl Model {
    /// Lays the model out for single rows.
    pub fn row_scorer(&self) -> RowScorer<'_> {
        let chain = &self.chain;
        let is_tree = |term: &Term| matches!(term.learner, WeakModel::Tree(_) | WeakModel::Regions(_));
        let others = chain.terms.iter().enumerate().filter(|(_, term)| !is_tree(term));
        let others: (Vec<Term>, Vec<usize>) = others.map(|(place, term)| (term.clone(), place)).unzip();
        RowScorer {
            chain,
            trees: FlatTrees::new(chain.terms.iter().map(|term| &term.learner), Form::Single),
            compared: Compared::new(&chain.supports, &others.0, false),
            others,
            values: Vec::new(),
            responses: vec![0.0; chain.terms.len()],
            scores: chain.bias.clone(),
        }
    }
}

impl RowScorer<'_> {
    /// One score a class.
    pub fn scores(&mut self, features: &Features, row: usize) -> &[f64] {
        let RowScorer { chain, trees, others: (terms, places), compared, values, responses, scores } = self;
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
        scores.copy_from_slice(&chain.bias);
        pulp::Arch::new().dispatch(AddAll { terms: &chain.terms, responses, scores });
        scores
    }
}

/// A struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct AddAll<'a> {
    terms: &'a [Term],
    /// One a term.
    responses: &'a [f64],
    scores: &'a mut [f64],
}

impl pulp::NullaryFnOnce for AddAll<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let classes = self.scores.len();
        for (term, response) in self.terms.iter().zip(self.responses) {
            add(term, std::slice::from_ref(response), self.scores, classes);
        }
    }
}
