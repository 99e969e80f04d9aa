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
}

impl Number for f32 {
    fn at_most(threshold: f64) -> f32 {
        let near = threshold as f32;
        if f64::from(near) > threshold { near.next_down() } else { near }
    }

    fn exact(answer: f64) -> f32 {
        answer as f32
    }
}

impl Number for f64 {
    fn at_most(threshold: f64) -> f64 {
        threshold
    }

    fn exact(answer: f64) -> f64 {
        answer
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
        let mut said = [[T::default(); GROUP]; 1 << DEEPEST];
        for (group, out) in out.chunks_mut(GROUP).enumerate() {
            for (said, answer) in said.iter_mut().zip(&tree.answers) {
                said.fill(T::exact(*answer));
            }
            for layer in (0..tree.layers).rev() {
                for (at, question) in tree.questions[(1 << layer) - 1..(2 << layer) - 1].iter().enumerate() {
                    let Question { slot, missing_left, bound } = *question;
                    let asked = &values[slot as usize * stride + group * GROUP..][..GROUP];
                    let (bound, [left, right]) = (T::at_most(bound), [said[2 * at], said[2 * at + 1]]);
                    let said = &mut said[at];
                    if MISSING && missing_left {
                        // Nothing is larger than what is missing.
                        (0..GROUP).for_each(|i| said[i] = if asked[i] > bound { right[i] } else { left[i] });
                    } else {
                        (0..GROUP).for_each(|i| said[i] = if asked[i] <= bound { left[i] } else { right[i] });
                    }
                }
            }
            out.iter_mut().zip(&said[0]).for_each(|(out, said)| *out = (*said).into());
        }
    }
}
