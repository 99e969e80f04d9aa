//! Boosting's own selection: features in the order in which a booster first asks about them (lecture: some predictors
//! select while they learn).
//!
//! A booster weighs rows anew after every round, so each question is about what those before left open; copies of a
//! feature are seldom asked about. Questions of one tree count from its root. The score is the feature's share of the
//! size of all outputs, as `rebel inspect` counts it.

use super::{COUNT, Method, Ranking, Request};
use crate::booster::train;
use crate::error::{Error, Result};
use crate::explain::uses;
use crate::steps::About;

/// The method `boosting`.
pub(super) const METHOD: Method = Method {
    about: About {
        name: "boosting",
        summary: "features in the order in which a booster of trees first asks about them",
        paper: "EPFL EE-613, AdaBoost as feature selection; P. Viola and M. Jones, 2001",
        count: COUNT,
        parameters: &[],
    },
    score: "share of the size of all outputs",
    trains: true,
    rank,
};

fn rank(request: &Request<'_>) -> Result<Ranking> {
    let trained = train(request.data, request.costs, request.booster, request.context, &mut ())?;
    let model = &trained.model;
    let mut order: Vec<usize> = Vec::new();
    let mut add = |feature: u32| {
        if !order.contains(&(feature as usize)) {
            order.push(feature as usize);
        }
    };
    for term in &model.chain.terms {
        term.learner.features().into_iter().for_each(&mut add);
    }
    let algorithm = request.booster.algorithm().name;
    if order.is_empty() {
        let message = format!("{algorithm} ({}) asks about no single feature", request.booster.learner());
        return Err(Error::option(message).hint("boost trees, such as --algorithm rebel --learner tree"));
    }
    let uses = uses(model);
    let total: f64 = uses.iter().map(|used| used.weight).sum();
    let weight = |feature: usize| uses.iter().find(|used| used.feature == feature).map_or(0.0, |used| used.weight);
    let share = |feature: usize| if total > 0.0 { weight(feature) / total } else { 0.0 };
    let mut notes = Vec::new();
    if order.len() < request.count {
        let asked = order.len();
        let rounds = model.chain.learners();
        notes
            .push(format!("in {rounds} rounds {algorithm} asked about {asked} features only; more rounds find more"));
    }
    let ranked = order.into_iter().take(request.count).map(|feature| (feature, share(feature))).collect();
    Ok(Ranking { ranked, notes })
}
