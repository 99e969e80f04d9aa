//! Checked settings: every parameter is declared once, here or by its algorithm, with default, range and text. The
//! doors (command line, Python) generate their options from these tables and hold no defaults of their own.

use crate::error::{Error, Result, nearest};
use crate::registry::{ALGORITHMS, Algorithm};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A declared parameter.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name, as in `--name`.
    pub name: &'static str,
    /// Type and range.
    pub kind: Kind,
    /// Default, as text.
    pub default: &'static str,
    /// One line for people.
    pub help: &'static str,
}

/// Type and range of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A whole number in this range.
    Integer(u64, u64),
    /// A whole number in this range, or `auto`.
    IntegerOrAuto(u64, u64),
    /// A number in this range.
    Real(f64, f64),
    /// A number in this range, or `auto`.
    RealOrAuto(f64, f64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these words, or a matrix of +1, -1 and 0 as text, kept as `+-0;...`.
    ChoiceOrSigns(&'static [&'static str]),
    /// `on` or `off`.
    Switch,
}

/// A parameter's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// On or off.
    Switch(bool),
    /// A whole number.
    Integer(u64),
    /// A number.
    Real(f64),
    /// A word.
    Word(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Switch(true) => f.write_str("on"),
            Value::Switch(false) => f.write_str("off"),
            Value::Integer(n) => n.fmt(f),
            Value::Real(x) => x.fmt(f),
            Value::Word(w) => w.fmt(f),
        }
    }
}

/// An algorithm with a value for each of its parameters.
#[derive(Clone, Debug)]
pub struct Settings {
    algorithm: &'static Algorithm,
    values: BTreeMap<&'static str, Value>,
}

impl Settings {
    /// An algorithm with its defaults.
    pub fn new(algorithm: &str) -> Result<Self> {
        let algorithm = ALGORITHMS.iter().find(|a| a.name == algorithm).ok_or_else(|| {
            let names = || ALGORITHMS.iter().map(|a| a.name);
            let error = Error::option(format!("there is no algorithm '{algorithm}'"));
            match nearest(algorithm, names()) {
                Some(near) => error.hint(format!("did you mean '{near}'?")),
                None => error.hint(format!("the algorithms are: {}", names().collect::<Vec<_>>().join(", "))),
            }
        })?;
        let values =
            algorithm.parameters().map(|p| Ok((p.name, p.parse(p.default)?))).collect::<Result<BTreeMap<_, _>>>()?;
        Ok(Settings { algorithm, values })
    }

    /// Sets a parameter from text. An unknown name, or a value outside the range, is an error.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        let parameter = self.algorithm.parameters().find(|p| p.name == name).ok_or_else(|| {
            let error = Error::option(format!("{} has no option '{name}'", self.algorithm.name));
            match nearest(name, self.algorithm.parameters().map(|p| p.name)) {
                Some(near) => error.hint(format!("did you mean '{near}'?")),
                None => error.hint(format!("'rebel algorithms {}' lists its options", self.algorithm.name)),
            }
        })?;
        self.values.insert(parameter.name, parameter.parse(text)?);
        Ok(())
    }

    /// Like [`set`](Self::set), for chains of calls.
    pub fn with(mut self, name: &str, text: impl fmt::Display) -> Result<Self> {
        self.set(name, &text.to_string())?;
        Ok(self)
    }

    /// The algorithm.
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// All values, defaults included.
    pub fn values(&self) -> &BTreeMap<&'static str, Value> {
        &self.values
    }

    /// A whole number.
    pub fn integer(&self, name: &str) -> Result<usize> {
        match self.values.get(name) {
            Some(Value::Integer(n)) => Ok(*n as usize),
            other => Err(undeclared(name, other)),
        }
    }

    /// A whole number, or `None` for `auto`.
    pub fn integer_or_auto(&self, name: &str) -> Result<Option<usize>> {
        match self.values.get(name) {
            Some(Value::Integer(n)) => Ok(Some(*n as usize)),
            Some(Value::Word(w)) if w == "auto" => Ok(None),
            other => Err(undeclared(name, other)),
        }
    }

    /// A number.
    pub fn real(&self, name: &str) -> Result<f64> {
        self.real_or_auto(name)?.ok_or_else(|| undeclared(name, None))
    }

    /// A number, or `None` for `auto`.
    pub fn real_or_auto(&self, name: &str) -> Result<Option<f64>> {
        match self.values.get(name) {
            Some(Value::Real(x)) => Ok(Some(*x)),
            Some(Value::Word(w)) if w == "auto" => Ok(None),
            other => Err(undeclared(name, other)),
        }
    }

    /// A word.
    pub fn word(&self, name: &str) -> Result<&str> {
        match self.values.get(name) {
            Some(Value::Word(w)) => Ok(w),
            other => Err(undeclared(name, other)),
        }
    }

    /// The weak learner: the one that was chosen, or the only one there is.
    pub fn learner(&self) -> &str {
        self.word("learner").unwrap_or(self.algorithm.learners[0])
    }

    /// A switch.
    pub fn switch(&self, name: &str) -> Result<bool> {
        match self.values.get(name) {
            Some(Value::Switch(on)) => Ok(*on),
            other => Err(undeclared(name, other)),
        }
    }
}

/// A matrix of +1, -1 and 0 as `+-0;...`. Rows end with a line or a semicolon; entries may stand apart.
fn signs(text: &str) -> std::result::Result<String, String> {
    let row = |(number, line): (usize, &str)| {
        let mut signs = String::new();
        let mut rest = line;
        while !rest.is_empty() {
            let known = [("+1", '+'), ("-1", '-'), ("+", '+'), ("-", '-'), ("1", '+'), ("0", '0')];
            let separators = [' ', '\t', '\r', ','];
            match known.iter().find(|(written, _)| rest.starts_with(written)) {
                Some((written, sign)) => {
                    signs.push(*sign);
                    rest = &rest[written.len()..];
                }
                None if rest.starts_with(separators) => rest = &rest[1..],
                None => {
                    let found: String = rest.chars().take_while(|c| !separators.contains(c)).take(20).collect();
                    return Err(format!("'{found}' in row {number} is none of +1, -1 and 0"));
                }
            }
        }
        Ok(signs)
    };
    let lines = text.split([';', '\n']).filter(|line| !line.trim().is_empty());
    let rows = (1..).zip(lines).map(row).collect::<std::result::Result<Vec<_>, _>>()?;
    match rows.iter().position(|row| row.len() != rows[0].len()) {
        Some(at) => Err(format!(
            "row {} of the matrix has {} entries, and row 1 has {}",
            at + 1,
            rows[at].len(),
            rows[0].len()
        )),
        None => Ok(rows.join(";")),
    }
}

fn undeclared(name: &str, found: Option<&Value>) -> Error {
    Error::internal(format!("an algorithm reads the parameter '{name}' otherwise than declared ({found:?})"))
}

impl Parameter {
    /// Reads and checks a value.
    pub fn parse(&self, text: &str) -> Result<Value> {
        let text = text.trim();
        let refuse = || Error::option(format!("--{} cannot be '{text}'", self.name)).hint(self.range());
        match self.kind {
            Kind::RealOrAuto(..) | Kind::IntegerOrAuto(..) if text == "auto" => Ok(Value::Word("auto".into())),
            Kind::Integer(low, high) | Kind::IntegerOrAuto(low, high) => {
                text.parse().ok().filter(|n| (low..=high).contains(n)).map(Value::Integer).ok_or_else(refuse)
            }
            Kind::Real(low, high) | Kind::RealOrAuto(low, high) => {
                text.parse().ok().filter(|x| (low..=high).contains(x)).map(Value::Real).ok_or_else(refuse)
            }
            Kind::Choice(words) => {
                words.iter().find(|w| **w == text).map(|w| Value::Word(w.to_string())).ok_or_else(refuse)
            }
            Kind::ChoiceOrSigns(words) => match words.iter().find(|w| **w == text) {
                Some(word) => Ok(Value::Word(word.to_string())),
                None if text.contains([';', '\n']) => {
                    signs(text).map(Value::Word).map_err(|what| Error::option(format!("--{}: {what}", self.name)))
                }
                None => Err(refuse()),
            },
            Kind::Switch => match text {
                "on" | "true" | "yes" => Ok(Value::Switch(true)),
                "off" | "false" | "no" => Ok(Value::Switch(false)),
                _ => Err(refuse()),
            },
        }
    }

    /// What it accepts, in words.
    pub fn range(&self) -> String {
        match self.kind {
            Kind::Integer(low, high) => format!("a whole number from {low} to {high}"),
            Kind::IntegerOrAuto(low, high) => format!("auto, or a whole number from {low} to {high}"),
            Kind::Real(low, high) => format!("a number from {low} to {high}"),
            Kind::RealOrAuto(low, high) => format!("auto, or a number from {low} to {high}"),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
            Kind::ChoiceOrSigns(words) => {
                format!("one of {}, or a matrix such as \"+-0;0+-;-0+\", one row a class", words.join(", "))
            }
            Kind::Switch => "on or off".into(),
        }
    }
}
