//! Conditional mutual information maximisation: features that say much of the class, and something that no single
//! feature picked before says already.
//!
//! F. Fleuret, "Fast binary feature selection with conditional mutual information", JMLR 5 (2004), 1531-1555; lecture:
//!
//! nu(1) = argmax_n I(Y; X_n), nu(k + 1) = argmax_n min_{l <= k} I(Y; X_n | X_nu(l)).
//!
//! Deviations. Features of any number of values, not only binary ones, and any number of classes. Of equals the first
//! wins. The lazy search keeps candidates in a heap by their smallest value so far, an upper bound of their score
//! (the paper walks through an array and keeps the best so far). The top is brought one condition further until it has
//! been compared with all features picked: then no other can be better, and none that is equal comes before it. So both
//! searches give the same features with the same scores; `search=plain` is there to check and to time.

use super::information::{Alone, Ask, Informant, auto_levels, with_informant};
use super::{COUNT, LEVELS, Method, Ranking, Request};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::Result;
use crate::settings::{Kind, Parameter};
use crate::steps::About;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The method `cmim`.
pub(super) const METHOD: Method = Method {
    about: About {
        name: "cmim",
        summary: "conditional mutual information: features that add to each of those before, so copies are not picked",
        paper: "F. Fleuret, JMLR 5, 2004; EPFL EE-613, CMIM",
        count: COUNT,
        parameters: &[LEVELS, SEARCH],
    },
    score: "conditional mutual information in bits",
    trains: false,
    rank,
};

const SEARCH: Parameter = Parameter {
    name: "search",
    kind: Kind::Choice(&["lazy", "plain"]),
    default: "lazy",
    help: "plain evaluates every feature after every choice, lazy only where it can matter; the result is the same",
};

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Evaluates only what can matter.
    Lazy,
    /// Evaluates every feature after every choice.
    Plain,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Features and their scores, in the order of choice.
    pub ranked: Vec<(usize, f64)>,
    /// How often conditional mutual information was computed.
    pub evaluations: usize,
}

fn rank(request: &Request<'_>) -> Result<Ranking> {
    let levels = request.spec.integer_or_auto("levels")?;
    let how = if request.spec.word("search")? == "plain" { Search::Plain } else { Search::Lazy };
    let found = search(request.data, request.count, levels, how, request.context);
    Ok(Ranking { ranked: found.ranked, notes: Vec::new() })
}

/// Picks `count` features. `levels` are the values that a numeric feature is cut into; `None`: by the number of rows.
pub fn search(data: &Dataset, count: usize, levels: Option<usize>, how: Search, context: &Context) -> Found {
    let all: Vec<usize> = (0..data.schema.features.len()).collect();
    let levels = levels.unwrap_or(auto_levels(data, 2));
    with_informant(data, &all, levels, context, Pick { count: count.min(all.len()), how, context })
}

struct Pick<'a> {
    count: usize,
    how: Search,
    context: &'a Context,
}

impl Ask for Pick<'_> {
    type Answer = Found;

    fn ask<I: Informant>(self, informant: &I) -> Found {
        let alone = Alone { context: self.context }.ask(informant);
        match self.how {
            Search::Plain => plain(informant, alone, self.count, self.context),
            Search::Lazy => pulp::Arch::new().dispatch(Lazy { informant, alone, count: self.count }),
        }
    }
}

/// Features of one task.
const CHUNK: usize = 64;

fn plain<I: Informant>(informant: &I, mut scores: Vec<f64>, count: usize, context: &Context) -> Found {
    let mut found = Found { ranked: Vec::with_capacity(count), evaluations: 0 };
    let mut free = vec![true; scores.len()];
    while found.ranked.len() < count {
        let Some(best) = best(&scores, &free) else { break };
        found.ranked.push((best, scores[best]));
        free[best] = false;
        if found.ranked.len() == count {
            break;
        }
        let work = scores.len() * informant.work();
        context.map_parts(&mut scores, CHUNK, work, |i, scores| {
            let first = i * CHUNK;
            let free = &free[first..first + scores.len()];
            pulp::Arch::new().dispatch(Update { informant, scores, free, first, other: best });
        });
        found.evaluations += free.iter().filter(|free| **free).count();
    }
    found
}

/// The best of the free features; of equals the first.
fn best(scores: &[f64], free: &[bool]) -> Option<usize> {
    let candidates = (0..scores.len()).filter(|n| free[*n]);
    candidates.min_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)))
}

/// A struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct Update<'a, I> {
    informant: &'a I,
    scores: &'a mut [f64],
    free: &'a [bool],
    first: usize,
    other: usize,
}

impl<I: Informant> pulp::NullaryFnOnce for Update<'_, I> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let mut scratch = Vec::new();
        for (i, score) in self.scores.iter_mut().enumerate().filter(|(i, _)| self.free[*i]) {
            *score = score.min(self.informant.given(self.first + i, self.other, &mut scratch));
        }
    }
}

/// A candidate: the largest bound first, then the first feature.
struct Candidate {
    bound: f64,
    feature: Reverse<usize>,
    /// Features picked that it has been compared with.
    compared: usize,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(self.feature.cmp(&other.feature))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

struct Lazy<'a, I> {
    informant: &'a I,
    alone: Vec<f64>,
    count: usize,
}

impl<I: Informant> pulp::NullaryFnOnce for Lazy<'_, I> {
    type Output = Found;

    #[inline(always)]
    fn call(self) -> Found {
        let mut found = Found { ranked: Vec::with_capacity(self.count), evaluations: 0 };
        let candidates = self.alone.iter().enumerate();
        let mut heap: BinaryHeap<Candidate> =
            candidates.map(|(n, s)| Candidate { bound: *s, feature: Reverse(n), compared: 0 }).collect();
        let mut scratch = Vec::new();
        while found.ranked.len() < self.count {
            let Some(mut top) = heap.peek_mut() else { break };
            let feature = top.feature.0;
            match found.ranked.get(top.compared) {
                Some((other, _)) => {
                    top.bound = top.bound.min(self.informant.given(feature, *other, &mut scratch));
                    top.compared += 1;
                    found.evaluations += 1;
                }
                None => {
                    let top = std::collections::binary_heap::PeekMut::pop(top);
                    found.ranked.push((feature, top.bound));
                }
            }
        }
        found
    }
}
