//! REBEL: Risk Estimation Boosting using an Exponential Loss (thesis ch. 4; Appel, Burgos-Artizzu, Perona).
//!
//! One binary learner a round for all K classes, with an output vector a of K free components:
//! H_T(x) = a_0 + sum_t f_t(x) a_t (eq. 4.7). The learner is a tree grown layer by layer (4.4): the root minimises
//! the loss over f and a jointly (eq. 4.10); each deeper layer keeps a, re-chooses the sides of rows, then
//! re-optimises a.
//!
//! Deviations: smoothing of the step (`--smoothing`, 0 = none) and a learning rate; a layer that does not lower the
//! loss is taken back, which with exact arithmetic never happens (4.4).

use super::{Booster, NextTerm, Problem};
use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::error::Result;
use crate::learner::tree::{FixedRows, FixedVectors, RootCriterion, TreeGrower};
use crate::loss::{CoupledLoss, RoundWeights, Step, Subcosts, surrogate};
use crate::model::{Term, WeakModel};
use crate::registry::Algorithm;
use crate::settings::{Kind, Parameter, Settings};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "rebel",
    summary: "one tree a round for all classes, with costs in training",
    paper: "Appel 2017, thesis ch. 4; Appel, Burgos-Artizzu, Perona, arXiv:1607.03547",
    most_classes: None,
    trains_on_costs: true,
    learners: &["tree", "stump"],
    own_parameters: &[
        Parameter {
            name: "loss",
            kind: Kind::Choice(&["exp", "logistic", "squared"]),
            default: "exp",
            help: "bound of the cost that is minimised",
        },
        Parameter {
            name: "subcosts",
            kind: Kind::Choice(&["thesis", "paper"]),
            default: "thesis",
            help: "how costs enter the loss",
        },
        SMOOTHING,
        BIAS,
        STOP_LOSS,
        Parameter {
            name: "cost-mode",
            kind: Kind::Choice(&["train", "decide"]),
            default: "train",
            help: "use costs in training, or only in the decision (minimum expected cost)",
        },
    ],
    build: |problem| Ok(Box::new(Rebel::new(problem)?)),
};

/// `--smoothing`.
pub const SMOOTHING: Parameter = Parameter {
    name: "smoothing",
    kind: Kind::RealOrAuto(0.0, 1.0),
    default: "auto",
    help: "share of the weight added to both sides of a step; 0 = the published step",
};

/// `--bias`.
pub const BIAS: Parameter = Parameter {
    name: "bias",
    kind: Kind::Switch,
    default: "on",
    help: "start from a constant score for each class (a0)",
};

/// `--stop-loss`.
pub const STOP_LOSS: Parameter = Parameter {
    name: "stop-loss",
    kind: Kind::RealOrAuto(0.0, 1e9),
    default: "auto",
    help: "stop once the loss is this near its minimum; auto = no mistake is left, 0 = never",
};

/// The booster.
pub struct Rebel<'a> {
    bins: &'a BinnedDataset,
    context: &'a Context,
    loss: CoupledLoss,
    depth: usize,
    rate: f64,
    bias: bool,
    enough: f64,
    // Scratch, reused from round to round.
    weights: Option<RoundWeights>,
    vectors: Vec<i32>,
    rows: Vec<i32>,
    delta: Vec<f64>,
}

/// Depth of the trees the settings ask for.
pub fn tree_depth(settings: &Settings) -> Result<usize> {
    Ok(if settings.word("learner")? == "stump" { 1 } else { settings.integer("depth")? })
}

/// Smoothing the settings ask for: by default half a row's share of the weight, so that a learner that is right on
/// all N rows is not believed more than N rows can show (Schapire and Singer 1999, 4.2).
pub fn smoothing(settings: &Settings, rows: usize) -> Result<f64> {
    Ok(settings.real_or_auto("smoothing")?.unwrap_or(0.5 / rows as f64))
}

impl<'a> Rebel<'a> {
    /// Checks settings against the problem.
    pub fn new(problem: &Problem<'a>) -> Result<Self> {
        let settings = problem.settings;
        let subcosts = if settings.word("subcosts")? == "paper" { Subcosts::Paper } else { Subcosts::Thesis };
        let smoothing = smoothing(settings, problem.data.rows())?;
        let loss =
            CoupledLoss::new(surrogate(settings.word("loss")?)?, subcosts, problem.data, problem.costs, smoothing);
        let margin = settings.real_or_auto("stop-loss")?.unwrap_or(loss.enough());
        Ok(Rebel {
            bins: problem.bins,
            context: problem.context,
            depth: tree_depth(settings)?,
            rate: settings.real("learning-rate")?,
            bias: settings.switch("bias")?,
            // A margin of zero must never stop a run, not even one that reaches the minimum.
            enough: if margin == 0.0 { f64::NEG_INFINITY } else { loss.least() + margin },
            loss,
            weights: None,
            vectors: Vec::new(),
            rows: Vec::new(),
            delta: Vec::new(),
        })
    }
}

impl Booster for Rebel<'_> {
    /// a_0: the best constant, i.e. the output vector of a learner that answers +1 everywhere.
    fn start(&mut self) -> Vec<f64> {
        let classes = self.loss.classes();
        if !self.bias {
            return vec![0.0; classes];
        }
        let scores = vec![0.0; self.loss.rows() * classes];
        let weights = self.loss.weigh(&scores, Vec::new(), self.context);
        self.loss.step(&weights, &scores, &vec![1.0; self.loss.rows()], self.context).output
    }

    fn weigh(&mut self, scores: &[f64]) -> f64 {
        let slopes = self.weights.take().map(|w| w.slopes).unwrap_or_default();
        let weights = self.weights.insert(self.loss.weigh(scores, slopes, self.context));
        weights.loss
    }

    fn enough(&self) -> f64 {
        self.enough
    }

    fn next(&mut self, scores: &[f64]) -> Result<Option<NextTerm>> {
        let (loss, context) = (&self.loss, self.context);
        let Some(weights) = &self.weights else { return Ok(None) };
        let vectors = FixedVectors::new(
            &weights.slopes,
            &weights.magnitudes,
            &weights.totals,
            std::mem::take(&mut self.vectors),
            context,
        );
        let criterion =
            if loss.surrogate().is_exponential() { RootCriterion::Exponential } else { RootCriterion::SecondOrder };
        let mut tree = TreeGrower::new(self.bins);
        let found = tree.split_root(&vectors, criterion, context);
        self.vectors = vectors.values;
        let mut response = vec![0.0; self.bins.rows];
        tree.responses(&mut response);
        let mut step = loss.step(weights, scores, &response, context);
        for _ in 1..self.depth {
            if !found {
                break;
            }
            self.delta.resize(response.len(), 0.0);
            loss.sides(weights, scores, &step.output, &mut self.delta, context);
            // +1 costs delta more than -1: the tree should answer +1 where delta is negative.
            self.delta.iter_mut().for_each(|d| *d = -*d);
            let fixed = FixedRows::new(&self.delta, std::mem::take(&mut self.rows), context);
            let mut deeper = tree.clone();
            deeper.deepen(&fixed, context);
            self.rows = fixed.values;
            let mut answers = vec![0.0; response.len()];
            deeper.responses(&mut answers);
            let deeper_step = loss.step(weights, scores, &answers, context);
            if deeper_step.loss >= step.loss {
                break;
            }
            (tree, response, step) = (deeper, answers, deeper_step);
        }
        let Step { mut output, loss: after, edge } = step;
        if !found || after >= weights.loss || output.iter().all(|a| *a == 0.0) {
            return Ok(None);
        }
        output.iter_mut().for_each(|a| *a *= self.rate);
        Ok(Some(NextTerm { term: Term { learner: WeakModel::Tree(tree.finish()), output }, response, edge }))
    }
}
