//! The engine of totally corrective boosting by column generation: a convex problem over the outputs of all learners is
//! solved again after each round, and the next learner is the one whose constraint of the dual problem is violated most
//! (Demiriz, Bennett, Shawe-Taylor 2002; Shen and Hao 2011).
//!
//! The problem is loss(F) + penalty * sum of |w_jr|, where F_r = sum_j w_jr h_j. With D[n][r] the slopes of the loss downhill
//! at its solution (the dual variables), a learner h can lower it for class r if |sum_n D[n][r] h(x_n)| > penalty. A round
//! fits one learner for each class and takes the one with the largest sum; training ends when none is above the penalty
//! by a hundredth: then the problem is solved over all learners there are. The papers ask for w >= 0 and learners closed under negation;
//! here h and -h join together, so w has either sign.
//!
//! Solvers start from the present outputs, so a run goes on from a checkpoint without anything but its terms.

use super::start;
use crate::booster::sign_rounds::SignRounds;
use crate::booster::standing::add;
use crate::booster::{Booster, NextTerm, Problem};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learner::tree::Binary;
use crate::model::{Link, Term};
use crate::settings::{Kind, Parameter};

/// `--penalty`.
pub(crate) const PENALTY: Parameter = Parameter {
    name: "penalty",
    kind: Kind::Real(1e-8, 1.0),
    default: "0.001",
    help: "weight of the sum of all outputs' sizes against the mean loss (l1): learners that cannot earn it are not added",
};

/// Answers kept at most, one byte each (2 GB).
const MOST_ANSWERS: usize = 1 << 31;

/// A sum must be this much above the penalty: nearer to it, learners differ by no more than rounding and the solver's rest.
const ENOUGH: f64 = 1.01;

/// The answers of all learners so far to the training rows, +1 or -1: `[learner][row]`.
pub(crate) struct Answers {
    /// Number of rows.
    pub rows: usize,
    /// Number of classes.
    pub classes: usize,
    learners: Vec<Vec<i8>>,
}

impl Answers {
    /// Number of learners.
    pub fn len(&self) -> usize {
        self.learners.len()
    }

    /// Those of one learner.
    pub fn of(&self, learner: usize) -> &[i8] {
        &self.learners[learner]
    }
}

/// A convex problem over the outputs of all learners, `[learner][class]`.
pub(crate) trait Master {
    /// Size of outputs for a loss in terms of w: outputs are w times this.
    fn scale(&self) -> f64;
    /// What the size of an output costs.
    fn penalty(&self) -> f64;
    /// The mean loss at these scores, without penalty.
    fn loss(&mut self, scores: &[f64], context: &Context) -> f64;
    /// The dual variables: slopes of the mean loss downhill at the scores last seen, `[row][class]`. `weights` may move on
    /// the way.
    fn slopes(&mut self, answers: &Answers, weights: &mut [f64], context: &Context) -> Vec<f64>;
    /// Lowers the loss with its penalty, the last learner having just joined for this class.
    fn solve(&mut self, answers: &Answers, weights: &mut [f64], class: usize, context: &Context);
}

/// A booster that solves this problem.
pub(crate) struct Corrective<'a, M> {
    data: &'a Dataset,
    context: &'a Context,
    master: M,
    rounds: SignRounds<'a>,
    answers: Answers,
    /// w, `[learner][class]`.
    weights: Vec<f64>,
    /// The class that the learner under way was found for.
    class: usize,
}

impl<'a, M: Master> Corrective<'a, M> {
    /// Checks settings.
    pub fn new(problem: &Problem<'a>, master: M) -> Result<Self> {
        let Problem { data, context, settings, .. } = problem;
        let rounds = settings.integer_or_auto("rounds")?.unwrap_or(200);
        if rounds.saturating_mul(data.rows()) > MOST_ANSWERS {
            return Err(Error::data(format!(
                "the answers of {rounds} learners to {} rows do not fit into memory, and all are needed every round",
                data.rows()
            ))
            .hint("use fewer --rounds, or --algorithm rebel"));
        }
        Ok(Corrective {
            data,
            context,
            master,
            rounds: SignRounds::new(problem, data.class_count())?,
            answers: Answers { rows: data.rows(), classes: data.class_count(), learners: Vec::new() },
            weights: Vec::new(),
            class: 0,
        })
    }

    /// Whether there is a learner with these answers that the solver makes no use of: once more would change nothing.
    fn unused(&self, response: &[f64]) -> bool {
        let same = |answers: &Vec<i8>| {
            let turned = f64::from(answers[0]) != response[0];
            answers.iter().zip(response).all(|(a, f)| (f64::from(*a) != *f) == turned)
        };
        let idle = self.weights.chunks_exact(self.answers.classes).map(|weights| weights.iter().all(|w| *w == 0.0));
        self.answers.learners.iter().zip(idle).any(|(answers, idle)| idle && same(answers))
    }

    /// The new learner and class whose constraint is violated most, with the sum.
    fn most_violated(&mut self, slopes: &[f64]) -> Option<(Binary, usize, f64)> {
        let (classes, round) = (self.data.class_count(), self.rounds.round());
        let mut best: Option<(Binary, usize, f64)> = None;
        for class in 0..classes {
            let signed: Vec<f64> = slopes.iter().skip(class).step_by(classes).copied().collect();
            // Nothing is to be gained from a class without rows, and of two classes one is the other's mirror image.
            if signed.iter().all(|s| *s == 0.0) || classes == 2 && class == 1 {
                continue;
            }
            self.rounds.skip(round);
            let found = self.rounds.fit(class, &signed);
            let sum = signed.iter().zip(&found.response).map(|(s, f)| s * f).sum::<f64>().abs();
            // Equal sums are a matter of rounding: ties to the first class.
            let better = best.as_ref().is_none_or(|(_, _, most)| sum > most * (1.0 + 1e-9));
            if better && !self.unused(&found.response) {
                best = Some((found, class, sum));
            }
        }
        best
    }
}

impl<M: Master> Booster for Corrective<'_, M> {
    fn start(&mut self) -> Vec<f64> {
        start(self.data)
    }

    fn weigh(&mut self, scores: &[f64]) -> f64 {
        let sizes: f64 = self.weights.iter().map(|w| w.abs()).sum();
        (self.master.loss(scores, self.context) + self.master.penalty() * sizes).min(f64::MAX)
    }

    /// Never: training ends when no learner earns its penalty.
    fn enough(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn link(&self) -> &'static str {
        Link::SOFTMAX
    }

    fn follows(&self) -> bool {
        true
    }

    fn added(&mut self, term: &Term, response: &[f64]) {
        self.answers.learners.push(response.iter().map(|f| *f as i8).collect());
        self.weights.extend(term.output.iter().map(|a| a / self.master.scale()));
        self.rounds.skip(self.answers.len());
    }

    fn refits(&self) -> bool {
        true
    }

    fn refit(&mut self, bias: &[f64], terms: &mut [Term]) -> Option<Vec<f64>> {
        self.master.solve(&self.answers, &mut self.weights, self.class, self.context);
        let (classes, scale) = (bias.len(), self.master.scale());
        let mut scores = bias.repeat(self.data.rows());
        let mut response = vec![0.0; self.data.rows()];
        for ((term, weights), answers) in
            terms.iter_mut().zip(self.weights.chunks_exact(classes)).zip(&self.answers.learners)
        {
            term.output.iter_mut().zip(weights).for_each(|(a, w)| *a = w * scale);
            response.iter_mut().zip(answers).for_each(|(f, answer)| *f = f64::from(*answer));
            add(term, &response, &mut scores, self.context);
        }
        Some(scores)
    }

    fn next(&mut self, _scores: &[f64]) -> Result<Option<NextTerm>> {
        let classes = self.data.class_count();
        let slopes = self.master.slopes(&self.answers, &mut self.weights, self.context);
        let Some((Binary { learner, response }, class, sum)) = self.most_violated(&slopes) else { return Ok(None) };
        if sum <= self.master.penalty() * ENOUGH {
            return Ok(None);
        }
        self.class = class;
        let total: f64 = slopes.iter().skip(class).step_by(classes).map(|s| s.abs()).sum();
        let term = Term { learner, output: vec![0.0; classes] };
        Ok(Some(NextTerm { term, response, edge: sum / total }))
    }
}
