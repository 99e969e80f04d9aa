//! Training, whatever the algorithm: what is checked before, and what a model remembers of it.

use super::holdout::Parts;
use super::observe::{Observer, Stop, Trained, TrainingSummary};
use super::{Outcome, Prepared, Problem, Watched, checkpoint, draw, round};
use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::data::{CostMatrix, Dataset};
use crate::error::{Error, Result};
use crate::learner::direction;
use crate::learner::similarity;
use crate::memory;
use crate::model::{Chain, Decision, Link, Model, Provenance};
use crate::registry::{ALGORITHMS, Method};
use crate::settings::{Parameter, Settings, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Trains a model. `costs` are in the user's unit; `None` means every mistake costs one.
pub fn train(
    data: &Dataset,
    costs: Option<&CostMatrix>,
    settings: &Settings,
    context: &Context,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    train_prepared(data, costs, settings, context, observer, &Prepared::for_one())
}

/// The same as one of several trainings on these rows.
pub(crate) fn train_prepared(
    data: &Dataset,
    costs: Option<&CostMatrix>,
    settings: &Settings,
    context: &Context,
    observer: &mut dyn Observer,
    prepared: &Prepared,
) -> Result<Trained> {
    run(data, costs, settings, context, observer, prepared, None)
}

/// Goes on from a checkpoint to the same bytes as an uninterrupted run. Data, costs and settings must be those of
/// the checkpoint, but for the number of rounds.
pub fn resume(
    checkpoint: Model,
    data: &Dataset,
    costs: Option<&CostMatrix>,
    settings: &Settings,
    context: &Context,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    run(data, costs, settings, context, observer, &Prepared::for_one(), Some(checkpoint))
}

fn run(
    data: &Dataset,
    costs: Option<&CostMatrix>,
    settings: &Settings,
    context: &Context,
    observer: &mut dyn Observer,
    prepared: &Prepared,
    checkpoint: Option<Model>,
) -> Result<Trained> {
    let started = Instant::now();
    let algorithm = settings.algorithm();
    check(data, costs, settings)?;
    let costs = costs.filter(|c| !(c.is_uniform() && c.max() == 1.0));
    let in_training = algorithm.trains_on_costs && settings.word("cost-mode")? == "train";
    let decision = match costs {
        Some(c) if !c.is_uniform() && in_training => Decision::CostTrained,
        Some(c) if !c.is_uniform() => Decision::ExpectedCost,
        _ => Decision::LargestScore,
    };
    let uniform = CostMatrix::uniform(data.class_count());
    let training_costs = if decision == Decision::CostTrained { costs.unwrap_or(&uniform) } else { &uniform };
    let limits = limits(data, settings)?;
    let template = Model {
        schema: data.schema.clone(),
        provenance: Provenance {
            algorithm: algorithm.name.into(),
            learner: settings.learner().into(),
            settings: recorded(settings, limits),
            seed: context.seed(),
            generator: "chacha8".into(),
            rows: data.rows(),
            data: checkpoint::fingerprint(data),
            stopped: Stop::Running,
        },
        costs: costs.cloned(),
        decision,
        link: (decision != Decision::CostTrained).then(|| Link::SOFTMAX.to_string()),
        parts: Vec::new(),
        chain: Chain { bias: Vec::new(), terms: Vec::new(), supports: Vec::new() },
    };
    let mut notes = Vec::new();
    if decision == Decision::ExpectedCost {
        let calibrated = if limits.is_some() || algorithm.trains_on_costs { "uncalibrated" } else { "calibrated" };
        notes.push(format!("costs are used in the decision (minimum expected cost), not in training; the probabilities behind it are {calibrated}"));
    }
    let outcome = match (algorithm.method, limits) {
        (Method::Whole(fit), _) => {
            let none = BinnedDataset::none(data.rows());
            let problem = Problem { data, bins: &none, prepared, costs: training_costs, settings, context };
            fit(&problem, checkpoint, &mut Watched { observer, template: &template })?
        }
        (Method::Rounds(build), limits) => {
            let parts = Parts::new(data, settings, context)?;
            // Rows without those held out are others, which nobody shares.
            let own = Prepared::for_one();
            let (rows, prepared) = parts.as_ref().map_or((data, prepared), |parts| (&parts.train, &own));
            let bins = match settings.learner() {
                "similarity" | "exact-stump" | "linear" => Arc::new(BinnedDataset::none(rows.rows())),
                _ => prepared.bins(rows, settings.integer("bins")?, context)?,
            };
            let held = parts.as_ref().map(|parts| &parts.held);
            let watched = Watched { observer, template: &template };
            let problem = Problem { data: rows, bins: &bins, prepared, costs: training_costs, settings, context };
            round::run(&problem, build, limits.unwrap_or_default(), held, checkpoint, watched)?
        }
    };
    let Outcome { chain, parts, link, stopped, loss, history, estimate, notes: found } = outcome;
    notes.extend(found);
    // Cut short, it was never asked.
    if chain.terms.is_empty() && !matches!(stopped, Stop::Interrupted | Stop::TimeLimit) {
        notes.push("no weak learner helps: the model always gives the same answer".into());
    }
    let link = link.filter(|_| template.link.is_some()).map(str::to_string);
    let mut model = Model { link, parts, chain, ..template };
    model.provenance.stopped = stopped;
    let seconds = started.elapsed().as_secs_f64();
    Ok(Trained { model, summary: TrainingSummary { stopped, loss, history, notes, estimate, seconds } })
}

/// Rounds of trees, where nobody says how many.
pub(super) const TREE_ROUNDS: usize = 200;

/// Rounds at most and at least. Trees: 200 and 100, since a few deep trees generalise badly. Similarities end by
/// their loss; the cap only keeps a hopeless run finite, far below the KN^2/2 ln(KN/2) rounds of thesis 5.4.
/// `None` for an algorithm without rounds.
fn limits(data: &Dataset, settings: &Settings) -> Result<Option<(usize, usize)>> {
    if matches!(settings.algorithm().method, Method::Whole(_)) {
        return Ok(None);
    }
    let (most, least) = match settings.learner() {
        "similarity" => (1000 + 20 * (data.rows() + data.class_count()), 1),
        _ => (TREE_ROUNDS, 100),
    };
    let rounds = settings.integer_or_auto("rounds")?.unwrap_or(most);
    Ok(Some((rounds, settings.integer_or_auto("min-rounds")?.unwrap_or(least))))
}

/// The settings that made a difference, with numbers in the place of `auto` rounds.
fn recorded(settings: &Settings, limits: Option<(usize, usize)>) -> BTreeMap<String, Value> {
    let learner = settings.learner();
    let came_later = |name: &str| {
        let default = draw::PARTS.iter().find(|p| p.name == name).and_then(|p| p.parse(p.default).ok());
        draw::CAME_LATER.contains(&settings.algorithm().name)
            && default.is_some()
            && settings.values().get(name) == default.as_ref()
    };
    let no_holdout = settings.real("holdout").is_ok_and(|share| share == 0.0);
    let idle = |name: &str| match name {
        "holdout" | "patience" => no_holdout,
        // Added later: files of the time before stay as they are.
        "criterion" => settings.word(name).is_ok_and(|word| word == "gini"),
        "decoding" => settings.word(name).is_ok_and(|word| word == "loss"),
        // Another way to the same model.
        "pruning" => true,
        "memory-limit" => !["similarity", "portfolio"].contains(&learner),
        name if came_later(name) => true,
        name => limits.is_some() && of_other_learner(name, learner),
    };
    let values = settings.values().iter().filter(|(name, _)| !idle(name));
    let mut values: BTreeMap<String, Value> = values.map(|(n, v)| (n.to_string(), v.clone())).collect();
    if let Some((rounds, least_rounds)) = limits {
        values.insert("rounds".into(), Value::Integer(rounds as u64));
        values.insert("min-rounds".into(), Value::Integer(least_rounds as u64));
    }
    values
}

fn who_boosts(learner: &str) -> String {
    let can = ALGORITHMS.iter().filter(|algorithm| algorithm.learners.contains(&learner));
    let names: Vec<&str> = can.map(|algorithm| algorithm.name).collect();
    format!("'{learner}' is for: {}", names.join(", "))
}

/// Whether a parameter belongs to learners of another kind.
fn of_other_learner(name: &str, learner: &str) -> bool {
    let one_of = |parameters: &[Parameter]| parameters.iter().any(|p| p.name == name);
    if one_of(direction::PARAMETERS) {
        return learner != "linear";
    }
    match learner {
        "similarity" => ["depth", "bins", "pruning"].contains(&name) || one_of(draw::PARTS),
        "exact-stump" | "linear" if ["depth", "bins", "pruning"].contains(&name) => true,
        _ => one_of(similarity::PARAMETERS),
    }
}

fn check(data: &Dataset, costs: Option<&CostMatrix>, settings: &Settings) -> Result<()> {
    let (rows, classes) = (data.rows(), data.class_count());
    if rows >= 1 << 30 {
        return Err(Error::data(format!("{rows} rows are more than can be trained on at once (2^30)")));
    }
    if let Some(costs) = costs.filter(|c| c.classes() != classes) {
        return Err(Error::costs(format!("costs for {} classes, but the data have {classes}", costs.classes())));
    }
    let (algorithm, learner) = (settings.algorithm(), settings.learner());
    if !algorithm.learners.contains(&learner) {
        return Err(Error::option(format!("{} cannot boost the learner '{learner}'", algorithm.name)).hint(format!(
            "its learners are: {}; {}",
            algorithm.learners.join(", "),
            who_boosts(learner)
        )));
    }
    let in_rounds = matches!(algorithm.method, Method::Rounds(_));
    for parameter in algorithm.parameters().filter(|p| in_rounds && of_other_learner(p.name, learner)) {
        if settings.values().get(parameter.name) != Some(&parameter.parse(parameter.default)?) {
            return Err(Error::option(format!("--{} means nothing to the learner '{learner}'", parameter.name))
                .hint("leave it out, or choose another --learner"));
        }
    }
    if in_rounds && learner != "similarity" {
        memory::check_trees(settings, data)?;
    }
    match algorithm.most_classes {
        Some(most) if classes > most => {
            Err(Error::data(format!("{} tells at most {most} classes apart and there are {classes}", algorithm.name))
                .hint("use --algorithm rebel"))
        }
        _ => Ok(()),
    }
}
