//! AdaBoost.ECC: the code is found while boosting (Guruswami and Sahai 1999, Multiclass learning, boosting, and
//! error-correcting codes, fig. 2).
//!
//! Every round cuts the classes in two at random, m(l) = +1 or -1, half of them each. Row n, whose wrong labels weigh
//! D(n, l) = w_n exp((F_l - F_c) / 2), counts with the weight of the labels across the cut, and a tree h of +1 and -1 is
//! fitted to m(c). It adds g m(l) to every class, where g = ln(right / wrong) / 2 among the rows it answers +1, and minus
//! the same among the others.
//!
//! Deviation: smoothing of the votes, as in `adaboost`.

use super::engine::mislabels::Mislabels;
use super::engine::start;
use crate::booster::draw;
use crate::booster::rebel::{SMOOTHING, smoothing};
use crate::booster::sign_rounds::SignRounds;
use crate::booster::{Booster, NextTerm, Problem};
use crate::context::Context;
use crate::data::synthetic::random::shuffle;
use crate::error::{Error, Result};
use crate::learner::Work;
use crate::learner::tree::Binary;
use crate::math::{exp, ln};
use crate::model::{Link, Node, Region, RegionTree, Sign, SignTree, Term, WeakModel};
use crate::registry::{Algorithm, Method, SIGN_TREE_PARAMETERS};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "adaboost-ecc",
    summary: "each round cuts the classes in two at random and tells the halves apart",
    paper: "Guruswami, Sahai 1999, Multiclass learning, boosting, and error-correcting codes",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump", "exact-stump"],
    learner_parameters: &[SIGN_TREE_PARAMETERS, draw::PARAMETERS],
    own_parameters: &[SMOOTHING],
    method: Method::Rounds(|problem| Ok(Box::new(Ecc::new(problem)?))),
};

/// Largest vote.
const LARGEST_VOTE: f64 = 14.0;
/// Cuts tried before training ends for want of a helpful one.
const MOST_CUTS: usize = 20;

struct Ecc<'a> {
    context: &'a Context,
    weights: Mislabels<'a>,
    rounds: SignRounds<'a>,
    rate: f64,
    smoothing: f64,
}

impl<'a> Ecc<'a> {
    fn new(problem: &Problem<'a>) -> Result<Self> {
        let Problem { data, settings, context, .. } = problem;
        Ok(Ecc {
            context,
            weights: Mislabels::new(data, 0.5),
            rounds: SignRounds::new(problem, 1)?,
            rate: settings.real("learning-rate")?,
            smoothing: smoothing(settings, &data.weights)?,
        })
    }

    /// m: half of the classes that have rows +1, the other half -1.
    fn cut(&self, trial: usize) -> Vec<f64> {
        let mut rng = self.context.stream(&format!("ecc/{}/{trial}", self.rounds.round()));
        let start = start(self.weights.data());
        let mut order: Vec<usize> = (0..start.len()).filter(|&class| start[class] == 0.0).collect();
        shuffle(&mut order, &mut rng);
        let mut cut = vec![-1.0; start.len()];
        order.iter().take(order.len().div_ceil(2)).for_each(|&class| cut[class] = 1.0);
        cut
    }

    /// m(c) times the weight of the wrong labels across the cut.
    fn signed(&self, cut: &[f64]) -> Vec<f64> {
        let rows = self.weights.slopes.chunks_exact(cut.len()).zip(&self.weights.data().labels);
        rows.map(|(slopes, label)| {
            let own = cut[*label as usize];
            own * slopes.iter().zip(cut).filter(|(_, m)| **m != own).map(|(slope, _)| -slope).sum::<f64>()
        })
        .collect()
    }

    fn vote(&self, right: f64, wrong: f64) -> f64 {
        match (right, wrong) {
            (0.0, 0.0) => 0.0,
            (0.0, _) => -LARGEST_VOTE,
            (_, 0.0) => LARGEST_VOTE,
            (right, wrong) => (0.5 * (ln(right) - ln(wrong))).clamp(-LARGEST_VOTE, LARGEST_VOTE),
        }
    }

    /// The tree of a cut with the values of its two answers, if it helps.
    fn fit(&mut self, cut: &[f64]) -> Option<(Binary, [f64; 2], f64)> {
        let signed = self.signed(cut);
        let total: f64 = signed.iter().map(|yw| yw.abs()).sum();
        if total <= 0.0 {
            return None;
        }
        let found = self.rounds.fit(0, &signed);
        // `[answer][truth]`, minus first.
        let mut sums = [[0.0; 2]; 2];
        for (yw, f) in signed.iter().zip(&found.response) {
            sums[usize::from(*f > 0.0)][usize::from(*yw > 0.0)] += yw.abs();
        }
        let added = self.smoothing * total;
        let values = sums.map(|[minus, plus]| self.vote(plus + added, minus + added));
        let loss: f64 = sums.iter().zip(values).map(|([minus, plus], g)| minus * exp(g) + plus * exp(-g)).sum();
        let edge = sums.iter().map(|[minus, plus]| (plus - minus).abs()).sum::<f64>() / total;
        (loss < total * (1.0 - 1e-12)).then_some((found, values, edge))
    }
}

impl Booster for Ecc<'_> {
    fn start(&mut self) -> Vec<f64> {
        start(self.weights.data())
    }

    fn weigh(&mut self, scores: &[f64]) -> f64 {
        let (most, total) = self.weights.weigh(scores, |_, _| 1.0, self.context);
        (exp(most) * total / self.weights.data().weights.iter().sum::<f64>()).min(f64::MAX)
    }

    /// Never: margins go on growing.
    fn enough(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn work(&self) -> Option<Work> {
        self.rounds.work()
    }

    fn link(&self) -> &'static str {
        Link::SOFTMAX
    }

    fn skip(&mut self, rounds: usize) {
        self.rounds.skip(rounds);
    }

    fn next(&mut self, _scores: &[f64]) -> Result<Option<NextTerm>> {
        let round = self.rounds.round();
        for trial in 0..MOST_CUTS {
            self.rounds.skip(round);
            let cut = self.cut(trial);
            let Some((Binary { learner, response }, values, edge)) = self.fit(&cut) else { continue };
            let WeakModel::Tree(tree) = learner else {
                return Err(Error::internal("adaboost-ecc turns the answers of trees into regions"));
            };
            let (tree, signs) = sides(tree);
            let rate = self.rate;
            let answers = signs.iter().map(|sign| values[usize::from(*sign > 0)]);
            let output = answers.flat_map(|g| cut.iter().map(move |m| rate * g * m)).collect();
            let region = |f: f64| f64::from(u8::from(signs.len() > 1 && f > 0.0));
            let response = response.into_iter().map(region).collect();
            let term = Term { learner: WeakModel::Regions(tree), output };
            return Ok(Some(NextTerm { term, response, edge }));
        }
        Ok(None)
    }
}

/// The same tree with regions for answers, and the sign of each: -1 and +1, or the only one that its leaves have.
fn sides(tree: SignTree) -> (RegionTree, Vec<i8>) {
    let says =
        |wanted: &i8| tree.nodes.iter().any(|node| matches!(node, Node::Leaf(Sign { sign }) if sign == wanted));
    let signs: Vec<i8> = [-1, 1].into_iter().filter(says).collect();
    let node = |node: &Node<Sign>| match node {
        Node::Leaf(Sign { sign }) => Node::Leaf(Region { region: u32::from(signs.len() > 1 && *sign > 0) }),
        Node::Split { feature, test, missing_left, left, right } => Node::Split {
            feature: *feature,
            test: test.clone(),
            missing_left: *missing_left,
            left: *left,
            right: *right,
        },
    };
    (RegionTree { nodes: tree.nodes.iter().map(node).collect() }, signs)
}
