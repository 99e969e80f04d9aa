//! LIBSVM and SVMlight: `label index:value ...`, what is absent is zero.
//!
//! Columns keep the file's own numbers (`f7` is index 7, whether counting begins at 0 or 1), so that two files agree
//! even if only one of them mentions index 0. The label is the last column, `class`. Columns are dense, hence a limit.

use crate::builder::{ColumnBuilder, Kind};
use crate::csv::{open_text, unreadable};
use crate::read::{MAX_COLUMNS, ReadOptions, finish, twice_if_needed};
use crate::source::Source;
use crate::value::shown;
use rebelboost::data::Table;
use rebelboost::error::{Error, ErrorKind, Result};
use std::collections::HashMap;
use std::io::{BufRead, BufReader};

/// Most cells of the dense table.
const MAX_CELLS: u64 = 1 << 31;

pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    finish(twice_if_needed(options, |options| Sparse::new(options).read(source))?, Some)
}

struct Sparse<'a> {
    options: &'a ReadOptions,
    label: ColumnBuilder,
    columns: HashMap<u64, ColumnBuilder>,
    rows: usize,
    last: u64,
}

impl<'a> Sparse<'a> {
    fn new(options: &'a ReadOptions) -> Self {
        let kind = match () {
            () if options.is_categorical("class") => Kind::Categorical,
            () if options.is_numeric("class") => Kind::Numeric,
            () => Kind::Guess,
        };
        let label = ColumnBuilder::new("class", kind);
        Sparse { options, label, columns: HashMap::new(), rows: 0, last: 0 }
    }

    fn read(mut self, source: &Source) -> Result<Vec<ColumnBuilder>> {
        let mut input = BufReader::with_capacity(1 << 16, open_text(source)?);
        let mut text = Vec::new();
        for line in 1.. {
            text.clear();
            if input.read_until(b'\n', &mut text).map_err(unreadable)? == 0 {
                break;
            }
            let data = text.split(|&b| b == b'#').next().unwrap_or_default();
            self.push(data, line).map_err(|e| e.at_line(line))?;
        }
        self.columns()
    }

    fn push(&mut self, data: &[u8], line: u64) -> Result<()> {
        let mut words = data.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(label) = words.next() else { return Ok(()) };
        if label.contains(&b':') {
            return Err(Error::parse(format!("found {} where the label is needed", shown(label))));
        }
        self.label.push_cell(label, line)?;
        for word in words {
            let colon = word.iter().position(|&b| b == b':');
            let Some((index, value)) = colon.map(|at| (&word[..at], &word[at + 1..])) else {
                return Err(Error::parse(format!("found {} where 'index:value' is needed", shown(word))));
            };
            if index == b"qid" {
                continue;
            }
            self.push_value(index, value, line)?;
        }
        self.rows += 1;
        let cells = self.rows as u64 * (self.last + 1);
        if cells > MAX_CELLS {
            let what = format!("{} rows of {} columns are more than {MAX_CELLS} cells", self.rows, self.last + 1);
            return Err(Error::new(ErrorKind::Limit, what).hint("leave out rare columns"));
        }
        Ok(())
    }

    fn push_value(&mut self, index: &[u8], value: &[u8], line: u64) -> Result<()> {
        let number = std::str::from_utf8(index).ok().and_then(|text| text.parse::<u64>().ok());
        let Some(number) = number else {
            return Err(Error::parse(format!("found {} where the number of a column is needed", shown(index))));
        };
        if number >= MAX_COLUMNS {
            let what = format!("column number {number}, at most {} can be read", MAX_COLUMNS - 1);
            return Err(Error::new(ErrorKind::Limit, what));
        }
        self.last = self.last.max(number);
        let options = self.options;
        let column = self.columns.entry(number).or_insert_with(|| feature(number, options));
        if column.len() > self.rows {
            return Err(Error::parse("this column stands twice in the row").at_column(column.name()));
        }
        pad(column, self.rows)?;
        column.push_cell(value, line)
    }

    /// All columns in order, padded with zeros.
    fn columns(mut self) -> Result<Vec<ColumnBuilder>> {
        let numbers = |name: &String| name.strip_prefix('f').and_then(|n| n.parse::<u64>().ok());
        let expected: Vec<u64> =
            self.options.expected.iter().filter_map(numbers).filter(|n| *n < MAX_COLUMNS).collect();
        self.last = expected.iter().copied().fold(self.last, u64::max);
        let first = u64::from(!self.columns.contains_key(&0) && !expected.contains(&0));
        let mut columns = Vec::new();
        for number in first..=self.last {
            let mut column = self.columns.remove(&number).unwrap_or_else(|| feature(number, self.options));
            pad(&mut column, self.rows)?;
            columns.push(column);
        }
        columns.push(self.label);
        let names: Vec<String> = columns.iter().map(|c| c.name().to_string()).collect();
        self.options.check(&names)?;
        Ok(columns)
    }
}

fn feature(number: u64, options: &ReadOptions) -> ColumnBuilder {
    let name = format!("f{number}");
    let kind = if options.is_categorical(&name) { Kind::Categorical } else { Kind::Numeric };
    ColumnBuilder::new(name, kind)
}

fn pad(column: &mut ColumnBuilder, rows: usize) -> Result<()> {
    while column.len() < rows {
        column.push_number(0.0)?;
    }
    Ok(())
}
