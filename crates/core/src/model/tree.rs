//! The prediction form of a tree: raw thresholds and level sets, no bins.

use crate::data::{Column, Features};
use serde::Serialize;

/// A binary tree whose leaves answer +1 or -1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SignTree {
    /// Node 0 is the root; children come after their parent.
    pub nodes: Vec<Node>,
}

/// A node of a [`SignTree`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Node {
    /// The answer.
    Leaf {
        /// +1 or -1.
        sign: i8,
    },
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

/// A question about a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Test {
    /// value <= threshold.
    AtMost(f64),
    /// The level is one of these (rising codes).
    OneOf(Vec<u32>),
}

impl SignTree {
    /// The features the tree asks about.
    pub fn features(&self) -> impl Iterator<Item = u32> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Split { feature, .. } => Some(*feature),
            Node::Leaf { .. } => None,
        })
    }

    /// Longest path.
    pub fn depth(&self) -> usize {
        fn below(tree: &SignTree, node: u32) -> usize {
            match &tree.nodes[node as usize] {
                Node::Leaf { .. } => 0,
                Node::Split { left, right, .. } => 1 + below(tree, *left).max(below(tree, *right)),
            }
        }
        below(self, 0)
    }

    /// Answers for the rows from `start` on, as many as `out` holds.
    pub fn respond(&self, features: &Features, start: usize, out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = f64::from(self.answer(features, start + i));
        }
    }

    fn answer(&self, features: &Features, row: usize) -> i8 {
        let mut at = 0u32;
        loop {
            match &self.nodes[at as usize] {
                Node::Leaf { sign } => return *sign,
                Node::Split { feature, test, missing_left, left, right } => {
                    let goes_left = test.holds(&features.columns[*feature as usize], row).unwrap_or(*missing_left);
                    at = if goes_left { *left } else { *right };
                }
            }
        }
    }
}

impl Test {
    /// Whether a row passes; `None` if its value is missing.
    #[inline]
    fn holds(&self, column: &Column, row: usize) -> Option<bool> {
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
