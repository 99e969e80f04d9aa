//! A split in terms of bins, and its translation to raw values.

use crate::binning::{BinMap, MISSING_BIN};
use crate::model::Test;

/// Which bins of a feature go left.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// Feature number.
    pub feature: usize,
    /// Side of each of the 256 bin codes; the missing bin is the last.
    pub left: Box<[bool; 256]>,
    /// For an ordered feature: the last bin that goes left.
    pub threshold: Option<u8>,
}

impl Split {
    /// Bins up to `last` go left; missing as said.
    pub(crate) fn ordered(feature: usize, last: u8, missing_left: bool) -> Self {
        let mut left = Box::new([false; 256]);
        left[..=last as usize].fill(true);
        left[MISSING_BIN as usize] = missing_left;
        Split { feature, left, threshold: Some(last) }
    }

    /// These bins go left, all others right.
    pub(crate) fn subset(feature: usize, bins: &[u8]) -> Self {
        let mut left = Box::new([false; 256]);
        bins.iter().for_each(|&b| left[b as usize] = true);
        Split { feature, left, threshold: None }
    }

    /// Where missing values go.
    pub fn missing_left(&self) -> bool {
        self.left[MISSING_BIN as usize]
    }

    /// The same question about raw values.
    pub fn test(&self, map: &BinMap) -> Test {
        match map {
            // Behind the last bin there is no cut: every value goes left, only missing ones go right.
            BinMap::Numeric { cuts } => {
                Test::AtMost(self.threshold.and_then(|t| cuts.get(t as usize).copied()).unwrap_or(f64::MAX))
            }
            BinMap::Categorical { bin_of_level, .. } => Test::OneOf(
                (0u32..).zip(bin_of_level).filter(|(_, bin)| self.left[**bin as usize]).map(|(l, _)| l).collect(),
            ),
        }
    }
}

/// The better of two candidates by `score` (higher is better), ties to the lower feature, then to the earlier one.
#[derive(Clone, Debug)]
pub(super) struct Best<S> {
    pub score: S,
    pub split: Split,
}

/// Order in which the 256 codes of a categorical feature are scanned: by `key`, ties by code. Missing is a level.
pub(super) fn scan_order(bins: usize, key: impl Fn(u8) -> f64) -> Vec<u8> {
    let mut order: Vec<u8> = (0..bins).map(|b| b as u8).chain([MISSING_BIN]).collect();
    order.sort_by(|&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
    order
}
