//! Algorithms side by side on the same parts of the same rows.
//!
//! Two protocols. `thesis` (Appel 2017, 4.6, after StructBoost): several random splits into 50 % training, 25 % validation
//! and 25 % test; at most 200 stumps; the number of learners is the first with the fewest mistakes on the validation part,
//! and the error counted is that on the test part. `cv`: stratified folds, each algorithm with its own defaults.
//!
//! A trial is one algorithm on one split. It depends on nothing but data, settings, seed and split, so trials can be made
//! in any order, kept, and continued later.

mod stages;
mod summary;

pub use summary::{Standing, standings};

use crate::booster::{Observer, Stop, fingerprint, train};
use crate::context::Context;
use crate::data::{Dataset, stratified_folds, stratified_split};
use crate::error::{Error, ErrorKind, Result};
use crate::registry::{Algorithm, Method};
use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use stages::{Stages, by_learners};

/// How rows are cut, and what algorithms are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// So many random splits 50/25/25, stumps, at most 200 of them, their number chosen on the validation part.
    Thesis(usize),
    /// So many stratified folds, every algorithm as it comes.
    Folds(usize),
}

/// The rows of one split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// To learn from.
    pub train: Vec<usize>,
    /// To choose the number of learners by; empty if it is not chosen.
    pub validation: Vec<usize>,
    /// To count mistakes on.
    pub test: Vec<usize>,
}

/// One algorithm on one split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Registered name.
    pub algorithm: String,
    /// Number of the split, from 0.
    pub split: usize,
    /// What came of it.
    pub result: Measured,
}

/// What came of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// It worked.
    Done {
        /// Share of wrong answers on the test part.
        error: f64,
        /// Learners used.
        learners: usize,
        /// Seconds to train.
        seconds: f64,
        /// Error on the test part after 1, 2, ... learners; empty for an algorithm without rounds.
        curve: Vec<f64>,
    },
    /// It did not, and this is why.
    Failed(String),
}

/// Finished trials, as they are kept between runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// What they are trials of: results of other data or settings must not be taken for these.
    pub run: String,
    /// In the order they were made.
    pub trials: Vec<Trial>,
}

impl Protocol {
    /// Name, as in `--protocol`.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Thesis(_) => "thesis",
            Protocol::Folds(_) => "cv",
        }
    }

    /// Number of splits.
    pub fn splits(self) -> usize {
        match self {
            Protocol::Thesis(count) | Protocol::Folds(count) => count,
        }
    }

    /// The settings an algorithm is compared with: its defaults, under the thesis' protocol with stumps and 200 rounds as far
    /// as it has them.
    pub fn settings(self, algorithm: &'static Algorithm) -> Result<Settings> {
        let mut settings = Settings::new(algorithm.name)?;
        if let (Protocol::Thesis(_), Method::Rounds(_)) = (self, algorithm.method) {
            settings.set("rounds", "200")?;
            if algorithm.learners.contains(&"stump") {
                settings.set("learner", "stump")?;
            } else if settings.values().contains_key("leaves") {
                settings.set("leaves", "2")?;
            }
        }
        Ok(settings)
    }

    /// Cuts the rows.
    pub fn cut(self, data: &Dataset, context: &Context) -> Result<Vec<Split>> {
        let classes = data.class_count();
        let of = |parts: &[u32], is: &dyn Fn(u32) -> bool| (0..parts.len()).filter(|&row| is(parts[row])).collect();
        let splits: Vec<Split> = match self {
            Protocol::Thesis(count) => (0..count)
                .map(|split| {
                    let mut stream = context.stream(&format!("compare/{split}"));
                    let parts = stratified_split(&data.labels, classes, &[0.5, 0.25, 0.25], &mut stream);
                    let part = |number: u32| of(&parts, &|part| part == number);
                    Split { train: part(0), validation: part(1), test: part(2) }
                })
                .collect(),
            Protocol::Folds(count) => {
                let folds = stratified_folds(&data.labels, classes, count, &mut context.stream("folds"));
                let split = |fold: u32| Split {
                    train: of(&folds, &|part| part != fold),
                    validation: Vec::new(),
                    test: of(&folds, &|part| part == fold),
                };
                (0..count as u32).map(split).collect()
            }
        };
        let lacks = |split: &Split| {
            let no_validation = matches!(self, Protocol::Thesis(_)) && split.validation.is_empty();
            split.train.is_empty() || split.test.is_empty() || no_validation
        };
        match splits.iter().any(lacks) || splits.is_empty() {
            true => Err(Error::data(format!("{} rows are too few for this protocol", data.rows()))
                .hint("give more rows or ask for fewer folds")),
            false => Ok(splits),
        }
    }
}

/// Everything that the trials of a run depend on, but for the algorithms, as text.
pub fn signature(data: &Dataset, protocol: Protocol, options: &str, context: &Context) -> String {
    let (name, splits, seed) = (protocol.name(), protocol.splits(), context.seed());
    format!("{name} {splits}, seed {seed}, {} rows {}, options {options}", data.rows(), fingerprint(data))
}

/// So many rows at most, drawn at random with every class shared out evenly.
pub fn sample(data: &Dataset, most: usize, context: &Context) -> Dataset {
    if most >= data.rows() {
        return data.clone();
    }
    let shares = [most as f64, (data.rows() - most) as f64];
    let part_of = stratified_split(&data.labels, data.class_count(), &shares, &mut context.stream("compare/rows"));
    data.select(&(0..data.rows()).filter(|&row| part_of[row] == 0).collect::<Vec<_>>())
}

/// Trains and tests one algorithm on one split. What goes wrong with the algorithm is a result; only an interruption and
/// faults of ours are errors.
pub fn trial(
    data: &Dataset,
    split: (usize, &Split),
    settings: &Settings,
    context: &Context,
    observer: &mut dyn Observer,
) -> Result<Trial> {
    let (number, split) = split;
    let result = match measure(data, split, settings, context, observer) {
        Err(error) if [ErrorKind::Internal, ErrorKind::Limit].contains(&error.kind()) => return Err(error),
        Err(error) => Measured::Failed(error.to_string()),
        Ok(done) => done,
    };
    Ok(Trial { algorithm: settings.algorithm().name.into(), split: number, result })
}

fn measure(
    data: &Dataset,
    split: &Split,
    settings: &Settings,
    context: &Context,
    observer: &mut dyn Observer,
) -> Result<Measured> {
    let rows = data.select(&split.train);
    let (test, validation) = (data.select(&split.test), data.select(&split.validation));
    let rows_of = [&test, &validation];
    let mut stages = Stages { observer, rows: rows_of, context, errors: Default::default(), seconds: 0.0 };
    let trained = train(&rows, None, settings, context, &mut stages)?;
    if trained.summary.stopped == Stop::Interrupted {
        return Err(Error::new(ErrorKind::Limit, "interrupted"));
    }
    let (model, seconds) = (trained.model, trained.summary.seconds - stages.seconds);
    let mut curve = Vec::new();
    let mut learners = model.chain.learners();
    if matches!(settings.algorithm().method, Method::Rounds(_)) && learners > 0 {
        let mut errors = |part: usize| match stages.errors[part].is_empty() {
            true => by_learners(&model, rows_of[part], context),
            false => std::mem::take(&mut stages.errors[part]),
        };
        curve = errors(0);
        if !split.validation.is_empty() {
            let chosen = errors(1);
            // The first of the best.
            let best = (1..chosen.len()).fold(0, |best, at| if chosen[at] < chosen[best] { at } else { best });
            learners = best + 1;
        }
    }
    let error = match curve.get(learners.wrapping_sub(1)) {
        Some(error) => *error,
        None => {
            let answers = model.decide(&model.scores(&test.features, context), None)?;
            crate::metric::error_rate(&test.labels, &answers, &test.weights)
        }
    };
    Ok(Measured::Done { error, learners, seconds, curve })
}
