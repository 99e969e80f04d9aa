//! One factor for all scores, so that their softmax is calibrated (Guo, Pleiss, Sun, Weinberger 2017).

use crate::math::{exp, exp_all, ln};

/// Rows whose exponentials are computed together.
const BLOCK: usize = 64;

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
    ///
    /// Infinity where the loss is above `most`, if that shows early.
    pub fn log_loss(&self, factor: f64, most: f64) -> f64 {
        let classes = self.classes() as f64;
        let mix = 1.0 / (self.count + classes);
        let own = |scores: &[f64], label: usize| scores[label];
        self.mean(factor, most, own, |odds, _, _| -ln((1.0 - mix) / odds + mix / classes))
    }

    fn classes(&self) -> usize {
        self.scores.len() / self.labels.len().max(1)
    }

    /// The mean of `loss(odds, scores, label)`, where odds = sum_k e^(factor (h_k - reference)). Ends with infinity as soon as
    /// it is clear that the mean is above `most`: no row's loss is negative.
    fn mean(
        &self,
        factor: f64,
        most: f64,
        reference: impl Fn(&[f64], usize) -> f64,
        loss: impl Fn(f64, &[f64], usize) -> f64,
    ) -> f64 {
        let classes = self.classes();
        let total: f64 = self.weights.iter().sum();
        // Rounding decides nothing.
        let most = most * total * (1.0 + 1e-9);
        let mut odds = vec![0.0; BLOCK * classes];
        let mut sum = 0.0;
        let blocks =
            self.scores.chunks(BLOCK * classes).zip(self.labels.chunks(BLOCK)).zip(self.weights.chunks(BLOCK));
        for ((scores, labels), weights) in blocks {
            let rows = || scores.chunks_exact(classes).zip(labels.iter().map(|label| *label as usize));
            for (out, (scores, label)) in odds.chunks_exact_mut(classes).zip(rows()) {
                let reference = reference(scores, label);
                out.iter_mut().zip(scores).for_each(|(out, h)| *out = (h - reference) * factor);
            }
            exp_all(&mut odds[..scores.len()]);
            for ((odds, (scores, label)), w) in odds.chunks_exact(classes).zip(rows()).zip(weights) {
                sum += w * loss(odds.iter().sum(), scores, label);
            }
            if sum > most {
                return f64::INFINITY;
            }
        }
        sum / total
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
        least(|factor, most| self.log_loss(factor, most))
    }

    /// The factor that makes probabilities honest, and the mean log loss with it. Being sure and wrong counts in full here;
    /// rows that are all right do not make the factor infinite because each counts a little as a row of any class.
    pub fn honest_temperature(&self) -> (f64, f64) {
        let classes = self.scores.len() / self.labels.len().max(1);
        let share = 1.0 / (self.count + classes as f64);
        // Convex in the factor.
        let (factor, _) = least_downhill(|factor| self.smoothed(factor, share));
        (factor, self.smoothed(factor, 0.0))
    }

    /// Mean log loss if this share of each row's class is given to all classes alike.
    fn smoothed(&self, factor: f64, share: f64) -> f64 {
        let largest = |scores: &[f64], _| scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.mean(factor, f64::INFINITY, largest, |odds, scores, label| {
            let mean = scores.iter().sum::<f64>() / scores.len() as f64;
            let target = (1.0 - share) * scores[label] + share * mean;
            ln(odds) + (largest(scores, label) - target) * factor
        })
    }
}

/// Factors that are tried first: powers of one number, from 0.05 to 500, the nearest to one among them.
const STEPS: usize = 40;
const NEAR_ONE: usize = 13;

fn step() -> f64 {
    (ln(500.0) - ln(0.05)) / STEPS as f64
}

/// The logarithm of one of these factors.
fn at(i: usize) -> f64 {
    ln(0.05) + i as f64 * step()
}

/// The best of all factors, where `loss(factor, most)` may be infinite if it is above `most`, then [`golden`] around it.
fn least(loss: impl Fn(f64, f64) -> f64) -> (f64, f64) {
    // From the factor nearest to one outwards: the sooner a good one is known, the less is spent on others.
    let mut order: Vec<usize> = (0..=STEPS).collect();
    order.sort_by_key(|i| i.abs_diff(NEAR_ONE));
    let mut losses = vec![f64::INFINITY; STEPS + 1];
    let mut lowest = f64::INFINITY;
    for i in order {
        losses[i] = loss(exp(at(i)), lowest);
        lowest = lowest.min(losses[i]);
    }
    losses.iter_mut().for_each(|loss| *loss = -*loss);
    golden(crate::model::argmax(&losses), |factor| loss(factor, f64::INFINITY))
}

/// The same for a loss that has no minimum but one: downhill is the way.
fn least_downhill(loss: impl Fn(f64) -> f64) -> (f64, f64) {
    let start = loss(exp(at(NEAR_ONE)));
    let downhill = |ways: &mut dyn Iterator<Item = usize>| {
        let falls = |lowest: &mut f64, i: usize| {
            let here = loss(exp(at(i)));
            (here < std::mem::replace(lowest, here)).then_some(i)
        };
        ways.scan(start, falls).last()
    };
    let best = downhill(&mut (0..NEAR_ONE).rev()).or_else(|| downhill(&mut (NEAR_ONE + 1..=STEPS)));
    golden(best.unwrap_or(NEAR_ONE), loss)
}

/// The factor of least loss around one of those tried, and its loss, by golden section.
fn golden(around: usize, loss: impl Fn(f64) -> f64) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    let loss = |x: f64| loss(exp(x));
    let (mut low, mut high) = (at(around) - step(), at(around) + step());
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
