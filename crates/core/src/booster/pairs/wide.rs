//! Ridge regression where columns are more than rows: a matrix of rows by rows.
//!
//! With m the weighted mean of the rows, z_i = sqrt(w_i) (x_i - m), K = Z Z' and l = ridge W, the outputs are
//! A = Z' a with (K + l) a = sqrt(w) (y - mean of y), the constant makes means agree, and the residual of a row is l a_i / sqrt(w_i).
//!
//! sqrt(w) is an eigenvector of K with eigenvalue zero, which no target has a part in. K' = K + s sqrt(w) sqrt(w)' / W, where s is
//! the mean eigenvalue, has the same solutions without being nearly singular for small ridges, and with d_i the diagonal of
//! (K' + l)^-1 it is 1 - w_i q_i = l (d_i - w_i / (W (s + l))).

use super::cells::Cells;
use super::design::Design;
use super::left_out::LeftOut;
use super::ridge::{Solution, by_row};
use crate::context::Context;
use crate::error::Result;
use crate::linear::{Cholesky, Symmetric, mixed};

/// What does not depend on the ridge.
pub struct Wide {
    /// z, `[row][column]`; zero for the constant.
    rows: Vec<f64>,
    /// m.
    means: Vec<f64>,
    /// K'.
    kernel: Symmetric,
    /// s.
    shift: f64,
    /// sqrt(w) (y - mean of y), `[class][row]`.
    targets: Vec<f64>,
    /// Mean of y.
    shares: Vec<f64>,
    /// Square roots of the weights.
    roots: Vec<f64>,
    /// W.
    weight: f64,
}

impl Wide {
    /// `None` if there is no more time.
    pub fn new(design: &Design<'_>, cells: &Cells, left_out: &LeftOut, context: &Context) -> Option<Wide> {
        if context.cancelled() || context.out_of_time() {
            return None;
        }
        let (count, size) = (cells.len(), design.columns());
        let weight: f64 = cells.weights.iter().sum();
        let roots: Vec<f64> = cells.weights.iter().map(|w| w.sqrt()).collect();
        let all: Vec<u32> = (0..count as u32).collect();
        let mut rows = by_row(design, &all, context);
        let mut means = vec![0.0; size];
        for (row, w) in rows.chunks_exact(size).zip(&cells.weights) {
            means.iter_mut().zip(row).for_each(|(mean, x)| *mean += w / weight * x);
        }
        // Not nearly but exactly: the constant has no output yet.
        means[0] = 1.0;
        for (row, root) in rows.chunks_exact_mut(size).zip(&roots) {
            row.iter_mut().zip(&means).for_each(|(x, mean)| *x = root * (*x - mean));
        }
        let mut kernel = Symmetric::zero(count);
        kernel.add(&rows, &rows, context);
        let shift = (0..count).map(|i| kernel.values[i * (count + 1)]).sum::<f64>() / count as f64;
        for (column, a) in kernel.values.chunks_exact_mut(count).zip(&roots) {
            column.iter_mut().zip(&roots).for_each(|(k, b)| *k += shift * a * b / weight);
        }
        let mut shares = vec![0.0; left_out.classes];
        cells.labels.iter().zip(&cells.weights).for_each(|(k, w)| shares[*k as usize] += w / weight);
        let target = |class: usize, row: usize| {
            roots[row] * (f64::from(u8::from(cells.labels[row] as usize == class)) - shares[class])
        };
        let target = &target;
        let targets = (0..shares.len()).flat_map(|class| (0..count).map(move |row| target(class, row))).collect();
        Some(Wide { rows, means, kernel, shift, targets, shares, roots, weight })
    }

    /// The outputs for this ridge.
    pub fn solve(&self, ridge: f64, left_out: &LeftOut, context: &Context) -> Result<Solution> {
        let (count, size) = (self.roots.len(), self.means.len());
        let added = ridge * self.weight;
        let factor = Cholesky::new(&self.kernel, |_| added)?;
        let mut duals = self.targets.clone();
        factor.solve(&mut duals);
        let mut outputs = mixed(&self.rows, &duals, size);
        for (share, outputs) in self.shares.iter().zip(outputs.chunks_exact_mut(size)) {
            outputs[0] = share - outputs.iter().zip(&self.means).map(|(a, mean)| a * mean).sum::<f64>();
        }
        let diagonal = factor.inverse_diagonal(context);
        let mut scores = Vec::with_capacity(left_out.labels.len() * left_out.classes);
        for (row, cell) in left_out.cells.iter().map(|cell| *cell as usize).enumerate() {
            let weight = left_out.weights[row];
            let all = added * (diagonal[cell] - weight / (self.weight * (self.shift + added)));
            let start = scores.len();
            scores.extend(duals.iter().skip(cell).step_by(count).map(|a| added * a / self.roots[cell]));
            left_out.without(row, 1.0 - left_out.units[row] / weight * (1.0 - all), &mut scores[start..]);
        }
        Ok(Solution { outputs, left_out: scores })
    }
}
