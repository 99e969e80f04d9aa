//! The DATA argument: a file, standard input or a built-in data set.

use crate::output::{plural, preview};
use rebelboost::data::synthetic::{PREFIX, generate};
use rebelboost::data::{Column, Dataset, FeatureKind, Schema, Table};
use rebelboost::{Error, Result};
use rebelboost_io::{ReadOptions, Source, read_table};
use std::path::Path;

/// Reads a table.
pub fn read(data: &Path, options: &ReadOptions) -> Result<Table> {
    match data.to_str().filter(|text| text.starts_with(PREFIX)) {
        Some(spec) => checked(generate(spec)?, options).map_err(|e| e.in_file(spec)),
        None => read_table(&Source::new(data), options),
    }
}

/// How messages call it.
pub fn name(data: &Path) -> String {
    Source::new(data).name()
}

/// Built-in tables have their types; only a wrong claim can be refused.
fn checked(table: Table, options: &ReadOptions) -> Result<Table> {
    for name in &options.numeric {
        if let Some(Column::Categorical(_)) = table.column(name) {
            return Err(Error::data("this column holds words, not numbers").at_column(name));
        }
    }
    Ok(table)
}

/// How a model's columns are to be read from another file, so that a bad cell is found with its line.
pub fn options_of(schema: &Schema) -> ReadOptions {
    let names = |numeric: bool| {
        let of_kind = schema.inputs().iter().filter(move |f| matches!(f.kind, FeatureKind::Numeric) == numeric);
        of_kind.map(|f| f.name.clone()).collect::<Vec<_>>()
    };
    let expected = schema.inputs().iter().map(|f| f.name.clone()).collect();
    ReadOptions { numeric: names(true), categorical: names(false), expected, ..ReadOptions::default() }
}

/// Reads a table for a model. A column that the model needs and the file lacks is named.
pub fn read_for(schema: &Schema, data: &Path) -> Result<Table> {
    read(data, &options_of(schema))
}

/// What was read, in words.
pub fn describe(name: &str, data: &Dataset) -> String {
    let numeric = data.schema.features.iter().filter(|f| matches!(f.kind, FeatureKind::Numeric)).count();
    let features = data.schema.features.len();
    let kinds = match (numeric, features - numeric) {
        (_, 0) => "all numbers".to_string(),
        (0, _) => "all categories".to_string(),
        (n, c) => format!("{} and {}", plural(n, "number"), plural(c, "category")),
    };
    let rows = rows_by_class(data);
    let shares: Vec<String> = (data.schema.classes.iter().zip(&rows))
        .map(|(class, &rows)| format!("{class} {rows} ({:.0} %)", 100.0 * rows as f64 / data.rows() as f64))
        .collect();
    format!(
        "Read {name}: {}, {} ({kinds}), target '{}'.\n{}: {}.",
        plural(data.rows(), "row"),
        plural(features, "feature"),
        data.schema.target,
        plural(data.class_count(), "class"),
        preview(&shares, 12),
    )
}

fn rows_by_class(data: &Dataset) -> Vec<usize> {
    let mut rows = vec![0; data.class_count()];
    data.labels.iter().for_each(|&label| rows[label as usize] += 1);
    rows
}

/// Warnings about tables too small to trust.
pub fn too_small(data: &Dataset) -> Vec<String> {
    let mut notes = Vec::new();
    if data.rows() < 50 {
        notes
            .push(format!("{} are few: errors measured on so little data are uncertain", plural(data.rows(), "row")));
    }
    if is_quantity(data) {
        notes.push(format!(
            "'{}' looks like a quantity: its {} are numbers, most of them in few rows; rebel tells classes apart, so cut it \
             into ranges, or choose another --target",
            data.schema.target,
            plural(data.class_count(), "class")
        ));
    }
    let rare: Vec<String> = (data.schema.classes.iter().zip(rows_by_class(data)))
        .filter(|(_, rows)| *rows < 5)
        .map(|(class, rows)| format!("'{class}' ({rows})"))
        .collect();
    if !rare.is_empty() {
        notes.push(format!("classes with fewer than 5 rows can hardly be learned: {}", preview(&rare, 12)));
    }
    notes
}

/// Whether classes are many numbers that hardly repeat.
fn is_quantity(data: &Dataset) -> bool {
    let classes = &data.schema.classes;
    let rare = rows_by_class(data).iter().filter(|rows| **rows < 5).count();
    classes.len() > 20 && 2 * rare > classes.len() && classes.iter().all(|class| class.parse::<f64>().is_ok())
}
