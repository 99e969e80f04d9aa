//! Symmetric matrices: sums of outer products and their Cholesky factors, by `faer`.
//!
//! `faer` always runs on one thread here. What is shared between threads is cut into fixed tiles, so the number of
//! threads never changes a bit; another processor may (its vectors are wider, or it fuses multiplications).

use crate::context::Context;
use crate::error::{Error, Result};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, MatRef, Par};

/// Columns of a tile.
const TILE: usize = 64;

/// A symmetric matrix; only the lower triangle (and what tiles hold above it) is kept up to date.
#[derive(Clone)]
pub struct Symmetric {
    /// Rows and columns.
    pub size: usize,
    /// `[column][row]`.
    pub values: Vec<f64>,
}

impl Symmetric {
    /// All zero.
    pub fn zero(size: usize) -> Self {
        Symmetric { size, values: vec![0.0; size * size] }
    }

    /// Adds left' right, which must be symmetric; both are `[column][row]`.
    pub fn add(&mut self, left: &[f64], right: &[f64], context: &Context) {
        let size = self.size;
        let rows = left.len() / size.max(1);
        let work = size * left.len() / 2;
        context.map_parts(&mut self.values, TILE * size, work, |i, tile| {
            let (first, columns) = (i * TILE, tile.len() / size);
            let tile = MatMut::from_column_major_slice_mut(tile, size, columns).subrows_mut(first, size - first);
            let left = MatRef::from_column_major_slice(&left[first * rows..], rows, size - first);
            let right = MatRef::from_column_major_slice(&right[first * rows..][..columns * rows], rows, columns);
            matmul(tile, Accum::Add, left.transpose(), right, 1.0, Par::Seq);
        });
    }
}

/// L with L L' = a symmetric, positive definite matrix.
pub struct Cholesky {
    size: usize,
    /// `[column][row]`; what is above the diagonal has no meaning.
    factor: Vec<f64>,
}

impl Cholesky {
    /// The factor of a matrix with something added to its diagonal.
    pub fn new(matrix: &Symmetric, added: impl Fn(usize) -> f64) -> Result<Self> {
        let size = matrix.size;
        let mut factor = matrix.values.clone();
        (0..size).for_each(|i| factor[i * (size + 1)] += added(i));
        let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(size, Par::Seq, Default::default()));
        cholesky_in_place(
            MatMut::from_column_major_slice_mut(&mut factor, size, size),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Default::default(),
        )
        .map_err(|_| Error::internal("a matrix that must be positive definite is not"))?;
        Ok(Cholesky { size, factor })
    }

    /// Replaces the columns x of a matrix by L^-1 x.
    pub fn half_solve(&self, columns: &mut [f64]) {
        let count = columns.len() / self.size;
        let columns = MatMut::from_column_major_slice_mut(columns, self.size, count);
        solve_lower_triangular_in_place(self.lower(), columns, Par::Seq);
    }

    /// Replaces the columns x of a matrix by (L L')^-1 x.
    pub fn solve(&self, columns: &mut [f64]) {
        self.half_solve(columns);
        let count = columns.len() / self.size;
        let columns = MatMut::from_column_major_slice_mut(columns, self.size, count);
        solve_upper_triangular_in_place(self.lower().transpose(), columns, Par::Seq);
    }

    fn lower(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.factor, self.size, self.size)
    }
}

/// left' right; all `[column][row]`.
pub fn product(left: &[f64], right: &[f64], rows: usize) -> Vec<f64> {
    let (size, columns) = (left.len() / rows.max(1), right.len() / rows.max(1));
    let mut out = vec![0.0; size * columns];
    matmul(
        MatMut::from_column_major_slice_mut(&mut out, size, columns),
        Accum::Replace,
        MatRef::from_column_major_slice(left, rows, size).transpose(),
        MatRef::from_column_major_slice(right, rows, columns),
        1.0,
        Par::Seq,
    );
    out
}
