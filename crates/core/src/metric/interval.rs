//! How far an error rate measured on few rows can be trusted.

/// The 97.5 % point of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's 95 % interval (1927) for the error rate behind `errors` mistakes in `n` rows. Unlike the textbook's
/// p +- 2 s it stays within 0 and 1 and is honest at no mistakes at all. Without rows everything is possible: (0, 1).
/// With row weights, give the effective number of rows, (sum w)^2 / sum w^2, and the error rate times it.
pub fn wilson_interval(errors: f64, n: f64) -> (f64, f64) {
    if !(errors.is_finite() && n.is_finite() && n > 0.0) {
        return (0.0, 1.0);
    }
    let p = (errors / n).clamp(0.0, 1.0);
    let shrink = 1.0 + Z * Z / n;
    let centre = (p + Z * Z / (2.0 * n)) / shrink;
    let half = Z / shrink * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    // Rounding must not push the measured rate itself out.
    ((centre - half).clamp(0.0, p), (centre + half).clamp(p, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn contains_the_measured_rate_and_narrows_with_n(n in 1u32..1_000_000, share in 0.0f64..=1.0) {
            let (n, errors) = (f64::from(n), (f64::from(n) * share).floor());
            let (low, high) = wilson_interval(errors, n);
            prop_assert!(0.0 <= low && low <= errors / n && errors / n <= high && high <= 1.0 && low < high);
            let (low4, high4) = wilson_interval(4.0 * errors, 4.0 * n);
            prop_assert!(high4 - low4 < high - low);
        }
    }

    #[test]
    fn known_values() {
        // R: prop.test(10, 100, correct = FALSE).
        let (low, high) = wilson_interval(10.0, 100.0);
        assert!((low - 0.055_229).abs() < 1e-6 && (high - 0.174_366).abs() < 1e-6, "{low} {high}");
        assert_eq!(wilson_interval(0.0, 0.0), (0.0, 1.0));
        assert_eq!(wilson_interval(0.0, 50.0).0, 0.0);
    }
}
