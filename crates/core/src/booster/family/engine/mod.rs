//! What the family shares: the loop is `booster/round.rs`; here are the four kinds of round.

pub(crate) mod coded;
pub(crate) mod corrective;
mod gather;
pub(crate) mod mislabels;
pub(crate) mod regions;

use crate::booster::draw;
use crate::context::Context;
use crate::data::Dataset;
use crate::learner::regression::LEAVES;
use crate::learner::tree::PRUNING;
use crate::math::exp;
use crate::registry::BINS;
use crate::settings::Parameter;

/// Parameters of trees of regions, their weights one a row.
pub(crate) const REGION_PARAMETERS: &[&[Parameter]] = &[&[LEAVES, BINS, PRUNING], draw::PARAMETERS];
/// The same where a row has a weight for each class.
pub(crate) const VECTOR_PARAMETERS: &[&[Parameter]] = &[&[LEAVES, BINS, PRUNING], draw::PARTS];

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

/// One against all: fills `signed` with y w exp(-y H), `[row][class]`, and returns each row's sum of their sizes.
pub(crate) fn one_against_all(data: &Dataset, scores: &[f64], signed: &mut Vec<f64>, context: &Context) -> Vec<f64> {
    const CHUNK: usize = 512;
    let classes = data.class_count();
    signed.resize(scores.len(), 0.0);
    let parts = context.map_parts(signed, CHUNK * classes, scores.len() * 16, |i, part| {
        let rows = part.chunks_exact_mut(classes).zip(scores[i * CHUNK * classes..].chunks_exact(classes));
        let known = data.labels[i * CHUNK..].iter().zip(&data.weights[i * CHUNK..]);
        let each = rows.zip(known).map(|((out, scores), (label, weight))| {
            for (class, (out, score)) in out.iter_mut().zip(scores).enumerate() {
                let y = sign(*label, class);
                *out = y * weight * exp(-y * score);
            }
            out.iter().map(|yw| yw.abs()).sum::<f64>()
        });
        each.collect::<Vec<f64>>()
    });
    parts.concat()
}

/// Their mean over rows and classes: the loss. Beyond all numbers it is still a loss, since weights are relative.
pub(crate) fn mean_loss(by_row: &[f64], data: &Dataset) -> f64 {
    let total = data.weights.iter().sum::<f64>() * data.class_count() as f64;
    (by_row.iter().sum::<f64>() / total).min(f64::MAX)
}
