//! Binned features once more, row by row: up to 64 features of a row are one line of the cache.
//!
//! A pass that adds a few rows up touches only their lines, and the sums of eight features lie side by side, `[bin][feature]`,
//! so that a scan over bins runs through eight features at once. Features with a dominant bin are grouped apart and keep only
//! the cells outside that bin: what they lack follows from the totals, exactly, because sums are of integers.

use crate::binning::{BinColumn, BinnedDataset, MISSING_BIN};
use crate::context::Context;

/// Features of a group at most: their codes are one line of the cache.
const WIDEST: usize = 64;
/// Features whose sums lie side by side.
pub(super) const LANES: usize = 8;
/// Sums of eight features, `[bin][feature]`.
pub(super) type Block = [[i32; LANES]; 256];
/// Rows handled together for all blocks of a group: their codes stay in the cache.
const ROWS: usize = 512;
/// Bytes of codes that surely stay in a second-level cache from pass to pass, so that fetching them would be work for nothing.
const NEAR: usize = 1 << 20;

/// A row to be added up: where, and with which weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub row: u32,
    pub slot: u32,
    pub weight: i32,
}

/// Features of one kind, row by row.
pub(super) struct Group {
    /// Their numbers, rising.
    pub features: Vec<usize>,
    codes: Codes,
    /// Per feature: the bin that is left out.
    common: Vec<u8>,
    /// Whether the scan over eight features at once judges them all: numbers, none missing.
    pub plain: Vec<bool>,
    /// Bins of the feature that has most, the one for missing values included if any feature has it.
    bins: usize,
}

enum Codes {
    /// `[row][feature]`, padded to blocks.
    Dense(Vec<[u8; LANES]>),
    /// Cells outside the commonest bins: those of row n are `cells[starts[n]..starts[n + 1]]`, by their place in the sums.
    Sparse { starts: Vec<u32>, cells: Vec<u16> },
}

/// All features of a data set in groups.
pub(super) struct Groups {
    pub groups: Vec<Group>,
}

impl Groups {
    /// Bytes this takes, beside the columns.
    pub fn bytes(data: &BinnedDataset) -> usize {
        let of = |column: &BinColumn| match column {
            BinColumn::Dense(codes) => codes.len(),
            BinColumn::Sparse { bins, .. } => 2 * bins.len() + data.rows / 8,
        };
        data.columns.iter().map(of).sum()
    }

    pub fn new(data: &BinnedDataset, context: &Context) -> Self {
        let all = 0..data.columns.len();
        let (dense, sparse): (Vec<usize>, Vec<usize>) =
            all.partition(|&feature| matches!(data.columns[feature], BinColumn::Dense(_)));
        // Narrow where threads are to share few features.
        let width = match context.threads() {
            1 => WIDEST,
            threads => (data.columns.len() / (2 * threads)).next_multiple_of(LANES).clamp(LANES, WIDEST),
        };
        // Places of cells are 32 bits wide.
        let sparse_width = width.min((u32::MAX as usize / data.rows.max(1)).max(1));
        let parts: Vec<&[usize]> = dense.chunks(width).chain(sparse.chunks(sparse_width)).collect();
        let groups = context.map(parts.len(), data.rows * data.columns.len(), |i| Group::new(data, parts[i]));
        Groups { groups }
    }
}

impl Group {
    fn new(data: &BinnedDataset, features: &[usize]) -> Self {
        let blocks = features.len().div_ceil(LANES);
        let is_sparse = |feature: &usize| matches!(data.columns[*feature], BinColumn::Sparse { .. });
        let codes = if features.iter().any(is_sparse) {
            sparse(data, features)
        } else {
            let mut codes = vec![[0u8; LANES]; data.rows * blocks];
            for (at, &feature) in features.iter().enumerate() {
                data.columns[feature]
                    .for_each(data.rows, |row, bin| codes[row * blocks + at / LANES][at % LANES] = bin);
            }
            Codes::Dense(codes)
        };
        let common = features.iter().map(|&feature| match &data.columns[feature] {
            BinColumn::Sparse { common, .. } => *common,
            BinColumn::Dense(_) => 0,
        });
        let missing = |feature: &usize| data.has_missing(*feature);
        let bins = features.iter().map(|&feature| data.maps[feature].bins()).max().unwrap_or(0);
        let categorical = |feature: &usize| data.maps[*feature].is_categorical();
        let any_missing = features.iter().any(|f| missing(f) || categorical(f));
        Group {
            common: common.collect(),
            codes,
            plain: features.iter().map(|f| !missing(f) && !categorical(f)).collect(),
            bins: if any_missing { usize::from(MISSING_BIN) + 1 } else { bins },
            features: features.to_vec(),
        }
    }

    /// Blocks of sums a slot has.
    pub fn blocks(&self) -> usize {
        self.features.len().div_ceil(LANES)
    }

    /// Adds rows up, each in its slot.
    pub fn add(&self, entries: &[Entry], sums: &mut [Block]) {
        let blocks = self.blocks();
        match &self.codes {
            Codes::Dense(codes) => {
                let parts = || entries.chunks(ROWS);
                for (part, next) in parts().zip(parts().skip(1).chain([&[][..]])) {
                    fetch(next, codes, blocks);
                    for block in 0..blocks {
                        let used = (self.features.len() - block * LANES).min(LANES);
                        ADD[used - 1](part, codes, sums, (block, blocks));
                    }
                }
            }
            Codes::Sparse { starts, cells } => {
                let flat = sums.as_flattened_mut().as_flattened_mut();
                let size = blocks * 256 * LANES;
                for entry in entries {
                    let row = entry.row as usize;
                    let sums = &mut flat[entry.slot as usize * size..][..size];
                    for cell in &cells[starts[row] as usize..starts[row + 1] as usize] {
                        let cell = &mut sums[usize::from(*cell)];
                        *cell = cell.wrapping_add(entry.weight);
                    }
                }
            }
        }
    }

    /// Writes the bins that were left out: the total less the others. `sums` are those of one slot.
    pub fn complete(&self, total: i32, sums: &mut [Block]) {
        if matches!(self.codes, Codes::Dense(_)) {
            return;
        }
        for (sums, common) in sums.iter_mut().zip(self.common.chunks(LANES)) {
            for (lane, common) in common.iter().enumerate() {
                sums[usize::from(*common)][lane] = 0;
            }
            let mut rest = [total; LANES];
            for bin in &sums[..self.bins] {
                (0..LANES).for_each(|lane| rest[lane] = rest[lane].wrapping_sub(bin[lane]));
            }
            for (lane, common) in common.iter().enumerate() {
                sums[usize::from(*common)][lane] = rest[lane];
            }
        }
    }

    /// The sums of one feature of a slot, by bin.
    pub fn feature(&self, at: usize, sums: &[Block]) -> [i32; 256] {
        let block = &sums[at / LANES];
        std::array::from_fn(|bin| block[bin][at % LANES])
    }

    /// For each feature the largest |left - right| over thresholds, if it is judged that way, and at least |total|.
    pub fn reach(&self, total: i32, sums: &[Block], out: &mut [u32]) {
        pulp::Arch::new().dispatch(Reach { sums, bins: self.bins, total, out });
    }
}

/// Adds rows up in one block of so many, by how many of its features there are.
type Add = fn(&[Entry], &[[u8; LANES]], &mut [Block], (usize, usize));
const ADD: [Add; LANES] = [add::<1>, add::<2>, add::<3>, add::<4>, add::<5>, add::<6>, add::<7>, add::<8>];

fn add<const USED: usize>(
    entries: &[Entry],
    codes: &[[u8; LANES]],
    sums: &mut [Block],
    (block, blocks): (usize, usize),
) {
    for entry in entries {
        // Borrowed: the codes of a copy would be shifted out of one register, which takes longer than reading each.
        let codes = &codes[entry.row as usize * blocks + block];
        let sums = &mut sums[entry.slot as usize * blocks + block];
        for lane in 0..USED {
            let cell = &mut sums[usize::from(codes[lane])][lane];
            *cell = cell.wrapping_add(entry.weight);
        }
    }
}

/// Reads the codes of rows that are soon to be added up. Rows of a leaf lie apart: here many are on their way from memory at
/// once, where additions would wait for a few.
fn fetch(entries: &[Entry], codes: &[[u8; LANES]], blocks: usize) {
    if size_of_val(codes) > NEAR {
        let ends = |entry: &Entry| {
            let codes = &codes[entry.row as usize * blocks..][..blocks];
            codes[0][0] ^ codes[blocks - 1][LANES - 1]
        };
        std::hint::black_box(entries.iter().fold(0, |all, entry| all ^ ends(entry)));
    }
}

struct Reach<'a> {
    sums: &'a [Block],
    bins: usize,
    total: i32,
    out: &'a mut [u32],
}

impl pulp::NullaryFnOnce for Reach<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (sums, out) in self.sums.iter().zip(self.out.chunks_mut(LANES)) {
            let (mut left, mut least, mut most) = ([0i32; LANES], [0i32; LANES], [0i32; LANES]);
            for bin in &sums[..self.bins] {
                for lane in 0..LANES {
                    left[lane] = left[lane].wrapping_add(bin[lane]);
                    least[lane] = least[lane].min(left[lane]);
                    most[lane] = most[lane].max(left[lane]);
                }
            }
            // 2 left - total is largest where left is largest or least; left = 0 gives |total|.
            for (lane, out) in out.iter_mut().enumerate() {
                let total = i64::from(self.total);
                let high = 2 * i64::from(most[lane]) - total;
                *out = high.max(total - 2 * i64::from(least[lane])) as u32;
            }
        }
    }
}

fn sparse(data: &BinnedDataset, features: &[usize]) -> Codes {
    let mut starts = vec![0u32; data.rows + 1];
    let listed = || {
        features.iter().enumerate().filter_map(|(at, &feature)| match &data.columns[feature] {
            BinColumn::Sparse { rows, bins, .. } => Some((at, rows, bins)),
            BinColumn::Dense(_) => None,
        })
    };
    listed().for_each(|(_, rows, _)| rows.iter().for_each(|row| starts[*row as usize + 1] += 1));
    for row in 0..data.rows {
        starts[row + 1] += starts[row];
    }
    let mut next: Vec<u32> = starts[..data.rows].to_vec();
    let mut cells = vec![0u16; starts[data.rows] as usize];
    for (at, rows, bins) in listed() {
        for (row, bin) in rows.iter().zip(bins) {
            let place = &mut next[*row as usize];
            let cell = at / LANES * 256 * LANES + usize::from(*bin) * LANES + at % LANES;
            cells[*place as usize] = cell as u16;
            *place += 1;
        }
    }
    Codes::Sparse { starts, cells }
}
