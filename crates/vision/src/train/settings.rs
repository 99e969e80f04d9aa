//! The parameters of training, declared once; doors generate their options from the table.

use crate::haar::Kinds;
use rebelboost::error::{Error, Result, nearest};
use rebelboost::settings::{Kind, Parameter, Value};

/// What comes out of training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Stages with sums of their own (Viola and Jones 2001).
    Attentional,
    /// One chain with a threshold after each tree (Bourdev and Brandt 2005).
    Soft,
    /// One chain with the same threshold after every tree (Dollár, Appel, Kienzle 2012).
    Constant,
}

/// The parameters.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "cascade",
        kind: Kind::Choice(&["attentional", "soft", "constant"]),
        default: "attentional",
        help: "stages as Viola and Jones have them (OpenCV can read them), one chain with a threshold after each tree, or with the same threshold after every tree",
    },
    Parameter {
        name: "stages",
        kind: Kind::Integer(1, 100),
        default: "20",
        help: "stages at most; a soft cascade has as many trees as that many full stages",
    },
    Parameter {
        name: "detection",
        kind: Kind::Real(0.5, 1.0),
        default: "0.995",
        help: "share of the objects held out that a stage must let pass",
    },
    Parameter {
        name: "false-alarms",
        kind: Kind::Real(0.01, 0.95),
        default: "0.4",
        help: "a stage ends once it lets at most this share of the background pass",
    },
    Parameter { name: "stage-trees", kind: Kind::Integer(1, 5000), default: "150", help: "trees of a stage at most" },
    Parameter {
        name: "background",
        kind: Kind::Integer(50, 1_000_000),
        default: "4000",
        help: "windows without object that each stage learns from",
    },
    Parameter {
        name: "haar-features",
        kind: Kind::Integer(0, 10_000_000),
        default: "8000",
        help: "features each stage chooses from, drawn anew at random; 0 = all there are",
    },
    Parameter {
        name: "kinds",
        kind: Kind::Choice(&["basic", "core", "all"]),
        default: "basic",
        help: "kinds of Haar features: the five of Viola and Jones, also four bars and centre against surround, also tilted",
    },
    Parameter { name: "mirror", kind: Kind::Switch, default: "on", help: "learn from mirrored objects too" },
    Parameter {
        name: "variants",
        kind: Kind::Integer(0, 100),
        default: "0",
        help: "learn also from so many views of each object: a little shifted, scaled, turned, blurred and noisy, with --mirror half of them mirrored",
    },
    Parameter {
        name: "margin",
        kind: Kind::Real(0.0, 0.4),
        default: "0",
        help: "share of the images of objects at each side that is around the object, not in the window; variants look into it",
    },
    Parameter {
        name: "validation",
        kind: Kind::Real(0.05, 0.5),
        default: "0.2",
        help: "share of objects and background held out, from which the thresholds are set",
    },
    Parameter {
        name: "search",
        kind: Kind::Integer(1, 1_000_000),
        default: "500",
        help: "millions of windows of the scenes searched at most for the background of one stage",
    },
];

/// A value for each parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainSettings {
    /// What comes out.
    pub form: Form,
    /// Stages at most.
    pub stages: usize,
    /// Share of objects that pass a stage.
    pub detection: f64,
    /// Share of background at which a stage ends.
    pub false_alarms: f64,
    /// Trees of a stage at most.
    pub stage_trees: usize,
    /// Background windows of a stage.
    pub background: usize,
    /// Features of a stage; 0 = all.
    pub haar_features: usize,
    /// Kinds of features.
    pub kinds: Kinds,
    /// Whether objects are also learned mirrored.
    pub mirror: bool,
    /// Other views of each object.
    pub variants: usize,
    /// Share of the pictures of objects at each side that is not part of the window.
    pub margin: f64,
    /// Share held out.
    pub validation: f64,
    /// Windows searched at most.
    pub search: u64,
}

impl TrainSettings {
    /// The defaults of the table.
    pub fn new() -> Result<Self> {
        // Every field is overwritten by the table's default.
        let mut settings = TrainSettings {
            form: Form::Attentional,
            stages: 0,
            detection: 0.0,
            false_alarms: 0.0,
            stage_trees: 0,
            background: 0,
            haar_features: 0,
            kinds: Kinds::Basic,
            mirror: false,
            variants: 0,
            margin: 0.0,
            validation: 0.0,
            search: 0,
        };
        PARAMETERS.iter().try_for_each(|p| settings.set(p.name, p.default))?;
        Ok(settings)
    }

    /// Sets a parameter from text. An unknown name, or a value outside the range, is an error.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        let parameter = PARAMETERS.iter().find(|p| p.name == name).ok_or_else(|| {
            let error = Error::option(format!("training a detector has no option '{name}'"));
            match nearest(name, PARAMETERS.iter().map(|p| p.name)) {
                Some(near) => error.hint(format!("did you mean '{near}'?")),
                None => error,
            }
        })?;
        match (name, parameter.parse(text)?) {
            ("cascade", Value::Word(word)) => {
                self.form = match word.as_str() {
                    "soft" => Form::Soft,
                    "constant" => Form::Constant,
                    _ => Form::Attentional,
                }
            }
            ("kinds", Value::Word(word)) => self.kinds = word.parse().map_err(Error::internal)?,
            ("stages", Value::Integer(n)) => self.stages = n as usize,
            ("stage-trees", Value::Integer(n)) => self.stage_trees = n as usize,
            ("background", Value::Integer(n)) => self.background = n as usize,
            ("haar-features", Value::Integer(n)) => self.haar_features = n as usize,
            ("search", Value::Integer(n)) => self.search = n * 1_000_000,
            ("detection", Value::Real(x)) => self.detection = x,
            ("false-alarms", Value::Real(x)) => self.false_alarms = x,
            ("validation", Value::Real(x)) => self.validation = x,
            ("variants", Value::Integer(n)) => self.variants = n as usize,
            ("margin", Value::Real(x)) => self.margin = x,
            ("mirror", Value::Switch(on)) => self.mirror = on,
            _ => return Err(Error::internal(format!("the parameter '{name}' is read otherwise than declared"))),
        }
        Ok(())
    }

    /// Like [`set`](Self::set), for chains of calls.
    pub fn with(mut self, name: &str, text: impl std::fmt::Display) -> Result<Self> {
        self.set(name, &text.to_string())?;
        Ok(self)
    }
}
