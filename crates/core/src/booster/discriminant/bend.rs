//! Which power makes a column least skewed: the one under which it is likeliest to be drawn from a Gaussian (Yeo and Johnson 2000,
//! section 4).

use crate::booster::pairs::Cells;
use crate::data::Features;
use crate::math::ln;
use crate::model::{Axis, bent_all};

/// Distinct rows that are looked at. Cells are in no order that means anything, so the first ones do.
const ROWS: usize = 1000;
/// Powers that are tried: from the first to the last, in such steps.
const POWERS: (f64, f64, f64) = (-2.0, 4.0, 0.25);
/// What each step of one away from the straight line must earn in log likelihood.
const PRICE: f64 = 2.0;

/// The axes, each with its best power; categories stay as they are.
pub fn bend(axes: &[Axis], features: &Features, cells: &Cells) -> Vec<Axis> {
    axes.iter().map(|axis| Axis { power: power(axis, features, cells), ..*axis }).collect()
}

fn power(axis: &Axis, features: &Features, cells: &Cells) -> f64 {
    if axis.level.is_some() {
        return 1.0;
    }
    let row = |cell: usize| cells.rows[cell] as usize;
    let stands = (0..cells.len()).map(|cell| (axis.stands(features, row(cell)), cells.weights[cell]));
    let rows: Vec<(f64, f64)> = stands.filter(|(x, _)| !x.is_nan()).take(ROWS).collect();
    let total: f64 = rows.iter().map(|(_, w)| w).sum();
    let logarithms: Vec<f64> = rows.iter().map(|(x, _)| x.signum() * ln(1.0 + x.abs())).collect();
    // What bending stretches, in logarithms, for each unit of power.
    let stretch: f64 = rows.iter().zip(&logarithms).map(|((_, w), l)| w * l).sum();
    let mut bent = vec![0.0; rows.len()];
    let mut likelihood = |power: f64| {
        bent_all(&logarithms, power, &mut bent);
        let (mut sum, mut squares) = (0.0, 0.0);
        for ((_, w), y) in rows.iter().zip(&bent) {
            sum += w * y;
            squares += w * y * y;
        }
        let variance = squares / total - (sum / total) * (sum / total);
        (power - 1.0) * stretch - 0.5 * total * ln(variance) - PRICE * (power - 1.0).abs()
    };
    let (first, last, step) = POWERS;
    let mut best = (likelihood(1.0), 1.0);
    for i in 0..=((last - first) / step) as usize {
        let power = first + step * i as f64;
        let likelihood = likelihood(power);
        if likelihood.is_finite() && likelihood > best.0 {
            best = (likelihood, power);
        }
    }
    best.1
}
