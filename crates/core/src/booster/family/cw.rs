//! CW-Boost: totally corrective boosting of the exponential loss of all margins between classes, by column generation
//! (Shen and Hao 2011, A direct formulation for totally-corrective multi-class boosting; the coordinate descent in closed
//! form and the learners of one class each are those of Lin, Shen, van den Hengel, Suter 2012, Fast training of effective
//! multi-class boosting using coordinate descent optimization).
//!
//! The problem is min over W of sum_n p_n sum_{r != c} exp(-(F_c - F_r)) + penalty * |W|_1, F_r = sum_j w_jr h_j, p the
//! weights of rows with sum one and c the class of row n. With E_nr = p_n exp(F_r - F_c), the dual variables are -E_nr for a
//! wrong class and S_n = sum_r E_nr for the own: the slopes of the loss.
//!
//! Moving one w_jr by d makes the loss A e^-d + B e^d + the rest, where A - B = sum_n D_nr h_j(x_n) and A + B = sum_n |D_nr|.
//! With the penalty the best d is the root of a quadratic equation in e^d, or the one that makes w_jr zero. Sweeps over all
//! w go on until one lowers the objective by less than a millionth, 10 at most: every move lowers it, so nothing diverges.
//!
//! Deviations: w has either sign (see `engine/corrective.rs`); the sum of the loss itself, not its logarithm, so that there
//! is a minimum for every penalty. Scores are 2 F, which changes no answer and makes softmax the link.

use super::engine::corrective::{Answers, Corrective, Master, PENALTY};
use super::engine::mislabels::Mislabels;
use crate::booster::draw;
use crate::context::Context;
use crate::data::Dataset;
use crate::learner::direction;
use crate::math::{exp, ln};
use crate::registry::{Algorithm, Method, SIGN_TREE_PARAMETERS};
use crate::settings::{Kind, Parameter};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "cw-boost",
    summary: "totally corrective: fits the outputs of all learners again each round, on exponential margins",
    paper: "Shen, Hao 2011, A direct formulation for totally-corrective multi-class boosting; Lin, Shen, van den Hengel, Suter 2012 (coordinate descent)",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump", "exact-stump", "linear"],
    learner_parameters: &[SIGN_TREE_PARAMETERS, direction::PARAMETERS, draw::PARTS],
    own_parameters: &[
        PENALTY,
        Parameter {
            name: "sharing",
            kind: Kind::Switch,
            default: "on",
            help: "a learner has an output for every class (Shen and Hao 2011), not only for the class it was found for (Lin et al. 2012)",
        },
    ],
    method: Method::Rounds(|problem| {
        let settings = problem.settings;
        let master = Margins {
            data: problem.data,
            weights: Mislabels::new(problem.data, 0.5),
            penalty: settings.real(PENALTY.name)?,
            sharing: settings.switch("sharing")?,
            rate: settings.real("learning-rate")?,
            log_unit: 0.0,
        };
        Ok(Box::new(Corrective::new(problem, master)?))
    }),
};

/// Sweeps a round at most.
const MOST_SWEEPS: usize = 10;
/// The share of the objective that a sweep must take off for another.
const LEAST_GAIN: f64 = 1e-6;

struct Margins<'a> {
    data: &'a Dataset,
    weights: Mislabels<'a>,
    penalty: f64,
    sharing: bool,
    rate: f64,
    /// Logarithm of what `weights` are to be multiplied by.
    log_unit: f64,
}

impl Master for Margins<'_> {
    fn scale(&self) -> f64 {
        2.0
    }

    fn penalty(&self) -> f64 {
        self.penalty
    }

    fn loss(&mut self, scores: &[f64], context: &Context) -> f64 {
        let (most, total) = self.weights.weigh(scores, |_, _| 1.0, context);
        self.log_unit = most - ln(self.data.weights.iter().sum());
        exp(self.log_unit) * total
    }

    fn slopes(&mut self, _: &Answers, _: &mut [f64], _: &Context) -> Vec<f64> {
        let unit = exp(self.log_unit);
        self.weights.slopes.iter().map(|s| s * unit).collect()
    }

    fn solve(&mut self, answers: &Answers, weights: &mut [f64], class: usize, _: &Context) {
        let classes = answers.classes;
        let last = answers.len() - 1;
        let mut state = State::new(self.data, answers, weights);
        let free = |learner: usize, r: usize, w: f64| self.sharing || w != 0.0 || learner == last && r == class;
        let mut answer = vec![0.0; answers.rows];
        for sweep in 0..MOST_SWEEPS {
            state.sum_up();
            let before = state.loss() + self.penalty * weights.iter().map(|w| w.abs()).sum::<f64>();
            let mut gain = 0.0;
            // The newest first: it has the most to gain.
            for learner in (0..answers.len()).rev() {
                answer.iter_mut().zip(answers.of(learner)).for_each(|(f, a)| *f = f64::from(*a));
                for r in 0..classes {
                    let w = &mut weights[learner * classes + r];
                    // After the first sweep, those that the penalty holds at zero wait for the next round.
                    if !free(learner, r, *w) || sweep > 0 && *w == 0.0 {
                        continue;
                    }
                    let (a, b) = state.sides(r, &answer);
                    let step = self.rate * step(a, b, *w, self.penalty);
                    if step == 0.0 {
                        continue;
                    }
                    let (up, down) = (exp(step), exp(-step));
                    gain += a * (1.0 - down) + b * (1.0 - up) + self.penalty * (w.abs() - (*w + step).abs());
                    *w += step;
                    state.shift(r, &answer, up, down);
                }
            }
            if gain <= LEAST_GAIN * before {
                break;
            }
        }
    }
}

/// How far to move w so that A e^-d + B e^d + penalty |w + d| is least.
fn step(a: f64, b: f64, w: f64, penalty: f64) -> f64 {
    if a + b <= 0.0 {
        return -w;
    }
    // The slope where w + d = 0 tells on which side of it the minimum is.
    let slope = b * exp(-w) - a * exp(w);
    let root = (penalty * penalty + 4.0 * a * b).sqrt();
    if slope + penalty < 0.0 {
        ln(2.0 * a / (penalty + root))
    } else if slope - penalty > 0.0 {
        ln((penalty + root) / (2.0 * b))
    } else {
        -w
    }
}

/// E_nr as unit_n e_nr: a move of the own class changes one number a row.
struct State {
    rows: usize,
    /// `[class][row]`, zero for the own class.
    wrong: Vec<f64>,
    units: Vec<f64>,
    /// Sum of e over the wrong classes.
    sums: Vec<f64>,
    /// The rows of each class.
    own: Vec<Vec<u32>>,
    /// Slopes of the loss in the class under way.
    slopes: Vec<f64>,
}

impl State {
    fn new(data: &Dataset, answers: &Answers, weights: &[f64]) -> State {
        let (rows, classes) = (answers.rows, answers.classes);
        let mut own = vec![Vec::new(); classes];
        (0u32..).zip(&data.labels).for_each(|(row, label)| own[*label as usize].push(row));
        // F first, `[class][row]`.
        let mut wrong = vec![0.0; rows * classes];
        for (learner, weights) in weights.chunks_exact(classes).enumerate() {
            for (scores, w) in wrong.chunks_exact_mut(rows).zip(weights).filter(|(_, w)| **w != 0.0) {
                scores.iter_mut().zip(answers.of(learner)).for_each(|(score, f)| *score += w * f64::from(*f));
            }
        }
        let margin: Vec<f64> = (0..rows).map(|row| wrong[data.labels[row] as usize * rows + row]).collect();
        for (rows_of, scores) in own.iter().zip(wrong.chunks_exact_mut(rows)) {
            // A class without rows can be no mistake.
            let absent = rows_of.is_empty();
            scores.iter_mut().zip(&margin).for_each(|(s, m)| *s = if absent { 0.0 } else { exp(*s - m) });
            rows_of.iter().for_each(|row| scores[*row as usize] = 0.0);
        }
        let total: f64 = data.weights.iter().sum();
        let units = data.weights.iter().map(|w| w / total).collect();
        State { rows, wrong, units, sums: vec![0.0; rows], own, slopes: vec![0.0; rows] }
    }

    /// Sums anew: moves keep them up to date but for rounding.
    fn sum_up(&mut self) {
        self.sums.fill(0.0);
        for wrong in self.wrong.chunks_exact(self.rows) {
            self.sums.iter_mut().zip(wrong).for_each(|(sum, e)| *sum += e);
        }
    }

    fn loss(&self) -> f64 {
        self.units.iter().zip(&self.sums).map(|(unit, sum)| unit * sum).sum()
    }

    /// A and B of a class and a learner's answers.
    fn sides(&mut self, class: usize, answer: &[f64]) -> (f64, f64) {
        let wrong = &self.wrong[class * self.rows..][..self.rows];
        for ((slope, e), unit) in self.slopes.iter_mut().zip(wrong).zip(&self.units) {
            *slope = -unit * e;
        }
        for row in self.own[class].iter().map(|row| *row as usize) {
            self.slopes[row] = self.units[row] * self.sums[row];
        }
        let (sum, size) = sums_of(&self.slopes, answer);
        (0.5 * (size + sum).max(0.0), 0.5 * (size - sum).max(0.0))
    }

    /// Moves the score of a class by `ln(up)` times the answer.
    fn shift(&mut self, class: usize, answer: &[f64], up: f64, down: f64) {
        let factor = |f: f64| if f > 0.0 { up } else { down };
        let wrong = &mut self.wrong[class * self.rows..][..self.rows];
        for ((e, sum), f) in wrong.iter_mut().zip(&mut self.sums).zip(answer) {
            let moved = *e * factor(*f);
            *sum = (*sum + (moved - *e)).max(0.0);
            *e = moved;
        }
        for row in self.own[class].iter().map(|row| *row as usize) {
            self.units[row] *= factor(-answer[row]);
        }
    }
}

/// sum s f and sum |s|, in eight lanes of fixed order.
fn sums_of(slopes: &[f64], answer: &[f64]) -> (f64, f64) {
    const LANES: usize = 8;
    let (mut sums, mut sizes) = ([0.0; LANES], [0.0; LANES]);
    let (heads, tails) = (slopes.chunks_exact(LANES), answer.chunks_exact(LANES));
    let rest = heads.remainder().iter().zip(tails.remainder());
    for (slopes, answer) in heads.zip(tails) {
        for lane in 0..LANES {
            sums[lane] += slopes[lane] * answer[lane];
            sizes[lane] += slopes[lane].abs();
        }
    }
    for (lane, (slope, f)) in rest.enumerate() {
        sums[lane] += slope * f;
        sizes[lane] += slope.abs();
    }
    (sums.iter().sum(), sizes.iter().sum())
}
