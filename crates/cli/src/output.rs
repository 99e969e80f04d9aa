//! What the user sees: words, tables and JSON, each on the right stream. No escape codes unless a terminal reads them.

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
use rebelboost::{Error, Result};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

/// Where words and results go.
pub struct Output {
    json: bool,
    quiet: bool,
    to_stderr: Cell<bool>,
    failed: RefCell<Option<io::Error>>,
}

impl Output {
    /// Words go to standard output, or to standard error if JSON goes there.
    pub fn new(json: bool, quiet: bool) -> Self {
        Output { json, quiet, to_stderr: Cell::new(json), failed: RefCell::new(None) }
    }

    /// Whether `--json` was given.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Whether `--quiet` was given.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Keeps standard output free for data: words go to standard error from now on.
    pub fn reserve_stdout(&self) {
        self.to_stderr.set(true);
    }

    /// Words that explain; left out by `--quiet`.
    pub fn say(&self, text: impl Display) {
        if !self.quiet {
            self.words(&text.to_string());
        }
    }

    /// The same, set off as a heading.
    pub fn heading(&self, text: impl Display) {
        self.say(format!("\n{}", self.bold(text)));
    }

    /// Text set off, where escape codes are welcome.
    pub fn bold(&self, text: impl Display) -> String {
        let bold = if self.to_stderr.get() { colourful(&io::stderr()) } else { colourful(&io::stdout()) };
        if bold { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() }
    }

    /// A question, or a part of one: printed as it is and at once, also with `--quiet`.
    pub fn ask(&self, text: &str) {
        if self.to_stderr.get() {
            let _ = write!(io::stderr().lock(), "{text}");
        } else {
            self.write(|out| write!(out, "{text}"));
        }
    }

    /// Things worth knowing, one a line.
    pub fn notes(&self, notes: &[String]) {
        notes.iter().for_each(|note| self.say(format!("Note: {note}.")));
    }

    /// What was asked for, as text: also printed with `--quiet`, but not beside JSON.
    pub fn result(&self, text: impl Display) {
        if !self.json {
            self.words(&text.to_string());
        }
    }

    /// What was asked for, as JSON, if `--json` was given.
    pub fn object(&self, value: &Value) {
        if self.json {
            self.write(|out| writeln!(out, "{value}"));
        }
    }

    /// Help, on standard error.
    pub fn help(&self, text: &str) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// An error, as one line on standard error.
    pub fn error(&self, error: &Error) {
        let text = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(io::stderr().lock(), "error: {text}");
    }

    /// Data on standard output.
    pub fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        let mut out = io::BufWriter::new(Closable { out: io::stdout().lock(), closed: false });
        let result = write(&mut out).and_then(|()| out.flush());
        // What is left in the buffer has nowhere to go.
        let (out, _) = out.into_parts();
        if !out.closed {
            self.keep(result);
        }
    }

    /// Whether all could be printed.
    pub fn finish(&self) -> Result<()> {
        self.failed.take().map_or(Ok(()), |error| Err(Error::io("cannot write to standard output", error)))
    }

    fn words(&self, text: &str) {
        if self.to_stderr.get() {
            let _ = writeln!(io::stderr().lock(), "{text}");
        } else {
            self.write(|out| writeln!(out, "{text}"));
        }
    }

    fn keep(&self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failed.borrow_mut().get_or_insert(error);
        }
    }
}

/// A stream that remembers whether its reader went away: one that has seen enough (`| head`) is no error.
struct Closable<W> {
    out: W,
    closed: bool,
}

impl<W: Write> Write for Closable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.closed |= written.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::BrokenPipe);
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.closed |= flushed.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::BrokenPipe);
        flushed
    }
}

/// Whether escape codes are welcome (https://no-color.org).
fn colourful(stream: &impl IsTerminal) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    stream.is_terminal() && !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A table with aligned columns: the first `left` to the left, the others to the right.
pub fn table(header: Vec<String>, rows: Vec<Vec<String>>, left: usize) -> String {
    let mut table = Table::new();
    let line = LineStyle::none().fill('─').junction('─');
    table.load_style(TableStyle::new().header_separator(line)).set_header(header);
    table.add_rows(rows);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_cell_alignment(if i < left { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// A fraction in percent.
pub fn percent(fraction: f64) -> String {
    if fraction.is_finite() { format!("{:.2} %", 100.0 * fraction) } else { "unknown".into() }
}

/// A measured number, short.
pub fn number(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => "unknown".into(),
        0.0 => "0".into(),
        size if !(1e-4..1e6).contains(&size) => format!("{value:.3e}"),
        _ => format!("{value:.4}"),
    }
}

/// A weighted count: whole numbers without a fraction.
pub fn count(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// `1 row`, `2 rows`.
pub fn plural(count: usize, noun: &str) -> String {
    match (count, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "class") => format!("{count} classes"),
        (_, "category") => format!("{count} categories"),
        _ => format!("{count} {noun}s"),
    }
}

/// The first names of a list, and how many more there are.
pub fn preview(names: &[String], most: usize) -> String {
    match names.len() {
        n if n > most => format!("{} and {} more", names[..most].join(", "), n - most),
        _ => names.join(", "),
    }
}
