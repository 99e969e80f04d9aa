//! Random numbers whose values are a promise: own transformations of the generator's bits, so that an update of a
//! library, or another machine's mathematics, changes no data set and no fold.

use crate::math;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Uniform in [0, 1), a multiple of 2^-53.
pub(crate) fn unit(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Uniform in `low..high`.
pub(crate) fn between(low: f64, high: f64, rng: &mut ChaCha8Rng) -> f64 {
    low + (high - low) * unit(rng)
}

/// Uniform in `0..bound` (0 if the bound is 0): the high half of a product, with the rejection that makes it exact
/// (Lemire 2019, "Fast random integer generation in an interval").
pub(crate) fn below(bound: u64, rng: &mut ChaCha8Rng) -> u64 {
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(bound);
        // The products whose low half is below 2^64 mod bound are the surplus.
        if bound == 0 || product as u64 >= bound.wrapping_neg() % bound {
            return (product >> 64) as u64;
        }
    }
}

/// Random order (Fisher and Yates).
pub(crate) fn shuffle<T>(items: &mut [T], rng: &mut ChaCha8Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last as u64 + 1, rng) as usize);
    }
}

/// Standard normal deviates by Marsaglia's polar method: a uniform point of the unit disc, at squared radius s, times
/// sqrt(-2 ln s / s) is a pair of independent deviates. It needs a logarithm but no sine.
#[derive(Default)]
pub(crate) struct Normal {
    spare: Option<f64>,
}

impl Normal {
    /// The next deviate.
    pub(crate) fn next(&mut self, rng: &mut ChaCha8Rng) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (u, v) = (between(-1.0, 1.0, rng), between(-1.0, 1.0, rng));
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                let factor = (-2.0 * math::ln(s) / s).sqrt();
                self.spare = Some(v * factor);
                return u * factor;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::stream;

    #[test]
    fn normal_deviates_have_the_moments_of_the_normal_distribution() {
        let (mut rng, mut normal, n) = (stream(1, "test"), Normal::default(), 200_000);
        let mut moments = [0.0; 4];
        for _ in 0..n {
            let x = normal.next(&mut rng);
            for (power, sum) in moments.iter_mut().enumerate() {
                *sum += x.powi(power as i32 + 1) / f64::from(n);
            }
        }
        // Five standard errors: the variances of x, x^2, x^3, x^4 are 1, 2, 15, 96.
        for ((moment, expected), variance) in moments.iter().zip([0.0, 1.0, 0.0, 3.0]).zip([1.0, 2.0, 15.0, 96.0]) {
            assert!((moment - expected).abs() < 5.0 * f64::sqrt(variance / f64::from(n)), "{moments:?}");
        }
    }

    #[test]
    fn below_is_uniform_and_bounded() {
        let mut rng = stream(2, "test");
        let mut counts = [0; 7];
        for _ in 0..70_000 {
            counts[below(7, &mut rng) as usize] += 1;
        }
        assert!(counts.iter().all(|c| (9_500..10_500).contains(c)), "{counts:?}");
        assert_eq!([below(0, &mut rng), below(1, &mut rng)], [0, 0]);
    }

    #[test]
    fn shuffle_keeps_the_items() {
        let mut items: Vec<u32> = (0..1000).collect();
        shuffle(&mut items, &mut stream(3, "test"));
        assert!(items.windows(2).any(|w| w[0] > w[1]));
        items.sort_unstable();
        assert!(items.iter().zip(0..).all(|(a, b)| *a == b));
    }
}
