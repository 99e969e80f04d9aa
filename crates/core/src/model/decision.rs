//! From scores to an answer: a pure function of scores and costs, the same wherever it is asked.

use super::{Link, Model, Scores};
use crate::data::CostMatrix;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// How a model decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The class with the largest score; every mistake costs the same.
    LargestScore,
    /// The class with the largest score, which training on costs has made the one of least risk.
    CostTrained,
    /// The class of least expected cost under the model's probabilities.
    ExpectedCost,
}

/// Position of the largest value, ties to the first.
#[inline]
pub fn argmax(values: &[f64]) -> usize {
    let mut best = 0;
    for (k, v) in values.iter().enumerate().skip(1) {
        if *v > values[best] {
            best = k;
        }
    }
    best
}

impl Model {
    /// The answer to each row. `costs` re-decides under another matrix without retraining.
    pub fn decide(&self, scores: &Scores, costs: Option<&CostMatrix>) -> Result<Vec<u32>> {
        let costs = match (costs, self.decision) {
            (Some(costs), _) => costs,
            (None, Decision::LargestScore | Decision::CostTrained) => {
                return Ok(scores.rows().map(|row| argmax(row) as u32).collect());
            }
            (None, Decision::ExpectedCost) => {
                self.costs.as_ref().ok_or_else(|| Error::model("the model decides by costs but holds none"))?
            }
        };
        if costs.classes() != self.class_count() {
            return Err(Error::costs(format!(
                "costs for {} classes, but the model knows {}",
                costs.classes(),
                self.class_count()
            )));
        }
        // Its own matrix: the decision it was trained for.
        if self.decision == Decision::CostTrained && self.costs.as_ref() == Some(costs) {
            return self.decide(scores, None);
        }
        let probabilities = self.probabilities(scores)?;
        let mut expected = vec![0.0; costs.classes()];
        Ok(probabilities
            .rows()
            .map(|p| {
                for (answer, sum) in expected.iter_mut().enumerate() {
                    *sum = -(0..p.len()).map(|truth| p[truth] * costs.get(truth, answer)).sum::<f64>();
                }
                argmax(&expected) as u32
            })
            .collect())
    }

    /// Probabilities by the model's link: calibrated in training for `softmax`, else uncalibrated. Refused for a model
    /// trained on costs, whose scores estimate risk, not frequency, and for one whose scores count codes' columns.
    pub fn probabilities(&self, scores: &Scores) -> Result<Scores> {
        let link = self.link.as_deref().ok_or_else(|| match self.decision {
            Decision::CostTrained => Error::model("this model was trained on costs and carries no probabilities")
                .hint("train with --cost-mode decide to re-decide under other costs"),
            _ => Error::model("the scores of this model are not about probabilities, and it carries none")
                .hint("for ecoc, train with --decoding loss"),
        })?;
        let link = Link::named(link)?;
        let mut out = scores.clone();
        out.values.chunks_exact_mut(scores.classes.max(1)).for_each(|row| link.apply(row));
        Ok(out)
    }
}
