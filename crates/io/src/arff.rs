//! ARFF, Weka's format: a header that declares every column, then dense or sparse rows.
//!
//! Nominal, string and date attributes become categories, the others numbers; the user's own declarations win.
//! An unquoted `?` is missing, and so are the usual words (NA, null) unless the attribute declares them as values.

use crate::builder::{ColumnBuilder, Kind, not_utf8};
use crate::csv::{open_text, unreadable};
use crate::read::{MAX_COLUMNS, ReadOptions, finish};
use crate::source::Source;
use crate::value::{is_missing, shown};
use rebelboost::data::Table;
use rebelboost::error::{Error, ErrorKind, Result, nearest};
use std::collections::HashSet;
use std::io::{BufRead, BufReader};

pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    let mut input = BufReader::with_capacity(1 << 16, open_text(source)?);
    let mut text = Vec::new();
    let mut attributes: Vec<Attribute> = Vec::new();
    let mut data: Option<Vec<ColumnBuilder>> = None;
    for line in 1.. {
        text.clear();
        if input.read_until(b'\n', &mut text).map_err(unreadable)? == 0 {
            break;
        }
        let mut statement = || -> Result<()> {
            let text = std::str::from_utf8(&text).map_err(|_| not_utf8())?.trim();
            if text.is_empty() || text.starts_with('%') {
                return Ok(());
            }
            match &mut data {
                Some(builders) => push_row(&attributes, builders, text, line),
                None => {
                    if declare(&mut attributes, text)? {
                        data = Some(builders(&attributes, options)?);
                    }
                    Ok(())
                }
            }
        };
        statement().map_err(|e| e.at_line(line))?;
    }
    finish(data.ok_or_else(|| Error::parse("there is no @data line").hint("is this an ARFF file?"))?, Some)
}

struct Attribute {
    name: String,
    kind: Declared,
}

enum Declared {
    Numeric,
    Words,
    Nominal { first: String, levels: HashSet<String> },
}

/// Takes in one line of the header; true for `@data`.
fn declare(attributes: &mut Vec<Attribute>, text: &str) -> Result<bool> {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match word.to_ascii_lowercase().as_str() {
        "@relation" => Ok(false),
        "@data" => Ok(true),
        "@attribute" => {
            let mut scanner = Scanner { rest: rest.trim() };
            let name = scanner.field(|c| c.is_whitespace() || c == '{')?.text;
            if let Some(before) = attributes.iter().position(|a| a.name == name) {
                let what = format!("columns {} and {} have the same name", before + 1, attributes.len() + 1);
                return Err(Error::data(what).at_column(name).hint("rename one of the two"));
            }
            if attributes.len() as u64 == MAX_COLUMNS {
                return Err(Error::new(ErrorKind::Limit, format!("more than {MAX_COLUMNS} columns")));
            }
            let kind = declared(scanner.rest.trim()).map_err(|e| e.at_column(&name))?;
            attributes.push(Attribute { name, kind });
            Ok(false)
        }
        _ => Err(Error::parse(format!("found {} where @attribute or @data is needed", shown(text.as_bytes())))),
    }
}

fn declared(text: &str) -> Result<Declared> {
    if let Some(inside) = text.strip_prefix('{') {
        let Some((inside, _)) = inside.rsplit_once('}') else {
            return Err(Error::parse("the list of values is not closed by '}'"));
        };
        let levels: Vec<String> = fields(inside)?.into_iter().map(|field| field.text).collect();
        let Some(first) = levels.first().cloned() else { return Err(Error::parse("the list of values is empty")) };
        return Ok(Declared::Nominal { first, levels: levels.into_iter().collect() });
    }
    let word = text.split_whitespace().next().unwrap_or_default();
    match word.to_ascii_lowercase().as_str() {
        "numeric" | "real" | "integer" => Ok(Declared::Numeric),
        "string" | "date" => Ok(Declared::Words),
        _ => Err(Error::parse(format!("the type {} cannot be read", shown(word.as_bytes())))
            .hint("numeric, real, integer, string, date and {a, b, ...} can")),
    }
}

fn builders(attributes: &[Attribute], options: &ReadOptions) -> Result<Vec<ColumnBuilder>> {
    if attributes.is_empty() {
        return Err(Error::data("no @attribute stands before @data"));
    }
    let names: Vec<String> = attributes.iter().map(|a| a.name.clone()).collect();
    options.check(&names)?;
    let builder = |a: &Attribute| {
        let kind = match a.kind {
            _ if options.is_categorical(&a.name) => Kind::Categorical,
            _ if options.is_numeric(&a.name) => Kind::Numeric,
            Declared::Numeric => Kind::Numeric,
            _ => Kind::Categorical,
        };
        ColumnBuilder::new(a.name.as_str(), kind)
    };
    Ok(attributes.iter().map(builder).collect())
}

fn push_row(attributes: &[Attribute], builders: &mut [ColumnBuilder], text: &str, line: u64) -> Result<()> {
    if let Some(inside) = text.strip_prefix('{') {
        let Some((inside, _)) = inside.rsplit_once('}') else {
            return Err(Error::parse("the sparse row is not closed by '}'"));
        };
        return push_sparse(attributes, builders, inside, line);
    }
    let fields = fields(text)?;
    if fields.len() != attributes.len() {
        let what = format!("found {} fields where the header declares {}", fields.len(), attributes.len());
        return Err(Error::parse(what).hint("check quotes and commas"));
    }
    for ((attribute, builder), field) in attributes.iter().zip(builders).zip(&fields) {
        push_field(attribute, builder, field, line)?;
    }
    Ok(())
}

/// `{index value, ...}`, counted from 0. What is absent is zero, and for a nominal attribute its first value: that
/// is how Weka writes them.
fn push_sparse(attributes: &[Attribute], builders: &mut [ColumnBuilder], inside: &str, line: u64) -> Result<()> {
    let mut row: Vec<Option<Field>> = attributes.iter().map(|_| None).collect();
    let mut scanner = Scanner { rest: inside.trim() };
    while !scanner.rest.is_empty() {
        let index = scanner.field(char::is_whitespace)?.text;
        let slot = index.parse::<usize>().ok().and_then(|i| row.get_mut(i));
        let Some(slot) = slot else {
            let what = format!("found {} where the number of a column is needed", shown(index.as_bytes()));
            return Err(Error::parse(what).hint(format!("columns are counted from 0 to {}", attributes.len() - 1)));
        };
        if slot.replace(scanner.field(|c| c == ',')?).is_some() {
            return Err(Error::parse(format!("column number {index} stands twice in the row")));
        }
        scanner.separator()?;
    }
    for ((attribute, builder), field) in attributes.iter().zip(builders).zip(row) {
        let absent = || match &attribute.kind {
            Declared::Nominal { first, .. } => Field { text: first.clone(), quoted: true },
            _ => Field { text: "0".to_string(), quoted: false },
        };
        push_field(attribute, builder, &field.unwrap_or_else(absent), line)?;
    }
    Ok(())
}

fn push_field(attribute: &Attribute, builder: &mut ColumnBuilder, field: &Field, line: u64) -> Result<()> {
    let text = field.text.as_str();
    if !field.quoted && text == "?" {
        builder.push_missing();
        return Ok(());
    }
    if let Declared::Nominal { levels, .. } = &attribute.kind
        && !levels.contains(text)
    {
        if !field.quoted && is_missing(text.as_bytes()) {
            builder.push_missing();
            return Ok(());
        }
        let error = Error::data(format!("{} is not among the declared values", shown(text.as_bytes())));
        let mut known: Vec<&str> = levels.iter().map(String::as_str).collect();
        known.sort_unstable();
        return Err(match nearest(text, known) {
            Some(near) => error.hint(format!("did you mean '{near}'?")),
            None => error,
        }
        .at_column(&attribute.name));
    }
    match builder.kind() {
        Kind::Categorical if matches!(attribute.kind, Declared::Nominal { .. }) || field.quoted => {
            builder.push_level(text)
        }
        _ => builder.push_cell(text.as_bytes(), line),
    }
}

struct Field {
    text: String,
    quoted: bool,
}

/// Comma-separated fields.
fn fields(text: &str) -> Result<Vec<Field>> {
    let mut scanner = Scanner { rest: text.trim() };
    let mut fields = Vec::new();
    if scanner.rest.is_empty() {
        return Ok(fields);
    }
    loop {
        fields.push(scanner.field(|c| c == ',')?);
        if !scanner.separator()? {
            return Ok(fields);
        }
    }
}

struct Scanner<'a> {
    rest: &'a str,
}

impl Scanner<'_> {
    /// The next field: quoted by ' or " with backslash escapes, or up to a character that stops it.
    fn field(&mut self, stops: impl Fn(char) -> bool) -> Result<Field> {
        self.rest = self.rest.trim_start();
        let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            let end = self.rest.find(&stops).unwrap_or(self.rest.len());
            let (text, rest) = self.rest.split_at(end);
            self.rest = rest;
            return Ok(Field { text: text.trim().to_string(), quoted: false });
        };
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, c)) => text.push(c),
                    None => break,
                },
                c if c == quote => {
                    self.rest = self.rest[at + 1..].trim_start();
                    return Ok(Field { text, quoted: true });
                }
                c => text.push(c),
            }
        }
        Err(Error::parse("a quote opened in this row is never closed"))
    }

    /// Steps over a comma; false at the end.
    fn separator(&mut self) -> Result<bool> {
        self.rest = self.rest.trim_start();
        if self.rest.is_empty() {
            return Ok(false);
        }
        match self.rest.strip_prefix(',') {
            Some(rest) => {
                self.rest = rest.trim_start();
                Ok(true)
            }
            None => Err(Error::parse(format!("found {} where a comma is needed", shown(self.rest.as_bytes())))),
        }
    }
}
