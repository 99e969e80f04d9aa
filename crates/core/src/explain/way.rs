//! A row's way down a tree.

use crate::data::Features;
use crate::model::{Node, Test, Tree, TurnedTree};

/// A question on the way, and the side the row took.
pub(super) struct Step<'a> {
    pub feature: usize,
    pub test: &'a Test,
    pub goes_left: bool,
}

/// The questions that a row meets, from the root on.
pub(super) fn way<'a, L>(tree: &'a Tree<L>, features: &'a Features, row: usize) -> impl Iterator<Item = Step<'a>> {
    steps(tree, move |feature, test| test.holds(&features.columns[feature], row))
}

/// The same in turned coordinates: features of the steps are numbers of axes.
pub(super) fn turned_way<'a>(
    turned: &'a TurnedTree,
    features: &'a Features,
    row: usize,
) -> impl Iterator<Item = Step<'a>> {
    steps(&turned.tree, move |axis, test| turned.holds(axis, test, features, row))
}

fn steps<'a, L>(
    tree: &'a Tree<L>,
    holds: impl Fn(usize, &Test) -> Option<bool> + 'a,
) -> impl Iterator<Item = Step<'a>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let Some(Node::Split { feature, test, missing_left, left, right }) = tree.nodes.get(at as usize) else {
            return None;
        };
        let feature = *feature as usize;
        let goes_left = holds(feature, test).unwrap_or(*missing_left);
        at = if goes_left { *left } else { *right };
        Some(Step { feature, test, goes_left })
    })
}
