//! Discriminant analysis: a bell for each class, and the class under which a row is likeliest (Friedman 1989, Regularized
//! Discriminant Analysis):
//!
//! H_k(x) = ln pi_k - (f + d) / 2 ln(1 + |L_k (x - m_k)|^2 / f) + ln |L_k' L_k| / 2, all divided by the number of columns d,
//!
//! the logarithm of a multivariate t distribution with f = [`FREEDOM`] in the place of his Gaussian, which is too sure of rows far from
//! all centres: alone it was as often right, and its log loss was 3 to 9 % lower (39 problems; 15 to 100 did as well). L_k' L_k is the inverse of the covariance [(1 - pooling) S_k + pooling S + prior V] / [(1 - pooling) W_k + pooling W + prior]: S_k are
//! the squares of the rows of the class about their centre and W_k their weight (his eq. 16-18), S and W are those of all classes, and V, in
//! the place of his multiple of the identity (eq. 19), is the diagonal of S / W, counted as so many rows. `pooling` 1 makes borders flat
//! (linear discriminants), 0 lets each class have its own shape. Both are chosen by leaving rows out one at a time, in closed form.
//!
//! Columns that are skewed are bent first, where that is better ([`bend`]): bells are symmetric.
//!
//! What it can that the other members of `auto` cannot: learn the shape of a class from hardly more rows than it takes to see one.

mod bend;
mod shapes;
#[cfg(test)]
mod tests;

use super::pairs::{CALIBRATE, Cells, LeftOut};
use super::whole::{constant, finished, log_share, not_continued};
use super::{Outcome, Problem, Stop, Watched};
use crate::context::Context;
use crate::data::{Dataset, Features};
use crate::error::{Error, ErrorKind, Result};
use crate::learner::direction::standard_columns;
use crate::learner::similarity::{MEMORY_LIMIT, Scaling};
use crate::memory;
use crate::model::{Axis, Chain, Ellipse, Model, Term, WeakModel};
use crate::registry::{Algorithm, Method};
use crate::settings::{Kind, Parameter, Settings};
use bend::bend;
use shapes::{Classes, Setting};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "discriminant",
    summary: "a bell for each class, its shape between its own and that of all; for few rows, calibrated",
    paper: "Friedman 1989, Regularized Discriminant Analysis, eq. 16-19",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["ellipse"],
    learner_parameters: &[],
    own_parameters: &[
        Parameter {
            name: "pooling",
            kind: Kind::RealOrAuto(0.0, 1.0),
            default: "auto",
            help: "discriminant: share of the common shape of all classes in that of each, from 0 (each its own) to 1 (one for \
                   all, so that borders are flat); auto = by leave-one-out",
        },
        Parameter {
            name: "prior",
            kind: Kind::RealOrAuto(0.01, 1e6),
            default: "auto",
            help: "discriminant: rows that columns without any correlation count for; auto = by leave-one-out",
        },
        Parameter {
            name: "unskew",
            kind: Kind::Choice(&["auto", "on", "off"]),
            default: "auto",
            help: "discriminant: bend each measurement so that its distribution is as symmetric as it can be; auto = if leave-one-out \
                   says so",
        },
        CALIBRATE,
        MEMORY_LIMIT,
    ],
    method: Method::Whole(fit),
};

/// What to choose from: finer steps took twice the time and were hardly better.
const POOLINGS: [f64; 4] = [0.0, 0.01, 0.1, 1.0];
const PRIORS: [f64; 3] = [1.0, 10.0, 100.0];
/// Where the search begins.
const FIRST: (usize, usize) = (2, 1);
/// Degrees of freedom of the distributions.
const FREEDOM: f64 = 30.0;
/// Rows that are left out one at a time, at most.
const LEFT_OUT: usize = 500;

fn fit(problem: &Problem<'_>, checkpoint: Option<Model>, watched: &mut Watched<'_>) -> Result<Outcome> {
    not_continued(ALGORITHM.name, checkpoint)?;
    let Problem { data, settings, context, .. } = *problem;
    // Equal rows are one row of their joint weight, in an order of their own: repetition and order change nothing.
    let cells =
        Cells::new(&problem.prepared.points(data, Scaling::Standard, context)?.points, &data.labels, &data.weights);
    let straight: Vec<Axis> = standard_columns(data, context).iter().map(Axis::of).collect();
    if context.asked_to_stop().is_some() || straight.is_empty() {
        return constant(data, context.asked_to_stop().unwrap_or(Stop::Fitted), watched);
    }
    let count = data.class_count();
    let limit = settings.integer_or_auto(MEMORY_LIMIT.name)?.map_or_else(memory::share, |megabytes| megabytes << 20);
    check_memory(straight.len(), count, limit)?;
    let mut best: Option<Fitted> = None;
    for axes in shapes_of(straight, &data.features, &cells, settings.word("unskew")?) {
        let known = best.as_ref().map(|best| best.chosen.at);
        let next = Fitted::new(&axes, data, &cells, settings, known, context)?;
        if let Some(next) = next.filter(|next| best.as_ref().is_none_or(|best| next.chosen.loss < best.chosen.loss)) {
            best = Some(next);
        }
    }
    let Some(Fitted { classes, left_out, honest, chosen, bent }) = best else {
        return constant(data, context.asked_to_stop().unwrap_or(Stop::TimeLimit), watched);
    };
    let judged = left_out.judged(&chosen.scores);
    let factor = if settings.switch(CALIBRATE.name)? { judged.honest_temperature().0 } else { 1.0 };
    let error = judged.error();
    let chain = chain(&classes, &chosen.setting, factor, &data.features, &left_out.rows(&cells), context)?;
    let Setting { pooling, prior } = chosen.setting;
    let bent = if bent { ", columns bent to be less skewed" } else { "" };
    let note = format!(
        "pooling {pooling}, prior of {prior} rows{bent}; left out one at a time, {:.2} % of the training rows are answered wrongly",
        100.0 * error
    );
    let estimate = honest.then(|| left_out.estimate(&cells, &chosen.scores, factor));
    let notes = if honest { vec![note] } else { Vec::new() };
    finished(chain, Stop::Fitted, (chosen.loss, error), estimate, notes, watched)
}

/// The axes to try, the straight ones first.
fn shapes_of(straight: Vec<Axis>, features: &Features, cells: &Cells, unskew: &str) -> Vec<Vec<Axis>> {
    if unskew == "off" {
        return vec![straight];
    }
    let bent = bend(&straight, features, cells);
    match unskew {
        "on" => vec![bent],
        _ if bent == straight => vec![straight],
        _ => vec![straight, bent],
    }
}

/// The best setting for some axes.
struct Fitted {
    classes: Classes,
    left_out: LeftOut,
    /// Whether rows were left out at all.
    honest: bool,
    chosen: Chosen,
    bent: bool,
}

impl Fitted {
    /// `None` if there is no time.
    fn new(
        axes: &[Axis],
        data: &Dataset,
        cells: &Cells,
        settings: &Settings,
        known: Option<(usize, usize)>,
        context: &Context,
    ) -> Result<Option<Fitted>> {
        let classes = Classes::new(axes, &data.features, cells, data.class_count(), context);
        let (left_out, honest) = judges(cells, &classes, context);
        let rows = left_out.rows(cells);
        let stands: Vec<f64> =
            rows.iter().flat_map(|row| axes.iter().map(|axis| axis.stands(&data.features, *row))).collect();
        let chosen = choose(&classes, &stands, &left_out, settings, known, context)?;
        let bent = axes.iter().any(|axis| axis.power != 1.0);
        Ok(chosen.map(|chosen| Fitted { classes, left_out, honest, chosen, bent }))
    }
}

/// The cells to leave out, of classes that are more than that; if there are none, all of them stay in, and nothing that they
/// say is honest.
fn judges(cells: &Cells, classes: &Classes, context: &Context) -> (LeftOut, bool) {
    let count = classes.each.len();
    let some = LeftOut::new(cells, LEFT_OUT, count, context);
    let stays = |i: &usize| {
        let weight = classes.each[some.labels[*i] as usize].as_ref().map_or(0.0, |class| class.weight);
        weight - some.units[*i] > 1e-6 * weight
    };
    let chosen: Vec<u32> = (0..some.cells.len()).filter(stays).map(|i| some.cells[i]).collect();
    let honest = !chosen.is_empty();
    let mut left_out = if honest { LeftOut::of(cells, chosen, count) } else { some };
    if !honest {
        left_out.units.fill(0.0);
    }
    (left_out, honest)
}

/// A setting and what it is worth.
struct Chosen {
    setting: Setting,
    /// Where it is in the grid of settings.
    at: (usize, usize),
    /// `[row][class]`, of the rows left out.
    scores: Vec<f64>,
    loss: f64,
}

/// From one setting to its best neighbour, as long as there is a better one; `None` if there is no time for any. Where it begins may
/// be known: bent columns have much the same best setting as straight ones.
fn choose(
    classes: &Classes,
    stands: &[f64],
    left_out: &LeftOut,
    settings: &Settings,
    known: Option<(usize, usize)>,
    context: &Context,
) -> Result<Option<Chosen>> {
    let grid = |given: Option<f64>, grid: &[f64]| given.map_or(grid.to_vec(), |given| vec![given]);
    let poolings = grid(settings.real_or_auto("pooling")?, &POOLINGS);
    let priors = grid(settings.real_or_auto("prior")?, &PRIORS);
    let attempt = |at: (usize, usize)| -> Result<Option<Chosen>> {
        if context.asked_to_stop().is_some() {
            return Ok(None);
        }
        let setting = Setting { pooling: poolings[at.0], prior: priors[at.1] };
        let scores = classes.left_out(&setting, stands, left_out, context)?;
        let (_, loss) = left_out.judged(&scores).temperature();
        Ok(Some(Chosen { setting, at, loss, scores }))
    };
    let first = known.unwrap_or((FIRST.0.min(poolings.len() - 1), FIRST.1.min(priors.len() - 1)));
    let mut seen = vec![first];
    let Some(mut best) = attempt(first)? else { return Ok(None) };
    loop {
        let (i, j) = best.at;
        for next in [(i.wrapping_sub(1), j), (i + 1, j), (i, j.wrapping_sub(1)), (i, j + 1)] {
            if next.0 >= poolings.len() || next.1 >= priors.len() || seen.contains(&next) {
                continue;
            }
            seen.push(next);
            let Some(other) = attempt(next)? else { return Ok(Some(best)) };
            if other.loss < best.loss {
                best = other;
            }
        }
        if best.at == (i, j) {
            return Ok(Some(best));
        }
    }
}

/// A term for each class that has rows. All reach as far as the farthest of these rows is from any class.
fn chain(
    classes: &Classes,
    setting: &Setting,
    factor: f64,
    features: &Features,
    rows: &[usize],
    context: &Context,
) -> Result<Chain> {
    let bells = classes.bells(setting, context)?;
    let farthest = |ellipse: &Ellipse| {
        let mut out = [0.0];
        let distance = |row: &usize| {
            ellipse.measure(features, *row, &mut out);
            out[0]
        };
        rows.iter().map(distance).fold(0.0, f64::max)
    };
    let work = bells.len() * rows.len() * Ellipse::entries(classes.columns());
    let reach = context
        .map(bells.len(), work, |k| bells[k].as_ref().map_or(0.0, |bell| farthest(&bell.ellipse)))
        .into_iter()
        .fold(1.0, f64::max);
    let share = factor / classes.columns() as f64;
    // What the distance takes from a score at most.
    let most = shapes::fall(reach, classes.columns());
    // A class without rows is likelier nowhere.
    let lowest = bells.iter().flatten().map(|bell| bell.height - most).fold(f64::INFINITY, f64::min);
    let bias = vec![share * (lowest + log_share(0.0)); bells.len()];
    let mut chain = Chain { bias, terms: Vec::new(), supports: Vec::new() };
    for (class, bell) in bells.into_iter().enumerate() {
        let Some(bell) = bell else { continue };
        chain.bias[class] = share * bell.height;
        let mut output = vec![0.0; chain.bias.len()];
        output[class] = share * most;
        chain.terms.push(Term { learner: WeakModel::Ellipse(Ellipse { reach, ..bell.ellipse }), output });
    }
    Ok(chain)
}

/// The matrices of all classes, twice while they are solved, and the rows left out.
fn check_memory(columns: usize, classes: usize, limit: usize) -> Result<()> {
    let needed = columns.saturating_mul(columns * 2 + 2 * LEFT_OUT).saturating_mul(8 * (classes + 1));
    if needed <= limit {
        return Ok(());
    }
    let megabytes = needed.div_ceil(1 << 20);
    let what = format!(
        "a matrix of {columns} by {columns} columns for each class needs {megabytes} MB, and the memory limit is {} MB",
        limit >> 20
    );
    Err(Error::new(ErrorKind::Limit, what)
        .hint(format!("set --memory-limit {megabytes} or more, or use fewer columns")))
}
