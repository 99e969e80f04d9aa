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
pub use dataset::{Dataset, Roles, query_groups};
pub(crate) use dataset::{find, level_names, named_target, read_weights, sort_names, typed_features};
pub use folds::{stratified_folds, stratified_split};
pub(crate) use schema::encode;
pub use schema::{Feature, FeatureKind, Features, Schema, UNSEEN_CLASS};
pub use table::Table;
