//! RebelBoost: cost-sensitive, multi-class boosting that works at the push of a button and can explain itself.
//!
//! Data flows one way:
//!
//! ```text
//! Table -> Dataset -> bins -> [ scores -> loss -> round weights -> weak learner -> output vector ] x T -> Model
//! Model -> scores -> decision
//! ```

pub mod context;
pub mod data;
pub mod error;
pub mod metric;

pub use error::{Error, ErrorKind, Result};
