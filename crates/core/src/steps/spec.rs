//! A step as people write it: `cmim:20`, `pca:10,scaling=raw`. Methods declare their names and parameters once; help
//! texts, checks and documentation follow from the declarations.

use crate::error::{Error, Result, nearest};
use crate::settings::{Parameter, Value};
use std::collections::BTreeMap;
use std::fmt;

/// What a method says of itself.
#[derive(Debug)]
pub struct About {
    /// Name, as in `--method`.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// What is counted by the number after the colon, if none is given.
    pub count: usize,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// A method with its number and a value for each of its parameters.
#[derive(Clone, Debug)]
pub struct Spec {
    about: &'static About,
    /// Features to select, or to make.
    pub count: usize,
    values: BTreeMap<&'static str, Value>,
}

/// Most features that can be asked for.
const MOST: usize = 1_000_000;

impl Spec {
    /// A method with its defaults. `what` says what kind of method an unknown name should have been.
    pub fn new(name: &str, known: impl Iterator<Item = &'static About> + Clone, what: &str) -> Result<Self> {
        let about = known.clone().find(|about| about.name == name).ok_or_else(|| {
            let error = Error::option(format!("there is no {what} '{name}'"));
            match nearest(name, known.clone().map(|about| about.name)) {
                Some(near) => error.hint(format!("did you mean '{near}'?")),
                None => error.hint(format!("there are: {}", known.map(|a| a.name).collect::<Vec<_>>().join(", "))),
            }
        })?;
        let values = about.parameters.iter().map(|p| Ok((p.name, p.parse(p.default)?))).collect::<Result<_>>()?;
        Ok(Spec { about, count: about.count, values })
    }

    /// Reads `NAME[:COUNT][,PARAMETER=VALUE]...`.
    pub fn parse(text: &str, known: impl Iterator<Item = &'static About> + Clone, what: &str) -> Result<Self> {
        let mut parts = text.split(',');
        let first = parts.next().unwrap_or_default();
        let (name, count) = first.split_once(':').map_or((first, None), |(name, count)| (name, Some(count)));
        let mut spec = Spec::new(name.trim(), known, what)?;
        if let Some(count) = count {
            spec.set_count(count)?;
        }
        for part in parts {
            let (name, value) = part.split_once('=').ok_or_else(|| {
                Error::option(format!("'{part}' in '{text}' is not a parameter"))
                    .hint("write NAME:COUNT,PARAMETER=VALUE, such as cmim:20,levels=8")
            })?;
            spec.set(name.trim(), value)?;
        }
        Ok(spec)
    }

    /// Sets the number from text.
    pub fn set_count(&mut self, text: &str) -> Result<()> {
        self.count = text.trim().parse().ok().filter(|count| (1..=MOST).contains(count)).ok_or_else(|| {
            Error::option(format!("the number of features for {} cannot be '{text}'", self.about.name))
                .hint(format!("a whole number from 1 to {MOST}"))
        })?;
        Ok(())
    }

    /// Sets a parameter from text. An unknown name, or a value outside the range, is an error.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        let parameter = self.about.parameters.iter().find(|p| p.name == name).ok_or_else(|| {
            let error = Error::option(format!("{} has no parameter '{name}'", self.about.name));
            let names: Vec<&str> = self.about.parameters.iter().map(|p| p.name).collect();
            match (nearest(name, names.iter().copied()), names.is_empty()) {
                (Some(near), _) => error.hint(format!("did you mean '{near}'?")),
                (None, true) => error.hint("it has none"),
                (None, false) => error.hint(format!("its parameters are: {}", names.join(", "))),
            }
        })?;
        self.values.insert(parameter.name, parameter.parse(text)?);
        Ok(())
    }

    /// The method.
    pub fn about(&self) -> &'static About {
        self.about
    }

    /// All values, defaults included.
    pub fn values(&self) -> &BTreeMap<&'static str, Value> {
        &self.values
    }

    /// A whole number.
    pub fn integer(&self, name: &str) -> Result<usize> {
        self.integer_or_auto(name)?.ok_or_else(|| undeclared(name))
    }

    /// A whole number, or `None` for `auto`.
    pub fn integer_or_auto(&self, name: &str) -> Result<Option<usize>> {
        match self.values.get(name) {
            Some(Value::Integer(n)) => Ok(Some(*n as usize)),
            Some(Value::Word(w)) if w == "auto" => Ok(None),
            _ => Err(undeclared(name)),
        }
    }

    /// A number, or `None` for `auto`.
    pub fn real_or_auto(&self, name: &str) -> Result<Option<f64>> {
        match self.values.get(name) {
            Some(Value::Real(x)) => Ok(Some(*x)),
            Some(Value::Word(w)) if w == "auto" => Ok(None),
            _ => Err(undeclared(name)),
        }
    }

    /// A word.
    pub fn word(&self, name: &str) -> Result<&str> {
        match self.values.get(name) {
            Some(Value::Word(w)) => Ok(w),
            _ => Err(undeclared(name)),
        }
    }
}

fn undeclared(name: &str) -> Error {
    Error::internal(format!("a method reads the parameter '{name}' otherwise than declared"))
}

/// As it is parsed, without what is default.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.about.name, self.count)?;
        for parameter in self.about.parameters {
            let value = &self.values[parameter.name];
            if parameter.parse(parameter.default).ok().as_ref() != Some(value) {
                write!(f, ",{}={value}", parameter.name)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Kind;

    static ABOUT: About = About {
        name: "cmim",
        summary: "",
        paper: "",
        count: 20,
        parameters: &[Parameter { name: "levels", kind: Kind::IntegerOrAuto(2, 255), default: "auto", help: "" }],
    };

    fn parse(text: &str) -> Result<Spec> {
        Spec::parse(text, std::iter::once(&ABOUT), "filter")
    }

    #[test]
    fn what_is_written_is_read() {
        for (text, back) in [("cmim", "cmim:20"), ("cmim:7", "cmim:7"), ("cmim:7, levels=8", "cmim:7,levels=8")] {
            assert_eq!(parse(text).unwrap().to_string(), back);
        }
        assert_eq!(parse("cmim,levels=auto").unwrap().to_string(), "cmim:20");
    }

    #[test]
    fn mistakes_are_named() {
        let say = |text: &str| parse(text).unwrap_err().to_string();
        assert!(say("cmin:3").contains("did you mean 'cmim'?"));
        assert!(say("zzz").contains("there are: cmim"));
        assert!(say("cmim:0").contains("cannot be '0'"));
        assert!(say("cmim:-1").contains("cannot be '-1'"));
        assert!(say("cmim:3,8").contains("'8' in 'cmim:3,8'"));
        assert!(say("cmim:3,level=8").contains("did you mean 'levels'?"));
        assert!(say("cmim:3,levels=1").contains("2 to 255"));
    }
}
