//! StructBoost in its multi-class form: the hinge loss of the worst wrong class, whose margin is the cost of answering it,
//! totally corrective by column generation and cutting planes (Shen, Lin, van den Hengel 2014, StructBoost: boosting
//! methods for predicting structured output variables; Algorithms 1 and 2 with the joint features h_j(x) x class).
//!
//! The problem in its 1-slack form is min over W, xi of penalty * |W|_1 / K + xi, where for every choice of an answer y_n to
//! each row, its own class c_n included,
//!     sum_n p_n (F_c - F_y) >= sum_n p_n cost(c_n, y_n) - xi,
//! so that xi = sum_n p_n max_y (cost(c, y) + F_y - F_c). Penalty is K / C of the paper: a class has about a K-th of the rows,
//! so that what a learner can earn for it shrinks with K. There are K^N such planes; the worst at each W that is tried is
//! added until W is within a thousandth of the mean cost of the minimum (Algorithm 2). The dual variables of the planes
//! give each row and class a weight, by which the next learner is found (`engine/corrective.rs`).
//!
//! The paper leaves the small linear programme to a solver. Here it is solved by proximal steps (a bundle method), which end at
//! the same minimum: |W - W_0|^2 / (2 reach) is added, W_0 the present outputs, and the dual of that is maximised over the
//! planes' weights, which sum to one, two at a time, each by a step that can only raise it. A step is taken if it brings a
//! fifth of what the planes promise; else a plane is added where it would have ended. Everything has a fixed cap, so nothing
//! diverges; a round that ends at a cap is gone on with in the next.
//!
//! Deviations: outputs of either sign (see `engine/corrective.rs`); rows that are equally wrong for several classes share
//! their plane evenly between them, so that the order of classes does not matter before the first learner.

use super::engine::corrective::{Answers, Corrective, Master, PENALTY};
use crate::booster::draw;
use crate::booster::rebel::COST_MODE;
use crate::context::Context;
use crate::data::{CostMatrix, Dataset};
use crate::learner::direction;
use crate::registry::{Algorithm, Method, SIGN_TREE_PARAMETERS};
use crate::settings::Parameter;

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "structboost",
    summary: "totally corrective: fits the outputs of all learners again each round, on hinge margins with costs",
    paper: "Shen, Lin, van den Hengel 2014, StructBoost: boosting methods for predicting structured output variables (multi-class, 1-slack)",
    most_classes: None,
    trains_on_costs: true,
    ranks: false,
    learners: &["tree", "stump", "exact-stump", "linear"],
    learner_parameters: &[SIGN_TREE_PARAMETERS, direction::PARAMETERS, draw::PARTS],
    own_parameters: &[Parameter { default: "0.04", ..PENALTY }, COST_MODE],
    method: Method::Rounds(|problem| {
        let data = problem.data;
        let mut present = vec![false; data.class_count()];
        data.labels.iter().for_each(|label| present[*label as usize] = true);
        let total: f64 = data.weights.iter().sum();
        let master = Hinge {
            data,
            shares: data.weights.iter().map(|w| w / total).collect(),
            costs: problem.costs.normalised(),
            present,
            penalty: problem.settings.real(PENALTY.name)? / data.class_count() as f64,
            rate: problem.settings.real("learning-rate")?,
            planes: Vec::new(),
        };
        Ok(Box::new(Corrective::new(problem, master)?))
    }),
};

/// Proximal steps tried at a time, at most.
const MOST_TRIALS: usize = 40;
/// Planes kept, at most.
const MOST_PLANES: usize = 30;
/// The objective may be this much above what the planes allow.
const TOLERANCE: f64 = 1e-3;
/// The part of the promised descent that makes a step.
const GOOD_PART: f64 = 0.2;
/// How far steps reach.
const SHORTEST_REACH: f64 = 0.02;
const LONGEST_REACH: f64 = 100.0;
/// What is equal but for this is equal: a sum in another order must not decide.
const ROUNDING: f64 = 1e-9;
/// Steps of the dual problem at most.
const MOST_STEPS: usize = 300;

struct Hinge<'a> {
    data: &'a Dataset,
    /// p.
    shares: Vec<f64>,
    /// Mean cost one.
    costs: CostMatrix,
    /// Whether a class has rows.
    present: Vec<bool>,
    penalty: f64,
    rate: f64,
    /// Of the round under way; found anew in the next, from the outputs alone.
    planes: Vec<Plane>,
}

/// sum over rows and classes of `slopes` F >= `offset` - xi.
struct Plane {
    offset: f64,
    /// Row, class and p_n ([class = c] - [class = y]); rows whose answer is their own class are left out.
    slopes: Vec<(u32, u32, f64)>,
    /// The same by w, `[learner][class]`.
    by_weight: Vec<f64>,
    /// Its dual variable.
    dual: f64,
}

impl Plane {
    /// Every answer right: xi >= 0.
    fn zero(weights: usize) -> Plane {
        Plane { offset: 0.0, slopes: Vec::new(), by_weight: vec![0.0; weights], dual: 1.0 }
    }

    /// Learners that have joined since.
    fn extend(&mut self, answers: &Answers) {
        let (classes, from) = (answers.classes, self.by_weight.len() / answers.classes);
        for learner in from..answers.len() {
            let mut sums = vec![0.0; classes];
            let answer = answers.of(learner);
            for (row, class, slope) in &self.slopes {
                sums[*class as usize] += slope * f64::from(answer[*row as usize]);
            }
            self.by_weight.extend(sums);
        }
    }

    /// How far xi must be above zero for this plane alone.
    fn gap(&self, weights: &[f64]) -> f64 {
        self.offset - self.by_weight.iter().zip(weights).map(|(a, w)| a * w).sum::<f64>()
    }
}

impl Hinge<'_> {
    /// The largest cost(c, y) + F_y - F_c of a row, and the wrong classes that have it; none if no class has more than the own.
    fn worst(&self, label: u32, scores: &[f64], tied: &mut Vec<u32>) -> f64 {
        let own = label as usize;
        let gap = |y: usize| self.costs.get(own, y) + scores[y] - scores[own];
        let wrong = || (0..scores.len()).filter(|&y| y != own && self.present[y]);
        let most = wrong().map(gap).fold(0.0, f64::max);
        tied.clear();
        if most > ROUNDING {
            tied.extend(wrong().filter(|&y| gap(y) >= most - ROUNDING).map(|y| y as u32));
        }
        most
    }

    /// xi at these scores.
    fn xi(&self, scores: &[f64], context: &Context) -> f64 {
        const CHUNK: usize = 1024;
        let classes = self.present.len();
        let parts = context.map(self.data.rows().div_ceil(CHUNK), scores.len() * 4, |i| {
            let rows = i * CHUNK..self.data.rows().min((i + 1) * CHUNK);
            let mut tied = Vec::new();
            let xi = |row: usize| {
                self.shares[row]
                    * self.worst(self.data.labels[row], &scores[row * classes..(row + 1) * classes], &mut tied)
            };
            rows.map(xi).sum::<f64>()
        });
        parts.into_iter().sum()
    }

    /// The plane that is violated most at these scores.
    fn plane(&self, scores: &[f64], answers: &Answers) -> Plane {
        let (mut offset, mut slopes, mut tied) = (0.0, Vec::new(), Vec::new());
        let rows = scores.chunks_exact(self.present.len()).zip(&self.data.labels).zip(&self.shares);
        for (row, ((scores, label), share)) in rows.enumerate() {
            self.worst(*label, scores, &mut tied);
            if tied.is_empty() || *share == 0.0 {
                continue;
            }
            let part = share / tied.len() as f64;
            slopes.push((row as u32, *label, *share));
            for class in &tied {
                slopes.push((row as u32, *class, -part));
                offset += part * self.costs.get(*label as usize, *class as usize);
            }
        }
        let mut plane = Plane { offset, slopes, by_weight: Vec::new(), dual: 0.0 };
        plane.extend(answers);
        plane
    }

    /// F, `[row][class]`.
    fn scores(&self, answers: &Answers, weights: &[f64], context: &Context) -> Vec<f64> {
        const CHUNK: usize = 512;
        let classes = answers.classes;
        let mut scores = vec![0.0; answers.rows * classes];
        let work = scores.len() * answers.len();
        context.map_parts(&mut scores, CHUNK * classes, work, |i, part| {
            // Class by class: most outputs are zero.
            let rows = part.len() / classes;
            let mut of_class = vec![0.0; rows];
            for class in 0..classes {
                of_class.fill(0.0);
                for learner in 0..answers.len() {
                    let w = weights[learner * classes + class];
                    if w != 0.0 {
                        let answer = &answers.of(learner)[i * CHUNK..][..rows];
                        of_class.iter_mut().zip(answer).for_each(|(score, f)| *score += w * f64::from(*f));
                    }
                }
                part.iter_mut().skip(class).step_by(classes).zip(&of_class).for_each(|(out, score)| *out = *score);
            }
        });
        scores
    }

    /// Proximal steps from these weights; planes and their duals are left for the last.
    fn improve(&mut self, answers: &Answers, weights: &mut [f64], context: &Context) {
        let size = |weights: &[f64]| self.penalty * weights.iter().map(|w| w.abs()).sum::<f64>();
        let scores = self.scores(answers, weights, context);
        let mut objective = self.xi(&scores, context) + size(weights);
        let mut planes = std::mem::take(&mut self.planes);
        planes.iter_mut().for_each(|plane| plane.extend(answers));
        if planes.is_empty() {
            planes.push(Plane::zero(weights.len()));
            planes.push(self.plane(&scores, answers));
        }
        let mut reach = 1.0;
        for _ in 0..MOST_TRIALS {
            let mut moved = proximal(&mut planes, weights, self.penalty, reach);
            moved.iter_mut().zip(&*weights).for_each(|(w, from)| *w = from + self.rate * (*w - from));
            let known = planes.iter().map(|plane| plane.gap(&moved)).fold(0.0, f64::max) + size(&moved);
            if objective - known <= TOLERANCE {
                break;
            }
            let scores = self.scores(answers, &moved, context);
            let reached = self.xi(&scores, context) + size(&moved);
            // A good part of what the planes promise makes it the next place to start from; else they lack one here.
            if objective - reached > GOOD_PART * (objective - known) {
                weights.copy_from_slice(&moved);
                objective = reached;
                reach = (1.5 * reach).min(LONGEST_REACH);
            } else {
                reach = (0.7 * reach).max(SHORTEST_REACH);
            }
            if planes.len() > MOST_PLANES {
                drop_idle(&mut planes);
            }
            planes.push(self.plane(&scores, answers));
        }
        proximal(&mut planes, weights, self.penalty, reach);
        self.planes = planes;
    }
}

/// Leaves out the planes that carry nothing, but for the first, and the oldest if all do.
fn drop_idle(planes: &mut Vec<Plane>) {
    let mut first = true;
    planes.retain(|plane| std::mem::take(&mut first) || plane.dual > ROUNDING);
    if planes.len() > MOST_PLANES {
        let oldest = planes.remove(1);
        planes[0].dual += oldest.dual;
    }
}

/// Minimises penalty |w|_1 + xi + |w - from|^2 / (2 reach) under these planes; their duals are left in them.
fn proximal(planes: &mut [Plane], from: &[f64], penalty: f64, reach: f64) -> Vec<f64> {
    let primal = |pull: &[f64], out: &mut Vec<f64>| {
        out.clear();
        // The planes' pull, less the penalty.
        let shrunk = |x: f64| x.signum() * (x.abs() - reach * penalty).max(0.0);
        out.extend(from.iter().zip(pull).map(|(w, pull)| shrunk(w + reach * pull)));
    };
    let mut pull = vec![0.0; from.len()];
    for plane in planes.iter() {
        pull.iter_mut().zip(&plane.by_weight).for_each(|(sum, a)| *sum += plane.dual * a);
    }
    let mut weights = Vec::with_capacity(from.len());
    primal(&pull, &mut weights);
    for _ in 0..MOST_STEPS {
        let gaps: Vec<f64> = planes.iter().map(|plane| plane.gap(&weights)).collect();
        // The first of the largest, and the first of the smallest among planes that have something to give.
        let up = (1..gaps.len()).fold(0, |best, at| if gaps[at] > gaps[best] + ROUNDING { at } else { best });
        let held = (0..gaps.len()).filter(|&at| planes[at].dual > ROUNDING);
        let Some(down) = held.reduce(|best, at| if gaps[at] < gaps[best] - ROUNDING { at } else { best }) else {
            break;
        };
        let rise = gaps[up] - gaps[down];
        if rise <= 0.1 * TOLERANCE {
            break;
        }
        // The dual bends by at most reach |a - b|^2 along this line, so the step never overshoots.
        let apart = |(a, b): (&f64, &f64)| (a - b) * (a - b);
        let bend: f64 = planes[up].by_weight.iter().zip(&planes[down].by_weight).map(apart).sum();
        let step = (rise / (reach * bend).max(1e-12)).min(planes[down].dual);
        planes[up].dual += step;
        planes[down].dual -= step;
        let moves = planes[up].by_weight.iter().zip(&planes[down].by_weight);
        pull.iter_mut().zip(moves).for_each(|(sum, (a, b))| *sum += step * (a - b));
        primal(&pull, &mut weights);
    }
    weights
}

impl Master for Hinge<'_> {
    fn scale(&self) -> f64 {
        1.0
    }

    fn penalty(&self) -> f64 {
        self.penalty
    }

    fn loss(&mut self, scores: &[f64], context: &Context) -> f64 {
        self.xi(scores, context)
    }

    /// Solves once more at the present outputs: the duals of the planes are in no checkpoint.
    fn slopes(&mut self, answers: &Answers, weights: &mut [f64], context: &Context) -> Vec<f64> {
        self.planes.clear();
        self.improve(answers, weights, context);
        let classes = answers.classes;
        let mut slopes = vec![0.0; answers.rows * classes];
        for plane in &self.planes {
            for (row, class, slope) in &plane.slopes {
                slopes[*row as usize * classes + *class as usize] += plane.dual * slope;
            }
        }
        slopes
    }

    fn solve(&mut self, answers: &Answers, weights: &mut [f64], _: usize, context: &Context) {
        self.improve(answers, weights, context);
        self.planes.clear();
    }
}
