//! A row's way down a tree.

use crate::data::Features;
use crate::model::{Node, Test, Tree};

/// A question on the way, and the side the row took.
pub(super) struct Step<'a> {
    pub feature: usize,
    pub test: &'a Test,
    pub goes_left: bool,
}

/// The questions that a row meets, from the root on.
pub(super) fn way<'a, L>(tree: &'a Tree<L>, features: &'a Features, row: usize) -> impl Iterator<Item = Step<'a>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let Some(Node::Split { feature, test, missing_left, left, right }) = tree.nodes.get(at as usize) else {
            return None;
        };
        let feature = *feature as usize;
        let goes_left = test.holds(&features.columns[feature], row).unwrap_or(*missing_left);
        at = if goes_left { *left } else { *right };
        Some(Step { feature, test, goes_left })
    })
}
