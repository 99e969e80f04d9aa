//! Columns of squared distances (from one row to all), kept in bounded memory: the least recently used goes first.
//! No N x N matrix. What is kept never changes a result, only the time it takes.

use super::Placed;
use super::coincident::hash;
use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::model::similarity::{Points, scattered_distances, squared_distance, squared_distances};
use std::collections::HashMap;
use std::sync::Arc;

/// Columns in use at once: those of an anchor and of an opposite row.
const NEEDED: usize = 2;

/// A column of distances, shared with the cache.
pub type DistanceColumn = Arc<Vec<f32>>;

/// Distances between the rows of a data set.
pub struct Distances {
    placed: Arc<Placed>,
    rows: usize,
    hashes: Vec<u64>,
    /// Columns that fit into the limit.
    room: usize,
    columns: HashMap<u32, (u64, DistanceColumn)>,
    clock: u64,
}

impl Distances {
    /// `limit` is in bytes and covers points and columns.
    pub fn new(placed: Arc<Placed>, limit: usize) -> Result<Self> {
        let points = &placed.points;
        let rows = points.values.len() / points.length;
        let (held, column) = (points.values.len() * 4, rows * 4);
        let room = limit.saturating_sub(held) / column.max(1);
        if room < NEEDED {
            let megabytes = (held + NEEDED * column).div_ceil(1 << 20);
            return Err(Error::new(
                ErrorKind::Limit,
                format!(
                    "similarities between {rows} rows need at least {megabytes} MB, and the memory limit is {} MB",
                    limit >> 20
                ),
            )
            .hint(format!("set --memory-limit {megabytes} or more, or use fewer rows")));
        }
        let hashes = (0..rows).map(|row| hash(points.row(row))).collect();
        Ok(Distances { placed, rows, hashes, room, columns: HashMap::new(), clock: 0 })
    }

    /// Points and their coding.
    pub fn placed(&self) -> &Placed {
        &self.placed
    }

    /// All points.
    pub fn points(&self) -> &Points {
        &self.placed.points
    }

    /// A number that depends on a row's point alone.
    pub fn hash(&self, row: u32) -> u64 {
        self.hashes[row as usize]
    }

    /// Squared distances of all rows to this one.
    pub fn column(&mut self, row: u32, context: &Context) -> DistanceColumn {
        self.clock += 1;
        if let Some((used, column)) = self.columns.get_mut(&row) {
            *used = self.clock;
            return column.clone();
        }
        if self.columns.len() >= self.room
            && let Some(oldest) = self.columns.iter().min_by_key(|(_, (used, _))| *used).map(|(row, _)| *row)
        {
            self.columns.remove(&oldest);
        }
        let column = Arc::new(self.compute(row, context));
        self.columns.insert(row, (self.clock, column.clone()));
        column
    }

    /// Squared distance of two rows.
    pub fn between(&self, row: u32, other: u32) -> f32 {
        match self.columns.get(&row) {
            Some((_, column)) => column[other as usize],
            None => squared_distance(self.points().row(row as usize), self.points().row(other as usize)),
        }
    }

    /// Squared distances of some rows to this one.
    pub fn some(&self, row: u32, others: &[u32], out: &mut [f32]) {
        match self.columns.get(&row) {
            Some((_, column)) => out.iter_mut().zip(others).for_each(|(out, other)| *out = column[*other as usize]),
            None => scattered_distances(self.points(), others, self.points().row(row as usize), out),
        }
    }

    fn compute(&self, row: u32, context: &Context) -> Vec<f32> {
        const CHUNK: usize = 1024;
        let points = self.points();
        let length = points.length;
        let to = points.row(row as usize);
        let mut out = vec![0.0; self.rows];
        context.map_parts(&mut out, CHUNK, points.values.len(), |i, out| {
            squared_distances(&points.values[i * CHUNK * length..], to, out);
        });
        out
    }
}
