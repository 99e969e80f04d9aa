//! Bins: every feature as at most 255 ordered codes and one for missing, made once and shared by all rounds.
//!
//! A split search then adds small integers up instead of sorting values. Columns in which one bin holds most rows
//! keep only the others (`Sparse`): the common bin follows from the totals, exactly, because histograms are sums
//! of integers.

mod map;
mod radix;

pub use map::BinMap;
pub(crate) use map::between;

use crate::context::Context;
use crate::data::{Column, Dataset, FeatureKind, Numeric};
use std::borrow::Cow;

/// Code of a missing value.
pub const MISSING_BIN: u8 = 255;
/// Most bins a feature can have besides the missing one.
pub const MAX_BINS: usize = 255;

/// One feature, binned.
#[derive(Clone, Debug)]
pub enum BinColumn {
    /// One code a row.
    Dense(Vec<u8>),
    /// Only rows outside the commonest bin, in order.
    Sparse {
        /// The bin of all rows not listed.
        common: u8,
        /// Row numbers, rising.
        rows: Vec<u32>,
        /// Their bins.
        bins: Vec<u8>,
    },
}

/// All features of a data set, binned.
pub struct BinnedDataset {
    /// Number of rows.
    pub rows: usize,
    /// One a feature.
    pub columns: Vec<BinColumn>,
    /// What the bins mean, one a feature.
    pub maps: Vec<BinMap>,
    missing: Vec<bool>,
}

impl BinnedDataset {
    /// Bins a data set into at most `bins` bins a feature, by weighted quantiles.
    pub fn new(data: &Dataset, bins: usize, context: &Context) -> Self {
        let features = &data.schema.features;
        let work = data.rows() * features.len() * 8;
        let (columns, maps) = context
            .map(features.len(), work, |i| {
                let column = &data.features.columns[i];
                let map = match &features[i].kind {
                    FeatureKind::Numeric => BinMap::numeric(column, &data.weights, bins),
                    FeatureKind::Categorical(levels) => {
                        BinMap::categorical(column, levels.len(), &data.weights, bins)
                    }
                };
                (BinColumn::new(map.apply(column)), map)
            })
            .into_iter()
            .unzip();
        BinnedDataset::with(data.rows(), columns, maps)
    }

    /// The same of columns of numbers that are no features, for rows of these weights.
    pub fn of_numbers(columns: Vec<Vec<f64>>, weights: &[f64], bins: usize) -> Self {
        let binned = |values: Vec<f64>| {
            let column = Column::Numeric(Numeric::F64(values));
            let map = BinMap::numeric(&column, weights, bins);
            (BinColumn::new(map.apply(&column)), map)
        };
        let (columns, maps) = columns.into_iter().map(binned).unzip();
        BinnedDataset::with(weights.len(), columns, maps)
    }

    fn with(rows: usize, columns: Vec<BinColumn>, maps: Vec<BinMap>) -> Self {
        let missing = columns.iter().map(|c| c.contains(MISSING_BIN)).collect();
        BinnedDataset { rows, columns, maps, missing }
    }

    /// No features: for learners that look at the values themselves.
    pub fn none(rows: usize) -> Self {
        BinnedDataset { rows, columns: Vec::new(), maps: Vec::new(), missing: Vec::new() }
    }

    /// Memory it takes.
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(BinColumn::bytes).sum()
    }

    /// Whether any row lacks this feature.
    pub fn has_missing(&self, feature: usize) -> bool {
        self.missing[feature]
    }
}

impl BinColumn {
    fn new(codes: Vec<u8>) -> Self {
        let mut counts = [0usize; 256];
        codes.iter().for_each(|&c| counts[c as usize] += 1);
        // Ties to the lowest bin.
        let common = (0..256).rev().max_by_key(|&b| counts[b]).unwrap_or(0);
        // A listed row costs five bytes and an indirect access, a dense one a byte and a direct one.
        if counts[common] * 5 < codes.len() * 3 {
            return BinColumn::Dense(codes);
        }
        let common = common as u8;
        let (rows, bins) = (0u32..).zip(codes).filter(|(_, code)| *code != common).unzip();
        BinColumn::Sparse { common, rows, bins }
    }

    /// The code of every row.
    pub fn codes(&self, rows: usize) -> Cow<'_, [u8]> {
        if let BinColumn::Dense(codes) = self {
            return Cow::Borrowed(codes);
        }
        let mut codes = vec![0; rows];
        self.for_each(rows, |row, bin| codes[row] = bin);
        Cow::Owned(codes)
    }

    fn bytes(&self) -> usize {
        match self {
            BinColumn::Dense(codes) => codes.len(),
            BinColumn::Sparse { rows, bins, .. } => 4 * rows.len() + bins.len(),
        }
    }

    fn contains(&self, bin: u8) -> bool {
        match self {
            BinColumn::Dense(codes) => codes.contains(&bin),
            BinColumn::Sparse { common, bins, .. } => *common == bin || bins.contains(&bin),
        }
    }

    /// Calls `visit` with the bin of every row, in order.
    pub fn for_each(&self, rows: usize, mut visit: impl FnMut(usize, u8)) {
        match self {
            BinColumn::Dense(codes) => codes.iter().enumerate().for_each(|(row, &bin)| visit(row, bin)),
            BinColumn::Sparse { common, rows: listed, bins } => {
                let mut next = 0;
                for (&row, &bin) in listed.iter().zip(bins) {
                    (next..row as usize).for_each(|r| visit(r, *common));
                    visit(row as usize, bin);
                    next = row as usize + 1;
                }
                (next..rows).for_each(|r| visit(r, *common));
            }
        }
    }
}
