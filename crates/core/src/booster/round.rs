//! The one training loop: every booster runs in it.

use super::holdout::{Parts, Watch};
use super::{Booster, Problem};
use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::data::{Column, CostMatrix, Dataset, Numeric};
use crate::error::{Error, Result};
use crate::learner::similarity;
use crate::model::{Chain, Decision, Link, Model, Provenance, Term};
use crate::registry::Method;
use crate::settings::{Settings, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Instant;

/// Rounds over which a loss that hardly falls ends the training of similarities.
const PATIENCE: usize = 20;
/// The relative reduction over that many rounds below which it does.
const LEAST_GAIN: f64 = 1e-6;
/// Settings that may change between a checkpoint and its continuation.
const FREE: [&str; 2] = ["rounds", "memory-limit"];

/// Why training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// All rounds were used.
    Rounds,
    /// The loss is small enough; by default, so small that no training row can be wrong.
    LossSmallEnough,
    /// No weak learner reduces the loss any more.
    NoLearner,
    /// The last rounds hardly reduced the loss.
    Stalled,
    /// The last rounds brought no fewer mistakes on the rows held out.
    Holdout,
    /// All terms were fitted, together.
    Fitted,
    /// The time limit was reached.
    TimeLimit,
    /// Someone asked to stop.
    Interrupted,
    /// Not ended: a checkpoint.
    Running,
}

impl Stop {
    /// In plain words.
    pub fn words(self) -> &'static str {
        match self {
            Stop::Rounds => "all rounds were used",
            Stop::LossSmallEnough => "the loss is small enough",
            Stop::NoLearner => "no weak learner reduces the loss any more",
            Stop::Stalled => "the last 20 rounds hardly reduced the loss",
            Stop::Holdout => "more rounds brought no fewer mistakes on the rows held out",
            Stop::Fitted => "all its terms are fitted",
            Stop::TimeLimit => "the time limit was reached",
            Stop::Interrupted => "it was interrupted",
            Stop::Running => "it was still running",
        }
    }
}

/// What happened in a round.
#[derive(Clone, Debug, Serialize)]
pub struct RoundInfo {
    /// Number of terms so far.
    pub round: usize,
    /// Loss on the training rows.
    pub loss: f64,
    /// Weighted share of training rows whose largest score is not their class.
    pub error: f64,
    /// Edge of the round's learner (eq. 4.12).
    pub edge: f64,
    /// Mean cost on the rows held out, if there are any: the error, unless training is on costs.
    pub holdout: Option<f64>,
}

/// Watches a run. Watching never changes the result.
pub trait Observer {
    /// After each round. An error ends training and is returned.
    fn round(&mut self, info: &RoundInfo, partial: &Partial<'_>) -> Result<()>;

    /// Where an algorithm without rounds has got to: a share of all its work, and what was just done.
    fn progress(&mut self, _share: f64, _what: &str) -> Result<()> {
        Ok(())
    }
}

/// Watches nothing.
impl Observer for () {
    fn round(&mut self, _: &RoundInfo, _: &Partial<'_>) -> Result<()> {
        Ok(())
    }
}

/// The model so far, for checkpoints.
pub struct Partial<'a> {
    template: &'a Model,
    chain: &'a Chain,
    booster: Option<&'a dyn Booster>,
    /// Rounds asked for.
    pub rounds: usize,
}

impl Partial<'_> {
    /// The model so far; training can be resumed from it.
    pub fn model(&self) -> Model {
        let supports = match self.booster {
            Some(booster) => booster.supports(&self.chain.terms).into_iter().collect(),
            None => self.chain.supports.clone(),
        };
        Model { chain: Chain { supports, ..self.chain.clone() }, ..self.template.clone() }
    }
}

/// A trained model and how it came about.
pub struct Trained {
    /// The model.
    pub model: Model,
    /// The run.
    pub summary: TrainingSummary,
}

/// The training rows as models saw them that were trained without them.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// Number of parts the rows were cut into.
    pub folds: usize,
    /// One score a row and class, `[row][class]`; the model's link turns them into probabilities.
    pub scores: Vec<f64>,
}

/// How training went.
#[derive(Clone, Debug)]
pub struct TrainingSummary {
    /// Why it ended.
    pub stopped: Stop,
    /// Loss at the end.
    pub loss: f64,
    /// Every round of this run.
    pub history: Vec<RoundInfo>,
    /// Things worth knowing, in plain words.
    pub notes: Vec<String>,
    /// What the model is expected to do on rows it has not seen, if training found that out.
    pub estimate: Option<Estimate>,
    /// Wall-clock seconds of this run, binning included.
    pub seconds: f64,
}

/// Trains a model. `costs` are in the user's unit; `None` means every mistake costs one.
pub fn train(
    data: &Dataset,
    costs: Option<&CostMatrix>,
    settings: &Settings,
    context: &Context,
    observer: &mut dyn Observer,
) -> Result<Trained> {
    run(data, costs, settings, context, observer, None)
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
    run(data, costs, settings, context, observer, Some(checkpoint))
}

fn run(
    data: &Dataset,
    costs: Option<&CostMatrix>,
    settings: &Settings,
    context: &Context,
    observer: &mut dyn Observer,
    checkpoint: Option<Model>,
) -> Result<Trained> {
    let started = Instant::now();
    let (all, classes) = (data, data.class_count());
    let algorithm = settings.algorithm();
    check(data, costs, settings)?;
    let costs = costs.filter(|c| !(c.is_uniform() && c.max() == 1.0));
    let in_training = algorithm.trains_on_costs && settings.word("cost-mode")? == "train";
    let parts = match algorithm.method {
        Method::Rounds(_) => Parts::new(data, settings, context)?,
        Method::Whole(_) => None,
    };
    let data = parts.as_ref().map_or(data, |parts| &parts.train);
    let mut notes = Vec::new();
    let decision = match costs {
        Some(c) if !c.is_uniform() && in_training => Decision::CostTrained,
        Some(c) if !c.is_uniform() => Decision::ExpectedCost,
        _ => Decision::LargestScore,
    };
    let in_rounds = matches!(algorithm.method, Method::Rounds(_));
    if decision == Decision::ExpectedCost {
        let calibrated = if in_rounds { "uncalibrated" } else { "calibrated" };
        notes.push(format!("costs are used in the decision (minimum expected cost), not in training; the probabilities behind it are {calibrated}"));
    }
    let uniform = CostMatrix::uniform(classes);
    let training_costs = if decision == Decision::CostTrained { costs.unwrap_or(&uniform) } else { &uniform };

    let bins = match settings.learner() {
        "similarity" => BinnedDataset::none(data.rows()),
        _ => BinnedDataset::new(data, settings.integer("bins")?, context),
    };
    let problem = Problem { data, bins: &bins, costs: training_costs, settings, context };
    let limits = limits(data, settings)?;
    let mut template = Model {
        schema: data.schema.clone(),
        provenance: Provenance {
            algorithm: algorithm.name.into(),
            learner: settings.learner().into(),
            settings: recorded(settings, limits),
            seed: context.seed(),
            generator: "chacha8".into(),
            rows: all.rows(),
            data: fingerprint(all),
            stopped: Stop::Running,
        },
        costs: costs.cloned(),
        decision,
        link: (decision != Decision::CostTrained).then(|| Link::SOFTMAX.to_string()),
        parts: Vec::new(),
        chain: Chain { bias: Vec::new(), terms: Vec::new(), supports: Vec::new() },
    };
    let build = match algorithm.method {
        Method::Rounds(build) => build,
        Method::Whole(_) if checkpoint.is_some() => {
            return Err(Error::option(format!(
                "{} fits all its terms together, so there is nothing to continue",
                algorithm.name
            ))
            .hint("train anew, without --resume"));
        }
        Method::Whole(fit) => {
            let whole = fit(&problem)?;
            notes.extend(whole.notes);
            template.provenance.stopped = whole.stopped;
            let info = RoundInfo {
                round: whole.chain.terms.len(),
                loss: whole.loss,
                error: whole.error,
                edge: 0.0,
                holdout: None,
            };
            let partial = Partial { template: &template, chain: &whole.chain, booster: None, rounds: info.round };
            observer.round(&info, &partial)?;
            let end = (whole.chain, whole.stopped, whole.loss);
            return Ok(finished(template, end, vec![info], notes, started));
        }
    };
    let (rounds, least_rounds) = limits.unwrap_or_default();
    let mut booster = build(&problem)?;
    template.link = template.link.map(|_| booster.link().to_string());
    notes.extend(booster.notes());
    let mut chain = match checkpoint {
        Some(checkpoint) => continued(checkpoint, &template, booster.fixes_rounds())?,
        None => Chain { bias: booster.start(), terms: Vec::new(), supports: Vec::new() },
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
    let seen = if booster.gives_up() { chain.terms.len().saturating_sub(PATIENCE) } else { chain.terms.len() };
    chain.add_terms(0..seen, &data.features, &mut scores, context);
    let patience = settings.integer("patience")?;
    let held = parts.as_ref().map(|parts| &parts.held);
    let mut watch = held.map(|held| Watch::new(held, training_costs, &chain.bias, context));
    if let Some(watch) = &mut watch {
        for term in 0..chain.terms.len() {
            watch.add(&chain, term);
        }
    }
    let mut losses = Vec::new();
    for term in seen..chain.terms.len() {
        losses.push(booster.weigh(&scores));
        chain.add_terms(term..term + 1, &data.features, &mut scores, context);
    }
    chain.supports.clear();
    let mut history = Vec::new();
    let mut loss = booster.weigh(&scores);
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
        if context.cancelled() {
            break Stop::Interrupted;
        }
        if context.out_of_time() {
            break Stop::TimeLimit;
        }
        let Some(next) = booster.next(&scores)? else { break Stop::NoLearner };
        add(&next.term, &next.response, &mut scores, context);
        chain.terms.push(next.term);
        loss = booster.weigh(&scores);
        if !loss.is_finite() {
            return Err(Error::internal(format!("the loss became {loss} in round {}", chain.terms.len())));
        }
        let error = training_error(data, &scores, context);
        let holdout = watch.as_mut().map(|watch| {
            chain.supports = booster.supports(&chain.terms[chain.terms.len() - 1..]).into_iter().collect();
            let cost = watch.add(&chain, chain.terms.len() - 1);
            chain.supports.clear();
            cost
        });
        let info = RoundInfo { round: chain.terms.len(), loss, error, edge: next.edge, holdout };
        let partial = Partial { template: &template, chain: &chain, booster: Some(booster.as_ref()), rounds };
        observer.round(&info, &partial)?;
        history.push(info);
    };
    if let Some((cost, best)) = watch.and_then(|watch| watch.best()) {
        notes.push(format!(
            "{} of {} rows were held out; round {best} did best on them ({cost:.4} a row) and the model ends there",
            all.rows() - data.rows(),
            all.rows()
        ));
        chain.terms.truncate(best);
        chain.supports = booster.supports(&chain.terms).into_iter().collect();
        loss = booster.weigh(&chain.scores(&data.features, context));
    }
    chain.supports = booster.supports(&chain.terms).into_iter().collect();
    drop(booster);
    Ok(finished(template, (chain, stopped, loss), history, notes, started))
}

fn finished(
    mut model: Model,
    (chain, stopped, loss): (Chain, Stop, f64),
    history: Vec<RoundInfo>,
    mut notes: Vec<String>,
    started: Instant,
) -> Trained {
    if chain.terms.is_empty() {
        notes.push("no weak learner helps: the model always gives the same answer".into());
    }
    model.provenance.stopped = stopped;
    model.chain = chain;
    let summary =
        TrainingSummary { stopped, loss, history, notes, estimate: None, seconds: started.elapsed().as_secs_f64() };
    Trained { model, summary }
}

/// Rounds at most and at least. Trees: 200 and 100, since a few deep trees generalise badly. Similarities end by
/// their loss; the cap only keeps a hopeless run finite, far below the KN^2/2 ln(KN/2) rounds of thesis 5.4.
/// `None` for an algorithm without rounds.
fn limits(data: &Dataset, settings: &Settings) -> Result<Option<(usize, usize)>> {
    if matches!(settings.algorithm().method, Method::Whole(_)) {
        return Ok(None);
    }
    let (most, least) = match settings.learner() {
        "similarity" => (1000 + 20 * (data.rows() + data.class_count()), 1),
        _ => (200, 100),
    };
    let rounds = settings.integer_or_auto("rounds")?.unwrap_or(most);
    Ok(Some((rounds, settings.integer_or_auto("min-rounds")?.unwrap_or(least))))
}

/// The settings that made a difference, with numbers in the place of `auto` rounds.
fn recorded(settings: &Settings, limits: Option<(usize, usize)>) -> BTreeMap<String, Value> {
    let learner = settings.learner();
    let no_holdout = settings.real("holdout").is_ok_and(|share| share == 0.0);
    let idle = |name: &str| match name {
        "holdout" | "patience" => no_holdout,
        name => of_other_learner(name, learner),
    };
    let values = settings.values().iter().filter(|(name, _)| !idle(name));
    let mut values: BTreeMap<String, Value> = values.map(|(n, v)| (n.to_string(), v.clone())).collect();
    if let Some((rounds, least_rounds)) = limits {
        values.insert("rounds".into(), Value::Integer(rounds as u64));
        values.insert("min-rounds".into(), Value::Integer(least_rounds as u64));
    }
    values
}

/// Whether a parameter belongs to learners of another kind.
fn of_other_learner(name: &str, learner: &str) -> bool {
    match learner {
        "similarity" => ["depth", "bins"].contains(&name),
        _ => similarity::PARAMETERS.iter().any(|p| p.name == name),
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
        return Err(Error::option(format!("{} cannot boost the learner '{learner}'", algorithm.name))
            .hint(format!("its learners are: {}", algorithm.learners.join(", "))));
    }
    for parameter in algorithm.parameters().filter(|p| of_other_learner(p.name, learner)) {
        if settings.values().get(parameter.name) != Some(&parameter.parse(parameter.default)?) {
            return Err(Error::option(format!("--{} means nothing to the learner '{learner}'", parameter.name))
                .hint("leave it out, or choose another --learner"));
        }
    }
    match algorithm.most_classes {
        Some(most) if classes > most => {
            Err(Error::data(format!("{} tells at most {most} classes apart and there are {classes}", algorithm.name))
                .hint("use --algorithm rebel"))
        }
        _ => Ok(()),
    }
}

/// The terms of a checkpoint, if it belongs to the same training.
fn continued(checkpoint: Model, expected: &Model, fixed_rounds: bool) -> Result<Chain> {
    let (was, is) = (&checkpoint.provenance, &expected.provenance);
    let refuse = |what: &str| {
        Err(Error::option(format!("the checkpoint cannot be continued: {what}"))
            .hint("resume with the data and options it was made with"))
    };
    if was.algorithm != is.algorithm {
        return refuse(&format!("it was made by {}, not {}", was.algorithm, is.algorithm));
    }
    let free = |name: &str| FREE.contains(&name) && !(fixed_rounds && name == "rounds");
    for name in was.settings.keys().chain(is.settings.keys()).filter(|name| !free(name)) {
        if was.settings.get(name) != is.settings.get(name) {
            return refuse(&format!("--{name} was different"));
        }
    }
    if was.seed != is.seed {
        return refuse("--seed was different");
    }
    if checkpoint.schema != expected.schema || was.data != is.data {
        return refuse("the training data were different");
    }
    if checkpoint.costs != expected.costs {
        return refuse("the costs were different");
    }
    Ok(checkpoint.chain)
}

/// Adds a term to the scores of the training rows: the same operations, in the same order, as prediction.
fn add(term: &Term, response: &[f64], scores: &mut [f64], context: &Context) {
    const CHUNK: usize = 2048;
    let classes = scores.len() / response.len().max(1);
    let work = scores.len();
    context.map_parts(scores, CHUNK * classes, work, |i, part| term.add(&response[i * CHUNK..], part, classes));
}

fn training_error(data: &Dataset, scores: &[f64], context: &Context) -> f64 {
    const CHUNK: usize = 2048;
    let classes = data.class_count();
    let parts = context.map(data.rows().div_ceil(CHUNK), scores.len(), |i| {
        let rows = i * CHUNK..((i + 1) * CHUNK).min(data.rows());
        let wrong = rows.clone().filter(|&row| {
            let (before, from) = scores[row * classes..(row + 1) * classes].split_at(data.labels[row] as usize);
            // The answer is the first of the largest scores. No early end: it would keep the loops from being
            // vectorised.
            let any = |so_far: bool, this: bool| so_far | this;
            before.iter().map(|h| *h >= from[0]).fold(false, any) | from.iter().map(|h| *h > from[0]).fold(false, any)
        });
        wrong.map(|row| data.weights[row]).sum::<f64>()
    });
    // An empty sum is minus zero.
    (parts.into_iter().sum::<f64>() + 0.0) / data.weights.iter().sum::<f64>()
}

/// Checksum of everything training reads, so that a checkpoint is not continued on other data.
pub(crate) fn fingerprint(data: &Dataset) -> String {
    let mut hash = crc32fast::Hasher::new();
    let mut feed = |bytes: &[u8]| hash.update(bytes);
    for column in &data.features.columns {
        match column {
            Column::Numeric(Numeric::U8(v)) => feed(v),
            Column::Numeric(c) => (0..c.len()).for_each(|row| feed(&c.get(row).to_le_bytes())),
            Column::Categorical(c) => c.codes.iter().for_each(|code| feed(&code.to_le_bytes())),
        }
    }
    data.labels.iter().for_each(|label| feed(&label.to_le_bytes()));
    data.weights.iter().for_each(|weight| feed(&weight.to_le_bytes()));
    format!("{:08x}", hash.finalize())
}
