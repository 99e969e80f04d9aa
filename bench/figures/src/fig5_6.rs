//! Fig. 5.6 of the thesis: spirals with 1 % to 30 % of the training rows mislabelled, beside stumps (Fig. 5.12). Claims:
//! the test error is stable after its minimum and near the share of mislabelled rows.
//!
//! The thesis does not say whether its test rows are mislabelled too, so errors are given on both: test rows with their
//! true classes, and with as many wrong ones as the training rows have.

use crate::Bench;
use crate::course::spirals;
use crate::overtraining::{Case, compare};
use crate::report::Report;
use rebelboost::Result;

/// Trains on more and more wrong labels.
pub fn run(bench: &Bench) -> Result<Report> {
    let cases = [1, 5, 10, 20, 30].map(|percent| Case {
        name: format!("{percent} % mislabelled"),
        draw: Box::new(move |seed| {
            let (data, wrong) = spirals(seed, f64::from(percent) / 100.0)?;
            Ok((data, vec![spirals(seed, 0.0)?.1, wrong]))
        }),
    });
    compare(bench, &cases, &["error on true classes", "error on classes mislabelled alike"])
}
