//! `rebel label --simulate`: the error by the number of labels, chosen and at random, over several runs.

use super::{Options, chart};
use crate::output::{self, Output, percent, plural};
use crate::progress::{self, Portions};
use crate::{assess, data, files, interrupt, setup, usage};
use rebelboost::active::{
    ActiveSettings, Curve, Known, Pool, SimulationSettings, Strategy, Summary, rows_to_reach, simulate,
};
use rebelboost::booster;
use rebelboost::context::Context;
use rebelboost::data::{Dataset, stratified_split};
use rebelboost::settings::Settings;
use rebelboost::{Error, ErrorKind, Result};
use rebelboost_io::write_atomic;
use serde_json::{Value, json};
use std::time::Instant;

/// Lines of the table.
const SHOWN: usize = 12;

/// All runs of one strategy.
pub struct Series {
    pub strategy: &'static str,
    pub runs: Vec<Curve>,
    pub summary: Summary,
}

/// What is to be reached.
struct Target {
    error: f64,
    /// Error and seconds of a model trained on all rows.
    batch: (f64, f64),
    words: &'static str,
}

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    let started = Instant::now();
    let train = &options.train;
    let mut inputs = setup::inputs(train);
    inputs.extend(options.test.as_deref());
    options.svg.iter().try_for_each(|path| files::check_output(path, &inputs))?;
    let settings = setup::settings(train, None)?;
    let mut active = ActiveSettings::new()?;
    options.active.apply(|name, value| active.set(name, value))?;
    let mut plan = SimulationSettings::new()?;
    options.simulation.apply(|name, value| plan.set(name, value))?;
    let context = setup::context(&train.machine, None)?.with_cancel(interrupt::flag());
    let mut notes = Vec::new();
    let all = setup::dataset(train, None, &mut notes)?;
    let costs = setup::costs(train, &all)?;
    if active.strategy == Strategy::ExpectedCost && costs.is_none() {
        return Err(Error::option("the strategy 'expected-cost' needs costs").hint("give --costs or --taxonomy"));
    }
    let (data, test) = parts(options, all, plan.test_share, &context, &mut notes)?;
    output.say(data::describe(&data::name(&train.data), &data));
    output.notes(&notes);

    let pool = Pool::unlabelled(&data, &context);
    let known = Known { train: &data, pool: &pool, test: &test, costs: costs.as_ref() };
    let target = target(&known, &settings, &plan, &context, output)?;
    let series = all_runs(&known, &settings, &active, &plan, train.machine.seed.unwrap_or(0), &context, output)?;
    if series.iter().any(|s| s.runs.len() < plan.runs) {
        notes.push("interrupted: not all runs were finished".into());
        output.notes(&notes[notes.len() - 1..]);
    }
    show(&series, &target, data.rows(), output);
    if let Some(path) = &options.svg {
        let name = train.data.file_name().unwrap_or(train.data.as_os_str()).to_string_lossy();
        let title = format!("{name}: {}, {} in all", settings.algorithm().name, plural(data.rows(), "row"));
        let drawing = chart::draw(&title, &series, target.error);
        write_atomic(path, |out| out.write_all(drawing.as_bytes()))?;
        output.say(format!("The curves are in {}.", path.display()));
    }
    output.object(&json!({
        "algorithm": settings.algorithm().name,
        "learner": settings.word("learner").ok(),
        "settings": settings.values().iter().map(|(n, v)| (n.to_string(), json!(v))).collect::<serde_json::Map<_, _>>(),
        "active": active,
        "seed": context.seed(),
        "threads": context.threads(),
        "runs": plan.runs,
        "rows": data.rows(),
        "features": data.schema.features.len(),
        "classes": data.class_count(),
        "test_rows": test.rows(),
        "target_error": target.error,
        "batch": {"error": target.batch.0, "seconds": target.batch.1},
        "curves": series.iter().map(|s| s.json(target.error)).collect::<Vec<_>>(),
        "svg": options.svg.as_ref().map(|path| path.display().to_string()),
        "seconds": started.elapsed().as_secs_f64(),
        "peak_rss_mb": usage::peak_rss_mb(),
        "notes": notes,
    }));
    Ok(())
}

/// Rows to learn from and rows to test on.
fn parts(
    options: &Options,
    all: Dataset,
    test_share: f64,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<(Dataset, Dataset)> {
    if let Some(path) = &options.test {
        let known: Vec<&str> = options.train.ignore.iter().map(String::as_str).collect();
        let rows = assess::read(&all.schema, path, options.train.weights.as_deref(), None, &known, notes)?;
        let test = rows.into_dataset(&all.schema);
        return Ok((all, test));
    }
    let shares = [1.0 - test_share, test_share];
    let part_of = stratified_split(&all.labels, all.class_count(), &shares, &mut context.stream("active/test"));
    let part = |wanted| all.select(&(0..all.rows()).filter(|&row| part_of[row] == wanted).collect::<Vec<_>>());
    let (data, test) = (part(0), part(1));
    if data.rows() < 4 || test.rows() == 0 {
        return Err(Error::data(format!("{} are too few for a simulation", plural(all.rows(), "row"))));
    }
    notes.push(format!("tested on {} that were set aside (--test gives others)", plural(test.rows(), "row")));
    Ok((data, test))
}

fn target(
    known: &Known<'_>,
    settings: &Settings,
    plan: &SimulationSettings,
    context: &Context,
    output: &Output,
) -> Result<Target> {
    let bar = progress::waiting(output, "Training on all rows");
    let started = Instant::now();
    let trained = booster::train(known.train, known.costs, settings, context, &mut ());
    let seconds = started.elapsed().as_secs_f64();
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let (error, _) = known.measure(&trained?.model, context)?;
    Ok(match plan.target_error {
        Some(target) => Target { error: target, batch: (error, seconds), words: "the target" },
        None => Target { error, batch: (error, seconds), words: "the error of all rows" },
    })
}

fn all_runs(
    known: &Known<'_>,
    settings: &Settings,
    active: &ActiveSettings,
    plan: &SimulationSettings,
    seed: u64,
    context: &Context,
    output: &Output,
) -> Result<Vec<Series>> {
    let most = plan.most_rows_of(known.train.rows());
    let every = plan.every.unwrap_or(active.batch);
    let strategies = match active.strategy {
        Strategy::Random => vec![Strategy::Random],
        chosen => vec![chosen, Strategy::Random],
    };
    let mut series = Vec::new();
    let portions = Portions::new(output, "Simulating", plan.runs * strategies.len());
    for &strategy in &strategies {
        let mut runs = Vec::new();
        for run in 0..plan.runs {
            let active = ActiveSettings { strategy, ..active.clone() };
            let context = context.with_seed(seed.wrapping_add(run as u64));
            let done = series.len() * plan.runs + run;
            let name = format!("{} {}/{}", strategy.name(), run + 1, plan.runs);
            // Training time grows with the rows, so work grows with their square.
            let mut watch = |n: usize| portions.at(done, (n as f64 / most as f64).powi(2), &name);
            let curve = simulate(known, settings, &active, most, every, &context, &mut watch)?;
            if context.cancelled() {
                break;
            }
            runs.push(curve);
        }
        series.push(Series { strategy: strategy.name(), summary: Summary::of(&runs), runs });
    }
    portions.finish();
    if series[0].runs.is_empty() {
        return Err(Error::new(ErrorKind::Limit, "interrupted before the first run was finished"));
    }
    Ok(series)
}

impl Series {
    /// Labels after which the mean error is at most the target.
    fn reached(&self, target: f64) -> Option<usize> {
        rows_to_reach(&self.summary.labelled, &self.summary.mean, target)
    }

    /// Mean seconds of a run.
    fn seconds(&self) -> f64 {
        let each = self.runs.iter().filter_map(|run| run.seconds.last());
        each.sum::<f64>() / self.runs.len().max(1) as f64
    }

    fn json(&self, target: f64) -> Value {
        let runs: Vec<Value> = self
            .runs
            .iter()
            .map(|run| {
                let mut object = json!(run);
                let reached = run.labelled.iter().zip(&run.error).position(|(_, error)| *error <= target);
                object["rows_to_target"] = json!(reached.map(|i| run.labelled[i]));
                object["seconds_to_target"] = json!(reached.map(|i| run.seconds[i]));
                object["lowest_error"] = json!(run.error.iter().copied().fold(f64::INFINITY, f64::min));
                object
            })
            .collect();
        json!({
            "strategy": self.strategy,
            "labelled": self.summary.labelled,
            "mean": self.summary.mean,
            "deviation": self.summary.deviation,
            "rows_to_target": self.reached(target),
            "seconds": self.seconds(),
            "runs": runs,
        })
    }
}

fn show(series: &[Series], target: &Target, rows: usize, output: &Output) {
    let mut header = vec!["labels".to_string(), "of all".to_string()];
    header.extend(series.iter().map(|s| s.strategy.to_string()));
    let grid = &series[0].summary.labelled;
    let shown = (0..grid.len()).filter(|i| grid.len() <= SHOWN || is_shown(*i, grid.len()));
    let cell = |s: &Series, labelled: usize| match s.summary.labelled.iter().position(|n| *n >= labelled) {
        Some(i) if s.runs.len() == 1 => percent(s.summary.mean[i]),
        Some(i) => format!("{:.2} ± {:.2} %", 100.0 * s.summary.mean[i], 100.0 * s.summary.deviation[i]),
        None => "-".into(),
    };
    let lines = shown.map(|i| {
        let mut line = vec![grid[i].to_string(), percent(grid[i] as f64 / rows as f64)];
        line.extend(series.iter().map(|s| cell(s, grid[i])));
        line
    });
    output.result(output::table(header, lines.collect(), 0));
    output.result(match series[0].runs.len() {
        1 => "Test error of 1 run.\n".to_string(),
        runs => format!("Test error, mean and deviation of {}.\n", plural(runs, "run")),
    });
    output.result(format!("To reach {} ({}):", percent(target.error), target.words));
    for s in series {
        let text = match s.reached(target.error) {
            Some(n) => format!("{n} labels, {} of the rows", percent(n as f64 / rows as f64)),
            None => format!("not with {} labels", s.summary.labelled.last().copied().unwrap_or(0)),
        };
        output.result(format!("  {:14} {text} ({:.1} s a run)", s.strategy, s.seconds()));
    }
    output.result(format!(
        "  {:14} {rows} labels, {} ({:.1} s)",
        "all rows",
        percent(target.batch.0),
        target.batch.1
    ));
}

/// Few at the end, where little changes, and more at the beginning.
fn is_shown(i: usize, count: usize) -> bool {
    let place = |k: usize| (((k as f64) / (SHOWN - 1) as f64).powf(1.7) * (count - 1) as f64).round() as usize;
    (0..SHOWN).any(|k| place(k) == i)
}
