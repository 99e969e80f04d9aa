//! A checkerboard: exclusive or in the plane, repeated. Each coordinate alone tells nothing of the class, so stumps
//! fail and depth-2 trees must find the squares one by one.

use super::arguments::{Arguments, DRAW, MISLABELLED, Parameter, ROWS, Range, SEED};
use super::{Generator, assemble, random};
use crate::data::Table;
use crate::error::Result;

/// `builtin:checkerboard`.
pub(super) const CHECKERBOARD: Generator = Generator {
    name: "checkerboard",
    summary: "squares of alternating class in the plane: each coordinate alone tells nothing",
    parameters: &[
        ROWS,
        Parameter {
            name: "squares",
            default: "4",
            range: Range::Whole(2, 1000),
            summary: "number of squares along each side",
        },
        Parameter {
            name: "noise",
            default: "0",
            range: Range::Real(0.0, 1000.0),
            summary: "standard deviation by which points stray from their square (whose side is 1)",
        },
        MISLABELLED,
        SEED,
        DRAW,
    ],
    make,
};

fn make(arguments: &Arguments) -> Result<Table> {
    let (rows, squares) = (arguments.count("rows")?, arguments.whole("squares")?);
    let noise = arguments.real("noise")?;
    let mut rng = assemble::rows_stream(arguments, CHECKERBOARD.name)?;
    let mut normal = random::Normal::default();
    let mut points = vec![Vec::with_capacity(rows), Vec::with_capacity(rows)];
    let mut labels = Vec::with_capacity(rows);
    for _ in 0..rows {
        let mut colour = 0;
        for column in &mut points {
            // In single precision a point may come to lie on the far edge, which belongs to the last square.
            let x = random::between(0.0, squares as f64, &mut rng) as f32;
            colour += (x as u64).min(squares - 1);
            column.push((f64::from(x) + noise * normal.next(&mut rng)) as f32);
        }
        labels.push((colour % 2) as u32);
    }
    assemble::mislabel(&mut labels, 2, arguments, CHECKERBOARD.name)?;
    assemble::table(points, labels, 2)
}
