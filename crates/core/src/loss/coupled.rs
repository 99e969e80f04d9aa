//! REBEL's coupled-sum loss (thesis eq. 4.5; paper eq. 2): costs enter training as *subcosts*.
//!
//! For a row of class y with scores H,
//!
//! ```text
//! L_n = sum_k ( c+[y][k] g(H_k) + c-[y][k] g(-H_k) ) + offset[y]   >=   cost of the decision argmax H
//! ```
//!
//! Two ways to choose subcosts from a cost row c (zero at y):
//! * **thesis** (4.3): c+ on the wrong classes, c- on y alone. For g = exp the thesis gives c+ = c^2 / (4 theta),
//!   c- = theta with theta the mean of c+. That formula meets eq. 4.3 only for exp; for the other g we solve 4.3
//!   with equality and keep theta = mean of c+ (documented in docs/papers.md).
//! * **paper** (eq. 2, S.3): c+ = c - beta, c- = max(c) - c, halved, plus the constant beta = sum c - (K-1) max c.
//!   The bound then holds for every g, and the smallest possible loss L* is not zero.
//!
//! Weights are normalised to sum one, costs to a mean of one, so the loss does not depend on their units.

use super::Surrogate;
use crate::context::Context;
use crate::data::{CostMatrix, Dataset};
use crate::math::{exp, ln};

/// Rows summed together; a fixed number, so that sums do not depend on the number of threads.
const CHUNK: usize = 2048;
/// Rows prepared together: their scores stay in the cache.
const NEAR: usize = 64;
/// Largest component of an output vector: without smoothing, a perfect learner would ask for infinity.
pub(super) const LARGEST_STEP: f64 = 14.0;

/// How costs become subcosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subcosts {
    /// Thesis 4.3.
    Thesis,
    /// Paper eq. 2.
    Paper,
}

/// The loss of a data set: labels, weights, subcosts and g.
pub struct CoupledLoss {
    surrogate: &'static dyn Surrogate,
    classes: usize,
    labels: Vec<u32>,
    /// Normalised to sum one.
    weights: Vec<f64>,
    /// `[truth][class]`.
    plus: Vec<f64>,
    minus: Vec<f64>,
    offset: Vec<f64>,
    least: f64,
    enough: f64,
    smoothing: f64,
}

/// First and second derivatives of the loss at the current scores.
pub struct RoundWeights {
    /// `[row][class]`: derivative with respect to each score; for exp, w+ - w-.
    pub slopes: Vec<f64>,
    /// Per class: sum of second derivatives; for exp, S = sum of w+ + w-.
    pub totals: Vec<f64>,
    /// Per class: sum of absolute derivatives.
    pub magnitudes: Vec<f64>,
    /// The loss itself.
    pub loss: f64,
}

/// An output vector and what it achieves.
#[derive(Clone, Debug)]
pub struct Step {
    /// The vector a.
    pub output: Vec<f64>,
    /// Loss after adding it.
    pub loss: f64,
    /// The edge of eq. 4.12: sum_k |sum_n f g| over the largest value it could have.
    pub edge: f64,
}

impl CoupledLoss {
    /// `costs` in any unit; `smoothing` is the share of S_k added to both sides of a step.
    pub fn new(
        surrogate: &'static dyn Surrogate,
        subcosts: Subcosts,
        data: &Dataset,
        costs: &CostMatrix,
        smoothing: f64,
    ) -> Self {
        Self::of_rows(surrogate, subcosts, data.labels.clone(), &data.weights, costs, smoothing)
    }

    /// The same for labels and weights that are not those of a data set. Rows of weight zero have no say.
    pub fn of_rows(
        surrogate: &'static dyn Surrogate,
        subcosts: Subcosts,
        labels: Vec<u32>,
        weights: &[f64],
        costs: &CostMatrix,
        smoothing: f64,
    ) -> Self {
        let classes = costs.classes();
        let costs = costs.normalised();
        let mut loss = CoupledLoss {
            surrogate,
            classes,
            labels,
            weights: Vec::new(),
            plus: vec![0.0; classes * classes],
            minus: vec![0.0; classes * classes],
            offset: vec![0.0; classes],
            least: 0.0,
            enough: 0.0,
            smoothing,
        };
        let mut least = vec![0.0; classes];
        for truth in 0..classes {
            least[truth] = match subcosts {
                Subcosts::Thesis => loss.thesis_subcosts(truth, costs.row(truth)),
                Subcosts::Paper => loss.paper_subcosts(truth, costs.row(truth)),
            };
        }
        let sum: f64 = weights.iter().sum();
        loss.weights = weights.iter().map(|w| w / sum).collect();
        loss.least = loss.labels.iter().zip(&loss.weights).map(|(&y, w)| w * least[y as usize]).sum();
        // The smallest mistake still possible costs this much, so a loss below it means no mistake is left
        // (thesis 5.4: 1/N for unit weights and 0-1 costs).
        let smallest_weight = loss.weights.iter().copied().filter(|w| *w > 0.0).fold(f64::INFINITY, f64::min);
        let smallest_cost = (0..classes)
            .flat_map(|truth| costs.row(truth).iter().copied())
            .filter(|c| *c > 0.0)
            .fold(f64::INFINITY, f64::min);
        loss.enough = smallest_weight * smallest_cost;
        loss
    }

    /// theta = mean of the c+ it implies; their ratio falls as theta grows, so bisection finds it.
    fn thesis_subcosts(&mut self, truth: usize, costs: &[f64]) -> f64 {
        let wrong = || (0..costs.len()).filter(|&k| k != truth);
        let dearest = costs.iter().copied().fold(0.0, f64::max);
        if dearest == 0.0 {
            return 0.0; // no mistake on this class costs anything: it has no say
        }
        let others = (costs.len() - 1) as f64;
        let theta = if self.surrogate.is_exponential() {
            costs.iter().map(|c| c * c).sum::<f64>().sqrt() / (2.0 * others.sqrt())
        } else {
            let ratio = |theta: f64| wrong().map(|k| self.surrogate.partner(theta, costs[k]) / theta).sum::<f64>();
            // c+ <= c^2 / theta for every g here; theta lies well inside these ends.
            let (mut low, mut high) = (dearest * 1e-6, dearest * 1e3);
            for _ in 0..200 {
                let middle = (low * high).sqrt();
                if ratio(middle) > others { low = middle } else { high = middle }
            }
            (low * high).sqrt()
        };
        let row = truth * self.classes;
        for k in wrong() {
            self.plus[row + k] = self.surrogate.partner(theta, costs[k]);
        }
        self.minus[row + truth] = theta;
        0.0
    }

    /// Eq. 2 with the factor 1/2 folded in; returns this class's share of L*.
    fn paper_subcosts(&mut self, truth: usize, costs: &[f64]) -> f64 {
        let dearest = costs.iter().copied().fold(0.0, f64::max);
        let beta = costs.iter().sum::<f64>() - (costs.len() - 1) as f64 * dearest;
        self.offset[truth] = beta;
        let mut least = beta;
        for k in 0..costs.len() {
            let (plus, minus) = (0.5 * (costs[k] - beta), 0.5 * (dearest - costs[k]));
            let cell = truth * self.classes + k;
            (self.plus[cell], self.minus[cell]) = (plus, minus);
            least += self.surrogate.pair_minimum(plus, minus);
        }
        least
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// The function g.
    pub fn surrogate(&self) -> &'static dyn Surrogate {
        self.surrogate
    }

    /// L*: no scores can bring the loss below it.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// A loss closer to [`least`](Self::least) than this leaves no mistake (for the paper's subcosts: a heuristic).
    pub fn enough(&self) -> f64 {
        self.enough
    }

    /// The share of S_k added to both sides of a step.
    pub fn smoothing(&self) -> f64 {
        self.smoothing
    }

    /// A row's class.
    pub fn label(&self, row: usize) -> usize {
        self.labels[row] as usize
    }

    /// Whether every row pushes its own class up and all others down, each by one weight: then |slope| is that
    /// weight, and for exp the second derivative too. Always so with the thesis' subcosts.
    pub fn is_one_sided(&self) -> bool {
        let k = self.classes;
        (0..k * k).all(|cell| if cell / k == cell % k { self.plus[cell] == 0.0 } else { self.minus[cell] == 0.0 })
    }

    /// Second derivatives, `[row][class]`, for learners that weigh rows by them.
    pub fn curvatures(&self, scores: &[f64], context: &Context) -> Vec<f32> {
        let k = self.classes;
        let mut out = vec![0.0f32; scores.len()];
        context.map_parts(&mut out, CHUNK * k, scores.len() * 4, |index, out| {
            let mut cells = vec![(0.0, 0.0); k];
            let mut ready = scores[index * CHUNK * k..][..out.len()].to_vec();
            self.surrogate.prepare(&mut ready);
            for (i, (out, ready)) in out.chunks_exact_mut(k).zip(ready.chunks_exact(k)).enumerate() {
                let row = index * CHUNK + i;
                let (plus, minus, _) = self.subcosts(row);
                self.surrogate.row(self.weights[row], ready, plus, minus, &mut cells);
                out.iter_mut().zip(&cells).for_each(|(out, (_, second))| *out = *second as f32);
            }
        });
        out
    }

    fn subcosts(&self, row: usize) -> (&[f64], &[f64], f64) {
        let truth = self.labels[row] as usize;
        let cells = truth * self.classes..(truth + 1) * self.classes;
        (&self.plus[cells.clone()], &self.minus[cells], self.offset[truth])
    }

    /// Weights of a round at these scores (`[row][class]`). `slopes` is scratch from an earlier round.
    pub fn weigh(&self, scores: &[f64], mut slopes: Vec<f64>, context: &Context) -> RoundWeights {
        let k = self.classes;
        slopes.resize(scores.len(), 0.0);
        let parts = context.map_parts(&mut slopes, CHUNK * k, scores.len() * 4, |index, slopes| {
            let mut sums = Sums::new(k);
            let mut row_out = vec![(0.0, 0.0); k];
            let mut row = index * CHUNK;
            for near in slopes.chunks_mut(NEAR * k) {
                near.copy_from_slice(&scores[row * k..][..near.len()]);
                self.surrogate.prepare(near);
                for slopes in near.chunks_exact_mut(k) {
                    let (plus, minus, offset) = self.subcosts(row);
                    sums.loss += self.surrogate.row(self.weights[row], slopes, plus, minus, &mut row_out)
                        + self.weights[row] * offset;
                    for c in 0..k {
                        let (slope, curvature) = row_out[c];
                        slopes[c] = slope;
                        sums.first[c] += slope.abs();
                        sums.second[c] += curvature;
                    }
                    row += 1;
                }
            }
            sums
        });
        let sums = Sums::total(parts, k);
        RoundWeights { slopes, totals: sums.second, magnitudes: sums.first, loss: sums.loss }
    }

    /// The best output vector for a response in [-1, 1] to every row, per class (eq. 4.9 for exp and +-1;
    /// safeguarded Newton otherwise).
    ///
    /// Smoothing adds epsilon S_k (g(a) + g(-a)) to what is minimised: for exp this is the familiar
    /// ln((s- + epsilon S) / (s+ + epsilon S)) / 2.
    pub fn step(&self, weights: &RoundWeights, scores: &[f64], response: &[f64], context: &Context) -> Step {
        let signs = response.iter().all(|f| f.abs() == 1.0);
        let along = self.project(&weights.slopes, response, context);
        // For exp the curvatures are the weights of eq. 4.12; otherwise the slopes play their part.
        let mass = if self.surrogate.is_exponential() { &weights.totals } else { &weights.magnitudes };
        let mass: f64 = mass.iter().sum();
        let edge = if mass > 0.0 { along.iter().map(|d| d.abs()).sum::<f64>() / mass } else { 0.0 };
        if self.surrogate.is_exponential() && signs {
            let mut loss = weights.loss;
            let output = (0..self.classes)
                .map(|k| {
                    let (s, d) = (weights.totals[k], along[k]);
                    let extra = self.smoothing * s;
                    // s+ and s- of eq. 4.8; rounding must not make them negative.
                    let (up, down) = ((0.5 * (s + d)).max(0.0), (0.5 * (s - d)).max(0.0));
                    let a = match (up + extra, down + extra) {
                        (0.0, 0.0) => 0.0,
                        (0.0, _) => LARGEST_STEP,
                        (_, 0.0) => -LARGEST_STEP,
                        (up, down) => (0.5 * (ln(down) - ln(up))).clamp(-LARGEST_STEP, LARGEST_STEP),
                    };
                    loss += up * (exp(a) - 1.0) + down * (exp(-a) - 1.0);
                    a
                })
                .collect();
            return Step { output, loss, edge };
        }
        let (output, loss) = self
            .bucketed_step(weights, scores, response, context)
            .unwrap_or_else(|| self.newton(weights, scores, response, context));
        Step { output, loss, edge }
    }

    /// Per class: sum over rows of f * slope.
    fn project(&self, slopes: &[f64], response: &[f64], context: &Context) -> Vec<f64> {
        let k = self.classes;
        let parts = context.map(response.len().div_ceil(CHUNK), slopes.len(), |index| {
            let rows = index * CHUNK..((index + 1) * CHUNK).min(response.len());
            let slopes = &slopes[rows.start * k..rows.end * k];
            pulp::Arch::new().dispatch(Project { slopes, response: &response[rows], classes: k })
        });
        let mut total = vec![0.0; k];
        for part in parts {
            total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
        }
        total
    }

    /// Newton per class inside a bracket that the sign of the derivative keeps shrinking.
    fn newton(&self, weights: &RoundWeights, scores: &[f64], response: &[f64], context: &Context) -> (Vec<f64>, f64) {
        let k = self.classes;
        let mut a = vec![0.0; k];
        let mut low = vec![-LARGEST_STEP; k];
        let mut high = vec![LARGEST_STEP; k];
        let mut done = vec![false; k];
        let mut loss = weights.loss;
        for _ in 0..100 {
            let sums = self.along(scores, response, &a, context);
            loss = sums.loss;
            for c in 0..k {
                if done[c] {
                    continue;
                }
                let ridge = self.smoothing * weights.totals[c];
                let g = self.surrogate;
                let slope = sums.first[c] + ridge * (g.slope(a[c]) - g.slope(-a[c]));
                let curvature = sums.second[c] + ridge * (g.curvature(a[c]) + g.curvature(-a[c]));
                if slope > 0.0 {
                    high[c] = a[c]
                } else {
                    low[c] = a[c]
                }
                let newton = a[c] - slope / curvature;
                let next = if curvature > 0.0 && newton > low[c] && newton < high[c] {
                    newton
                } else {
                    0.5 * (low[c] + high[c])
                };
                done[c] = slope == 0.0 || (next - a[c]).abs() <= 1e-13 * (1.0 + a[c].abs());
                a[c] = if slope == 0.0 { a[c] } else { next };
            }
            if done.iter().all(|d| *d) {
                loss = self.along(scores, response, &a, context).loss;
                break;
            }
        }
        (a, loss)
    }

    /// Loss and its first two derivatives with respect to a, at H + f a.
    pub(super) fn along(&self, scores: &[f64], response: &[f64], a: &[f64], context: &Context) -> Sums {
        let k = self.classes;
        let parts = context.map(self.rows().div_ceil(CHUNK), scores.len() * 4, |index| {
            let mut sums = Sums::new(k);
            let mut moved = vec![0.0; NEAR * k];
            let mut row_out = vec![(0.0, 0.0); k];
            let end = ((index + 1) * CHUNK).min(self.rows());
            for start in (index * CHUNK..end).step_by(NEAR) {
                let rows = start..(start + NEAR).min(end);
                let moved = &mut moved[..rows.len() * k];
                let from = scores[start * k..].chunks_exact(k).zip(&response[rows.clone()]);
                for (moved, (h, f)) in moved.chunks_exact_mut(k).zip(from) {
                    moved.iter_mut().zip(h).zip(a).for_each(|((moved, h), a)| *moved = h + f * a);
                }
                self.surrogate.prepare(moved);
                for (row, moved) in rows.zip(moved.chunks_exact(k)) {
                    let f = response[row];
                    let (plus, minus, offset) = self.subcosts(row);
                    sums.loss += self.surrogate.row(self.weights[row], moved, plus, minus, &mut row_out)
                        + self.weights[row] * offset;
                    for c in 0..k {
                        sums.first[c] += f * row_out[c].0;
                        sums.second[c] += f * f * row_out[c].1;
                    }
                }
            }
            sums
        });
        Sums::total(parts, k)
    }

    /// delta_n = L_n(H + a) - L_n(H - a) for every row: given the output vector, choosing the sides of rows is a
    /// *binary* weighted problem (design 5.1). Linear in the slopes for exp.
    pub fn sides(
        &self,
        weights: &RoundWeights,
        scores: &[f64],
        output: &[f64],
        delta: &mut [f64],
        context: &Context,
    ) {
        let k = self.classes;
        let factors: Vec<f64> = output.iter().map(|a| exp(*a) - exp(-a)).collect();
        context.map_parts(delta, CHUNK, scores.len() * 2, |index, delta| {
            let mut moved = vec![0.0; k];
            let mut scratch = vec![(0.0, 0.0); k];
            for (i, delta) in delta.iter_mut().enumerate() {
                let row = index * CHUNK + i;
                let cells = row * k..(row + 1) * k;
                *delta = if self.surrogate.is_exponential() {
                    dot(&weights.slopes[cells], &factors)
                } else {
                    let (plus, minus, _) = self.subcosts(row);
                    let mut at = |sign: f64| {
                        let h = &scores[cells.clone()];
                        (0..k).for_each(|c| moved[c] = h[c] + sign * output[c]);
                        self.surrogate.prepare(&mut moved);
                        self.surrogate.row(self.weights[row], &moved, plus, minus, &mut scratch)
                    };
                    at(1.0) - at(-1.0)
                };
            }
        });
    }
}

pub(super) struct Sums {
    pub(super) loss: f64,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Sums {
    fn new(classes: usize) -> Self {
        Sums { loss: 0.0, first: vec![0.0; classes], second: vec![0.0; classes] }
    }

    /// In chunk order, whoever computed the chunks.
    fn total(parts: Vec<Sums>, classes: usize) -> Self {
        let mut total = Sums::new(classes);
        for part in parts {
            total.loss += part.loss;
            for k in 0..classes {
                total.first[k] += part.first[k];
                total.second[k] += part.second[k];
            }
        }
        total
    }
}
/// Four running sums, so that additions need not wait for each other.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut parts = [0.0f64; 4];
    let (a, a_rest) = a.as_chunks::<4>();
    let (b, b_rest) = b.as_chunks::<4>();
    for (a, b) in a.iter().zip(b) {
        (0..4).for_each(|i| parts[i] += a[i] * b[i]);
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (parts[0] + parts[1]) + (parts[2] + parts[3]) + rest
}

/// Sums of f * slope, one a class. `pulp` compiles it once for each instruction set.
struct Project<'a> {
    slopes: &'a [f64],
    response: &'a [f64],
    classes: usize,
}

impl pulp::NullaryFnOnce for Project<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn call(self) -> Vec<f64> {
        let mut sums = vec![0.0; self.classes];
        for (row, f) in self.slopes.chunks_exact(self.classes).zip(self.response) {
            sums.iter_mut().zip(row).for_each(|(sum, slope)| *sum += f * slope);
        }
        sums
    }
}
