//! The linear learner: random directions in the space of the standardised columns, each with its best threshold.
//!
//! A round draws so many directions, each a few columns with random weights (the combinations of Breiman's Forest-RC, 2001,
//! section 5, with normal in the place of uniform deviates), projects all rows on each, sorts the projections once and judges
//! every threshold between neighbours by a running sum of signed weights, as the exact stump does along a feature (EPFL
//! lecture, "Boosting").
//!
//! Weights are fixed-point integers, so equal cuts are equal whatever the order of rows; ties to the first direction, then the
//! lowest threshold. Projections are made by the very code that predicts.

use super::tree::{Binary, FixedRows};
use crate::binning::between;
use crate::booster::Problem;
use crate::booster::sample::rising;
use crate::context::Context;
use crate::data::synthetic::random::Normal;
use crate::data::{Dataset, Features};
use crate::error::Result;
use crate::learner::similarity::{Scaling, scaled};
use crate::model::similarity::Coding;
use crate::model::{Coordinate, Direction, WeakModel};
use crate::settings::{Kind, Parameter};

/// `--directions`.
const DIRECTIONS: Parameter = Parameter {
    name: "directions",
    kind: Kind::Integer(1, 100_000),
    default: "100",
    help: "random directions that a linear learner is the best of",
};

/// `--mix`.
const MIX: Parameter = Parameter {
    name: "mix",
    kind: Kind::IntegerOrAuto(1, 1_000_000),
    default: "auto",
    help: "columns that a direction of the linear learner mixes, a level of a category being one; auto = 3",
};

/// Parameters of the linear learner.
pub const PARAMETERS: &[Parameter] = &[DIRECTIONS, MIX];

const AUTO_MIX: usize = 3;

/// Finds one direction a round.
pub struct DirectionLearner<'a> {
    features: &'a Features,
    /// All columns that vary, with weight zero.
    columns: Vec<Coordinate>,
    directions: usize,
    mix: usize,
}

/// A threshold along a direction.
struct Cut {
    /// |sum of signed weights, below less above|.
    edge: u64,
    direction: Direction,
}

impl<'a> DirectionLearner<'a> {
    /// Standardises once.
    pub fn new(problem: &Problem<'a>) -> Result<Self> {
        let Problem { data, settings, context, .. } = problem;
        let columns = standard_columns(data, context);
        let directions = settings.integer(DIRECTIONS.name)?;
        let mix = settings.integer_or_auto(MIX.name)?.unwrap_or(AUTO_MIX);
        Ok(DirectionLearner { features: &data.features, columns, directions, mix })
    }

    /// The direction and threshold whose answers agree best with the signs of the weights, among those of this round.
    pub fn fit(&self, round: usize, signed: &[f64], allowed: Option<&[bool]>, context: &Context) -> Binary {
        let fixed = FixedRows::new(signed, Vec::new(), context).values;
        let total: i64 = fixed.iter().map(|w| i64::from(*w)).sum();
        let may = |column: &&Coordinate| allowed.is_none_or(|allowed| allowed[column.feature as usize]);
        let columns: Vec<Coordinate> = self.columns.iter().filter(may).copied().collect();
        let work = self.directions * fixed.len() * (32 + self.mix.min(columns.len()));
        let scratch = || (vec![0.0; fixed.len()], Vec::new());
        let cuts = context.map_with(self.directions, work, scratch, |(sums, order), number| {
            let mut direction = self.draw(&columns, &format!("direction/{round}/{number}"), context);
            direction.project(self.features, 0, sums);
            let (edge, threshold) = best_cut(sums, &fixed, total, order)?;
            direction.threshold = threshold;
            Some(Cut { edge, direction })
        });
        let best = cuts.into_iter().flatten().reduce(|a, b| if b.edge > a.edge { b } else { a });
        let direction = match best.filter(|best| best.edge > total.unsigned_abs()) {
            Some(best) => best.direction,
            None => Direction { coordinates: Vec::new(), threshold: 0.0 },
        };
        let mut response = vec![0.0; signed.len()];
        direction.respond(self.features, 0, &mut response);
        Binary { learner: WeakModel::Direction(direction), response }
    }

    /// Normal deviates on columns drawn at random, of length one together.
    fn draw(&self, columns: &[Coordinate], name: &str, context: &Context) -> Direction {
        let mut rng = context.stream(name);
        let chosen = rising(self.mix.min(columns.len()), columns.len(), &mut rng);
        let mut normal = Normal::default();
        let mut coordinates: Vec<Coordinate> = chosen
            .into_iter()
            .map(|column| Coordinate { weight: normal.next(&mut rng), ..columns[column as usize] })
            .collect();
        let length = coordinates.iter().map(|c| c.weight * c.weight).sum::<f64>().sqrt();
        // Rounding must not make a weight larger than one.
        coordinates.iter_mut().for_each(|c| c.weight = (c.weight / length).clamp(-1.0, 1.0));
        Direction { coordinates, threshold: 0.0 }
    }
}

/// All columns that vary, standardised, with weight zero: one for each number and for each level of a category.
pub(crate) fn standard_columns(data: &Dataset, context: &Context) -> Vec<Coordinate> {
    let mut columns = Vec::new();
    for coding in scaled(data, Scaling::Standard, context).codings {
        match coding {
            Coding::Numeric { feature, centre, scale, .. } if scale > 0.0 => {
                columns.push(Coordinate { feature, level: None, centre, scale, weight: 0.0 });
            }
            Coding::Numeric { .. } => {}
            Coding::Levels { feature, shares, .. } => {
                let varied = (0u32..).zip(shares).filter(|(_, share)| *share > 0.0 && *share < 1.0);
                columns.extend(varied.map(|(level, share)| {
                    let scale = 1.0 / (share * (1.0 - share)).sqrt();
                    Coordinate { feature, level: Some(level), centre: share, scale, weight: 0.0 }
                }));
            }
        }
    }
    columns
}

/// The threshold with the largest |sum below less sum above|, and that sum; `None` if all rows are at one place. `order` is
/// scratch.
fn best_cut(sums: &[f64], weights: &[i32], total: i64, order: &mut Vec<(f64, i32)>) -> Option<(u64, f64)> {
    order.clear();
    order.extend(sums.iter().copied().zip(weights.iter().copied()));
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut below = 0;
    let mut best: Option<(u64, f64)> = None;
    for pair in order.windows(2) {
        below += i64::from(pair[0].1);
        if pair[0].0 == pair[1].0 {
            continue;
        }
        let edge = (2 * below - total).unsigned_abs();
        if best.is_none_or(|(most, _)| edge > most) {
            best = Some((edge, between(pair[0].0, pair[1].0)));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against every threshold, one by one; rows at one place are never cut apart.
        #[test]
        fn a_cut_is_the_best_of_all(rows in prop::collection::vec((-6..7i32, -9..10i32), 1..40)) {
            let sums: Vec<f64> = rows.iter().map(|(x, _)| f64::from(*x)).collect();
            let weights: Vec<i32> = rows.iter().map(|(_, w)| *w).collect();
            let total = weights.iter().map(|w| i64::from(*w)).sum();
            let edge = |cut: f64| {
                let signed = |(x, w): (&f64, &i32)| if *x <= cut { i64::from(*w) } else { -i64::from(*w) };
                sums.iter().zip(&weights).map(signed).sum::<i64>().unsigned_abs()
            };
            let (low, high) = sums.iter().fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(*x), b.max(*x)));
            match best_cut(&sums, &weights, total, &mut Vec::new()) {
                None => prop_assert_eq!(low, high),
                Some((most, threshold)) => {
                    prop_assert!(low <= threshold && threshold < high);
                    prop_assert_eq!(edge(threshold), most);
                    let cuts = (-6..7).map(|cut| f64::from(cut) + 0.5).filter(|cut| low < *cut && *cut < high);
                    prop_assert_eq!(cuts.map(edge).max(), Some(most));
                }
            }
        }
    }
}
