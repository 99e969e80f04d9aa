//! The error every crate of the workspace returns.
//!
//! One pointer wide (the manner of rust-csv): the happy path pays nothing for a rich error. An error knows its
//! *kind* (what a program should do about it), its *place* (file, line, column, as far as known) and, in plain
//! words, what was found and what to do. Nothing in the libraries prints or exits; the doors turn an error into an
//! exit code or an exception.

use std::fmt;

/// A `Result` with RebelBoost's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, where, and what to do about it.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    place: Place,
    message: String,
    hint: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The class of an error, for programs that react to it.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A file could not be opened, read or written.
    Io,
    /// The text or bytes of a data file are malformed.
    Parse,
    /// The data were read but cannot be trained on or predicted.
    Data,
    /// A cost matrix or taxonomy is not usable.
    Costs,
    /// An option has an unknown name or an impossible value.
    Option,
    /// A model file is damaged, foreign or too new.
    Model,
    /// A limit (memory, size) would be exceeded.
    Limit,
    /// A fault of ours: never the user's.
    Internal,
}

/// Where an error was found. Every part is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// File name as the user gave it.
    pub file: Option<String>,
    /// Line, counted from 1.
    pub line: Option<u64>,
    /// Column name, or its number counted from 1.
    pub column: Option<String>,
}

impl Error {
    /// An error of this kind; `message` says what was found.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(Inner { kind, place: Place::default(), message: message.into(), hint: None, source: None }))
    }

    /// [`ErrorKind::Data`].
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data, message)
    }

    /// [`ErrorKind::Parse`].
    pub fn parse(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Parse, message)
    }

    /// [`ErrorKind::Costs`].
    pub fn costs(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Costs, message)
    }

    /// [`ErrorKind::Option`].
    pub fn option(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Option, message)
    }

    /// [`ErrorKind::Model`].
    pub fn model(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Model, message)
    }

    /// [`ErrorKind::Internal`].
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// [`ErrorKind::Io`] with its cause, whose text becomes part of the message.
    pub fn io(what: impl fmt::Display, source: std::io::Error) -> Self {
        let mut error = Self::new(ErrorKind::Io, format!("{what}: {source}"));
        error.0.source = Some(Box::new(source));
        error
    }

    /// Adds the file, unless one is known already (the innermost place is the most exact).
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.0.place.file.get_or_insert_with(|| file.into());
        self
    }

    /// Adds the line (from 1), unless known.
    pub fn at_line(mut self, line: u64) -> Self {
        self.0.place.line.get_or_insert(line);
        self
    }

    /// Adds the column's name, unless known.
    pub fn at_column(mut self, column: impl Into<String>) -> Self {
        self.0.place.column.get_or_insert_with(|| column.into());
        self
    }

    /// Adds what the user can do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint.get_or_insert_with(|| hint.into());
        self
    }

    /// The class of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where it was found.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// What was found, without place and hint.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, column } = &self.0.place;
        let mut parts = Vec::new();
        parts.extend(file.clone());
        parts.extend(line.map(|l| format!("line {l}")));
        parts.extend(column.as_ref().map(|c| format!("column '{c}'")));
        if !parts.is_empty() {
            write!(f, "{}: ", parts.join(", "))?;
        }
        f.write_str(&self.0.message)?;
        if let Some(hint) = &self.0.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|s| s as _)
    }
}

/// The known name nearest to a misspelt one, if any is near enough to suggest.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    known
        .into_iter()
        .map(|name| (edit_distance(&wanted, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count().max(wanted.chars().count()) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_one_pointer_wide() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
    }

    #[test]
    fn says_place_message_and_hint() {
        let error = Error::parse("found 'x'").at_column("age").at_line(3).in_file("a.csv").hint("use numbers");
        assert_eq!(error.to_string(), "a.csv, line 3, column 'age': found 'x'; use numbers");
    }

    #[test]
    fn nearest_name_is_found_or_not_forced() {
        assert_eq!(nearest("spesies", ["island", "species"]), Some("species"));
        assert_eq!(nearest("zzzzzz", ["island", "species"]), None);
    }
}
