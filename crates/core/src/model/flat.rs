//! Trees laid out for prediction, of many rows at a time or of one.
//!
//! Nodes of all trees stand in one array, the two children of a node side by side, and a leaf is its own child: a step is
//! one comparison and no jump that depends on the row, so several rows walk down together. (Where there are many rows, most
//! trees do not even walk: [`Coded`].) The features that are asked about are read once a block of rows. Answers are those of
//! [`Tree::respond`], to the bit.

use super::coded::Coded;
use super::codes::{Coder, Codes, Lanes};
use super::tree::Answer;
use super::{Node, Test, Tree, WeakModel};
use crate::data::{Column, Features, MISSING_LEVEL, Numeric};

/// Rows below which laying trees out does not pay.
pub(super) const LEAST_ROWS: usize = 32;
/// Rows that walk down side by side.
const ABREAST: usize = 8;
/// A missing value goes left.
const MISSING_LEFT: u32 = 1 << 31;
/// The question is about a set of levels, and `bound` its number.
const SET: u32 = 1 << 30;
const SLOT: u32 = SET - 1;

/// How rows come.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    /// Many at a time.
    Blocks,
    /// One at a time: all trees are walked, since there is nothing to fill a vector register with.
    Single,
}

/// All trees among some learners.
pub(super) struct FlatTrees {
    /// For trees that do not walk.
    coder: Option<Coder>,
    /// Features that walks ask about, in the order of their slots.
    asked: Vec<u32>,
    nodes: Vec<FlatNode>,
    /// What each node answers, if it is a leaf.
    answers: Vec<f64>,
    /// Levels that go left, one bit each.
    sets: Vec<Vec<u64>>,
    /// One a learner.
    trees: Vec<Option<Laid>>,
}

enum Laid {
    Coded(Coded),
    Deep(Place),
}

#[derive(Clone, Copy)]
struct FlatNode {
    bound: f64,
    /// Slot of the feature, and flags.
    ask: u32,
    /// The left child; the right one follows.
    first: u32,
}

#[derive(Clone, Copy)]
struct Place {
    root: u32,
    depth: u32,
    has_sets: bool,
}

/// What is asked about some rows.
pub(super) struct Block {
    codes: Option<Codes>,
    /// `[slot][row]`; levels are their codes, missing is not a number.
    values: Values,
    /// Rows and some to fill the last group.
    stride: usize,
    any_missing: bool,
}

/// In single precision where that is exact.
enum Values {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl FlatTrees {
    /// Lays out the trees among these learners.
    pub fn new<'a>(learners: impl Iterator<Item = &'a WeakModel> + Clone, form: Form) -> Self {
        let (asked, nodes, answers, sets) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let coder = (form == Form::Blocks).then(|| Coder::new(learners.clone()));
        let mut flat = FlatTrees { coder, asked, nodes, answers, sets, trees: Vec::new() };
        let mut slots = Vec::new();
        let walked = |learner: &WeakModel| match learner {
            WeakModel::Tree(tree) if form == Form::Single || !Coded::may(&tree.nodes) => tree.nodes.len(),
            WeakModel::Regions(tree) if form == Form::Single || !Coded::may(&tree.nodes) => tree.nodes.len(),
            _ => 0,
        };
        let count = learners.clone().map(walked).sum();
        flat.nodes.reserve_exact(count);
        flat.answers.reserve_exact(count);
        for learner in learners {
            let place = match learner {
                WeakModel::Tree(tree) => Some(flat.lay_out(tree, &mut slots)),
                WeakModel::Regions(tree) => Some(flat.lay_out(tree, &mut slots)),
                _ => None,
            };
            flat.trees.push(place);
        }
        flat
    }

    /// How many features walks ask about.
    pub fn asked(&self) -> usize {
        self.asked.len()
    }

    /// Nodes of the trees that are walked down.
    pub fn walked(&self) -> usize {
        self.nodes.len()
    }

    fn lay_out<L: Answer>(&mut self, tree: &Tree<L>, slots: &mut Vec<u32>) -> Laid {
        let coded = self.coder.as_ref().and_then(|coder| Coded::new(tree, coder));
        coded.map_or_else(|| Laid::Deep(self.lay_out_deep(tree, slots)), Laid::Coded)
    }

    fn lay_out_deep<L: Answer>(&mut self, tree: &Tree<L>, slots: &mut Vec<u32>) -> Place {
        let root = self.reserve(1);
        let mut place = Place { root, depth: 0, has_sets: false };
        let mut open = vec![(0u32, root, 0u32)];
        while let Some((from, to, depth)) = open.pop() {
            match &tree.nodes[from as usize] {
                Node::Leaf(leaf) => {
                    // Nothing is larger than infinity, and no missing value leaves either.
                    self.nodes[to as usize] = FlatNode { bound: f64::INFINITY, ask: MISSING_LEFT, first: to };
                    self.answers[to as usize] = leaf.value();
                    place.depth = place.depth.max(depth);
                }
                Node::Split { feature, test, missing_left, left, right } => {
                    let mut ask =
                        slot(*feature, slots, &mut self.asked) | if *missing_left { MISSING_LEFT } else { 0 };
                    let bound = match test {
                        Test::AtMost(threshold) => *threshold,
                        Test::OneOf(levels) => {
                            place.has_sets = true;
                            ask |= SET;
                            self.sets.push(bits(levels));
                            (self.sets.len() - 1) as f64
                        }
                    };
                    let first = self.reserve(2);
                    self.nodes[to as usize] = FlatNode { bound, ask, first };
                    open.push((*right, first + 1, depth + 1));
                    open.push((*left, first, depth + 1));
                }
            }
        }
        place
    }

    fn reserve(&mut self, count: usize) -> u32 {
        let first = self.nodes.len();
        self.nodes.resize(first + count, FlatNode { bound: 0.0, ask: 0, first: 0 });
        self.answers.resize(first + count, 0.0);
        first as u32
    }

    /// Answers of all trees, which are laid out for single rows, to a row; learners that are no trees are passed over. `values`
    /// is memory.
    pub fn answer(&self, features: &Features, row: usize, values: &mut Vec<f64>, out: &mut [f64]) {
        values.clear();
        values.extend(self.asked.iter().map(|feature| features.columns[*feature as usize].number(row)));
        let value = |_: usize, slot: usize| values[slot];
        let plain = self.sets.is_empty() && !values.iter().any(|value| value.is_nan());
        for (out, trees) in out.chunks_mut(ABREAST).zip(self.trees.chunks(ABREAST)) {
            let (mut roots, mut depth) = ([0; ABREAST], 0);
            for (root, tree) in roots.iter_mut().zip(trees) {
                if let Some(Laid::Deep(place)) = tree {
                    (*root, depth) = (place.root, depth.max(place.depth));
                }
            }
            let leaves = match plain {
                true => self.descend::<true>(roots, depth, value),
                false => self.descend::<false>(roots, depth, value),
            };
            for ((out, tree), leaf) in out.iter_mut().zip(trees).zip(leaves) {
                if tree.is_some() {
                    *out = self.answers[leaf as usize];
                }
            }
        }
    }

    /// The features that are asked about, of `rows` rows from `start` on.
    pub fn block(&self, features: &Features, start: usize, rows: usize) -> Block {
        let columns = || self.asked.iter().map(|feature| &features.columns[*feature as usize]);
        let single = |column: &Column| match column {
            Column::Numeric(Numeric::U8(_) | Numeric::I16(_) | Numeric::F32(_)) => true,
            Column::Numeric(Numeric::I32(_) | Numeric::F64(_)) => false,
            Column::Categorical(levels) => levels.levels.len() < 1 << 24,
        };
        let stride = rows.next_multiple_of(ABREAST);
        let mut numbers = vec![0.0; rows];
        let read = |column: &Column, out: &mut [f64]| match column {
            Column::Numeric(numbers) => numbers.read(start, out),
            Column::Categorical(levels) => {
                let code = |code: u32| if code == MISSING_LEVEL { f64::NAN } else { f64::from(code) };
                out.iter_mut().zip(&levels.codes[start..]).for_each(|(out, c)| *out = code(*c));
            }
        };
        let values = if columns().all(single) {
            let mut block = vec![0.0; self.asked.len() * stride];
            for (column, block) in columns().zip(block.chunks_exact_mut(stride)) {
                match column {
                    Column::Numeric(Numeric::U8(v)) => {
                        block.iter_mut().zip(&v[start..start + rows]).for_each(|(out, v)| *out = f32::from(*v));
                    }
                    Column::Numeric(Numeric::F32(v)) => block[..rows].copy_from_slice(&v[start..start + rows]),
                    column => {
                        read(column, &mut numbers);
                        block.iter_mut().zip(&numbers).for_each(|(out, v)| *out = *v as f32);
                    }
                }
            }
            Values::Single(block)
        } else {
            let mut block = vec![0.0; self.asked.len() * stride];
            for (column, block) in columns().zip(block.chunks_exact_mut(stride)) {
                read(column, &mut block[..rows]);
            }
            Values::Double(block)
        };
        let any_missing = match &values {
            Values::Single(values) => values.iter().any(|v| v.is_nan()),
            Values::Double(values) => values.iter().any(|v| v.is_nan()),
        };
        let codes = self.coder.as_ref().map(|coder| coder.block(features, start, rows));
        Block { codes, values, stride, any_missing }
    }

    /// Answers of a learner's tree to the rows of a block; false if the learner is no tree. `said` is memory.
    pub fn respond(&self, learner: usize, block: &Block, said: &mut Vec<Lanes>, out: &mut [f64]) -> bool {
        match (&self.trees[learner], &block.codes, &block.values) {
            (None, ..) => return false,
            (Some(Laid::Coded(tree)), Some(codes), _) => tree.respond(codes, said, out),
            // Coded trees are made where blocks are coded.
            (Some(Laid::Coded(_)), None, _) => return false,
            (Some(Laid::Deep(place)), _, Values::Single(values)) => self.walk_block(*place, values, block, out),
            (Some(Laid::Deep(place)), _, Values::Double(values)) => self.walk_block(*place, values, block, out),
        }
        true
    }

    fn walk_block<T: Copy + Into<f64>>(&self, place: Place, values: &[T], block: &Block, out: &mut [f64]) {
        match place.has_sets || block.any_missing {
            true => self.walk::<T, false>(place, values, block.stride, out),
            false => self.walk::<T, true>(place, values, block.stride, out),
        }
    }

    #[inline]
    fn walk<T: Copy + Into<f64>, const PLAIN: bool>(
        &self,
        place: Place,
        values: &[T],
        stride: usize,
        out: &mut [f64],
    ) {
        for (i, out) in out.chunks_mut(ABREAST).enumerate() {
            let value = |lane: usize, slot: usize| values[slot * stride + i * ABREAST + lane].into();
            let leaves = self.descend::<PLAIN>([place.root; ABREAST], place.depth, value);
            out.iter_mut().zip(leaves).for_each(|(out, leaf)| *out = self.answers[leaf as usize]);
        }
    }

    /// The leaves below these nodes, of trees or rows side by side: one alone would wait for each comparison. `PLAIN`: no
    /// question is about levels, and no value is missing.
    #[inline(always)]
    fn descend<const PLAIN: bool>(
        &self,
        mut at: [u32; ABREAST],
        depth: u32,
        value: impl Fn(usize, usize) -> f64,
    ) -> [u32; ABREAST] {
        for _ in 0..depth {
            let before = at;
            for (lane, at) in at.iter_mut().enumerate() {
                let FlatNode { bound, ask, first } = self.nodes[*at as usize];
                let value = value(lane, (ask & SLOT) as usize);
                // No jump: nothing is known of the row in advance.
                let right = if PLAIN {
                    value > bound
                } else if ask & SET == 0 {
                    (value > bound) | (value.is_nan() & (ask & MISSING_LEFT == 0))
                } else {
                    match value.is_nan() {
                        true => ask & MISSING_LEFT == 0,
                        false => !contains(&self.sets[bound as usize], value as u32),
                    }
                };
                *at = first + u32::from(right);
            }
            if at == before {
                break;
            }
        }
        at
    }
}

/// Where a feature is found; a new place if it was not asked about before.
pub(super) fn slot(feature: u32, slots: &mut Vec<u32>, asked: &mut Vec<u32>) -> u32 {
    slots.resize(slots.len().max(feature as usize + 1), u32::MAX);
    let slot = &mut slots[feature as usize];
    if *slot == u32::MAX {
        *slot = asked.len() as u32;
        asked.push(feature);
    }
    *slot
}

fn bits(levels: &[u32]) -> Vec<u64> {
    let mut words = vec![0; levels.last().map_or(0, |last| *last as usize / 64 + 1)];
    levels.iter().for_each(|level| words[*level as usize / 64] |= 1 << (level % 64));
    words
}

#[inline]
fn contains(words: &[u64], level: u32) -> bool {
    words.get(level as usize / 64).is_some_and(|word| word >> (level % 64) & 1 == 1)
}
