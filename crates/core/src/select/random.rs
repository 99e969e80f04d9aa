//! Features at random: the baseline that every method must beat (lecture, last row of its table).

use super::{COUNT, Method, Ranking, Request};
use crate::data::synthetic::random::unit;
use crate::error::Result;
use crate::steps::About;

/// The method `random`.
pub(super) const METHOD: Method = Method {
    about: About {
        name: "random",
        summary: "a random choice: the baseline that every other method must beat",
        paper: "EPFL EE-613, table of the drug data",
        count: COUNT,
        parameters: &[],
    },
    score: "random number",
    trains: false,
    rank,
};

fn rank(request: &Request<'_>) -> Result<Ranking> {
    let mut rng = request.context.stream("select-random");
    let scores: Vec<f64> = request.data.schema.features.iter().map(|_| unit(&mut rng)).collect();
    Ok(Ranking::by_score(&scores, request.count))
}
