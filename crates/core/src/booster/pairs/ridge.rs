//! Weighted ridge regression of one-hot targets on a design, with leave-one-out predictions in closed form.
//!
//! Minimises sum_i w_i |y_i - A' x_i|^2 + ridge W sum_p |a_p|^2; the constant's row of A is free, so the predictions
//! of a row sum to one. With M = X' diag(w) X + ridge W D and q_i = x_i' M^-1 x_i, the residual of row i after weight
//! u_i of it is taken away is e_i / (1 - u_i q_i) (Sherman and Morrison).

use super::cells::Cells;
use super::design::{Block, Design};
use crate::calibrate::Judged;
use crate::context::Context;
use crate::error::Result;
use crate::linear::{Cholesky, Symmetric, product};

/// Rows of a block of the design.
pub const BLOCK: usize = 1024;
/// Rows of a task when leverages are computed.
const TASK: usize = 128;

/// X' W X, X' W Y and W.
pub struct Normal {
    gram: Symmetric,
    /// `[class][column]`.
    targets: Vec<f64>,
    weight: f64,
}

/// A solution.
pub struct Solution {
    /// `[class][column]`.
    pub outputs: Vec<f64>,
    factor: Cholesky,
}

impl Normal {
    /// In one pass over the rows; `None` if there is no more time.
    pub fn new(design: &Design<'_>, cells: &Cells, classes: usize, context: &Context) -> Option<Normal> {
        let size = design.columns();
        let mut gram = Symmetric::zero(size);
        let mut targets = vec![0.0; classes * size];
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
        Some(Normal { gram, targets, weight: cells.weights.iter().sum() })
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.targets.len() / self.gram.size
    }

    /// The outputs for this ridge.
    pub fn solve(&self, ridge: f64) -> Result<Solution> {
        let factor = Cholesky::new(&self.gram, |i| if i == 0 { 0.0 } else { ridge * self.weight })?;
        let mut outputs = self.targets.clone();
        factor.solve(&mut outputs);
        Ok(Solution { outputs, factor })
    }
}

/// Rows that are left out one at a time.
pub struct LeftOut {
    /// `[row][column]`.
    design: Vec<f64>,
    columns: usize,
    units: Vec<f64>,
    labels: Vec<u32>,
    weights: Vec<f64>,
}

impl LeftOut {
    /// These cells, with as much of each as [`Cells::units`] says.
    pub fn new(design: &Design<'_>, cells: &Cells, some: &[u32], classes: usize, context: &Context) -> Self {
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
        let units = cells.units(classes);
        let pick = |values: &[f64]| some.iter().map(|cell| values[*cell as usize]).collect();
        LeftOut {
            design: rows,
            columns,
            units: pick(&units),
            labels: some.iter().map(|cell| cells.labels[*cell as usize]).collect(),
            weights: pick(&cells.weights),
        }
    }

    /// Predictions of each row by a solution that has not seen it: `[row][class]`.
    pub fn predict(&self, solution: &Solution, context: &Context) -> Vec<f64> {
        let columns = self.columns;
        let classes = solution.outputs.len() / columns;
        let work = self.design.len() * columns;
        let tasks = context.map(self.labels.len().div_ceil(TASK), work, |task| {
            let rows = task * TASK..((task + 1) * TASK).min(self.labels.len());
            let x = &self.design[rows.start * columns..rows.end * columns];
            let mut fitted = product(&solution.outputs, x, columns);
            let mut half = x.to_vec();
            solution.factor.half_solve(&mut half);
            for (i, row) in rows.enumerate() {
                let q: f64 = half[i * columns..(i + 1) * columns].iter().map(|v| v * v).sum();
                // Short of one by rounding only: a row that nothing but itself explains.
                let left = (1.0 - self.units[row] * q).max(1e-9);
                for (class, h) in fitted[i * classes..(i + 1) * classes].iter_mut().enumerate() {
                    let target = f64::from(u8::from(class == self.labels[row] as usize));
                    *h = target - (target - *h) / left;
                }
            }
            fitted
        });
        tasks.concat()
    }

    /// Predictions with labels and weights.
    pub fn judged<'a>(&'a self, scores: &'a [f64]) -> Judged<'a> {
        let count = self.weights.iter().zip(&self.units).map(|(w, u)| w / u).sum();
        Judged { scores, labels: &self.labels, weights: &self.weights, count }
    }
}
