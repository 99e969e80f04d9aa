//! Parameters of a built-in data set: declared once, parsed and checked before any work.

use super::Generator;
use crate::error::{Error, Result, nearest};
use std::fmt;

/// One thing that can be chosen about a built-in data set.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name, as in `rows=500`.
    pub name: &'static str,
    /// Value if none is given, as a user would write it.
    pub default: &'static str,
    /// Values allowed.
    pub range: Range,
    /// What it means, in one line.
    pub summary: &'static str,
}

/// Values a parameter may have, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Whole numbers.
    Whole(u64, u64),
    /// Numbers.
    Real(f64, f64),
}

/// Number of rows; generators set the default.
pub(super) const ROWS: Parameter =
    Parameter { name: "rows", default: "1000", range: Range::Whole(1, 10_000_000), summary: "number of rows" };
/// Number of classes; generators set the default.
pub(super) const CLASSES: Parameter =
    Parameter { name: "classes", default: "3", range: Range::Whole(2, 1000), summary: "number of classes" };
/// Number of features; generators set the default.
pub(super) const FEATURES: Parameter =
    Parameter { name: "features", default: "2", range: Range::Whole(1, 10_000), summary: "number of features" };
/// Which problem.
pub(super) const SEED: Parameter =
    Parameter { name: "seed", default: "0", range: Range::Whole(0, u64::MAX), summary: "which random problem" };
/// Which sample of the problem: a test set is another draw of the same seed.
pub(super) const DRAW: Parameter = Parameter {
    name: "draw",
    default: "0",
    range: Range::Whole(0, u64::MAX),
    summary: "which independent sample of that problem (0 to train, 1 to test, say)",
};
/// Rows with a wrong class (thesis 5.5, mislabelled training data).
pub(super) const MISLABELLED: Parameter = Parameter {
    name: "mislabelled",
    default: "0",
    range: Range::Real(0.0, 1.0),
    summary: "fraction of rows that get a wrong class",
};

/// Numbers a table may hold: 400 MB in single precision. More than that is a slip of the finger.
const MAX_CELLS: usize = 100_000_000;

/// Checked values of all parameters of one data set.
#[derive(Clone, Debug)]
pub struct Arguments {
    values: Vec<(Parameter, Value)>,
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Whole(u64),
    Real(f64),
}

impl Arguments {
    /// Reads `name=value&name=value`; what is not named keeps its default.
    pub(super) fn parse(generator: &Generator, settings: &str) -> Result<Self> {
        let mut given: Vec<(&str, &str)> = Vec::new();
        for setting in settings.split('&').filter(|s| !s.is_empty()) {
            let Some((name, text)) = setting.split_once('=') else {
                return Err(Error::option(format!("'{setting}' after '?' has no value"))
                    .hint(format!("write builtin:{}?name=value&name=value", generator.name)));
            };
            if generator.parameters.iter().all(|p| p.name != name) {
                return Err(unknown(generator, name));
            }
            if given.iter().any(|(other, _)| *other == name) {
                return Err(Error::option(format!("'{name}' is given twice")));
            }
            given.push((name, text));
        }
        let value = |p: &Parameter| {
            let text = given.iter().find(|(name, _)| *name == p.name).map_or(p.default, |(_, text)| text);
            Ok((*p, p.range.parse(text).ok_or_else(|| bad_value(p, text))?))
        };
        Ok(Arguments { values: generator.parameters.iter().map(value).collect::<Result<_>>()? })
    }

    /// The value of a whole-number parameter.
    pub fn whole(&self, name: &str) -> Result<u64> {
        match self.get(name)? {
            Value::Whole(v) => Ok(v),
            Value::Real(_) => Err(undeclared(name)),
        }
    }

    /// The value of a whole-number parameter that counts things.
    pub fn count(&self, name: &str) -> Result<usize> {
        usize::try_from(self.whole(name)?).map_err(|_| Error::option(format!("{name} is too large for this machine")))
    }

    /// The value of a real parameter.
    pub fn real(&self, name: &str) -> Result<f64> {
        match self.get(name)? {
            Value::Real(v) => Ok(v),
            Value::Whole(_) => Err(undeclared(name)),
        }
    }

    fn get(&self, name: &str) -> Result<Value> {
        self.values.iter().find(|(p, _)| p.name == name).map(|(_, v)| *v).ok_or_else(|| undeclared(name))
    }
}

/// Refuses a table that no one can mean, before anything is allocated.
pub(super) fn check_size(rows: usize, columns: usize) -> Result<()> {
    match rows.checked_mul(columns) {
        Some(cells) if cells <= MAX_CELLS => Ok(()),
        _ => Err(Error::option(format!("{rows} rows x {columns} columns are too many"))
            .hint(format!("at most {MAX_CELLS} values in all are made"))),
    }
}

impl Range {
    fn parse(self, text: &str) -> Option<Value> {
        match self {
            Range::Whole(min, max) => text.parse().ok().filter(|v| (min..=max).contains(v)).map(Value::Whole),
            // NaN is in no range.
            Range::Real(min, max) => text.parse().ok().filter(|v| (min..=max).contains(v)).map(Value::Real),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Range::Whole(min, u64::MAX) => write!(f, "a whole number from {min} on"),
            Range::Whole(min, max) => write!(f, "a whole number from {min} to {max}"),
            Range::Real(min, max) => write!(f, "a number from {min} to {max}"),
        }
    }
}

fn bad_value(parameter: &Parameter, text: &str) -> Error {
    Error::option(format!("{} is '{text}' and must be {}", parameter.name, parameter.range))
}

fn unknown(generator: &Generator, name: &str) -> Error {
    let error = Error::option(format!("the data set '{}' has no parameter '{name}'", generator.name));
    let names = || generator.parameters.iter().map(|p| p.name);
    match nearest(name, names()) {
        Some(near) => error.hint(format!("did you mean '{near}'?")),
        None if generator.parameters.is_empty() => error.hint("it takes none"),
        None => error.hint(format!("its parameters are: {}", names().collect::<Vec<_>>().join(", "))),
    }
}

fn undeclared(name: &str) -> Error {
    Error::internal(format!("a generator reads its parameter '{name}', which it does not declare so"))
}
