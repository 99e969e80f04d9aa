//! Scores of a block of rows while terms are added, laid out as the terms like it.
//!
//! A response times a vector is added class by class, so that the loop runs over rows and fills vector registers whatever the
//! number of classes; the vector of a region is added row by row. Every score gets the same products in the same order in
//! both layouts, so the sums are the same to the bit.

use super::{Term, WeakModel};

/// Sums under way; [`finish`](Self::finish) brings them home.
pub(super) struct Sums<'a> {
    /// `[row][class]`.
    scores: &'a mut [f64],
    /// `[class][row]`, while they stand that way.
    by_class: Vec<f64>,
    turned: bool,
    classes: usize,
}

impl<'a> Sums<'a> {
    /// Of these scores.
    pub fn new(scores: &'a mut [f64], classes: usize) -> Self {
        Sums { scores, by_class: Vec::new(), turned: false, classes }
    }

    /// Adds a term.
    pub fn add(&mut self, term: &Term, responses: &[f64]) {
        // A block of few rows is not worth turning.
        let turn = !matches!(term.learner, WeakModel::Regions(_)) && responses.len() >= 8;
        self.turn(turn);
        if turn {
            let Sums { by_class, .. } = self;
            pulp::Arch::new().dispatch(AddByClass { by_class, responses, output: &term.output });
        } else {
            term.add(responses, self.scores, self.classes);
        }
    }

    /// Brings the scores up to date.
    pub fn finish(mut self) {
        self.turn(false);
    }

    fn turn(&mut self, turned: bool) {
        if self.turned == turned {
            return;
        }
        let rows = self.scores.len() / self.classes;
        self.by_class.resize(self.scores.len(), 0.0);
        for (row, scores) in self.scores.chunks_exact_mut(self.classes).enumerate() {
            for (class, score) in scores.iter_mut().enumerate() {
                let other = &mut self.by_class[class * rows + row];
                if turned { *other = *score } else { *score = *other }
            }
        }
        self.turned = turned;
    }
}

/// A struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct AddByClass<'a> {
    by_class: &'a mut [f64],
    responses: &'a [f64],
    output: &'a [f64],
}

impl pulp::NullaryFnOnce for AddByClass<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (scores, a) in self.by_class.chunks_exact_mut(self.responses.len()).zip(self.output) {
            scores.iter_mut().zip(self.responses).for_each(|(h, f)| *h += *f * a);
        }
    }
}
