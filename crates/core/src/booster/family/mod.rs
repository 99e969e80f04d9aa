//! The family: the boosters that the documents compare with, one file each, or one for those that differ in a line.
//!
//! `engine/` has what they share: trees of regions under a rule (`regions`), two-class problems of a code (`coded`), a
//! convex problem over the outputs of all learners (`corrective`), and weights on wrong labels (`mislabels`). Heuristics for all of them are in `booster/draw.rs`.

pub mod aoso;
mod code;
pub mod cw;
pub mod descent;
pub mod ecc;
pub mod ecoc;
mod engine;
pub mod joint;
pub mod logit;
pub mod m2;
pub mod mh;
pub mod rank;
pub mod real;
pub mod structboost;
pub mod vector;
pub mod votes;
