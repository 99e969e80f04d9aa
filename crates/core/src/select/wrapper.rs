//! Wrappers: features are judged by the errors of a booster that has them and no others (lecture, "Feature selection").
//!
//! `forward` starts with no feature and adds the one that helps most, `backward` starts with all and takes away the one
//! that is missed least. Errors are those of cross-validation, with the same folds for every set of features, so that
//! sets are compared on the same rows; costs count if there are any. Of equals the feature that comes first in the table
//! is kept.
//!
//! Both are greedy, and a wrapper picks among many sets by an estimate, so the error it reports is optimistic.

use super::{COUNT, Method, Ranking, Request};
use crate::booster::train;
use crate::data::{Dataset, stratified_folds};
use crate::error::{Error, ErrorKind, Result};
use crate::metric::{error_rate, mean_cost};
use crate::settings::{Kind, Parameter};
use crate::steps::About;

/// The method `forward`.
pub(super) const FORWARD: Method = Method {
    about: About {
        name: "forward",
        summary: "wrapper: adds the feature that lowers a booster's cross-validated error most; trains (features x count x folds) boosters",
        paper: "EPFL EE-613, forward selection; R. Kohavi and G. John, 1997",
        count: 5,
        parameters: &[FOLDS],
    },
    score: "cross-validated error with the features so far",
    trains: true,
    rank: forward,
};

/// The method `backward`.
pub(super) const BACKWARD: Method = Method {
    about: About {
        name: "backward",
        summary: "wrapper: takes away the feature that a booster misses least, by cross-validation; finds features that only tell together",
        paper: "EPFL EE-613, backward selection; R. Kohavi and G. John, 1997",
        count: COUNT,
        parameters: &[FOLDS],
    },
    score: "cross-validated error with the features so far",
    trains: true,
    rank: backward,
};

const FOLDS: Parameter = Parameter {
    name: "folds",
    kind: Kind::Integer(2, 100),
    default: "5",
    help: "parts of the cross-validation that judges sets of features",
};

/// More trainings than this are refused.
const MOST_TRAININGS: usize = 200_000;

fn forward(request: &Request<'_>) -> Result<Ranking> {
    let wrapper = Wrapper::new(request)?;
    let features = request.data.schema.features.len();
    wrapper.check((0..request.count).map(|k| features - k).sum())?;
    let (mut chosen, mut ranking): (Vec<usize>, _) = (Vec::new(), Ranking::default());
    while chosen.len() < request.count {
        let free: Vec<usize> = (0..features).filter(|n| !chosen.contains(n)).collect();
        let sets: Vec<Vec<usize>> = free.iter().map(|n| [chosen.as_slice(), &[*n]].concat()).collect();
        let Some(errors) = wrapper.errors(&sets)? else {
            ranking.notes.push(format!("stopped early, after {} features", chosen.len()));
            break;
        };
        let best = (0..free.len()).min_by(|a, b| errors[*a].total_cmp(&errors[*b])).unwrap_or(0);
        chosen.push(free[best]);
        ranking.ranked.push((free[best], errors[best]));
    }
    Ok(ranking)
}

fn backward(request: &Request<'_>) -> Result<Ranking> {
    let wrapper = Wrapper::new(request)?;
    let features = request.data.schema.features.len();
    wrapper.check(features * (features + 1) / 2)?;
    let mut kept: Vec<usize> = (0..features).collect();
    let mut notes = Vec::new();
    // Removed features with the error of the set they were removed from, the first removed first.
    let mut removed = Vec::new();
    let mut error = wrapper.errors(std::slice::from_ref(&kept))?.and_then(|errors| errors.first().copied());
    while let Some(with_all) = error.filter(|_| kept.len() > 1) {
        let without = |n: &usize| kept.iter().copied().filter(|k| k != n).collect::<Vec<_>>();
        let sets: Vec<Vec<usize>> = kept.iter().map(without).collect();
        let Some(errors) = wrapper.errors(&sets)? else {
            notes.push(format!("stopped early, with {} features left", kept.len()));
            break;
        };
        // The last of the least: the first of equals is kept.
        let least = (0..kept.len()).min_by(|a, b| errors[*a].total_cmp(&errors[*b]).then(b.cmp(a))).unwrap_or(0);
        removed.push((kept.remove(least), with_all));
        error = Some(errors[least]);
    }
    // Those never removed in the order of the table; all of them together have the last error.
    let rest = kept.into_iter().map(|feature| (feature, error.unwrap_or(1.0)));
    let ranked = rest.chain(removed.into_iter().rev()).take(request.count).collect();
    Ok(Ranking { ranked, notes })
}

/// Judges sets of features.
struct Wrapper<'a> {
    request: &'a Request<'a>,
    /// Training and test part of each fold.
    parts: Vec<(Dataset, Dataset)>,
}

impl<'a> Wrapper<'a> {
    fn new(request: &'a Request<'a>) -> Result<Self> {
        let data = request.data;
        let folds = request.spec.integer("folds")?;
        if folds > data.rows() {
            return Err(Error::option(format!("{folds} folds need as many rows, and there are {}", data.rows()))
                .hint("choose fewer folds"));
        }
        let rng = &mut request.context.stream("select-folds");
        let fold_of = stratified_folds(&data.labels, data.class_count(), folds, rng);
        let part = |fold: usize, inside: bool| {
            let rows: Vec<usize> =
                (0..data.rows()).filter(|row| (fold_of[*row] as usize == fold) == inside).collect();
            data.select(&rows)
        };
        Ok(Wrapper { request, parts: (0..folds).map(|fold| (part(fold, false), part(fold, true))).collect() })
    }

    fn check(&self, sets: usize) -> Result<()> {
        let trainings = sets.saturating_mul(self.parts.len());
        if trainings > MOST_TRAININGS {
            let message = format!("this would train {trainings} boosters, and {MOST_TRAININGS} is the limit");
            return Err(Error::new(ErrorKind::Limit, message)
                .hint("select with a filter such as cmim, or narrow the features down by one first"));
        }
        Ok(())
    }

    /// Cross-validated error, or cost, of each set; `None` if someone asked to stop.
    fn errors(&self, sets: &[Vec<usize>]) -> Result<Option<Vec<f64>>> {
        let context = self.request.context;
        let shared = context.shared_by(sets.len());
        // Trainings are long, whatever they count as.
        let errors = context.map(sets.len(), usize::MAX, |i| match context.asked_to_stop() {
            Some(_) => Ok(None),
            None => self.error(&sets[i], &shared).map(Some),
        });
        // A training that was cut short has an error, but not that of its set.
        let errors: Result<Option<Vec<f64>>> = errors.into_iter().collect();
        Ok(errors?.filter(|_| context.asked_to_stop().is_none()))
    }

    fn error(&self, set: &[usize], context: &crate::context::Context) -> Result<f64> {
        let (mut sum, mut weight) = (0.0, 0.0);
        for (training, test) in &self.parts {
            let (training, test) = (training.with_features(set), test.with_features(set));
            let trained = train(&training, self.request.costs, self.request.booster, context, &mut ())?;
            let answers = trained.model.decide(&trained.model.scores(&test.features, context), None)?;
            let here: f64 = test.weights.iter().sum();
            sum += here
                * match self.request.costs {
                    Some(costs) => mean_cost(&test.labels, &answers, &test.weights, costs),
                    None => error_rate(&test.labels, &answers, &test.weights),
                };
            weight += here;
        }
        Ok(sum / weight)
    }
}
