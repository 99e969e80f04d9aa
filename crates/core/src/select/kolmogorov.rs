//! The Kolmogorov-Smirnov distance of two classes (lecture, "Feature selection"):
//!
//! S = max over x of |P(X <= x | a) - P(X <= x | b)|, and the largest over all pairs of classes.
//!
//! At one x the largest difference of a pair is that of the largest and the smallest distribution function, so K classes
//! cost K and not K^2 operations. It depends on the order of values only. Missing values are left out. Categories have no
//! order: all sets of levels take the place of half-lines, which gives half the sum of |P(level | a) - P(level | b)|
//! (the total variation distance; ours, the lecture has numbers only).

use super::fisher::level_weights;
use super::{COUNT, Method, Ranking, Request};
use crate::data::{Categorical, Column, Dataset, Numeric};
use crate::error::Result;
use crate::steps::About;

/// The method `ks`.
pub(super) const METHOD: Method = Method {
    about: About {
        name: "ks",
        summary: "Kolmogorov-Smirnov: largest distance of two classes' distributions, whatever their shape; one feature at a time",
        paper: "A. Kolmogorov, 1933; N. Smirnov, 1948; EPFL EE-613, Feature selection",
        count: COUNT,
        parameters: &[],
    },
    score: "Kolmogorov-Smirnov distance",
    trains: false,
    rank,
};

fn rank(request: &Request<'_>) -> Result<Ranking> {
    let data = request.data;
    let features = data.schema.features.len();
    let work = data.rows() * features * 16;
    let scores = request.context.map(features, work, |feature| score(&data.features.columns[feature], data));
    Ok(Ranking::by_score(&scores, request.count))
}

/// The score of one column, in [0, 1].
pub fn score(column: &Column, data: &Dataset) -> f64 {
    match column {
        Column::Numeric(numbers) => of_numbers(numbers, data),
        Column::Categorical(levels) => of_levels(levels, data),
    }
}

fn of_numbers(numbers: &Numeric, data: &Dataset) -> f64 {
    let mut rows: Vec<(f64, u32, f64)> = (0..data.rows())
        .map(|row| (numbers.get(row) + 0.0, data.labels[row], data.weights[row]))
        .filter(|(v, ..)| !v.is_nan())
        .collect();
    // Ties by class: sums then do not depend on the order of rows, but for weights of equal value and class.
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut totals = vec![0.0; data.class_count()];
    rows.iter().for_each(|(_, y, w)| totals[*y as usize] += w);
    let mut below = vec![0.0; totals.len()];
    let mut largest = 0.0f64;
    for (i, (v, y, w)) in rows.iter().enumerate() {
        below[*y as usize] += w;
        if rows.get(i + 1).is_some_and(|next| next.0 > *v) {
            let shares = below.iter().zip(&totals).filter(|(_, total)| **total > 0.0).map(|(b, t)| b / t);
            let (low, high) = shares.fold((1.0f64, 0.0f64), |(low, high), p| (low.min(p), high.max(p)));
            largest = largest.max(high - low);
        }
    }
    largest
}

fn of_levels(column: &Categorical, data: &Dataset) -> f64 {
    let levels = column.levels.len();
    if levels == 0 {
        return 0.0;
    }
    // Shares instead of weights; classes without rows have no distribution.
    let share = |weights: &[f64]| {
        let total: f64 = weights.iter().sum();
        (total > 0.0).then(|| weights.iter().map(|w| w / total).collect::<Vec<_>>())
    };
    let classes: Vec<Vec<f64>> = level_weights(column, data).chunks_exact(levels).filter_map(share).collect();
    let distance = |a: &[f64], b: &[f64]| 0.5 * a.iter().zip(b).map(|(p, q)| (p - q).abs()).sum::<f64>();
    let pairs = classes.iter().enumerate().flat_map(|(i, a)| classes[..i].iter().map(move |b| distance(a, b)));
    pairs.fold(0.0, f64::max)
}
