//! Sine and cosine from additions, products and quotients alone.
//!
//! Those of the standard library are the platform's and differ in the last bit from one to another; data sets must
//! not. (Exponential and logarithm are in [`crate::math`].)

use std::f64::consts::FRAC_PI_2;

/// Sine and cosine of an angle of at most a few thousand turns, to about 1e-15.
pub(super) fn sin_cos(x: f64) -> (f64, f64) {
    // pi/2 in two parts, the first short enough that its products with small whole numbers are exact.
    const HIGH: f64 = 1.570_796_326_734_125_6;
    const LOW: f64 = 6.077_100_506_506_192e-11;
    let quarter = (x / FRAC_PI_2).round();
    let rest = (x - quarter * HIGH) - quarter * LOW;
    let square = rest * rest;
    // Taylor on |rest| <= pi/4: the first terms left out are below 1e-18.
    let sin = rest * (1..=9).rev().fold(1.0, |sum, i| 1.0 - sum * square / f64::from(2 * i * (2 * i + 1)));
    let cos = (1..=9).rev().fold(1.0, |sum, i| 1.0 - sum * square / f64::from(2 * i * (2 * i - 1)));
    match quarter.rem_euclid(4.0) as u8 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_platform(x in -7000.0f64..7000.0) {
            let (sin, cos) = sin_cos(x);
            prop_assert!((sin - x.sin()).abs() < 1e-15 && (cos - x.cos()).abs() < 1e-15, "{x} {sin} {cos}");
        }
    }

    #[test]
    fn starts_at_zero() {
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
    }
}
