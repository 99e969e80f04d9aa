//! A network of one layer: H(x) = a_0 + sum_j tanh(w_j x + b_j) a_j, directions and outputs fitted together by the least mean log
//! loss of softmax(H) plus ridge / 2 (|w|^2 + |a|^2), by stochastic gradients (Rumelhart, Hinton, Williams 1986).
//!
//! A unit is a direction that turns gradually ([`Ramp`]), so a network is a sum of terms like any other model and its
//! explanations are exact. Where boosting adds one learner after the other, here all of them move at once: curved borders
//! along mixtures of columns, which trees and comparisons with rows only approach, are what it is for among the members of
//! `auto`. Several networks that begin elsewhere are averaged: their mistakes differ, and the mean of sums is a sum.

mod fit;

use super::pairs::{Cells, RIDGE};
use super::whole::{constant, finished, log_share, not_continued};
use super::{Outcome, Problem, Stop, Watched};
use crate::data::Features;
use crate::error::{Error, ErrorKind, Result};
use crate::learner::direction::standard_columns;
use crate::learner::similarity::{MEMORY_LIMIT, Scaling};
use crate::memory;
use crate::model::{Chain, Coordinate, Direction, Model, Ramp, Term, WeakModel};
use crate::registry::{Algorithm, Method};
use crate::settings::{Kind, Parameter};
use fit::{Fit, Net};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "network",
    summary: "soft steps across mixtures of columns, fitted together: a neural network of one layer",
    paper: "Rumelhart, Hinton, Williams 1986; Kingma, Ba 2015, Adam, Algorithm 1",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["ramp"],
    learner_parameters: &[],
    own_parameters: &[
        Parameter {
            name: "units",
            kind: Kind::IntegerOrAuto(1, 10_000),
            default: "auto",
            help: "soft steps of each network; auto = 64 for few rows, 128 for many",
        },
        Parameter {
            name: "networks",
            kind: Kind::Integer(1, 1000),
            default: "2",
            help: "networks that are averaged",
        },
        Parameter {
            name: "epochs",
            kind: Kind::IntegerOrAuto(1, 100_000),
            default: "auto",
            help: "times that each network sees every row; auto = 30, more where rows are few and fewer where they are long and many",
        },
        RIDGE,
        MEMORY_LIMIT,
    ],
    method: Method::Whole(fit),
};

/// Units for few rows and for many,
const UNITS: (usize, usize) = (64, 128);
/// which begin here.
const MANY: usize = 5000;
/// Epochs, at least so many steps, but not more multiplications than this if that leaves so many epochs.
const EPOCHS: usize = 30;
const STEPS: usize = 1500;
const MULTIPLICATIONS: f64 = 5e10;
const FEWEST_EPOCHS: usize = 15;

fn fit(problem: &Problem<'_>, checkpoint: Option<Model>, watched: &mut Watched<'_>) -> Result<Outcome> {
    not_continued(ALGORITHM.name, checkpoint)?;
    let Problem { data, settings, context, .. } = *problem;
    // Equal rows are one row of their joint weight, in an order of their own: repetition and order change nothing.
    let cells =
        Cells::new(&problem.prepared.points(data, Scaling::Standard, context)?.points, &data.labels, &data.weights);
    let total: f64 = cells.weights.iter().sum();
    let mut shares = vec![0.0; data.class_count()];
    cells.labels.iter().zip(&cells.weights).for_each(|(k, w)| shares[*k as usize] += w / total);
    let known: Vec<usize> = (0..shares.len()).filter(|&k| shares[k] > 0.0).collect();
    let columns = columns(standard_columns(data, context));
    if context.asked_to_stop().is_some() || known.len() < 2 || columns.is_empty() {
        return constant(data, context.asked_to_stop().unwrap_or(Stop::Fitted), watched);
    }
    let limit = settings.integer_or_auto(MEMORY_LIMIT.name)?.map_or_else(memory::share, |megabytes| megabytes << 20);
    let points = points(&columns, &data.features, &cells.rows, limit)?;
    let labels: Vec<u32> = cells.labels.iter().map(|k| known.partition_point(|j| *j < *k as usize) as u32).collect();
    let rows = labels.len();
    let units = settings.integer_or_auto("units")?.unwrap_or(if rows < MANY { UNITS.0 } else { UNITS.1 });
    let networks = settings.integer("networks")?;
    let batch = fit::batch(rows);
    let epochs = settings.integer_or_auto("epochs")?.unwrap_or_else(|| {
        let one = (networks * units * (columns.len() + known.len())) as f64 * rows as f64;
        let wanted = EPOCHS.max(STEPS.div_ceil(rows.div_ceil(batch)));
        wanted.min(((MULTIPLICATIONS / one) as usize).max(FEWEST_EPOCHS))
    });
    let bias: Vec<f64> = known.iter().map(|k| log_share(shares[*k])).collect();
    let fit = Fit {
        points: &points,
        columns: columns.len(),
        labels: &labels,
        weights: &cells.weights,
        total,
        bias: &bias,
        units,
        epochs,
        ridge: settings.real_or_auto(RIDGE.name)?.unwrap_or(1.0 / total),
    };
    let work = epochs.saturating_mul(units * columns.len()).saturating_mul(rows);
    let nets = context.map(networks, work, |number| fit.solve(number, context));
    let measured = fit.measure(&nets, context);
    let mut chain = Chain {
        bias: shares.iter().map(|share| log_share(*share)).collect(),
        terms: Vec::new(),
        supports: Vec::new(),
    };
    known.iter().for_each(|k| chain.bias[*k] = 0.0);
    for net in &nets {
        let share = 1.0 / networks as f64;
        known.iter().zip(net.bias()).for_each(|(k, c)| chain.bias[*k] += share * c);
        for unit in 0..units {
            let mut output = vec![0.0; shares.len()];
            known.iter().zip(net.output(unit)).for_each(|(k, a)| output[*k] = share * a);
            chain.terms.push(Term { learner: WeakModel::Ramp(ramp(net, unit, &columns)), output });
        }
    }
    let stopped = context.asked_to_stop().unwrap_or(Stop::Fitted);
    finished(chain, stopped, measured, None, Vec::new(), watched)
}

/// A unit as a direction of length one: tanh(w x + b) is tanh(|w| (b / |w| - d x)) with d = -w / |w|.
fn ramp(net: &Net, unit: usize, columns: &[Coordinate]) -> Ramp {
    let (weights, threshold) = net.unit(unit);
    let length = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
    if length == 0.0 {
        return Ramp { direction: Direction { coordinates: Vec::new(), threshold }, steepness: 1.0 };
    }
    let turned = |(column, w): (&Coordinate, &f64)| Coordinate { weight: (-w / length).clamp(-1.0, 1.0), ..*column };
    let coordinates = columns.iter().zip(&weights).map(turned).collect();
    Ramp { direction: Direction { coordinates, threshold: threshold / length }, steepness: length }
}

/// A mismatch of two levels is a distance of one, as in comparisons: a rare level is no far-away point.
fn columns(mut columns: Vec<Coordinate>) -> Vec<Coordinate> {
    for column in columns.iter_mut().filter(|column| column.level.is_some()) {
        column.scale = std::f64::consts::FRAC_1_SQRT_2;
    }
    columns
}

/// The columns of some rows, `[row][column]`.
fn points(columns: &[Coordinate], features: &Features, rows: &[u32], limit: usize) -> Result<Vec<f32>> {
    let needed = rows.len().saturating_mul(columns.len()).saturating_mul(4);
    if needed > limit {
        let megabytes = needed.div_ceil(1 << 20);
        let what = format!("a network needs {megabytes} MB for its rows, and the memory limit is {} MB", limit >> 20);
        return Err(Error::new(ErrorKind::Limit, what).hint(format!("set --memory-limit {megabytes} or more")));
    }
    let mut points = vec![0.0; rows.len() * columns.len()];
    for (place, column) in columns.iter().enumerate() {
        let out = points[place..].iter_mut().step_by(columns.len());
        for (out, row) in out.zip(rows) {
            *out = column.place(column.value(features, *row as usize)) as f32;
        }
    }
    Ok(points)
}
