//! Shallow trees, all questions asked at once.
//!
//! A tree of a few layers is filled up to a complete one. Every question is put to a group of rows side by side, and answers
//! are chosen from the bottom up: no jump and no address depends on a row, so all of it runs in vector registers. Below
//! [`DEEPEST`] layers that is less work than walking down. Answers are those of [`Tree::respond`], to the bit.

use super::tree::Answer;
use super::{Node, Test, Tree};

/// Layers of questions at most: with one more, there are twice as many to ask.
const DEEPEST: usize = 5;
/// Rows side by side: what a question costs by itself is shared by so many.
pub(super) const GROUP: usize = 32;

/// A number that trees ask about.
pub(super) trait Number: Copy + PartialOrd + Default + Into<f64> {
    /// The largest number that is at most this threshold: a value is at most one if it is at most the other.
    fn at_most(threshold: f64) -> Self;
    /// A number of a leaf or a sign, which is exact.
    fn exact(answer: f64) -> Self;
    /// The first if so, else the second, by bits: a choice between values in memory would become a jump or an address.
    fn choose(so: bool, yes: Self, no: Self) -> Self;
}

impl Number for f32 {
    fn at_most(threshold: f64) -> f32 {
        let near = threshold as f32;
        if f64::from(near) > threshold { near.next_down() } else { near }
    }

    fn exact(answer: f64) -> f32 {
        answer as f32
    }

    #[inline(always)]
    fn choose(so: bool, yes: f32, no: f32) -> f32 {
        let mask = u32::from(so).wrapping_neg();
        f32::from_bits(yes.to_bits() & mask | no.to_bits() & !mask)
    }
}

impl Number for f64 {
    fn at_most(threshold: f64) -> f64 {
        threshold
    }

    fn exact(answer: f64) -> f64 {
        answer
    }

    #[inline(always)]
    fn choose(so: bool, yes: f64, no: f64) -> f64 {
        let mask = u64::from(so).wrapping_neg();
        f64::from_bits(yes.to_bits() & mask | no.to_bits() & !mask)
    }
}

/// A complete tree: questions and answers layer by layer, from left to right.
pub(super) struct Shallow {
    layers: usize,
    questions: Vec<Question>,
    answers: Vec<f64>,
}

#[derive(Clone, Copy)]
struct Question {
    slot: u32,
    missing_left: bool,
    bound: f64,
}

/// Everything is at most infinity, and a missing value goes the same way.
const NO_QUESTION: Question = Question { slot: 0, missing_left: true, bound: f64::INFINITY };

impl Shallow {
    /// The complete tree, if this one is shallow and asks about numbers only; `slot` says where a feature is found.
    pub fn new<L: Answer>(tree: &Tree<L>, mut slot: impl FnMut(u32) -> u32) -> Option<Self> {
        let layers = layers(tree, 0)?;
        let mut shallow =
            Shallow { layers, questions: vec![NO_QUESTION; (1 << layers) - 1], answers: vec![0.0; 1 << layers] };
        let mut open = vec![(0u32, 0usize)];
        while let Some((from, to)) = open.pop() {
            let inner = to < shallow.questions.len();
            match &tree.nodes[from as usize] {
                Node::Leaf(leaf) if !inner => shallow.answers[to - shallow.questions.len()] = leaf.value(),
                Node::Leaf(_) => open.extend([(from, 2 * to + 2), (from, 2 * to + 1)]),
                Node::Split { feature, test, missing_left, left, right } => {
                    let Test::AtMost(bound) = test else { return None };
                    shallow.questions[to] =
                        Question { slot: slot(*feature), missing_left: *missing_left, bound: *bound };
                    open.extend([(*right, 2 * to + 2), (*left, 2 * to + 1)]);
                }
            }
        }
        Some(shallow)
    }

    /// Answers to the rows of a block, of which `values` are `[slot][row]` in whole groups.
    pub fn respond<T: Number>(&self, values: &[T], stride: usize, any_missing: bool, out: &mut [f64]) {
        match any_missing {
            true => self.dispatch::<T, true>(values, stride, out),
            false => self.dispatch::<T, false>(values, stride, out),
        }
    }

    fn dispatch<T: Number, const MISSING: bool>(&self, values: &[T], stride: usize, out: &mut [f64]) {
        pulp::Arch::new().dispatch(Ask::<T, MISSING> { tree: self, values, stride, out });
    }
}

/// Layers of questions; `None` if they are too many, or about levels.
fn layers<L: Answer>(tree: &Tree<L>, node: u32) -> Option<usize> {
    fn below<L: Answer>(tree: &Tree<L>, node: u32, left: usize) -> Option<usize> {
        match &tree.nodes[node as usize] {
            Node::Leaf(_) => Some(0),
            Node::Split { test: Test::OneOf(_), .. } => None,
            Node::Split { left: a, right: b, .. } => {
                let left = left.checked_sub(1)?;
                Some(1 + below(tree, *a, left)?.max(below(tree, *b, left)?))
            }
        }
    }
    below(tree, node, DEEPEST)
}

struct Ask<'a, T, const MISSING: bool> {
    tree: &'a Shallow,
    values: &'a [T],
    stride: usize,
    out: &'a mut [f64],
}

impl<T: Number, const MISSING: bool> pulp::NullaryFnOnce for Ask<'_, T, MISSING> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Ask { tree, values, stride, out } = self;
        let Some(bottom) = tree.layers.checked_sub(1) else { return out.fill(tree.answers[0]) };
        let mut said = [[T::default(); GROUP]; 1 << (DEEPEST - 1)];
        for (group, out) in out.chunks_mut(GROUP).enumerate() {
            let questions = |layer: usize| tree.questions[(1 << layer) - 1..(2 << layer) - 1].iter();
            let ask = |question: &Question, left: &[T; GROUP], right: &[T; GROUP], said: &mut [T; GROUP]| {
                let asked = &values[question.slot as usize * stride + group * GROUP..][..GROUP];
                let bound = T::at_most(question.bound);
                if MISSING && question.missing_left {
                    // Nothing is larger than what is missing.
                    (0..GROUP).for_each(|i| said[i] = T::choose(asked[i] > bound, right[i], left[i]));
                } else {
                    (0..GROUP).for_each(|i| said[i] = T::choose(asked[i] <= bound, left[i], right[i]));
                }
            };
            for ((question, answers), said) in questions(bottom).zip(tree.answers.chunks_exact(2)).zip(&mut said) {
                ask(question, &[T::exact(answers[0]); GROUP], &[T::exact(answers[1]); GROUP], said);
            }
            for layer in (0..bottom).rev() {
                for (at, question) in questions(layer).enumerate() {
                    let [left, right] = [said[2 * at], said[2 * at + 1]];
                    ask(question, &left, &right, &mut said[at]);
                }
            }
            out.iter_mut().zip(&said[0]).for_each(|(out, said)| *out = (*said).into());
        }
    }
}
