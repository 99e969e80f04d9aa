//! `rebel evaluate`: how good a model is on rows whose class is known.

use super::train::header;
use crate::args::Machine;
use crate::assess;
use crate::output::{Output, number, plural};
use crate::{data, files, ranking, setup, usage};
use clap::Args;
use rebelboost::Result;
use rebelboost::model::Decision;
use serde_json::json;
use std::path::PathBuf;

/// Measure a model on rows whose class is known
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Model file
    model: PathBuf,
    /// Table with the true classes; columns are matched by name
    data: PathBuf,
    /// Count costs by this matrix, and choose the answers of least expected cost if the model can
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
    /// Column with the weight of each row
    #[arg(long, value_name = "COLUMN")]
    weights: Option<String>,
    /// Column that tells query groups apart: how well rows are put in order is judged within each
    #[arg(long, value_name = "COLUMN")]
    group: Option<String>,
    #[command(flatten)]
    machine: Machine,
}

const EXAMPLES: &str = "\
Examples:
  rebel evaluate model.rebel test.csv
  rebel evaluate model.rebel test.csv --costs costs.csv --json
  rebel evaluate ranker.rebel test.csv --group query";

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    let model = files::load_model(&options.model)?;
    let classes = &model.schema.classes;
    let costs = files::load_costs(options.costs.as_deref(), None, classes)?;
    let context = setup::context(&options.machine, Some(&model))?;
    let mut notes = Vec::new();
    let rows = assess::read(
        &model.schema,
        &options.data,
        options.weights.as_deref(),
        options.group.as_deref(),
        &[],
        &mut notes,
    )?;
    let found = assess::assess(&model, rows.rows(), costs.as_ref(), &context)?;
    let ranking = (ranking::ranks(&model) || options.group.is_some())
        .then(|| ranking::judge(&model, rows.rows(), &rows.groups, &context));
    let calibrated = if model.is_calibrated() { "calibrated" } else { "uncalibrated" };
    if costs.is_some() {
        notes.push(match model.decision {
            Decision::CostTrained => {
                "the model was trained on its own costs: these are counted, but do not change its answers".into()
            }
            _ => format!("answers are those of least expected cost under these costs, by {calibrated} probabilities"),
        });
    }
    output.say(format!(
        "{}: {} with {}, trained on {}. Read {}: {}.",
        options.model.display(),
        model.provenance.algorithm,
        plural(model.chain.learners(), "round"),
        plural(model.provenance.rows, "row"),
        data::name(&options.data),
        plural(found.rows, "row"),
    ));
    output.notes(&notes);
    output.result(found.headline("Test"));
    match (found.log_loss, found.brier, found.calibration_error) {
        (Some(log_loss), Some(brier), Some(gap)) => output.result(format!(
            "Log loss {}, Brier score {}, expected calibration error {} (probabilities are {calibrated}).",
            number(log_loss),
            number(brier),
            number(gap)
        )),
        _ if model.decision == Decision::CostTrained => {
            output.result("The model was trained on costs and carries no probabilities.");
        }
        _ => output.result("The scores of the model are not about probabilities."),
    }
    ranking.iter().for_each(|ranking| output.result(ranking.words()));
    found.costs_in_words().into_iter().for_each(|words| output.result(words));
    found.show(classes, output);
    let mut object = header(&model, &context);
    object["model"] = json!(options.model.display().to_string());
    object["train"] = json!({
        "rows": model.provenance.rows,
        "features": model.schema.features.len(),
        "classes": classes.len(),
        // How training went is not in the file, which holds nothing that differs from run to run.
        "error": null, "cost": null, "loss": null, "seconds": null, "cpu_seconds": null,
    });
    object["test"] = found.json(classes);
    if let Some(ranking) = &ranking {
        object["test"]["ranking"] = ranking.json();
    }
    object["peak_rss_mb"] = json!(usage::peak_rss_mb());
    object["notes"] = json!(notes);
    output.object(&object);
    Ok(())
}
