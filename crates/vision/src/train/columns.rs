//! Haar features as columns of a table: one byte a patch, made feature by feature, so that a hundred thousand features
//! of ten thousand patches never exist as floating-point numbers. Every booster of the core can train on them.

use super::patches::Patches;
use crate::cascade::{Node, Test, Tree};
use crate::haar::HaarFeature;
use rebelboost::context::Context;
use rebelboost::data::{Column, Dataset, Feature, FeatureKind, Features, Numeric, Schema};
use rebelboost::error::{Error, Result};
use rebelboost::model::{self, Answer, Term, WeakModel};

/// Thresholds considered per feature, plus one.
const BINS: usize = 128;
/// Bins reach this many deviations from the mean; the few values beyond share the outer bins.
const REACH: f32 = 3.0;

/// Features of patches in bins, and what the bins mean.
pub struct Columns {
    /// What the core trains on: class 0 is background, class 1 objects.
    pub data: Dataset,
    /// The first threshold of each feature, and the distance to the next.
    grids: Vec<Grid>,
}

#[derive(Clone, Copy)]
struct Grid {
    start: f32,
    step: f32,
}

impl Grid {
    fn over(values: &[f32]) -> Grid {
        let count = values.len().max(1) as f64;
        let (mut sum, mut square) = (0.0f64, 0.0f64);
        for value in values {
            let value = f64::from(*value);
            sum += value;
            square += value * value;
        }
        let mean = sum / count;
        let deviation = (square / count - mean * mean).max(0.0).sqrt() as f32;
        let mean = mean as f32;
        // A feature that does not vary gets one bin.
        let step = (2.0 * REACH * deviation / (BINS - 2) as f32).max(f32::MIN_POSITIVE);
        Grid { start: mean - REACH * deviation, step }
    }

    /// The threshold below which values fall into the bins up to `bin`.
    fn cut(self, bin: usize) -> f32 {
        self.start + self.step * bin as f32
    }

    /// The bin: the number of thresholds that are not above the value, by a guess and a look at its neighbours.
    fn bin(self, value: f32) -> u8 {
        let last = BINS - 1;
        let mut bin = (((value - self.start) / self.step) as usize).min(last);
        while bin > 0 && value < self.cut(bin - 1) {
            bin -= 1;
        }
        while bin < last && value >= self.cut(bin) {
            bin += 1;
        }
        bin as u8
    }
}

impl Columns {
    /// Columns of these features for objects and background, with these weights (objects first).
    pub fn new(
        features: &[HaarFeature],
        objects: &Patches,
        background: &Patches,
        weights: Vec<f64>,
        context: &Context,
    ) -> Self {
        let rows = objects.len() + background.len();
        let made = context.map_with(
            features.len(),
            features.len() * rows * 10,
            || [Vec::new(), Vec::new()],
            |scratch, i| {
                let [values, others] = scratch;
                objects.values(&features[i], values);
                background.values(&features[i], others);
                values.extend_from_slice(others);
                let grid = Grid::over(values);
                (grid, values.iter().map(|value| grid.bin(*value)).collect::<Vec<u8>>())
            },
        );
        let (grids, columns): (Vec<Grid>, Vec<Vec<u8>>) = made.into_iter().unzip();
        let feature = |i: usize| Feature { name: format!("h{i}"), kind: FeatureKind::Numeric };
        let data = Dataset {
            schema: Schema {
                features: (0..features.len()).map(feature).collect(),
                target: "class".into(),
                classes: vec!["background".into(), "object".into()],
                steps: None,
            },
            features: Features {
                columns: columns.into_iter().map(|c| Column::Numeric(Numeric::U8(c))).collect(),
                rows,
            },
            labels: (0..rows).map(|row| u32::from(row < objects.len())).collect(),
            weights,
            groups: Vec::new(),
            origin: (0..rows).collect(),
        };
        Columns { data, grids }
    }

    /// A term of the core's model as a tree of a cascade. Features are numbered from `first` on in the order in which they
    /// are met, and their positions here appended to `used`. What the tree says is (H_1 - H_0) / 2.
    pub fn tree(&self, term: &Term, first: usize, used: &mut Vec<usize>) -> Result<Tree> {
        let half = |vector: &[f64]| (0.5 * (vector[1] - vector[0])) as f32;
        match &term.learner {
            WeakModel::Tree(tree) => {
                let output = half(&term.output);
                self.convert(tree, |leaf| leaf.value() as f32 * output, first, used)
            }
            WeakModel::Regions(tree) => {
                self.convert(tree, |leaf| half(&term.output[leaf.value() as usize * 2..][..2]), first, used)
            }
            _ => {
                Err(Error::option("a detector is made of trees only")
                    .hint("choose an algorithm with the learner 'tree'"))
            }
        }
    }

    fn convert<L: Answer>(
        &self,
        tree: &model::Tree<L>,
        leaf: impl Fn(L) -> f32,
        first: usize,
        used: &mut Vec<usize>,
    ) -> Result<Tree> {
        // The core stores leaves among the nodes; a cascade counts them apart.
        let mut place = vec![0i32; tree.nodes.len()];
        let (mut splits, mut leaves) = (0, Vec::new());
        for (i, node) in tree.nodes.iter().enumerate() {
            match node {
                model::Node::Split { .. } => {
                    place[i] = splits;
                    splits += 1;
                }
                model::Node::Leaf(answer) => {
                    place[i] = -(leaves.len() as i32);
                    leaves.push(leaf(*answer));
                }
            }
        }
        let mut nodes = Vec::new();
        for node in &tree.nodes {
            let model::Node::Split { feature, test, left, right, .. } = node else { continue };
            let model::Test::AtMost(bin) = test else { return Err(Error::internal("a Haar feature has no levels")) };
            let feature = *feature as usize;
            let threshold = self.grids[feature].cut((bin.floor().max(0.0) as usize).min(BINS - 1));
            used.push(feature);
            nodes.push(Node {
                feature: (first + used.len() - 1) as u32,
                test: Test::Below(threshold),
                left: place[*left as usize],
                right: place[*right as usize],
            });
        }
        if nodes.is_empty() {
            // A constant: the test does not matter.
            used.push(0);
            nodes.push(Node { feature: (first + used.len() - 1) as u32, test: Test::Below(0.0), left: 0, right: 0 });
        }
        Ok(Tree { nodes, leaves })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_bin_is_what_the_thresholds_say(values in proptest::collection::vec(-3.0f32..3.0, 2..200)) {
            let grid = Grid::over(&values);
            for value in values {
                let bin = grid.bin(value) as usize;
                for cut in 0..BINS - 1 {
                    prop_assert_eq!(bin <= cut, value < grid.cut(cut), "{} in bin {} at {}", value, bin, cut);
                }
            }
        }
    }
}
