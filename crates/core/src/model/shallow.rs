//! Shallow trees, all questions asked at once.
//!
//! A tree of a few layers is filled up to a complete one. Every question is put to a group of rows side by side, and answers
//! are chosen from the bottom up: no jump and no address depends on a row, so all of it runs in vector registers. Below
//! [`DEEPEST`] layers that is less work than walking down. Answers are those of [`Tree::respond`], to the bit.

use super::tree::Answer;
use super::{Node, Test, Tree};
use pulp::Simd;

/// Layers of questions at most: with one more, there are twice as many to ask.
const DEEPEST: usize = 5;
/// Blocks hold whole groups of so many rows, a multiple of what any vector register holds.
pub(super) const GROUP: usize = 32;

/// A number that trees ask about.
pub(super) trait Number: Copy + Default + Into<f64> {
    /// As many as fill a register.
    type Lanes<S: Simd>: Copy;

    /// The bound of a question: a value is at most the threshold if it is at most this.
    fn bound(question: &Question) -> Self;
    /// Numbers of leaves or signs, which are exact.
    fn answers(tree: &Shallow) -> &[Self];
    /// The numbers, register by register.
    fn lanes<S: Simd>(values: &[Self]) -> &[Self::Lanes<S>];
    /// The same, to write.
    fn lanes_mut<S: Simd>(values: &mut [Self]) -> &mut [Self::Lanes<S>];
    /// One number everywhere.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Lanes<S>;
    /// `yes` where a value is at most the bound, else (and where it is missing) `no`.
    fn if_at_most<S: Simd>(
        simd: S,
        it: [Self::Lanes<S>; 2],
        yes: Self::Lanes<S>,
        no: Self::Lanes<S>,
    ) -> Self::Lanes<S>;
    /// `yes` where a value is above the bound, else (and where it is missing) `no`.
    fn if_above<S: Simd>(simd: S, it: [Self::Lanes<S>; 2], yes: Self::Lanes<S>, no: Self::Lanes<S>)
    -> Self::Lanes<S>;
}

macro_rules! number {
    ($type:ty, $lanes:ident, $place:tt, $as:ident, $as_mut:ident, $splat:ident, $at_most:ident, $above:ident, $select:ident) => {
        impl Number for $type {
            type Lanes<S: Simd> = S::$lanes;

            #[inline(always)]
            fn bound(question: &Question) -> Self {
                question.bound.$place
            }

            #[inline(always)]
            fn answers(tree: &Shallow) -> &[Self] {
                &tree.answers.$place
            }

            #[inline(always)]
            fn lanes<S: Simd>(values: &[Self]) -> &[S::$lanes] {
                S::$as(values).0
            }

            #[inline(always)]
            fn lanes_mut<S: Simd>(values: &mut [Self]) -> &mut [S::$lanes] {
                S::$as_mut(values).0
            }

            #[inline(always)]
            fn splat<S: Simd>(simd: S, value: Self) -> S::$lanes {
                simd.$splat(value)
            }

            #[inline(always)]
            fn if_at_most<S: Simd>(simd: S, [a, bound]: [S::$lanes; 2], yes: S::$lanes, no: S::$lanes) -> S::$lanes {
                simd.$select(simd.$at_most(a, bound), yes, no)
            }

            #[inline(always)]
            fn if_above<S: Simd>(simd: S, [a, bound]: [S::$lanes; 2], yes: S::$lanes, no: S::$lanes) -> S::$lanes {
                simd.$select(simd.$above(a, bound), yes, no)
            }
        }
    };
}

number!(
    f32,
    f32s,
    0,
    as_simd_f32s,
    as_mut_simd_f32s,
    splat_f32s,
    less_than_or_equal_f32s,
    greater_than_f32s,
    select_f32s
);
number!(
    f64,
    f64s,
    1,
    as_simd_f64s,
    as_mut_simd_f64s,
    splat_f64s,
    less_than_or_equal_f64s,
    greater_than_f64s,
    select_f64s
);

/// The largest single number that is at most this one.
fn single(threshold: f64) -> f32 {
    let near = threshold as f32;
    if f64::from(near) > threshold { near.next_down() } else { near }
}

/// A complete tree: questions and answers layer by layer, from left to right. What rows are compared with is in single
/// precision too.
pub(super) struct Shallow {
    layers: usize,
    questions: Vec<Question>,
    answers: (Vec<f32>, Vec<f64>),
}

#[derive(Clone, Copy)]
pub(super) struct Question {
    slot: u32,
    missing_left: bool,
    bound: (f32, f64),
}

/// Everything is at most infinity, and a missing value goes the same way.
const NO_QUESTION: Question = Question { slot: 0, missing_left: true, bound: (f32::INFINITY, f64::INFINITY) };

impl Shallow {
    /// The complete tree, if this one is shallow and asks about numbers only; `slot` says where a feature is found.
    pub fn new<L: Answer>(tree: &Tree<L>, slot: impl FnMut(u32) -> u32) -> Option<Self> {
        Self::filled(tree, Self::layers(tree)?, slot)
    }

    /// The complete tree of so many layers, which are enough.
    pub fn filled<L: Answer>(tree: &Tree<L>, layers: usize, mut slot: impl FnMut(u32) -> u32) -> Option<Self> {
        let answers = (vec![0.0; 1 << layers], vec![0.0; 1 << layers]);
        let mut shallow = Shallow { layers, questions: vec![NO_QUESTION; (1 << layers) - 1], answers };
        let mut open = vec![(0u32, 0usize)];
        while let Some((from, to)) = open.pop() {
            let inner = to < shallow.questions.len();
            match &tree.nodes[from as usize] {
                Node::Leaf(leaf) if !inner => {
                    let at = to - shallow.questions.len();
                    shallow.answers.0[at] = leaf.value() as f32;
                    shallow.answers.1[at] = leaf.value();
                }
                Node::Leaf(_) => open.extend([(from, 2 * to + 2), (from, 2 * to + 1)]),
                Node::Split { feature, test, missing_left, left, right } => {
                    let Test::AtMost(bound) = test else { return None };
                    let bound = (single(*bound), *bound);
                    shallow.questions[to] = Question { slot: slot(*feature), missing_left: *missing_left, bound };
                    open.extend([(*right, 2 * to + 2), (*left, 2 * to + 1)]);
                }
            }
        }
        Some(shallow)
    }

    /// Layers of questions; `None` if they are too many, or about levels.
    pub fn layers<L: Answer>(tree: &Tree<L>) -> Option<usize> {
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
        below(tree, 0, DEEPEST)
    }

    /// Slot and threshold of each question.
    pub fn questions(&self) -> impl Iterator<Item = (u32, f64)> {
        self.questions.iter().map(|question| (question.slot, question.bound.1))
    }

    /// What the leaves say.
    pub fn answers(&self) -> &[f64] {
        &self.answers.1
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

struct Ask<'a, T, const MISSING: bool> {
    tree: &'a Shallow,
    values: &'a [T],
    stride: usize,
    out: &'a mut [f64],
}

impl<T: Number, const MISSING: bool> pulp::WithSimd for Ask<'_, T, MISSING> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.tree.layers {
            1 => self.run::<S, 1>(simd),
            2 => self.run::<S, 2>(simd),
            3 => self.run::<S, 3>(simd),
            4 => self.run::<S, 4>(simd),
            5 => self.run::<S, 5>(simd),
            _ => self.out.fill(self.tree.answers.1[0]),
        }
    }
}

impl<T: Number, const MISSING: bool> Ask<'_, T, MISSING> {
    #[inline(always)]
    fn run<S: Simd, const LAYERS: usize>(self, simd: S) {
        let Ask { tree, values, stride, out } = self;
        let mut said = [T::default(); GROUP];
        for (group, out) in out.chunks_mut(GROUP).enumerate() {
            let said_lanes = T::lanes_mut::<S>(&mut said);
            let width = GROUP / said_lanes.len();
            for (i, said) in said_lanes.iter_mut().enumerate() {
                let start = group * GROUP + i * width;
                let of = |slot: u32| T::lanes::<S>(&values[slot as usize * stride + start..][..width])[0];
                *said = answer::<S, T, MISSING, LAYERS>(simd, tree, of);
            }
            out.iter_mut().zip(&said).for_each(|(out, said)| *out = (*said).into());
        }
    }
}

/// The answer to a register of rows, whose values `of` a slot are asked about.
#[inline(always)]
fn answer<S: Simd, T: Number, const MISSING: bool, const LAYERS: usize>(
    simd: S,
    tree: &Shallow,
    of: impl Fn(u32) -> T::Lanes<S>,
) -> T::Lanes<S> {
    let mut said = [T::splat(simd, T::default()); 1 << DEEPEST];
    let answers = &T::answers(tree)[..1 << LAYERS];
    (0..1 << LAYERS).for_each(|at| said[at] = T::splat(simd, answers[at]));
    let questions = &tree.questions[..(1 << LAYERS) - 1];
    for layer in (0..LAYERS).rev() {
        for at in 0..1 << layer {
            let question = &questions[(1 << layer) - 1 + at];
            let it = [of(question.slot), T::splat(simd, T::bound(question))];
            let [left, right] = [said[2 * at], said[2 * at + 1]];
            said[at] = if MISSING && question.missing_left {
                T::if_above(simd, it, right, left)
            } else {
                T::if_at_most(simd, it, left, right)
            };
        }
    }
    said[0]
}
