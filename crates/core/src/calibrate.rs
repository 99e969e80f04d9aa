//! One factor for all scores, so that their softmax is calibrated (Guo, Pleiss, Sun, Weinberger 2017).

use crate::math::{exp, ln};

/// Scores of labelled rows.
pub struct Judged<'a> {
    /// `[row][class]`.
    pub scores: &'a [f64],
    /// One a row.
    pub labels: &'a [u32],
    /// One a row.
    pub weights: &'a [f64],
    /// How many rows these are worth.
    pub count: f64,
}

impl Judged<'_> {
    /// Mean log loss of softmax(factor * scores), mixed with a little of the uniform distribution: rows that are all
    /// right must not make the factor infinite.
    pub fn log_loss(&self, factor: f64) -> f64 {
        let rows = self.labels.len().max(1);
        let classes = self.scores.len() / rows;
        let mix = 1.0 / (self.count + classes as f64);
        let (mut loss, mut weight) = (0.0, 0.0);
        for ((scores, label), w) in self.scores.chunks_exact(classes).zip(self.labels).zip(self.weights) {
            let own = scores[*label as usize];
            let odds: f64 = scores.iter().map(|h| exp((h - own) * factor)).sum();
            loss -= w * ln((1.0 - mix) / odds + mix / classes as f64);
            weight += w;
        }
        loss / weight
    }

    /// Weighted share of rows whose largest score is not their class.
    pub fn error(&self) -> f64 {
        let classes = self.scores.len() / self.labels.len().max(1);
        let rows = self.scores.chunks_exact(classes).zip(self.labels).zip(self.weights);
        let wrong = rows.filter(|((scores, label), _)| crate::model::argmax(scores) != **label as usize);
        (wrong.map(|(_, w)| w).sum::<f64>() + 0.0) / self.weights.iter().sum::<f64>()
    }

    /// The factor of least log loss, and that loss: the best of a grid of logarithms, then golden section around it (the
    /// uniform part can make more than one minimum).
    pub fn temperature(&self) -> (f64, f64) {
        self.least(|factor| self.log_loss(factor))
    }

    /// The factor that makes probabilities honest, and the mean log loss with it. Being sure and wrong counts in full here;
    /// rows that are all right do not make the factor infinite because each counts a little as a row of any class.
    pub fn honest_temperature(&self) -> (f64, f64) {
        let classes = self.scores.len() / self.labels.len().max(1);
        let share = 1.0 / (self.count + classes as f64);
        let (factor, _) = self.least(|factor| self.smoothed(factor, share));
        (factor, self.smoothed(factor, 0.0))
    }

    /// Mean log loss if this share of each row's class is given to all classes alike.
    fn smoothed(&self, factor: f64, share: f64) -> f64 {
        let classes = self.scores.len() / self.labels.len().max(1);
        let (mut loss, mut weight) = (0.0, 0.0);
        for ((scores, label), w) in self.scores.chunks_exact(classes).zip(self.labels).zip(self.weights) {
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = scores.iter().map(|h| exp((h - most) * factor)).sum();
            let mean = scores.iter().sum::<f64>() / classes as f64;
            let target = (1.0 - share) * scores[*label as usize] + share * mean;
            loss += w * (ln(sum) + (most - target) * factor);
            weight += w;
        }
        loss / weight
    }

    fn least(&self, loss: impl Fn(f64) -> f64) -> (f64, f64) {
        const GOLDEN: f64 = 0.618_033_988_749_894_8;
        const STEPS: usize = 40;
        let loss = |x: f64| loss(exp(x));
        let (first, last) = (ln(0.05), ln(500.0));
        let step = (last - first) / STEPS as f64;
        let losses: Vec<f64> = (0..=STEPS).map(|i| -loss(first + i as f64 * step)).collect();
        let best = first + crate::model::argmax(&losses) as f64 * step;
        let (mut low, mut high) = (best - step, best + step);
        let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (mut at_a, mut at_b) = (loss(a), loss(b));
        while high - low > 1e-4 {
            if at_a <= at_b {
                (high, b, at_b) = (b, a, at_a);
                a = high - GOLDEN * (high - low);
                at_a = loss(a);
            } else {
                (low, a, at_a) = (a, b, at_b);
                b = low + GOLDEN * (high - low);
                at_b = loss(b);
            }
        }
        let middle = 0.5 * (low + high);
        (exp(middle), loss(middle))
    }
}
