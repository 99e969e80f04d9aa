//! Elementary functions of our own, so that a model file does not depend on the platform's mathematics library.
//!
//! Only additions, multiplications, divisions and bit operations in a fixed order: the result is the same on every
//! machine, and loops over [`exp`] vectorise. Accuracy: about one unit in the last place over the useful range.

const LN_2_HI: f64 = 6.931_471_803_691_238e-1;
const LN_2_LO: f64 = 1.908_214_929_270_587_7e-10;

/// e^x, for x clamped to [-700, 700] so that the result is a normal number.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52: adding it rounds to the nearest integer
    let x = x.clamp(-700.0, 700.0);
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN_2_HI) - n * LN_2_LO;
    // Taylor to degree 13 on |r| <= ln(2)/2: remainder below 1e-17.
    let mut p = 1.0 / 6_227_020_800.0;
    for c in [
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        p = p * r + c;
    }
    // The low bits of `shifted` hold n; moved into the exponent field they multiply by 2^n.
    let power = shifted.to_bits().wrapping_add(1023).wrapping_shl(52);
    p * f64::from_bits(power)
}

/// e^x of every number: [`exp`], compiled for several instruction sets and chosen at run time.
pub fn exp_all(values: &mut [f64]) {
    pulp::Arch::new().dispatch(ExpAll { values });
}

/// A struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct ExpAll<'a> {
    values: &'a mut [f64],
}

impl pulp::NullaryFnOnce for ExpAll<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.values.iter_mut().for_each(|x| *x = exp(*x));
    }
}

/// The hyperbolic tangent, to 2e-16 of one; never outside [-1, 1].
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

/// [`tanh`] of every number, as [`exp_all`].
pub fn tanh_all(values: &mut [f64]) {
    pulp::Arch::new().dispatch(TanhAll { values });
}

struct TanhAll<'a> {
    values: &'a mut [f64],
}

impl pulp::NullaryFnOnce for TanhAll<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.values.iter_mut().for_each(|x| *x = tanh(*x));
    }
}

/// Natural logarithm of a positive, finite number; minus infinity at zero.
pub fn ln(x: f64) -> f64 {
    if x <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if x == f64::INFINITY {
        return x;
    }
    // Subnormal numbers have no implicit bit: bring them into the normal range first.
    let (x, shift) = if x < f64::MIN_POSITIVE { (x * 2f64.powi(54), -54.0) } else { (x, 0.0) };
    let bits = x.to_bits();
    let mut exponent = ((bits >> 52) as i64 - 1023) as f64 + shift;
    let mut m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1.0;
    }
    let tail = atanh_series((m - 1.0) / (m + 1.0), 12);
    exponent * LN_2_HI + (exponent * LN_2_LO + 2.0 * tail)
}

/// ln(1 + e^x) without overflow or cancellation.
pub fn softplus(x: f64) -> f64 {
    let y = exp(-x.abs());
    // ln(1 + y) = 2 atanh(y / (2 + y)), exact for small y too.
    x.max(0.0) + 2.0 * atanh_series(y / (2.0 + y), 18)
}

/// 1 / (1 + e^-x).
#[inline(always)]
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

fn atanh_series(s: f64, terms: u32) -> f64 {
    let s2 = s * s;
    let mut sum = 0.0;
    for i in (0..terms).rev() {
        sum = sum * s2 + 1.0 / f64::from(2 * i + 1);
    }
    sum * s
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 4e-16 * b.abs().max(1e-290) * 2.0
    }

    proptest! {
        #[test]
        fn many_exponentials_are_each_one(x in prop::collection::vec(-800.0..800.0f64, 0..40)) {
            let mut all = x.clone();
            exp_all(&mut all);
            prop_assert!(all.iter().zip(&x).all(|(all, x)| all.to_bits() == exp(*x).to_bits()));
        }

        #[test]
        fn exp_is_std_exp(x in -690.0..690.0f64) {
            prop_assert!(close(exp(x), x.exp()), "{} {}", exp(x), x.exp());
        }

        #[test]
        fn tanh_is_std_tanh(x in prop::collection::vec(-800.0..800.0f64, 1..40), scale in 0.0..1.0f64) {
            let x: Vec<f64> = x.iter().map(|x| x * scale * scale * scale).collect();
            let mut all = x.clone();
            tanh_all(&mut all);
            for (all, x) in all.iter().zip(&x) {
                prop_assert_eq!(all.to_bits(), tanh(*x).to_bits());
                prop_assert!((all - x.tanh()).abs() <= 4e-16 && all.abs() <= 1.0, "{} {}", all, x.tanh());
            }
        }

        #[test]
        fn ln_is_std_ln(e in -300.0..300.0f64, m in 1.0..10.0f64) {
            let x = m * 10f64.powf(e);
            prop_assert!((ln(x) - x.ln()).abs() <= 5e-16 * x.ln().abs().max(1.0));
        }

        #[test]
        fn softplus_is_stable(x in -600.0..600.0f64) {
            let expected = x.max(0.0) + (-x.abs()).exp().ln_1p();
            prop_assert!((softplus(x) - expected).abs() <= 1e-15 * expected.max(1e-300) * 4.0);
        }
    }

    #[test]
    fn edges() {
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(1e9).is_finite() && exp(-1e9) > 0.0);
        assert_eq!(ln(1.0), 0.0);
        assert!((ln(5e-324) - 5e-324f64.ln()).abs() < 1e-12);
    }
}
