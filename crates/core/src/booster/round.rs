//! The one training loop: every booster runs in it.

use super::holdout::Watch;
use super::observe::{Partial, RoundInfo, Stop};
use super::standing::Standing;
use super::{Booster, Outcome, Problem, Watched, checkpoint::continued};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::model::{Chain, Decision, Model};
use crate::registry::Build;

/// Rounds over which a loss that hardly falls ends the training of similarities.
const PATIENCE: usize = 20;
/// The relative reduction over that many rounds below which it does.
const LEAST_GAIN: f64 = 1e-6;

/// Adds terms until a limit is reached or nothing is left to gain. `limits` are the rounds at most and at least; `held`
/// are rows to choose the number of rounds by.
pub(super) fn run(
    problem: &Problem<'_>,
    build: Build,
    (rounds, least_rounds): (usize, usize),
    held: Option<&Dataset>,
    checkpoint: Option<Model>,
    watched: Watched<'_>,
) -> Result<Outcome> {
    let Problem { data, context, costs, .. } = *problem;
    let mut booster = build(problem)?;
    let link = booster.has_link().then(|| booster.link());
    let mut template = watched.template.clone();
    template.link = link.filter(|_| template.link.is_some()).map(str::to_string);
    if link.is_none() && template.decision == Decision::ExpectedCost {
        let name = problem.settings.algorithm().name;
        return Err(Error::option(format!(
            "costs decide by probabilities, and {name} gives none with these options"
        ))
        .hint("leave the costs out, use --decoding loss, or an algorithm that trains on costs, such as rebel"));
    }
    let continued = checkpoint.map(|checkpoint| continued(checkpoint, &template, booster.fixes_rounds()));
    let mut chain = match continued.transpose()? {
        // How earlier models did on the rows held out is not in the checkpoint of a booster that changes its terms: it
        // starts again, to the same bytes.
        Some(chain) if !(booster.refits() && held.is_some()) => {
            Chain { terms: booster.taken_apart(chain.terms)?, ..chain }
        }
        _ => Chain { bias: booster.start(), terms: Vec::new(), supports: Vec::new() },
    };
    booster.skip(chain.terms.len());
    if let Some(supports) = chain.supports.first() {
        booster.restore(supports)?;
    }
    if chain.terms.len() > rounds {
        return Err(Error::option(format!(
            "the checkpoint has {} rounds already, more than the {rounds} asked for",
            chain.terms.len()
        )));
    }
    // A resumed run gives up where an uninterrupted one would: it sees the last losses again.
    let mut scores = chain.bias.repeat(data.rows());
    let seen = match (booster.follows(), booster.gives_up()) {
        (true, _) => 0,
        (_, true) => chain.terms.len().saturating_sub(PATIENCE),
        _ => chain.terms.len(),
    };
    chain.add_terms(0..seen, &data.features, &mut scores, context);
    let patience = problem.settings.integer("patience")?;
    let mut watch = held.map(|held| Watch::new(held, costs, &chain.bias, context));
    if let Some(watch) = &mut watch {
        for term in 0..chain.terms.len() {
            watch.add(&chain, term);
        }
    }
    let mut losses = Vec::new();
    for term in seen..chain.terms.len() {
        losses.push(booster.weigh(&scores));
        replay(&chain, term, booster.as_mut(), data, &mut scores, context);
    }
    chain.supports.clear();
    let mut standing = Standing::new(data, scores, context);
    let mut history = Vec::new();
    // The terms at the best round, where later rounds change them.
    let mut best_terms = None;
    let mut loss = booster.weigh(standing.scores());
    let stopped = loop {
        if loss <= booster.enough() && chain.terms.len() >= least_rounds.min(rounds) {
            break Stop::LossSmallEnough;
        }
        if chain.terms.len() >= rounds {
            break Stop::Rounds;
        }
        if booster.gives_up() {
            losses.push(loss);
            let before = losses.len().checked_sub(PATIENCE + 1).map(|at| losses[at]);
            if before.is_some_and(|before| before - loss < LEAST_GAIN * before) {
                break Stop::Stalled;
            }
        }
        if watch.as_ref().is_some_and(|watch| watch.gives_up(patience)) {
            break Stop::Holdout;
        }
        if let Some(stop) = context.asked_to_stop() {
            break stop;
        }
        let Some(next) = booster.next(standing.scores())? else { break Stop::NoLearner };
        standing.add(&next.term, &next.response);
        booster.added(&next.term, &next.response);
        chain.terms.push(next.term);
        if let Some(refitted) = booster.refit(&chain.bias, &mut chain.terms) {
            *standing.scores_mut() = refitted;
        }
        loss = booster.weigh(standing.scores());
        if !loss.is_finite() {
            return Err(Error::internal(format!("the loss became {loss} in round {}", chain.terms.len())));
        }
        let error = standing.error();
        let holdout = watch.as_mut().map(|watch| {
            if booster.refits() {
                let cost = watch.replace(&so_far(&chain, booster.as_ref()));
                if watch.best().is_some_and(|(_, round)| round == chain.terms.len()) {
                    best_terms = Some(chain.terms.clone());
                }
                return cost;
            }
            chain.supports = booster.supports(&chain.terms[chain.terms.len() - 1..]).into_iter().collect();
            let cost = watch.add(&chain, chain.terms.len() - 1);
            chain.supports.clear();
            cost
        });
        let info =
            RoundInfo { round: chain.terms.len(), loss, error, edge: next.edge, holdout, work: booster.work() };
        let model = || Model { chain: so_far(&chain, booster.as_ref()), ..template.clone() };
        let mut partial = Partial::new(rounds, &model);
        partial.refits = booster.refits();
        watched.observer.round(&info, &partial)?;
        history.push(info);
    };
    let mut notes = booster.notes();
    let mut cut_back = false;
    if let Some((held, (cost, best))) = held.zip(watch.and_then(|watch| watch.best())) {
        notes.push(format!(
            "{} of {} rows were held out; round {best} did best on them ({cost:.4} a row) and the model ends there",
            held.rows(),
            held.rows() + data.rows()
        ));
        match best_terms {
            Some(terms) => chain.terms = terms,
            None => chain.terms.truncate(best),
        }
        cut_back = true;
    }
    chain.supports = booster.supports(&chain.terms).into_iter().collect();
    let gathered = booster.gathered(&chain.terms);
    if cut_back {
        loss = loss_of(&chain, booster, problem, build)?;
    }
    chain.terms = gathered.unwrap_or(chain.terms);
    Ok(Outcome { chain, parts: Vec::new(), link, stopped, loss, history, estimate: None, notes })
}

/// Adds a term that exists already, as the loop would.
fn replay(
    chain: &Chain,
    term: usize,
    booster: &mut dyn Booster,
    data: &Dataset,
    scores: &mut [f64],
    context: &Context,
) {
    chain.add_terms(term..term + 1, &data.features, scores, context);
    if booster.follows() {
        let response = chain.responses_of(term, &data.features, context);
        booster.added(&chain.terms[term], &response);
    }
}

/// The loss of a chain that was cut back. A booster that follows its terms has followed too many.
fn loss_of<'a>(
    chain: &Chain,
    mut booster: Box<dyn Booster + 'a>,
    problem: &Problem<'a>,
    build: Build,
) -> Result<f64> {
    let Problem { data, context, .. } = *problem;
    let mut scores = chain.bias.repeat(data.rows());
    if booster.follows() {
        booster = build(problem)?;
        for term in 0..chain.terms.len() {
            booster.weigh(&scores);
            replay(chain, term, booster.as_mut(), data, &mut scores, context);
        }
    } else {
        chain.add_terms(0..chain.terms.len(), &data.features, &mut scores, context);
    }
    Ok(booster.weigh(&scores))
}

/// The chain of the model so far, with the training rows that its terms compare with.
fn so_far(chain: &Chain, booster: &dyn Booster) -> Chain {
    let terms = booster.gathered(&chain.terms).unwrap_or_else(|| chain.terms.clone());
    Chain { bias: chain.bias.clone(), terms, supports: booster.supports(&chain.terms).into_iter().collect() }
}
