//! Weighted ridge regression of one-hot targets on a design, with leave-one-out predictions in closed form.
//!
//! Minimises sum_i w_i |y_i - A' x_i|^2 + ridge W sum_p |a_p|^2; the constant's row of A is free, so the predictions
//! of a row sum to one. Two ways lead to the same outputs: a matrix of columns by columns ([`Tall`]) where rows are many, one of
//! rows by rows ([`Wide`]) where they are fewer than columns.

use super::cells::Cells;
use super::design::{Block, Design};
use super::left_out::LeftOut;
use super::tall::Tall;
use super::wide::Wide;
use crate::context::Context;
use crate::error::Result;

/// Rows of a block of the design.
pub const BLOCK: usize = 1024;

/// The equations of a design.
pub enum Equations {
    /// More rows than columns.
    Tall(Tall),
    /// More columns than rows.
    Wide(Wide),
}

/// The solution for a ridge.
pub struct Solution {
    /// `[class][column]`.
    pub outputs: Vec<f64>,
    /// Predictions of each row left out by a solution that has not seen it: `[row][class]`.
    pub left_out: Vec<f64>,
}

impl Equations {
    /// Those of a design, by the cheaper way; `None` if there is no more time.
    pub fn new(design: &Design<'_>, cells: &Cells, left_out: &LeftOut, context: &Context) -> Option<Equations> {
        if Self::are_wide(design, cells) {
            Wide::new(design, cells, left_out, context).map(Equations::Wide)
        } else {
            Tall::new(design, cells, left_out, context).map(Equations::Tall)
        }
    }

    /// Numbers that they hold while they are solved.
    pub fn numbers(design: &Design<'_>, cells: &Cells, left_out: &LeftOut) -> usize {
        let (rows, columns) = (cells.len(), design.columns());
        match Self::are_wide(design, cells) {
            true => rows * (columns + 2 * rows),
            false => columns * (2 * columns + left_out.cells.len()),
        }
    }

    fn are_wide(design: &Design<'_>, cells: &Cells) -> bool {
        (1..design.columns()).contains(&cells.len())
    }

    /// The outputs for this ridge.
    pub fn solve(&self, ridge: f64, left_out: &LeftOut, context: &Context) -> Result<Solution> {
        match self {
            Equations::Tall(tall) => tall.solve(ridge, left_out, context),
            Equations::Wide(wide) => wide.solve(ridge, left_out, context),
        }
    }
}

/// The design of some cells, `[cell][column]`.
pub fn by_row(design: &Design<'_>, some: &[u32], context: &Context) -> Vec<f64> {
    let columns = design.columns();
    let mut rows = vec![0.0; some.len() * columns];
    let mut made = Block::default();
    for (block, out) in some.chunks(BLOCK).zip(rows.chunks_mut(BLOCK * columns)) {
        design.respond(block, &mut made, context);
        let x = &made.values;
        context.map_parts(out, columns, x.len(), |row, out| {
            out.iter_mut().zip(x.iter().skip(row).step_by(block.len())).for_each(|(out, x)| *out = *x);
        });
    }
    rows
}
