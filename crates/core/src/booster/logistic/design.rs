//! Rows by columns in blocks of rows, so that threads share the work in fixed pieces.

use crate::context::Context;
use crate::linear::{Symmetric, mixed, product};

/// Rows of a block.
pub const BLOCK: usize = 1024;

/// A matrix, `[block][column][row]`; the first column is one everywhere.
pub struct Design {
    pub rows: usize,
    pub columns: usize,
    values: Vec<f64>,
}

impl Design {
    /// All zero.
    pub fn new(rows: usize, columns: usize) -> Self {
        Design { rows, columns, values: vec![0.0; rows * columns] }
    }

    /// Fills a column with `factor` times these values.
    pub fn put(&mut self, column: usize, values: &[f64], factor: f64) {
        for (block, values) in self.values.chunks_mut(BLOCK * self.columns).zip(values.chunks(BLOCK)) {
            let out = &mut block[column * values.len()..][..values.len()];
            out.iter_mut().zip(values).for_each(|(out, value)| *out = factor * value);
        }
    }

    /// The rows of a block, `[column][row]`.
    fn block(&self, block: usize) -> &[f64] {
        let size = BLOCK * self.columns;
        &self.values[block * size..self.values.len().min((block + 1) * size)]
    }

    /// X' diag(weights) X.
    pub fn gram(&self, weights: &[f64], context: &Context) -> Symmetric {
        let mut gram = Symmetric::zero(self.columns);
        for (block, weights) in weights.chunks(BLOCK).enumerate() {
            let block = self.block(block);
            let mut weighted = block.to_vec();
            for column in weighted.chunks_exact_mut(weights.len()) {
                column.iter_mut().zip(weights).for_each(|(x, w)| *x *= w);
            }
            gram.add(block, &weighted, context);
        }
        gram
    }

    /// X' diag(weights) X, the diagonal alone.
    pub fn squares(&self, weights: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.columns];
        for (block, weights) in weights.chunks(BLOCK).enumerate() {
            for (sum, column) in sums.iter_mut().zip(self.block(block).chunks_exact(weights.len())) {
                *sum += column.iter().zip(weights).map(|(x, w)| x * x * w).sum::<f64>();
            }
        }
        sums
    }

    /// For each block: its scores X outputs' (`[class][row]`) through `change`, which makes them residuals, then their products
    /// with the columns (`[class][column]`). Sums of what `change` says and of the products, block by block.
    pub fn slopes<R>(
        &self,
        outputs: &[f64],
        context: &Context,
        change: impl Fn(usize, &mut [f64]) -> R + Sync,
    ) -> Vec<(R, Vec<f64>)>
    where
        R: Send,
    {
        let work = 4 * self.rows * outputs.len();
        context.map(self.rows.div_ceil(BLOCK), work, |at| {
            let block = self.block(at);
            let rows = block.len() / self.columns;
            let mut scores = mixed(block, outputs, rows);
            let said = change(at * BLOCK, &mut scores);
            (said, product(block, &scores, rows))
        })
    }
}
