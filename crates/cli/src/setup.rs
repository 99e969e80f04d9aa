//! From options to what the library trains on: settings, data, costs, threads.

use crate::args::{Machine, TrainOptions};
use crate::{data, describe, files};
use rebelboost::context::Context;
use rebelboost::data::{Column, CostMatrix, Dataset, Roles, Table};
use rebelboost::model::Model;
use rebelboost::registry::algorithm_with;
use rebelboost::settings::Settings;
use rebelboost::steps::Plan;
use rebelboost::{Error, Result};
use rebelboost_io::{Labels, ReadOptions, Source};
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
        _ => Settings::new(named.unwrap_or(algorithm_with(&options.parameters.names()).name))?,
    };
    options.parameters.apply(|name, value| settings.set(name, &files::value(name, value)?))?;
    Ok(settings)
}

/// Threads and random streams.
pub fn context(machine: &Machine, checkpoint: Option<&Model>) -> Result<Context> {
    let seed = machine.seed.or(checkpoint.map(|c| c.provenance.seed)).unwrap_or(0);
    Context::new(seed, machine.threads.map_or(0, usize::from))
}

/// Reads the training table and gives its columns their parts.
pub fn dataset(options: &TrainOptions, checkpoint: Option<&Model>, notes: &mut Vec<String>) -> Result<Dataset> {
    let mut table = table(options)?;
    let mut roles = roles(options);
    roles.target = roles.target.or(checkpoint.map(|c| c.schema.target.clone()));
    if let Some(path) = &options.labels {
        let labels = Labels::read(&Source::new(path), table.rows())?;
        table = with_labels(table, &labels, &mut roles).map_err(|e| e.in_file(path.display().to_string()))?;
    }
    let data = Dataset::from_table(&table, &roles, notes).map_err(|e| e.in_file(data::name(&options.data)))?;
    notes.extend(data::too_small(&data));
    Ok(data)
}

/// The steps before the model. Wrappers train the algorithm that was named, if one was.
pub fn steps(options: &TrainOptions, settings: &Settings) -> Result<Plan> {
    let booster = options.algorithm.as_ref().map(|_| settings);
    Plan::parse(&options.select, &options.transform, booster)
}

/// Takes the steps before the model: those of the checkpoint, or newly learned ones.
pub fn prepare(
    options: &TrainOptions,
    settings: &Settings,
    checkpoint: Option<&Model>,
    (data, costs): (Dataset, Option<&CostMatrix>),
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<Dataset> {
    let plan = steps(options, settings)?;
    match checkpoint.map(|checkpoint| checkpoint.schema.steps.as_ref()) {
        Some(known) => {
            if !plan.is_empty() && known.is_none_or(|known| !known.are_of(&plan)) {
                return Err(Error::option("the checkpoint has other steps before the model")
                    .hint("leave --select and --transform out to go on with its own"));
            }
            known.map_or(Ok(data.clone()), |known| known.take(&data, context))
        }
        None if plan.is_empty() => Ok(data),
        None => {
            let data = plan.fit(&data, costs, context, notes)?;
            notes.extend(describe::steps(&data.schema));
            if plan.looks_at_classes() {
                notes.push("the steps have seen the classes of all training rows, so an error estimated on those is too low; --test and 'rebel cv' are honest".into());
            }
            Ok(data)
        }
    }
}

/// Reads the table.
pub fn table(options: &TrainOptions) -> Result<Table> {
    let read = ReadOptions {
        categorical: options.categorical.clone(),
        numeric: options.numeric.clone(),
        ..ReadOptions::default()
    };
    data::read(&options.data, &read)
}

/// The parts of the columns, as the options say.
pub fn roles(options: &TrainOptions) -> Roles {
    Roles {
        target: options.target.clone(),
        weights: options.weights.clone(),
        group: options.group.clone(),
        ignore: options.ignore.clone(),
        categorical: options.categorical.clone(),
    }
}

/// The table with these classes in its target column, which is added if it is not there.
fn with_labels(table: Table, labels: &Labels, roles: &mut Roles) -> Result<Table> {
    let target = roles.target.get_or_insert(labels.target.clone());
    if *target != labels.target {
        return Err(Error::data(format!("its classes are called '{}', not '{target}'", labels.target))
            .hint(format!("use --target {}", labels.target)));
    }
    let known = table.column(target);
    let class = |row: usize| match (labels.classes.get(&row), known) {
        (Some(class), _) => Some(class.clone()),
        (None, Some(column)) => Some(column.text(row)).filter(|text| !text.is_empty()),
        (None, None) => None,
    };
    let column = Column::categorical((0..table.rows()).map(class));
    let place = table.position(target);
    let (mut names, mut columns) = table.into_parts();
    match place {
        Some(place) => columns[place] = column,
        None => {
            names.push(target.clone());
            columns.push(column);
        }
    }
    Table::new(names, columns)
}

/// Costs in the user's unit, if any.
pub fn costs(options: &TrainOptions, data: &Dataset) -> Result<Option<CostMatrix>> {
    files::load_costs(options.costs.as_deref(), options.taxonomy.as_deref(), &data.schema.classes)
}

/// All files that training reads.
pub fn inputs(options: &TrainOptions) -> Vec<&Path> {
    let optional = [&options.costs, &options.taxonomy, &options.labels].into_iter().flatten();
    std::iter::once(&options.data).chain(optional).map(|path| path.as_path()).collect()
}
