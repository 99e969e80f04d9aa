//! Sums by bin for the nodes of a growing tree.
//!
//! Everything a batch of nodes needs from a feature is done in one visit, so a feature's sums stay in the cache, and threads
//! share nothing but their results and how good the best split is so far.
//! * A column of all rows: the smaller children are filled, and subtracted from their parents, whose sums were kept.
//! * A column that lists the rows outside its common bin: each listed row is visited whatever nodes are asked about, so all
//!   are filled, in memory that the next feature uses again. Nothing is kept.

use super::scan::{Candidate, Scratch, Totals, add_up, scan};
use super::sums::Sums;
use crate::binning::{BinColumn, BinnedDataset};
use crate::context::Context;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Memory for the sums of waiting nodes, unless something else is asked for.
const KEPT_BYTES: usize = 256 << 20;
/// Slots for sums that are not kept.
const SPARE: usize = 2;
/// Features that one thread visits in a row: enough that they are worth their list of results, and many where threads have
/// enough to do, since they share memory that stays in the cache.
const PARTS: std::ops::RangeInclusive<usize> = 4..=64;

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
    /// Features of a part.
    part: usize,
}

/// Some features, and the memory of their searches.
struct Features {
    /// Per feature: `[slot][bin, missing last][lane]`; nothing for a column that lists rows.
    kept: Vec<Vec<i32>>,
    /// `[node of the batch, nobody last][bin, missing last][lane]`, for one column that lists rows.
    passing: Vec<i32>,
    scratch: Scratch,
}

/// A node whose best split is looked for.
pub(super) struct Task<'a, I> {
    /// Where its sums are kept.
    pub slot: usize,
    pub rows: &'a [u32],
    pub sums: From<I>,
    pub totals: &'a Totals,
}

/// Where the sums of a node come from, if rows are not listed.
pub(super) enum From<I> {
    /// Its rows.
    Rows(Vec<(u32, I)>),
    /// Its parent's, which stand in its slot, less those of its sibling in this slot.
    Parent(usize),
}

impl Histograms {
    pub fn new(data: &BinnedDataset) -> Self {
        let useful = (0..data.columns.len()).map(|j| data.maps[j].bins() > 1 || data.has_missing(j)).collect();
        let sparse = data.columns.iter().any(|column| matches!(column, BinColumn::Sparse { .. }));
        Histograms { parts: Vec::new(), useful, sparse, kept_bytes: KEPT_BYTES, lanes: 0, slots: 0, part: 1 }
    }

    /// Makes room for nodes of so many lanes; how many nodes' sums can be kept. Slots behind them are spare.
    pub fn reserve(&mut self, data: &BinnedDataset, lanes: usize, leaves: usize, context: &Context) -> usize {
        let cells = |feature: usize| match &data.columns[feature] {
            BinColumn::Dense(_) if self.useful[feature] => (data.maps[feature].bins() + 1) * lanes,
            _ => 0,
        };
        let features = data.columns.len();
        let bytes: usize = (0..features).map(|feature| cells(feature) * size_of::<i32>()).sum();
        let slots = leaves.min(self.kept_bytes / bytes.max(1)).max(1);
        if (lanes, slots) != (self.lanes, self.slots) {
            self.part = (features / (4 * context.threads())).clamp(*PARTS.start(), *PARTS.end());
            let part = |first: usize| Features {
                kept: (first..features.min(first + self.part)).map(|j| vec![0; cells(j) * (slots + SPARE)]).collect(),
                passing: Vec::new(),
                scratch: Scratch::default(),
            };
            self.parts = (0..features).step_by(self.part).map(part).collect();
            (self.lanes, self.slots) = (lanes, slots);
        }
        slots
    }

    /// The best split of each node.
    pub fn visit<S: Sums>(
        &mut self,
        data: &BinnedDataset,
        sums: &S,
        allowed: Option<&[bool]>,
        batch: &[Task<'_, S::Item>],
        context: &Context,
    ) -> Vec<Option<Candidate>> {
        // Node and item of every row, for columns that list rows: those of no node go where nobody looks.
        let mut states = Vec::new();
        if self.sparse {
            let nobody = batch.len() as u32;
            states = (0..data.rows).map(|row| (nobody, sums.item(row))).collect();
            for (node, task) in batch.iter().enumerate() {
                task.rows.iter().for_each(|row| states[*row as usize].0 = node as u32);
            }
        }
        let rows = if self.sparse { data.rows } else { batch.iter().map(|task| task.rows.len()).sum() };
        let work = data.columns.len() * (rows + batch.len() * 256);
        let useful: Vec<bool> = match allowed {
            Some(allowed) => self.useful.iter().zip(allowed).map(|(a, b)| *a && *b).collect(),
            None => self.useful.clone(),
        };
        let (useful, best): (_, Vec<_>) = (&*useful, batch.iter().map(|_| AtomicU64::new(0)).collect());
        let size = self.part;
        let parts = context.map_parts(&mut self.parts, 1, work, |part, features| {
            let (first, states, best, features) = (part * size, &*states, &*best, &mut features[0]);
            macro_rules! with_group {
                ($($group:literal)*) => {
                    match sums.group() {
                        $($group => pulp::Arch::new()
                            .dispatch(Visit::<S, $group> { data, sums, batch, states, best, first, features, useful }),)*
                        other => unreachable!("groups of {other}: sums make multiples of four up to 32"),
                    }
                };
            }
            with_group!(4 8 12 16 20 24 28 32)
        });
        let mut best: Vec<Option<Candidate>> = vec![None; batch.len()];
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
    batch: &'a [Task<'a, S::Item>],
    states: &'a [(u32, S::Item)],
    /// The best score of each node so far on any thread, as bits (which are in the order of numbers that are not negative).
    /// What is worse cannot win, whenever a thread learns of it: the result does not depend on the order.
    best: &'a [AtomicU64],
    first: usize,
    features: &'a mut Features,
    useful: &'a [bool],
}

impl<S: Sums, const C: usize> pulp::NullaryFnOnce for Visit<'_, S, C> {
    type Output = Vec<Option<Candidate>>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Visit { data, sums, batch, states, best, first, features, useful } = self;
        let Features { kept, passing, scratch } = features;
        scratch.left.resize(sums.squared(), 0);
        let mut found: Vec<Option<Candidate>> = vec![None; batch.len()];
        for (feature, kept) in (first..).zip(kept).filter(|(feature, _)| useful[*feature]) {
            let map = &data.maps[feature];
            let size = (map.bins() + 1) * sums.lanes();
            let (cells, listed) = match &data.columns[feature] {
                BinColumn::Dense(codes) => {
                    fill(sums, codes, map.bins(), batch, kept);
                    (&*kept, false)
                }
                BinColumn::Sparse { common, rows, bins } => {
                    passing.resize(passing.len().max((batch.len() + 1) * size), 0);
                    fill_listed::<S, C>(sums, *common, rows.iter().zip(bins), map.bins(), batch, states, passing);
                    (&*passing, true)
                }
            };
            for (node, (task, kept)) in batch.iter().zip(&mut found).enumerate() {
                let cells = &cells[if listed { node } else { task.slot } * size..][..size];
                let beat = f64::from_bits(best[node].load(Relaxed));
                let split = scan::<S, C>(sums, feature, map, cells, task.totals, beat, scratch);
                if let Some(split) = &split {
                    best[node].fetch_max(split.score.max(0.0).to_bits(), Relaxed);
                }
                keep_better(kept, split);
            }
        }
        found
    }
}

fn two_slots(cells: &mut [i32], size: usize, a: usize, b: usize) -> (&mut [i32], &[i32]) {
    let (low, high) = cells.split_at_mut(a.max(b) * size);
    let (low, high) = (&mut low[a.min(b) * size..][..size], &mut high[..size]);
    if a < b { (low, high) } else { (high, low) }
}

/// Sums of a column of all rows.
#[inline(always)]
fn fill<S: Sums>(sums: &S, codes: &[u8], bins: usize, batch: &[Task<'_, S::Item>], cells: &mut [i32]) {
    let lanes = sums.lanes();
    let size = (bins + 1) * lanes;
    for task in batch {
        if let From::Rows(rows) = &task.sums {
            let cells = &mut cells[task.slot * size..][..size];
            cells.fill(0);
            for (row, item) in rows {
                let bin = usize::from(codes[*row as usize]).min(bins);
                sums.add(*item, cells, bin * lanes);
            }
        }
    }
    for task in batch {
        if let From::Parent(less) = &task.sums {
            let (from, less) = two_slots(cells, size, task.slot, *less);
            from.iter_mut().zip(less).for_each(|(a, b)| *a -= *b);
        }
    }
}

/// Sums of a column that lists rows, node by node of the batch.
#[inline(always)]
fn fill_listed<'r, S: Sums, const C: usize>(
    sums: &S,
    common: u8,
    listed: impl Iterator<Item = (&'r u32, &'r u8)>,
    bins: usize,
    batch: &[Task<'_, S::Item>],
    states: &[(u32, S::Item)],
    cells: &mut [i32],
) {
    let lanes = sums.lanes();
    let size = (bins + 1) * lanes;
    cells[..batch.len() * size].fill(0);
    // No branch: rows of no node are summed up too.
    for (row, code) in listed {
        let (node, item) = states[*row as usize];
        let bin = usize::from(*code).min(bins);
        sums.add(item, cells, node as usize * size + bin * lanes);
    }
    let common = usize::from(common).min(bins);
    for (task, cells) in batch.iter().zip(cells.chunks_exact_mut(size)) {
        let squared = (0..sums.squared()).step_by(C);
        squared.for_each(|first| recover::<C>(cells, lanes, first, common, &task.totals.cell));
        let others = (sums.squared()..lanes).step_by(4);
        others.for_each(|first| recover::<4>(cells, lanes, first, common, &task.totals.cell));
    }
}

/// C lanes of the common bin, whose rows are not listed: what the others leave of the total.
#[inline(always)]
fn recover<const C: usize>(cells: &mut [i32], lanes: usize, first: usize, common: usize, total: &[i32]) {
    let listed = add_up::<C>(cells, lanes, first);
    (0..C).for_each(|j| cells[common * lanes + first + j] = total[first + j] - listed[j]);
}
