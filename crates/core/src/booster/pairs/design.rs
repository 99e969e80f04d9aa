//! The matrix of responses, a block of rows at a time: it is never held as a whole.

use super::cells::Cells;
use super::draw::Pair;
use crate::context::Context;
use crate::model::Similarity;
use crate::model::similarity::{Form, Points, Shape, squared_distances};

/// Rows whose points stay in the cache while they are compared with many others.
const NEAR: usize = 64;
/// Supports a task.
const TASK: usize = 64;

/// A block of the matrix; its memory serves the next one.
#[derive(Default)]
pub struct Block {
    distances: Vec<f32>,
    /// `[column][cell]`.
    pub values: Vec<f64>,
}

/// Makes columns of responses: first the constant 1, then one a pair.
pub struct Design<'a> {
    points: &'a Points,
    cells: &'a Cells,
    learners: Vec<Similarity>,
    /// Cells that pairs compare with, in the order of first use.
    pub supports: Vec<u32>,
}

impl<'a> Design<'a> {
    /// For these pairs.
    pub fn new(points: &'a Points, cells: &'a Cells, pairs: &[Pair]) -> Self {
        let mut supports = Vec::new();
        let mut position = vec![u32::MAX; cells.len()];
        let mut number = |cell: u32| {
            let place = &mut position[cell as usize];
            if *place == u32::MAX {
                *place = supports.len() as u32;
                supports.push(cell);
            }
            *place
        };
        let learner = |pair: &Pair| {
            let supports = pair.cells.map(&mut number);
            Similarity {
                form: Form::Two { supports, shape: Shape::Ratio, apart: pair.apart },
                sign: false,
                metric: 0,
            }
        };
        let learners = pairs.iter().map(learner).collect();
        Design { points, cells, learners, supports }
    }

    /// The learners; they name supports by position.
    pub fn learners(&self) -> &[Similarity] {
        &self.learners
    }

    /// Columns, the constant included.
    pub fn columns(&self) -> usize {
        self.learners.len() + 1
    }

    /// Responses to some cells, into `block`.
    pub fn respond(&self, cells: &[u32], block: &mut Block, context: &Context) {
        let Block { distances, values } = block;
        let (rows, length) = (cells.len(), self.points.length);
        let row_of = |cell: u32| self.points.row(self.cells.rows[cell as usize] as usize);
        let near: Vec<f32> = cells.iter().flat_map(|cell| row_of(*cell)).copied().collect();
        distances.resize(self.supports.len() * rows, 0.0);
        let work = distances.len() * length;
        context.map_parts(distances, TASK * rows.max(1), work, |task, part| {
            for start in (0..rows).step_by(NEAR) {
                let end = (start + NEAR).min(rows);
                for (i, out) in part.chunks_exact_mut(rows).enumerate() {
                    let to = row_of(self.supports[task * TASK + i]);
                    squared_distances(&near[start * length..end * length], to, &mut out[start..end]);
                }
            }
        });
        values.resize(self.columns() * rows, 0.0);
        values[..rows].fill(1.0);
        context.map_parts(&mut values[rows..], rows.max(1), self.learners.len() * rows * 4, |p, out| {
            let learner = &self.learners[p];
            let mut columns = learner.supports().map(|s| &distances[s as usize * rows..][..rows]);
            let (a, b) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
            learner.respond(a, b, out);
        });
    }
}
