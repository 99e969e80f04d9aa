//! Symmetric matrices: sums of outer products, their Cholesky factors and eigenvectors, by `faer`.
//!
//! `faer` always runs on one thread here. What is shared between threads is cut into fixed tiles, so the number of
//! threads never changes a bit; another processor may (its vectors are wider, or it fuses multiplications).

use crate::context::Context;
use crate::error::{Error, Result};
use crate::math::ln;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, ColMut, MatMut, MatRef, Par};

/// Columns of a tile: wider ones repack less, narrower ones compute less above the diagonal.
const TILE: usize = 128;

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
        self.back_solve(columns);
    }

    /// Replaces the columns x of a matrix by L'^-1 x.
    pub fn back_solve(&self, columns: &mut [f64]) {
        let count = columns.len() / self.size;
        let columns = MatMut::from_column_major_slice_mut(columns, self.size, count);
        solve_upper_triangular_in_place(self.lower().transpose(), columns, Par::Seq);
    }

    /// The diagonal of (L L')^-1: squared lengths of the columns of L^-1, each of which begins at its own row.
    pub fn inverse_diagonal(&self, context: &Context) -> Vec<f64> {
        let size = self.size;
        let parts = context.map(size.div_ceil(TILE), size * size * size / 3, |part| {
            let first = part * TILE;
            let (rows, count) = (size - first, TILE.min(size - first));
            let mut columns = vec![0.0; rows * count];
            (0..count).for_each(|i| columns[i * (rows + 1)] = 1.0);
            let below = self.lower().submatrix(first, first, rows, rows);
            solve_lower_triangular_in_place(
                below,
                MatMut::from_column_major_slice_mut(&mut columns, rows, count),
                Par::Seq,
            );
            columns.chunks_exact(rows).map(|column| column.iter().map(|x| x * x).sum()).collect::<Vec<f64>>()
        });
        parts.concat()
    }

    /// The sum of the logarithms of L's diagonal: half that of the matrix' determinant.
    pub fn log_diagonal(&self) -> f64 {
        (0..self.size).map(|i| ln(self.factor[i * (self.size + 1)])).sum()
    }

    /// The smallest part of a diagonal entry of the matrix that rows before it do not account for: near zero, the
    /// matrix is nearly singular.
    pub fn smallest_pivot(&self, matrix: &Symmetric) -> f64 {
        let pivot = |i: usize| self.factor[i * (self.size + 1)].powi(2) / matrix.values[i * (self.size + 1)];
        (0..self.size).map(pivot).fold(1.0, f64::min)
    }

    fn lower(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.factor, self.size, self.size)
    }
}

/// Eigenvalues, the largest first, and their eigenvectors (`[vector][row]`), each with its largest entry positive.
pub fn eigen(matrix: &Symmetric) -> Result<(Vec<f64>, Vec<f64>)> {
    let size = matrix.size;
    let (mut values, mut vectors) = (vec![0.0; size], vec![0.0; size * size]);
    let scratch = self_adjoint_evd_scratch::<f64>(size, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    self_adjoint_evd(
        MatRef::from_column_major_slice(&matrix.values, size, size),
        ColMut::from_slice_mut(&mut values).as_diagonal_mut(),
        Some(MatMut::from_column_major_slice_mut(&mut vectors, size, size)),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| Error::internal("the eigenvectors of a matrix were not found"))?;
    values.reverse();
    let mut sorted: Vec<f64> = vectors.chunks_exact(size.max(1)).rev().flatten().copied().collect();
    sorted.chunks_exact_mut(size.max(1)).for_each(make_positive);
    Ok((values, sorted))
}

/// Turns a vector so that its largest entry (of equals the first) is positive: eigenvectors have no sign of their own.
pub fn make_positive(vector: &mut [f64]) {
    let largest = vector.iter().fold(0.0f64, |most, x| if x.abs() > most.abs() { *x } else { most });
    if largest < 0.0 {
        vector.iter_mut().for_each(|x| *x = -*x);
    }
}

/// left right; all `[column][row]`, `rows` those of the left.
pub fn mixed(left: &[f64], right: &[f64], rows: usize) -> Vec<f64> {
    let inner = left.len() / rows.max(1);
    let mut out = vec![0.0; rows * (right.len() / inner.max(1))];
    mix(&mut out, left, right, rows);
    out
}

/// [`mixed`], into `out`.
pub fn mix(out: &mut [f64], left: &[f64], right: &[f64], rows: usize) {
    let columns = out.len() / rows.max(1);
    let inner = left.len() / rows.max(1);
    multiply(
        MatMut::from_column_major_slice_mut(out, rows, columns),
        MatRef::from_column_major_slice(left, rows, inner),
        MatRef::from_column_major_slice(right, inner, columns),
    );
}

/// left' right; all `[column][row]`.
pub fn product(left: &[f64], right: &[f64], rows: usize) -> Vec<f64> {
    let mut out = vec![0.0; (left.len() / rows.max(1)) * (right.len() / rows.max(1))];
    product_into(&mut out, left, right, rows);
    out
}

/// [`product`], into `out`.
pub fn product_into(out: &mut [f64], left: &[f64], right: &[f64], rows: usize) {
    let (size, columns) = (left.len() / rows.max(1), right.len() / rows.max(1));
    multiply(
        MatMut::from_column_major_slice_mut(out, size, columns),
        MatRef::from_column_major_slice(left, rows, size).transpose(),
        MatRef::from_column_major_slice(right, rows, columns),
    );
}

/// left right', the sum of the outer products of their columns, into `out`; all `[column][row]`, both with so many columns.
pub fn outer_into(out: &mut [f64], left: &[f64], right: &[f64], columns: usize) {
    let (rows, others) = (left.len() / columns.max(1), right.len() / columns.max(1));
    multiply(
        MatMut::from_column_major_slice_mut(out, rows, others),
        MatRef::from_column_major_slice(left, rows, columns),
        MatRef::from_column_major_slice(right, others, columns).transpose(),
    );
}

fn multiply(out: MatMut<'_, f64>, left: MatRef<'_, f64>, right: MatRef<'_, f64>) {
    matmul(out, Accum::Replace, left, right, 1.0, Par::Seq);
}
