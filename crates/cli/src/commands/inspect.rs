//! `rebel inspect`: what is in a model file.

use crate::output::{self, Output, number, percent, plural, preview};
use crate::{describe, files};
use clap::Args;
use rebelboost::Result;
use rebelboost::data::FeatureKind;
use rebelboost::model::{Decision, Model};
use std::path::PathBuf;

/// Show what is in a model file
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Model file
    model: PathBuf,
    /// Terms to spell out
    #[arg(long, value_name = "NUMBER", default_value = "5")]
    terms: usize,
}

const EXAMPLES: &str = "\
Examples:
  rebel inspect model.rebel
  rebel inspect model.rebel --terms 20
  rebel inspect model.rebel --json > model.json        all of it";

/// Most features listed.
const MOST_FEATURES: usize = 20;

/// Most training rows listed.
const MOST_ROWS: usize = 20;

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    let model = files::load_model(&options.model)?;
    if output.is_json() {
        output.object(&model.to_json());
        return Ok(());
    }
    let made = &model.provenance;
    output.result(format!(
        "{}: {} with {}, {}, trained on {} of data {}, seed {}; training stopped because {}.",
        options.model.display(),
        made.algorithm,
        made.learner,
        plural(model.chain.terms.len(), "term"),
        plural(made.rows, "row"),
        made.data,
        made.seed,
        made.stopped.words(),
    ));
    let settings: Vec<String> = made.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
    output.result(format!("Settings: {}.", settings.join(", ")));
    output.result(format!("It answers '{}': {}.", model.schema.target, preview(&model.schema.classes, 20)));
    output.result(match model.decision {
        Decision::LargestScore => "The class with the largest score wins.",
        Decision::CostTrained => "It was trained on costs; the class with the largest score wins.",
        Decision::ExpectedCost => "The class of least expected cost wins.",
    });
    for step in describe::steps(&model.schema) {
        output.result(format!("Before it, {step}."));
    }
    describe::made_of(&model.schema).into_iter().for_each(|line| output.result(format!("  {line}")));
    if !model.parts.is_empty() {
        members(&model, output);
    }
    if !model.chain.supports.is_empty() {
        training_rows(&model, output);
    }
    let uses = describe::uses(&model);
    if !uses.is_empty() || model.chain.supports.is_empty() {
        features(&model, &uses, output);
    }
    terms(&model, options.terms, output);
    Ok(())
}

fn members(model: &Model, output: &Output) {
    output.result("\nIt is the weighted sum of these members; errors are on rows that each had not seen:");
    let rows = model.parts.iter().map(|part| {
        let alone = [percent(part.error), number(part.log_loss)];
        [vec![part.name.clone(), part.terms.to_string(), format!("{:.2}", part.weight)], alone.to_vec()].concat()
    });
    let header = ["member", "terms", "weight", "error alone", "log loss alone"].map(String::from).to_vec();
    output.result(output::table(header, rows.collect(), 1));
}

fn features(model: &Model, uses: &[describe::Use], output: &Output) {
    let total: f64 = uses.iter().map(|u| u.weight).sum();
    output.result(format!("\nIt uses {} of {}:", uses.len(), plural(model.schema.features.len(), "feature")));
    let rows = uses.iter().take(MOST_FEATURES).map(|u| {
        let feature = &model.schema.features[u.feature];
        let kind = match &feature.kind {
            FeatureKind::Numeric => "number".to_string(),
            FeatureKind::Categorical(levels) => format!("one of {}", levels.len()),
        };
        vec![feature.name.clone(), kind, u.terms.to_string(), format!("{:.1} %", 100.0 * u.weight / total)]
    });
    let header = ["feature", "type", "terms", "share of weight"].map(String::from).to_vec();
    output.result(output::table(header, rows.collect(), 2));
    if uses.len() > MOST_FEATURES {
        output.result(format!("... and {} more.", uses.len() - MOST_FEATURES));
    }
}

fn training_rows(model: &Model, output: &Output) {
    let uses = describe::support_uses(model);
    let kept = if model.chain.supports.iter().all(|supports| supports.values.is_some()) {
        ""
    } else {
        ", whose values it does not keep"
    };
    output.result(format!("\nIt compares with {}{kept}:", plural(uses.len(), "training row")));
    let rows = uses.iter().take(MOST_ROWS).map(|u| {
        let class = &model.schema.classes[u.class as usize];
        vec![(u.row + 1).to_string(), class.clone(), u.terms.to_string(), format!("{:.2}", u.weight)]
    });
    let header = ["row", &model.schema.target, "terms", "summed |output|"].map(String::from).to_vec();
    output.result(output::table(header, rows.collect(), 2));
    if uses.len() > MOST_ROWS {
        output.result(format!("... and {} more.", uses.len() - MOST_ROWS));
    }
}

fn terms(model: &Model, most: usize, output: &Output) {
    let bias: Vec<String> =
        (model.schema.classes.iter().zip(&model.chain.bias)).map(|(class, b)| format!("{b:+.2} {class}")).collect();
    output.result(format!("\nScores start at {}. Then each term adds:", preview(&bias, 12)));
    for (i, term) in model.chain.terms.iter().take(most).enumerate() {
        output.result(format!("{:>4}. {}", i + 1, describe::term(term, model)));
    }
    if model.chain.terms.len() > most {
        output.result(format!(
            "      ... and {} (--terms shows more).",
            plural(model.chain.terms.len() - most, "term")
        ));
    }
}
