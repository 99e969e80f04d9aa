//! `rebel predict`: answers for new rows.

use crate::args::Machine;
use crate::output::{Output, plural};
use crate::{data, files, setup};
use clap::{ArgGroup, Args};
use rebelboost::context::Context;
use rebelboost::data::Features;
use rebelboost::model::{CascadeGoal, EarlyAnswers, Model, Scores};
use rebelboost::{Error, Result};
use rebelboost_io::{write_atomic, write_csv};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Answer for new rows
#[derive(Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("goal").args(["risk", "accuracy"]))]
pub struct Options {
    /// Model file
    model: PathBuf,
    /// Table to answer for; columns are matched by name
    data: PathBuf,
    /// Where the answers go, as CSV [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Add the score of each class
    #[arg(long)]
    scores: bool,
    /// Add the probability of each class
    #[arg(long)]
    proba: bool,
    /// Choose the answers of least expected cost under this matrix
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
    /// Stop adding terms to a row once its answer is settled; the answers are the same, unless a risk is taken
    #[arg(long, conflicts_with_all = ["scores", "proba", "costs"])]
    cascade: bool,
    /// Share of the answers that the cascade may change, at a confidence of 95 %; about 3 / SHARE rows of --calibrate or more are needed
    #[arg(long, value_name = "SHARE", requires = "cascade", requires = "calibrate")]
    risk: Option<f64>,
    /// Share of the rows of each class of --calibrate that have their answer, and a right one, after --after
    #[arg(long, value_name = "SHARE", requires_all = ["cascade", "calibrate", "after"], conflicts_with = "risk")]
    accuracy: Option<f64>,
    /// Share of the terms after which the cascade has this accuracy
    #[arg(long, value_name = "SHARE", requires = "accuracy")]
    after: Option<f64>,
    /// Rows that set the cascade's thresholds, not those the model was trained on; they need no classes for --risk
    #[arg(long, value_name = "FILE", requires = "goal")]
    calibrate: Option<PathBuf>,
    /// The cascade looks after so many terms
    #[arg(long, value_name = "TERMS", requires = "cascade", default_value_t = 5)]
    every: usize,
    #[command(flatten)]
    machine: Machine,
}

const EXAMPLES: &str = "\
Examples:
  rebel predict model.rebel new.csv
  rebel predict model.rebel new.csv --proba --out answers.csv
  zcat new.csv.gz | rebel predict model.rebel - --scores > answers.csv";

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    output.reserve_stdout();
    let mut inputs = vec![options.model.as_path(), options.data.as_path()];
    inputs.extend(options.costs.as_deref().into_iter().chain(options.calibrate.as_deref()));
    options.out.iter().try_for_each(|path| files::check_output(path, &inputs))?;
    let model = files::load_model(&options.model)?;
    let classes = &model.schema.classes;
    let costs = files::load_costs(options.costs.as_deref(), None, classes)?;
    let context = setup::context(&options.machine, Some(&model))?;
    let table = data::read_for(&model.schema, &options.data)?;
    let mut notes = Vec::new();
    let features = model.schema.align(&table, &[], &mut notes).map_err(|e| e.in_file(data::name(&options.data)))?;
    drop(table);
    let early = options.cascade.then(|| early(options, &model, &features, &context, &mut notes)).transpose()?;
    let scores = match early {
        Some(_) => Scores { classes: classes.len(), values: Vec::new() },
        None => model.scores(&features, &context),
    };
    let answers = match &early {
        Some(early) => early.answers.clone(),
        None => model.decide(&scores, costs.as_ref())?,
    };
    let probabilities = if options.proba { Some(model.probabilities(&scores)?) } else { None };
    if probabilities.is_some() && !model.is_calibrated() {
        notes.push("the probabilities are uncalibrated".into());
    }
    let table = Answers {
        model: &model,
        answers: &answers,
        scores: options.scores.then_some(&scores),
        probabilities: probabilities.as_ref(),
    };
    match &options.out {
        Some(path) => write_atomic(path, |out| write_csv(out, &table.header(), table.rows()))?,
        None if output.is_json() => {}
        None => output.write(|out| write_csv(out, &table.header(), table.rows())),
    }
    output.notes(&notes);
    let mut counts = vec![0usize; classes.len()];
    answers.iter().for_each(|&answer| counts[answer as usize] += 1);
    if let Some(path) = &options.out {
        output.say(format!("Wrote {} to {}.", plural(answers.len(), "answer"), path.display()));
    }
    let counts: serde_json::Map<String, Value> =
        classes.iter().cloned().zip(counts.iter().map(|c| json!(c))).collect();
    let mut object = json!({
        "model": options.model.display().to_string(),
        "rows": answers.len(),
        "counts": counts,
        "out": options.out.as_ref().map(|path| path.display().to_string()),
        "notes": notes,
    });
    if let Some(early) = &early {
        let (mean, all) = (early.mean_evaluated(), model.chain.terms.len());
        output.say(format!("The cascade evaluated {mean:.1} of {all} terms a row."));
        object["cascade"] = json!({ "mean_terms": mean, "terms": all });
    }
    if output.is_json() && options.out.is_none() {
        table.embed(&mut object);
    }
    output.object(&object);
    Ok(())
}

/// Answers by the cascade.
fn early(
    options: &Options,
    model: &Model,
    features: &Features,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<EarlyAnswers> {
    let cascade = match &options.calibrate {
        Some(path) => {
            let table = data::read_for(&model.schema, path)?;
            let rows = model.schema.align(&table, &[], notes).map_err(|e| e.in_file(data::name(path)))?;
            let labels = match options.accuracy {
                Some(_) => model.schema.labels(&table, notes).map_err(|e| e.in_file(data::name(path)))?,
                None => None,
            };
            let goal = match (options.accuracy, options.after, &labels) {
                (Some(accuracy), Some(after), Some(labels)) => CascadeGoal::Accuracy { labels, accuracy, after },
                (Some(_), _, _) => {
                    return Err(Error::data("the rows have no classes, by which --accuracy is judged")
                        .in_file(data::name(path)));
                }
                _ => CascadeGoal::Risk(options.risk.unwrap_or(0.0)),
            };
            model.calibrate_cascade(&rows, goal, options.every, context)?
        }
        None => model.exact_cascade(options.every)?,
    };
    notes.extend(cascade.note().map(String::from));
    model.decide_early(&cascade, features, context)
}

struct Answers<'a> {
    model: &'a Model,
    answers: &'a [u32],
    scores: Option<&'a Scores>,
    probabilities: Option<&'a Scores>,
}

impl Answers<'_> {
    fn name(&self, answer: u32) -> String {
        self.model.schema.classes[answer as usize].clone()
    }

    fn header(&self) -> Vec<String> {
        let mut names = vec!["prediction".to_string()];
        for (prefix, values) in [("score_", self.scores), ("p_", self.probabilities)] {
            if values.is_some() {
                names.extend(self.model.schema.classes.iter().map(|class| format!("{prefix}{class}")));
            }
        }
        names
    }

    fn rows(&self) -> impl Iterator<Item = Vec<String>> {
        self.answers.iter().enumerate().map(|(row, &answer)| {
            let mut cells = vec![self.name(answer)];
            for values in [self.scores, self.probabilities].into_iter().flatten() {
                cells.extend(values.row(row).iter().map(f64::to_string));
            }
            cells
        })
    }

    fn embed(&self, object: &mut Value) {
        object["predictions"] = self.answers.iter().map(|&answer| json!(self.name(answer))).collect();
        for (name, values) in [("scores", self.scores), ("probabilities", self.probabilities)] {
            if let Some(values) = values {
                object[name] = values.rows().map(|row| json!(row)).collect();
            }
        }
    }
}
