//! Which features carry the information? Filters, wrappers and boosting's own choice, as one table of methods.
//!
//! Lecture: F. Fleuret, "Feature selection and Boosting", EPFL EE-613 (2019), first half. A method ranks features; what
//! it asks of the data differs:
//!
//! | | missing values | categories | weights |
//! |---|---|---|---|
//! | `cmim`, `mim` | a value of their own | exact (the 255 commonest levels) | yes |
//! | `fisher`, `ks` | left out | by levels | yes |
//! | `forward`, `backward`, `boosting` | as the booster does | as the booster does | yes |
//!
//! To add a method: a file that declares a [`Method`], and one line in [`METHODS`].

pub mod cmim;
mod codes;
pub mod embedded;
pub mod fisher;
pub mod information;
pub mod kolmogorov;
mod packed;
pub mod random;
mod redundancy;
pub mod wrapper;

pub use redundancy::Redundancy;

use crate::context::Context;
use crate::data::{CostMatrix, Dataset};
use crate::error::{Error, ErrorKind, Result};
use crate::settings::{Kind, Parameter, Settings};
use crate::steps::{About, Spec};

/// A registered method of selection.
pub struct Method {
    /// Name, paper and parameters.
    pub about: About,
    /// What its score is, in words.
    pub score: &'static str,
    /// Whether it trains a booster.
    pub trains: bool,
    /// Ranks features, the best first.
    pub(crate) rank: fn(&Request<'_>) -> Result<Ranking>,
}

/// All methods, the default first.
pub static METHODS: &[Method] = &[
    cmim::METHOD,
    information::METHOD,
    fisher::METHOD,
    kolmogorov::METHOD,
    embedded::METHOD,
    wrapper::FORWARD,
    wrapper::BACKWARD,
    random::METHOD,
];

/// Parameters of all methods, each once.
pub fn all_parameters() -> Vec<&'static Parameter> {
    let mut all: Vec<&'static Parameter> = Vec::new();
    for parameter in METHODS.iter().flat_map(|method| method.about.parameters) {
        if all.iter().all(|p| p.name != parameter.name) {
            all.push(parameter);
        }
    }
    all
}

/// `levels`.
pub(crate) const LEVELS: Parameter = Parameter {
    name: "levels",
    kind: Kind::IntegerOrAuto(2, 255),
    default: "auto",
    help: "values that a numeric feature is cut into, by quantiles; auto = as many as leave ten rows for each count",
};

/// Features to keep where nobody says.
pub(crate) const COUNT: usize = 20;

/// A selection to be made.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Method, number and parameters.
    pub spec: Spec,
    /// What wrappers and `boosting` train.
    pub booster: Settings,
}

impl Plan {
    /// Reads `NAME[:COUNT][,PARAMETER=VALUE]...`, such as `cmim:20`.
    pub fn parse(text: &str) -> Result<Self> {
        let spec = Spec::parse(text, METHODS.iter().map(|method| &method.about), "method of selection")?;
        Ok(Plan { spec, booster: booster()? })
    }

    /// The method.
    pub fn method(&self) -> &'static Method {
        let name = self.spec.about().name;
        METHODS.iter().find(|method| method.about.name == name).unwrap_or(&METHODS[0])
    }
}

/// What wrappers and `boosting` train unless told otherwise: REBEL, with fewer rounds than for a model of its own,
/// since a wrapper trains hundreds of them.
pub fn booster() -> Result<Settings> {
    Settings::new("rebel")?.with("rounds", 50)?.with("min-rounds", 1)
}

/// What a method works on.
pub(crate) struct Request<'a> {
    pub data: &'a Dataset,
    pub costs: Option<&'a CostMatrix>,
    pub count: usize,
    pub spec: &'a Spec,
    pub booster: &'a Settings,
    pub context: &'a Context,
}

/// Features by rank, with their scores.
#[derive(Default)]
pub(crate) struct Ranking {
    pub ranked: Vec<(usize, f64)>,
    pub notes: Vec<String>,
}

impl Ranking {
    /// The highest scores first, ties by position.
    fn by_score(scores: &[f64], count: usize) -> Self {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        let ranked = order.into_iter().take(count).map(|feature| (feature, scores[feature])).collect();
        Ranking { ranked, notes: Vec::new() }
    }
}

/// A selected feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Position among the features of the data.
    pub feature: usize,
    /// Score, as the method counts it.
    pub score: f64,
    /// How much of what it says of the class is said by one feature before it.
    pub redundancy: Option<Redundancy>,
}

/// Selected features, the best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The features.
    pub ranked: Vec<Ranked>,
    /// Things worth knowing, in plain words.
    pub notes: Vec<String>,
}

/// Ranks features. `costs` count only where a booster is trained.
pub fn select(data: &Dataset, plan: &Plan, costs: Option<&CostMatrix>, context: &Context) -> Result<Selection> {
    let features = data.schema.features.len();
    let mut notes = Vec::new();
    if plan.spec.count > features {
        notes.push(format!("there are only {features} features, so all of them are ranked"));
    }
    let request = Request {
        data,
        costs,
        count: plan.spec.count.min(features),
        spec: &plan.spec,
        booster: &plan.booster,
        context,
    };
    let ranking = (plan.method().rank)(&request)?;
    notes.extend(ranking.notes);
    if ranking.ranked.is_empty() && context.asked_to_stop().is_some() {
        let message = format!("{} was stopped before it had selected a feature", plan.spec.about().name);
        return Err(Error::new(ErrorKind::Limit, message).hint("give it more time, or use a filter such as cmim"));
    }
    if ranking.ranked.is_empty() {
        return Err(Error::data(format!("{} selected no feature", plan.spec.about().name)));
    }
    let chosen: Vec<usize> = ranking.ranked.iter().map(|(feature, _)| *feature).collect();
    let redundancies = redundancy::of(data, &chosen, context);
    let ranked = (ranking.ranked.into_iter().zip(redundancies))
        .map(|((feature, score), redundancy)| Ranked { feature, score, redundancy })
        .collect();
    Ok(Selection { ranked, notes })
}

impl Selection {
    /// The data with these features only, in the order of the ranking.
    pub fn reduce(&self, data: &Dataset) -> Dataset {
        data.with_features(&self.ranked.iter().map(|ranked| ranked.feature).collect::<Vec<_>>())
    }
}
