//! From a table to a data set: columns, schema, labels, weights, costs.

mod column;
mod cost;
mod dataset;
mod folds;
mod schema;
pub mod synthetic;
mod table;

pub use column::{Categorical, Column, MISSING_LEVEL, Numeric};
pub use cost::CostMatrix;
pub use dataset::{Dataset, Roles};
pub use folds::{stratified_folds, stratified_split};
pub use schema::{Feature, FeatureKind, Features, Schema, UNSEEN_CLASS};
pub use table::Table;
