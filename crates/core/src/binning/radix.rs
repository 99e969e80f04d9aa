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
    Some(sort(keyed(numbers, |row, key| (key, row))?, |pair| pair.0))
}

/// Values in rising order, without their rows. `None` where comparing is the better way.
pub(super) fn sorted_values(numbers: &Numeric) -> Option<impl Iterator<Item = f64>> {
    let keys = sort(keyed(numbers, |_, key| key)?, |key| *key);
    let of_floats = matches!(numbers, Numeric::F32(_));
    Some(keys.into_iter().map(move |key| if of_floats { float(key) } else { f64::from((key ^ SIGN) as i32) }))
}

/// What is made of each row that has a value, and of its key. Keys are in the order of values.
fn keyed<T>(numbers: &Numeric, make: impl Fn(u32, u32) -> T) -> Option<Vec<T>> {
    if numbers.len() < FEWEST || u32::try_from(numbers.len()).is_err() {
        return None;
    }
    match numbers {
        Numeric::F32(values) => {
            let known = (0u32..).zip(values).filter(|(_, value)| !value.is_nan());
            // Both zeros are one.
            Some(known.map(|(row, value)| make(row, key((value + 0.0).to_bits()))).collect())
        }
        Numeric::I32(values) => {
            let known = (0u32..).zip(values).filter(|(_, value)| **value != i32::MIN);
            Some(known.map(|(row, value)| make(row, *value as u32 ^ SIGN)).collect())
        }
        _ => None,
    }
}

fn sort<T: Copy>(mut items: Vec<T>, key: impl Fn(&T) -> u32) -> Vec<T> {
    let mut other = items.clone();
    for pass in 0..3 {
        let digit = |item: &T| (key(item) >> (pass * BITS)) as usize % DIGITS;
        let mut ends = [0usize; DIGITS];
        items.iter().for_each(|item| ends[digit(item)] += 1);
        let mut start = 0;
        for end in &mut ends {
            (*end, start) = (start, start + *end);
        }
        for item in &items {
            let place = &mut ends[digit(item)];
            other[*place] = *item;
            *place += 1;
        }
        std::mem::swap(&mut items, &mut other);
    }
    items
}

const SIGN: u32 = 1 << 31;

/// Negative numbers in reverse, below the others.
fn key(bits: u32) -> u32 {
    if bits & SIGN != 0 { !bits } else { bits | SIGN }
}

/// The number of this key.
fn float(key: u32) -> f64 {
    f64::from(f32::from_bits(if key & SIGN != 0 { key ^ SIGN } else { !key }))
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
            prop_assert_eq!(found.iter().map(|pair| pair.1).collect::<Vec<_>>(), expected.clone());
            let alone: Vec<f64> = sorted_values(&Numeric::F32(values.clone())).unwrap().collect();
            prop_assert_eq!(alone, expected.iter().map(|&row| f64::from(values[row as usize])).collect::<Vec<_>>());
            for pair in found.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|(_, row)| values[row as usize]);
                prop_assert_eq!(pair[0].0 == pair[1].0, a == b);
            }
        }

        #[test]
        fn sorts_integers(values in prop::collection::vec(any::<i32>(), FEWEST..2 * FEWEST)) {
            let mut expected: Vec<f64> = values.iter().filter(|v| **v != i32::MIN).map(|v| f64::from(*v)).collect();
            expected.sort_by(f64::total_cmp);
            prop_assert_eq!(sorted_values(&Numeric::I32(values)).unwrap().collect::<Vec<_>>(), expected);
        }
    }
}
