//! Deep randomised classification trees: every node looks at a few random features and is split until it is pure
//! (random forests, Breiman 2001; extremely randomised trees, Geurts, Ernst, Wehenkel 2006).
//!
//! Growth is depth first over rows that are partitioned in place, and a node pays for its own rows only: the sums of a
//! small node are made by sorting its rows by bin, never by clearing 255 bins. Splits are judged by the weighted Gini
//! index, as the sum of |s|^2 / w over both sides, where s is the weight of each class.

mod split;

use crate::binning::{BinnedDataset, MISSING_BIN};
use crate::data::synthetic::random::below;
use crate::learner::tree::{Split, round, scale_for};
use crate::model::{Node, Region, RegionTree};
use rand_chacha::ChaCha8Rng;
use split::Search;
use std::ops::Range;
use std::sync::Mutex;

/// A row in a node.
#[derive(Clone, Copy, Debug)]
struct Item {
    row: u32,
    class: u32,
    weight: i32,
}

/// How thresholds are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thresholds {
    /// The best of each feature looked at.
    Best,
    /// A random one for each feature looked at; the best of these.
    Random,
}

/// A tree with the class shares of its leaves.
pub struct RandomTree {
    /// The tree; leaves with the same shares have the same number.
    pub tree: RegionTree,
    /// `[number][class]`, each summing to one.
    pub shares: Vec<f64>,
    /// Number of the leaf of each row it was grown on.
    pub placed: Vec<(u32, u32)>,
}

/// Grows trees on one data set. Shared by threads.
pub struct RandomGrower<'a> {
    bins: &'a BinnedDataset,
    /// Codes of every row, `[feature][row]`.
    codes: Vec<Vec<u8>>,
    /// Features that can be split at all.
    useful: Vec<u32>,
    classes: usize,
    features: usize,
    thresholds: Thresholds,
    /// Rows of mean weight in a leaf, at least.
    smallest: usize,
    /// Memory of trees that are grown, for the next ones.
    spare: Mutex<Vec<Room>>,
}

/// Memory that a tree needs while it grows.
#[derive(Default)]
struct Room {
    items: Vec<Item>,
    scratch: Vec<Item>,
    nodes: Vec<Node<Region>>,
    shares: Vec<f64>,
}

impl<'a> RandomGrower<'a> {
    /// Trees that look at so many features a node.
    pub fn new(bins: &'a BinnedDataset, classes: usize, features: usize, thresholds: Thresholds) -> Self {
        let dense = |feature: usize| {
            let mut codes = vec![0; bins.rows];
            bins.columns[feature].for_each(bins.rows, |row, bin| codes[row] = bin);
            codes
        };
        let useful = |feature: &usize| bins.maps[*feature].bins() > 1 || bins.has_missing(*feature);
        RandomGrower {
            bins,
            codes: (0..bins.columns.len()).map(dense).collect(),
            useful: (0..bins.columns.len()).filter(useful).map(|feature| feature as u32).collect(),
            classes,
            features,
            thresholds,
            smallest: 1,
            spare: Mutex::default(),
        }
    }

    /// Trees whose leaves have the weight of so many rows at least.
    pub fn with_leaves_of(self, rows: usize) -> Self {
        RandomGrower { smallest: rows, ..self }
    }

    /// A tree of the rows with positive weight.
    pub fn grow(&self, labels: &[u32], weights: &[f64], rng: &mut ChaCha8Rng) -> RandomTree {
        let scale = scale_for(weights.iter().sum());
        // A weight that would vanish beside the others counts as the smallest there is.
        let fixed = |weight: f64| round(weight * scale).max(1);
        let rows = (0u32..).zip(labels.iter().zip(weights)).filter(|(_, (_, weight))| **weight > 0.0);
        let mut room = self.spare.lock().ok().and_then(|mut spare| spare.pop()).unwrap_or_default();
        room.items.clear();
        room.items.extend(rows.map(|(row, (class, weight))| Item { row, class: *class, weight: fixed(*weight) }));
        room.scratch.clone_from(&room.items);
        let mut growth = Growth {
            grower: self,
            order: self.useful.clone(),
            search: Search::new(self.classes, self.least(&room.items)),
            pure: vec![None; self.classes],
            placed: Vec::with_capacity(room.items.len()),
            room,
        };
        growth.run(rng);
        let Growth { mut room, placed, .. } = growth;
        // Deep trees are most of a model: no room for nodes that do not come.
        let tree = RegionTree { nodes: room.nodes.drain(..).collect() };
        let shares = room.shares.clone();
        room.shares.clear();
        if let Ok(mut spare) = self.spare.lock() {
            spare.push(room);
        }
        RandomTree { tree, shares, placed }
    }
}

impl RandomGrower<'_> {
    /// The weight that a leaf has at least. Any weight does for one row: a light row is a row.
    fn least(&self, items: &[Item]) -> i64 {
        let total: i64 = items.iter().map(|item| i64::from(item.weight)).sum();
        if self.smallest == 1 { 1 } else { self.smallest as i64 * total / self.bins.rows.max(1) as i64 }
    }
}

struct Growth<'g, 'a> {
    grower: &'g RandomGrower<'a>,
    /// Features in random order so far.
    order: Vec<u32>,
    search: Search,
    room: Room,
    /// Number of the leaf of one class alone.
    pure: Vec<Option<u32>>,
    placed: Vec<(u32, u32)>,
}

impl Growth<'_, '_> {
    fn run(&mut self, rng: &mut ChaCha8Rng) {
        let mut open = vec![(0..self.room.items.len(), None)];
        while let Some((rows, parent)) = open.pop() {
            let at = self.room.nodes.len() as u32;
            if let Some(parent) = parent
                && let Node::Split { right, .. } = &mut self.room.nodes[parent as usize]
            {
                *right = at;
            }
            self.search.enter(&self.room.items[rows.clone()]);
            let split = if self.search.is_done() { None } else { self.choose(rows.clone(), rng) };
            let Some(split) = split else {
                self.leaf(rows);
                continue;
            };
            let middle = rows.start + self.part(&split, rows.clone());
            self.room.nodes.push(Node::Split {
                feature: split.feature as u32,
                test: split.test(&self.grower.bins.maps[split.feature]),
                missing_left: split.missing_left(),
                left: at + 1,
                right: 0,
            });
            open.extend([(middle..rows.end, Some(at)), (rows.start..middle, None)]);
        }
    }

    /// The best split among some random features; more are looked at only while none can be split.
    fn choose(&mut self, rows: Range<usize>, rng: &mut ChaCha8Rng) -> Option<Split> {
        let RandomGrower { bins, codes, features, thresholds, .. } = self.grower;
        let mut best: Option<(f64, Split)> = None;
        for seen in 0..self.order.len() {
            if seen >= *features && best.is_some() {
                break;
            }
            let other = seen + below((self.order.len() - seen) as u64, rng) as usize;
            self.order.swap(seen, other);
            let feature = self.order[seen] as usize;
            let least = best.as_ref().map_or(f64::NEG_INFINITY, |(score, _)| *score);
            let (items, codes) = (&self.room.items[rows.clone()], &*codes[feature]);
            let found = self.search.split(items, codes, feature, &bins.maps[feature], *thresholds, least, rng);
            best = found.or(best);
        }
        best.map(|(_, split)| split)
    }

    fn part(&mut self, split: &Split, rows: Range<usize>) -> usize {
        let codes = &self.grower.codes[split.feature];
        let Room { items, scratch, .. } = &mut self.room;
        let items = &mut items[rows];
        let (mut lefts, mut rights) = (0, 0);
        for i in 0..items.len() {
            let item = items[i];
            let left = split.left[usize::from(codes[item.row as usize])];
            items[lefts] = item;
            scratch[rights] = item;
            lefts += usize::from(left);
            rights += usize::from(!left);
        }
        items[lefts..].copy_from_slice(&scratch[..rights]);
        lefts
    }

    fn leaf(&mut self, rows: Range<usize>) {
        let classes = self.grower.classes;
        let next = (self.room.shares.len() / classes) as u32;
        let class = self.room.items[rows.start].class as usize;
        let known = self.pure[class].filter(|_| self.search.is_pure());
        let region = known.unwrap_or_else(|| {
            self.search.put_shares(&mut self.room.shares);
            if self.search.is_pure() {
                self.pure[class] = Some(next);
            }
            next
        });
        self.room.nodes.push(Node::Leaf(Region { region }));
        self.placed.extend(self.room.items[rows].iter().map(|item| (item.row, region)));
    }
}

/// Whether a code is that of a missing value, as a position behind the bins.
fn position(code: u8, bins: usize) -> usize {
    if code == MISSING_BIN { bins } else { usize::from(code) }
}
