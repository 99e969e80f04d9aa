//! Two groups out of K classes (thesis 5.3): the sign of the leading eigenvector of U^T U.
//!
//! With u_n = g_n / sqrt(S), the N x N matrix U^T U and the K x K matrix U U^T share their leading eigenvalue, and
//! v_n is proportional to <u_n, z> with z the leading eigenvector of the small one. That is found by power
//! iteration, started from the weights alone so that a resumed run takes the same path.

/// z / sqrt(S): the sign of its product with a row's slopes is the row's group (b_n).
///
/// `slopes` is `[row][class]`, of all rows or of those that matter; `totals` the S_k.
pub fn direction(slopes: &[f32], totals: &[f64]) -> Vec<f64> {
    let k = totals.len();
    let roots: Vec<f64> = totals.iter().map(|s| if *s > 0.0 { 1.0 / s.sqrt() } else { 0.0 }).collect();
    let mut matrix = vec![0.0f64; k * k];
    pulp::Arch::new().dispatch(
        #[inline(always)]
        || products(slopes, k, &mut matrix),
    );
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

/// sum g g^T. In double precision: nearly equal eigenvalues would make the groups depend on rounding.
#[inline(always)]
fn products(slopes: &[f32], k: usize, matrix: &mut [f64]) {
    let mut wide = vec![0.0f64; k];
    for row in slopes.chunks_exact(k) {
        wide.iter_mut().zip(row).for_each(|(wide, g)| *wide = f64::from(*g));
        // The upper triangle is enough.
        for i in 0..k {
            let g = wide[i];
            matrix[i * k + i..(i + 1) * k].iter_mut().zip(&wide[i..]).for_each(|(sum, h)| *sum += g * h);
        }
    }
    for i in 0..k {
        for j in 0..i {
            matrix[i * k + j] = matrix[j * k + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_leading_direction() {
        // Slopes along (1, -1, 0), some along (0, 0, 1): the first dominates.
        let slopes = [[1.0, -1.0, 0.0], [2.0, -2.0, 0.1], [0.0, 0.0, 1.0], [-1.5, 1.5, 0.0]].concat();
        let z = direction(&slopes, &[1.0; 3]);
        assert!((z[0] + z[1]).abs() < 1e-2 * z[0].abs() && z[2].abs() < 0.1 * z[0].abs(), "{z:?}");
    }

    #[test]
    fn survives_weights_of_zero() {
        assert!(direction(&[0.0; 6], &[0.0; 3]).iter().all(|v| v.is_finite()));
    }
}
