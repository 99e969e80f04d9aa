//! A growing tree: leaves, the leaf of every row, and the answers so far.

use super::fixed::{FixedRows, FixedVectors};
use super::root::{RootCriterion, best_root};
use super::root_quick;
use super::search::{LeafSearch, Leaves};
use super::split::{Best, Split};
use crate::binning::{BinColumn, BinnedDataset};
use crate::context::Context;
use crate::model::{Node, Sign, SignTree};

/// A tree under construction on one data set.
#[derive(Clone)]
pub struct TreeGrower<'a> {
    data: &'a BinnedDataset,
    /// Features it may ask about, rising.
    features: Vec<usize>,
    nodes: Vec<Growing>,
    /// Node of each leaf.
    leaves: Vec<usize>,
    leaf_of: Vec<u8>,
    /// Left and right children that the last layer made.
    born: Vec<(u8, u8)>,
}

#[derive(Clone)]
enum Growing {
    Leaf(i8),
    Split { split: Split, children: [usize; 2] },
}

/// What has reached each leaf.
struct Tally {
    rows: Vec<usize>,
    /// Of weights.
    sums: Vec<i32>,
}

impl<'a> TreeGrower<'a> {
    /// One leaf that answers +1 everywhere.
    pub fn new(data: &'a BinnedDataset) -> Self {
        let features = (0..data.columns.len()).collect();
        let (nodes, leaves, leaf_of) = (vec![Growing::Leaf(1)], vec![0], vec![0; data.rows]);
        TreeGrower { data, features, nodes, leaves, leaf_of, born: Vec::new() }
    }

    /// May ask about these features only.
    pub fn among(mut self, allowed: &[bool]) -> Self {
        self.features.retain(|&feature| allowed[feature]);
        self
    }

    /// Splits the root by a criterion over all classes, if any feature can be split; left answers +1. True if one
    /// answer for all rows would be better than that split.
    pub fn split_root(
        &mut self,
        weights: &FixedVectors,
        criterion: RootCriterion,
        search: &mut LeafSearch<'_>,
        context: &Context,
    ) -> bool {
        let found = match search.quick() {
            Some((columns, work)) => {
                root_quick::best_root(self.data, columns, &self.features, weights, criterion, work, context)
            }
            None => {
                search.looked_at_all(self.features.len());
                best_root(self.data, &self.features, weights, criterion, context)
            }
        };
        let (best, homogeneous_is_better) = found;
        if let Some(split) = best {
            self.apply(vec![Some((split, [1, -1]))], context);
        }
        homogeneous_is_better
    }

    /// Splits the root by signed weights, if any feature can be split; left answers +1. True if one answer for all rows
    /// would be better than that split.
    pub fn split_root_by_sign(
        &mut self,
        weights: &FixedRows,
        search: &mut LeafSearch<'_>,
        context: &Context,
    ) -> bool {
        let tally = self.tally(|row| weights.values[row]);
        let Some(best) = self.search(weights, &tally, search, true, context).pop().flatten() else { return true };
        let homogeneous_is_better = best.score < u64::from(tally.sums[0].unsigned_abs());
        self.apply(vec![Some((best.split, [1, -1]))], context);
        homogeneous_is_better
    }

    /// Adds layers for the same weights: each leaf is split, or its answer changed, so that answers agree best with the sign of
    /// the weights (+1 where they are positive). Leaves that no split improves stay.
    pub fn deepen(&mut self, weights: &FixedRows, layers: usize, search: &mut LeafSearch<'_>, context: &Context) {
        let mut tally = self.tally(|row| weights.values[row]);
        for _ in 0..layers {
            let found = self.search(weights, &tally, search, false, context);
            // A split that gains nothing over one answer for the whole leaf is no split.
            let better = |(best, sum): (Option<Best<u64>>, &i32)| {
                let best = best.filter(|best| best.score > u64::from(sum.unsigned_abs()))?;
                Some((best.split, [0, 0]))
            };
            let splits = found.into_iter().zip(&tally.sums).map(better).collect();
            let mut before: Vec<i8> = self.leaves.iter().map(|&node| self.answer(node)).collect();
            self.apply(splits, context);
            self.born.iter().for_each(|(left, _)| before.push(before[usize::from(*left)]));
            tally = self.tally(|row| weights.values[row]);
            for ((node, sum), before) in self.leaves.iter().zip(&tally.sums).zip(before) {
                self.nodes[*node] = Growing::Leaf(if *sum == 0 { before } else { sum.signum() as i8 });
            }
        }
    }

    /// The best split of every leaf.
    fn search(
        &self,
        weights: &FixedRows,
        tally: &Tally,
        search: &mut LeafSearch<'_>,
        force: bool,
        context: &Context,
    ) -> Vec<Option<Best<u64>>> {
        let Tally { rows, sums } = tally;
        let leaves = Leaves { of: &self.leaf_of, rows, totals: sums, born: &self.born };
        search.layer(&self.features, weights, &leaves, force, context)
    }

    /// Rows and sums of weights of all leaves, in one pass.
    fn tally(&self, weight: impl Fn(usize) -> i32) -> Tally {
        // Rows above and weights below the 32nd bit. Every fourth row has cells of its own: one would wait for itself.
        let mut cells = [[0i64; 256]; 4];
        for (row, leaf) in self.leaf_of.iter().enumerate() {
            cells[row % 4][usize::from(*leaf)] += (1 << 32) + i64::from(weight(row));
        }
        let leaves = 0..self.leaves.len();
        let all: Vec<i64> = leaves.map(|leaf| cells.iter().map(|cells| cells[leaf]).sum()).collect();
        Tally {
            // Sums of weights fit into 32 bits (`fixed.rs`).
            sums: all.iter().map(|both| *both as i32).collect(),
            rows: all.iter().map(|both| ((both - i64::from(*both as i32)) >> 32) as usize).collect(),
        }
    }

    fn answer(&self, node: usize) -> i8 {
        match &self.nodes[node] {
            Growing::Leaf(sign) => *sign,
            Growing::Split { .. } => 0,
        }
    }

    /// Replaces leaves by splits: left children keep the leaf's number, right children get new ones.
    fn apply(&mut self, splits: Vec<Option<(Split, [i8; 2])>>, context: &Context) {
        const CHUNK: usize = 8192;
        self.born.clear();
        // What is added to the number of a row's leaf, by bin of the feature that the leaf asks about. Dense columns are read in
        // one pass for all leaves, without a branch, since sides cannot be foreseen.
        let mut shifts = vec![[0u8; 256]; splits.len()];
        let mut columns: Vec<&[u8]> = vec![&[]; splits.len()];
        let mut listed = Vec::new();
        for (leaf, split) in splits.into_iter().enumerate() {
            let Some((split, signs)) = split else { continue };
            let (left, right) = (self.nodes.len(), self.leaves.len());
            let shift = split.left.map(|left| if left { 0 } else { (right - leaf) as u8 });
            match &self.data.columns[split.feature] {
                BinColumn::Dense(codes) => (columns[leaf], shifts[leaf]) = (codes, shift),
                sparse => listed.push((leaf as u8, sparse, shift)),
            }
            self.nodes[self.leaves[leaf]] = Growing::Split { split, children: [left, left + 1] };
            self.nodes.extend(signs.map(Growing::Leaf));
            self.born.push((leaf as u8, right as u8));
            self.leaves[leaf] = left;
            self.leaves.push(left + 1);
        }
        if let Some(&some) = columns.iter().find(|codes| !codes.is_empty()) {
            // Leaves that stay read a column too, and add nothing.
            columns.iter_mut().filter(|codes| codes.is_empty()).for_each(|codes| *codes = some);
            context.map_parts(&mut self.leaf_of, CHUNK, 2 * self.data.rows, |i, part| {
                for (row, at) in (i * CHUNK..).zip(part) {
                    let leaf = usize::from(*at);
                    *at += shifts[leaf][usize::from(columns[leaf][row])];
                }
            });
        }
        for (leaf, column, shift) in listed {
            column.for_each(self.data.rows, |row, code| {
                if self.leaf_of[row] == leaf {
                    self.leaf_of[row] += shift[usize::from(code)];
                }
            });
        }
    }

    /// The answer to every row.
    pub fn responses(&self, out: &mut [f64]) {
        let signs: Vec<f64> = self.leaves.iter().map(|&node| f64::from(self.answer(node))).collect();
        out.iter_mut().zip(&self.leaf_of).for_each(|(out, leaf)| *out = signs[*leaf as usize]);
    }

    /// The finished tree in raw values. Splits whose leaves all answer the same are dropped. Where no training row
    /// was missing, missing values go to the side with more rows.
    pub fn finish(&self) -> SignTree {
        let mut counts = vec![0usize; self.nodes.len()];
        self.leaves.iter().zip(self.tally(|_| 0).rows).for_each(|(node, rows)| counts[*node] = rows);
        for node in (0..self.nodes.len()).rev() {
            if let Growing::Split { children: [left, right], .. } = &self.nodes[node] {
                counts[node] = counts[*left] + counts[*right];
            }
        }
        let mut nodes = Vec::new();
        self.emit(0, &counts, &mut nodes);
        SignTree { nodes }
    }

    fn emit(&self, node: usize, counts: &[usize], out: &mut Vec<Node<Sign>>) -> u32 {
        let at = out.len();
        match &self.nodes[node] {
            Growing::Leaf(sign) => out.push(Node::Leaf(Sign { sign: *sign })),
            Growing::Split { split, children } => {
                let map = &self.data.maps[split.feature];
                let learned = self.data.has_missing(split.feature);
                let missing_left =
                    if learned { split.missing_left() } else { counts[children[0]] >= counts[children[1]] };
                out.push(Node::Leaf(Sign { sign: 0 }));
                let left = self.emit(children[0], counts, out);
                let right = self.emit(children[1], counts, out);
                out[at] = match (&out[left as usize], &out[right as usize]) {
                    (Node::Leaf(a), Node::Leaf(b)) if a == b => {
                        let sign = *a;
                        out.truncate(at);
                        out.push(Node::Leaf(sign));
                        return at as u32;
                    }
                    _ => Node::Split {
                        feature: split.feature as u32,
                        test: split.test(map),
                        missing_left,
                        left,
                        right,
                    },
                };
            }
        }
        at as u32
    }
}
