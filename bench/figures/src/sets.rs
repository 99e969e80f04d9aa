//! Data sets from files and generators, cut into training and test rows.

use crate::Bench;
use rebelboost::context::stream;
use rebelboost::data::synthetic::generate;
use rebelboost::data::{Column, Dataset, Roles, Table, stratified_split};
use rebelboost::{Error, Result};
use rebelboost_io::{ReadOptions, Source, read_table};

/// A built-in data set.
pub fn builtin(spec: &str) -> Result<Dataset> {
    Dataset::from_table(&generate(spec)?, &Roles::default(), &mut Vec::new())
}

/// All rows of a set in the data folder, an official training and test part put together. `None` if it is not there.
pub fn whole(bench: &Bench, name: &str) -> Result<Option<Dataset>> {
    let tables = [format!("{name}.csv.gz"), format!("{name}.train.csv.gz"), format!("{name}.test.csv.gz")]
        .iter()
        .map(|file| bench.data.join(file))
        .filter(|path| path.exists())
        .map(|path| read_table(&Source::new(&path), &ReadOptions::default()))
        .collect::<Result<Vec<Table>>>()?;
    if tables.is_empty() {
        eprintln!("  skipped {name}: not in {}", bench.data.display());
        return Ok(None);
    }
    Ok(Some(Dataset::from_table(&joined(&tables)?, &Roles::default(), &mut Vec::new())?))
}

/// The official training and test part of a set. `None` if it is not there.
pub fn official(bench: &Bench, name: &str) -> Result<Option<(Dataset, Dataset)>> {
    let Some(all) = whole(bench, name)? else { return Ok(None) };
    let train = bench.data.join(format!("{name}.train.csv.gz"));
    let rows = read_table(&Source::new(&train), &ReadOptions::default())?.rows();
    let part = |rows: std::ops::Range<usize>| all.select(&rows.collect::<Vec<_>>());
    Ok(Some((part(0..rows), part(rows..all.rows()))))
}

/// A share of MNIST's training part, and its test part. `None` if it is not there.
pub fn mnist(bench: &Bench, share: f64) -> Result<Option<(Dataset, Dataset)>> {
    let part = |name: &str| -> Result<Option<_>> {
        let path = bench.data.join(format!("{name}-images-idx3-ubyte.gz"));
        if !path.exists() {
            eprintln!("  skipped MNIST: not in {}", bench.data.display());
            return Ok(None);
        }
        read_table(&Source::new(&path), &ReadOptions::default()).map(Some)
    };
    let (Some(training), Some(test)) = (part("train")?, part("t10k")?) else { return Ok(None) };
    let training = Dataset::from_table(&training, &Roles::default(), &mut Vec::new())?;
    let (training, _) = split(&training, share, 0);
    let features = training.schema.align(&test, &[], &mut Vec::new())?;
    let labels = training.schema.labels(&test, &mut Vec::new())?.unwrap_or_default();
    let (weights, origin) = (vec![1.0; labels.len()], (0..labels.len()).collect());
    let test = Dataset { schema: training.schema.clone(), features, labels, weights, groups: Vec::new(), origin };
    Ok(Some((training, test)))
}

/// A random part for training and the rest for testing, classes evenly shared out.
pub fn split(data: &Dataset, share: f64, seed: u64) -> (Dataset, Dataset) {
    let parts =
        stratified_split(&data.labels, data.class_count(), &[share, 1.0 - share], &mut stream(seed, "bench/split"));
    let part = |wanted: u32| data.select(&(0..data.rows()).filter(|&r| parts[r] == wanted).collect::<Vec<_>>());
    (part(0), part(1))
}

/// Tables of the same columns, one below the other.
fn joined(tables: &[Table]) -> Result<Table> {
    let names = tables[0].names().to_vec();
    let column = |name: &String| {
        let parts: Vec<&Column> = tables.iter().filter_map(|t| t.column(name)).collect();
        if parts.len() < tables.len() {
            return Err(Error::data("training and test file do not have the same columns").at_column(name));
        }
        if let Some(numbers) = parts.iter().map(|part| numbers(part)).collect::<Option<Vec<_>>>() {
            return Ok(Column::numeric(numbers.concat()));
        }
        let words = parts.iter().flat_map(|part| (0..part.len()).map(|row| part.text(row)));
        Ok(Column::categorical(words.map(|word| Some(word).filter(|w| !w.is_empty()))))
    };
    let columns = names.iter().map(column).collect::<Result<Vec<_>>>()?;
    Table::new(names, columns)
}

fn numbers(column: &Column) -> Option<Vec<f64>> {
    match column {
        Column::Numeric(c) => Some((0..c.len()).map(|row| c.get(row)).collect()),
        Column::Categorical(_) => None,
    }
}
