//! Random parts of rows and features.

use crate::data::synthetic::random::below;
use rand_chacha::ChaCha8Rng;

/// So many of the numbers below `of`, in rising order (selection sampling: Knuth, Algorithm S).
pub(crate) fn rising(count: usize, of: usize, rng: &mut ChaCha8Rng) -> Vec<u32> {
    let mut chosen = Vec::with_capacity(count);
    for i in 0..of {
        let wanted = count - chosen.len();
        if wanted > 0 && below((of - i) as u64, rng) < wanted as u64 {
            chosen.push(i as u32);
        }
    }
    chosen
}

/// A share of a number, at least one.
pub(super) fn share_of(share: f64, of: usize) -> usize {
    ((share * of as f64).round() as usize).clamp(1.min(of), of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::stream;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_sample_is_rising_and_complete(of in 1usize..200, share in 0.0..=1.0f64, seed in any::<u64>()) {
            let count = share_of(share, of);
            let chosen = rising(count, of, &mut stream(seed, "test"));
            prop_assert_eq!(chosen.len(), count);
            prop_assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(chosen.iter().all(|i| (*i as usize) < of));
        }
    }
}
