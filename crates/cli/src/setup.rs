//! From options to what the library trains on: settings, data, costs, threads.

use crate::args::{Machine, TrainOptions};
use crate::{data, files};
use rebelboost::Result;
use rebelboost::context::Context;
use rebelboost::data::{CostMatrix, Dataset, Roles};
use rebelboost::model::Model;
use rebelboost::registry::default_algorithm;
use rebelboost::settings::Settings;
use rebelboost_io::ReadOptions;
use std::path::Path;

/// Checked settings. A checkpoint brings its own, so that only changes need to be given.
pub fn settings(options: &TrainOptions, checkpoint: Option<&Model>) -> Result<Settings> {
    let named = options.algorithm.as_deref();
    let mut settings = match checkpoint.map(|c| &c.provenance) {
        Some(made) if named.is_none_or(|name| name == made.algorithm) => {
            let mut settings = Settings::new(&made.algorithm)?;
            made.settings.iter().try_for_each(|(name, value)| settings.set(name, &value.to_string()))?;
            settings
        }
        _ => Settings::new(named.unwrap_or(default_algorithm().name))?,
    };
    options.parameters.apply(&mut settings)?;
    Ok(settings)
}

/// Threads and random streams.
pub fn context(machine: &Machine, checkpoint: Option<&Model>) -> Result<Context> {
    let seed = machine.seed.or(checkpoint.map(|c| c.provenance.seed)).unwrap_or(0);
    Context::new(seed, machine.threads.map_or(0, usize::from))
}

/// Reads the training table and gives its columns their parts.
pub fn dataset(options: &TrainOptions, checkpoint: Option<&Model>, notes: &mut Vec<String>) -> Result<Dataset> {
    let read = ReadOptions {
        categorical: options.categorical.clone(),
        numeric: options.numeric.clone(),
        ..ReadOptions::default()
    };
    let table = data::read(&options.data, &read)?;
    let roles = Roles {
        target: options.target.clone().or(checkpoint.map(|c| c.schema.target.clone())),
        weights: options.weights.clone(),
        ignore: options.ignore.clone(),
        categorical: options.categorical.clone(),
    };
    let data = Dataset::from_table(&table, &roles, notes).map_err(|e| e.in_file(data::name(&options.data)))?;
    notes.extend(data::too_small(&data));
    Ok(data)
}

/// Costs in the user's unit, if any.
pub fn costs(options: &TrainOptions, data: &Dataset) -> Result<Option<CostMatrix>> {
    files::load_costs(options.costs.as_deref(), options.taxonomy.as_deref(), &data.schema.classes)
}

/// All files that training reads.
pub fn inputs(options: &TrainOptions) -> Vec<&Path> {
    let optional = [&options.costs, &options.taxonomy].into_iter().flatten();
    std::iter::once(&options.data).chain(optional).map(|path| path.as_path()).collect()
}
