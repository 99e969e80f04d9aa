//! Ridge regression where rows are many: M = X' diag(w) X + ridge W D, in one pass over the rows.

use super::cells::Cells;
use super::design::{Block, Design};
use super::left_out::LeftOut;
use super::ridge::{BLOCK, Solution, by_row};
use crate::context::Context;
use crate::error::Result;
use crate::linear::{Cholesky, Symmetric, product};

/// Rows of a task when leverages are computed.
const TASK: usize = 128;

/// X' W X, X' W Y, W and the rows left out.
pub struct Tall {
    gram: Symmetric,
    /// `[class][column]`.
    targets: Vec<f64>,
    weight: f64,
    /// Rows that are left out, `[row][column]`.
    rows: Vec<f64>,
}

impl Tall {
    /// In one pass over the rows; `None` if there is no more time.
    pub fn new(design: &Design<'_>, cells: &Cells, left_out: &LeftOut, context: &Context) -> Option<Tall> {
        let size = design.columns();
        let mut gram = Symmetric::zero(size);
        let mut targets = vec![0.0; left_out.classes * size];
        let all: Vec<u32> = (0..cells.len() as u32).collect();
        let (mut made, mut weighted) = (Block::default(), Vec::new());
        for block in all.chunks(BLOCK) {
            if context.cancelled() || context.out_of_time() {
                return None;
            }
            design.respond(block, &mut made, context);
            let x = &made.values;
            let weights: Vec<f64> = block.iter().map(|cell| cells.weights[*cell as usize]).collect();
            let weighted = if weights.iter().all(|w| *w == 1.0) {
                x
            } else {
                weighted.clone_from(x);
                context.map_parts(&mut weighted, block.len(), x.len(), |_, column| {
                    column.iter_mut().zip(&weights).for_each(|(x, w)| *x *= w);
                });
                &weighted
            };
            for (column, values) in weighted.chunks_exact(block.len()).enumerate() {
                for (x, cell) in values.iter().zip(block) {
                    targets[cells.labels[*cell as usize] as usize * size + column] += x;
                }
            }
            gram.add(weighted, x, context);
        }
        let rows = by_row(design, &left_out.cells, context);
        Some(Tall { gram, targets, weight: cells.weights.iter().sum(), rows })
    }

    /// The outputs for this ridge.
    pub fn solve(&self, ridge: f64, left_out: &LeftOut, context: &Context) -> Result<Solution> {
        let factor = Cholesky::new(&self.gram, |i| if i == 0 { 0.0 } else { ridge * self.weight })?;
        let mut outputs = self.targets.clone();
        factor.solve(&mut outputs);
        let left_out = self.without(&outputs, &factor, left_out, context);
        Ok(Solution { outputs, left_out })
    }

    fn without(&self, outputs: &[f64], factor: &Cholesky, left_out: &LeftOut, context: &Context) -> Vec<f64> {
        let (columns, classes) = (self.gram.size, left_out.classes);
        let work = self.rows.len() * columns;
        let tasks = context.map(left_out.labels.len().div_ceil(TASK), work, |task| {
            let rows = task * TASK..((task + 1) * TASK).min(left_out.labels.len());
            let x = &self.rows[rows.start * columns..rows.end * columns];
            let mut fitted = product(outputs, x, columns);
            let mut half = x.to_vec();
            factor.half_solve(&mut half);
            for (i, row) in rows.enumerate() {
                let q: f64 = half[i * columns..(i + 1) * columns].iter().map(|v| v * v).sum();
                let residuals = &mut fitted[i * classes..(i + 1) * classes];
                for (class, h) in residuals.iter_mut().enumerate() {
                    *h = f64::from(u8::from(class == left_out.labels[row] as usize)) - *h;
                }
                left_out.without(row, 1.0 - left_out.units[row] * q, residuals);
            }
            fitted
        });
        tasks.concat()
    }
}
