//! The training rows most like the one in question.

use crate::data::Features;
use crate::model::{Model, WeakModel};
use serde::Serialize;

/// A training row beside the one in question.
#[derive(Clone, Debug, Serialize)]
pub struct SimilarRow {
    /// Row of the training data, from 0.
    pub row: u64,
    /// Its class, a position in the model's classes.
    pub class: u32,
    /// Distance between the two, in scaled units.
    pub distance: f64,
    /// Value by value, in the order of features; `None` if the model keeps no original values.
    pub values: Option<Vec<ComparedValue>>,
}

/// A feature of both rows, as text ("" = missing).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedValue {
    /// Feature name.
    pub feature: String,
    /// Value in the row in question.
    pub here: String,
    /// Value in the training row.
    pub there: String,
    /// Whether they differ.
    pub differs: bool,
}

/// The nearest supports in the metric with the most terms; ties in stored order.
pub(super) fn nearest(model: &Model, features: &Features, row: usize, most: usize) -> Vec<SimilarRow> {
    let mut terms = vec![0usize; model.chain.supports.len()];
    for term in &model.chain.terms {
        if let WeakModel::Similarity(similarity) = &term.learner {
            terms[similarity.metric as usize] += 1;
        }
    }
    let most_used = (0..terms.len()).reduce(|best, metric| if terms[metric] > terms[best] { metric } else { best });
    let Some(supports) = most_used.map(|metric| &model.chain.supports[metric]) else { return Vec::new() };
    let all: Vec<u32> = (0..supports.len() as u32).collect();
    let distances = supports.distances(&all, features, row, 1);
    let mut order: Vec<usize> = (0..supports.len()).collect();
    order.sort_by(|a, b| distances[*a].total_cmp(&distances[*b]));
    order.truncate(most);
    let compare = |support: usize| {
        let columns = supports.values.as_ref()?;
        let value = |(i, feature): (usize, &crate::data::Feature)| {
            let (here, there) = (features.columns[i].text(row), columns[i].text(support));
            ComparedValue { feature: feature.name.clone(), differs: here != there, here, there }
        };
        Some(model.schema.features.iter().enumerate().map(value).collect())
    };
    order
        .into_iter()
        .map(|support| SimilarRow {
            row: supports.rows[support],
            class: supports.classes[support],
            distance: f64::from(distances[support]).sqrt(),
            values: compare(support),
        })
        .collect()
}
