//! How well a model puts rows in order.

use crate::output::{number, percent};
use rebelboost::context::Context;
use rebelboost::data::UNSEEN_CLASS;
use rebelboost::metric;
use rebelboost::model::Model;
use rebelboost::registry::ALGORITHMS;
use rebelboost_report::Rows;
use serde_json::{Value, json};

/// Places counted by NDCG.
const DEPTH: usize = 10;

/// Figures of merit; NaN where there is nothing to compare.
pub struct Ranking {
    pair_error: f64,
    ndcg: f64,
    auc: f64,
    top: String,
}

/// Whether the model was made to put rows in order.
pub fn ranks(model: &Model) -> bool {
    ALGORITHMS.iter().any(|a| a.name == model.provenance.algorithm && a.ranks)
}

/// Judges the order by the score of the highest class, within groups. Rows of a class the model never met have no place in it.
pub fn judge(model: &Model, rows: Rows<'_>, groups: &[u32], context: &Context) -> Ranking {
    let scores = model.scores(rows.features, context);
    let top = model.class_count() - 1;
    let known: Vec<usize> = (0..rows.labels.len()).filter(|&row| rows.labels[row] != UNSEEN_CLASS).collect();
    let labels: Vec<u32> = known.iter().map(|&row| rows.labels[row]).collect();
    let weights: Vec<f64> = known.iter().map(|&row| rows.weights[row]).collect();
    let groups: Vec<u32> = known.iter().filter_map(|&row| groups.get(row).copied()).collect();
    let scores: Vec<f64> = known.iter().map(|&row| scores.row(row)[top]).collect();
    Ranking {
        pair_error: metric::pair_error(&labels, &scores, &weights, &groups),
        ndcg: metric::ndcg(&labels, &scores, &groups, DEPTH),
        auc: metric::auc_binary(&labels, top as u32, &scores, &weights),
        top: model.schema.classes[top].clone(),
    }
}

impl Ranking {
    /// In words.
    pub fn words(&self) -> String {
        if self.pair_error.is_nan() {
            return "Ranking: no two rows of one group have different classes, so there is no order to judge.".into();
        }
        format!(
            "Ranking: {} of the pairs are in the wrong order; NDCG of the first {DEPTH} places {}; area under the ROC curve of '{}' {}.",
            percent(self.pair_error),
            number(self.ndcg),
            self.top,
            number(self.auc)
        )
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let finite = |x: f64| x.is_finite().then_some(x);
        json!({"pair_error": finite(self.pair_error), "ndcg_10": finite(self.ndcg), "auc": finite(self.auc)})
    }
}
