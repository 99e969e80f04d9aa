//! `rebel select`: which columns matter.

use crate::args::{Given, Selections, TrainOptions};
use crate::output::{self, Output, number, plural};
use crate::{data, files, interrupt, setup, usage};
use clap::Args;
use rebelboost::data::Dataset;
use rebelboost::select::{METHODS, Plan, Ranked, Selection, select};
use rebelboost::{Error, Result};
use rebelboost_io::{write_atomic, write_csv};
use rebelboost_report::{RankedFeature, Ranking};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Rank the columns of a table by what they say of the class, and keep the best
#[derive(Args)]
#[command(after_help = examples())]
pub struct Options {
    #[command(flatten)]
    train: TrainOptions,
    /// How to choose; the methods are listed below
    #[arg(long, value_name = "NAME", default_value = METHODS[0].about.name, help_heading = "Method")]
    method: String,
    /// Features to keep [default: as the method says]
    #[arg(long, value_name = "NUMBER", help_heading = "Method")]
    count: Option<String>,
    #[command(flatten)]
    parameters: Given<Selections>,
    /// Write the table with the kept columns, as CSV
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the ranking, as one HTML page that needs no network
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

fn examples() -> String {
    let lines = METHODS.iter().map(|method| format!("  {:9} {}\n", method.about.name, method.about.summary));
    format!(
        "Methods:\n{}\n\
         Redundancy is the share of a feature's information about the class that one feature before it has too.\n\n\
         Examples:\n  rebel select data.csv\n  rebel select data.csv --method cmim --count 20 --out small.csv\n  \
         rebel select data.csv --method forward --count 5 --algorithm rebel --depth 3 --rounds 30\n  \
         rebel train data.csv --select cmim:20        the same inside a model",
        lines.collect::<String>()
    )
}

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    let started = Instant::now();
    let train = &options.train;
    let inputs = setup::inputs(train);
    options.out.iter().chain(&options.report).try_for_each(|path| files::check_output(path, &inputs))?;
    if options.out.is_some() && options.out == options.report {
        return Err(Error::option("table and report would both go to one file").hint("give them names of their own"));
    }
    let mut plan = Plan::parse(&options.method)?;
    if let Some(count) = &options.count {
        plan.spec.set_count(count)?;
    }
    options.parameters.apply(|name, value| plan.spec.set(name, value))?;
    let settings = setup::settings(train, None)?;
    match (plan.method().trains, train.algorithm.is_some() || !train.parameters.names().is_empty()) {
        (true, true) => plan.booster = settings.clone(),
        (false, true) => {
            return Err(Error::option(format!(
                "{} trains no algorithm, so there are no options for one",
                options.method
            ))
            .hint("wrappers do: --method forward"));
        }
        (_, false) => {}
    }
    let context = setup::context(&train.machine, None)?.with_cancel(interrupt::flag());
    let mut notes = Vec::new();
    let data = setup::dataset(train, None, &mut notes)?;
    let costs = setup::costs(train, &data)?;
    output.say(data::describe(&data::name(&train.data), &data));
    let data = setup::prepare(train, &settings, None, (data, costs.as_ref()), &context, &mut notes)?;
    let selecting = Instant::now();
    let selection = select(&data, &plan, costs.as_ref(), &context)?;
    let selection_seconds = selecting.elapsed().as_secs_f64();
    notes.extend(selection.notes.iter().cloned());
    output.notes(&notes);
    show(&selection, &plan, &data, output);
    if let Some(path) = &options.out {
        save(path, &selection.reduce(&data), train.weights.as_deref())?;
        let kept = plural(selection.ranked.len(), "feature");
        output.say(format!("\nThe table with {kept} and the target is in {}.", path.display()));
    }
    if let Some(path) = &options.report {
        files::save_text(path, &page(&selection, &plan, &data, &data::name(&train.data)))?;
        output.say(format!("The ranking is drawn in {}.", path.display()));
    }
    output.say(format!("Next: rebel train {} --select {}", train.data.display(), plan.spec));
    output.object(&json!({
        "method": plan.spec.about().name,
        "step": plan.spec.to_string(),
        "score": plan.method().score,
        "seed": context.seed(),
        "threads": context.threads(),
        "rows": data.rows(),
        "features": data.schema.features.len(),
        "classes": data.class_count(),
        "selected": selection.ranked.iter().enumerate().map(|(i, r)| object(i, r, &data)).collect::<Vec<_>>(),
        "out": options.out.as_ref().map(|path| path.display().to_string()),
        "report": options.report.as_ref().map(|path| path.display().to_string()),
        "selection_seconds": selection_seconds,
        "seconds": started.elapsed().as_secs_f64(),
        "peak_rss_mb": usage::peak_rss_mb(),
        "notes": notes,
    }));
    Ok(())
}

fn name(data: &Dataset, feature: usize) -> &str {
    &data.schema.features[feature].name
}

fn show(selection: &Selection, plan: &Plan, data: &Dataset, output: &Output) {
    let method = plan.method();
    let cells = |(i, ranked): (usize, &Ranked)| {
        let shared = ranked.redundancy.as_ref();
        let with = shared.and_then(|shared| shared.with).map_or("", |with| name(data, with));
        let share = shared.map_or("-".into(), |shared| format!("{:.0} %", 100.0 * shared.share));
        vec![
            (i + 1).to_string(),
            name(data, ranked.feature).to_string(),
            with.to_string(),
            number(ranked.score),
            share,
        ]
    };
    output.say(format!("\n{}: {}.", method.about.name, method.about.summary));
    let header = ["rank", "feature", "most like", method.score, "redundancy"].map(String::from).to_vec();
    output.result(output::table(header, selection.ranked.iter().enumerate().map(cells).collect(), 3));
}

fn object(rank: usize, ranked: &Ranked, data: &Dataset) -> Value {
    json!({
        "rank": rank + 1,
        "feature": name(data, ranked.feature),
        "score": ranked.score,
        "redundancy": ranked.redundancy.map(|shared| shared.share),
        "redundant_with": ranked.redundancy.and_then(|shared| shared.with).map(|with| name(data, with)),
    })
}

/// Features in the order of their ranks, weights if there are any, the target.
fn save(path: &Path, data: &Dataset, weights: Option<&str>) -> Result<()> {
    let mut names: Vec<String> = data.schema.features.iter().map(|f| f.name.clone()).collect();
    names.extend(weights.map(String::from));
    names.push(data.schema.target.clone());
    let row = |row: usize| {
        let mut cells: Vec<String> = data.features.columns.iter().map(|column| column.text(row)).collect();
        cells.extend(weights.map(|_| data.weights[row].to_string()));
        cells.push(data.schema.classes[data.labels[row] as usize].clone());
        cells
    };
    write_atomic(path, |out| write_csv(out, &names, (0..data.rows()).map(row)))
}

fn page(selection: &Selection, plan: &Plan, data: &Dataset, table: &str) -> String {
    let feature = |ranked: &Ranked| RankedFeature {
        name: name(data, ranked.feature).to_string(),
        score: ranked.score,
        redundancy: ranked.redundancy.map(|shared| shared.share),
        with: ranked.redundancy.and_then(|shared| shared.with).map(|with| name(data, with).to_string()),
    };
    let about = &plan.method().about;
    Ranking {
        table,
        method: about.name,
        summary: about.summary,
        paper: about.paper,
        score: plan.method().score,
        lower_is_better: plan.method().about.parameters.iter().any(|p| p.name == "folds"),
        features: selection.ranked.iter().map(feature).collect(),
        of: data.schema.features.len(),
    }
    .html()
}
