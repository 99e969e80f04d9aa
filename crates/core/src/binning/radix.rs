//! Sorting many values of 32 bits by their digits: a few passes over the rows, whatever their number, and stable.

use crate::data::Numeric;

/// Digits of eleven bits: three of them are 32.
const BITS: u32 = 11;
const DIGITS: usize = 1 << BITS;
/// Below this many rows comparing is as fast.
const FEWEST: usize = 4096;

/// Rows with a value by rising value, rows of equal value in order, each with a key that equal values share. `None` where
/// comparing is the better way.
pub(super) fn sorted(numbers: &Numeric) -> Option<Vec<(u32, u32)>> {
    let rows = numbers.len();
    if rows < FEWEST || u32::try_from(rows).is_err() {
        return None;
    }
    let mut pairs: Vec<(u32, u32)> = match numbers {
        // Negative numbers in reverse, below the others; both zeros are one.
        Numeric::F32(values) => {
            let known = (0u32..).zip(values).filter(|(_, value)| !value.is_nan());
            known.map(|(row, value)| (key((value + 0.0).to_bits()), row)).collect()
        }
        Numeric::I32(values) => {
            let known = (0u32..).zip(values).filter(|(_, value)| **value != i32::MIN);
            known.map(|(row, value)| (*value as u32 ^ 1 << 31, row)).collect()
        }
        _ => return None,
    };
    let mut other = vec![(0, 0); pairs.len()];
    for pass in 0..3 {
        let digit = |key: u32| (key >> (pass * BITS)) as usize % DIGITS;
        let mut ends = [0usize; DIGITS];
        pairs.iter().for_each(|(key, _)| ends[digit(*key)] += 1);
        let mut start = 0;
        for end in &mut ends {
            (*end, start) = (start, start + *end);
        }
        for pair in &pairs {
            let place = &mut ends[digit(pair.0)];
            other[*place] = *pair;
            *place += 1;
        }
        std::mem::swap(&mut pairs, &mut other);
    }
    Some(pairs)
}

fn key(bits: u32) -> u32 {
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn sorts_as_comparing_does(values in prop::collection::vec(any::<f32>(), FEWEST..2 * FEWEST), few in any::<bool>()) {
            let values: Vec<f32> = values.iter().map(|v| if few { v.signum() * (v % 3.0).trunc() } else { *v }).collect();
            let mut expected: Vec<u32> = (0..values.len() as u32).filter(|&row| !values[row as usize].is_nan()).collect();
            expected.sort_by(|&a, &b| (values[a as usize] + 0.0).total_cmp(&(values[b as usize] + 0.0)));
            let found = sorted(&Numeric::F32(values.clone())).unwrap();
            prop_assert_eq!(found.iter().map(|pair| pair.1).collect::<Vec<_>>(), expected);
            for pair in found.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|(_, row)| values[row as usize]);
                prop_assert_eq!(pair[0].0 == pair[1].0, a == b);
            }
        }
    }
}
