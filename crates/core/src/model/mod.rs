//! The one model form: H(x) = a0 + sum over terms of response(x) * output. Immutable once trained.

mod decision;
mod file;
mod predict;
pub mod similarity;
mod tree;

pub use decision::{Decision, SOFTMAX, argmax};
pub use file::VERSION;
pub use predict::Scores;
pub use similarity::{Similarity, Supports};
pub use tree::{Node, SignTree, Test};

use crate::booster::Stop;
use crate::data::{CostMatrix, Schema};
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
    /// `softmax`, or the surrogate whose link turns scores into probabilities; `None` if the scores are not about probabilities.
    pub link: Option<String>,
    /// The terms.
    pub chain: Chain,
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
    /// Training rows that similarities compare with; present exactly if a term is a similarity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports: Option<Supports>,
}

/// A weak learner and what its response is worth to each class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// The learner.
    pub learner: WeakModel,
    /// The output vector a.
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
}

impl Model {
    /// Number of classes.
    pub fn class_count(&self) -> usize {
        self.schema.class_count()
    }
}
