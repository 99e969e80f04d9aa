//! Binary trees grown layer by layer (thesis 4.4), from integer histograms over bins.
//!
//! The root may be chosen by a criterion over K classes at once; every deeper layer is a binary weighted problem
//! (one signed number a row), for all leaves in one pass over the data. Booster-independent: the caller says what
//! to separate, this module finds the splits.

mod coupled;
mod exact;
mod fixed;
mod grow;
mod layer;
mod root;
mod root_quick;
mod search;
mod sign;
mod split;

pub use coupled::{TreeLearner, depth};
pub use exact::ExactStump;
pub use fixed::{FixedRows, FixedVectors};
pub(crate) use fixed::{round, scale_for};
pub use grow::TreeGrower;
pub use root::RootCriterion;
pub use search::{LeafSearch, PRUNING, Pruning};
pub use sign::{Binary, SignLearner};
pub use split::Split;
