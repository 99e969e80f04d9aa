//! Shallow trees for one row at a time.
//!
//! Every tree is filled up to a complete one of as many layers as the deepest has, so that its questions stand in one short
//! stretch of memory and the way down is arithmetic on positions. Several trees are walked down side by side, since one alone
//! would wait for each comparison. Answers are those of [`Tree::respond`](super::Tree::respond), to the bit.

use super::flat::slot;
use super::tree::Answer;
use super::{Node, Test, Tree, WeakModel};

/// Trees that are walked down side by side.
pub(super) const ABREAST: usize = 8;
/// Layers of questions at most: with one more, a tree takes twice the memory.
const DEEPEST: usize = 5;

/// Some trees. A tree of L layers has 2^L - 1 questions and takes 2^L places, so that positions need no bounds checked.
pub(super) struct Compact {
    layers: usize,
    /// Features asked about.
    asked: Vec<u32>,
    /// Of each question: where in `asked` its feature is, and the threshold.
    slots: Vec<u32>,
    bounds: Vec<f64>,
    /// Signs or numbers of leaves.
    answers: Vec<i8>,
}

impl Compact {
    /// The trees of these learners; `None` if one of them is none, or too deep, or asks about levels, or if none asks anything.
    pub fn new<'a>(learners: impl Iterator<Item = &'a WeakModel> + Clone) -> Option<Self> {
        let depth = |learner: &WeakModel| match learner {
            WeakModel::Tree(tree) => layers(tree, 0, DEEPEST),
            WeakModel::Regions(tree) => layers(tree, 0, DEEPEST),
            _ => None,
        };
        let layers = learners.clone().map(depth).try_fold(1, |most, layers| Some(most.max(layers?)))?;
        let (slots, bounds, answers) = (Vec::new(), Vec::new(), Vec::new());
        let mut all = Compact { layers, asked: Vec::new(), slots, bounds, answers };
        let mut places = Vec::new();
        for learner in learners {
            match learner {
                WeakModel::Tree(tree) => all.fill(tree, &mut places)?,
                WeakModel::Regions(tree) => all.fill(tree, &mut places)?,
                _ => return None,
            }
        }
        // What fills trees up looks at the first value, whatever it is: there must be one.
        if all.asked.is_empty() {
            return None;
        }
        // Trees that ask nothing fill the last group up.
        let size = (all.answers.len() >> layers).next_multiple_of(ABREAST) << layers;
        all.slots.resize(size, 0);
        all.bounds.resize(size, f64::INFINITY);
        all.answers.resize(size, 0);
        Some(all)
    }

    /// Adds a tree, filled up to a complete one; `places` are those of features. `None` if it asks about levels or has more
    /// regions than a tree of so few layers was trained with.
    fn fill<L: Answer>(&mut self, tree: &Tree<L>, places: &mut Vec<u32>) -> Option<()> {
        let (size, first) = (1 << self.layers, self.answers.len());
        // Everything is at most infinity.
        self.slots.resize(first + size, 0);
        self.bounds.resize(first + size, f64::INFINITY);
        self.answers.resize(first + size, 0);
        let mut open = vec![(0u32, 0usize)];
        while let Some((from, to)) = open.pop() {
            match &tree.nodes[from as usize] {
                Node::Leaf(leaf) if to >= size - 1 => {
                    let small = leaf.value() as i8;
                    if f64::from(small) != leaf.value() {
                        return None;
                    }
                    self.answers[first + to - (size - 1)] = small;
                }
                Node::Leaf(_) => open.extend([(from, 2 * to + 2), (from, 2 * to + 1)]),
                Node::Split { feature, test, left, right, .. } => {
                    let Test::AtMost(bound) = test else { return None };
                    self.slots[first + to] = slot(*feature, places, &mut self.asked);
                    self.bounds[first + to] = *bound;
                    open.extend([(*right, 2 * to + 2), (*left, 2 * to + 1)]);
                }
            }
        }
        Some(())
    }

    /// Features asked about, in the order of values.
    pub fn asked(&self) -> &[u32] {
        &self.asked
    }

    /// Answers of all trees to these values, none of them missing; room for `ABREAST - 1` more.
    pub fn answer(&self, values: &[f64], out: &mut [i8]) {
        match self.layers {
            1 => self.walk::<2>(values, out),
            2 => self.walk::<4>(values, out),
            3 => self.walk::<8>(values, out),
            4 => self.walk::<16>(values, out),
            _ => self.walk::<32>(values, out),
        }
    }

    /// `SIZE` is 2^L.
    fn walk<const SIZE: usize>(&self, values: &[f64], out: &mut [i8]) {
        let slots = self.slots.as_chunks::<SIZE>().0.as_chunks::<ABREAST>().0;
        let bounds = self.bounds.as_chunks::<SIZE>().0.as_chunks::<ABREAST>().0;
        let answers = self.answers.as_chunks::<SIZE>().0.as_chunks::<ABREAST>().0;
        let out = out.as_chunks_mut::<ABREAST>().0;
        for (((slots, bounds), answers), out) in slots.iter().zip(bounds).zip(answers).zip(out) {
            let mut at = [0usize; ABREAST];
            for _ in 0..SIZE.ilog2() {
                for lane in 0..ABREAST {
                    let question = at[lane] % SIZE;
                    let value = values[slots[lane][question] as usize];
                    at[lane] = 2 * at[lane] + 1 + usize::from(value > bounds[lane][question]);
                }
            }
            (0..ABREAST).for_each(|lane| out[lane] = answers[lane][(at[lane] + 1) % SIZE]);
        }
    }
}

/// Layers of questions from a node down; `None` if they are more than `most`, or about levels.
fn layers<L: Answer>(tree: &Tree<L>, node: u32, most: usize) -> Option<usize> {
    match &tree.nodes[node as usize] {
        Node::Leaf(_) => Some(0),
        Node::Split { test: Test::OneOf(_), .. } => None,
        Node::Split { left, right, .. } => {
            let most = most.checked_sub(1)?;
            Some(1 + layers(tree, *left, most)?.max(layers(tree, *right, most)?))
        }
    }
}
