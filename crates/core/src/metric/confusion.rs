//! Which classes are taken for which.

/// Weighted counts of truth against answer, with one more row for truths the model never met.
#[derive(Clone, Debug, PartialEq)]
pub struct Confusion {
    classes: usize,
    /// Row by row: K true classes, then the unseen ones; K answers each.
    counts: Vec<f64>,
}

impl Confusion {
    /// Counts the rows; a prediction must be below `classes`.
    pub fn new(labels: &[u32], predicted: &[u32], weights: &[f64], classes: usize) -> Self {
        debug_assert!(labels.len() == predicted.len() && labels.len() == weights.len());
        let mut counts = vec![0.0; (classes + 1) * classes];
        for ((&truth, &answer), &weight) in labels.iter().zip(predicted).zip(weights) {
            counts[(truth as usize).min(classes) * classes + answer as usize] += weight;
        }
        Confusion { classes, counts }
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Weight of the rows of class `truth` that were answered `answer`; `truth` = K are the unseen classes.
    pub fn get(&self, truth: usize, answer: usize) -> f64 {
        self.row(truth)[answer]
    }

    /// All answers to rows of class `truth`; `truth` = K are the unseen classes.
    pub fn row(&self, truth: usize) -> &[f64] {
        &self.counts[truth * self.classes..][..self.classes]
    }

    /// Weight of the rows of a class; `truth` = K are the unseen classes.
    pub fn support(&self, truth: usize) -> f64 {
        self.row(truth).iter().sum()
    }

    /// Weight of the rows with this answer.
    pub fn answered(&self, answer: usize) -> f64 {
        (0..=self.classes).map(|truth| self.get(truth, answer)).sum()
    }

    /// Weight of all rows.
    pub fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// Weight of the rows with the right answer.
    pub fn correct(&self) -> f64 {
        (0..self.classes).map(|class| self.get(class, class)).sum()
    }

    /// The share of the rows of a class that were answered rightly; `None` if there are no such rows.
    pub fn recall(&self, class: usize) -> Option<f64> {
        share(self.get(class, class), self.support(class))
    }

    /// The share of the answers with this class that were right; `None` if it was never answered.
    pub fn precision(&self, class: usize) -> Option<f64> {
        share(self.get(class, class), self.answered(class))
    }
}

fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::UNSEEN_CLASS;

    #[test]
    fn recall_and_precision() {
        let confusion = Confusion::new(&[0, 0, 0, 1, UNSEEN_CLASS], &[0, 0, 1, 1, 1], &[1.0; 5], 3);
        assert_eq!((confusion.recall(0), confusion.precision(0)), (Some(2.0 / 3.0), Some(1.0)));
        assert_eq!((confusion.recall(1), confusion.precision(1)), (Some(1.0), Some(1.0 / 3.0)));
        assert_eq!((confusion.recall(2), confusion.precision(2)), (None, None));
        assert_eq!((confusion.total(), confusion.correct(), confusion.support(3)), (5.0, 3.0, 1.0));
    }
}
