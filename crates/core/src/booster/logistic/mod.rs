//! Logistic regression: H(x) = a_0 + sum_j f_j(x) a_j, one term for each measurement and each level of a category, fitted
//! together by the least mean log loss of softmax(H) plus ridge / 2 |w|^2, where w are the outputs by standard deviation.
//!
//! The plainest of all models, and so the one that noise misleads least: among the members of `auto` it is the one that
//! draws straight lines. A number counts in proportion up to [`REACH`] deviations from its mean.

mod design;
mod fit;

use super::pairs::{Cells, RIDGE};
use super::whole::{constant, finished, log_share, not_continued};
use super::{Outcome, Problem, Stop, Watched};
use crate::data::Features;
use crate::error::Result;
use crate::learner::direction::standard_columns;
use crate::learner::similarity::Scaling;
use crate::model::{Chain, Coordinate, Model, Slope, Term, WeakModel};
use crate::registry::{Algorithm, Method};
use design::Design;
use fit::Fit;

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "logistic-regression",
    summary: "a straight line for each measurement, fitted together; the plainest, hard to mislead",
    paper: "Cox 1958; Bohning 1992 bounds the curvature",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["slope"],
    learner_parameters: &[],
    own_parameters: &[RIDGE],
    method: Method::Whole(fit),
};

/// Deviations from the mean beyond which a number counts no more.
const REACH: f64 = 4.0;

fn fit(problem: &Problem<'_>, checkpoint: Option<Model>, watched: &mut Watched<'_>) -> Result<Outcome> {
    not_continued(ALGORITHM.name, checkpoint)?;
    let Problem { data, settings, context, .. } = *problem;
    // Equal rows are one row of their joint weight, in an order of their own: repetition and order change nothing.
    let cells =
        Cells::new(&problem.prepared.points(data, Scaling::Standard, context)?.points, &data.labels, &data.weights);
    let total: f64 = cells.weights.iter().sum();
    let ridge = settings.real_or_auto(RIDGE.name)?.unwrap_or(1.0 / total);
    let mut shares = vec![0.0; data.class_count()];
    cells.labels.iter().zip(&cells.weights).for_each(|(k, w)| shares[*k as usize] += w / total);
    let known: Vec<usize> = (0..shares.len()).filter(|&k| shares[k] > 0.0).collect();
    if context.asked_to_stop().is_some() || known.len() < 2 {
        return constant(data, context.asked_to_stop().unwrap_or(Stop::Fitted), watched);
    }
    let rows: Vec<usize> = cells.rows.iter().map(|row| *row as usize).collect();
    let features = data.select(&rows).features;
    let (slopes, design) = design(standard_columns(data, context), &features);
    let labels: Vec<u32> = cells.labels.iter().map(|k| known.partition_point(|j| *j < *k as usize) as u32).collect();
    let fit = Fit { design: &design, labels: &labels, weights: &cells.weights, total, classes: known.len(), ridge };
    let found = fit.solve(context)?;
    // `[class][column]`, the constant first, becomes one vector a column.
    let columns = design.columns;
    let mut bias: Vec<f64> = shares.iter().map(|share| log_share(*share)).collect();
    known.iter().enumerate().for_each(|(at, k)| bias[*k] = found.outputs[at * columns]);
    let term = |(column, (slope, reach)): (usize, (Slope, f64))| {
        let mut output = vec![0.0; shares.len()];
        known.iter().enumerate().for_each(|(at, k)| output[*k] = reach * found.outputs[at * columns + column + 1]);
        Term { learner: WeakModel::Slope(slope), output }
    };
    let terms = slopes.into_iter().enumerate().map(term).collect();
    let chain = Chain { bias, terms, supports: Vec::new() };
    let stopped = context.asked_to_stop().unwrap_or(Stop::Fitted);
    finished(chain, stopped, (found.loss, found.error), None, Vec::new(), watched)
}

/// A slope for each column with what it answers times its reach in deviations, and the design of these.
fn design(columns: Vec<Coordinate>, features: &Features) -> (Vec<(Slope, f64)>, Design) {
    let mut design = Design::new(features.rows, columns.len() + 1);
    let mut answers = vec![1.0; features.rows];
    design.put(0, &answers, 1.0);
    let mut slopes = Vec::new();
    for (at, column) in columns.into_iter().enumerate() {
        let Coordinate { feature, level, centre, scale, .. } = column;
        let of = |reach: f64| Slope { feature, level, centre, scale: scale / reach };
        // The value of a level is never far from anything: it has the scale to itself.
        let most = level.map_or(REACH, |_| centre.max(1.0 - centre) * scale);
        of(most).respond(features, 0, &mut answers);
        let reach = most * answers.iter().map(|f| f.abs()).fold(0.0, f64::max);
        // A column that varies in rows without weight only.
        let reach = if reach > 0.0 { reach } else { most };
        of(reach).respond(features, 0, &mut answers);
        design.put(at + 1, &answers, reach);
        slopes.push((of(reach), reach));
    }
    (slopes, design)
}
