//! Every leaf of a layer in one pass over the rows, all features at once.
//!
//! As long as the weights stay the same from layer to layer only the smaller child of a split is added up; the larger is the
//! parent less it, exactly. Rows without weight are never looked at.

use super::super::layer::{keep_better, scan};
use super::super::split::Best;
use super::groups::{Block, Entry, Group, LANES};
use super::{Layer, Work};
use crate::context::Context;

/// Bytes of sums kept for subtraction at most.
const KEPT: usize = 256 << 20;
/// No slot.
const NONE: u32 = u32::MAX;

/// Sums of the present tree.
#[derive(Default)]
pub(super) struct Plain {
    /// `[group][slot][block]`.
    sums: Vec<Vec<Block>>,
    /// The slot of each leaf, where its sums are known.
    slots: Vec<u32>,
    // Scratch, reused from layer to layer.
    entries: Vec<Entry>,
}

impl Plain {
    /// Weights have changed: no sums are known.
    pub fn forget(&mut self) {
        self.slots.clear();
    }

    /// The best split of each leaf. `keep` sums for the next layer, if there is room.
    pub fn layer(
        &mut self,
        task: &Layer<'_>,
        keep: bool,
        work: &mut Work,
        context: &Context,
    ) -> Vec<Option<Best<u64>>> {
        let Layer { groups, leaves, .. } = task;
        let blocks: usize = groups.groups.iter().map(Group::blocks).sum();
        let keep = keep && 2 * leaves.count() * blocks * size_of::<Block>() <= KEPT;
        let (wanted, count) = self.plan(task, keep);
        let Plain { sums: kept, entries, .. } = self;
        let entries = &entries[..count];
        let features: usize = groups.groups.iter().map(|group| group.features.len()).sum();
        work.added += entries.len() as u64 * features as u64;
        let size = (entries.len() + 2048 * wanted.len()) * features;
        let slots = wanted.iter().map(|wanted| wanted.slot + 1).max().unwrap_or(0) as usize;
        let visit = |i: usize, sums: &mut Vec<Block>| {
            let group = &groups.groups[i];
            if sums.len() < slots * group.blocks() {
                sums.resize(slots * group.blocks(), [[0; LANES]; 256]);
            }
            visit(task, group, &wanted, entries, sums)
        };
        let found = if keep {
            kept.resize_with(groups.groups.len(), Vec::new);
            context.map_parts(kept, 1, size, |i, sums| visit(i, &mut sums[0]))
        } else {
            kept.clear();
            context.map_with(groups.groups.len(), size, Vec::new, |sums, i| visit(i, sums))
        };
        let mut best: Vec<Option<Best<u64>>> = vec![None; leaves.count()];
        for group in found {
            for (wanted, found) in wanted.iter().zip(group) {
                keep_better(&mut best[wanted.leaf], found);
            }
        }
        best
    }

    /// What to add up and what to subtract, and how many entries there are.
    fn plan(&mut self, task: &Layer<'_>, keep: bool) -> (Vec<Wanted>, usize) {
        let leaves = task.leaves;
        let mut tasks = Vec::new();
        if keep && !self.slots.is_empty() {
            for &(left, right) in leaves.born {
                let (left, right) = (left as usize, right as usize);
                let slot = self.slots.len() as u32;
                let parent = self.slots[left];
                let (small, large) =
                    if leaves.rows[right] <= leaves.rows[left] { (right, left) } else { (left, right) };
                self.slots.push(0);
                self.slots[small] = slot;
                self.slots[large] = parent;
                tasks.push(Wanted { leaf: small, slot, less: None });
                tasks.push(Wanted { leaf: large, slot: parent, less: Some(slot) });
            }
        } else {
            self.slots.clear();
            self.slots.extend((0..leaves.count() as u32).filter(|_| keep));
            tasks.extend((0..leaves.count()).map(|leaf| Wanted { leaf, slot: leaf as u32, less: None }));
        }
        let mut slot_of = vec![NONE; leaves.count()];
        tasks.iter().filter(|task| task.less.is_none()).for_each(|task| slot_of[task.leaf] = task.slot);
        // Every row is written, those that count are kept: no branch to mispredict.
        let nothing = Entry { row: 0, slot: 0, weight: 0 };
        self.entries.resize(leaves.of.len() + 1, nothing);
        let mut count = 0;
        for ((row, leaf), &weight) in (0u32..).zip(leaves.of).zip(&task.weights.values) {
            let slot = slot_of[*leaf as usize];
            self.entries[count] = Entry { row, slot, weight };
            count += usize::from(weight != 0 && slot != NONE);
        }
        (tasks, count)
    }
}

/// A leaf whose best split is wanted.
struct Wanted {
    leaf: usize,
    /// Where its sums are.
    slot: u32,
    /// It holds its parent's sums, and the sibling's are here.
    less: Option<u32>,
}

fn visit(
    task: &Layer<'_>,
    group: &Group,
    wanted: &[Wanted],
    entries: &[Entry],
    sums: &mut [Block],
) -> Vec<Option<Best<u64>>> {
    let blocks = group.blocks();
    let of = |slot: u32| slot as usize * blocks..(slot as usize + 1) * blocks;
    let totals = &task.leaves.totals;
    for wanted in wanted.iter().filter(|wanted| wanted.less.is_none()) {
        sums[of(wanted.slot)].as_flattened_mut().fill([0; LANES]);
    }
    group.add(entries, sums);
    for wanted in wanted {
        match wanted.less {
            None => group.complete(totals[wanted.leaf], &mut sums[of(wanted.slot)]),
            Some(sibling) => subtract(sums, wanted.slot as usize * blocks, sibling as usize * blocks, blocks),
        }
    }
    let mut reach = vec![0; group.features.len()];
    let each =
        wanted.iter().map(|wanted| best_of(task, group, &sums[of(wanted.slot)], totals[wanted.leaf], &mut reach));
    each.collect()
}

/// Takes the sums of one slot from those of another; slots by their first block.
pub(super) fn subtract(sums: &mut [Block], from: usize, less: usize, blocks: usize) {
    let middle = from.max(less);
    let (low, high) = sums.split_at_mut(middle);
    let (from, less) =
        if from < less { (&mut low[from..], &mut high[..]) } else { (&mut high[..], &mut low[less..]) };
    let pairs = from[..blocks].as_flattened_mut().iter_mut().zip(less[..blocks].as_flattened());
    for (from, less) in pairs {
        (0..LANES).for_each(|lane| from[lane] = from[lane].wrapping_sub(less[lane]));
    }
}

/// The best split of one leaf on the features of a group.
fn best_of(task: &Layer<'_>, group: &Group, sums: &[Block], total: i32, reach: &mut [u32]) -> Option<Best<u64>> {
    group.reach(total, sums, reach);
    let exact = |at: usize| {
        let feature = group.features[at];
        scan(feature, &task.data.maps[feature], &group.feature(at, sums), total)
    };
    let may = |at: &usize| task.allowed.is_none_or(|allowed| allowed[group.features[*at]]);
    let mut best = None;
    let mut plain: Option<usize> = None;
    for at in (0..group.features.len()).filter(may) {
        if !group.plain[at] {
            keep_better(&mut best, exact(at));
        } else if reach[at] > total.unsigned_abs() && plain.is_none_or(|before| reach[at] > reach[before]) {
            plain = Some(at);
        }
    }
    match plain {
        Some(at) => keep_better(&mut best, exact(at)),
        // No threshold is better than one answer for all rows.
        None if task.force => (0..group.features.len()).filter(may).for_each(|at| keep_better(&mut best, exact(at))),
        None => {}
    }
    best
}
