//! What algorithms that fit all their terms together have in common: they cannot be continued, and they tell of one round.

use super::{Estimate, Outcome, Partial, RoundInfo, Stop, Watched};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::math::ln;
use crate::model::{Chain, Link, Model};

/// Refuses a checkpoint.
pub fn not_continued(algorithm: &str, checkpoint: Option<Model>) -> Result<()> {
    match checkpoint {
        None => Ok(()),
        Some(_) => {
            let what = format!("{algorithm} fits all its terms together, so there is nothing to continue");
            Err(Error::option(what).hint("train anew, without --resume"))
        }
    }
}

/// Tells of the end.
pub fn finished(
    chain: Chain,
    stopped: Stop,
    (loss, error): (f64, f64),
    estimate: Option<Estimate>,
    notes: Vec<String>,
    watched: &mut Watched<'_>,
) -> Result<Outcome> {
    let info = RoundInfo { round: chain.terms.len(), loss, error, edge: 0.0, holdout: None, work: None };
    let so_far = || Model { chain: chain.clone(), ..watched.template.clone() };
    watched.observer.round(&info, &Partial::new(info.round, &so_far))?;
    let (parts, link, history) = (Vec::new(), Some(Link::SOFTMAX), vec![info]);
    Ok(Outcome { chain, parts, link, stopped, loss, history, estimate, notes })
}

/// A model without terms: the share of each class.
pub fn constant(data: &Dataset, stopped: Stop, watched: &mut Watched<'_>) -> Result<Outcome> {
    let mut shares = vec![0.0; data.class_count()];
    data.labels.iter().zip(&data.weights).for_each(|(k, w)| shares[*k as usize] += w);
    let sum: f64 = shares.iter().sum();
    let most = shares.iter().copied().fold(0.0, f64::max);
    let bias: Vec<f64> = shares.iter().map(|share| log_share(share / sum)).collect();
    let loss = -shares.iter().zip(&bias).map(|(share, h)| share / sum * h).sum::<f64>();
    let chain = Chain { bias, terms: Vec::new(), supports: Vec::new() };
    finished(chain, stopped, (loss, 1.0 - most / sum), None, Vec::new(), watched)
}

/// The logarithm of a share; a class without rows is unlikely, not impossible.
pub fn log_share(share: f64) -> f64 {
    ln(share.max(1e-9))
}
