//! Entropy and mutual information of discrete features, in bits (lecture, "mutual information"):
//!
//! H(A) = - sum_a P(a) log2 P(a), I(A; B) = H(A) + H(B) - H(A, B),
//! I(Y; X | Z) = H(Y, Z) + H(X, Z) - H(Z) - H(Y, X, Z).
//!
//! Everything follows from counts, or sums of weights, by S = sum c ln c: H = (ln N - S / N) / ln 2. Probabilities are those of the rows; no
//! correction is made for the bias of small samples, so a feature of many values looks better than it is.

use super::codes::Codes;
use super::packed::Packed;
use super::{COUNT, LEVELS, Method, Ranking, Request};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::Result;
use crate::math::ln;
use crate::steps::About;
use std::f64::consts::LN_2;

/// The method `mim`.
pub(super) const METHOD: Method = Method {
    about: About {
        name: "mim",
        summary: "mutual information with the class, one feature at a time: copies of a good feature are all picked",
        paper: "EPFL EE-613, mutual information (MIM)",
        count: COUNT,
        parameters: &[LEVELS],
    },
    score: "mutual information in bits",
    trains: false,
    rank,
};

fn rank(request: &Request<'_>) -> Result<Ranking> {
    let levels = request.spec.integer_or_auto("levels")?.unwrap_or(auto_levels(request.data, 1));
    let all: Vec<usize> = (0..request.data.schema.features.len()).collect();
    let scores = with_informant(request.data, &all, levels, request.context, Alone { context: request.context });
    Ok(Ranking::by_score(&scores, request.count))
}

/// Values to cut a numeric feature into so that a table of counts, by class and `features` features, has ten rows a cell.
pub(super) fn auto_levels(data: &Dataset, features: i32) -> usize {
    let cells = data.rows() as f64 / (10 * data.class_count()) as f64;
    let levels = if features == 1 { cells } else { cells.sqrt() };
    (levels as usize).clamp(2, 16)
}

/// Entropy in bits of a distribution given by counts or weights.
pub fn entropy(counts: &[f64]) -> f64 {
    let total: f64 = counts.iter().sum();
    if total == 0.0 { 0.0 } else { bits(ln(total) - counts.iter().map(|c| x_ln_x(*c)).sum::<f64>() / total) }
}

/// Mutual information in bits of two discrete variables, given as one code a row, and weights.
pub fn mutual_information(a: &[u32], b: &[u32], weights: &[f64]) -> f64 {
    let size = |codes: &[u32]| codes.iter().max().map_or(0, |most| *most as usize + 1);
    let (rows, columns) = (size(a), size(b));
    let mut joint = vec![0.0; rows * columns];
    for ((a, b), w) in a.iter().zip(b).zip(weights) {
        joint[*a as usize * columns + *b as usize] += w;
    }
    let sums = |count: usize, cells: &dyn Fn(usize) -> f64| (0..count).map(cells).collect::<Vec<f64>>();
    let of_a = sums(rows, &|i| joint[i * columns..(i + 1) * columns].iter().sum());
    let of_b = sums(columns, &|j| (0..rows).map(|i| joint[i * columns + j]).sum());
    (entropy(&of_a) + entropy(&of_b) - entropy(&joint)).max(0.0)
}

/// Fano's inequality: no predictor of a class with this entropy from features with this information (both in bits)
/// errs less often. Zero if the bound says nothing.
pub fn fano(class_entropy: f64, information: f64, classes: usize) -> f64 {
    if classes < 2 { 0.0 } else { ((class_entropy - 1.0 - information) / (ln(classes as f64) / LN_2)).max(0.0) }
}

/// What features say of the class.
pub(super) trait Informant: Sync {
    /// Number of features.
    fn features(&self) -> usize;
    /// Elementary operations of one evaluation, about.
    fn work(&self) -> usize;
    /// I(Y; X).
    fn alone(&self, feature: usize, scratch: &mut Vec<f64>) -> f64;
    /// I(Y; X | Z).
    fn given(&self, feature: usize, other: usize, scratch: &mut Vec<f64>) -> f64;
}

/// Something to be done with what features say, however they are stored.
pub(super) trait Ask {
    type Answer;
    fn ask<I: Informant>(self, informant: &I) -> Self::Answer;
}

/// Reads some features: packed into words if all are binary and rows weigh one, else as bytes.
pub(super) fn with_informant<A: Ask>(
    data: &Dataset,
    features: &[usize],
    levels: usize,
    context: &Context,
    ask: A,
) -> A::Answer {
    match Packed::new(data, features, levels, context) {
        Some(packed) => ask.ask(&packed),
        None => ask.ask(&Codes::new(data, features, levels, context)),
    }
}

/// I(Y; X) of every feature.
pub(super) struct Alone<'a> {
    pub context: &'a Context,
}

impl Ask for Alone<'_> {
    type Answer = Vec<f64>;

    fn ask<I: Informant>(self, informant: &I) -> Vec<f64> {
        let features = informant.features();
        let work = features * informant.work();
        self.context.map_with(features, work, Vec::new, |scratch, feature| informant.alone(feature, scratch))
    }
}

/// c ln c, from a table where counts are whole.
pub(super) struct XLnX {
    table: Vec<f64>,
}

impl XLnX {
    /// For sums of these weights.
    pub fn new(weights: &[f64]) -> Self {
        let whole = weights.iter().all(|w| *w == 1.0);
        XLnX { table: if whole { (0..=weights.len()).map(|n| x_ln_x(n as f64)).collect() } else { Vec::new() } }
    }

    /// The value for a count.
    #[inline(always)]
    pub fn at(&self, count: f64) -> f64 {
        if self.table.is_empty() { x_ln_x(count) } else { self.table[count as usize] }
    }

    /// The value for a whole count, of a table.
    #[inline(always)]
    pub fn at_count(&self, count: u32) -> f64 {
        self.table[count as usize]
    }
}

fn x_ln_x(x: f64) -> f64 {
    if x > 0.0 { x * ln(x) } else { 0.0 }
}

/// From nats to bits; what rounding leaves of nothing is nothing.
#[inline(always)]
pub(super) fn bits(nats: f64) -> f64 {
    const NOTHING: f64 = 1e-12;
    if nats < NOTHING { 0.0 } else { nats / LN_2 }
}
