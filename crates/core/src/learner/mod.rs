//! Weak learners: what a round adds.

pub mod tree;
