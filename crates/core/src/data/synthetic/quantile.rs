//! Quantiles of the chi-square distribution, the law of the squared radius of a standard normal point.
//!
//! They place the shells of `spheres` where the *distribution* is cut into equal parts. Cutting the sample instead
//! would put the shells of a training and a test set at different radii, which is label noise.

use crate::math::{exp, ln};

/// The radius squared below which a share `p` (0 < p < 1) of a chi-square distribution lies.
pub(super) fn chi_square_quantile(p: f64, freedom: usize) -> f64 {
    let freedom = freedom as f64;
    // Forty standard deviations hold every share below one that double precision can tell from it.
    let (mut low, mut high) = (0.0, freedom + 40.0 * (2.0 * freedom).sqrt());
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if chi_square_below(middle, freedom) < p { low = middle } else { high = middle }
    }
}

/// The share of the distribution below `x`: the regularised incomplete gamma function P(a, y), a = freedom/2 and
/// y = x/2, by its series y^a e^-y / Gamma(a+1) * (1 + y/(a+1) + y^2/((a+1)(a+2)) + ...), all of whose terms are
/// positive.
fn chi_square_below(x: f64, freedom: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        return 0.0;
    }
    let (a, y) = (0.5 * freedom, 0.5 * x);
    let (mut term, mut sum, mut denominator) = (1.0, 1.0, a);
    while term > sum * 1e-17 {
        denominator += 1.0;
        term *= y / denominator;
        sum += term;
    }
    exp(a * ln(y) - y - ln_gamma_above(a) + ln(sum)).min(1.0)
}

/// ln Gamma(a + 1) for a multiple of one half: down by Gamma(z + 1) = z Gamma(z) to Gamma(1) or Gamma(1/2).
fn ln_gamma_above(a: f64) -> f64 {
    let (mut z, mut sum) = (a, 0.0);
    while z > 0.25 {
        sum += ln(z);
        z -= 1.0;
    }
    // z ended at 0, with Gamma(1) = 1, or at -1/2, with Gamma(1/2) = sqrt(pi).
    if z < -0.25 { sum + 0.5 * ln(std::f64::consts::PI) } else { sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_tables() {
        // R: qchisq(p, df), 12 digits.
        let table = [
            (0.5, 10, 9.341_817_765_59),
            (0.2, 10, 6.179_079_256_06),
            (0.8, 10, 13.441_957_574_9),
            (0.95, 1, 3.841_458_820_69),
            (0.99, 3, 11.344_866_730_1),
        ];
        for (p, freedom, expected) in table {
            let found = chi_square_quantile(p, freedom);
            assert!((found / expected - 1.0).abs() < 1e-10, "{p} {freedom}: {found}");
        }
        // Two degrees of freedom: an exponential distribution.
        assert!((chi_square_quantile(0.9, 2) - 2.0 * f64::ln(10.0)).abs() < 1e-12);
    }

    #[test]
    fn inverts_the_distribution() {
        for freedom in [1, 2, 5, 10, 101, 10_000] {
            let mut last = 0.0;
            for p in [1e-3, 0.01, 0.3, 0.5, 0.9, 0.999] {
                let x = chi_square_quantile(p, freedom);
                assert!(x > last && (chi_square_below(x, freedom as f64) - p).abs() < 1e-9, "{freedom} {p} {x}");
                last = x;
            }
        }
    }
}
