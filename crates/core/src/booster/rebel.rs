//! REBEL: Risk Estimation Boosting using an Exponential Loss (thesis ch. 4; Appel, Burgos-Artizzu, Perona).
//!
//! One binary learner a round for all K classes, with an output vector a of K free components:
//! H_T(x) = a_0 + sum_t f_t(x) a_t (eq. 4.7). The learner is found by `learner/` (trees: 4.4).
//!
//! Deviations: smoothing of the step (`--smoothing`, 0 = none) and a learning rate.

use super::{Booster, NextTerm, Problem, draw};
use crate::context::Context;
use crate::error::Result;
use crate::learner::{CoupledLearner, Found, Round, Work, coupled_learner, similarity};
use crate::loss::{CoupledLoss, RoundWeights, Step, Subcosts, surrogate};
use crate::model::{Supports, Term};
use crate::registry::{Algorithm, Method, SIGN_TREE_PARAMETERS};
use crate::settings::{Kind, Parameter, Settings};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "rebel",
    summary: "one weak learner a round for all classes, with costs in training",
    paper: "Appel 2017, thesis ch. 4; Appel, Burgos-Artizzu, Perona, arXiv:1607.03547",
    most_classes: None,
    trains_on_costs: true,
    ranks: false,
    learners: &["tree", "stump", "similarity"],
    learner_parameters: &[SIGN_TREE_PARAMETERS, similarity::PARAMETERS, draw::PARTS],
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
        COST_MODE,
    ],
    method: Method::Rounds(|problem| Ok(Box::new(Rebel::new(problem)?))),
};

/// `--smoothing`.
pub const SMOOTHING: Parameter = Parameter {
    name: "smoothing",
    kind: Kind::RealOrAuto(0.0, 1.0),
    default: "auto",
    help: "share of the weight added to both sides of a step; 0 = the published step; auto = half a row for trees, 0 for similarities",
};

/// `--cost-mode`.
pub const COST_MODE: Parameter = Parameter {
    name: "cost-mode",
    kind: Kind::Choice(&["train", "decide"]),
    default: "train",
    help: "use costs in training, or only in the decision (minimum expected cost)",
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
    context: &'a Context,
    loss: CoupledLoss,
    learner: Box<dyn CoupledLearner + 'a>,
    similarities: bool,
    rate: f64,
    bias: bool,
    enough: f64,
    weights: Option<RoundWeights>,
}

/// Smoothing the settings ask for: by default half the smallest row's share of the weight, so that a learner that
/// is right everywhere is not believed more than N rows can show (Schapire and Singer 1999, 4.2). By weight and not
/// by count, so that a row of weight two is the row twice.
pub fn smoothing(settings: &Settings, weights: &[f64]) -> Result<f64> {
    let smallest = weights.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(settings.real_or_auto("smoothing")?.unwrap_or(0.5 * smallest / weights.iter().sum::<f64>()))
}

impl<'a> Rebel<'a> {
    /// Checks settings against the problem.
    pub fn new(problem: &Problem<'a>) -> Result<Self> {
        let settings = problem.settings;
        let subcosts = if settings.word("subcosts")? == "paper" { Subcosts::Paper } else { Subcosts::Thesis };
        let learner = coupled_learner(problem)?;
        let similarities = settings.word("learner")? == "similarity";
        let smoothing = smoothing(settings, &problem.data.weights)?;
        let g = surrogate(settings.word("loss")?)?;
        let loss = match learner.training_rows() {
            Some((labels, weights)) => CoupledLoss::of_rows(g, subcosts, labels, &weights, problem.costs, smoothing),
            None => CoupledLoss::new(g, subcosts, problem.data, problem.costs, smoothing),
        };
        let margin = settings.real_or_auto("stop-loss")?.unwrap_or(loss.enough());
        Ok(Rebel {
            context: problem.context,
            learner,
            similarities,
            rate: settings.real("learning-rate")?,
            bias: settings.switch("bias")?,
            // A margin of zero must never stop a run, not even one that reaches the minimum.
            enough: if margin == 0.0 { f64::NEG_INFINITY } else { loss.least() + margin },
            loss,
            weights: None,
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

    fn link(&self) -> &'static str {
        self.loss.surrogate().name()
    }

    fn gives_up(&self) -> bool {
        self.similarities
    }

    fn work(&self) -> Option<Work> {
        self.learner.work()
    }

    fn notes(&self) -> Vec<String> {
        self.learner.notes()
    }

    fn skip(&mut self, rounds: usize) {
        self.learner.skip(rounds);
    }

    fn supports(&self, terms: &[Term]) -> Option<Supports> {
        self.learner.supports(terms)
    }

    fn restore(&mut self, supports: &Supports) -> Result<()> {
        self.learner.restore(supports)
    }

    fn next(&mut self, scores: &[f64]) -> Result<Option<NextTerm>> {
        let Some(weights) = &self.weights else { return Ok(None) };
        let round = Round { loss: &self.loss, weights, scores, context: self.context };
        let Some(Found { model, response, step }) = self.learner.fit(&round)? else { return Ok(None) };
        let Step { mut output, loss, edge } = step;
        if loss >= weights.loss || output.iter().all(|a| *a == 0.0) {
            return Ok(None);
        }
        output.iter_mut().for_each(|a| *a *= self.rate);
        Ok(Some(NextTerm { term: Term { learner: model, output }, response, edge }))
    }
}
