//! A training run followed round by round: loss and error on the training rows, error on test rows.

use crate::Bench;
use crate::sets::{builtin, official, split, whole};
use rebelboost::Result;
use rebelboost::booster::{RoundInfo, train};
use rebelboost::data::Dataset;
use rebelboost::model::{Chain, Model, argmax};
use rebelboost::settings::Settings;

/// Sets of Fig. 5.7 and 5.8 with the rounds they are followed for: beyond the round at which training would end by
/// itself, so that a test error that rises afterwards can be seen.
const UCI: [(&str, usize); 7] = [
    ("glass", 1000),
    ("vowel", 1500),
    ("segment", 600),
    ("vehicle", 2500),
    ("landsat", 6000),
    ("optdigits", 2500),
    ("pendigits", 3000),
];

/// Random splits of sets that have no official one.
const SPLITS: u64 = 10;

/// A run.
pub struct Course {
    /// The model at the end.
    pub model: Model,
    /// Training by round.
    pub history: Vec<RoundInfo>,
    /// Test error by round.
    pub test: Vec<f64>,
    /// Seconds of training.
    pub seconds: f64,
}

/// Runs on a data set from a file.
pub struct Followed {
    /// Name of the set.
    pub name: &'static str,
    /// Training rows.
    pub rows: usize,
    /// Classes.
    pub classes: usize,
    /// One run, or one for each random split.
    pub courses: Vec<Course>,
}

/// Localized similarities for this many rounds, without an earlier end.
pub fn similarities(rounds: usize) -> Result<Settings> {
    endless(Settings::new("rebel")?.with("learner", "similarity")?, rounds)
}

/// The same as published: binary answers and the closed-form step.
pub fn faithful_similarities(rounds: usize) -> Result<Settings> {
    similarities(rounds)?.with("faithful", "on")
}

/// Depth-1 stumps for this many rounds, without an earlier end.
pub fn stumps(rounds: usize) -> Result<Settings> {
    endless(Settings::new("rebel")?.with("depth", 1)?, rounds)
}

fn endless(settings: Settings, rounds: usize) -> Result<Settings> {
    settings.with("rounds", rounds)?.with("min-rounds", rounds)?.with("stop-loss", 0)
}

/// Trains on one part and follows the error on the other.
pub fn follow(data: &Dataset, test: &Dataset, settings: &Settings, bench: &Bench) -> Result<Course> {
    let trained = train(data, None, settings, &bench.context, &mut ())?;
    let errors = errors_by_round(&trained.model.chain, test, bench);
    let (history, seconds) = (trained.summary.history, trained.summary.seconds);
    Ok(Course { model: trained.model, history, test: errors, seconds })
}

/// Localized similarities on the sets in the data folder; those that are not there are skipped with a word. Sets without
/// an official split are split at random, 75 % / 25 %, several times.
pub fn on_uci_sets(bench: &Bench) -> Result<Vec<Followed>> {
    let mut runs = Vec::new();
    for (name, rounds) in UCI {
        let parts = match name {
            "glass" | "vehicle" => {
                whole(bench, name)?.map(|data| (0..SPLITS).map(|seed| split(&data, 0.75, seed)).collect())
            }
            _ => official(bench, name)?.map(|parts| vec![parts]),
        };
        let Some(parts): Option<Vec<(Dataset, Dataset)>> = parts else { continue };
        let settings = similarities(rounds)?;
        let courses = parts.iter().map(|(data, test)| follow(data, test, &settings, bench)).collect::<Result<_>>()?;
        eprintln!("  {name}: {rounds} rounds, {} split(s)", parts.len());
        runs.push(Followed { name, rows: parts[0].0.rows(), classes: parts[0].0.class_count(), courses });
    }
    Ok(runs)
}

/// A drawing of the plane's spirals: 333 rows to train and 167 to test, as in thesis 5.5 (500 points, 2/3 and 1/3).
pub fn spirals(seed: u64, mislabelled: f64) -> Result<(Dataset, Dataset)> {
    let part = |rows: usize, draw: usize| {
        builtin(&format!("spirals?rows={rows}&seed={seed}&draw={draw}&mislabelled={mislabelled}"))
    };
    Ok((part(333, 0)?, part(167, 1)?))
}

impl Course {
    /// The first round with no training mistake, from which on there is none.
    pub fn perfect_from(&self) -> Option<usize> {
        let wrong = self.history.iter().rposition(|info| info.error > 0.0).map_or(0, |at| at + 1);
        self.history.get(wrong).map(|info| info.round)
    }

    /// The first round with a loss below this.
    pub fn loss_below(&self, loss: f64) -> Option<usize> {
        self.history.iter().find(|info| info.loss < loss).map(|info| info.round)
    }

    /// The least test error and the first round that has it.
    pub fn least_test(&self) -> (f64, usize) {
        let least = self.test.iter().copied().fold(f64::INFINITY, f64::min);
        (least, self.test.iter().position(|e| *e == least).map_or(0, |at| at + 1))
    }

    /// Test error at the end.
    pub fn last_test(&self) -> f64 {
        self.test.last().copied().unwrap_or(f64::NAN)
    }
}

/// Test error after each term: every term is evaluated once.
fn errors_by_round(chain: &Chain, test: &Dataset, bench: &Bench) -> Vec<f64> {
    let classes = chain.bias.len();
    let mut scores = chain.bias.repeat(test.rows());
    let after = |term: usize| {
        chain.add_terms(term..term + 1, &test.features, &mut scores, &bench.context);
        let wrong = scores.chunks_exact(classes).zip(&test.labels).filter(|(h, label)| argmax(h) != **label as usize);
        wrong.count() as f64 / test.rows() as f64
    };
    (0..chain.terms.len()).map(after).collect()
}

/// The mean by round of something of the runs; a run that ended early stays where it was.
pub fn mean_by_round(courses: &[Course], value: impl Fn(&Course, usize) -> f64) -> Vec<f64> {
    let longest = courses.iter().map(|c| c.history.len()).max().unwrap_or(0);
    let at = |course: &Course, round: usize| value(course, round.min(course.history.len() - 1));
    (0..longest).map(|round| courses.iter().map(|c| at(c, round)).sum::<f64>() / courses.len() as f64).collect()
}

/// `value` by round, thinned out to what a panel can show.
pub fn series(values: impl ExactSizeIterator<Item = f64>) -> Vec<(f64, f64)> {
    const SHOWN: usize = 400;
    let (length, step) = (values.len(), values.len().div_ceil(SHOWN).max(1));
    // The first rounds are where most happens: none of them is left out.
    let kept = |round: usize| round <= SHOWN / 4 || round.is_multiple_of(step) || round == length;
    (1..).zip(values).filter(|(round, _)| kept(*round)).map(|(round, value)| (round as f64, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_series_keep_both_ends() {
        let all = series((0..1001).map(f64::from));
        assert_eq!((all[0], all[99], all[all.len() - 1]), ((1.0, 0.0), (100.0, 99.0), (1001.0, 1000.0)));
        assert!(all.len() < 500);
    }
}
