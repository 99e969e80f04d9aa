//! CSV and its relatives, streamed into typed columns.
//!
//! The `csv` crate splits records; guesses are in `dialect`, types in `builder`. A column in which words follow
//! numbers needs the text of those numbers, so the file is read a second time with that column as words.

use crate::builder::{ColumnBuilder, not_utf8};
use crate::dialect::{self, Blanks, Delimiter, Dialect};
use crate::format::plain_name;
use crate::read::{MAX_COLUMNS, ReadOptions, finish, no_rows, twice_if_needed, unique_names};
use crate::source::{Input, Source};
use csv::ByteRecord;
use rebelboost::data::Table;
use rebelboost::error::{Error, ErrorKind, Result};
use std::io::Read;

/// Sent after the last byte. In a sound file it is a record of its own; inside a quote that is never closed it ends
/// up in a field, which the parser would otherwise accept as if the quote ended with the file. Its bytes are no
/// delimiters.
const END: &[u8] = b"\n\x02\x03\x02\x03\x03\x02\x03\x02\n";

/// Least and most bytes the guesses look at: enough for some rows, however wide.
const SAMPLE: [usize; 2] = [1 << 16, 1 << 23];

pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    let file = CsvFile::new(source, options)?;
    let builders = twice_if_needed(options, |options| file.pass(options))?;
    finish(builders, |place| file.line_at(place))
}

/// A CSV file with its dialect known.
pub(crate) struct CsvFile<'a> {
    source: &'a Source,
    dialect: Dialect,
}

impl<'a> CsvFile<'a> {
    pub(crate) fn new(source: &'a Source, options: &ReadOptions) -> Result<Self> {
        let mut input = open_text(source)?;
        let (mut size, whole) = (SAMPLE[0], |sample: &[u8], size| sample.len() < size);
        let sample = loop {
            let sample = input.peek(size).map_err(unreadable)?;
            let lines = sample.iter().filter(|&&b| b == b'\n').take(20).count();
            if whole(sample, size) || lines == 20 || size >= SAMPLE[1] {
                break sample;
            }
            size *= 4;
        };
        if sample.trim_ascii().is_empty() && whole(sample, size) {
            return Err(Error::data("the file is empty"));
        }
        let delimiter = match options.delimiter {
            Some(byte @ (b'"' | b'\n' | b'\r' | 2 | 3)) => {
                return Err(Error::option(format!("{:?} cannot separate fields", char::from(byte))));
            }
            Some(byte) => Delimiter::Byte(byte),
            None => dialect::delimiter(sample, whole(sample, size), &plain_name(&source.name())),
        };
        let header = options.header.unwrap_or_else(|| dialect::header(sample, whole(sample, size), delimiter));
        Ok(CsvFile { source, dialect: Dialect { delimiter, header } })
    }

    /// Reads the file once.
    fn pass(&self, options: &ReadOptions) -> Result<Vec<ColumnBuilder>> {
        let mut builders: Option<Vec<ColumnBuilder>> = None;
        self.records(|record, place| {
            let Some(builders) = &mut builders else {
                let made = builders.insert(options.builders(self.names(record)?)?);
                return if self.dialect.header { Ok(()) } else { push(made, record, place) };
            };
            if record.len() != builders.len() {
                let expected = builders.len();
                let what = if self.dialect.header { "the header" } else { "the first row" };
                let error = Error::parse(format!("found {} fields where {what} has {expected}", record.len()));
                return Err(error.hint("check quotes and delimiters"));
            }
            push(builders, record, place)
        })?;
        let builders = builders.ok_or_else(no_rows)?;
        // Columns of words after numbers are empty until the second pass, the others are not.
        if builders.iter().all(|b| b.len() == 0 && !b.needs_text()) {
            return Err(no_rows().hint("is the first row a header?"));
        }
        Ok(builders)
    }

    /// Hands over each record with its place, which [`line_at`](Self::line_at) turns into a line. Errors get the line.
    pub(crate) fn records(&self, mut each: impl FnMut(&ByteRecord, u64) -> Result<()>) -> Result<()> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.dialect.delimiter.byte())
            .buffer_capacity(1 << 16)
            .from_reader(self.open()?.chain(END));
        let mut record = ByteRecord::new();
        let end = END.trim_ascii();
        loop {
            let place = reader.position().byte();
            let with_line = |error: Error| match self.line_at(place) {
                Some(line) => error.at_line(line),
                None => error,
            };
            match reader.read_byte_record(&mut record) {
                Ok(true) => {}
                Ok(false) => return Err(Error::internal("the end of the file was lost")),
                Err(error) => return Err(from_csv(error)),
            }
            if record.len() == 1 && record[0] == *end {
                return Ok(());
            }
            if record.iter().next_back().is_some_and(|field| field.trim_ascii_end().ends_with(end)) {
                return Err(with_line(Error::parse("a quote opened in this row is never closed")));
            }
            each(&record, place).map_err(with_line)?;
        }
    }

    /// The line (from 1) of the record at this place.
    fn line_at(&self, place: u64) -> Option<u64> {
        self.lines_at(&[place]).ok()?.pop()
    }

    /// The lines (from 1) of the records at these ascending places. Counted anew, since few need them: the parser's
    /// own count is one short after CRLF and blank lines.
    pub(crate) fn lines_at(&self, places: &[u64]) -> Result<Vec<u64>> {
        let mut input = self.open()?;
        let mut buffer = [0; 1 << 14];
        let (mut at, mut line) = (0, 1);
        let mut lines = Vec::with_capacity(places.len());
        while lines.len() < places.len() {
            let count = input.read(&mut buffer).map_err(unreadable)?;
            for &byte in &buffer[..count] {
                while lines.len() < places.len() && at >= places[lines.len()] && !matches!(byte, b'\r' | b'\n') {
                    lines.push(line);
                }
                line += u64::from(byte == b'\n');
                at += 1;
            }
            if count == 0 {
                lines.resize(places.len(), line);
            }
        }
        Ok(lines)
    }

    fn open(&self) -> Result<Box<dyn Read>> {
        let input = open_text(self.source)?;
        Ok(match self.dialect.delimiter {
            Delimiter::Blanks => Box::new(Blanks::new(input)),
            Delimiter::Byte(_) => Box::new(input),
        })
    }

    fn names(&self, first: &ByteRecord) -> Result<Vec<String>> {
        if first.len() as u64 > MAX_COLUMNS {
            return Err(Error::new(
                ErrorKind::Limit,
                format!("{} columns, at most {MAX_COLUMNS} can be read", first.len()),
            ));
        }
        let name = |(i, cell): (usize, &[u8])| match std::str::from_utf8(cell) {
            Ok(name) if self.dialect.header => Ok(name.trim().to_string()),
            Err(_) if self.dialect.header => Err(not_utf8().at_column((i + 1).to_string())),
            _ => Ok(String::new()),
        };
        unique_names(first.iter().enumerate().map(name).collect::<Result<_>>()?)
    }
}

fn push(builders: &mut [ColumnBuilder], record: &ByteRecord, place: u64) -> Result<()> {
    for (builder, cell) in builders.iter_mut().zip(record) {
        builder.push_cell(cell, place)?;
    }
    Ok(())
}

/// Opens text: past a UTF-8 byte order mark, and not UTF-16.
pub(crate) fn open_text(source: &Source) -> Result<Input> {
    let mut input = source.open()?;
    match input.peek(3).map_err(unreadable)? {
        [0xef, 0xbb, 0xbf] => input.skip(3),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            return Err(Error::parse("the text is UTF-16, not UTF-8").at_line(1).hint("save the file as UTF-8"));
        }
        _ => {}
    }
    Ok(input)
}

pub(crate) fn unreadable(error: std::io::Error) -> Error {
    Error::io("cannot read", error)
}

fn from_csv(error: csv::Error) -> Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => unreadable(error),
        other => Error::parse(format!("not CSV: {other:?}")),
    }
}
