//! The prediction form of a tree: raw thresholds and level sets, no bins.
//!
//! One shape for all trees; what a leaf says is a type of its own. A [`SignTree`] answers +1 or -1 and its term holds
//! one vector for the answer; a [`RegionTree`] answers with the number of the leaf and its term holds a vector for each.

use crate::data::{Column, Features};
use serde::Serialize;

/// A binary tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tree<L> {
    /// Node 0 is the root; children come after their parent.
    pub nodes: Vec<Node<L>>,
}

/// A tree whose leaves answer +1 or -1.
pub type SignTree = Tree<Sign>;

/// A tree that tells regions apart: each leaf has a number, that of its vector in the term. Numbers count up in the order
/// in which leaves are stored, unless leaves share vectors (as the many pure leaves of a forest's tree do).
pub type RegionTree = Tree<Region>;

/// A node of a [`Tree`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Node<L> {
    /// The answer.
    Leaf(L),
    /// A question about one feature.
    Split {
        /// Feature number.
        feature: u32,
        /// The question; yes goes left.
        test: Test,
        /// Where a missing value goes.
        missing_left: bool,
        /// Left child.
        left: u32,
        /// Right child.
        right: u32,
    },
}

/// The answer of a [`SignTree`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sign {
    /// +1 or -1.
    pub sign: i8,
}

/// The answer of a [`RegionTree`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Region {
    /// Number of the leaf's vector.
    pub region: u32,
}

/// What a leaf says, as a number: a sign, or the number of the leaf, exactly.
pub trait Answer: Copy {
    /// The number.
    fn value(self) -> f64;
}

impl Answer for Sign {
    fn value(self) -> f64 {
        f64::from(self.sign)
    }
}

impl Answer for Region {
    fn value(self) -> f64 {
        f64::from(self.region)
    }
}

/// A question about a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Test {
    /// value <= threshold.
    AtMost(f64),
    /// The level is one of these (rising codes).
    OneOf(Vec<u32>),
}

impl<L: Answer> Tree<L> {
    /// The features the tree asks about.
    pub fn features(&self) -> impl Iterator<Item = u32> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Split { feature, .. } => Some(*feature),
            Node::Leaf(_) => None,
        })
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node, Node::Leaf(_))).count()
    }

    /// Answers for the rows from `start` on, as many as `out` holds.
    pub fn respond(&self, features: &Features, start: usize, out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.answer(features, start + i).value();
        }
    }

    fn answer(&self, features: &Features, row: usize) -> L {
        self.descend(|feature, test| test.holds(&features.columns[feature], row))
    }

    /// The answer of the leaf that is reached where tests hold, or not, or say nothing.
    #[inline]
    pub(super) fn descend(&self, holds: impl Fn(usize, &Test) -> Option<bool>) -> L {
        let mut at = 0u32;
        loop {
            match &self.nodes[at as usize] {
                Node::Leaf(answer) => return *answer,
                Node::Split { feature, test, missing_left, left, right } => {
                    let goes_left = holds(*feature as usize, test).unwrap_or(*missing_left);
                    at = if goes_left { *left } else { *right };
                }
            }
        }
    }
}

impl RegionTree {
    /// Whether leaves are numbered 0, 1, 2, ... in stored order: each has a vector of its own.
    pub fn counts_up(&self) -> bool {
        let leaves = self.nodes.iter().filter_map(|node| match node {
            Node::Leaf(leaf) => Some(leaf.region),
            Node::Split { .. } => None,
        });
        leaves.eq(0..self.leaves() as u32)
    }
}

impl Test {
    /// Whether a row passes; `None` if its value is missing.
    #[inline]
    pub fn holds(&self, column: &Column, row: usize) -> Option<bool> {
        match (self, column) {
            (Test::AtMost(threshold), Column::Numeric(c)) => {
                let value = c.get(row);
                (!value.is_nan()).then_some(value <= *threshold)
            }
            (Test::OneOf(levels), Column::Categorical(c)) => {
                let code = c.codes[row];
                (code != crate::data::MISSING_LEVEL).then(|| levels.binary_search(&code).is_ok())
            }
            // A model file whose test does not fit its schema is refused when it is loaded.
            _ => None,
        }
    }
}
