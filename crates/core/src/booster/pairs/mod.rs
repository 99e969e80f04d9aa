//! Random pairs: H(x) = a_0 + sum_p f_p(x) a_p over random pairs of training rows of different classes, with
//! f_p = (B - A) / (B + A), the two-point similarity of thesis 5.4 in its ratio form, and all output vectors fitted
//! together by ridge regression on one-hot targets.
//!
//! The ridge is the one of least leave-one-out log loss; the leave-one-out scores also give the factor ("temperature")
//! that makes the softmax of the scores calibrated. It is folded into the output vectors, unless whoever asked finds a factor
//! by other means.

mod cells;
mod design;
mod draw;
mod left_out;
mod ridge;
mod tall;
#[cfg(test)]
mod tests;
mod wide;

use super::whole::{constant, finished, not_continued};
use super::{Outcome, Problem, Stop, Watched};
use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::learner::similarity::{self, KEEP_VALUES, MEMORY_LIMIT, SCALING, Scaling};
use crate::memory;
use crate::model::{Chain, Model, Term, WeakModel};
use crate::registry::{Algorithm, Method};
use crate::settings::{Kind, Parameter};
pub(super) use cells::Cells;
use design::Design;
pub(super) use left_out::LeftOut;
use ridge::{Equations, Solution};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "random-pairs",
    summary: "comparisons with random pairs of rows, fitted together; quick, with calibrated probabilities",
    paper: "own; the comparisons are those of Appel 2017, thesis 5.4",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["similarity"],
    learner_parameters: &[],
    own_parameters: &[
        Parameter {
            name: "pairs",
            kind: Kind::IntegerOrAuto(1, 20_000),
            default: "auto",
            help: "random pairs: how many pairs of rows to compare with; auto = a fifth of the rows, from 600 to 3000",
        },
        RIDGE,
        Parameter {
            name: "left-out",
            kind: Kind::Integer(10, 1_000_000),
            default: "1500",
            help: "random pairs: rows left out one at a time, at most, to choose the ridge and to judge the model by",
        },
        CALIBRATE,
        SCALING,
        MEMORY_LIMIT,
        KEEP_VALUES,
    ],
    method: Method::Whole(fit),
};

/// `--calibrate`.
pub const CALIBRATE: Parameter = Parameter {
    name: "calibrate",
    kind: Kind::Switch,
    default: "on",
    help: "random pairs, discriminant: scale scores so that probabilities are calibrated on the rows left out; off = \
           leave them as they are",
};

/// `--ridge`.
pub const RIDGE: Parameter = Parameter {
    name: "ridge",
    kind: Kind::RealOrAuto(1e-9, 1e3),
    default: "auto",
    help: "weight of the squared outputs against the mean loss; auto = random pairs: by leave-one-out, logistic \
           regression and network: one over the number of rows",
};

/// Pairs at least, and at most, unless the user says otherwise.
const PAIRS: (usize, usize) = (600, 3000);
/// Ridges to choose from.
const RIDGES: [f64; 6] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
/// Where the search begins: few rows need much of it. From there it goes on while the loss falls, which has one lowest
/// point, so this decides how long it takes and not what is found.
const FIRST_RIDGE: (usize, usize) = (1, 3);
/// What few rows are.
const FEW_ROWS: usize = 1000;

fn fit(problem: &Problem<'_>, checkpoint: Option<Model>, watched: &mut Watched<'_>) -> Result<Outcome> {
    not_continued(ALGORITHM.name, checkpoint)?;
    let Problem { data, settings, context, .. } = *problem;
    let placed = problem.prepared.points(data, Scaling::named(settings.word("scaling")?), context)?;
    let points = &placed.points;
    let cells = Cells::new(points, &data.labels, &data.weights);
    let classes = data.class_count();
    let wanted = settings.integer_or_auto("pairs")?.unwrap_or((cells.len() / 5).clamp(PAIRS.0, PAIRS.1));
    let pairs = draw::draw(&cells, points, wanted, &mut context.stream("random-pairs"));
    let design = Design::new(points, &cells, &pairs);
    let limit = settings.integer_or_auto("memory-limit")?.map_or_else(memory::share, |megabytes| megabytes << 20);
    let left_out = LeftOut::new(&cells, settings.integer("left-out")?, classes, context);
    check_memory(points.values.len() * 4, &design, Equations::numbers(&design, &cells, &left_out), limit)?;
    let mut notes = Vec::new();
    if pairs.len() < wanted && settings.integer_or_auto("pairs")?.is_some() {
        notes.push(format!("there are only {} different pairs of rows of different classes", pairs.len()));
    }
    let chosen = match Equations::new(&design, &cells, &left_out, context) {
        Some(equations) => choose(&equations, settings.real_or_auto("ridge")?, cells.len(), &left_out, context)?,
        None => None,
    };
    let Some(mut chosen) = chosen else {
        return constant(data, context.asked_to_stop().unwrap_or(Stop::TimeLimit), watched);
    };
    if !settings.switch("calibrate")? {
        chosen.factor = 1.0;
    }
    notes.push(format!(
        "{} pairs of rows, ridge {:e}; left out one at a time, {:.2} % of the training rows are answered wrongly",
        pairs.len(),
        chosen.ridge,
        100.0 * chosen.error
    ));
    let keep_values = settings.switch("keep-values")?;
    if keep_values && !pairs.is_empty() {
        notes.push(similarity::VALUES_KEPT.into());
    }
    // `[class][column]` becomes one vector a column.
    let columns = design.columns();
    let output = |column: usize| -> Vec<f64> {
        (0..classes).map(|k| chosen.factor * chosen.solution.outputs[k * columns + column]).collect()
    };
    let term = |(p, learner): (usize, &crate::model::Similarity)| Term {
        learner: WeakModel::Similarity(learner.clone()),
        output: output(p + 1),
    };
    let rows: Vec<usize> = design.supports.iter().map(|cell| cells.rows[*cell as usize] as usize).collect();
    let chain = Chain {
        bias: output(0),
        terms: design.learners().iter().enumerate().map(term).collect(),
        supports: (!pairs.is_empty())
            .then(|| similarity::supports(data, &placed, &rows, keep_values))
            .into_iter()
            .collect(),
    };
    let estimate = left_out.estimate(&cells, &chosen.solution.left_out, chosen.factor);
    finished(chain, Stop::Fitted, (chosen.loss, chosen.error), Some(estimate), notes, watched)
}

/// The outputs of the best ridge and how good they are on rows that were left out.
struct Chosen {
    ridge: f64,
    solution: Solution,
    /// What scores are multiplied by.
    factor: f64,
    loss: f64,
    error: f64,
}

/// `None` if there is no more time.
fn choose(
    equations: &Equations,
    ridge: Option<f64>,
    rows: usize,
    left_out: &LeftOut,
    context: &Context,
) -> Result<Option<Chosen>> {
    let attempt = |ridge: f64| -> Result<Option<Chosen>> {
        if context.asked_to_stop().is_some() {
            return Ok(None);
        }
        let solution = equations.solve(ridge, left_out, context)?;
        let judged = left_out.judged(&solution.left_out);
        let ((_, loss), error) = (judged.temperature(), judged.error());
        let (factor, _) = judged.honest_temperature();
        Ok(Some(Chosen { ridge, factor, loss, error, solution }))
    };
    if let Some(ridge) = ridge {
        return attempt(ridge);
    }
    let first = if rows < FEW_ROWS { FIRST_RIDGE.0 } else { FIRST_RIDGE.1 };
    let Some(mut best) = attempt(RIDGES[first])? else { return Ok(None) };
    // Smaller ones, else larger ones; ties to the larger.
    for ridge in &RIDGES[first + 1..] {
        let Some(next) = attempt(*ridge)? else { return Ok(None) };
        if next.loss >= best.loss {
            break;
        }
        best = next;
    }
    if best.ridge < RIDGES[first] {
        return Ok(Some(best));
    }
    for ridge in RIDGES[..first].iter().rev() {
        let Some(next) = attempt(*ridge)? else { return Ok(None) };
        if next.loss > best.loss {
            break;
        }
        best = next;
    }
    Ok(Some(best))
}

/// Points, the numbers of the equations, and a block of the design with its distances.
fn check_memory(points: usize, design: &Design<'_>, numbers: usize, limit: usize) -> Result<()> {
    let columns = design.columns();
    let needed = points + 8 * (numbers + 2 * columns * ridge::BLOCK) + 4 * design.supports.len() * ridge::BLOCK;
    if needed <= limit {
        return Ok(());
    }
    let megabytes = needed.div_ceil(1 << 20);
    Err(Error::new(
        ErrorKind::Limit,
        format!("{} pairs need {megabytes} MB, and the memory limit is {} MB", columns - 1, limit >> 20),
    )
    .hint(format!("set --memory-limit {megabytes} or more, or use fewer --pairs")))
}
