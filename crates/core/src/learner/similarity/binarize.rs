//! Two groups out of K classes (thesis 5.3): the sign of the leading eigenvector of U^T U.
//!
//! With u_n = g_n / sqrt(S), the N x N matrix U^T U and the K x K matrix U U^T share their leading eigenvalue, and
//! v_n is proportional to <u_n, z> with z the leading eigenvector of the small one. That is found by power
//! iteration, started from the weights alone so that a resumed run takes the same path.

use super::focus::{Focus, TOGETHER};
use crate::context::Context;

/// z / sqrt(S): the sign of its product with a row's slopes is the row's group (b_n); `totals` are the S_k.
pub fn direction(focus: &Focus, totals: &[f64], context: &Context) -> Vec<f64> {
    leading(products(focus, totals.len(), context), totals)
}

fn leading(mut matrix: Vec<f64>, totals: &[f64]) -> Vec<f64> {
    let k = totals.len();
    let roots: Vec<f64> = totals.iter().map(|s| if *s > 0.0 { 1.0 / s.sqrt() } else { 0.0 }).collect();
    for i in 0..k {
        for j in 0..k {
            matrix[i * k + j] *= roots[i] * roots[j];
        }
    }
    // The column of the largest diagonal entry is never orthogonal to the leading eigenvector by accident alone.
    // Ties but for rounding go to the first class.
    let largest = (0..k).map(|i| matrix[i * k + i]).fold(0.0, f64::max);
    let start = (0..k).find(|i| matrix[i * k + i] >= (1.0 - 1e-9) * largest).unwrap_or(0);
    let mut z: Vec<f64> = matrix[start * k..][..k].to_vec();
    for _ in 0..40 {
        let norm = z.iter().map(|v| v * v).sum::<f64>().sqrt();
        if norm == 0.0 || !norm.is_finite() {
            return vec![1.0; k];
        }
        z.iter_mut().for_each(|v| *v /= norm);
        z = (0..k).map(|i| matrix[i * k..][..k].iter().zip(&z).map(|(m, v)| m * v).sum()).collect();
    }
    z.iter().zip(&roots).map(|(v, r)| v * r).collect()
}

/// sum g g^T, `[class][class]`. In double precision: nearly equal eigenvalues would make the groups depend on
/// rounding.
fn products(focus: &Focus, k: usize, context: &Context) -> Vec<f64> {
    const CHUNK: usize = 1024;
    let rows = focus.rows.len();
    let blocks = k.div_ceil(TOGETHER);
    // Pairs of blocks in the upper triangle: the rest follows.
    let pairs: Vec<(usize, usize)> = (0..blocks).flat_map(|i| (i..blocks).map(move |j| (i, j))).collect();
    let parts = context.map(rows.div_ceil(CHUNK), rows * k * k, |part| {
        let range = part * CHUNK..rows.min((part + 1) * CHUNK);
        let of = |block: usize| &focus.blocks[block * rows + range.start..block * rows + range.end];
        pairs.iter().map(|(i, j)| pulp::Arch::new().dispatch(Products(of(*i), of(*j)))).collect::<Vec<_>>()
    });
    let mut matrix = vec![0.0f64; k * k];
    for part in &parts {
        for ((first, second), tile) in pairs.iter().zip(part) {
            for (i, row) in (first * TOGETHER..k).zip(tile) {
                let cells = &mut matrix[i * k + second * TOGETHER..(i + 1) * k];
                cells.iter_mut().zip(row).for_each(|(cell, sum)| *cell += sum);
            }
        }
    }
    for i in 0..k {
        for j in 0..i {
            matrix[i * k + j] = matrix[j * k + i];
        }
    }
    matrix
}

/// sum g_i g_j for the classes i of one block and j of another.
struct Products<'a>(&'a [[f32; TOGETHER]], &'a [[f32; TOGETHER]]);

impl pulp::NullaryFnOnce for Products<'_> {
    type Output = [[f64; TOGETHER]; TOGETHER];

    #[inline(always)]
    fn call(self) -> Self::Output {
        let mut tile = [[0.0; TOGETHER]; TOGETHER];
        for (a, b) in self.0.iter().zip(self.1) {
            let b = b.map(f64::from);
            for i in 0..TOGETHER {
                let g = f64::from(a[i]);
                for j in 0..TOGETHER {
                    tile[i][j] += g * b[j];
                }
            }
        }
        tile
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn focus<const K: usize>(slopes: &[[f32; K]]) -> Focus {
        let mut blocks = vec![[0.0; TOGETHER]; slopes.len() * K.div_ceil(TOGETHER)];
        for (n, row) in slopes.iter().enumerate() {
            row.iter().enumerate().for_each(|(k, g)| blocks[k / TOGETHER * slopes.len() + n][k % TOGETHER] = *g);
        }
        Focus { rows: (0..slopes.len() as u32).collect(), blocks, curvatures: None, ridge: vec![0.0; K] }
    }

    /// More classes than fit into one block.
    #[test]
    fn products_are_those_of_the_definition() {
        let slopes: Vec<[f32; 19]> =
            (0..3000).map(|n| std::array::from_fn(|k| ((n * 7 + k * k * 3) % 11) as f32 - 5.0)).collect();
        let matrix = products(&focus(&slopes), 19, &Context::new(0, 2).unwrap());
        for i in 0..19 {
            for j in 0..19 {
                let sum: f32 = slopes.iter().map(|g| g[i] * g[j]).sum();
                assert_eq!(matrix[i * 19 + j], f64::from(sum), "{i} {j}");
            }
        }
    }

    #[test]
    fn finds_the_leading_direction() {
        // Slopes along (1, -1, 0), some along (0, 0, 1): the first dominates.
        let slopes = [[1.0, -1.0, 0.0], [2.0, -2.0, 0.1], [0.0, 0.0, 1.0], [-1.5, 1.5, 0.0]];
        let z = direction(&focus(&slopes), &[1.0; 3], &Context::new(0, 1).unwrap());
        assert!((z[0] + z[1]).abs() < 1e-2 * z[0].abs() && z[2].abs() < 0.1 * z[0].abs(), "{z:?}");
    }

    #[test]
    fn survives_weights_of_zero() {
        let z = direction(&focus(&[[0.0; 3]; 2]), &[0.0; 3], &Context::new(0, 1).unwrap());
        assert!(z.iter().all(|v| v.is_finite()));
    }
}
