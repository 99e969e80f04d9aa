//! Best-first growth: of all leaves, the one whose best split gains most is split next.
//!
//! Children are searched before it is known whether their parent will be split: where a visit of a column costs the
//! same for few rows and many, the likely next splits share one. Splits are still made strictly in the order of gain.

use super::histogram::{From, Histograms, Task};
use super::quick::Quick;
use super::scan::{Candidate, Totals};
use super::sums::Sums;
use super::{Grown, NOWHERE, Part};
use crate::binning::{BinColumn, BinnedDataset};
use crate::context::Context;
use crate::learner::tree::Split;
use crate::model::{Node, Region, Tree};
use std::ops::Range;

/// A split must gain this share of what the leaf has; less is rounding.
const LEAST_GAIN: f64 = 1e-9;

/// A tree under construction.
pub(super) struct Growth<'a, 'q, S: Sums> {
    data: &'a BinnedDataset,
    sums: &'a S,
    context: &'a Context,
    histograms: &'a mut Histograms,
    most: usize,
    part: Part<'a>,
    quick: Option<&'a mut Quick<'q>>,
    nodes: Vec<Growing>,
    /// Rows by node; within a node in rising order.
    order: &'a mut Vec<u32>,
    /// Nodes that are leaves of the tree so far.
    leaves: Vec<usize>,
    /// Slots that can be kept; behind them are the spare ones.
    slots: usize,
    free: Vec<usize>,
    right: &'a mut Vec<u32>,
    sides: &'a mut Vec<bool>,
}

/// Memory that trees share.
#[derive(Default)]
pub(super) struct Scratch {
    order: Vec<u32>,
    right: Vec<u32>,
    sides: Vec<bool>,
}

struct Growing {
    /// In `order`.
    rows: Range<usize>,
    depth: usize,
    totals: Totals,
    /// Where its sums are kept, if they are.
    slot: Option<usize>,
    best: Option<Candidate>,
    gain: f64,
    /// The rows are divided. It is a leaf of the tree all the same until its turn comes.
    divided: Option<(Split, [usize; 2])>,
    split: bool,
}

impl<'a, 'q, S: Sums> Growth<'a, 'q, S> {
    pub fn new(
        data: &'a BinnedDataset,
        most: usize,
        part: Part<'a>,
        (histograms, scratch): (&'a mut Histograms, &'a mut Scratch),
        sums: &'a S,
        context: &'a Context,
    ) -> Self {
        let Scratch { order, right, sides } = scratch;
        order.clear();
        match part.rows {
            Some(rows) => order.extend_from_slice(rows),
            None => order.extend(0..data.rows as u32),
        }
        right.resize(data.rows, 0);
        let slots = histograms.reserve(data, sums, most, context);
        Growth {
            data,
            sums,
            context,
            histograms,
            most,
            part,
            quick: None,
            nodes: Vec::new(),
            order,
            leaves: vec![0],
            slots,
            free: (0..slots).rev().collect(),
            right,
            sides,
        }
    }

    /// Grows; with `quick`, features are pruned.
    pub fn run(mut self, quick: Option<&'a mut Quick<'q>>) -> Grown {
        self.quick = quick;
        let root = self.node(0..self.order.len(), 0, None);
        self.nodes.push(Growing { slot: self.free.pop(), ..root });
        self.search(&[(0, None)]);
        while self.leaves.len() < self.most {
            let Some(next) = self.best_leaf(|_| true) else { break };
            if self.nodes[next].divided.is_none() {
                if self.leaves.len() + 1 == self.most {
                    self.divide(next); // nobody will ask how to split the last children
                } else {
                    self.expand();
                }
            }
            self.nodes[next].split = true;
            if let Some((_, children)) = &self.nodes[next].divided {
                self.leaves.retain(|leaf| *leaf != next);
                self.leaves.extend(children);
            }
        }
        self.finish()
    }

    /// The leaf with the most to gain among those that qualify; ties to the leftmost, whichever was searched first.
    fn best_leaf(&self, qualifies: impl Fn(usize) -> bool) -> Option<usize> {
        let open = self.leaves.iter().copied().filter(|&leaf| self.nodes[leaf].gain > 0.0 && qualifies(leaf));
        open.reduce(|a, b| {
            let (x, y) = (&self.nodes[a], &self.nodes[b]);
            if y.gain > x.gain || (y.gain == x.gain && y.rows.start < x.rows.start) { b } else { a }
        })
    }

    /// A node of these rows; `known` are its sums.
    fn node(&self, rows: Range<usize>, depth: usize, known: Option<Vec<i32>>) -> Growing {
        let cell = known.unwrap_or_else(|| {
            let mut cell = vec![0; self.sums.lanes()];
            self.order[rows.clone()]
                .iter()
                .for_each(|row| self.sums.add(self.sums.item(*row as usize), &mut cell, 0));
            cell
        });
        let totals = Totals::new(self.sums, cell);
        Growing { rows, depth, totals, slot: None, best: None, gain: 0.0, divided: None, split: false }
    }

    /// Divides the leaves that are likely to be split next, and searches their children.
    fn expand(&mut self) {
        let left = self.most - self.leaves.len();
        let most = if self.histograms.sparse { left.div_ceil(2) } else { 1 };
        let mut tasks = Vec::new();
        for _ in 0..most {
            let Some(leaf) = self.best_leaf(|leaf| self.nodes[leaf].divided.is_none()) else { break };
            let slot = self.nodes[leaf].slot;
            if !tasks.is_empty() && self.free.len() < if slot.is_some() { 1 } else { 2 } {
                break;
            }
            let [a, b] = self.divide(leaf);
            let (small, large) = if self.nodes[a].rows.len() <= self.nodes[b].rows.len() { (a, b) } else { (b, a) };
            self.nodes[leaf].slot = None;
            if self.part.depth.is_some_and(|most| self.nodes[a].depth >= most) {
                self.free.extend(slot);
                continue; // nobody will ask how to split them
            }
            self.nodes[large].slot = slot;
            self.nodes[small].slot = self.free.pop();
            tasks.push((small, None));
            match slot {
                Some(_) => tasks.push((large, Some(small))),
                None => {
                    self.nodes[large].slot = self.free.pop();
                    tasks.push((large, None));
                }
            }
        }
        if !tasks.is_empty() {
            self.search(&tasks);
        }
    }

    /// Finds the best split of nodes, each filled from its rows or, if it is the larger child and holds its parent's
    /// sums, by subtracting its sibling. At most two nodes may lack a slot.
    fn search(&mut self, tasks: &[(usize, Option<usize>)]) {
        if let Some(quick) = &mut self.quick {
            let (sums, allowed, context) = (self.sums, self.part.features, self.context);
            let (nodes, order) = (&self.nodes, &self.order);
            let each = tasks.iter().map(|(node, _)| {
                let Growing { rows, totals, .. } = &nodes[*node];
                quick.search(sums, &order[rows.clone()], totals, allowed, context)
            });
            let found = each.collect();
            return self.found(tasks, found);
        }
        let mut spare = self.slots..;
        let slots: Vec<usize> =
            tasks.iter().map(|(node, _)| self.nodes[*node].slot.or_else(|| spare.next()).unwrap_or(0)).collect();
        let slot_of = |node: usize| tasks.iter().position(|t| t.0 == node).map_or(0, |at| slots[at]);
        let task = |((node, sibling), slot): (&(usize, Option<usize>), &usize)| {
            let Growing { rows, totals, .. } = &self.nodes[*node];
            let rows = &self.order[rows.clone()];
            let sums = match sibling {
                Some(sibling) => From::Parent(slot_of(*sibling)),
                None if rows.len() == self.data.rows => From::All,
                None => From::Rows(rows.iter().map(|row| (*row, self.sums.item(*row as usize))).collect()),
            };
            Task { slot: *slot, rows, sums, totals }
        };
        let batch: Vec<_> = tasks.iter().zip(&slots).map(task).collect();
        let found = self.histograms.visit(self.data, self.sums, self.part.features, &batch, self.context);
        self.found(tasks, found);
    }

    /// Takes note of the best split of each node, if it is worth making.
    fn found(&mut self, tasks: &[(usize, Option<usize>)], found: Vec<Option<Candidate>>) {
        for ((node, _), best) in tasks.iter().zip(found) {
            let node = &mut self.nodes[*node];
            let before = node.totals.score();
            node.gain = best.as_ref().map_or(0.0, |best| best.score - before);
            let worth_it = node.gain > LEAST_GAIN * before;
            if !worth_it {
                node.gain = 0.0;
                self.free.extend(node.slot.take());
            }
            node.best = best;
        }
    }

    /// Makes the children of a node, with their rows.
    fn divide(&mut self, node: usize) -> [usize; 2] {
        // Only leaves with something to gain are divided, and these have a best split.
        let Some(best) = &self.nodes[node].best else { return [node, node] };
        let split = best.split();
        let rows = self.nodes[node].rows.clone();
        let middle = rows.start + self.part(&split, rows.clone());
        let depth = self.nodes[node].depth + 1;
        let left = self.node(rows.start..middle, depth, None);
        let parent = self.nodes[node].totals.cell.iter();
        let rest = parent.zip(&left.totals.cell).map(|(a, b)| a - b).collect();
        let right = self.node(middle..rows.end, depth, Some(rest));
        let children = [self.nodes.len(), self.nodes.len() + 1];
        self.nodes.extend([left, right]);
        self.nodes[node].divided = Some((split, children));
        children
    }

    /// Moves the rows that go left to the front, keeping the order on both sides; how many they are.
    fn part(&mut self, split: &Split, rows: Range<usize>) -> usize {
        let left = &*split.left;
        let segment = &mut self.order[rows];
        match &self.data.columns[split.feature] {
            BinColumn::Dense(codes) => part(segment, self.right, |row| left[usize::from(codes[row])]),
            BinColumn::Sparse { common, rows, bins } => {
                self.sides.clear();
                self.sides.resize(self.data.rows, left[usize::from(*common)]);
                rows.iter().zip(bins).for_each(|(row, bin)| self.sides[*row as usize] = left[usize::from(*bin)]);
                part(segment, self.right, |row| self.sides[row])
            }
        }
    }

    fn finish(self) -> Grown {
        let mut nodes = Vec::new();
        let mut leaf_of = vec![NOWHERE; self.data.rows];
        let mut leaves = 0;
        let mut open = vec![(0, None)];
        while let Some((number, parent)) = open.pop() {
            let at = nodes.len() as u32;
            if let Some((parent, is_left)) = parent
                && let Node::Split { left, right, .. } = &mut nodes[parent as usize]
            {
                *(if is_left { left } else { right }) = at;
            }
            let node = &self.nodes[number];
            match node.divided.as_ref().filter(|_| node.split) {
                Some((split, children)) => {
                    nodes.push(Node::Split {
                        feature: split.feature as u32,
                        test: split.test(&self.data.maps[split.feature]),
                        missing_left: split.missing_left(),
                        left: 0,
                        right: 0,
                    });
                    open.extend([(children[1], Some((at, false))), (children[0], Some((at, true)))]);
                }
                None => {
                    nodes.push(Node::Leaf(Region { region: leaves }));
                    self.order[node.rows.clone()].iter().for_each(|row| leaf_of[*row as usize] = leaves);
                    leaves += 1;
                }
            }
        }
        Grown { tree: Tree { nodes }, leaves: leaves as usize, leaf_of }
    }
}

fn part(rows: &mut [u32], right: &mut [u32], goes_left: impl Fn(usize) -> bool) -> usize {
    let (mut lefts, mut rights) = (0, 0);
    for i in 0..rows.len() {
        // Both written, one kept: no branch to mispredict.
        let row = rows[i];
        let left = goes_left(row as usize);
        rows[lefts] = row;
        right[rights] = row;
        lefts += usize::from(left);
        rights += usize::from(!left);
    }
    rows[lefts..].copy_from_slice(&right[..rights]);
    lefts
}
