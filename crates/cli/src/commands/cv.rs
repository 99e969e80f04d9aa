//! `rebel cv`: how good a model will be on rows it has not seen, by cross-validation.

use crate::args::TrainOptions;
use crate::assess::{self, Assessment};
use crate::output::{self, Output, number, percent, plural};
use crate::progress::Watcher;
use crate::{data, describe, interrupt, setup, usage};
use clap::Args;
use rebelboost::booster::{self, Stop};
use rebelboost::context::Context;
use rebelboost::data::{CostMatrix, Dataset, stratified_folds};
use rebelboost::settings::Settings;
use rebelboost::steps::Plan;
use rebelboost::{Error, ErrorKind, Result};
use serde_json::{Value, json};
use std::time::Instant;

/// Cross-validate: train on all parts of a table but one, test on that one, in turn
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    train: TrainOptions,
    /// Number of parts
    #[arg(long, value_name = "NUMBER", default_value = "5", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    folds: u32,
}

const EXAMPLES: &str = "\
Examples:
  rebel cv data.csv
  rebel cv data.csv --folds 10 --depth 3 --rounds 500 --json";

struct Fold {
    rounds: usize,
    stopped: Stop,
    seconds: f64,
    train_rows: usize,
    test: Assessment,
}

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    let started = Instant::now();
    let train = &options.train;
    let settings = setup::settings(train, None)?;
    let context = setup::context(&train.machine, None)?.with_cancel(interrupt::flag());
    let mut notes = Vec::new();
    let data = setup::dataset(train, None, &mut notes)?;
    let costs = setup::costs(train, &data)?;
    let folds = options.folds as usize;
    if folds > data.rows() {
        return Err(Error::option(format!(
            "{folds} folds need at least as many rows, and there are {}",
            data.rows()
        ))
        .hint("choose fewer with --folds"));
    }
    output.say(data::describe(&data::name(&train.data), &data));
    output.notes(&notes);
    let mut later = Vec::new();
    let steps = setup::steps(train, &settings)?;
    let done = folds_of(&data, costs.as_ref(), (&settings, &steps), &context, folds, output, &mut later)?;
    output.notes(&later);
    notes.extend(later);
    let errors = spread(done.iter().map(|f| f.test.error));
    let cost = spread(done.iter().map(|f| f.test.cost));
    show(&done, costs.is_some(), errors, cost, output);
    let object = json!({
        "algorithm": settings.algorithm().name,
        "learner": settings.learner(),
        "folds": folds,
        "seed": context.seed(),
        "threads": context.threads(),
        "rows": data.rows(),
        "features": data.schema.features.len(),
        "classes": data.class_count(),
        "error": {"mean": errors.0, "deviation": errors.1},
        "cost": {"mean": cost.0, "deviation": cost.1},
        "results": done.iter().enumerate().map(|(i, fold)| fold.json(i, &data.schema.classes)).collect::<Vec<_>>(),
        "seconds": started.elapsed().as_secs_f64(),
        "peak_rss_mb": usage::peak_rss_mb(),
        "notes": notes,
    });
    output.object(&object);
    Ok(())
}

fn folds_of(
    data: &Dataset,
    costs: Option<&CostMatrix>,
    (settings, steps): (&Settings, &Plan),
    context: &Context,
    folds: usize,
    output: &Output,
    notes: &mut Vec<String>,
) -> Result<Vec<Fold>> {
    let fold_of = stratified_folds(&data.labels, data.class_count(), folds, &mut context.stream("folds"));
    let mut done = Vec::new();
    for fold in 0..folds {
        let part = |inside: bool| -> Vec<usize> {
            (0..data.rows()).filter(|&row| (fold_of[row] as usize == fold) == inside).collect()
        };
        let (train, test) = (data.select(&part(false)), data.select(&part(true)));
        for (k, class) in data.schema.classes.iter().enumerate() {
            if !train.labels.contains(&(k as u32)) {
                notes.push(format!("class '{class}' has no row in the training part of fold {}", fold + 1));
            }
        }
        // Learned anew in every fold, from its training rows only.
        let mut found = Vec::new();
        let train = steps.fit(&train, costs, context, &mut found)?;
        let test = train.schema.steps.as_ref().map_or(Ok(test.clone()), |steps| steps.take(&test, context))?;
        if fold == 0 {
            notes.extend(found);
            notes.extend(describe::steps(&train.schema).into_iter().map(|step| format!("fold 1: {step}")));
        }
        let mut watcher = Watcher::new(output, &format!("Fold {}/{folds}", fold + 1), None);
        let trained = booster::train(&train, costs, settings, context, &mut watcher);
        watcher.finish();
        let trained = trained?;
        if trained.summary.stopped == Stop::Interrupted {
            notes.push(format!("interrupted: only the first {} were finished", plural(done.len(), "fold")));
            break;
        }
        done.push(Fold {
            rounds: trained.model.chain.learners(),
            stopped: trained.summary.stopped,
            seconds: trained.summary.seconds,
            train_rows: train.rows(),
            test: assess::assess(&trained.model, (&test).into(), None, context)?,
        });
        if fold == 0 {
            notes.extend(trained.summary.notes);
        }
    }
    if done.is_empty() {
        return Err(Error::new(ErrorKind::Limit, "interrupted before the first fold was finished"));
    }
    Ok(done)
}

impl Fold {
    fn json(&self, number: usize, classes: &[String]) -> Value {
        json!({
            "fold": number + 1,
            "train_rows": self.train_rows,
            "rounds": self.rounds,
            "stopped": self.stopped,
            "train_seconds": self.seconds,
            "test": self.test.json(classes),
        })
    }
}

/// Mean and standard deviation (of a sample).
fn spread(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt())
}

fn show(done: &[Fold], costly: bool, error: (f64, f64), cost: (f64, f64), output: &Output) {
    let mut header: Vec<String> = ["fold", "tested rows", "rounds", "error"].map(String::from).to_vec();
    if costly {
        header.push("cost".into());
    }
    let rows = done.iter().enumerate().map(|(i, fold)| {
        let mut row = vec![(i + 1).to_string(), fold.test.rows.to_string(), fold.rounds.to_string()];
        row.push(percent(fold.test.error));
        if costly {
            row.push(number(fold.test.cost));
        }
        row
    });
    output.result(output::table(header, rows.collect(), 0));
    let around = |deviation: f64, text: String| {
        if deviation.is_finite() { format!(", deviation between folds {text}") } else { String::new() }
    };
    output.result(format!("Error {}{}.", percent(error.0), around(error.1, percent(error.1))));
    if costly {
        output.result(format!("Cost {} per row{}.", number(cost.0), around(cost.1, number(cost.1))));
    }
    output.say("Expect about this error from a model trained on all rows. Next: rebel train with the same options.");
}
