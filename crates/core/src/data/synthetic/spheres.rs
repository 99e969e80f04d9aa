//! Concentric spheres: GAMBLE thesis, chapter 5 (after Friedman, Hastie and Tibshirani; with K = 2 it is example
//! 10.2 of "The Elements of Statistical Learning").
//!
//! Points are standard normal in ten dimensions, and a class is a shell t(k-1) <= |x|^2 < t(k) with equally likely
//! shells. Every boundary is curved in all features at once, so no single stump tells much: hard for boosting.

use super::arguments::{Arguments, CLASSES, DRAW, FEATURES, MISLABELLED, Parameter, ROWS, SEED, check_size};
use super::quantile::chi_square_quantile;
use super::{Generator, assemble, random};
use crate::data::Table;
use crate::error::Result;

/// `builtin:spheres`.
pub(super) const SPHERES: Generator = Generator {
    name: "spheres",
    summary: "concentric shells of a normal distribution in ten dimensions, one a class",
    parameters: &[
        Parameter { default: "2000", ..ROWS },
        Parameter { default: "2", ..CLASSES },
        Parameter { default: "10", ..FEATURES },
        MISLABELLED,
        SEED,
        DRAW,
    ],
    make,
};

fn make(arguments: &Arguments) -> Result<Table> {
    let (rows, classes) = (arguments.count("rows")?, arguments.count("classes")?);
    let features = arguments.count("features")?;
    check_size(rows, features)?;
    let shells: Vec<f64> = (1..classes).map(|k| chi_square_quantile(k as f64 / classes as f64, features)).collect();
    let mut rng = assemble::rows_stream(arguments, SPHERES.name)?;
    let mut normal = random::Normal::default();
    let mut points = vec![Vec::with_capacity(rows); features];
    let mut labels = Vec::with_capacity(rows);
    for _ in 0..rows {
        let mut square = 0.0;
        for column in &mut points {
            // The label belongs to the number that is stored.
            let x = normal.next(&mut rng) as f32;
            square += f64::from(x) * f64::from(x);
            column.push(x);
        }
        labels.push(shells.partition_point(|&shell| shell <= square) as u32);
    }
    assemble::mislabel(&mut labels, classes, arguments, SPHERES.name)?;
    assemble::table(points, labels, classes)
}
