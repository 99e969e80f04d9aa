//! What the family shares: the loop is `booster/round.rs`; here are the three kinds of round.

pub(crate) mod coded;
pub(crate) mod mislabels;
pub(crate) mod regions;

use crate::booster::draw;
use crate::data::Dataset;
use crate::learner::regression::LEAVES;
use crate::registry::BINS;
use crate::settings::Parameter;

/// Parameters of trees of regions, their weights one a row.
pub(crate) const REGION_PARAMETERS: &[&[Parameter]] = &[&[LEAVES, BINS], draw::PARAMETERS];
/// The same where a row has a weight for each class.
pub(crate) const VECTOR_PARAMETERS: &[&[Parameter]] = &[&[LEAVES, BINS], draw::PARTS];

/// The score of a class without rows: it must never be the answer, whatever its code.
const ABSENT: f64 = -1000.0;

/// Zero for every class that has rows.
pub(crate) fn start(data: &Dataset) -> Vec<f64> {
    let mut start = vec![ABSENT; data.class_count()];
    data.labels.iter().for_each(|label| start[*label as usize] = 0.0);
    start
}

/// +1 for the class of the row, -1 for all others.
pub(crate) fn sign(label: u32, class: usize) -> f64 {
    if label as usize == class { 1.0 } else { -1.0 }
}
