//! The delta filter: features that cannot be the best are told apart by sums of slightly stale weights.
//!
//! For signed weights u, any other weights r and any split sigma in {-1, +1}^N
//!
//!   |sum sigma u| <= |sum sigma r| + sum |u - r|.
//!
//! QuickBoost (thesis 3.4) is the case in which r is u on the heaviest rows and 0 elsewhere. Here r is what was last *written*
//! into the sums of every feature. A round of AdaBoost multiplies the weights of right rows by one factor, which a scale takes
//! up, and of wrong ones by another; so only the heaviest rows that were wrong must be written anew. What survives the bound is
//! added up exactly, as without the filter: the filter decides who is looked at, never who wins, and the model is the same.
//!
//! A child's sums are made of its parent's in the same spirit: the smaller child adds the rows that matter, the larger is the
//! parent less these, and what was left out goes into the bound of both.

use super::super::layer::{keep_better, scan};
use super::super::split::Best;
use super::groups::{Block, Entry, Group, LANES};
use super::{Layer, Leaves, Work, rows_right};
use crate::binning::{BinColumn, BinnedDataset, MISSING_BIN};
use crate::context::Context;

/// The bound may keep this share of the edge that the same node had in the last round: stumps, roots of trees, other nodes.
const SLACK: [f64; 3] = [0.2, 0.1, 0.05];
/// The edge that is assumed of a node never seen before.
const FIRST_EDGE: f64 = 0.2;
/// Sum of absolute written weights after a new start, and at most: 32 bits must hold twice as much.
const START: f64 = (1u32 << 26) as f64;
const MOST: f64 = (1u32 << 30) as f64;
/// Bounds are computed in floating point: this much is added.
const ROUNDING: f64 = 1e-9;
/// Buckets of residuals: exponent and three more bits of a single-precision number.
const BUCKETS: usize = 1 << 11;

/// What is written, and the sums of it.
#[derive(Default)]
pub(super) struct Delta {
    stump: bool,
    /// Weights as last written into the sums of the root.
    written: Vec<i32>,
    /// Written units a unit of weight.
    scale: f64,
    /// Rows that the last tree had right, and their sum of weights then.
    right: Vec<bool>,
    right_before: f64,
    /// `[group][slot][block]`; slot 0 is the root's and outlives the tree.
    sums: Vec<Vec<Block>>,
    /// The root, which outlives the tree, and the leaves of the present tree.
    root: Node,
    nodes: Vec<Node>,
    /// Whether the sums of a row's leaf hold it.
    held: Vec<bool>,
    /// Edge of the best split, by place in the tree (root 0, children of n at 2 n + 1 and 2 n + 2), as last seen.
    edges: Vec<f64>,
}

#[derive(Clone, Copy, Default)]
struct Node {
    slot: usize,
    place: usize,
    /// Sum of written weights in the slot.
    written: i32,
    /// Absolute sum of written weights in the slot of rows that are not of this leaf.
    foreign: f64,
}

/// A leaf to be judged: its rows with weight, their absolute sum, and how far its sums may be off.
struct Judged<'a> {
    leaf: usize,
    rows: &'a [u32],
    mass: f64,
    rest: f64,
}

impl Delta {
    pub fn new(stump: bool) -> Self {
        Delta { stump, ..Delta::default() }
    }

    /// Bytes of sums, for so many features and layers.
    pub fn bytes(features: usize, depth: usize) -> usize {
        features.next_multiple_of(64) * 256 * 4 * if depth == 1 { 1 } else { 1 + (1 << (depth - 1)) }
    }

    /// Tells which rows the tree had right.
    pub fn answered(&mut self, weights: &[i32], response: &[f64]) {
        rows_right(weights, response, &mut self.right);
        self.right_before = self.right_sum(weights);
    }

    fn right_sum(&self, weights: &[i32]) -> f64 {
        weights.iter().zip(&self.right).map(|(w, right)| if *right { w.unsigned_abs() as f64 } else { 0.0 }).sum()
    }

    /// The best split of each leaf that could have one.
    pub fn layer(&mut self, task: &Layer<'_>, work: &mut Work, context: &Context) -> Vec<Option<Best<u64>>> {
        let weights = &task.weights.values;
        let leaves = task.leaves;
        // Rows that lost all their weight still are in the sums.
        let (rows, ends) = match leaves.count() {
            1 => rows_by_leaf(leaves, |row| weights[row] != 0),
            _ => rows_by_leaf(leaves, |row| weights[row] != 0 || self.written[row] != 0),
        };
        let of = |leaf: usize| &rows[ends[leaf]..ends[leaf + 1]];
        let mass = |leaf: usize| of(leaf).iter().map(|&row| weights[row as usize].unsigned_abs() as f64).sum::<f64>();
        let mut judged = Vec::new();
        if leaves.count() == 1 {
            let mass = mass(0);
            let rest = self.write_root(task, mass, work, context);
            judged.push(Judged { leaf: 0, rows: of(0), mass, rest });
        } else {
            let masses: Vec<f64> = (0..leaves.count()).map(mass).collect();
            self.part(task, &of, &masses, work, context);
            for leaf in leaves.born.iter().flat_map(|&(left, right)| [left as usize, right as usize]) {
                let own: f64 = of(leaf).iter().map(|&row| self.residual(row as usize, weights)).sum();
                let rest = own + self.nodes[leaf].foreign;
                judged.push(Judged { leaf, rows: of(leaf), mass: masses[leaf], rest });
            }
        }
        let mut best: Vec<Option<Best<u64>>> = vec![None; leaves.count()];
        for judged in judged {
            let found = self.judge(task, &judged, work, context);
            let place = self.nodes[judged.leaf].place;
            if self.edges.len() <= place {
                self.edges.resize(place + 1, FIRST_EDGE);
            }
            let edge = found.as_ref().map_or(0.0, |found| found.score as f64 / judged.mass);
            self.edges[place] = edge.max(1e-3);
            best[judged.leaf] = found;
        }
        best
    }

    fn edge(&self, place: usize) -> f64 {
        self.edges.get(place).copied().unwrap_or(FIRST_EDGE)
    }

    /// |u - r| of a row, r being zero where the sums do not hold it.
    fn residual(&self, row: usize, weights: &[i32]) -> f64 {
        let written = if self.held[row] { f64::from(self.written[row]) } else { 0.0 };
        (f64::from(weights[row]) * self.scale - written).abs()
    }

    /// Brings the root's sums up to date where it matters; how far they may be off.
    fn write_root(&mut self, task: &Layer<'_>, mass: f64, work: &mut Work, context: &Context) -> f64 {
        let weights = &task.weights.values;
        let groups = &task.groups.groups;
        self.held.clear();
        self.held.resize(weights.len(), true);
        if self.right.len() == weights.len() {
            self.scale *= self.right_before / self.right_sum(weights);
        }
        let size = self.scale * mass;
        if self.written.len() != weights.len() || !(START / 64.0..MOST).contains(&size) {
            self.scale = START / mass.max(1.0);
            self.written.clear();
            self.written.resize(weights.len(), 0);
            self.sums.clear();
            self.root = Node::default();
        }
        let slack = if self.stump { SLACK[0] } else { SLACK[1] };
        let limit = slack * self.edge(0) * mass * self.scale;
        let least = heaviest((0..weights.len()).map(|row| self.residual(row, weights)), limit);
        let mut entries = Vec::new();
        let mut rest = 0.0;
        for row in 0..weights.len() {
            let residual = self.residual(row, weights);
            if bucket(residual) < least {
                rest += residual;
                continue;
            }
            let exact = f64::from(weights[row]) * self.scale;
            let rounded = exact.round();
            let change = rounded as i32 - self.written[row];
            self.written[row] = rounded as i32;
            self.root.written = self.root.written.wrapping_add(change);
            rest += (exact - rounded).abs();
            if change != 0 {
                entries.push(Entry { row: row as u32, slot: 0, weight: change });
            }
        }
        let features = task.data.columns.len();
        work.added += (entries.len() * features) as u64;
        self.sums.resize_with(groups.len(), Vec::new);
        self.nodes = vec![self.root];
        let total = self.root.written;
        context.map_parts(&mut self.sums, 1, (entries.len() + 2048) * features, |i, sums| {
            let (group, sums) = (&groups[i], &mut sums[0]);
            if sums.is_empty() {
                sums.resize(group.blocks(), [[0; LANES]; 256]);
            }
            let root = &mut sums[..group.blocks()];
            group.add(&entries, root);
            group.complete(total, root);
        });
        rest
    }

    /// Makes the sums of new leaves out of their parents'.
    fn part<'r>(
        &mut self,
        task: &Layer<'_>,
        rows_of: &dyn Fn(usize) -> &'r [u32],
        masses: &[f64],
        work: &mut Work,
        context: &Context,
    ) {
        let leaves = task.leaves;
        self.nodes.resize(leaves.count(), Node::default());
        let mut entries = Vec::new();
        let mut cuts = Vec::new();
        // Slot 0 belongs to the root for ever.
        let mut next_slot = self.nodes.iter().map(|node| node.slot + 1).max().unwrap_or(1);
        for &(left, right) in leaves.born {
            let (left, right) = (left as usize, right as usize);
            let parent = self.nodes[left];
            let small = if rows_of(right).len() <= rows_of(left).len() { right } else { left };
            let places = [(left, 2 * parent.place + 1), (right, 2 * parent.place + 2)];
            let limit = places.map(|(leaf, place)| self.edge(place) * masses[leaf]);
            let limit = SLACK[2] * limit[0].min(limit[1]) * self.scale;
            let size = |row: u32| f64::from(self.written[row as usize].unsigned_abs());
            let least = heaviest(rows_of(small).iter().map(|&row| size(row)), limit);
            let slot = next_slot;
            let from = parent.slot;
            let to = if from == 0 { slot + 1 } else { from };
            next_slot = slot.max(to) + 1;
            let (mut written, mut foreign) = (0i32, parent.foreign);
            for &row in rows_of(small) {
                let weight = self.written[row as usize];
                let taken = weight != 0 && bucket(f64::from(weight.unsigned_abs())) >= least;
                if taken {
                    written = written.wrapping_add(weight);
                    entries.push(Entry { row, slot: slot as u32, weight });
                }
                // Held by both or by neither, the larger child has nothing of it.
                if taken != self.held[row as usize] {
                    foreign += f64::from(weight.unsigned_abs());
                }
                self.held[row as usize] = taken;
            }
            for (leaf, place) in places {
                self.nodes[leaf] = if leaf == small {
                    Node { slot, place, written, foreign: 0.0 }
                } else {
                    Node { slot: to, place, written: parent.written.wrapping_sub(written), foreign }
                };
            }
            cuts.push((from, to, slot, written));
        }
        let features = task.data.columns.len();
        work.added += (entries.len() * features) as u64;
        let groups = &task.groups.groups;
        let size = (entries.len() + 4096 * cuts.len()) * features;
        context.map_parts(&mut self.sums, 1, size, |i, sums| {
            let (group, sums) = (&groups[i], &mut sums[0]);
            let blocks = group.blocks();
            if sums.len() < next_slot * blocks {
                sums.resize(next_slot * blocks, [[0; LANES]; 256]);
            }
            for &(_, _, slot, _) in &cuts {
                sums[slot * blocks..(slot + 1) * blocks].fill([[0; LANES]; 256]);
            }
            group.add(&entries, sums);
            for &(from, to, slot, written) in &cuts {
                group.complete(written, &mut sums[slot * blocks..(slot + 1) * blocks]);
                if from != to {
                    sums.copy_within(from * blocks..(from + 1) * blocks, to * blocks);
                }
                super::plain::subtract(sums, to * blocks, slot * blocks, blocks);
            }
        });
    }

    /// The best split of a leaf: bounds from the sums, then the features that the bound leaves, one by one.
    fn judge(&self, task: &Layer<'_>, judged: &Judged<'_>, work: &mut Work, context: &Context) -> Option<Best<u64>> {
        let node = &self.nodes[judged.leaf];
        let groups = &task.groups.groups;
        let features = task.data.columns.len();
        let reach = context.map(groups.len(), features * 2048, |i| {
            let group = &groups[i];
            let sums = &self.sums[i][node.slot * group.blocks()..(node.slot + 1) * group.blocks()];
            reach(task.data, group, sums, node.written)
        });
        let bound = |reach: u32| (f64::from(reach) + judged.rest) / self.scale * (1.0 + ROUNDING) + 2.0;
        let may = |feature: usize| task.allowed.is_none_or(|allowed| allowed[feature]);
        let each = || {
            let all = groups.iter().zip(&reach).flat_map(|(group, reach)| group.features.iter().copied().zip(reach));
            all.filter(|(feature, _)| may(*feature)).map(|(feature, reach)| (*reach, feature))
        };
        // The likeliest first: the higher the bar, the fewer are left.
        let (_, first) = each().reduce(|a, b| if b.0 > a.0 { b } else { a })?;
        let mut best = self.exact(task, judged, first, work);
        let bar = |best: &Option<Best<u64>>| {
            let homogeneous = u64::from(task.leaves.totals[judged.leaf].unsigned_abs());
            best.as_ref().map_or(homogeneous, |best| best.score.max(homogeneous)) as f64
        };
        let bar_now = bar(&best);
        let mut left: Vec<(f64, usize)> = each()
            .map(|(reach, feature)| (bound(reach), feature))
            .filter(|(bound, feature)| *bound >= bar_now && *feature != first)
            .collect();
        left.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (bound, feature) in left {
            if bound < bar(&best) {
                break;
            }
            keep_better(&mut best, self.exact(task, judged, feature, work));
        }
        best
    }

    /// A feature of a leaf, all rows added up.
    fn exact(&self, task: &Layer<'_>, judged: &Judged<'_>, feature: usize, work: &mut Work) -> Option<Best<u64>> {
        let total = task.leaves.totals[judged.leaf];
        let weights = &task.weights.values;
        let mut sums = [0i32; 256];
        let mut add = |bin: u8, row: u32| {
            let cell = &mut sums[usize::from(bin)];
            *cell = cell.wrapping_add(weights[row as usize]);
        };
        match &task.data.columns[feature] {
            BinColumn::Dense(codes) => judged.rows.iter().for_each(|&row| add(codes[row as usize], row)),
            BinColumn::Sparse { common, rows, bins } => {
                let own =
                    rows.iter().zip(bins).filter(|(row, _)| task.leaves.of[**row as usize] as usize == judged.leaf);
                own.for_each(|(row, bin)| add(*bin, *row));
                let listed = sums.iter().fold(0i32, |a, b| a.wrapping_add(*b));
                sums[usize::from(*common)] = total.wrapping_sub(listed);
            }
        }
        work.added += judged.rows.len() as u64;
        work.completed += 1;
        scan(feature, &task.data.maps[feature], &sums, total)
    }
}

/// The most any split of each feature can make of written weights.
fn reach(data: &BinnedDataset, group: &Group, sums: &[Block], written: i32) -> Vec<u32> {
    let mut reach = vec![0; group.features.len()];
    group.reach(written, sums, &mut reach);
    for (at, &feature) in group.features.iter().enumerate().filter(|(at, _)| !group.plain[*at]) {
        let bins = group.feature(at, sums);
        let size = |bin: i32| u64::from(bin.unsigned_abs());
        reach[at] = if data.maps[feature].is_categorical() {
            // Any set of levels may go left.
            bins.iter().map(|bin| size(*bin)).sum::<u64>()
        } else {
            // Missing values on either side.
            let missing = size(bins[usize::from(MISSING_BIN)]);
            u64::from(reach[at]) + 2 * missing
        }
        .min(u64::from(u32::MAX)) as u32;
    }
    reach
}

/// The least bucket such that what is in lower ones sums to at most this.
fn heaviest(residuals: impl Iterator<Item = f64>, limit: f64) -> usize {
    let mut masses = vec![0.0; BUCKETS];
    residuals.for_each(|residual| masses[bucket(residual)] += residual);
    let mut below = 0.0;
    let mut fits = |mass: &f64| {
        below += mass;
        below <= limit
    };
    masses.iter().take_while(|mass| fits(mass)).count().max(1)
}

fn bucket(residual: f64) -> usize {
    ((residual as f32).to_bits() >> 20) as usize % BUCKETS
}

/// Rows that count, leaf by leaf in rising order, and where each leaf starts.
fn rows_by_leaf(leaves: &Leaves<'_>, counts: impl Fn(usize) -> bool) -> (Vec<u32>, Vec<usize>) {
    let mut ends = vec![0usize; leaves.count() + 1];
    let rows = || leaves.of.iter().enumerate().filter(|(row, _)| counts(*row));
    rows().for_each(|(_, leaf)| ends[*leaf as usize + 1] += 1);
    for leaf in 0..leaves.count() {
        ends[leaf + 1] += ends[leaf];
    }
    let mut next = ends.clone();
    let mut sorted = vec![0u32; ends[leaves.count()]];
    for (row, leaf) in rows() {
        sorted[next[*leaf as usize]] = row as u32;
        next[*leaf as usize] += 1;
    }
    (sorted, ends)
}
