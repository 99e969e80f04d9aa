//! What tells two classes apart: how far each feature, and each training row that is compared with, moves the
//! difference of their scores, over many rows.
//!
//! Every term adds its contribution for A less that for B to H_A - H_B. What a tree adds is shared evenly among the
//! questions on the row's way down, what a direction (or a question of a tree in turned coordinates) adds among its columns by the sizes of their weights, what an ellipse
//! adds by their parts in the row's squared distance (none where correlations make them negative), what a committee adds among the questions of all its
//! voters, what a similarity adds among the training rows it compares with; nothing is left out. So the mean difference of the scores is the start plus the signed means, up to rounding.

use super::way::{turned_way, way};
use crate::context::Context;
use crate::data::Features;
use crate::model::{Chain, Model, Ramp, WeakModel};
use serde::Serialize;
use std::collections::BTreeMap;

/// Most rows whose contributions are in memory at a time, and most contributions; neither changes a result.
const BLOCK: (usize, usize) = (16, 1 << 23);

/// What moves scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Influence {
    /// Terms that answer every row alike.
    Always,
    /// Questions about this feature.
    Feature(u32),
    /// Comparisons with this row of the training table, from 0.
    Row(u64),
}

/// How much one influence moves the difference of two scores.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// What moves it.
    pub influence: Influence,
    /// Mean movement towards the first class.
    pub signed: f64,
    /// Mean size of the movement.
    pub size: f64,
}

/// What tells a pair of classes apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairImportance {
    /// The classes A and B.
    pub pair: (u32, u32),
    /// Difference of the scores before the first term.
    pub start: f64,
    /// Mean of H_A - H_B over the rows: `start` and all signed movements, up to rounding.
    pub difference: f64,
    /// The largest size first; ties in the order of [`Influence`]. Influences that move nothing are left out.
    pub shares: Vec<Share>,
}

/// What tells these pairs of classes apart, on rows with these weights (positive for at least one).
pub fn importance(
    model: &Model,
    features: &Features,
    weights: &[f64],
    pairs: &[(u32, u32)],
    context: &Context,
) -> Vec<PairImportance> {
    let (chain, classes) = (&model.chain, model.class_count());
    let influences = Influences::new(chain, model.schema.features.len());
    let count = influences.list.len();
    let total: f64 = weights.iter().sum();
    // Signed and absolute sum of each influence, pair by pair; then the sum of the differences themselves.
    let length = 2 * count + 1;
    let mut sums = vec![0.0; pairs.len() * length];
    let block = (BLOCK.1 / (count * classes)).clamp(1, BLOCK.0);
    for start in (0..features.rows).step_by(block) {
        let rows = block.min(features.rows - start);
        let moved = context.map(rows, rows * chain.terms.len() * (8 + classes), |i| {
            influences.contributions(chain, features, start + i)
        });
        let work = pairs.len() * rows * count;
        context.map_parts(&mut sums, length, work, |pair, sums| {
            let (a, b) = (pairs[pair].0 as usize, pairs[pair].1 as usize);
            for (moved, weight) in moved.iter().zip(&weights[start..]) {
                for (influence, by) in moved.0.chunks_exact(classes).enumerate() {
                    let by = by[a] - by[b];
                    sums[2 * influence] += weight * by;
                    sums[2 * influence + 1] += weight * by.abs();
                }
                sums[2 * count] += weight * (moved.1[a] - moved.1[b]);
            }
        });
    }
    let told = |(pair, sums): (&(u32, u32), &[f64])| {
        let share = |(influence, sum): (&Influence, &[f64])| Share {
            influence: *influence,
            signed: sum[0] / total,
            size: sum[1] / total,
        };
        let mut shares: Vec<Share> = influences.list.iter().zip(sums.chunks_exact(2)).map(share).collect();
        shares.retain(|share| share.size > 0.0);
        shares.sort_by(|a, b| b.size.total_cmp(&a.size).then(a.influence.cmp(&b.influence)));
        let start = chain.bias[pair.0 as usize] - chain.bias[pair.1 as usize];
        PairImportance { pair: *pair, start, difference: sums[2 * count] / total, shares }
    };
    pairs.iter().zip(sums.chunks_exact(length)).map(told).collect()
}

/// Everything that moves the scores of a chain, and where each support stands among it.
struct Influences {
    list: Vec<Influence>,
    /// `[metric][support]`.
    supports: Vec<Vec<usize>>,
}

impl Influences {
    fn new(chain: &Chain, features: usize) -> Self {
        let mut list = vec![Influence::Always];
        list.extend((0..features as u32).map(Influence::Feature));
        // A row may be a support in several metrics.
        let mut places: BTreeMap<u64, usize> =
            chain.supports.iter().flat_map(|s| &s.rows).map(|row| (*row, 0)).collect();
        for (row, place) in &mut places {
            *place = list.len();
            list.push(Influence::Row(*row));
        }
        let supports = chain.supports.iter().map(|s| s.rows.iter().map(|row| places[row]).collect()).collect();
        Influences { list, supports }
    }

    /// What each influence adds to each class's score of a row (`[influence][class]`), and the scores.
    fn contributions(&self, chain: &Chain, features: &Features, row: usize) -> (Vec<f64>, Vec<f64>) {
        let classes = chain.bias.len();
        let mut moved = vec![0.0; self.list.len() * classes];
        let mut scores = chain.bias.clone();
        let mut places = Vec::new();
        for (term, response) in chain.terms.iter().zip(chain.responses(features, row)) {
            places.clear();
            self.places(&term.learner, features, row, &mut places);
            if places.is_empty() {
                places.push((0, 1.0));
            }
            let given = term.contributions(response, classes);
            scores.iter_mut().zip(&given).for_each(|(h, c)| *h += c);
            let whole: f64 = places.iter().map(|(_, part)| part).sum();
            for (place, part) in &places {
                let moved = &mut moved[place * classes..][..classes];
                moved.iter_mut().zip(&given).for_each(|(sum, c)| *sum += c * (part / whole));
            }
        }
        (moved, scores)
    }

    /// Who shares in what a learner brings about, and in which proportion.
    fn places(&self, learner: &WeakModel, features: &Features, row: usize, out: &mut Vec<(usize, f64)>) {
        match learner {
            WeakModel::Tree(tree) => out.extend(way(tree, features, row).map(|step| (1 + step.feature, 1.0))),
            WeakModel::Regions(tree) => out.extend(way(tree, features, row).map(|step| (1 + step.feature, 1.0))),
            WeakModel::Slope(slope) => out.push((1 + slope.feature as usize, 1.0)),
            WeakModel::Direction(direction) | WeakModel::Ramp(Ramp { direction, .. }) => {
                out.extend(direction.parts().map(|(feature, part)| (1 + feature as usize, part)));
            }
            WeakModel::Ellipse(ellipse) => {
                out.extend(ellipse.parts_at(features, row).map(|(feature, part)| (1 + feature as usize, part)));
            }
            WeakModel::Turned(tree) => {
                let asked = turned_way(tree, features, row).flat_map(|step| tree.parts(step.feature));
                out.extend(asked.map(|(feature, part)| (1 + feature as usize, part)));
            }
            WeakModel::Similarity(similarity) => {
                let supports = &self.supports[similarity.metric as usize];
                out.extend(similarity.supports().map(|support| (supports[support as usize], 1.0)));
            }
            WeakModel::Committee(_) => learner.alone().for_each(|voter| self.places(voter, features, row, out)),
        }
    }
}
