//! RebelBoost: cost-sensitive, multi-class boosting that works at the push of a button and can explain itself.
//!
//! Data flows one way:
//!
//! ```text
//! Table -> Dataset -> (bins | points) -> [ scores -> loss -> round weights -> weak learner -> output vector ] x T -> Model
//! Model -> scores -> decision -> explanation
//! ```

pub mod active;
pub mod binning;
pub mod booster;
mod calibrate;
pub mod compare;
pub mod context;
pub mod data;
pub mod error;
pub mod explain;
pub mod extract;
pub mod learner;
mod linear;
pub mod loss;
pub mod math;
pub mod memory;
pub mod metric;
pub mod model;
pub mod registry;
pub mod select;
pub mod settings;
pub mod steps;

pub use error::{Error, ErrorKind, Result};

/// Runs the README's Rust example as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Runs the Rust example of the guide to selection as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/select.md")]
struct SelectGuide;
