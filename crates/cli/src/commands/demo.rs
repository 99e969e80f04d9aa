//! `rebel demo`: all of it on an embedded data set, in plain words.

use super::train::header;
use crate::args::Machine;
use crate::assess::{self, Assessment, Rows};
use crate::describe;
use crate::output::{self, Output, percent, plural};
use crate::progress::Watcher;
use crate::{data, files, interrupt, setup, usage};
use clap::Args;
use rebelboost::Result;
use rebelboost::booster::{self, Trained};
use rebelboost::context::Context;
use rebelboost::data::{Dataset, Roles, stratified_split, synthetic};
use rebelboost::explain::explain;
use rebelboost::model::Model;
use rebelboost::registry::default_algorithm;
use rebelboost::settings::Settings;
use serde_json::{Value, json};
use std::path::PathBuf;

/// See it work: trains on an embedded table of penguins and explains what it did
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Keep the model in this file [default: nothing is written]
    #[arg(long, short, value_name = "MODEL")]
    out: Option<PathBuf>,
    #[command(flatten)]
    machine: Machine,
}

const EXAMPLES: &str = "\
Examples:
  rebel demo
  rebel demo --seed 7 --out penguins.rebel";

/// Share of the rows that the model learns from.
const TRAIN_SHARE: f64 = 0.7;

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    options.out.iter().try_for_each(|path| files::check_output(path, &[]))?;
    let context = setup::context(&options.machine, None)?.with_cancel(interrupt::flag());
    let mut notes = Vec::new();
    let data = Dataset::from_table(&synthetic::penguins()?, &Roles::default(), &mut notes)?;
    let fractions = [TRAIN_SHARE, 1.0 - TRAIN_SHARE];
    let part_of = stratified_split(&data.labels, data.class_count(), &fractions, &mut context.stream("split"));
    let part = |part: u32| (0..data.rows()).filter(|&row| part_of[row] == part).collect::<Vec<_>>();
    let (train, test) = (data.select(&part(0)), data.select(&part(1)));

    output.heading("The data");
    output.say(data::describe("builtin:penguins", &data));
    output.say(format!(
        "Each row is a penguin; the question is its species. The model learns from {} and is tested on the other\n{}, which it never saw.",
        plural(train.rows(), "row"),
        test.rows()
    ));

    let settings = Settings::new(default_algorithm().name)?;
    let mut watcher = Watcher::new(output, "Training", None);
    let trained = booster::train(&train, None, &settings, &context, &mut watcher);
    watcher.finish();
    let trained = trained?;
    let model = &trained.model;
    notes.extend(trained.summary.notes.clone());
    if let Some(estimate) = &trained.summary.estimate {
        explain_training(&trained, &assess::expect(model, &train, estimate)?, output);
    }

    let rows = Rows::from(&test);
    let found = assess::assess(model, rows, None, &context)?;
    output.heading("How good it is");
    output.say(found.headline("Test"));
    if !output.is_quiet() {
        found.show(&model.schema.classes, output);
    }
    output.say("Rows of the table are the true species, columns what the model answered.");

    let uses = describe::uses(model);
    let total: f64 = uses.iter().map(|u| u.weight).sum();
    if !uses.is_empty() {
        output.heading("What mattered");
    }
    for used in uses.iter().take(4) {
        output.say(format!(
            "  {:<20}{:>3.0} %",
            model.schema.features[used.feature].name,
            100.0 * used.weight / total
        ));
    }
    let compares = !model.chain.supports.is_empty();
    output.say(match (uses.is_empty(), compares) {
        (true, _) => "Its comparisons with training rows look at all measurements.",
        (false, true) => "These are shares of the weight of its questions; its comparisons with training rows look at all measurements.",
        (false, false) => "These are shares of the weight of all its questions.",
    });

    let example = explain_row(model, rows, &found, &context, output)?;
    if let Some(path) = &options.out {
        files::save_model(path, model)?;
    }
    what_next(options, output);

    let mut object = header(model, &context);
    object["model"] = json!(options.out.as_ref().map(|path| path.display().to_string()));
    object["train"] = json!({
        "rows": train.rows(),
        "features": model.schema.features.len(),
        "classes": model.class_count(),
        "loss": trained.summary.loss,
        "error": trained.summary.history.last().map(|round| round.error),
        "seconds": trained.summary.seconds,
    });
    object["test"] = found.json(&model.schema.classes);
    object["example"] = example;
    object["peak_rss_mb"] = json!(usage::peak_rss_mb());
    object["notes"] = json!(notes);
    output.object(&object);
    Ok(())
}

fn explain_training(trained: &Trained, expected: &Assessment, output: &Output) {
    let (summary, parts) = (&trained.summary, &trained.model.parts);
    output.heading("What it did");
    output.say(format!(
        "Training took {:.1} s. It tried several kinds of models, each on a part of the rows, and judged them on the rows that\n\
         they had not seen. The model is a weighted sum of {}:",
        summary.seconds,
        plural(parts.len(), "member"),
    ));
    let rows = parts.iter().map(|part| vec![part.name.clone(), format!("{:.2}", part.weight), percent(part.error)]);
    let header = ["member", "weight", "error alone"].map(String::from).to_vec();
    output.say(output::table(header, rows.collect(), 1));
    output.say(format!(
        "So without a single test row it knows what to expect: {} wrong. {}",
        percent(expected.error),
        expected.against_trivial()
    ));
}

/// Shows the closest call among the test rows, or the first mistake if there is one.
fn explain_row(
    model: &Model,
    rows: Rows<'_>,
    found: &Assessment,
    context: &Context,
    output: &Output,
) -> Result<Value> {
    let scores = model.scores(rows.features, context);
    let margin = |row: usize| {
        let mut sorted = scores.row(row).to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        sorted[0] - sorted[1]
    };
    let all = 0..rows.labels.len();
    let closest = all.clone().min_by(|&a, &b| margin(a).total_cmp(&margin(b)));
    let Some(row) = all.clone().find(|&row| found.answers[row] != rows.labels[row]).or(closest) else {
        return Ok(Value::Null);
    };
    let classes = &model.schema.classes;
    let why = explain(model, rows.features, row)?;
    let (winner, second) = (why.answer as usize, why.second as usize);
    let truth = &classes[rows.labels[row] as usize];
    let right = rows.labels[row] == winner as u32;
    output.heading(if right { "The closest call" } else { "A mistake, explained" });
    let values = describe::values(&model.schema, rows.features, row);
    output.say(format!("A penguin with {}.", values.join(", ")));
    let listed: Vec<String> =
        classes.iter().zip(&why.scores).map(|(class, score)| format!("{class} {score:+.2}")).collect();
    let verdict = if right { "which is right".into() } else { format!("but it is {truth}") };
    output.say(format!("Scores: {}. The answer is {}, {verdict}.", listed.join(", "), classes[winner]));
    let parts = why.by_feature();
    output.say(format!("What spoke for {} (+) or for {} (-):", classes[winner], classes[second]));
    let line = |what: &str, value: String, sum: f64| vec![what.to_string(), value, format!("{sum:+.2}")];
    let shown = &parts[..parts.len().min(5)];
    let compared: f64 = why.by_row().iter().map(|(_, sum)| sum).sum();
    let all = why.scores[winner] - why.scores[second];
    // The start, and terms that ask nothing.
    let alike = all - compared - parts.iter().map(|(_, sum)| sum).sum::<f64>();
    let mut table = vec![line("every penguin alike", String::new(), alike)];
    table.extend(shown.iter().map(|(feature, sum)| {
        line(&model.schema.features[*feature].name, rows.features.columns[*feature].text(row), *sum)
    }));
    if !model.chain.supports.is_empty() {
        table.push(line("training rows like it", String::new(), compared));
    }
    let others: f64 = parts[shown.len()..].iter().map(|(_, sum)| sum).sum();
    if others.abs() >= 0.005 {
        table.push(line("other measurements", String::new(), others));
    }
    table.push(line("together", String::new(), all));
    let header = ["measurement", "value", "speaks"].map(String::from).to_vec();
    output.say(output::table(header, table, 1));
    let named: serde_json::Map<String, Value> =
        parts.iter().map(|(feature, sum)| (model.schema.features[*feature].name.clone(), json!(sum))).collect();
    Ok(json!({
        "truth": truth,
        "answer": classes[winner],
        "second": classes[second],
        "scores": why.scores,
        "contributions": named,
    }))
}

fn what_next(options: &Options, output: &Output) {
    output.heading("What to type next");
    output
        .say("  rebel train YOUR-TABLE.csv             train on your own table; the last column is what to predict");
    output.say("  rebel cv builtin:penguins              how good is it really? cross-validation");
    match &options.out {
        Some(path) => output.say(format!("  rebel inspect {}    all that the model has learned", path.display())),
        None => {
            output.say("  rebel demo --out penguins.rebel        keep this model, then: rebel inspect penguins.rebel")
        }
    }
    output.say("  rebel --help                           everything else");
}
