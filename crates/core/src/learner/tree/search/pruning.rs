//! Which way of searching is used: as asked for, or whichever takes less time.

use super::delta::Delta;
use super::groups::Groups;
use crate::binning::BinnedDataset;
use crate::memory;
use crate::settings::{Kind, Parameter};
use std::time::{Duration, Instant};

/// `--pruning`.
pub const PRUNING: Parameter = Parameter {
    name: "pruning",
    kind: Kind::Choice(&["auto", "off", "quickboost", "delta"]),
    default: "auto",
    help: "how features that cannot be the best are told early: the model is the same in every case; auto = whichever is faster",
};

/// How features that cannot be the best are told early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pruning {
    /// Whichever takes less time.
    #[default]
    Auto,
    /// Not at all.
    Off,
    /// The thesis' way.
    Quickboost,
    /// By sums that are slightly out of date.
    Delta,
}

impl Pruning {
    /// By name; anything unknown is the default.
    pub fn named(name: &str) -> Self {
        match name {
            "off" => Pruning::Off,
            "quickboost" => Pruning::Quickboost,
            "delta" => Pruning::Delta,
            _ => Pruning::Auto,
        }
    }
}

/// Fewest features and rows for which the filter can pay: its work a row does not depend on the features.
const FEWEST_FEATURES: usize = 256;
const FEWEST_ROWS: usize = 1000;
/// Trees before the first comparison: the filter's first trees are its dearest.
const WARM_UP: usize = 16;
/// The same for each of several problems, without the filter: a few rounds each would not pay for as many warm-ups.
const PATIENCE: usize = 32;
/// Trees between two comparisons, at first, of each problem.
const INTERVAL: usize = 64;
/// Trees of each problem on each side of a comparison: the first of them warms up.
const SAMPLE: usize = 3;

/// Compares two ways by their time now and then. Only the time depends on it, since all give the same answer.
pub(super) struct Trial {
    pruning: Pruning,
    possible: bool,
    faster: Pruning,
    trees: usize,
    next: usize,
    /// Trees between comparisons, at first and now.
    shortest: usize,
    interval: usize,
    /// Trees on each side of a comparison.
    sample: usize,
    /// Least time of a tree in this comparison, plain and filtered.
    times: [Duration; 2],
    began: Option<Instant>,
}

impl Trial {
    pub fn new(pruning: Pruning, data: &BinnedDataset, depth: usize, problems: usize) -> Self {
        let (features, rows) = (data.columns.len(), data.rows);
        let bytes = Delta::bytes(features, depth) * problems + Groups::bytes(data);
        let worth_it = features >= FEWEST_FEATURES && rows >= FEWEST_ROWS && bytes <= memory::share();
        Trial {
            pruning,
            possible: worth_it,
            faster: if problems == 1 { Pruning::Delta } else { Pruning::Off },
            trees: 0,
            next: if problems == 1 { WARM_UP } else { PATIENCE * problems },
            shortest: INTERVAL * problems,
            interval: INTERVAL * problems,
            sample: SAMPLE * problems,
            times: [Duration::MAX; 2],
            began: None,
        }
    }

    /// Whether the filter may be used at all.
    pub fn may_filter(&self) -> bool {
        self.pruning == Pruning::Delta || (self.pruning == Pruning::Auto && self.possible)
    }

    /// The way for the present tree.
    pub fn method(&self) -> Pruning {
        if self.pruning != Pruning::Auto {
            return self.pruning;
        }
        match self.trees.checked_sub(self.next) {
            _ if !self.possible => Pruning::Off,
            Some(at) if at < self.sample => Pruning::Off,
            Some(_) => Pruning::Delta,
            None => self.faster,
        }
    }

    pub fn begin(&mut self) {
        if self.pruning == Pruning::Auto && self.possible {
            self.began = Some(Instant::now());
        }
    }

    /// Takes note of the time; the way that was used.
    pub fn end(&mut self) -> Pruning {
        let method = self.method();
        if let Some(began) = self.began.take() {
            if let Some(at) = self.trees.checked_sub(self.next) {
                let least = &mut self.times[usize::from(method == Pruning::Delta)];
                *least = (*least).min(began.elapsed());
                if at + 1 >= 2 * self.sample {
                    let faster = if self.times[1] <= self.times[0] { Pruning::Delta } else { Pruning::Off };
                    self.interval = if faster == self.faster { self.interval * 2 } else { self.shortest };
                    (self.faster, self.times) = (faster, [Duration::MAX; 2]);
                    self.next = self.trees + self.interval;
                }
            }
            self.trees += 1;
        }
        method
    }
}
