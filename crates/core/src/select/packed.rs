//! Binary features as bits, 64 rows a word, for rows that weigh one: counts are `popcount`s.
//!
//! Rows are sorted by class and each class starts a word, so that the rows of a class that have both features are the
//! set bits of some words of `x & z`. All other counts of the table follow from it and from the features' own.

use super::codes::coded;
use super::information::{Informant, XLnX, bits};
use crate::context::Context;
use crate::data::Dataset;
use std::ops::Range;

/// Binary features, `[feature][word]`.
pub(super) struct Packed {
    words: usize,
    bits: Vec<u64>,
    /// Words of each class.
    segments: Vec<Range<usize>>,
    /// Rows of each class.
    classes: Vec<u32>,
    /// Rows of each class that have the feature, `[feature][class]`.
    ones: Vec<u32>,
    x_ln_x: XLnX,
    rows: f64,
    of_class: f64,
}

/// Features looked at before memory is asked for.
const PROBED: usize = 4;

impl Packed {
    /// `None` if a feature has more than two values (missing is one) or a row does not weigh one.
    pub fn new(data: &Dataset, features: &[usize], levels: usize, context: &Context) -> Option<Self> {
        if data.weights.iter().any(|w| *w != 1.0) || u32::try_from(data.rows()).is_err() {
            return None;
        }
        // Most tables show at once that they are not binary; all others are read once only.
        if features.iter().take(PROBED).any(|feature| coded(data, *feature, levels).1 > 2) {
            return None;
        }
        let mut classes = vec![0u32; data.class_count()];
        data.labels.iter().for_each(|y| classes[*y as usize] += 1);
        let mut start = 0;
        let segment = |rows: &u32| {
            let words = (*rows as usize).div_ceil(64);
            start += words;
            start - words..start
        };
        let segments: Vec<Range<usize>> = classes.iter().map(segment).collect();
        // The bit of each row.
        let mut next: Vec<usize> = segments.iter().map(|words| words.start * 64).collect();
        let place = |y: &u32| {
            next[*y as usize] += 1;
            next[*y as usize] - 1
        };
        let places: Vec<usize> = data.labels.iter().map(place).collect();
        let words = segments.last().map_or(0, |last| last.end);
        let mut bits = vec![0u64; words * features.len()];
        let work = data.rows() * features.len() * 8;
        let binary = context.map_parts(&mut bits, words, work, |i, out| {
            let (codes, size) = coded(data, features[i], levels);
            if size <= 2 {
                for (code, place) in codes.iter().zip(&places) {
                    out[place / 64] |= u64::from(*code) << (place % 64);
                }
            }
            size <= 2
        });
        if !binary.into_iter().all(|binary| binary) {
            return None;
        }
        let count = |i: usize| {
            let of = |words: &Range<usize>| ones(&bits[i * words_of(&segments)..][words.clone()]);
            segments.iter().map(of).collect::<Vec<u32>>()
        };
        let ones = context.map(features.len(), bits.len(), count).concat();
        let x_ln_x = XLnX::new(&data.weights);
        let of_class = classes.iter().map(|c| x_ln_x.at_count(*c)).sum();
        let rows = data.rows() as f64;
        Some(Packed { words, bits, segments, classes, ones, x_ln_x, rows, of_class })
    }

    #[inline(always)]
    fn feature(&self, feature: usize) -> (&[u64], &[u32]) {
        let classes = self.classes.len();
        (&self.bits[feature * self.words..][..self.words], &self.ones[feature * classes..][..classes])
    }
}

fn words_of(segments: &[Range<usize>]) -> usize {
    segments.last().map_or(0, |last| last.end)
}

fn ones(words: &[u64]) -> u32 {
    words.iter().map(|word| word.count_ones()).sum()
}

impl Informant for Packed {
    fn features(&self) -> usize {
        self.bits.len() / self.words.max(1)
    }

    fn work(&self) -> usize {
        self.words + 12 * self.classes.len()
    }

    #[inline(always)]
    fn alone(&self, feature: usize, _: &mut Vec<f64>) -> f64 {
        let (_, with) = self.feature(feature);
        let f = |count: u32| self.x_ln_x.at_count(count);
        let joint: f64 = with.iter().zip(&self.classes).map(|(one, all)| f(*one) + f(all - one)).sum();
        let one: u32 = with.iter().sum();
        let apart = joint - (f(one) + f(self.rows as u32 - one));
        bits((apart - self.of_class) / self.rows + crate::math::ln(self.rows))
    }

    #[inline(always)]
    fn given(&self, feature: usize, other: usize, _: &mut Vec<f64>) -> f64 {
        let ((x, x_ones), (z, z_ones)) = (self.feature(feature), self.feature(other));
        let f = |count: u32| self.x_ln_x.at_count(count);
        // Of rows with both features, with x only, with z only, with neither.
        let mut sums = [0u32; 4];
        let mut known = 0.0;
        for (k, words) in self.segments.iter().enumerate() {
            let common = x[words.clone()].iter().zip(&z[words.clone()]);
            let both: u32 = common.map(|(x, z)| (x & z).count_ones()).sum();
            let (x, z, all) = (x_ones[k], z_ones[k], self.classes[k]);
            let counts = [both, x - both, z - both, all + both - x - z];
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            // Grouped so that a copy of the other feature gives exactly nothing.
            known += (f(counts[0]) + f(counts[1])) + (f(counts[2]) + f(counts[3])) - (f(z) + f(all - z));
        }
        let [both, x, z, neither] = sums;
        let of_other = f(both + z) + f(x + neither);
        bits((known - (((f(both) + f(x)) + (f(z) + f(neither))) - of_other)) / self.rows)
    }
}
