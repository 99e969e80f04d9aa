//! Scores of a block of rows while terms are added, laid out as the terms like it.
//!
//! A response times a vector is added class by class, so that the loop runs over rows and fills vector registers whatever the
//! number of classes; the vector of a region is added row by row. Every score gets the same products in the same order in
//! both layouts, so the sums are the same to the bit.

use super::{Term, WeakModel};

/// Terms that are added together: each score is read and written once for so many.
const TOGETHER: usize = 8;

/// Sums under way; [`finish`](Self::finish) brings them home.
pub(super) struct Sums<'a> {
    /// `[row][class]`.
    scores: &'a mut [f64],
    /// `[class][row]`, while they stand that way.
    by_class: Vec<f64>,
    turned: bool,
    classes: usize,
    /// Terms that wait, and their responses one behind the other.
    waiting: Vec<&'a Term>,
    responses: Vec<f64>,
}

impl<'a> Sums<'a> {
    /// Of these scores.
    pub fn new(scores: &'a mut [f64], classes: usize) -> Self {
        let (by_class, waiting, responses) = (Vec::new(), Vec::with_capacity(TOGETHER), Vec::new());
        Sums { scores, by_class, turned: false, classes, waiting, responses }
    }

    /// Adds a term.
    pub fn add(&mut self, term: &'a Term, responses: &[f64]) {
        // A block of few rows is not worth turning.
        if matches!(term.learner, WeakModel::Regions(_)) || responses.len() < 8 {
            self.turn(false);
            return term.add(responses, self.scores, self.classes);
        }
        self.turn(true);
        self.waiting.push(term);
        self.responses.extend_from_slice(responses);
        if self.waiting.len() == TOGETHER {
            self.add_waiting();
        }
    }

    /// Brings the scores up to date.
    pub fn finish(mut self) {
        self.turn(false);
    }

    fn add_waiting(&mut self) {
        let Sums { by_class, waiting, responses, .. } = self;
        pulp::Arch::new().dispatch(AddByClass { by_class, terms: waiting, responses });
        waiting.clear();
        responses.clear();
    }

    fn turn(&mut self, turned: bool) {
        if self.turned == turned {
            return;
        }
        let rows = self.scores.len() / self.classes;
        self.by_class.resize(self.scores.len(), 0.0);
        self.add_waiting();
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
    terms: &'a [&'a Term],
    /// `[term][row]`.
    responses: &'a [f64],
}

impl pulp::WithSimd for AddByClass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) {
        let AddByClass { by_class, terms, responses } = self;
        if terms.is_empty() {
            return;
        }
        let rows = responses.len() / terms.len();
        // A product with +1 or -1 is exact, so that fusing it with the sum changes nothing.
        let exact = |term: &&Term| matches!(term.learner, WeakModel::Tree(_) | WeakModel::Direction(_));
        let fuses = !S::IS_SCALAR && terms.iter().all(exact);
        for (class, scores) in by_class.chunks_exact_mut(rows).enumerate() {
            let Ok(terms) = <&[&Term; TOGETHER]>::try_from(terms) else {
                for (term, responses) in terms.iter().zip(responses.chunks_exact(rows)) {
                    scores.iter_mut().zip(responses).for_each(|(h, f)| *h += *f * term.output[class]);
                }
                continue;
            };
            let outputs = terms.map(|term| term.output[class]);
            let each: [&[f64]; TOGETHER] = std::array::from_fn(|i| &responses[i * rows..][..rows]);
            let mut done = 0;
            if fuses {
                let (lanes, outputs) = (S::as_mut_simd_f64s(scores).0, outputs.map(|a| simd.splat_f64s(a)));
                let each = each.map(|responses| &S::as_simd_f64s(responses).0[..lanes.len()]);
                for (at, score) in lanes.iter_mut().enumerate() {
                    *score = (0..TOGETHER).fold(*score, |sum, i| simd.mul_add_f64s(each[i][at], outputs[i], sum));
                }
                done = lanes.len() * S::F64_LANES;
            }
            for row in done..rows {
                scores[row] = (0..TOGETHER).fold(scores[row], |sum, i| sum + each[i][row] * outputs[i]);
            }
        }
    }
}
