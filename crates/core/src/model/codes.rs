//! Values as bytes: how many of the thresholds that trees compare a feature with lie below a value.
//!
//! A value is at most the i-th threshold if its code is at most i. So a block of rows is coded once, and every question of
//! every tree compares bytes, of which a vector register holds most.

use super::coded::Coded;
use super::{Node, Test, WeakModel};
use crate::data::{Column, Features, MISSING_LEVEL, Numeric};

/// Rows that are coded and asked together: a register of the widest kind.
pub(super) const GROUP: usize = 64;
/// One byte a row, in one line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Lanes(pub [u8; GROUP]);
/// Thresholds of a place at most. A feature that is compared with more takes several places.
const MOST: usize = 254;
/// The code of a missing value, above all others.
const MISSING: u8 = 255;
/// Values that are looked for side by side.
const ABREAST: usize = 8;

/// What numbers are compared with.
pub(super) struct Coder {
    /// By feature and threshold, both rising.
    places: Vec<Place>,
}

/// One feature and some of its thresholds.
struct Place {
    feature: u32,
    count: usize,
    /// Filled up with infinity to a power of two.
    thresholds: Vec<f64>,
    /// The codes of whole numbers, which columns of bytes hold.
    of_bytes: [u8; 256],
}

/// The codes of a block of rows.
pub(super) struct Codes {
    /// `[place][group]`.
    lanes: Vec<Lanes>,
    groups: usize,
}

impl Coder {
    /// For the questions about numbers of these learners' trees.
    pub fn new<'a>(learners: impl Iterator<Item = &'a WeakModel>) -> Self {
        fn collect<L>(nodes: &[Node<L>], all: &mut Vec<(u32, f64)>) {
            let nodes = nodes.iter().filter(|_| Coded::may(nodes));
            all.extend(nodes.filter_map(|node| match node {
                Node::Split { feature, test: Test::AtMost(threshold), .. } => Some((*feature, *threshold)),
                _ => None,
            }));
        }
        let mut all = Vec::new();
        for learner in learners {
            match learner {
                WeakModel::Tree(tree) => collect(&tree.nodes, &mut all),
                WeakModel::Regions(tree) => collect(&tree.nodes, &mut all),
                _ => {}
            }
        }
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        all.dedup();
        let of_features = all.chunk_by(|a, b| a.0 == b.0);
        Coder { places: of_features.flat_map(|thresholds| thresholds.chunks(MOST)).map(Place::new).collect() }
    }

    /// Where the code of a feature is found that says whether it is at most this threshold, and the largest code of which that
    /// is true.
    pub fn question(&self, feature: u32, threshold: f64) -> Option<(u32, u8)> {
        let before = |place: &Place| (place.feature, place.thresholds[place.count - 1]) < (feature, threshold);
        let number = self.places.partition_point(before);
        let place = self.places.get(number).filter(|place| place.feature == feature)?;
        let bound = place.thresholds[..place.count].partition_point(|t| *t < threshold);
        Some((number as u32, bound as u8))
    }

    /// The codes of `rows` rows from `start` on.
    pub fn block(&self, features: &Features, start: usize, rows: usize) -> Codes {
        let groups = rows.div_ceil(GROUP);
        let mut lanes = vec![Lanes([0; GROUP]); self.places.len() * groups];
        let mut numbers = vec![0.0; groups * GROUP];
        let mut read: Option<u32> = None;
        for (place, lanes) in self.places.iter().zip(lanes.chunks_exact_mut(groups.max(1))) {
            match &features.columns[place.feature as usize] {
                Column::Numeric(Numeric::U8(values)) => {
                    for (lanes, values) in lanes.iter_mut().zip(values[start..start + rows].chunks(GROUP)) {
                        let pairs = lanes.0.iter_mut().zip(values);
                        pairs.for_each(|(out, value)| *out = place.of_bytes[usize::from(*value)]);
                    }
                    continue;
                }
                _ if read == Some(place.feature) => {}
                Column::Numeric(values) => values.read(start, &mut numbers[..rows]),
                Column::Categorical(levels) => {
                    let code = |code: u32| if code == MISSING_LEVEL { f64::NAN } else { f64::from(code) };
                    numbers.iter_mut().zip(&levels.codes[start..start + rows]).for_each(|(n, c)| *n = code(*c));
                }
            }
            read = Some(place.feature);
            for (lanes, numbers) in lanes.iter_mut().zip(numbers.as_chunks::<GROUP>().0) {
                for (out, numbers) in lanes.0.as_chunks_mut().0.iter_mut().zip(numbers.as_chunks().0) {
                    place.codes(numbers, out);
                }
            }
        }
        Codes { lanes, groups }
    }
}

impl Place {
    fn new(all: &[(u32, f64)]) -> Self {
        let count = all.len();
        let mut thresholds: Vec<f64> = all.iter().map(|(_, threshold)| *threshold).collect();
        thresholds.resize((count + 1).next_power_of_two(), f64::INFINITY);
        let mut place = Place { feature: all[0].0, count, thresholds, of_bytes: [0; 256] };
        let mut code = 0;
        for value in 0..256 {
            while code < count && place.thresholds[code] < value as f64 {
                code += 1;
            }
            place.of_bytes[value] = code as u8;
        }
        place
    }

    /// Halves the range for several values in turn, without a jump: one alone would wait for each comparison.
    #[inline]
    fn codes(&self, values: &[f64; ABREAST], out: &mut [u8; ABREAST]) {
        let last = self.thresholds.len() - 1;
        let mut below = [0usize; ABREAST];
        let mut step = self.thresholds.len() / 2;
        while step > 0 {
            for (below, value) in below.iter_mut().zip(values) {
                let threshold = self.thresholds[(*below + step - 1) & last];
                *below += if threshold < *value { step } else { 0 };
            }
            step /= 2;
        }
        for (out, (below, value)) in out.iter_mut().zip(below.iter().zip(values)) {
            *out = if value.is_nan() { MISSING } else { *below as u8 };
        }
    }
}

impl Codes {
    /// Those of a place for some rows.
    #[inline(always)]
    pub fn of(&self, place: u32, group: usize) -> &Lanes {
        &self.lanes[place as usize * self.groups + group]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// More thresholds than a place holds, values on and beside them, infinite and missing ones.
        #[test]
        fn codes_compare_as_values_do(
            thresholds in prop::collection::vec(-300i16..300, 1..700),
            values in prop::collection::vec(prop_oneof![
                20 => (-700i16..700).prop_map(|v| f64::from(v) / 2.0),
                1 => Just(f64::NAN), 1 => Just(f64::INFINITY), 1 => Just(f64::NEG_INFINITY), 1 => Just(-0.0),
            ], 1..200),
            bytes in any::<bool>(),
        ) {
            let mut all: Vec<(u32, f64)> = thresholds.iter().map(|t| (0, f64::from(*t))).collect();
            all.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
            all.dedup();
            let coder = Coder { places: all.chunks(MOST).map(Place::new).collect() };
            let small: Vec<u8> = values.iter().map(|v| *v as u8).collect();
            let values = if bytes { small.iter().map(|v| f64::from(*v)).collect() } else { values };
            let column = if bytes { Numeric::U8(small) } else { Numeric::F64(values.clone()) };
            let rows = values.len();
            let features = Features { columns: vec![Column::Numeric(column)], rows };
            let codes = coder.block(&features, 0, rows);
            for (_, threshold) in all {
                let (place, bound) = coder.question(0, threshold).unwrap();
                for (row, value) in values.iter().enumerate() {
                    let code = codes.of(place, row / GROUP).0[row % GROUP];
                    prop_assert_eq!(code <= bound, *value <= threshold, "{} <= {}", value, threshold);
                    prop_assert_eq!(code == MISSING, value.is_nan());
                }
            }
        }
    }
}
