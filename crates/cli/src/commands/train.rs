//! `rebel train`: from a table to a model file.

use crate::args::{TrainOptions, seconds};
use crate::assess::{self, Assessment, Labelled};
use crate::output::{Output, number, plural};
use crate::progress::{Checkpoint, Watcher};
use crate::{data, files, interrupt, setup, usage};
use clap::Args;
use rebelboost::booster::{self, Stop, Trained};
use rebelboost::context::Context;
use rebelboost::data::synthetic::PREFIX;
use rebelboost::data::{CostMatrix, Dataset};
use rebelboost::model::Model;
use rebelboost::settings::Settings;
use rebelboost::{Error, Result};
use rebelboost_report::Report;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Train a classifier on a table and write it to a file
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    pub train: TrainOptions,
    /// Table to test the model on; columns are matched by name
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// Where the model goes
    #[arg(long, short, value_name = "MODEL", default_value = "model.rebel")]
    out: PathBuf,
    /// Write a report of the training as one HTML page that needs no network
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write the model so far to this file now and then, and at the end
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Seconds between two checkpoints
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, requires = "checkpoint")]
    checkpoint_every: Duration,
    /// Go on from a checkpoint (or a model) to the result of one uninterrupted run
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Stop training after this many seconds and keep the model so far
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// With --json: add loss, error and edge of every round
    #[arg(long)]
    history: bool,
    /// The command as it was given, so that the report can repeat it.
    #[arg(skip)]
    pub line: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  rebel train data.csv
  rebel train data.csv --report report.html
  rebel train data.csv --target species --test test.csv --json
  rebel train data.csv --costs costs.csv --algorithm rebel --depth 3 --rounds 500 --out birds.rebel
  rebel train big.csv.gz --checkpoint big.part        (then, after a break:)
  rebel train big.csv.gz --checkpoint big.part --resume big.part
  rebel train wide.csv --select cmim:20 --transform pca:10    steps that the model repeats
  rebel train 'builtin:spirals?rows=500' --test 'builtin:spirals?rows=500&draw=1'

Ctrl-C stops after the round and keeps the model so far (exit code 0, with a note); a second Ctrl-C quits at once.";

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    let train = &options.train;
    let mut inputs = setup::inputs(train);
    inputs.extend(options.test.as_deref());
    files::check_output(&options.out, &inputs)?;
    options.checkpoint.iter().chain(&options.report).try_for_each(|path| files::check_output(path, &inputs))?;
    if let Some(path) =
        options.report.as_ref().filter(|p| [Some(&options.out), options.checkpoint.as_ref()].contains(&Some(p)))
    {
        return Err(Error::option(format!("report and model would both go to '{}'", path.display()))
            .hint("give the report a name of its own"));
    }
    let checkpoint = options.resume.as_deref().map(files::load_model).transpose()?;
    let settings = setup::settings(train, checkpoint.as_ref())?;
    let context = setup::context(&train.machine, checkpoint.as_ref())?;

    let mut notes = Vec::new();
    let data = setup::dataset(train, checkpoint.as_ref(), &mut notes)?;
    let costs = setup::costs(train, &data)?.or(checkpoint.as_ref().and_then(|c| c.costs.clone()));
    output.say(data::describe(&data::name(&train.data), &data));
    let context = context.with_cancel(interrupt::flag());
    let data = setup::prepare(train, &settings, checkpoint.as_ref(), (data, costs.as_ref()), &context, &mut notes)?;
    let test_rows = match &options.test {
        Some(path) => Some(test(path, &data, train, &mut notes)?),
        None => None,
    };
    output.notes(&notes);

    let mut run = Run { output, data: &data, costs: costs.as_ref(), settings: &settings, context };
    if let Some(limit) = options.time_limit {
        run.context = run.context.with_time_limit(limit);
    }
    let cpu = usage::cpu_seconds();
    let trained = run.train(options, checkpoint)?;
    let cpu_seconds = usage::cpu_seconds().zip(cpu).map(|(after, before)| after - before);
    let mut later = trained.summary.notes.clone();
    if trained.summary.stopped == Stop::Interrupted {
        later.push("training was interrupted; the model so far is kept".into());
    }

    let model = &trained.model;
    let fit = assess::assess(model, (&data).into(), None, &run.context)?;
    let test = match &test_rows {
        Some(rows) => Some(assess::assess(model, rows.rows(), None, &run.context)?),
        None => None,
    };
    let expected = match &trained.summary.estimate {
        Some(estimate) => Some(assess::expect(model, &data, estimate)?),
        None => None,
    };
    files::save_model(&options.out, model)?;
    notes.extend(later.iter().cloned());
    if let Some(path) = &options.report {
        let page = run.report(options, &trained, test_rows.as_ref(), &notes)?;
        files::save_text(path, &page)?;
    }
    run.tell(options, &trained, [Some(&fit), expected.as_ref(), test.as_ref()], &later);
    let mut train_json = fit.json(&data.schema.classes);
    train_json["features"] = json!(data.schema.features.len());
    train_json["classes"] = json!(data.class_count());
    train_json["loss"] = json!(trained.summary.loss);
    train_json["seconds"] = json!(trained.summary.seconds);
    train_json["cpu_seconds"] = json!(cpu_seconds);
    let mut object = header(model, &run.context);
    object["model"] = json!(options.out.display().to_string());
    object["train"] = train_json;
    object["estimate"] = expected.map_or(Value::Null, |e| e.json(&data.schema.classes));
    object["steps"] = json!(data.schema.steps.as_ref().map(|s| s.texts().collect::<Vec<_>>()).unwrap_or_default());
    object["members"] = json!(model.parts);
    object["test"] = test.map_or(Value::Null, |t| t.json(&data.schema.classes));
    object["peak_rss_mb"] = json!(usage::peak_rss_mb());
    object["notes"] = json!(notes);
    if let Some(path) = &options.report {
        object["report"] = json!(path.display().to_string());
    }
    if options.history {
        object["history"] = json!(trained.summary.history);
    }
    output.object(&object);
    Ok(())
}

/// What train and evaluate say of a model alike.
pub fn header(model: &Model, context: &Context) -> Value {
    json!({
        "algorithm": model.provenance.algorithm,
        "learner": model.provenance.learner,
        "rounds": model.chain.learners(),
        "seed": model.provenance.seed,
        "threads": context.threads(),
        "stopped": model.provenance.stopped,
    })
}

/// Reads the test rows before training: a mistake in their file should not cost a training run.
fn test(path: &Path, data: &Dataset, train: &TrainOptions, notes: &mut Vec<String>) -> Result<Labelled> {
    let known: Vec<&str> = train.ignore.iter().chain(&train.group).map(String::as_str).collect();
    let mut found = Vec::new();
    let rows = assess::read(&data.schema, path, train.weights.as_deref(), None, &known, &mut found)?;
    notes.extend(found.into_iter().map(|note| format!("{}: {note}", data::name(path))));
    Ok(rows)
}

struct Run<'a> {
    output: &'a Output,
    data: &'a Dataset,
    costs: Option<&'a CostMatrix>,
    settings: &'a Settings,
    context: Context,
}

impl Run<'_> {
    fn train(&self, options: &Options, checkpoint: Option<Model>) -> Result<Trained> {
        let place = options.checkpoint.clone();
        let watched = place.map(|path| Checkpoint { path, every: options.checkpoint_every, last: Instant::now() });
        let mut watcher = Watcher::new(self.output, "Training", watched);
        let trained = match checkpoint {
            Some(checkpoint) => {
                let done = match checkpoint.parts.len() {
                    0 => plural(checkpoint.chain.learners(), "round"),
                    trainings => plural(trainings, "training"),
                };
                self.output.say(format!("Going on after {done}."));
                booster::resume(checkpoint, self.data, self.costs, self.settings, &self.context, &mut watcher)
            }
            None => booster::train(self.data, self.costs, self.settings, &self.context, &mut watcher),
        };
        watcher.finish();
        let trained = trained?;
        if let Some(path) = &options.checkpoint {
            files::save_model(path, &trained.model)?;
        }
        Ok(trained)
    }

    fn report(
        &self,
        options: &Options,
        trained: &Trained,
        test: Option<&Labelled>,
        notes: &[String],
    ) -> Result<String> {
        // Files by their names: where they were is nobody's business.
        let name = |path: &Path| match data::name(path) {
            name if name.starts_with(PREFIX) => name,
            name => Path::new(&name).file_name().map_or(name.clone(), |name| name.to_string_lossy().into()),
        };
        let test_name = options.test.as_deref().map(name).unwrap_or_default();
        let report = Report {
            name: &name(&options.train.data),
            data: self.data,
            trained,
            test: test.map(|test| (test_name.as_str(), test.rows())),
            notes,
            command: &options.line,
        };
        report.html(&self.context)
    }

    fn tell(
        &self,
        options: &Options,
        trained: &Trained,
        [fit, expected, test]: [Option<&Assessment>; 3],
        notes: &[String],
    ) {
        let (output, summary, model) = (self.output, &trained.summary, &trained.model);
        output.say(format!(
            "\nTrained {} ({}) in {:.1} s, {}; it stopped because {}. Loss {}.",
            model.provenance.algorithm,
            model.provenance.learner,
            summary.seconds,
            plural(model.chain.learners(), if model.parts.is_empty() { "round" } else { "term" }),
            summary.stopped.words(),
            number(summary.loss),
        ));
        output.notes(notes);
        let classes = &self.data.schema.classes;
        if !output.is_quiet() && !output.is_json() {
            let all = [("Training", fit), ("Expected", expected), ("Test", test)];
            for (what, found) in all.into_iter().filter_map(|(what, found)| Some((what, found?))) {
                output.say(found.headline(what));
            }
            if let Some(expected) = expected {
                output.say("The expected error is that of the training rows by models that had not seen them.");
                output.say(expected.against_trivial());
            }
            let best = test.or(expected).or(fit);
            best.and_then(Assessment::costs_in_words).into_iter().for_each(|words| output.say(words));
            best.into_iter().for_each(|found| found.show(classes, output));
        }
        let model = options.out.display();
        output.say(format!("\nThe model is in {model}. Next:"));
        if let Some(report) = &options.report {
            output.say(format!("  open {} in a browser", report.display()));
        }
        output.say(format!("  rebel predict {model} NEW.csv       answers for new rows"));
        output.say(format!("  rebel inspect {model}               what it has learned"));
        if test.is_none() && expected.is_none() {
            output.say(format!(
                "  rebel cv {}               how good it will be on rows it has not seen",
                options.train.data.display()
            ));
        }
    }
}
