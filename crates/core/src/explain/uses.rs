//! Which features a model asks about, and how much its answers hang on them.

use crate::model::Model;

/// How much a feature is used.
pub struct Use {
    /// Feature number.
    pub feature: usize,
    /// Terms that ask about it.
    pub terms: usize,
    /// Summed size of those terms' outputs, shared among the features of a term.
    pub weight: f64,
}

/// The features that a model uses, the most important first.
pub fn uses(model: &Model) -> Vec<Use> {
    let mut uses: Vec<Use> =
        (0..model.schema.features.len()).map(|feature| Use { feature, terms: 0, weight: 0.0 }).collect();
    // The last term that asked about each feature.
    let mut last = vec![usize::MAX; uses.len()];
    for (number, term) in model.chain.terms.iter().enumerate() {
        let asked: Vec<usize> = term.learner.features().into_iter().map(|f| f as usize).collect();
        // The mean over the leaves where each has a vector of its own.
        let vectors = term.output.chunks_exact(model.class_count());
        let size = vectors.clone().map(size).sum::<f64>() / vectors.len() as f64;
        for &feature in &asked {
            uses[feature].weight += size / asked.len() as f64;
            uses[feature].terms += usize::from(std::mem::replace(&mut last[feature], number) != number);
        }
    }
    uses.retain(|u| u.terms > 0);
    uses.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.feature.cmp(&b.feature)));
    uses
}

/// How far an output vector moves classes apart; what it adds to all alike changes no answer.
fn size(output: &[f64]) -> f64 {
    let mean = output.iter().sum::<f64>() / output.len() as f64;
    output.iter().map(|a| (a - mean).abs()).sum()
}
