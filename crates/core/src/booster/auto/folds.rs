//! Which rows are left out when: every row once where data are few, one part where they are many.

use super::members::Preset;
use crate::context::Context;
use crate::data::{Dataset, stratified_folds};

/// Rows below which there are five parts instead of three, unless time matters more,
const FEW: usize = 1200;
/// and below which there are ten, if the rows are of more than two classes.
const VERY_FEW: usize = 400;
/// Rows from which on one part is enough to judge by: a third of them,
const MANY: usize = 2_000;
/// and from here on a fifth.
const PLENTY: usize = 10_000;
/// Rows times classes from which on it is one part as well: they are what time grows with.
const MANY_SCORES: usize = 100_000;
/// Rows times classes that are judged at most.
const ENOUGH: usize = 1_000_000;
/// Rows that are never left out.
const NEVER: u32 = u32::MAX;

/// A cut of the rows into parts.
pub struct Folds {
    /// Number of parts that are left out, one after the other.
    pub count: usize,
    of: Vec<u32>,
}

impl Folds {
    /// The cut for these data. A class of one row is always trained on: left out, it would be unknown.
    pub fn new(data: &Dataset, preset: Preset, context: &Context) -> Folds {
        let rows = data.rows();
        let parts = match preset {
            Preset::Best if rows < VERY_FEW && data.class_count() > 2 => 10,
            Preset::Best if rows < FEW => 5,
            _ if rows >= PLENTY => 5,
            _ => 3,
        };
        let count = if rows < MANY && rows * data.class_count() < MANY_SCORES { parts } else { 1 };
        let mut of = stratified_folds(&data.labels, data.class_count(), parts, &mut context.stream("auto-folds"));
        let mut sizes = vec![0; data.class_count()];
        data.labels.iter().for_each(|k| sizes[*k as usize] += 1);
        // As many of all rows as leave enough of those that are left out.
        let most = ENOUGH / data.class_count() * parts / count;
        for (row, (fold, label)) in of.iter_mut().zip(&data.labels).enumerate() {
            // Evenly spread over the rows.
            let beyond = rows > most && row * most / rows == (row + 1) * most / rows;
            if *fold as usize >= count || beyond || sizes[*label as usize] < 2 {
                *fold = NEVER;
            }
        }
        Folds { count, of }
    }

    /// Rows that a fold trains on.
    pub fn trained(&self, fold: usize) -> Vec<usize> {
        (0..self.of.len()).filter(|&row| self.of[row] as usize != fold).collect()
    }

    /// Rows that it leaves out.
    pub fn left_out(&self, fold: usize) -> Vec<usize> {
        (0..self.of.len()).filter(|&row| self.of[row] as usize == fold).collect()
    }

    /// All rows that some fold leaves out.
    pub fn judged(&self) -> Vec<usize> {
        (0..self.of.len()).filter(|&row| self.of[row] != NEVER).collect()
    }
}
