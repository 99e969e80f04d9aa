//! The step for real-valued responses and g = exp, from a histogram of responses.
//!
//! Newton's method on all N x K weights costs an exponential for each of them in every iteration, which is most of
//! the time of a round of similarities. Rows whose responses fall into the same one of 256 narrow buckets are
//! therefore added up first (one addition a weight), and Newton runs on the buckets. The vector found differs from
//! the exact minimiser a little, far less than what the greedy choice of learners leaves open; the loss
//! reported with it is exact wherever the difference could matter.

use super::coupled::{CoupledLoss, LARGEST_STEP, RoundWeights};
use crate::context::Context;
use crate::math::{exp, exp_all};

/// Buckets over [-1, 1].
const BUCKETS: usize = 256;
/// Rows summed together: large, since every part has its own histogram; fixed, so that sums do not depend on threads.
const CHUNK: usize = 8192;
/// A relative reduction of the loss below this is measured exactly.
const CLOSE: f64 = 1e-5;

/// The response a bucket stands for; buckets b and BUCKETS - 1 - b stand for opposite ones.
fn middle(bucket: usize) -> f64 {
    (2 * bucket) as f64 / (BUCKETS - 1) as f64 - 1.0
}

fn bucket(response: f64) -> usize {
    ((0.5 * (response + 1.0) * (BUCKETS - 1) as f64 + 0.5) as usize).min(BUCKETS - 1)
}

/// e^{f a} for every bucket.
fn pushes(a: f64) -> [f64; BUCKETS] {
    let mut pushes = std::array::from_fn(|b| middle(b) * a);
    exp_all(&mut pushes);
    pushes
}

impl CoupledLoss {
    /// Output vector and loss; `None` if the weights do not allow it or there are too few rows for it to pay.
    pub(super) fn bucketed_step(
        &self,
        weights: &RoundWeights,
        scores: &[f64],
        response: &[f64],
        context: &Context,
    ) -> Option<(Vec<f64>, f64)> {
        if !self.surrogate().is_exponential() || !self.is_one_sided() || self.rows() < BUCKETS {
            return None;
        }
        let k = self.classes();
        let sums = self.histogram(weights, response, context);
        let mut output = vec![0.0; k];
        let mut change = 0.0;
        let mut column = vec![0.0; BUCKETS];
        for c in 0..k {
            (0..BUCKETS).for_each(|b| column[b] = sums[b * k + c]);
            let ridge = self.smoothing() * weights.totals[c];
            output[c] = minimise(&column, ridge);
            let after: f64 = column.iter().zip(pushes(output[c])).map(|(w, e)| w * e).sum();
            change += after - column.iter().sum::<f64>();
        }
        let mut loss = weights.loss + change;
        if change > -CLOSE * weights.loss {
            loss = self.along(scores, response, &output, context).loss;
        }
        Some((output, loss))
    }

    /// `[bucket][class]`: weight of the rows that f pushes up by e^{f a}. A row's own class is pushed by e^{-f a}:
    /// it counts in the opposite bucket.
    fn histogram(&self, weights: &RoundWeights, response: &[f64], context: &Context) -> Vec<f64> {
        let k = self.classes();
        let parts = context.map(response.len().div_ceil(CHUNK), weights.slopes.len() * 2, |index| {
            let rows = index * CHUNK..((index + 1) * CHUNK).min(response.len());
            let mut sums = vec![0.0; BUCKETS * k];
            for row in rows {
                let slopes = &weights.slopes[row * k..(row + 1) * k];
                let at = bucket(response[row]);
                let own = self.label(row);
                let w = -slopes[own];
                sums[at * k..(at + 1) * k].iter_mut().zip(slopes).for_each(|(sum, g)| *sum += g);
                sums[at * k + own] += w;
                sums[(BUCKETS - 1 - at) * k + own] += w;
            }
            sums
        });
        let mut parts = parts.into_iter();
        let mut total = parts.next().unwrap_or_default();
        for part in parts {
            total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
        }
        total
    }
}

/// The a that minimises sum w_b e^{f_b a} + ridge (e^a + e^-a): Newton inside a shrinking bracket.
fn minimise(weights: &[f64], ridge: f64) -> f64 {
    let (mut a, mut low, mut high) = (0.0f64, -LARGEST_STEP, LARGEST_STEP);
    for _ in 0..60 {
        let (mut slope, mut curvature) = (0.0, 0.0);
        for ((b, w), e) in weights.iter().enumerate().zip(pushes(a)) {
            let f = middle(b);
            let first = f * w * e;
            slope += first;
            curvature += f * first;
        }
        let (up, down) = (exp(a), exp(-a));
        slope += ridge * (up - down);
        curvature += ridge * (up + down);
        if slope > 0.0 {
            high = a;
        } else {
            low = a;
        }
        let newton = a - slope / curvature;
        let next = if curvature > 0.0 && newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if slope == 0.0 || (next - a).abs() <= 1e-9 * (1.0 + a.abs()) {
            return if slope == 0.0 { a } else { next };
        }
        a = next;
    }
    a
}
