//! Fisher's score: how far the means of the classes lie apart, in units of the variance within classes (lecture,
//! "Feature selection"):
//!
//! S = sum_i P(i) (E(X | i) - E(X))^2 / sum_i P(i) V(X | i).
//!
//! It is (K - 1) / (N - K) times the F statistic of one-way analysis of variance. Missing values are left out. A
//! category counts as one coordinate a level, and both sums run over its coordinates (ours; the lecture has numbers only).

use super::{COUNT, Method, Ranking, Request};
use crate::data::{Categorical, Column, Dataset, MISSING_LEVEL, Numeric};
use crate::error::Result;
use crate::steps::About;

/// The method `fisher`.
pub(super) const METHOD: Method = Method {
    about: About {
        name: "fisher",
        summary: "Fisher's score: distance of the class means in units of the variance within classes; one feature at a time",
        paper: "R. A. Fisher, 1936; EPFL EE-613, Feature selection",
        count: COUNT,
        parameters: &[],
    },
    score: "Fisher score",
    trains: false,
    rank,
};

/// Variance within classes is at least this share of all variance, so that a perfect feature has a score and not
/// infinity: none is above 1e12.
const LEAST_WITHIN: f64 = 1e-12;

fn rank(request: &Request<'_>) -> Result<Ranking> {
    Ok(Ranking::by_score(&scores(request), request.count))
}

fn scores(request: &Request<'_>) -> Vec<f64> {
    let data = request.data;
    let features = data.schema.features.len();
    request.context.map(features, data.rows() * features * 4, |feature| score(&data.features.columns[feature], data))
}

/// The score of one column.
pub fn score(column: &Column, data: &Dataset) -> f64 {
    let (between, within) = match column {
        Column::Numeric(numbers) => of_numbers(numbers, data),
        Column::Categorical(levels) => of_levels(levels, data),
    };
    // Differences of equal means are rounding.
    let all = between + within;
    if between <= 1e-28 * all.max(1.0) || all == 0.0 { 0.0 } else { between / within.max(LEAST_WITHIN * all) }
}

/// Variance between and within classes, in units of the squared range, so that squares neither overflow nor vanish.
fn of_numbers(numbers: &Numeric, data: &Dataset) -> (f64, f64) {
    let values = numbers.to_vec();
    let present = values.iter().filter(|v| !v.is_nan());
    let (low, high) = present.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    // Halved first: the difference of two huge numbers might overflow.
    let (centre, range) = (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low);
    // Not above zero, or not a number: nothing varies, or nothing is there.
    if range.is_nan() || range <= 0.0 {
        return (0.0, 0.0);
    }
    let rows = || values.iter().zip(&data.labels).zip(&data.weights).filter(|((v, _), _)| !v.is_nan());
    let scaled = |v: &f64| (v - centre) / range;
    let mut sums = vec![(0.0, 0.0); data.class_count()];
    for ((v, y), w) in rows() {
        let (weight, sum) = &mut sums[*y as usize];
        *weight += w;
        *sum += w * scaled(v);
    }
    let total: f64 = sums.iter().map(|s| s.0).sum();
    let mean = sums.iter().map(|s| s.1).sum::<f64>() / total;
    let means: Vec<f64> = sums.iter().map(|(weight, sum)| if *weight > 0.0 { sum / weight } else { 0.0 }).collect();
    let between: f64 = sums.iter().zip(&means).map(|((weight, _), m)| weight * (m - mean).powi(2)).sum();
    let within: f64 = rows().map(|((v, y), w)| w * (scaled(v) - means[*y as usize]).powi(2)).sum();
    (between / total, within / total)
}

fn of_levels(column: &Categorical, data: &Dataset) -> (f64, f64) {
    let (levels, classes) = (column.levels.len(), data.class_count());
    let counts = level_weights(column, data);
    let class: Vec<f64> = (0..classes).map(|k| counts[k * levels..(k + 1) * levels].iter().sum()).collect();
    let total: f64 = class.iter().sum();
    if total == 0.0 {
        return (0.0, 0.0);
    }
    let (mut between, mut within) = (0.0, 0.0);
    for level in 0..levels {
        let share = (0..classes).map(|k| counts[k * levels + level]).sum::<f64>() / total;
        for k in (0..classes).filter(|k| class[*k] > 0.0) {
            let p = counts[k * levels + level] / class[k];
            between += class[k] * (p - share).powi(2);
            within += class[k] * p * (1.0 - p);
        }
    }
    (between / total, within / total)
}

/// Weight of each class and level, `[class][level]`.
pub(super) fn level_weights(column: &Categorical, data: &Dataset) -> Vec<f64> {
    let levels = column.levels.len();
    let mut counts = vec![0.0; data.class_count() * levels];
    for ((code, y), w) in column.codes.iter().zip(&data.labels).zip(&data.weights) {
        if *code != MISSING_LEVEL {
            counts[*y as usize * levels + *code as usize] += w;
        }
    }
    counts
}
