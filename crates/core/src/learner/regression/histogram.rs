//! Sums by bin for the nodes of a growing tree.
//!
//! Everything a batch of nodes needs from a feature is done in one visit: fill the smaller children, subtract them from
//! their parents, search all. So a feature's sums stay in the cache, and threads share nothing but their results.

use super::scan::{Candidate, Scratch, Totals, scan};
use super::sums::Sums;
use crate::binning::{BinColumn, BinMap, BinnedDataset};
use crate::context::Context;

/// Memory for the sums of waiting nodes, unless something else is asked for.
const KEPT_BYTES: usize = 256 << 20;
/// Slots for sums that are not kept.
const SPARE: usize = 2;
/// Features that one thread visits in a row: enough that they are worth their list of results.
const PART: usize = 4;

/// The sums of all features.
pub(super) struct Histograms {
    parts: Vec<Features>,
    /// Features with two bins or missing values: others cannot be split.
    useful: Vec<bool>,
    /// Whether some column lists only the rows outside its common bin: then a visit costs the same for few rows and many.
    pub sparse: bool,
    /// Memory for the sums of waiting nodes; a node without kept sums has both its children filled from rows.
    pub kept_bytes: usize,
    lanes: usize,
    slots: usize,
}

/// Some features, and the memory of their searches.
struct Features {
    /// Per feature: `[slot][bin, missing last][lane]`.
    cells: Vec<Vec<i32>>,
    scratch: Scratch,
}

/// Rows to sum up.
pub(super) struct Fill<'a, I> {
    pub slot: usize,
    pub rows: Vec<(u32, I)>,
    pub totals: &'a Totals,
}

/// What to do with each feature.
pub(super) struct Batch<'a, I> {
    pub fills: Vec<Fill<'a, I>>,
    /// A slot to subtract from, and the slot to subtract.
    pub subtract: Vec<(usize, usize)>,
    /// Nodes to search.
    pub search: Vec<(usize, &'a Totals)>,
}

impl Histograms {
    pub fn new(data: &BinnedDataset) -> Self {
        let useful = (0..data.columns.len()).map(|j| data.maps[j].bins() > 1 || data.has_missing(j)).collect();
        let sparse = data.columns.iter().any(|column| matches!(column, BinColumn::Sparse { .. }));
        Histograms { parts: Vec::new(), useful, sparse, kept_bytes: KEPT_BYTES, lanes: 0, slots: 0 }
    }

    /// Makes room for nodes of so many lanes; how many nodes' sums can be kept. Slots behind them are spare.
    pub fn reserve(&mut self, data: &BinnedDataset, lanes: usize, leaves: usize) -> usize {
        let cells = |map: &BinMap| (map.bins() + 1) * lanes;
        let bytes: usize = data.maps.iter().map(|map| cells(map) * size_of::<i32>()).sum();
        let slots = leaves.min(self.kept_bytes / bytes.max(1)).max(1);
        if (lanes, slots) != (self.lanes, self.slots) {
            // One slot more than the spare ones takes the rows of listed columns that belong to no node of a batch.
            let size = |(map, useful): (&BinMap, &bool)| if *useful { cells(map) * (slots + SPARE + 1) } else { 0 };
            let parts = data.maps.chunks(PART).zip(self.useful.chunks(PART));
            let part = |(maps, useful): (&[BinMap], &[bool])| Features {
                cells: maps.iter().zip(useful).map(|pair| vec![0; size(pair)]).collect(),
                scratch: Scratch::default(),
            };
            self.parts = parts.map(part).collect();
            (self.lanes, self.slots) = (lanes, slots);
        }
        slots
    }

    /// Fills, subtracts and searches; the best split of each searched node.
    pub fn visit<S: Sums>(
        &mut self,
        data: &BinnedDataset,
        sums: &S,
        allowed: Option<&[bool]>,
        batch: &Batch<'_, S::Item>,
        context: &Context,
    ) -> Vec<Option<Candidate>> {
        // Slot and item of every row, for columns that list rows: those of no node go where nobody looks.
        let mut states = Vec::new();
        if self.sparse {
            let nowhere = (self.slots + SPARE) as u32;
            states = (0..data.rows).map(|row| (nowhere, sums.item(row))).collect();
            for fill in &batch.fills {
                fill.rows.iter().for_each(|(row, _)| states[*row as usize].0 = fill.slot as u32);
            }
        }
        let rows = if self.sparse { data.rows } else { batch.fills.iter().map(|fill| fill.rows.len()).sum() };
        let work = data.columns.len() * (rows + batch.search.len() * 256);
        let useful: Vec<bool> = match allowed {
            Some(allowed) => self.useful.iter().zip(allowed).map(|(a, b)| *a && *b).collect(),
            None => self.useful.clone(),
        };
        let useful = &*useful;
        let parts = context.map_parts(&mut self.parts, 1, work, |part, features| {
            let (first, states, Features { cells, scratch }) = (part * PART, &*states, &mut features[0]);
            macro_rules! with_group {
                ($($group:literal)*) => {
                    match sums.group() {
                        $($group => pulp::Arch::new()
                            .dispatch(Visit::<S, $group> { data, sums, batch, states, first, cells, scratch, useful }),)*
                        other => unreachable!("groups of {other}: sums make multiples of four up to 32"),
                    }
                };
            }
            with_group!(4 8 12 16 20 24 28 32)
        });
        let mut best: Vec<Option<Candidate>> = vec![None; batch.search.len()];
        for part in parts {
            best.iter_mut().zip(part).for_each(|(kept, found)| keep_better(kept, found));
        }
        best
    }
}

#[inline(always)]
fn keep_better(kept: &mut Option<Candidate>, found: Option<Candidate>) {
    if let Some(found) = found
        && kept.as_ref().is_none_or(|k| found.score > k.score)
    {
        *kept = Some(found);
    }
}

/// Some features. `pulp` compiles this once for each instruction set; everything below it must be inlined.
struct Visit<'a, S: Sums, const C: usize> {
    data: &'a BinnedDataset,
    sums: &'a S,
    batch: &'a Batch<'a, S::Item>,
    states: &'a [(u32, S::Item)],
    first: usize,
    cells: &'a mut [Vec<i32>],
    scratch: &'a mut Scratch,
    useful: &'a [bool],
}

impl<S: Sums, const C: usize> pulp::NullaryFnOnce for Visit<'_, S, C> {
    type Output = Vec<Option<Candidate>>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Visit { data, sums, batch, states, first, cells, scratch, useful } = self;
        let lanes = sums.lanes();
        scratch.left.resize(sums.squared(), 0);
        let mut best: Vec<Option<Candidate>> = vec![None; batch.search.len()];
        for (feature, cells) in (first..).zip(cells).filter(|(feature, _)| useful[*feature]) {
            let map = &data.maps[feature];
            let size = (map.bins() + 1) * lanes;
            fill(sums, &data.columns[feature], map.bins(), batch, states, cells);
            for (from, less) in &batch.subtract {
                let (from, less) = two_slots(cells, size, *from, *less);
                from.iter_mut().zip(less).for_each(|(a, b)| *a -= *b);
            }
            for (kept, (slot, totals)) in best.iter_mut().zip(&batch.search) {
                let cells = &cells[slot * size..][..size];
                let beat = kept.as_ref().map_or(f64::NEG_INFINITY, |kept| kept.score);
                keep_better(kept, scan::<S, C>(sums, feature, map, cells, totals, beat, scratch));
            }
        }
        best
    }
}

fn two_slots(cells: &mut [i32], size: usize, a: usize, b: usize) -> (&mut [i32], &[i32]) {
    let (low, high) = cells.split_at_mut(a.max(b) * size);
    let (low, high) = (&mut low[a.min(b) * size..][..size], &mut high[..size]);
    if a < b { (low, high) } else { (high, low) }
}

#[inline(always)]
fn fill<S: Sums>(
    sums: &S,
    column: &BinColumn,
    bins: usize,
    batch: &Batch<'_, S::Item>,
    states: &[(u32, S::Item)],
    cells: &mut [i32],
) {
    let lanes = sums.lanes();
    let size = (bins + 1) * lanes;
    batch.fills.iter().for_each(|fill| cells[fill.slot * size..][..size].fill(0));
    match column {
        BinColumn::Dense(codes) => {
            for fill in &batch.fills {
                let cells = &mut cells[fill.slot * size..][..size];
                for (row, item) in &fill.rows {
                    let bin = usize::from(codes[*row as usize]).min(bins);
                    sums.add(*item, cells, bin * lanes);
                }
            }
        }
        BinColumn::Sparse { common, rows, bins: codes } => {
            // No branch: rows of other nodes are summed up too.
            for (row, code) in rows.iter().zip(codes) {
                let (slot, item) = states[*row as usize];
                let bin = usize::from(*code).min(bins);
                sums.add(item, cells, slot as usize * size + bin * lanes);
            }
            let common = usize::from(*common).min(bins);
            for fill in &batch.fills {
                let cells = &mut cells[fill.slot * size..][..size];
                let mut rest = fill.totals.cell.clone();
                for cell in cells.chunks_exact(lanes) {
                    rest.iter_mut().zip(cell).for_each(|(a, b)| *a -= b);
                }
                cells[common * lanes..][..lanes].copy_from_slice(&rest);
            }
        }
    }
}
