//! The one training loop: every booster runs in it.

use super::Problem;
use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::data::{Column, CostMatrix, Dataset, Numeric};
use crate::error::{Error, Result};
use crate::model::{Chain, Decision, Model, Provenance, Term, argmax};
use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use std::time::Instant;

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
}

/// Watches a run. Watching never changes the result.
pub trait Observer {
    /// After each round. An error ends training and is returned.
    fn round(&mut self, info: &RoundInfo, partial: &Partial<'_>) -> Result<()>;
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
    /// Rounds asked for.
    pub rounds: usize,
}

impl Partial<'_> {
    /// The model so far; training can be resumed from it.
    pub fn model(&self) -> Model {
        Model { chain: self.chain.clone(), ..self.template.clone() }
    }
}

/// A trained model and how it came about.
pub struct Trained {
    /// The model.
    pub model: Model,
    /// The run.
    pub summary: TrainingSummary,
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
    let classes = data.class_count();
    let algorithm = settings.algorithm();
    check(data, costs, settings)?;
    let costs = costs.filter(|c| !(c.is_uniform() && c.max() == 1.0));
    let in_training = algorithm.trains_on_costs && settings.word("cost-mode")? == "train";
    let mut notes = Vec::new();
    let decision = match costs {
        Some(c) if !c.is_uniform() && in_training => Decision::CostTrained,
        Some(c) if !c.is_uniform() => Decision::ExpectedCost,
        _ => Decision::LargestScore,
    };
    if decision == Decision::ExpectedCost {
        notes.push("costs are used in the decision (minimum expected cost), not in training; the probabilities behind it are uncalibrated".into());
    }
    let uniform = CostMatrix::uniform(classes);
    let training_costs = if decision == Decision::CostTrained { costs.unwrap_or(&uniform) } else { &uniform };

    let bins = BinnedDataset::new(data, settings.integer("bins")?, context);
    let problem = Problem { data, bins: &bins, costs: training_costs, settings, context };
    let mut booster = (algorithm.build)(&problem)?;
    let mut template = Model {
        schema: data.schema.clone(),
        provenance: Provenance {
            algorithm: algorithm.name.into(),
            learner: settings.word("learner")?.into(),
            settings: settings.values().iter().map(|(name, value)| (name.to_string(), value.clone())).collect(),
            seed: context.seed(),
            generator: "chacha8".into(),
            rows: data.rows(),
            data: fingerprint(data),
            stopped: Stop::Running,
        },
        costs: costs.cloned(),
        decision,
        link: (decision != Decision::CostTrained).then(|| link_of(settings)),
        chain: Chain { bias: Vec::new(), terms: Vec::new() },
    };
    let mut chain = match checkpoint {
        Some(checkpoint) => continued(checkpoint, &template)?,
        None => Chain { bias: booster.start(), terms: Vec::new() },
    };
    let mut scores = chain.scores(&data.features, context);
    let rounds = settings.integer("rounds")?;
    let least_rounds = settings.integer("min-rounds")?.min(rounds);
    if chain.terms.len() > rounds {
        return Err(Error::option(format!(
            "the checkpoint has {} rounds already, more than the {rounds} asked for",
            chain.terms.len()
        )));
    }
    let mut history = Vec::new();
    let mut loss = booster.weigh(&scores);
    let stopped = loop {
        if loss <= booster.enough() && chain.terms.len() >= least_rounds {
            break Stop::LossSmallEnough;
        }
        if chain.terms.len() >= rounds {
            break Stop::Rounds;
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
        let info = RoundInfo { round: chain.terms.len(), loss, error, edge: next.edge };
        observer.round(&info, &Partial { template: &template, chain: &chain, rounds })?;
        history.push(info);
    };
    drop(booster);
    if chain.terms.is_empty() {
        notes.push("no weak learner helps: the model always gives the same answer".into());
    }
    template.provenance.stopped = stopped;
    template.chain = chain;
    let summary = TrainingSummary { stopped, loss, history, notes, seconds: started.elapsed().as_secs_f64() };
    Ok(Trained { model: template, summary })
}

fn check(data: &Dataset, costs: Option<&CostMatrix>, settings: &Settings) -> Result<()> {
    let (rows, classes) = (data.rows(), data.class_count());
    if rows >= 1 << 30 {
        return Err(Error::data(format!("{rows} rows are more than can be trained on at once (2^30)")));
    }
    if let Some(costs) = costs.filter(|c| c.classes() != classes) {
        return Err(Error::costs(format!("costs for {} classes, but the data have {classes}", costs.classes())));
    }
    match settings.algorithm().most_classes {
        Some(most) if classes > most => Err(Error::data(format!(
            "{} tells at most {most} classes apart and there are {classes}",
            settings.algorithm().name
        ))
        .hint("use --algorithm rebel")),
        _ => Ok(()),
    }
}

fn link_of(settings: &Settings) -> String {
    settings.word("loss").unwrap_or("exp").to_string()
}

/// The terms of a checkpoint, if it belongs to the same training.
fn continued(checkpoint: Model, expected: &Model) -> Result<Chain> {
    let (was, is) = (&checkpoint.provenance, &expected.provenance);
    let refuse = |what: &str| {
        Err(Error::option(format!("the checkpoint cannot be continued: {what}"))
            .hint("resume with the data and options it was made with"))
    };
    if was.algorithm != is.algorithm {
        return refuse(&format!("it was made by {}, not {}", was.algorithm, is.algorithm));
    }
    for (name, value) in is.settings.iter().filter(|(name, _)| *name != "rounds") {
        if was.settings.get(name) != Some(value) {
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
    let classes = term.output.len();
    let work = scores.len();
    context.map_parts(scores, CHUNK * classes, work, |i, part| {
        for (scores, f) in part.chunks_exact_mut(classes).zip(&response[i * CHUNK..]) {
            scores.iter_mut().zip(&term.output).for_each(|(h, a)| *h += f * a);
        }
    });
}

fn training_error(data: &Dataset, scores: &[f64], context: &Context) -> f64 {
    const CHUNK: usize = 2048;
    let classes = data.class_count();
    let parts = context.map(data.rows().div_ceil(CHUNK), scores.len(), |i| {
        let rows = i * CHUNK..((i + 1) * CHUNK).min(data.rows());
        let wrong = rows
            .clone()
            .filter(|&row| argmax(&scores[row * classes..(row + 1) * classes]) != data.labels[row] as usize);
        wrong.map(|row| data.weights[row]).sum::<f64>()
    });
    // An empty sum is minus zero.
    (parts.into_iter().sum::<f64>() + 0.0) / data.weights.iter().sum::<f64>()
}

/// Checksum of everything training reads, so that a checkpoint is not continued on other data.
fn fingerprint(data: &Dataset) -> String {
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
