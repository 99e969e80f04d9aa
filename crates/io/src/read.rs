//! The one door for tables: options, format, and the rules on column names that all formats share.

use crate::builder::{ColumnBuilder, Kind};
use crate::format::{Format, detect};
use crate::source::Source;
use crate::{arff, csv, idx, libsvm, npy};
use rebelboost::data::Table;
use rebelboost::error::{Error, Result, nearest};
use std::collections::{HashMap, HashSet};

/// How to read a table. The default guesses everything.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Columns to read as categories although they may hold numbers.
    pub categorical: Vec<String>,
    /// Columns that must hold numbers; a word in one is an error.
    pub numeric: Vec<String>,
    /// Whether a CSV file begins with column names.
    pub header: Option<bool>,
    /// What separates the fields of a CSV file.
    pub delimiter: Option<u8>,
    /// The file format.
    pub format: Option<Format>,
    /// Columns the caller will need (the features of a model). Sparse LIBSVM files leave out what is zero, so those
    /// of the form `f7` that a file never mentions become columns of zeros; other formats ignore this.
    pub expected: Vec<String>,
}

/// Most columns a file may have: more is a damaged or hostile header, and each costs memory even if empty.
pub(crate) const MAX_COLUMNS: u64 = 1 << 20;

/// Reads a table. See [`ReadOptions`] for what can be told and [`Format`] for what can be read.
pub fn read_table(source: &Source, options: &ReadOptions) -> Result<Table> {
    let source = &source.repeatable()?;
    let format = match options.format {
        Some(format) => format,
        None => detect(source)?,
    };
    let table = match format {
        Format::Csv => csv::read(source, options),
        Format::Arff => arff::read(source, options),
        Format::Libsvm => libsvm::read(source, options),
        Format::Npy => npy::read(source, options),
        Format::Idx => idx::read(source, options),
        #[cfg(feature = "parquet")]
        Format::Parquet => crate::parquet::read(source, options),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(Error::option("this program was built without Parquet").hint("save the table as CSV")),
    };
    let table = table.map_err(|e| e.in_file(source.name()))?;
    if table.rows() == 0 {
        return Err(no_rows().in_file(source.name()));
    }
    Ok(table)
}

impl ReadOptions {
    /// One builder a column, after a check that every name in the options exists.
    pub(crate) fn builders(&self, names: Vec<String>) -> Result<Vec<ColumnBuilder>> {
        self.check(&names)?;
        let categorical: HashSet<&str> = self.categorical.iter().map(String::as_str).collect();
        let numeric: HashSet<&str> = self.numeric.iter().map(String::as_str).collect();
        let kind = |name: &str| match name {
            name if categorical.contains(name) => Kind::Categorical,
            name if numeric.contains(name) => Kind::Numeric,
            _ => Kind::Guess,
        };
        let builder = |name: String| ColumnBuilder::new(name.as_str(), kind(&name));
        Ok(names.into_iter().map(builder).collect())
    }

    /// Whether the user declared a column categorical.
    pub(crate) fn is_categorical(&self, name: &str) -> bool {
        self.categorical.iter().any(|n| n == name)
    }

    /// Whether the user declared a column numeric.
    pub(crate) fn is_numeric(&self, name: &str) -> bool {
        self.numeric.iter().any(|n| n == name)
    }

    /// Every column the options name exists, and none is both numeric and categorical.
    pub(crate) fn check(&self, names: &[String]) -> Result<()> {
        let known: HashSet<&str> = names.iter().map(String::as_str).collect();
        for wanted in self.categorical.iter().chain(&self.numeric) {
            if !known.contains(wanted.as_str()) {
                let error = Error::option(format!("there is no column '{wanted}'"));
                return Err(match nearest(wanted, names.iter().map(String::as_str)) {
                    Some(near) => error.hint(format!("did you mean '{near}'?")),
                    None => error.hint(format!("the columns are: {}", list(names))),
                });
            }
        }
        match self.numeric.iter().find(|name| self.is_categorical(name)) {
            Some(both) => Err(Error::option("declared both numeric and categorical").at_column(both)),
            None => Ok(()),
        }
    }
}

/// Reads once, and once more if words followed numbers in some columns, now with these as words from the start.
pub(crate) fn twice_if_needed(
    options: &ReadOptions,
    pass: impl Fn(&ReadOptions) -> Result<Vec<ColumnBuilder>>,
) -> Result<Vec<ColumnBuilder>> {
    let builders = pass(options)?;
    let words: Vec<String> = builders.iter().filter(|b| b.needs_text()).map(|b| b.name().to_string()).collect();
    if words.is_empty() {
        return Ok(builders);
    }
    drop(builders);
    let mut options = options.clone();
    options.categorical.extend(words);
    pass(&options)
}

/// The table of finished builders. An infinity is refused at the place `line_of` finds for it.
pub(crate) fn finish(builders: Vec<ColumnBuilder>, line_of: impl Fn(u64) -> Option<u64>) -> Result<Table> {
    if let Some((place, error)) = builders.iter().filter_map(ColumnBuilder::infinite).min_by_key(|(place, _)| *place)
    {
        return Err(match line_of(place) {
            Some(line) => error.at_line(line),
            None => error,
        });
    }
    let names = builders.iter().map(|b| b.name().to_string()).collect();
    Table::new(names, builders.into_iter().map(ColumnBuilder::finish).collect())
}

/// Column names from header cells: empty ones get the first free of `c3`, `c3_`, ...; a name given twice is an error.
pub(crate) fn unique_names(cells: Vec<String>) -> Result<Vec<String>> {
    let mut first = HashMap::new();
    for (i, name) in cells.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        if let Some(before) = first.insert(name.clone(), i) {
            return Err(Error::data(format!("columns {} and {} have the same name", before + 1, i + 1))
                .at_column(name)
                .hint("rename one of the two"));
        }
    }
    let name = |(i, mut name): (usize, String)| {
        if name.is_empty() {
            name = format!("c{}", i + 1);
            while first.contains_key(&name) {
                name.push('_');
            }
        }
        name
    };
    Ok(cells.into_iter().enumerate().map(name).collect())
}

/// `prefix1`, `prefix2`, ...
pub(crate) fn numbered(prefix: &str, count: usize) -> Vec<String> {
    (1..=count).map(|i| format!("{prefix}{i}")).collect()
}

pub(crate) fn no_rows() -> Error {
    Error::data("there are no data rows")
}

fn list(names: &[String]) -> String {
    match names {
        names if names.len() > 12 => format!("{}, ... ({} in all)", names[..12].join(", "), names.len()),
        names => names.join(", "),
    }
}
