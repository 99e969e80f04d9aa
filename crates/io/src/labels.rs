//! Labels of rows as a small CSV file that a person owns: `row,CLASS`, rows counted from 1 without the header.

use crate::atomic::{write_atomic, write_csv};
use crate::csv::CsvFile;
use crate::read::ReadOptions;
use crate::source::Source;
use rebelboost::error::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Name of the first column.
const ROW: &str = "row";

/// Classes of some rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// What the classes are called: the header of the second column.
    pub target: String,
    /// Class by row, counted from 0.
    pub classes: BTreeMap<usize, String>,
}

impl Labels {
    /// Reads labels for a table of this many rows. Two classes for one row are an error; a row without one is none.
    pub fn read(source: &Source, rows: usize) -> Result<Labels> {
        read(&source.repeatable()?, rows).map_err(|e| e.in_file(source.name()))
    }

    /// Writes them, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        let rows = self.classes.iter().map(|(row, class)| [(row + 1).to_string(), class.clone()]);
        write_atomic(path, |out| write_csv(out, &[ROW.to_string(), self.target.clone()], rows))
    }
}

fn read(source: &Source, rows: usize) -> Result<Labels> {
    let options = ReadOptions { delimiter: Some(b','), ..ReadOptions::default() };
    let mut labels = Labels::default();
    let mut header = true;
    CsvFile::new(source, &options)?.records(|record, _| {
        let cells: Vec<_> = record.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_string()).collect();
        if std::mem::take(&mut header) {
            let [first, target] = cells.as_slice() else { return Err(foreign()) };
            if first != ROW || target.is_empty() {
                return Err(foreign());
            }
            labels.target.clone_from(target);
            return Ok(());
        }
        let [row, class] = cells.as_slice() else {
            return Err(Error::parse(format!("found {} fields where a row and its class should be", cells.len())));
        };
        let number = row.parse::<usize>().ok().filter(|row| (1..=rows).contains(row)).ok_or_else(|| {
            Error::data(format!("there is no row '{row}'")).hint(format!("rows are numbered from 1 to {rows}"))
        })?;
        if class.is_empty() {
            return Ok(());
        }
        match labels.classes.insert(number - 1, class.clone()) {
            Some(other) if other != *class => {
                Err(Error::data(format!("row {row} is '{class}' here and '{other}' above"))
                    .hint("keep one of the two"))
            }
            _ => Ok(()),
        }
    })?;
    Ok(labels)
}

fn foreign() -> Error {
    Error::parse("this is not a file of labels").hint("its first line must be 'row,' and what the classes are called")
}
