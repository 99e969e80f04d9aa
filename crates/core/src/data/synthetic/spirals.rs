//! Arms of a spiral, one a class: the data of the thesis' experiments with localized similarities (section 5.5: 500
//! points of three classes in a spiral formation, also with 1 % to 30 % of the rows mislabelled, Fig. 5.6).
//!
//! The thesis gives no formula. Ours: arm k starts at the angle 2 pi k/K and turns evenly while its radius grows from
//! 0.1 to 1, with points spread evenly over the area swept and normal noise added to both coordinates.

use super::arguments::{Arguments, CLASSES, DRAW, MISLABELLED, Parameter, ROWS, Range, SEED};
use super::{Generator, assemble, random, sine};
use crate::data::Table;
use crate::error::Result;
use std::f64::consts::TAU;

/// `builtin:spirals`.
pub(super) const SPIRALS: Generator = Generator {
    name: "spirals",
    summary: "arms of a spiral in the plane, one a class",
    parameters: &[
        Parameter { default: "500", ..ROWS },
        CLASSES,
        Parameter {
            name: "turns",
            default: "1",
            range: Range::Real(0.0, 1000.0),
            summary: "how often each arm goes round",
        },
        Parameter {
            name: "noise",
            default: "0.02",
            range: Range::Real(0.0, 1000.0),
            summary: "standard deviation of the points about their arm (the outer radius is 1)",
        },
        MISLABELLED,
        SEED,
        DRAW,
    ],
    make,
};

fn make(arguments: &Arguments) -> Result<Table> {
    let (rows, classes) = (arguments.count("rows")?, arguments.count("classes")?);
    let (turns, noise) = (arguments.real("turns")?, arguments.real("noise")?);
    let mut rng = assemble::rows_stream(arguments, SPIRALS.name)?;
    let mut normal = random::Normal::default();
    let mut labels = assemble::balanced_labels(rows, classes, &mut rng);
    let mut points = vec![Vec::with_capacity(rows), Vec::with_capacity(rows)];
    for &label in &labels {
        let along = random::unit(&mut rng).sqrt();
        let radius = 0.1 + 0.9 * along;
        let (sin, cos) = sine::sin_cos(TAU * (f64::from(label) / classes as f64 + turns * along));
        points[0].push((radius * cos + noise * normal.next(&mut rng)) as f32);
        points[1].push((radius * sin + noise * normal.next(&mut rng)) as f32);
    }
    assemble::mislabel(&mut labels, classes, arguments, SPIRALS.name)?;
    assemble::table(points, labels, classes)
}
