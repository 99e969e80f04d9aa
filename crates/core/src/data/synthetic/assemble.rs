//! From points and labels to a table: what all generators share.

use super::arguments::Arguments;
use super::random;
use crate::context::stream;
use crate::data::{Categorical, Column, Numeric, Table};
use crate::error::Result;
use rand_chacha::ChaCha8Rng;

/// Name of the target column; the first name that is looked for when a target is guessed.
const TARGET: &str = "class";

/// The random stream of the rows: each draw of a problem has its own.
pub(super) fn rows_stream(arguments: &Arguments, generator: &str) -> Result<ChaCha8Rng> {
    let draw = arguments.whole("draw")?;
    Ok(stream(arguments.whole("seed")?, &format!("{generator}/rows/{draw}")))
}

/// `a`, `b`, ... or, beyond the alphabet, `c1`, `c2`, ...
pub(super) fn class_names(classes: usize) -> Vec<String> {
    match classes {
        0..=26 => ('a'..='z').take(classes).map(String::from).collect(),
        _ => (1..=classes).map(|k| format!("c{k}")).collect(),
    }
}

/// Labels in random order, each class as often as any other (to one row).
pub(super) fn balanced_labels(rows: usize, classes: usize, rng: &mut ChaCha8Rng) -> Vec<u32> {
    let mut labels: Vec<u32> = (0..classes as u32).cycle().take(rows).collect();
    random::shuffle(&mut labels, rng);
    labels
}

/// Gives the declared fraction of the rows a wrong class, any wrong class alike (thesis 5.5). A stream of its own
/// keeps the points and all other labels as they are.
pub(super) fn mislabel(labels: &mut [u32], classes: usize, arguments: &Arguments, generator: &str) -> Result<()> {
    let wrong = (arguments.real("mislabelled")? * labels.len() as f64).round() as usize;
    if wrong == 0 {
        return Ok(());
    }
    let draw = arguments.whole("draw")?;
    let mut rng = stream(arguments.whole("seed")?, &format!("{generator}/mislabelled/{draw}"));
    let mut order: Vec<u32> = (0..labels.len() as u32).collect();
    random::shuffle(&mut order, &mut rng);
    for &row in order.iter().take(wrong) {
        let shift = 1 + random::below(classes as u64 - 1, &mut rng) as u32;
        let label = &mut labels[row as usize];
        *label = (*label + shift) % classes as u32;
    }
    Ok(())
}

/// Columns `x1`, `x2`, ... in single precision, and the target.
pub(super) fn table(features: Vec<Vec<f32>>, labels: Vec<u32>, classes: usize) -> Result<Table> {
    named(features.into_iter().map(Numeric::F32), labels, classes)
}

/// Columns `x1`, `x2`, ... of zeros and ones, and the target.
pub(super) fn table_of_bits(features: Vec<Vec<u8>>, labels: Vec<u32>, classes: usize) -> Result<Table> {
    named(features.into_iter().map(Numeric::U8), labels, classes)
}

fn named(features: impl Iterator<Item = Numeric>, codes: Vec<u32>, classes: usize) -> Result<Table> {
    let mut columns: Vec<Column> = features.map(Column::Numeric).collect();
    let mut names: Vec<String> = (1..=columns.len()).map(|i| format!("x{i}")).collect();
    columns.push(Column::Categorical(Categorical { codes, levels: class_names(classes) }));
    names.push(TARGET.to_string());
    Table::new(names, columns)
}
