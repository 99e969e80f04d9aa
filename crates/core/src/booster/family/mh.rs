//! AdaBoost.MH with shared learners: one tree of +1 and -1 a round for all classes, with one vote and a sign for each class
//! (Schapire and Singer 1999, section 7: Hamming loss; factorised h(x, k) = alpha v_k f(x) as in Kegl 2014, The return of
//! AdaBoost.MH).
//!
//! The loss is sum_n sum_k w_n exp(-y_nk F_k), y_nk = +1 for the own class and -1 else. With D_k = sum_n f y_nk w_nk the
//! best signs are those of D_k, the edge is sum_k |D_k| / sum of weights, and alpha = ln((1 + edge) / (1 - edge)) / 2. Roots
//! are chosen by the edge; deeper layers are grown for fixed signs as in REBEL (thesis 4.4), then signs are chosen again.
//! REBEL with equal costs differs in one point: its vote is a free number for each class.
//!
//! With two classes it is AdaBoost. Deviation: smoothing of votes, as there.

use super::engine::{mean_loss, one_against_all, start};
use crate::binning::BinnedDataset;
use crate::booster::ada::vote;
use crate::booster::draw::{self, Draw};
use crate::booster::rebel::{SMOOTHING, smoothing};
use crate::booster::{Booster, NextTerm, Problem};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::Result;
use crate::learner::Work;
use crate::learner::tree::{self, FixedRows, FixedVectors, LeafSearch, PRUNING, Pruning, RootCriterion, TreeGrower};
use crate::model::{Term, WeakModel};
use crate::registry::{Algorithm, Method, SIGN_TREE_PARAMETERS};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "adaboost-mh",
    summary: "one tree a round for all classes, one vote with a sign for each class",
    paper: "Schapire, Singer 1999, AdaBoost.MH; Kegl 2014, The return of AdaBoost.MH (factorised)",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump"],
    learner_parameters: &[SIGN_TREE_PARAMETERS, draw::PARTS],
    own_parameters: &[SMOOTHING],
    method: Method::Rounds(|problem| Ok(Box::new(Hamming::new(problem)?))),
};

struct Hamming<'a> {
    data: &'a Dataset,
    bins: &'a BinnedDataset,
    context: &'a Context,
    depth: usize,
    rate: f64,
    smoothing: f64,
    draw: Draw,
    round: usize,
    search: LeafSearch<'a>,
    /// y w exp(-y F), `[row][class]`.
    signed: Vec<f64>,
    /// Sum over classes of its size, one a row.
    weights: Vec<f64>,
}

/// A response with the best signs for it.
struct Vote {
    signs: Vec<f64>,
    edge: f64,
}

impl<'a> Hamming<'a> {
    fn new(problem: &Problem<'a>) -> Result<Self> {
        let Problem { data, bins, settings, context, .. } = problem;
        Ok(Hamming {
            data,
            bins,
            context,
            depth: tree::depth(settings)?,
            rate: settings.real("learning-rate")?,
            smoothing: smoothing(settings, &data.weights)?,
            draw: Draw::new(settings)?,
            round: 0,
            search: LeafSearch::new(bins, Pruning::named(settings.word(PRUNING.name)?)),
            signed: Vec::new(),
            weights: Vec::new(),
        })
    }

    /// The best signs for a response.
    fn signs(&self, signed: &[f64], response: &[f64]) -> Vote {
        let classes = self.data.class_count();
        let mut sums = vec![0.0; classes];
        let mut total = 0.0;
        for (signed, f) in signed.chunks_exact(classes).zip(response) {
            sums.iter_mut().zip(signed).for_each(|(sum, yw)| *sum += f * yw);
            total += signed.iter().map(|yw| yw.abs()).sum::<f64>();
        }
        let edge = sums.iter().map(|d| d.abs()).sum::<f64>() / total;
        // Sums that cancel are a matter of rounding.
        let least = -1e-12 * total;
        Vote { signs: sums.iter().map(|d| if *d < least { -1.0 } else { 1.0 }).collect(), edge }
    }

    /// The rows of a round.
    fn seen(&self, rows: Option<&[u32]>) -> Option<Vec<f64>> {
        let classes = self.data.class_count();
        rows.map(|rows| {
            let mut seen = vec![0.0; self.signed.len()];
            for row in rows {
                let at = *row as usize * classes..(*row as usize + 1) * classes;
                seen[at.clone()].copy_from_slice(&self.signed[at]);
            }
            seen
        })
    }
}

impl Booster for Hamming<'_> {
    fn start(&mut self) -> Vec<f64> {
        start(self.data)
    }

    fn weigh(&mut self, scores: &[f64]) -> f64 {
        self.weights = one_against_all(self.data, scores, &mut self.signed, self.context);
        mean_loss(&self.weights, self.data)
    }

    /// Never: margins go on growing.
    fn enough(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn work(&self) -> Option<Work> {
        Some(self.search.work)
    }

    fn link(&self) -> &'static str {
        "exp"
    }

    fn skip(&mut self, rounds: usize) {
        self.round = rounds;
    }

    fn next(&mut self, _scores: &[f64]) -> Result<Option<NextTerm>> {
        let (classes, context) = (self.data.class_count(), self.context);
        let drawn = self.draw.draw(self.round, &self.weights, self.bins.columns.len(), context);
        self.round += 1;
        let seen = self.seen(drawn.rows.as_deref());
        let mut search = std::mem::replace(&mut self.search, LeafSearch::new(self.bins, Pruning::Off));
        let signed = seen.as_deref().unwrap_or(&self.signed);
        let mut totals = vec![0.0; classes];
        for row in signed.chunks_exact(classes) {
            totals.iter_mut().zip(row).for_each(|(total, yw)| *total += yw.abs());
        }
        let grower = || match &drawn.features {
            Some(allowed) => TreeGrower::new(self.bins).among(allowed),
            None => TreeGrower::new(self.bins),
        };
        let mut tree = grower();
        let vectors = FixedVectors::new(signed, &totals, &totals, Vec::new(), context);
        let try_homogeneous = tree.split_root(&vectors, RootCriterion::Edge, &mut search, context);
        let mut response = vec![0.0; self.data.rows()];
        tree.responses(&mut response);
        let mut found = self.signs(signed, &response);
        for _ in 1..self.depth {
            let side = |row: &[f64]| row.iter().zip(&found.signs).map(|(yw, v)| yw * v).sum::<f64>();
            let sides: Vec<f64> = signed.chunks_exact(classes).map(side).collect();
            let mut deeper = tree.clone();
            search.reweighted(0);
            deeper.deepen(&FixedRows::new(&sides, Vec::new(), context), 1, &mut search, context);
            let mut answers = vec![0.0; response.len()];
            deeper.responses(&mut answers);
            let vote = self.signs(signed, &answers);
            // With exact arithmetic a layer never lowers the edge; rounding may, and then it is taken back.
            if vote.edge <= found.edge {
                break;
            }
            (tree, response, found) = (deeper, answers, vote);
        }
        if try_homogeneous {
            let ones = vec![1.0; response.len()];
            let vote = self.signs(signed, &ones);
            if vote.edge > found.edge {
                (tree, response, found) = (grower(), ones, vote);
            }
        }
        self.search = search;
        // The step counts all rows, also those that sat out.
        if seen.is_some() {
            found = self.signs(&self.signed, &response);
        }
        let alpha = vote(0.5 * (1.0 - found.edge), self.smoothing) * self.rate;
        if found.edge.is_nan() || found.edge <= 1e-12 {
            return Ok(None);
        }
        let output = found.signs.iter().map(|v| alpha * v).collect();
        let term = Term { learner: WeakModel::Tree(tree.finish()), output };
        Ok(Some(NextTerm { term, response, edge: found.edge }))
    }
}
