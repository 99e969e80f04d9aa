//! What a person sees: the row, why it is asked, the classes to choose from.

use super::answer::numbered;
use crate::output::{Output, percent, plural};
use rebelboost::active::{ActiveLearner, Query};
use rebelboost::data::Table;
use rebelboost::error::nearest;
use rebelboost::{Error, Result};

/// Columns shown when none are chosen.
const MOST_COLUMNS: usize = 40;
/// Characters of a value that are shown.
const MOST_TEXT: usize = 200;
/// Width of the list of classes.
const WIDTH: usize = 78;
/// Random rows without which an estimated error says nothing.
const FEW_ROWS: usize = 5;

/// Which columns are shown.
pub struct Screen<'a> {
    table: &'a Table,
    columns: Vec<usize>,
    more: usize,
    width: usize,
}

impl<'a> Screen<'a> {
    /// All columns but those of another use, or the chosen ones.
    pub fn new(table: &'a Table, chosen: &[String], hidden: &[&str]) -> Result<Self> {
        let mut columns = Vec::new();
        for name in chosen {
            columns.push(table.position(name).ok_or_else(|| {
                let error = Error::option(format!("there is no column '{name}' to show"));
                match nearest(name, table.names().iter().map(String::as_str)) {
                    Some(near) => error.hint(format!("did you mean '{near}'?")),
                    None => error,
                }
            })?);
        }
        if chosen.is_empty() {
            columns = (0..table.names().len()).filter(|&i| !hidden.contains(&table.names()[i].as_str())).collect();
        }
        let all = columns.len();
        if chosen.is_empty() {
            columns.truncate(MOST_COLUMNS);
        }
        let width = columns.iter().map(|&i| table.names()[i].chars().count()).max().unwrap_or(0).min(40);
        Ok(Screen { table, more: all - columns.len(), columns, width })
    }

    /// A question: `row` is that of the table.
    pub fn question(&self, query: &Query, row: usize, learner: &ActiveLearner<'_>, output: &Output) -> String {
        let head = output.bold(format!("Row {}", row + 1));
        let mut text = format!("\n{head}   {}\nAsked because {}.\n\n", status(learner), query.reason.words());
        for &column in &self.columns {
            let value = self.table.columns()[column].text(row);
            let value = if value.is_empty() { "(missing)".into() } else { shortened(&value) };
            let name = &self.table.names()[column];
            text += &format!("  {name:width$}  {value}\n", width = self.width);
        }
        if self.more > 0 {
            text += &format!("  ... and {} (--show chooses)\n", plural(self.more, "more column"));
        }
        text + "\n" + &menu(learner)
    }
}

/// How far the work is.
pub fn status(learner: &ActiveLearner<'_>) -> String {
    let labelled: usize = learner.counts().iter().sum();
    let skipped = match learner.skipped() {
        0 => String::new(),
        n => format!(", {n} skipped"),
    };
    let error = match learner.estimate().filter(|e| e.rows >= FEW_ROWS) {
        Some(e) => {
            let (low, high) = e.interval();
            let interval = format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high);
            format!("   estimated error {} ({interval}; {} random rows)", percent(e.error()), e.rows)
        }
        None => String::new(),
    };
    format!("{labelled} labelled, {} left{skipped}{error}", learner.open())
}

/// The classes with their keys, and the commands.
fn menu(learner: &ActiveLearner<'_>) -> String {
    let classes = learner.classes();
    let numbers = numbered(classes);
    let entries = classes.iter().zip(learner.counts()).enumerate().map(|(i, (name, count))| match numbers {
        true => format!("{} {name} ({count})", i + 1),
        false => format!("{name} ({count})"),
    });
    let mut lines: Vec<String> = Vec::new();
    for entry in entries {
        let entry = format!("  {entry} ");
        match lines.last_mut().filter(|line| line.chars().count() + entry.chars().count() <= WIDTH) {
            Some(line) => *line += &entry,
            None => lines.push(entry),
        }
    }
    let classes = lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n");
    let head = if classes.is_empty() { "  type the name of its class".to_string() } else { classes };
    format!("{head}\n  s skip   u undo   q quit   ? help\n> ")
}

fn shortened(value: &str) -> String {
    let value = value.replace(['\n', '\r', '\t'], " ");
    if value.chars().count() <= MOST_TEXT {
        return value;
    }
    value.chars().take(MOST_TEXT - 3).collect::<String>() + "..."
}

/// What can be typed.
pub const HELP: &str = "
  1-9        the class of that number, at once (names that begin with digits: the name instead)
  NAME       the class of that name; a new name is added after a question
  s  skip    leave this row; it is not asked again
  u  undo    take the last answer back, as often as you like
  q  quit    end; the same command goes on later
  A class that is called like a command wins: then write :skip, :undo, :quit.
";
