//! MetaCost: any algorithm made cost-sensitive by relabelling (Domingos 1999, MetaCost: a general method for making
//! classifiers cost-sensitive, table 1).
//!
//! Models are trained on random samples of the rows; the mean of their probabilities for a row gives its expected cost under
//! each answer; the row is relabelled with the answer of least expected cost, and the final model is trained on the new
//! labels. Rows vote only by models that had not seen them, where there is one (the paper's `q` = false).
//!
//! The base algorithm runs with its defaults, but for `--rounds` and `--memory-limit`. Without costs nothing is relabelled for their sake, and the result is the base
//! algorithm's.

use super::rebel::COST_MODE;
use super::sample::rising;
use super::{Observer, Outcome, Partial, Problem, RoundInfo, Watched, train};
use crate::error::{Error, Result};
use crate::memory::MEMORY_LIMIT;
use crate::model::{Link, Model, argmax};
use crate::registry::{Algorithm, Method, ROUNDS};
use crate::settings::{Kind, Parameter, Settings};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "metacost",
    summary: "relabels rows by expected cost, then trains any algorithm on them",
    paper: "Domingos 1999, MetaCost, KDD",
    most_classes: None,
    trains_on_costs: true,
    ranks: false,
    learners: &["tree"],
    learner_parameters: &[],
    own_parameters: &[
        Parameter {
            name: "base",
            kind: Kind::Choice(BASES),
            default: "samme",
            help: "algorithm that MetaCost trains, with its defaults and --rounds",
        },
        Parameter {
            name: "samples",
            kind: Kind::Integer(2, 1000),
            default: "10",
            help: "models whose mean probabilities give the expected costs (the paper: 50)",
        },
        ROUNDS,
        COST_MODE,
        MEMORY_LIMIT,
    ],
    method: Method::Whole(fit),
};

/// Algorithms of any number of classes that give probabilities.
const BASES: &[&str] = &[
    "rebel",
    "gamble",
    "samme",
    "softmax-trees",
    "forest",
    "random-pairs",
    "logitboost",
    "l2boost",
    "adaboost-m1",
    "adaboost-m2",
    "adaboost-mr",
    "adaboost-mh",
    "gentle-mh",
    "samme-r",
    "one-vs-all",
    "one-vs-one",
    "ecoc",
    "adaboost-ecc",
    "aoso-logitboost",
    "gd-mcboost",
];

/// Share of the rows in a sample: as many different rows as a sample with replacement has.
const SHARE: f64 = 0.632;

/// Hands progress on and the rounds of parts not.
struct Quiet<'a>(&'a mut dyn Observer);

impl Observer for Quiet<'_> {
    fn round(&mut self, _: &RoundInfo, _: &Partial<'_>) -> Result<()> {
        Ok(())
    }

    fn progress(&mut self, share: f64, what: &str) -> Result<()> {
        self.0.progress(share, what)
    }
}

fn fit(problem: &Problem<'_>, checkpoint: Option<Model>, watched: &mut Watched<'_>) -> Result<Outcome> {
    if checkpoint.is_some() {
        return Err(Error::option("metacost trains on labels of its own making, so there is nothing to continue")
            .hint("train anew, without --resume"));
    }
    let Problem { data, settings, context, costs, .. } = *problem;
    let mut base = Settings::new(settings.word("base")?)?;
    if let (Some(rounds), true) = (settings.integer_or_auto(ROUNDS.name)?, base.values().contains_key(ROUNDS.name)) {
        base.set(ROUNDS.name, &rounds.to_string())?;
    }
    if let Some(megabytes) = settings.integer_or_auto(MEMORY_LIMIT.name)? {
        base.set(MEMORY_LIMIT.name, &megabytes.to_string())?;
    }
    let samples = settings.integer("samples")?;
    let (rows, classes) = (data.rows(), data.class_count());
    let mut notes = Vec::new();
    let mut labels = data.labels.clone();
    let mut relabelled = data.clone();
    if !costs.is_uniform() {
        let mut sums = vec![0.0; rows * classes];
        let mut seen = vec![0.0; rows * classes];
        for sample in 0..samples {
            if let Some(stopped) = context.asked_to_stop() {
                return Ok(empty(stopped, classes));
            }
            let mut rng = context.stream(&format!("metacost/{sample}"));
            let count = ((rows as f64 * SHARE).round() as usize).max(1);
            let drawn: Vec<usize> = rising(count, rows, &mut rng).into_iter().map(|row| row as usize).collect();
            let mut quiet = Quiet(watched.observer);
            let model = train(&data.select(&drawn), None, &base, context, &mut quiet)?.model;
            let probabilities = model.probabilities(&model.scores(&data.features, context))?;
            let mut inside = vec![false; rows];
            drawn.iter().for_each(|&row| inside[row] = true);
            for (row, p) in probabilities.rows().enumerate() {
                let into = if inside[row] { &mut seen } else { &mut sums };
                into[row * classes..].iter_mut().zip(p).for_each(|(sum, p)| *sum += p);
            }
            watched.observer.progress((sample + 1) as f64 / (samples + 1) as f64, "probabilities of rows")?;
        }
        for row in 0..rows {
            let at = row * classes..(row + 1) * classes;
            let unseen = &sums[at.clone()];
            let p = if unseen.iter().sum::<f64>() > 0.0 { unseen } else { &seen[at] };
            let expected = |answer: usize| -(0..classes).map(|k| p[k] * costs.get(k, answer)).sum::<f64>();
            labels[row] = argmax(&(0..classes).map(expected).collect::<Vec<_>>()) as u32;
        }
        let changed = labels.iter().zip(&data.labels).filter(|(a, b)| a != b).count();
        notes.push(format!("{changed} of {rows} rows were relabelled with the answer of least expected cost"));
        relabelled.labels = labels;
    }
    if let Some(stopped) = context.asked_to_stop() {
        return Ok(empty(stopped, classes));
    }
    let trained = train(&relabelled, None, &base, context, &mut Quiet(watched.observer))?;
    let (model, summary) = (trained.model, trained.summary);
    notes.extend(summary.notes.iter().cloned());
    // What the final training was like, in one line, as of any algorithm without rounds.
    let history = summary.history.last().cloned().into_iter().map(|info| RoundInfo { round: 1, ..info }).collect();
    let link = Some(model.link.as_deref().map_or(Ok(Link::SOFTMAX), Link::known)?);
    Ok(Outcome {
        chain: model.chain,
        parts: model.parts,
        link,
        stopped: summary.stopped,
        loss: summary.loss,
        history,
        estimate: None,
        notes,
    })
}

fn empty(stopped: super::Stop, classes: usize) -> Outcome {
    let chain = crate::model::Chain { bias: vec![0.0; classes], terms: Vec::new(), supports: Vec::new() };
    let (parts, history, notes) = Default::default();
    Outcome { chain, parts, link: Some(Link::SOFTMAX), stopped, loss: f64::NAN, history, estimate: None, notes }
}
