//! The weights of the members: the sum of their calibrated log probabilities that has the least log loss on rows that
//! none of them had seen.
//!
//! w = argmin over 0 <= w_m <= 3 of mean_i -ln softmax(sum_m w_m ln p_m(i))_{y_i} + pull |w - t|^2: convex, so a Newton step on
//! the weights that are not at a bound, projected and halved until it helps, finds the one minimum. The weights t that it is
//! pulled to sum to one; a member has the more, the less its own loss is: e times less for each quarter of the least loss
//! that it has above it. The pull falls as one over the number of rows: what many rows say of the members needs no help, and
//! where all members are nearly perfect a constant pull would outweigh it.

use crate::context::Context;
use crate::error::Result;
use crate::linear::{Cholesky, Symmetric};
use crate::math::{exp, ln};

/// Largest weight.
const MOST: f64 = 3.0;
/// Pull towards weights by what each member is worth alone, times the rows.
const PULL: f64 = 10.0;
/// Part of the least loss by which a member may be worse for e times less,
const PART: f64 = 0.25;
/// which counts as this at least.
const SLIGHT: f64 = 0.02;
/// Newton steps at most.
const STEPS: usize = 100;
/// Rows of a task.
const CHUNK: usize = 512;

/// What the members say about rows they had not seen.
pub struct Stack<'a> {
    /// Logarithms of probabilities: `[member][row][class]`.
    pub members: Vec<Vec<f64>>,
    /// One a row.
    pub labels: &'a [u32],
    /// One a row.
    pub weights: &'a [f64],
}

/// Value, slope and curvature at some weights.
struct Local {
    loss: f64,
    slope: Vec<f64>,
    /// `[member][member]`.
    curvature: Vec<f64>,
}

impl Stack<'_> {
    /// The best weights.
    pub fn solve(&self, context: &Context) -> Result<Vec<f64>> {
        let count = self.members.len();
        let target = self.target();
        let mut at = target.clone();
        let mut local = self.local(&at, &target, context);
        for _ in 0..STEPS {
            let free: Vec<usize> = (0..count)
                .filter(|&m| !(at[m] <= 0.0 && local.slope[m] > 0.0 || at[m] >= MOST && local.slope[m] < 0.0))
                .collect();
            let steepest = free.iter().map(|&m| local.slope[m].abs()).fold(0.0, f64::max);
            if steepest < 1e-9 {
                break;
            }
            let mut matrix = Symmetric::zero(free.len());
            for (i, &a) in free.iter().enumerate() {
                free.iter()
                    .enumerate()
                    .for_each(|(j, &b)| matrix.values[i * free.len() + j] = local.curvature[a * count + b]);
            }
            let mut step: Vec<f64> = free.iter().map(|&m| -local.slope[m]).collect();
            Cholesky::new(&matrix, |_| 0.0)?.solve(&mut step);
            let mut length = 1.0;
            let moved = loop {
                let mut to = at.clone();
                free.iter().zip(&step).for_each(|(&m, d)| to[m] = (at[m] + length * d).clamp(0.0, MOST));
                let there = self.local(&to, &target, context);
                if there.loss < local.loss {
                    let gain = local.loss - there.loss;
                    (at, local) = (to, there);
                    break gain;
                }
                length *= 0.5;
                if length < 1e-6 {
                    break 0.0;
                }
            };
            if moved < 1e-12 {
                break;
            }
        }
        Ok(at)
    }

    /// Mean log loss of the stack at these weights, without the pull.
    pub fn log_loss(&self, at: &[f64], context: &Context) -> f64 {
        self.local(at, at, context).loss
    }

    pub(super) fn pull(&self) -> f64 {
        PULL / self.labels.len() as f64
    }

    /// The weights that it is pulled to.
    pub(super) fn target(&self) -> Vec<f64> {
        let total: f64 = self.weights.iter().sum();
        let alone = |logs: &Vec<f64>| {
            let rows = logs.chunks_exact(logs.len() / self.labels.len()).zip(self.labels).zip(self.weights);
            rows.map(|((logs, label), weight)| -weight * logs[*label as usize]).sum::<f64>() / total
        };
        let losses: Vec<f64> = self.members.iter().map(alone).collect();
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let worth: Vec<f64> = losses.iter().map(|loss| exp((least - loss) / (PART * least.max(SLIGHT)))).collect();
        let sum: f64 = worth.iter().sum();
        worth.iter().map(|worth| worth / sum).collect()
    }

    /// `target` is what the weights are pulled to.
    fn local(&self, at: &[f64], target: &[f64], context: &Context) -> Local {
        let (count, rows) = (at.len(), self.labels.len());
        let classes = self.members[0].len() / rows.max(1);
        let work = rows * classes * count * (count + 2);
        let parts = context.map(rows.div_ceil(CHUNK), work, |part| {
            let (mut loss, mut slope, mut curvature) = (0.0, vec![0.0; count], vec![0.0; count * count]);
            let (mut p, mut mean) = (vec![0.0; classes], vec![0.0; count]);
            for row in part * CHUNK..((part + 1) * CHUNK).min(rows) {
                let logs = |m: usize| &self.members[m][row * classes..(row + 1) * classes];
                let (label, weight) = (self.labels[row] as usize, self.weights[row]);
                p.fill(0.0);
                (0..count).for_each(|m| p.iter_mut().zip(logs(m)).for_each(|(p, l)| *p += at[m] * l));
                let most = p.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let own = p[label] - most;
                p.iter_mut().for_each(|p| *p = exp(*p - most));
                let sum: f64 = p.iter().sum();
                p.iter_mut().for_each(|p| *p /= sum);
                loss += weight * (ln(sum) - own);
                for m in 0..count {
                    mean[m] = p.iter().zip(logs(m)).map(|(p, l)| p * l).sum();
                    slope[m] += weight * (mean[m] - logs(m)[label]);
                }
                for a in 0..count {
                    for b in 0..=a {
                        let both: f64 = p.iter().zip(logs(a)).zip(logs(b)).map(|((p, x), y)| p * x * y).sum();
                        curvature[a * count + b] += weight * (both - mean[a] * mean[b]);
                    }
                }
            }
            (loss, slope, curvature)
        });
        let total: f64 = self.weights.iter().sum();
        let pull = self.pull();
        let mut local = Local {
            loss: pull * at.iter().zip(target).map(|(w, t)| (w - t).powi(2)).sum::<f64>(),
            slope: at.iter().zip(target).map(|(w, t)| 2.0 * pull * (w - t)).collect(),
            curvature: vec![0.0; count * count],
        };
        for (loss, slope, curvature) in parts {
            local.loss += loss / total;
            local.slope.iter_mut().zip(slope).for_each(|(sum, s)| *sum += s / total);
            local.curvature.iter_mut().zip(curvature).for_each(|(sum, c)| *sum += c / total);
        }
        for a in 0..count {
            local.curvature[a * (count + 1)] += 2.0 * pull;
            (0..a).for_each(|b| local.curvature[b * count + a] = local.curvature[a * count + b]);
        }
        local
    }
}
