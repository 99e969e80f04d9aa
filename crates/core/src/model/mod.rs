//! The one model form: H(x) = a0 + a sum of terms, each a weak learner's response times a vector, or the vector of the
//! region a row falls into. Immutable once trained.

mod cascade;
mod coded;
mod codes;
mod committee;
mod compact;
mod decision;
mod direction;
mod ellipse;
mod file;
mod flat;
mod link;
mod predict;
mod ramp;
mod risk;
mod row;
pub mod similarity;
mod slope;
mod sums;
mod tree;
mod turned;

pub use cascade::{CascadeGoal, EarlyAnswers, TableCascade};
pub(crate) use committee::sign_of;
pub use committee::{Committee, Voter};
pub use decision::{Decision, argmax};
pub use direction::{Coordinate, Direction};
pub(crate) use ellipse::bent_all;
pub use ellipse::{Axis, Ellipse};
pub use file::VERSION;
pub use link::Link;
pub use predict::Scores;
pub use ramp::Ramp;
pub use row::RowScorer;
pub use similarity::{Similarity, Supports};
pub use slope::Slope;
pub use tree::{Answer, Node, Region, RegionTree, Sign, SignTree, Test, Tree};
pub use turned::TurnedTree;

use crate::booster::Stop;
use crate::data::{CostMatrix, Features, Schema};
use crate::settings::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A trained classifier.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Features and classes.
    pub schema: Schema,
    /// How it was made.
    pub provenance: Provenance,
    /// Costs in the user's unit, if any were given.
    pub costs: Option<CostMatrix>,
    /// How scores become an answer.
    pub decision: Decision,
    /// Name of the [`Link`] that turns scores into probabilities; `None` if the scores are not about probabilities.
    pub link: Option<String>,
    /// The members that a stacked model is the sum of, in the order of their terms; empty for any other model.
    pub parts: Vec<Part>,
    /// The terms.
    pub chain: Chain,
}

/// A member of a stacked model. Its terms follow those of the parts before it, and its outputs are already multiplied
/// by `weight` and `factor`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// What it is: "random pairs (whitened)".
    pub name: String,
    /// Its terms.
    pub terms: usize,
    /// Weight in the stack.
    pub weight: f64,
    /// What makes the softmax of its own scores calibrated.
    pub factor: f64,
    /// Log loss, alone, on rows it had not seen.
    pub log_loss: f64,
    /// Share of mistakes, alone, on rows it had not seen.
    pub error: f64,
}

/// How a model was made: enough to make it again. No dates, paths, timings or thread counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Registered name.
    pub algorithm: String,
    /// Weak learner.
    pub learner: String,
    /// All parameters, defaults included.
    pub settings: BTreeMap<String, Value>,
    /// Seed of the random streams.
    pub seed: u64,
    /// Generator behind the streams.
    pub generator: String,
    /// Training rows.
    pub rows: usize,
    /// Checksum of the training data.
    pub data: String,
    /// Why training ended.
    pub stopped: Stop,
}

/// A sum of terms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chain {
    /// a0, one a class.
    pub bias: Vec<f64>,
    /// In the order they were added.
    pub terms: Vec<Term>,
    /// Training rows that similarities compare with, one list a metric; none if no term is a similarity.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<Supports>,
}

/// A weak learner and what its response is worth to each class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// The learner.
    pub learner: WeakModel,
    /// The output vector a; for a tree that tells regions apart, one vector a leaf: `[leaf][class]`.
    pub output: Vec<f64>,
}

/// A trained weak learner. A closed set: files name the kind by a tag.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WeakModel {
    /// A tree that answers +1 or -1.
    Tree(SignTree),
    /// A comparison with training rows, in [-1, 1].
    Similarity(Similarity),
    /// A tree with a vector in each leaf; its response is the number of the leaf.
    Regions(RegionTree),
    /// A weighted sum of columns against a threshold, +1 or -1.
    Direction(Direction),
    /// Trees or directions that vote: +1, -1, or 0 where the votes cancel out.
    Committee(Committee),
    /// One measurement, in proportion.
    Slope(Slope),
    /// A direction whose answer turns gradually, in [-1, 1].
    Ramp(Ramp),
    /// How far a row is from a centre, in [-1, 0].
    Ellipse(Ellipse),
    /// A tree that asks about mixtures of columns, with a vector in each leaf; its response is the number of the leaf.
    Turned(TurnedTree),
}

impl WeakModel {
    /// Whether it is a tree that asks about features one at a time.
    pub fn is_tree(&self) -> bool {
        matches!(self, WeakModel::Tree(_) | WeakModel::Regions(_))
    }

    /// Whether its response is the number of a leaf, each of which has a vector of its own.
    pub fn tells_regions(&self) -> bool {
        matches!(self, WeakModel::Regions(_) | WeakModel::Turned(_))
    }

    /// The features it asks about, one for each question; none if it compares whole rows.
    pub fn features(&self) -> Vec<u32> {
        match self {
            WeakModel::Tree(tree) => tree.features().collect(),
            WeakModel::Regions(tree) => tree.features().collect(),
            WeakModel::Direction(direction) | WeakModel::Ramp(Ramp { direction, .. }) => {
                direction.coordinates.iter().map(|c| c.feature).collect()
            }
            WeakModel::Committee(_) => self.alone().flat_map(WeakModel::features).collect(),
            WeakModel::Slope(slope) => vec![slope.feature],
            WeakModel::Ellipse(ellipse) => ellipse.axes.iter().map(|axis| axis.feature).collect(),
            WeakModel::Turned(tree) => tree.asked().map(|(feature, _)| feature).collect(),
            WeakModel::Similarity(_) => Vec::new(),
        }
    }

    /// Answers to the rows from `start` on, as many as `out` holds; a similarity, which needs the rows it compares with,
    /// says nothing here.
    pub(crate) fn respond(&self, features: &Features, start: usize, out: &mut [f64]) {
        match self {
            WeakModel::Tree(tree) => tree.respond(features, start, out),
            WeakModel::Regions(tree) => tree.respond(features, start, out),
            WeakModel::Direction(direction) => direction.respond(features, start, out),
            WeakModel::Slope(slope) => slope.respond(features, start, out),
            WeakModel::Ramp(ramp) => ramp.respond(features, start, out),
            WeakModel::Ellipse(ellipse) => ellipse.respond(features, start, out),
            WeakModel::Turned(tree) => tree.respond(features, start, out),
            WeakModel::Committee(committee) => {
                committee.respond(out, |learner, out| learner.respond(features, start, out));
            }
            WeakModel::Similarity(_) => out.fill(0.0),
        }
    }
}

impl Model {
    /// Whether probabilities were fitted to rows the model had not seen.
    pub fn is_calibrated(&self) -> bool {
        !self.parts.is_empty() || ["random-pairs", "discriminant"].contains(&self.provenance.algorithm.as_str())
    }

    /// Number of classes.
    pub fn class_count(&self) -> usize {
        self.schema.class_count()
    }
}
