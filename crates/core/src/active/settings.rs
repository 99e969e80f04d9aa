//! The parameters of active learning, declared once; doors generate their options from the table.

use crate::error::{Error, Result, nearest};
use crate::settings::{Kind, Parameter, Value};
use serde::{Deserialize, Serialize};

/// How rows are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Smallest distance between the two largest scores (Algorithm 4).
    Margin,
    /// Largest entropy of the probabilities.
    Entropy,
    /// Most disagreement in a committee of bagged chains (Seung, Opper, Sompolinsky 1992; vote entropy).
    Vote,
    /// Largest expected cost of the best answer.
    ExpectedCost,
    /// No judgement: the baseline.
    Random,
}

/// How a simulation chooses its first rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seeding {
    /// As many of each class as possible.
    Stratified,
    /// At random, as in Algorithm 4.
    Random,
}

const STRATEGIES: &[(&str, Strategy)] = &[
    ("margin", Strategy::Margin),
    ("entropy", Strategy::Entropy),
    ("vote", Strategy::Vote),
    ("expected-cost", Strategy::ExpectedCost),
    ("random", Strategy::Random),
];

impl Strategy {
    /// Its name, as in `--strategy`.
    pub fn name(self) -> &'static str {
        STRATEGIES.iter().find(|(_, s)| *s == self).map_or("", |(name, _)| name)
    }
}

/// The parameters.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "strategy",
        kind: Kind::Choice(&["margin", "entropy", "vote", "expected-cost", "random"]),
        default: "margin",
        help: "how rows are chosen: smallest margin between two classes, largest entropy, most disagreement in a committee, largest expected cost (needs costs), or at random",
    },
    Parameter {
        name: "batch",
        kind: Kind::Integer(1, 100_000),
        default: "5",
        help: "rows to ask for before the model is trained again (R of Algorithm 4)",
    },
    Parameter {
        name: "seed-rows",
        kind: Kind::IntegerOrAuto(2, 1_000_000),
        default: "auto",
        help: "random rows to begin with; auto = 10, or two a class if that is more",
    },
    Parameter {
        name: "seeding",
        kind: Kind::Choice(&["stratified", "random"]),
        default: "stratified",
        help: "first rows of a simulation: as many of each class as possible, or at random; without known classes always at random",
    },
    Parameter {
        name: "pool-sample",
        kind: Kind::Integer(10, 100_000_000),
        default: "10000",
        help: "rows of the pool that are judged a batch: a random part if more are left",
    },
    Parameter {
        name: "diversity",
        kind: Kind::Real(0.0, 1.0),
        default: "0.1",
        help: "rows of a batch are at least this far apart, as a share of the distance of two random rows; 0 = anything goes",
    },
    Parameter {
        name: "committee",
        kind: Kind::Integer(2, 100),
        default: "5",
        help: "members of the committee, for the strategy vote",
    },
    Parameter {
        name: "check",
        kind: Kind::Integer(0, 1_000_000),
        default: "10",
        help: "every so many rows one is drawn at random, so that the error can be estimated without bias; 0 = never",
    },
    Parameter {
        name: "estimate",
        kind: Kind::Switch,
        default: "on",
        help: "estimate the error by cross-validation after every batch",
    },
];

/// A value for each parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActiveSettings {
    /// How rows are judged.
    pub strategy: Strategy,
    /// Rows between two trainings.
    pub batch: usize,
    /// Rows to begin with; `None` = by the number of classes.
    pub seed_rows: Option<usize>,
    /// First rows of a simulation.
    pub seeding: Seeding,
    /// Rows judged at most.
    pub pool_sample: usize,
    /// Least distance within a batch.
    pub diversity: f64,
    /// Members of a committee.
    pub committee: usize,
    /// Every so many rows one is random; 0 = never.
    pub check: usize,
    /// Whether the error is estimated.
    pub estimate: bool,
}

impl ActiveSettings {
    /// The defaults of the table.
    pub fn new() -> Result<Self> {
        // Every field is overwritten by the table's default.
        let mut settings = ActiveSettings {
            strategy: Strategy::Margin,
            batch: 0,
            seed_rows: None,
            seeding: Seeding::Stratified,
            pool_sample: 0,
            diversity: 0.0,
            committee: 0,
            check: 0,
            estimate: false,
        };
        PARAMETERS.iter().try_for_each(|p| settings.set(p.name, p.default))?;
        Ok(settings)
    }

    /// Sets a parameter from text. An unknown name, or a value outside the range, is an error.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        match (name, find(PARAMETERS, name)?.parse(text)?) {
            ("strategy", Value::Word(w)) => {
                let found = STRATEGIES.iter().find(|(name, _)| *name == w);
                self.strategy = found.map(|(_, s)| *s).ok_or_else(|| undeclared(name))?;
            }
            ("seeding", Value::Word(w)) => {
                self.seeding = if w == "random" { Seeding::Random } else { Seeding::Stratified };
            }
            ("seed-rows", Value::Word(_)) => self.seed_rows = None,
            ("seed-rows", Value::Integer(n)) => self.seed_rows = Some(n as usize),
            ("batch", Value::Integer(n)) => self.batch = n as usize,
            ("pool-sample", Value::Integer(n)) => self.pool_sample = n as usize,
            ("committee", Value::Integer(n)) => self.committee = n as usize,
            ("check", Value::Integer(n)) => self.check = n as usize,
            ("diversity", Value::Real(x)) => self.diversity = x,
            ("estimate", Value::Switch(on)) => self.estimate = on,
            _ => return Err(undeclared(name)),
        }
        Ok(())
    }

    /// Like [`set`](Self::set), for chains of calls.
    pub fn with(mut self, name: &str, text: impl std::fmt::Display) -> Result<Self> {
        self.set(name, &text.to_string())?;
        Ok(self)
    }

    /// Rows to begin with when this many classes are known.
    pub fn seed_rows_for(&self, classes: usize) -> usize {
        self.seed_rows.unwrap_or((2 * classes).max(10))
    }
}

/// The parameter of this name.
pub(super) fn find(table: &'static [Parameter], name: &str) -> Result<&'static Parameter> {
    table.iter().find(|p| p.name == name).ok_or_else(|| {
        let error = Error::option(format!("active learning has no option '{name}'"));
        match nearest(name, table.iter().map(|p| p.name)) {
            Some(near) => error.hint(format!("did you mean '{near}'?")),
            None => error,
        }
    })
}

pub(super) fn undeclared(name: &str) -> Error {
    Error::internal(format!("the parameter '{name}' is read otherwise than declared"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_can_be_set_and_names_every_strategy() {
        let defaults = ActiveSettings::new().unwrap();
        assert_eq!((defaults.batch, defaults.check, defaults.estimate), (5, 10, true));
        for (name, strategy) in STRATEGIES {
            let set = defaults.clone().with("strategy", name).unwrap();
            assert_eq!((set.strategy, set.strategy.name()), (*strategy, *name));
        }
        let names: Vec<&str> = STRATEGIES.iter().map(|(name, _)| *name).collect();
        assert!(matches!(find(PARAMETERS, "strategy").unwrap().kind, Kind::Choice(words) if words == names));
        assert!(defaults.clone().with("strateggy", "margin").unwrap_err().to_string().contains("strategy"));
        assert!(defaults.with("batch", 0).is_err());
    }

    #[test]
    fn names_differ_from_those_of_algorithms() {
        for parameter in PARAMETERS.iter().chain(super::super::SIMULATION_PARAMETERS) {
            assert!(crate::registry::all_parameters().iter().all(|p| p.name != parameter.name), "{}", parameter.name);
        }
    }
}
