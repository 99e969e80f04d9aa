//! `rebel compare`: the boosters side by side on one table.

use crate::args::{Machine, Parameters};
use crate::output::{self, Output, percent, plural};
use crate::progress::Watcher;
use crate::{data, files, interrupt, setup, usage};
use clap::{Args, ValueEnum};
use rebelboost::compare::{Kept, Measured, Protocol, Standing, Trial, sample, signature, standings, trial};
use rebelboost::context::Context;
use rebelboost::data::{Dataset, Roles};
use rebelboost::error::nearest;
use rebelboost::registry::{ALGORITHMS, Algorithm, Method};
use rebelboost::settings::Settings;
use rebelboost::{Error, ErrorKind, Result};
use rebelboost_io::ReadOptions;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Compare algorithms on the same splits of a table
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Table to learn from, as in `rebel train`
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// Algorithms to compare (see `rebel algorithms`), or all: every booster that can tell the classes apart
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    algorithms: Vec<String>,
    /// thesis: random splits 50/25/25, at most 200 stumps, their number chosen on the second part; cv: folds, every
    /// algorithm with its own defaults
    #[arg(long, value_enum, default_value = "thesis")]
    protocol: Named,
    /// Number of splits or folds
    #[arg(long, value_name = "NUMBER", default_value = "5", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    folds: u32,
    /// Use so many rows at most, drawn at random with every class shared out evenly
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(8..))]
    rows: Option<u64>,
    /// Keep finished results here, and go on from those that are there
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Write a page with bars and curves
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Column to predict [default: as in `rebel train`]
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    target: Option<String>,
    /// Column with the weight of each row
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    weights: Option<String>,
    /// Columns to leave out
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Columns")]
    ignore: Vec<String>,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    parameters: Parameters,
}

const EXAMPLES: &str = "\
Examples:
  rebel compare data.csv
  rebel compare data.csv --algorithms rebel,samme,adaboost-mh --protocol cv --depth 2
  rebel compare data.csv --checkpoint compare.json --report compare.html

Options of algorithms are set for each algorithm that has them.";

/// A protocol by name.
#[derive(Clone, Copy, ValueEnum)]
enum Named {
    Thesis,
    Cv,
}

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    let started = Instant::now();
    let outputs: Vec<&Path> =
        [&options.checkpoint, &options.report].into_iter().flatten().map(|p| p.as_path()).collect();
    outputs.iter().try_for_each(|path| files::check_output(path, &[&options.data]))?;
    let context = setup::context(&options.machine, None)?.with_cancel(interrupt::flag());
    let mut notes = Vec::new();
    let rows = read(options, &context, &mut notes)?;
    let protocol = match options.protocol {
        Named::Thesis => Protocol::Thesis(options.folds as usize),
        Named::Cv => Protocol::Folds(options.folds as usize),
    };
    let settings = chosen(options, protocol, &rows, &mut notes)?;
    let splits = protocol.cut(&rows, &context)?;
    output.say(data::describe(&data::name(&options.data), &rows));
    output.notes(&notes);
    output.say(format!("Comparing {} on {}.", plural(settings.len(), "algorithm"), plural(splits.len(), "split")));
    let mut kept = Kept { run: signature(&rows, protocol, &given(options)?, &context), trials: Vec::new() };
    if let Some(path) = &options.checkpoint {
        kept.trials = known(path, &kept.run)?;
    }
    let total = settings.len() * splits.len();
    let mut interrupted = false;
    'all: for (number, split) in splits.iter().enumerate() {
        for one in &settings {
            let name = one.algorithm().name;
            if kept.trials.iter().any(|t| t.algorithm == name && t.split == number) {
                continue;
            }
            let what = format!("{}/{total} {name}", kept.trials.len() + 1);
            let mut watcher = Watcher::new(output, &what, None);
            let done = trial(&rows, (number, split), one, &context, &mut watcher);
            watcher.finish();
            match done {
                Err(error) if error.kind() == ErrorKind::Limit => {
                    interrupted = true;
                    break 'all;
                }
                done => kept.trials.push(done?),
            }
            if let Some(path) = &options.checkpoint {
                save(path, &kept)?;
            }
        }
    }
    if interrupted {
        let note = format!("interrupted after {} of {total} trials", kept.trials.len());
        output.notes(std::slice::from_ref(&note));
        notes.push(note);
    }
    let names: Vec<&str> = settings.iter().map(|one| one.algorithm().name).collect();
    let table = standings(&names, &kept.trials);
    show(&table, output);
    if let Some(path) = &options.report {
        let page = rebelboost_report::comparison(&data::name(&options.data), &rows, protocol, &table);
        files::save_text(path, &page)?;
        output.say(format!("Wrote {}.", path.display()));
    }
    output.object(&json!({
        "protocol": protocol.name(),
        "splits": splits.len(),
        "seed": context.seed(),
        "threads": context.threads(),
        "rows": rows.rows(),
        "features": rows.schema.features.len(),
        "classes": rows.class_count(),
        "algorithms": table.iter().map(|standing| standing_json(standing, &kept.trials)).collect::<Vec<_>>(),
        "seconds": started.elapsed().as_secs_f64(),
        "peak_rss_mb": usage::peak_rss_mb(),
        "notes": notes,
    }));
    Ok(())
}

fn read(options: &Options, context: &Context, notes: &mut Vec<String>) -> Result<Dataset> {
    let table = data::read(&options.data, &ReadOptions::default())?;
    let roles = Roles {
        target: options.target.clone(),
        weights: options.weights.clone(),
        ignore: options.ignore.clone(),
        ..Roles::default()
    };
    let all = Dataset::from_table(&table, &roles, notes).map_err(|e| e.in_file(data::name(&options.data)))?;
    let most = options.rows.map_or(all.rows(), |rows| rows as usize);
    if most >= all.rows() {
        return Ok(all);
    }
    notes.push(format!("{most} of {} rows are used, drawn at random", all.rows()));
    Ok(sample(&all, most, context))
}

/// The algorithms to compare, with their settings.
fn chosen(options: &Options, protocol: Protocol, rows: &Dataset, notes: &mut Vec<String>) -> Result<Vec<Settings>> {
    let all = options.algorithms.iter().any(|name| name == "all");
    let able = |a: &&Algorithm| a.most_classes.is_none_or(|most| rows.class_count() <= most);
    // Wrappers around other algorithms, and rankers, answer another question.
    let boosters = |a: &&Algorithm| matches!(a.method, Method::Rounds(_)) && !a.ranks;
    let mut named: Vec<&'static Algorithm> = Vec::new();
    for name in options.algorithms.iter().filter(|name| *name != "all") {
        let found = ALGORITHMS.iter().find(|a| a.name == name).ok_or_else(|| {
            let error = Error::option(format!("there is no algorithm '{name}'"));
            match nearest(name, ALGORITHMS.iter().map(|a| a.name)) {
                Some(near) => error.hint(format!("did you mean '{near}'?")),
                None => error.hint("'rebel algorithms' lists them"),
            }
        })?;
        named.push(found);
    }
    let rest = ALGORITHMS.iter().filter(|a| all && able(a) && boosters(a));
    let mut algorithms: Vec<&'static Algorithm> = Vec::new();
    for algorithm in named.into_iter().chain(rest) {
        if algorithms.iter().all(|a| a.name != algorithm.name) {
            algorithms.push(algorithm);
        }
    }
    let mut used = Vec::new();
    let mut list = Vec::new();
    for algorithm in algorithms {
        let mut settings = protocol.settings(algorithm)?;
        options.parameters.apply(|name, value| {
            if settings.values().contains_key(name) {
                used.push(name.to_string());
                return settings.set(name, &files::value(name, value)?);
            }
            Ok(())
        })?;
        list.push(settings);
    }
    let idle = options.parameters.names().into_iter().filter(|name| !used.iter().any(|u| u == name));
    notes.extend(idle.map(|name| format!("no algorithm here has the option --{name}")));
    Ok(list)
}

/// The options of algorithms that were given, as text.
fn given(options: &Options) -> Result<String> {
    let mut text = String::new();
    options.parameters.apply(|name, value| {
        text += &format!("--{name} {} ", files::value(name, value)?);
        Ok(())
    })?;
    Ok(text.trim_end().to_string())
}

fn known(path: &Path, run: &str) -> Result<Vec<Trial>> {
    let place = |e: Error| e.in_file(path.display().to_string());
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(place(Error::io("cannot read", error))),
        Ok(text) => text,
    };
    let kept: Kept = serde_json::from_str(&text)
        .map_err(|_| place(Error::parse("this is no file of 'rebel compare'").hint("name another file")))?;
    if kept.run != run {
        return Err(place(
            Error::option("its results are of other data or options")
                .hint("name another file, or compare with the options they were made with"),
        ));
    }
    Ok(kept.trials)
}

fn save(path: &Path, kept: &Kept) -> Result<()> {
    let text = serde_json::to_string(kept).map_err(|e| Error::internal(format!("cannot keep results: {e}")))?;
    files::save_text(path, &text)
}

fn show(table: &[Standing], output: &Output) {
    let header =
        ["algorithm", "error", "deviation", "rank", "wins", "learners", "seconds", ""].map(String::from).to_vec();
    let row = |s: &Standing| {
        if s.splits == 0 {
            let mut row = vec![s.algorithm.clone()];
            row.extend((0..6).map(|_| "-".to_string()));
            row.push(s.failure.clone().map_or("no trial was finished".into(), |why| format!("failed: {why}")));
            return row;
        }
        let deviation = if s.deviation.is_nan() { "-".into() } else { percent(s.deviation) };
        let failed = s.failure.as_ref().map_or(String::new(), |why| format!("failed on some splits: {why}"));
        vec![
            s.algorithm.clone(),
            percent(s.error),
            deviation,
            format!("{:.1}", s.rank),
            s.wins.to_string(),
            format!("{:.0}", s.learners),
            format!("{:.2}", s.seconds),
            failed,
        ]
    };
    output.result(output::table(header, table.iter().map(row).collect(), 7));
}

fn standing_json(standing: &Standing, trials: &[Trial]) -> Value {
    let number = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let errors: Vec<Value> = (trials.iter().filter(|t| t.algorithm == standing.algorithm))
        .map(|t| match &t.result {
            Measured::Done { error, learners, seconds, .. } => {
                json!({"split": t.split, "error": error, "learners": learners, "seconds": seconds})
            }
            Measured::Failed(why) => json!({"split": t.split, "failed": why}),
        })
        .collect();
    json!({
        "algorithm": standing.algorithm,
        "error": {"mean": number(standing.error), "deviation": number(standing.deviation)},
        "rank": number(standing.rank),
        "wins": standing.wins,
        "learners": number(standing.learners),
        "seconds": number(standing.seconds),
        "failure": standing.failure,
        "trials": errors,
    })
}
