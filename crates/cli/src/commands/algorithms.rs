//! `rebel algorithms`: the registry.

use crate::output::{self, Output};
use clap::Args;
use rebelboost::Result;
use rebelboost::registry::{ALGORITHMS, Algorithm, default_algorithm};
use rebelboost::settings::Settings;
use serde_json::{Value, json};

/// List the algorithms, or the options of one
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Algorithm whose options to list
    name: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  rebel algorithms
  rebel algorithms rebel";

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    match &options.name {
        Some(name) => {
            let algorithm = Settings::new(name)?.algorithm();
            show(algorithm, output);
            output.object(&object(algorithm));
        }
        None => {
            let rows = ALGORITHMS
                .iter()
                .map(|a| vec![a.name.into(), classes(a), costs(a).into(), a.summary.into(), a.paper.into()]);
            let header = ["algorithm", "classes", "costs", "what it does", "published"].map(String::from).to_vec();
            output.result(output::table(header, rows.collect(), 5));
            output.say(format!(
                "The default is {}. 'rebel algorithms NAME' lists the options of one.",
                default_algorithm().name
            ));
            let all: Vec<Value> = ALGORITHMS.iter().map(object).collect();
            output.object(&json!({"default": default_algorithm().name, "algorithms": all}));
        }
    }
    Ok(())
}

fn classes(algorithm: &Algorithm) -> String {
    algorithm.most_classes.map_or("any".into(), |most| format!("up to {most}"))
}

fn costs(algorithm: &Algorithm) -> &'static str {
    if algorithm.trains_on_costs { "in training" } else { "in the decision" }
}

fn show(algorithm: &Algorithm, output: &Output) {
    output.result(format!("{}: {}.", algorithm.name, algorithm.summary));
    output.result(format!("Published: {}.", algorithm.paper));
    output.result(format!(
        "Classes: {}. Costs: used {}. Ranking: {}. Row weights and missing values: yes. Weak learners: {}.",
        classes(algorithm),
        costs(algorithm),
        if algorithm.ranks { "yes, with --group for query groups" } else { "no" },
        algorithm.learners.join(", ")
    ));
    let rows = algorithm
        .parameters()
        .map(|p| vec![format!("--{}", p.name), p.default.to_string(), p.range(), p.help.to_string()]);
    let header = ["option", "default", "values", "meaning"].map(String::from).to_vec();
    output.result(output::table(header, rows.collect(), 4));
}

fn object(algorithm: &Algorithm) -> Value {
    let parameters: Vec<Value> = algorithm
        .parameters()
        .map(|p| json!({"name": p.name, "default": p.default, "range": p.range(), "help": p.help}))
        .collect();
    json!({
        "name": algorithm.name,
        "summary": algorithm.summary,
        "paper": algorithm.paper,
        "most_classes": algorithm.most_classes,
        "trains_on_costs": algorithm.trains_on_costs,
        "ranks": algorithm.ranks,
        "weights": true,
        "missing": true,
        "learners": algorithm.learners,
        "parameters": parameters,
    })
}
