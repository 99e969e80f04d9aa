//! Fig. 5.5 of the thesis: spirals with 4/5 to 1/5 of the training rows, beside stumps (Fig. 5.12). Claim: the test
//! error does not rise after its minimum, for hundreds of rounds.

use crate::Bench;
use crate::course::spirals;
use crate::overtraining::{Case, compare};
use crate::report::Report;
use crate::sets::split;
use rebelboost::Result;

/// Trains on less and less.
pub fn run(bench: &Bench) -> Result<Report> {
    let mut cases = Vec::new();
    for fifths in (1..=5).rev() {
        cases.push(Case {
            name: if fifths == 5 { "all 333 rows".to_string() } else { format!("{fifths}/5 of the rows") },
            draw: Box::new(move |seed| {
                let (data, test) = spirals(seed, 0.0)?;
                let data = if fifths == 5 { data } else { split(&data, fifths as f64 / 5.0, seed).0 };
                Ok((data, vec![test]))
            }),
        });
    }
    compare(bench, &cases, &["test error"])
}
