//! How good the model is, from the labels there are: five models, each trained without a fifth of them.
//!
//! The rows that were chosen are the hard ones, so an error over all labels would be far too high. Only rows that
//! were drawn at random are counted; all are trained on. The same five models say how settled the answers are: on
//! how much of the pool they differ from the model of all labels.

use super::trainer::{Fitted, Trainer};
use crate::data::stratified_folds;
use crate::error::Result;
use crate::metric::wilson_interval;
use serde::{Deserialize, Serialize};

/// Parts of the labelled rows.
const FOLDS: usize = 5;
/// Rows of the pool on which answers are compared.
const COMPARED: usize = 1000;

/// An estimate of the error on the pool.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// Random rows that were held out.
    pub rows: usize,
    /// Of these, rows answered wrongly.
    pub wrong: usize,
    /// Share of the pool's rows that a model trained without a fifth of the labels answers otherwise.
    pub disagreement: f64,
}

impl Estimate {
    /// Estimated error; NaN without random rows.
    pub fn error(&self) -> f64 {
        self.wrong as f64 / self.rows as f64
    }

    /// 95 % interval of the error.
    pub fn interval(&self) -> (f64, f64) {
        wilson_interval(self.wrong as f64, self.rows as f64)
    }
}

/// A labelled row and whether it was drawn at random.
pub(super) type Drawn = ((usize, u32), bool);

/// Estimates the error. `others` are unlabelled rows in random order.
pub(super) fn estimate(
    trainer: &Trainer<'_>,
    labelled: &[Drawn],
    whole: &Fitted,
    others: &[usize],
    step: usize,
) -> Result<Option<Estimate>> {
    let labels: Vec<u32> = labelled.iter().map(|((_, label), _)| *label).collect();
    let mut rng = trainer.context.stream(&format!("active/folds/{step}"));
    let fold_of = stratified_folds(&labels, trainer.classes.len(), FOLDS, &mut rng);
    let others = &others[..others.len().min(COMPARED)];
    let settled = trainer.answers(whole, others)?;
    let parts = trainer.context.map(FOLDS, usize::MAX, |fold| -> Result<Option<[usize; 3]>> {
        let inside = |i: &usize| fold_of[*i] as usize == fold;
        let train: Vec<(usize, u32)> = (0..labelled.len()).filter(|i| !inside(i)).map(|i| labelled[i].0).collect();
        let held: Vec<(usize, u32)> =
            (0..labelled.len()).filter(|i| inside(i) && labelled[*i].1).map(|i| labelled[i].0).collect();
        let Some(fitted) = trainer.fit(&train, None)? else { return Ok(None) };
        let answers = trainer.answers(&fitted, &held.iter().map(|(row, _)| *row).collect::<Vec<_>>())?;
        let wrong = answers.iter().zip(&held).filter(|(answer, (_, label))| *answer != label).count();
        let changed = trainer.answers(&fitted, others)?.iter().zip(&settled).filter(|(a, b)| a != b).count();
        Ok(Some([held.len(), wrong, changed]))
    });
    let parts: Vec<[usize; 3]> = parts.into_iter().filter_map(Result::transpose).collect::<Result<_>>()?;
    if parts.is_empty() {
        return Ok(None);
    }
    let sum = |what: usize| parts.iter().map(|part| part[what]).sum::<usize>();
    let compared = (parts.len() * others.len()).max(1);
    Ok(Some(Estimate { rows: sum(0), wrong: sum(1), disagreement: sum(2) as f64 / compared as f64 }))
}
