//! Rows that are left out one at a time, in closed form, to choose a setting and to judge by.

use super::Cells;
use crate::booster::Estimate;
use crate::calibrate::Judged;
use crate::context::Context;
use rand::seq::SliceRandom;

/// Cells that are left out one at a time.
pub struct LeftOut {
    /// Which.
    pub cells: Vec<u32>,
    /// How much of each, as [`Cells::units`] says.
    pub units: Vec<f64>,
    /// One each.
    pub labels: Vec<u32>,
    /// All there is of each.
    pub weights: Vec<f64>,
    /// Number of classes.
    pub classes: usize,
}

impl LeftOut {
    /// All cells, or so many of them.
    pub fn new(cells: &Cells, most: usize, classes: usize, context: &Context) -> Self {
        let mut some: Vec<u32> = (0..cells.len() as u32).collect();
        if some.len() > most {
            some.shuffle(&mut context.stream("leave-one-out"));
            some.truncate(most);
            some.sort_unstable();
        }
        Self::of(cells, some, classes)
    }

    /// These cells.
    pub fn of(cells: &Cells, some: Vec<u32>, classes: usize) -> Self {
        let units = cells.units(classes);
        let pick = |values: &[f64]| some.iter().map(|cell| values[*cell as usize]).collect();
        LeftOut {
            units: pick(&units),
            labels: some.iter().map(|cell| cells.labels[*cell as usize]).collect(),
            weights: pick(&cells.weights),
            cells: some,
            classes,
        }
    }

    /// Turns the residuals y - A' x of a row into its predictions without it. `left` is 1 - u_i q_i, where q_i = x_i' M^-1 x_i and M
    /// is the matrix of the equations: the residual after weight u_i of the row is taken away is e_i / (1 - u_i q_i) (Sherman
    /// and Morrison).
    pub fn without(&self, row: usize, left: f64, residuals: &mut [f64]) {
        // Short of one by rounding only: a row that nothing but itself explains.
        let left = left.max(1e-9);
        for (class, residual) in residuals.iter_mut().enumerate() {
            let target = f64::from(u8::from(class == self.labels[row] as usize));
            *residual = target - *residual / left;
        }
    }

    /// Predictions with labels and weights.
    pub fn judged<'a>(&'a self, scores: &'a [f64]) -> Judged<'a> {
        let count = self.weights.iter().zip(&self.units).map(|(w, u)| w / u).sum();
        Judged { scores, labels: &self.labels, weights: &self.weights, count }
    }

    /// The first row of each.
    pub fn rows(&self, cells: &Cells) -> Vec<usize> {
        self.cells.iter().map(|cell| cells.rows[*cell as usize] as usize).collect()
    }

    /// The scores of those left out (`[row][class]`), times a factor, for every row that shares them.
    pub fn estimate(&self, cells: &Cells, scores: &[f64], factor: f64) -> Estimate {
        let mut place = vec![None; cells.len()];
        self.cells.iter().enumerate().for_each(|(i, cell)| place[*cell as usize] = Some(i));
        let known = |row: &usize| place[cells.of_row[*row] as usize];
        let rows: Vec<usize> = (0..cells.of_row.len()).filter(|row| known(row).is_some()).collect();
        let scores = rows.iter().filter_map(known).flat_map(|i| &scores[i * self.classes..(i + 1) * self.classes]);
        Estimate { folds: rows.len(), scores: scores.map(|h| h * factor).collect(), rows }
    }
}
