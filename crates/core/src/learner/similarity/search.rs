//! Steps 0 to 6 of thesis 5.4: from the weights of a round to a few candidate comparisons.
//!
//! Deviations: the number of opposite points is capped (`--candidates`; accuracy does not depend on it, time does);
//! candidates are compared by second-order gain on the heaviest rows ([`super::compare`]). `--faithful` switches both
//! off. One-point learners with wider thresholds were tried and did not help.

use super::binarize::direction;
use super::distances::{DistanceColumn, Distances};
use super::focus::Focus;
use crate::learner::Round;
use crate::model::similarity::{Form, Shape};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Values that differ by less than this share of them differ by rounding alone.
const TIE: f64 = 1e-9;
/// tau of the isolating learner, in squared distances to the nearest other point: so small that all other rows
/// answer -1 but for this share.
const ISOLATING: f32 = 1e-6;

/// The anchor of a round with its distances and the opposite points found.
pub struct Field {
    /// Row number.
    pub anchor: u32,
    /// Distances to it.
    pub column: DistanceColumn,
    /// Opposite rows, nearest first.
    pub opposites: Vec<u32>,
    /// The isolating learner; `None` if all rows coincide.
    pub isolating: Option<Form>,
}

/// sum_k (sum f g)^2 / S_k of the homogeneous stump (step 0) or of any response of +-1.
fn gain_of(sums: impl Iterator<Item = f64>, totals: &[f64]) -> f64 {
    sums.zip(totals).filter(|(_, s)| **s > 0.0).map(|(d, s)| d * d / s).sum()
}

/// Per class: sum of the slopes of all rows.
pub fn slope_sums(round: &Round<'_>) -> Vec<f64> {
    const CHUNK: usize = 2048;
    let (k, slopes) = (round.loss.classes(), &round.weights.slopes);
    let parts = round.context.map(slopes.len().div_ceil(CHUNK * k), slopes.len(), |i| {
        let mut sums = vec![0.0; k];
        for row in slopes[i * CHUNK * k..slopes.len().min((i + 1) * CHUNK * k)].chunks_exact(k) {
            sums.iter_mut().zip(row).for_each(|(sum, g)| *sum += g);
        }
        sums
    });
    let mut total = vec![0.0; k];
    parts.iter().for_each(|part| total.iter_mut().zip(part).for_each(|(t, p)| *t += p));
    total
}

/// Step 2: the row whose isolation reduces the loss most, with that gain. Coincident rows are isolated together.
///
/// In the first rounds whole classes tie. Values that agree but for rounding are ties, and ties go to the smallest
/// hash of the point: neither the order of rows nor the position of extreme points matters.
pub fn anchor(
    round: &Round<'_>,
    focus: &Focus,
    sums: &[f64],
    groups: &[Vec<u32>],
    grouped: &[bool],
    distances: &Distances,
) -> Option<u32> {
    let k = round.loss.classes();
    let (slopes, totals) = (&round.weights.slopes, &round.weights.totals);
    let exact = round.loss.surrogate().is_exponential();
    // For exp the exact loss 2 sum sqrt(s+ s-) = sum sqrt(S^2 - d^2), turned round; else the second-order gain.
    let value = |g: &mut dyn Iterator<Item = f64>| -> f64 {
        let moved = sums.iter().zip(g).map(|(sum, g)| 2.0 * g - sum);
        if exact {
            totals.iter().zip(moved).map(|(s, d)| s - (s * s - d * d).max(0.0).sqrt()).sum()
        } else {
            gain_of(moved, totals)
        }
    };
    const CHUNK: usize = 1024;
    let single = |row: u32| value(&mut slopes[row as usize * k..][..k].iter().copied());
    let parts = round.context.map(focus.rows.len().div_ceil(CHUNK), focus.rows.len() * k * 4, |i| {
        let rows = &focus.rows[i * CHUNK..focus.rows.len().min((i + 1) * CHUNK)];
        rows.iter()
            .map(|row| if grouped[*row as usize] { f64::NEG_INFINITY } else { single(*row) })
            .collect::<Vec<_>>()
    });
    let mut values: Vec<(u32, f64)> = focus.rows.iter().copied().zip(parts.concat()).collect();
    let mut joint = vec![0.0; k];
    for group in groups {
        joint.fill(0.0);
        for row in group {
            joint.iter_mut().zip(&slopes[*row as usize * k..]).for_each(|(sum, g)| *sum += g);
        }
        values.push((group[0], value(&mut joint.iter().copied())));
    }
    let most = values.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
    let ties = values.iter().filter(|(_, value)| *value >= most - TIE * most.abs() && *value > f64::NEG_INFINITY);
    ties.map(|(row, _)| *row).min_by_key(|row| (distances.hash(*row), *row))
}

/// Steps 1, 4 and 6: the anchor's nearest opposite points, each not similar to one before it.
pub fn field(round: &Round<'_>, focus: &Focus, anchor: u32, distances: &mut Distances, most: usize) -> Field {
    let k = round.loss.classes();
    let column = distances.column(anchor, round.context);
    let z = direction(focus, &round.weights.totals, round.context);
    // A product that is zero but for rounding counts as positive. Rows without weight (merged into another, or set
    // aside) are on neither side.
    let group = |row: usize| {
        let slopes = &round.weights.slopes[row * k..][..k];
        let (mut sum, mut size) = (0.0, 0.0);
        for (g, z) in slopes.iter().zip(&z) {
            sum += g * z;
            size += (g * z).abs();
        }
        slopes.iter().any(|g| *g != 0.0).then_some(sum >= -TIE * size)
    };
    let opposite = group(anchor as usize).map(|own| !own);
    let parts = round.context.map(column.len().div_ceil(2048), column.len() * k, |i| {
        let rows = i * 2048..column.len().min((i + 1) * 2048);
        rows.filter(|&row| column[row] > 0.0 && opposite.is_some() && group(row) == opposite)
            .map(|row| row as u32)
            .collect::<Vec<_>>()
    });
    // Nearest first; distances are not negative, so their bits are in the same order. Ties as for anchors.
    let key = |row: &u32| Reverse((column[*row as usize].to_bits(), distances.hash(*row), *row));
    let mut left: BinaryHeap<_> = parts.concat().iter().map(key).collect();
    let mut opposites: Vec<u32> = Vec::new();
    while opposites.len() < most
        && let Some(Reverse((_, _, row))) = left.pop()
    {
        // Footnote 3: similar enough to an opposite point already taken to say nothing new.
        let new = opposites.iter().all(|opposite| {
            let apart = column[*opposite as usize];
            let half = 0.5 * Shape::Thesis.respond(apart, 0.0, apart);
            Shape::Thesis.respond(column[row as usize], distances.between(*opposite, row), apart) > half
        });
        if new {
            opposites.push(row);
        }
    }
    let nearest = column.iter().copied().filter(|a| *a > 0.0).reduce(f32::min);
    let isolating = nearest.map(|nearest| Form::One { support: anchor, tau: nearest * ISOLATING });
    Field { anchor, column, opposites, isolating }
}

/// Gain of a response of +-1 whose projections on the slopes are `sums`.
pub fn sign_gain(sums: &[f64], totals: &[f64]) -> f64 {
    gain_of(sums.iter().copied(), totals)
}
