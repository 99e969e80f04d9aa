//! Heuristics that every booster of trees can use: a round looks at a part of the rows and features only.
//!
//! * weight trimming (Friedman, Hastie, Tibshirani 2000, section 9): the lightest rows, which together hold a share eta of
//!   the weight, sit the round out; they come back when their weight grows;
//! * LazyBoost (Escudero, Marquez, Rigau 2000): a round may ask about a random part of the features;
//! * stochastic boosting (Friedman 2002): a round looks at a random part of the rows;
//! * resampling (Freund and Schapire 1997, section 3): rows are drawn with replacement in proportion to their weights and
//!   then count once for each time they were drawn, so that a learner without weights can be boosted.
//!
//! What is drawn follows from the seed and the number of the term, so a resumed run draws the same.

use super::sample::{rising, share_of};
use crate::context::Context;
use crate::data::Features;
use crate::data::synthetic::random::unit;
use crate::error::Result;
use crate::learner::regression::{Grown, NOWHERE, Part, RegionGrower, Targets};
use crate::settings::{Kind, Parameter, Settings};
use std::borrow::Cow;

/// `--row-sample`.
pub const ROW_SAMPLE: Parameter = Parameter {
    name: "row-sample",
    kind: Kind::Real(0.01, 1.0),
    default: "1",
    help: "share of the rows each tree is grown on, drawn at random",
};

/// `--feature-sample`.
pub const FEATURE_SAMPLE: Parameter = Parameter {
    name: "feature-sample",
    kind: Kind::Real(0.001, 1.0),
    default: "1",
    help: "share of the features each tree may ask about, drawn at random",
};

/// `--trim`.
pub const TRIM: Parameter = Parameter {
    name: "trim",
    kind: Kind::Real(0.0, 0.5),
    default: "0",
    help: "each round leaves out the lightest rows that hold this share of the weight (weight trimming)",
};

/// `--resample`.
pub const RESAMPLE: Parameter = Parameter {
    name: "resample",
    kind: Kind::Switch,
    default: "off",
    help: "instead of weighing rows, draw them in proportion to their weights: boosts a learner that knows no weights",
};

/// All four, for boosters whose learners see one weight a row.
pub const PARAMETERS: &[Parameter] = &[ROW_SAMPLE, FEATURE_SAMPLE, TRIM, RESAMPLE];
/// Those that do not replace weights.
pub const PARTS: &[Parameter] = &[ROW_SAMPLE, FEATURE_SAMPLE, TRIM];

/// Algorithms that had no heuristics at first. Where they are not used nothing has changed: neither model files, nor which
/// algorithm is meant by whoever gives such an option without naming one.
pub(crate) const CAME_LATER: [&str; 3] = ["rebel", "gamble", "samme"];

/// What rounds look at.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    rows: f64,
    features: f64,
    trim: f64,
    resample: bool,
}

/// What one round looks at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawn {
    /// Rows in rising order; all if `None`.
    pub rows: Option<Vec<u32>>,
    /// Whether each feature may be asked about; all if `None`.
    pub features: Option<Vec<bool>>,
    /// How often each row was drawn, where drawing takes the place of weights.
    pub counts: Option<Vec<f64>>,
}

impl Draw {
    /// As the settings ask.
    pub fn new(settings: &Settings) -> Result<Self> {
        let resample = settings.values().contains_key(RESAMPLE.name) && settings.switch(RESAMPLE.name)?;
        let real = |parameter: &Parameter| settings.real(parameter.name);
        Ok(Draw { rows: real(&ROW_SAMPLE)?, features: real(&FEATURE_SAMPLE)?, trim: real(&TRIM)?, resample })
    }

    /// Whether a round looks at less than everything.
    pub fn draws(&self) -> bool {
        self.rows < 1.0 || self.features < 1.0 || self.trim > 0.0 || self.resample
    }

    /// What the round of this number looks at, given the weight of each row.
    pub fn draw(&self, round: usize, weights: &[f64], features: usize, context: &Context) -> Drawn {
        let mut rng = context.stream(&format!("draw/{round}"));
        let mut drawn = Drawn::default();
        // Features first: how much rows draw depends on their number.
        if self.features < 1.0 {
            let mut allowed = vec![false; features];
            let chosen = rising(share_of(self.features, features), features, &mut rng);
            chosen.into_iter().for_each(|feature| allowed[feature as usize] = true);
            drawn.features = Some(allowed);
        }
        if self.rows < 1.0 {
            drawn.rows = Some(rising(share_of(self.rows, weights.len()), weights.len(), &mut rng));
        }
        if self.trim > 0.0 {
            drawn.rows = Some(trimmed(weights, drawn.rows, self.trim));
        }
        if self.resample {
            drawn.counts = Some(resampled(weights, drawn.rows.as_deref(), &mut || unit(&mut rng)));
        }
        drawn
    }
}

impl Drawn {
    /// The tree of regions of what was drawn. Rows that sat out get their leaves too: they count for the step.
    pub fn grow(
        &self,
        grower: &mut RegionGrower<'_>,
        targets: Targets<'_>,
        depth: Option<usize>,
        features: &Features,
        context: &Context,
    ) -> Grown {
        let part = Part { rows: self.rows.as_deref(), features: self.features.as_deref(), depth };
        let mut grown = match (targets, &self.counts) {
            (Targets::Classes { labels, classes, .. }, Some(counts)) => {
                let rows: Vec<u32> = (0u32..).zip(counts).filter(|(_, n)| **n > 0.0).map(|(row, _)| row).collect();
                let (part, weights) = (Part { rows: Some(&rows), ..part }, counts.as_slice());
                grower.grow_on(part, Targets::Classes { labels, classes, weights }, context)
            }
            (targets, _) => grower.grow_on(part, targets, context),
        };
        if grown.leaf_of.contains(&NOWHERE) {
            grown.place_others(features, context);
        }
        grown
    }

    /// Signed weights as the round sees them: nothing of rows that sit out, counts in the place of weights if rows were
    /// drawn by them.
    pub fn signed<'s>(&self, signed: &'s [f64]) -> Cow<'s, [f64]> {
        if let Some(counts) = &self.counts {
            let count = |(x, count): (&f64, &f64)| if *x == 0.0 { 0.0 } else { x.signum() * count };
            return Cow::Owned(signed.iter().zip(counts).map(count).collect());
        }
        let Some(rows) = &self.rows else { return Cow::Borrowed(signed) };
        let mut seen = vec![0.0; signed.len()];
        rows.iter().for_each(|&row| seen[row as usize] = signed[row as usize]);
        Cow::Owned(seen)
    }
}

/// The rows but for the lightest, which together hold at most this share of the weight; in rising order.
fn trimmed(weights: &[f64], among: Option<Vec<u32>>, share: f64) -> Vec<u32> {
    let mut rows = among.unwrap_or_else(|| (0..weights.len() as u32).collect());
    let mut light = rows.clone();
    light.sort_by(|&a, &b| weights[a as usize].total_cmp(&weights[b as usize]).then(a.cmp(&b)));
    let limit = share * light.iter().map(|&row| weights[row as usize]).sum::<f64>();
    let mut sum = 0.0;
    // Rows of equal weight stay or go together: which comes first in the file must not matter.
    let mut out = 0;
    for group in light.chunk_by(|&a, &b| weights[a as usize] == weights[b as usize]) {
        sum += group.iter().map(|&row| weights[row as usize]).sum::<f64>();
        if sum > limit {
            break;
        }
        out += group.len();
    }
    let mut leaves = vec![false; weights.len()];
    light[..out].iter().for_each(|&row| leaves[row as usize] = true);
    rows.retain(|&row| !leaves[row as usize]);
    rows
}

/// How often each row comes up in as many draws as there are rows, by weight.
fn resampled(weights: &[f64], among: Option<&[u32]>, draw: &mut impl FnMut() -> f64) -> Vec<f64> {
    let rows: Vec<usize> = match among {
        Some(rows) => rows.iter().map(|&row| row as usize).collect(),
        None => (0..weights.len()).collect(),
    };
    let mut sum = 0.0;
    let up_to: Vec<f64> = rows
        .iter()
        .map(|&row| {
            sum += weights[row];
            sum
        })
        .collect();
    let mut counts = vec![0.0; weights.len()];
    for _ in 0..rows.len() {
        let at = draw() * sum;
        let place = up_to.partition_point(|end| *end <= at).min(rows.len() - 1);
        counts[rows[place]] += 1.0;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn trimming_leaves_out_the_lightest(weights in prop::collection::vec(0.01..1.0f64, 1..60), share in 0.0..0.5f64) {
            let kept = trimmed(&weights, None, share);
            let total: f64 = weights.iter().sum();
            let held: f64 = kept.iter().map(|&row| weights[row as usize]).sum();
            prop_assert!(held >= (1.0 - share) * total - 1e-9);
            let lightest_kept = kept.iter().map(|&row| weights[row as usize]).fold(f64::INFINITY, f64::min);
            let gone = (0..weights.len()).filter(|row| !kept.contains(&(*row as u32)));
            prop_assert!(gone.clone().all(|row| weights[row] < lightest_kept));
            // One more would be too many.
            let without: f64 = gone.map(|row| weights[row]).sum();
            prop_assert!(without + lightest_kept > share * total - 1e-9);
        }

        #[test]
        fn resampling_draws_by_weight(seed in any::<u64>()) {
            let weights: Vec<f64> = (0..400).map(|row| if row % 2 == 0 { 3.0 } else { 1.0 }).collect();
            let mut rng = crate::context::stream(seed, "test");
            let counts = resampled(&weights, None, &mut || unit(&mut rng));
            prop_assert_eq!(counts.iter().sum::<f64>(), 400.0);
            let heavy: f64 = counts.iter().step_by(2).sum();
            // 300 expected, standard deviation 8.7.
            prop_assert!((heavy - 300.0).abs() < 60.0, "{}", heavy);
        }
    }
}
