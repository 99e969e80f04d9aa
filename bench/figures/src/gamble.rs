//! What the figures of the GAMBLE thesis (chapter 5) share: its data sets, GAMBLE and SAMME followed round by round.

use crate::Bench;
use crate::course::{Course, follow};
use crate::sets::{official, split, whole};
use rebelboost::Result;
use rebelboost::data::Dataset;
use rebelboost::settings::Settings;

/// Rounds the thesis looks at.
pub const ROUNDS: usize = 1000;
/// Random splits of a set without an official one.
const SPLITS: u64 = 10;

/// A set of Table 5.1.
pub struct Set {
    /// Our name of it.
    pub name: &'static str,
    /// Share of rows to train on where there is no official split: the thesis' sizes (113 of 214, 2860 of 3176 and half).
    share: Option<f64>,
    /// Target error rate of Table 5.2: the lowest of Batch GAMBLE within 1000 iterations.
    pub thesis: f64,
}

/// The eight of them.
pub const SETS: [Set; 8] = [
    Set { name: "glass", share: Some(113.0 / 214.0), thesis: 0.275 },
    Set { name: "pendigits", share: None, thesis: 0.0471 },
    Set { name: "landsat", share: None, thesis: 0.126 },
    Set { name: "segment", share: None, thesis: 0.0462 },
    Set { name: "soybean", share: None, thesis: 0.0565 },
    Set { name: "splice", share: Some(2860.0 / 3176.0), thesis: 0.0448 },
    Set { name: "vehicle", share: Some(0.5), thesis: 0.273 },
    Set { name: "vowel", share: None, thesis: 0.47 },
];

impl Set {
    /// Training and test rows: the official ones, or ten random splits. Empty if the set is not there.
    pub fn parts(&self, bench: &Bench) -> Result<Vec<(Dataset, Dataset)>> {
        Ok(match self.share {
            Some(share) => {
                whole(bench, self.name)?.map(|data| (0..SPLITS).map(|seed| split(&data, share, seed)).collect())
            }
            None => official(bench, self.name)?.map(|parts| vec![parts]),
        }
        .unwrap_or_default())
    }
}

/// An algorithm with its defaults for so many rounds.
pub fn settings(algorithm: &str, rounds: usize) -> Result<Settings> {
    Settings::new(algorithm)?.with("rounds", rounds)
}

/// One run for each pair of parts.
pub fn courses(parts: &[(Dataset, Dataset)], settings: &Settings, bench: &Bench) -> Result<Vec<Course>> {
    parts.iter().map(|(train, test)| follow(train, test, settings, bench)).collect()
}

/// Mean test error after so many rounds; a run that ended stays where it was.
pub fn test_at(courses: &[Course], round: usize) -> f64 {
    let at = |course: &Course| course.test[round.min(course.test.len()) - 1];
    courses.iter().map(at).sum::<f64>() / courses.len() as f64
}

/// A curve over the logarithm of the round.
pub fn by_log_round(values: &[f64]) -> Vec<(f64, f64)> {
    let all = values.iter().enumerate().map(|(i, value)| (((i + 1) as f64).log10(), *value));
    let mut last = -1.0;
    // What falls on the same spot of the drawing is left out.
    all.filter(|(x, _)| {
        *x - last > 0.006 && {
            last = *x;
            true
        }
    })
    .collect()
}

/// `12.3 %`.
pub fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}
