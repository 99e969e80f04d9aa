//! The push of a button: a stacked portfolio.
//!
//! Every member of the portfolio, an algorithm of the registry with settings of its own, is trained on all parts of the
//! rows but one and judged on that one, in turn. Each is calibrated by one factor ([`judge`]); the weights of the sum are
//! those of least log loss on the rows left out ([`stack`]); members with weight are trained again on all rows. The
//! score is sum_m c w_m s_m H_m(x), a sum of terms like any other model's ([`combine`]), so probabilities are its softmax
//! and "why A and not B" stays an exact sum.
//!
//! The scores of rows by models that had not seen them are kept: they say how good the model will be on new rows. (The
//! few weights were chosen on them too, so the estimate is a shade optimistic.)
//!
//! Very few distinct rows leave nothing to be cut into parts: there one chain of pairs, the one metric of least
//! leave-one-out loss, is the model. It has no random choice in it, and a row of weight two is the row twice.

mod advice;
mod combine;
mod folds;
mod ground;
mod jobs;
mod judge;
mod levels;
mod members;
mod portfolio;
mod small;
mod stack;
#[cfg(test)]
mod tests;

use super::{Outcome, Partial, Problem, Watched};
use crate::context::Context;
use crate::error::Result;
use crate::learner::similarity::{KEEP_VALUES, MEMORY_LIMIT, VALUES_KEPT};
use crate::memory;
use crate::model::Model;
use crate::registry::{Algorithm, Method};
use crate::settings::{Kind, Parameter};
use folds::Folds;
use judge::{Judgement, Rows, log_probabilities};
use members::{Preset, members};
use portfolio::Portfolio;
use stack::Stack;

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "auto",
    summary: "the push of a button: a stack of the best, calibrated, with an honest estimate",
    paper: "own; stacking after Wolpert 1992 and Breiman 1996, members as cited by their own entries",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["portfolio"],
    learner_parameters: &[],
    own_parameters: &[
        Parameter {
            name: "preset",
            kind: Kind::Choice(Preset::NAMES),
            default: "best",
            help: "auto: all members, those most worth their time, or the best one of those alone",
        },
        MEMORY_LIMIT,
        KEEP_VALUES,
    ],
    method: Method::Whole(fit),
};

/// Rows without which nobody can be judged: where nearly every class has one row, none can be left out.
const LEAST_JUDGED: usize = 10;
/// Weights below this bring nothing but size.
const LEAST_WEIGHT: f64 = 0.03;

fn fit(problem: &Problem<'_>, checkpoint: Option<Model>, watched: &mut Watched<'_>) -> Result<Outcome> {
    let Problem { data, settings, context, .. } = *problem;
    let preset = Preset::named(settings.word("preset")?);
    let keep_values = settings.switch("keep-values")?;
    let limit = settings.integer_or_auto("memory-limit")?.unwrap_or_else(|| memory::share() >> 20);
    let members = members(data, preset, keep_values, limit, context.threads())?;
    let folds = Folds::new(data, preset, context);
    if small::is_small(data) || folds.judged().len() < LEAST_JUDGED {
        return told(small::fit(problem, &members, checkpoint, watched)?, watched);
    }
    let mut portfolio = Portfolio::new(data, members, folds, limit << 20, context);
    if let Some(checkpoint) = checkpoint {
        portfolio.restore(checkpoint, watched.template)?;
    }
    portfolio.train_folds(watched)?;
    let rows = Rows::new(data, &portfolio.folds);
    let judged = portfolio.judge(&rows);
    if judged.iter().all(Option::is_none) {
        return told(portfolio.unfinished(), watched);
    }
    let weights = weigh(&judged, &rows, preset, context)?;
    portfolio.train_chosen(&weights, &judged, watched)?;
    let mut outcome = portfolio.outcome(&weights, judged, &rows);
    if keep_values && !outcome.chain.supports.is_empty() {
        outcome.notes.push(VALUES_KEPT.into());
    }
    outcome.notes.extend(watched.template.costs.as_ref().and_then(advice::on));
    told(outcome, watched)
}

/// Tells whoever watches of the end.
fn told(outcome: Outcome, watched: &mut Watched<'_>) -> Result<Outcome> {
    let so_far = || Model { chain: outcome.chain.clone(), parts: outcome.parts.clone(), ..watched.template.clone() };
    let partial = Partial::new(outcome.chain.terms.len(), &so_far);
    outcome.history.iter().try_for_each(|info| watched.observer.round(info, &partial))?;
    Ok(outcome)
}

/// Weights of the members, zero for those that were not judged.
fn weigh(judged: &[Option<Judgement>], rows: &Rows<'_>, preset: Preset, context: &Context) -> Result<Vec<f64>> {
    let classes = rows.data.class_count();
    let log_losses = || judged.iter().enumerate().filter_map(|(m, j)| Some((m, j.as_ref()?.log_loss)));
    let best = log_losses().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(m, _)| m);
    let only_best = || (0..judged.len()).map(|m| f64::from(u8::from(m == best))).collect::<Vec<f64>>();
    if preset == Preset::Single {
        return Ok(only_best());
    }
    // Twice: what has hardly any weight leaves its place to the others.
    let mut names: Vec<usize> = log_losses().map(|(m, _)| m).collect();
    let mut weights = vec![0.0; judged.len()];
    for _ in 0..2 {
        let logs = |m: &usize| judged[*m].as_ref().map(|j| log_probabilities(&j.scores, classes, rows.rows.len()));
        let stack =
            Stack { members: names.iter().filter_map(logs).collect(), labels: &rows.labels, weights: &rows.weights };
        let solved = stack.solve(context)?;
        let alone = |m: usize| (0..names.len()).map(|i| f64::from(u8::from(names[i] == m))).collect::<Vec<f64>>();
        if names.contains(&best) && stack.log_loss(&solved, context) > stack.log_loss(&alone(best), context) {
            return Ok(only_best());
        }
        weights.fill(0.0);
        names.iter().zip(&solved).for_each(|(m, w)| weights[*m] = *w);
        let kept: Vec<usize> = names.iter().copied().filter(|m| weights[*m] >= LEAST_WEIGHT).collect();
        if kept.len() == names.len() || kept.is_empty() {
            break;
        }
        names = kept;
    }
    Ok(weights)
}
