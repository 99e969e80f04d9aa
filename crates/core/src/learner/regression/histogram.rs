//! Sums by bin for the nodes of a growing tree.
//!
//! Everything a batch of nodes needs from a feature is done in one visit, so a feature's sums stay in the cache, and threads
//! share nothing but their results and how good the best split is so far.
//! * A column of all rows: the smaller children are filled, and subtracted from their parents, whose sums were kept.
//! * A column that lists the rows outside its common bin: each listed row is visited whatever nodes are asked about, so all
//!   are filled, in memory that the next feature uses again. Nothing is kept.
//! * Where there are many bins, all columns are first looked at roughly (`rough`), in the same two ways, and only nodes for
//!   which that promises something are filled from their rows. Nothing is kept but the rough sums.

use super::rough::Groups;
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
    /// Of the columns that are worth a rough look first; none if none is.
    groups: Vec<Option<Groups>>,
    /// Whether to look. Splits do not depend on it.
    pub looks: bool,
    /// Whether some column lists only the rows outside its common bin: then a visit costs the same for few rows and many.
    pub sparse: bool,
    /// Memory for the sums of waiting nodes; a node without kept sums has both its children filled from rows.
    pub kept_bytes: usize,
    shape: Option<Shape>,
    /// Features of a part.
    part: usize,
}

/// What memory was made for.
#[derive(Clone, Copy)]
struct Shape {
    lanes: usize,
    looks: bool,
    slots: usize,
}

/// Some features, and the memory of their searches.
struct Features {
    /// Per feature: `[slot][bin, missing last][lane]`; nothing for a column that lists rows.
    kept: Vec<Vec<i32>>,
    /// `[node of the batch, nobody last][bin, missing last][lane]`, for one column that lists rows.
    passing: Vec<i32>,
    /// What the best split of each node is worth at most, `[feature][node of the batch]`.
    most: Vec<f64>,
    /// Where the sums of each node stand, and those of all others.
    places: Vec<usize>,
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
    /// All rows.
    All,
    /// Its rows.
    Rows(Vec<(u32, I)>),
    /// Its parent's, which stand in its slot, less those of its sibling in this slot.
    Parent(usize),
}

impl Histograms {
    pub fn new(data: &BinnedDataset) -> Self {
        let useful = (0..data.columns.len()).map(|j| data.maps[j].bins() > 1 || data.has_missing(j)).collect();
        let sparse = data.columns.iter().any(|column| matches!(column, BinColumn::Sparse { .. }));
        Histograms {
            parts: Vec::new(),
            useful,
            groups: Vec::new(),
            looks: true,
            sparse,
            kept_bytes: KEPT_BYTES,
            shape: None,
            part: 1,
        }
    }

    /// Makes room for nodes with such sums; how many nodes' can be kept. Slots behind them are spare.
    pub fn reserve<S: Sums>(&mut self, data: &BinnedDataset, sums: &S, leaves: usize, context: &Context) -> usize {
        let (features, lanes, looks) = (data.columns.len(), sums.lanes(), self.looks && Groups::help(sums));
        if let Some(shape) = self.shape
            && (shape.lanes, shape.looks) == (lanes, looks)
        {
            return shape.slots;
        }
        self.groups = (0..features).filter(|_| looks).map(|j| Groups::new(data, j, lanes)).collect();
        if self.groups.iter().all(Option::is_none) {
            self.groups.clear();
        }
        let cells = |feature: usize| match (&data.columns[feature], self.groups.get(feature)) {
            (BinColumn::Dense(_), _) if !self.useful[feature] => 0,
            (BinColumn::Dense(_), Some(Some(groups))) => groups.len() * lanes,
            (BinColumn::Dense(_), _) => (data.maps[feature].bins() + 1) * lanes,
            (BinColumn::Sparse { .. }, _) => 0,
        };
        let bytes: usize = (0..features).map(|feature| cells(feature) * size_of::<i32>()).sum();
        let slots = leaves.min(self.kept_bytes / bytes.max(1)).max(1);
        self.part = (features / (4 * context.threads())).clamp(*PARTS.start(), *PARTS.end());
        let part = |first: usize| Features {
            kept: (first..features.min(first + self.part)).map(|j| vec![0; cells(j) * (slots + SPARE)]).collect(),
            passing: Vec::new(),
            most: Vec::new(),
            places: Vec::new(),
            scratch: Scratch::default(),
        };
        self.parts = (0..features).step_by(self.part).map(part).collect();
        self.shape = Some(Shape { lanes, looks, slots });
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
        let (groups, mut parts) = (&*self.groups, Vec::new());
        for pass in [Pass::Look, Pass::Search].into_iter().skip(usize::from(groups.is_empty())) {
            parts = context.map_parts(&mut self.parts, 1, work, |part, features| {
                let (first, states, best, features) = (part * size, &*states, &*best, &mut features[0]);
                macro_rules! with_group {
                    ($($group:literal)*) => {
                        match sums.group() {
                            $($group => pulp::Arch::new().dispatch(Visit::<S, $group> {
                                data, sums, batch, states, best, first, features, useful, groups, pass,
                            }),)*
                            other => unreachable!("groups of {other}: sums make multiples of four up to 32"),
                        }
                    };
                }
                with_group!(4 8 12 16 20 24 28 32)
            });
        }
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
    /// None if nothing is looked at roughly.
    groups: &'a [Option<Groups>],
    pass: Pass,
}

/// What a visit of the features is for.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    /// To see what the best splits are worth, roughly.
    Look,
    /// To find them.
    Search,
}

impl<S: Sums, const C: usize> pulp::NullaryFnOnce for Visit<'_, S, C> {
    type Output = Vec<Option<Candidate>>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        match self.pass {
            Pass::Look => self.look(),
            Pass::Search => self.search(),
        }
    }
}

impl<S: Sums, const C: usize> Visit<'_, S, C> {
    #[inline(always)]
    fn look(self) -> Vec<Option<Candidate>> {
        let Visit { data, sums, batch, states, best, first, features, useful, groups, .. } = self;
        let Features { kept, passing, most, places, scratch } = features;
        let nodes = batch.len();
        scratch.left.resize(sums.squared(), 0);
        most.clear();
        most.resize(kept.len() * nodes, f64::INFINITY);
        let each = (first..).zip(kept).zip(most.chunks_exact_mut(nodes));
        for ((feature, kept), most) in each.filter(|((feature, _), _)| useful[*feature]) {
            let Some(groups) = &groups[feature] else { continue };
            let size = groups.len() * sums.lanes();
            places.clear();
            let cells = match &data.columns[feature] {
                BinColumn::Dense(codes) => {
                    fill(sums, codes, |code| groups.of(code), size, batch, kept);
                    places.extend(batch.iter().map(|task| task.slot));
                    &*kept
                }
                BinColumn::Sparse { common, rows, bins } => {
                    places.extend(0..=nodes);
                    let listed = rows.iter().zip(bins).map(|(row, code)| (states[*row as usize], groups.of(*code)));
                    fill_listed::<S, C>(sums, listed, groups.of(*common), size, batch, (places, nodes), passing);
                    &*passing
                }
            };
            for (node, (task, place)) in batch.iter().zip(&*places).enumerate() {
                let cells = &cells[place * size..][..size];
                let beat = f64::from_bits(best[node].load(Relaxed));
                let (least, at_most) = groups.outlook::<S, C>(sums, cells, task.totals, beat, &mut scratch.left);
                best[node].fetch_max(least.to_bits(), Relaxed);
                most[node] = at_most;
            }
        }
        Vec::new()
    }

    #[inline(always)]
    fn search(self) -> Vec<Option<Candidate>> {
        let Visit { data, sums, batch, states, best, first, features, useful, groups, .. } = self;
        let Features { kept, passing, most, places, scratch } = features;
        let nodes = batch.len();
        scratch.left.resize(sums.squared(), 0);
        let mut found: Vec<Option<Candidate>> = vec![None; nodes];
        for (at, kept) in kept.iter_mut().enumerate().filter(|(at, _)| useful[first + *at]) {
            let feature = first + at;
            let map = &data.maps[feature];
            let (last, size) = (map.bins(), (map.bins() + 1) * sums.lanes());
            let bin = |code: u8| usize::from(code).min(last);
            let beat = |node: usize| f64::from_bits(best[node].load(Relaxed));
            let looked_at = groups.get(feature).is_some_and(Option::is_some);
            // The nodes with hope get the first places; behind them is one for all others.
            let mut filled = 0;
            places.clear();
            for node in 0..nodes {
                let hopeless = looked_at && most[at * nodes + node] < beat(node);
                places.push(if hopeless { usize::MAX } else { filled });
                filled += usize::from(!hopeless);
            }
            if filled == 0 {
                continue;
            }
            places.push(filled);
            places.iter_mut().for_each(|place| *place = filled.min(*place));
            let cells = match &data.columns[feature] {
                BinColumn::Dense(codes) if looked_at => {
                    passing.resize(passing.len().max(filled * size), 0);
                    passing[..filled * size].fill(0);
                    for (task, place) in batch.iter().zip(&*places).filter(|(_, place)| **place < filled) {
                        let cells = &mut passing[place * size..][..size];
                        for row in task.rows.iter().map(|row| *row as usize) {
                            sums.add(sums.item(row), cells, bin(codes[row]) * sums.lanes());
                        }
                    }
                    &*passing
                }
                BinColumn::Dense(codes) => {
                    fill(sums, codes, bin, size, batch, kept);
                    places.clear();
                    places.extend(batch.iter().map(|task| task.slot));
                    filled = usize::MAX;
                    &*kept
                }
                BinColumn::Sparse { common, rows, bins } => {
                    let listed = rows.iter().zip(bins).map(|(row, code)| (states[*row as usize], bin(*code)));
                    fill_listed::<S, C>(sums, listed, bin(*common), size, batch, (places, filled), passing);
                    &*passing
                }
            };
            for (node, place) in places[..nodes].iter().enumerate().filter(|(_, place)| **place < filled) {
                let (cells, totals) = (&cells[place * size..][..size], batch[node].totals);
                let split = scan::<S, C>(sums, feature, map, cells, totals, beat(node), scratch);
                if let Some(split) = &split {
                    best[node].fetch_max(split.score.max(0.0).to_bits(), Relaxed);
                }
                keep_better(&mut found[node], split);
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

/// Sums of a column of all rows, each so many cells.
#[inline(always)]
fn fill<S: Sums>(
    sums: &S,
    codes: &[u8],
    bin: impl Fn(u8) -> usize,
    size: usize,
    batch: &[Task<'_, S::Item>],
    cells: &mut [i32],
) {
    let at = |code: u8| bin(code) * sums.lanes();
    for task in batch.iter().filter(|task| !matches!(task.sums, From::Parent(_))) {
        let cells = &mut cells[task.slot * size..][..size];
        cells.fill(0);
        match &task.sums {
            From::Rows(rows) => rows.iter().for_each(|(row, item)| sums.add(*item, cells, at(codes[*row as usize]))),
            _ => codes.iter().enumerate().for_each(|(row, code)| sums.add(sums.item(row), cells, at(*code))),
        }
    }
    for task in batch {
        if let From::Parent(less) = &task.sums {
            let (from, less) = two_slots(cells, size, task.slot, *less);
            from.iter_mut().zip(less).for_each(|(a, b)| *a -= *b);
        }
    }
}

/// Sums of a column that lists rows (node, item and bin): those of each node stand at its place, if that is one of the first
/// `filled`.
#[inline(always)]
fn fill_listed<S: Sums, const C: usize>(
    sums: &S,
    listed: impl Iterator<Item = ((u32, S::Item), usize)>,
    common: usize,
    size: usize,
    batch: &[Task<'_, S::Item>],
    (places, filled): (&[usize], usize),
    cells: &mut Vec<i32>,
) {
    let lanes = sums.lanes();
    cells.resize(cells.len().max((filled + 1) * size), 0);
    cells[..filled * size].fill(0);
    // No branch: rows of other nodes are summed up too, behind those of all places.
    for ((node, item), bin) in listed {
        sums.add(item, cells, places[node as usize] * size + bin * lanes);
    }
    for (task, place) in batch.iter().zip(places).filter(|(_, place)| **place < filled) {
        let cells = &mut cells[place * size..][..size];
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
