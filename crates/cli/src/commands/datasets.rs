//! `rebel datasets`: what is built in.

use crate::output::{self, Output};
use clap::Args;
use rebelboost::Result;
use rebelboost::data::synthetic::{GENERATORS, Generator, PREFIX, Range};
use serde_json::{Value, json};

/// List the built-in data sets, usable wherever a table is
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {}

const EXAMPLES: &str = "\
Examples:
  rebel datasets
  rebel train builtin:penguins
  rebel train 'builtin:gaussians?rows=2000&seed=3' --test 'builtin:gaussians?rows=2000&seed=3&draw=1'";

/// Runs the command.
pub fn run(_: &Options, output: &Output) -> Result<()> {
    for generator in GENERATORS {
        output.result(format!("{PREFIX}{}: {}", generator.name, generator.summary));
        if !generator.parameters.is_empty() {
            output.result(indented(&parameters(generator)));
        }
    }
    output.say(format!("\nUse one as DATA: rebel train '{PREFIX}spirals?rows=500&seed=1'"));
    let all: Vec<Value> = GENERATORS.iter().map(object).collect();
    output.object(&json!({"datasets": all}));
    Ok(())
}

fn parameters(generator: &Generator) -> String {
    let rows = generator
        .parameters
        .iter()
        .map(|p| vec![p.name.to_string(), p.default.to_string(), range(p.range), p.summary.to_string()]);
    let header = ["parameter", "default", "values", "meaning"].map(String::from).to_vec();
    output::table(header, rows.collect(), 4)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn range(range: Range) -> String {
    match range {
        Range::Whole(low, u64::MAX) => format!("{low} or more"),
        Range::Whole(low, high) => format!("{low} to {high}"),
        Range::Real(low, high) => format!("{low} to {high}"),
    }
}

fn object(generator: &Generator) -> Value {
    let parameters: Vec<Value> = (generator.parameters.iter())
        .map(|p| json!({"name": p.name, "default": p.default, "range": range(p.range), "summary": p.summary}))
        .collect();
    json!({"name": generator.name, "summary": generator.summary, "parameters": parameters})
}
