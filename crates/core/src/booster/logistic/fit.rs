//! The outputs of least loss: quasi-Newton steps (L-BFGS) that begin from a bound of the curvature.
//!
//! The curvature of the log loss is at most X' W X / 2 for every class, whatever the outputs are (Bohning 1992), so one Cholesky
//! factor serves all classes and all steps; what the bound overrates the last few steps correct. The loss is convex and
//! the ridge makes its minimum unique.

use super::design::{BLOCK, Design};
use crate::context::Context;
use crate::error::Result;
use crate::linear::Cholesky;
use crate::math::{exp_all, ln};
use std::collections::VecDeque;

/// Steps at most.
const STEPS: usize = 300;
/// Steps that are remembered.
const MEMORY: usize = 12;
/// Gain of the next step at which it is not worth it.
const ENOUGH: f64 = 1e-13;
/// Columns above which correlations between them are left to the steps: a factor is cubic in their number.
const WIDE: usize = 2000;

/// The problem.
pub struct Fit<'a> {
    pub design: &'a Design,
    /// One a row.
    pub labels: &'a [u32],
    /// One a row.
    pub weights: &'a [f64],
    /// Their sum.
    pub total: f64,
    pub classes: usize,
    pub ridge: f64,
}

/// What was found.
pub struct Found {
    /// `[class][column]`.
    pub outputs: Vec<f64>,
    /// Mean log loss on the rows of the fit.
    pub loss: f64,
    /// Share of them that is answered wrongly.
    pub error: f64,
}

/// Loss and slope at some outputs.
struct Local {
    /// With the ridge.
    value: f64,
    loss: f64,
    error: f64,
    slope: Vec<f64>,
}

/// The inverse of the bound.
enum Bound {
    Factor(Cholesky),
    Diagonal(Vec<f64>),
}

impl Bound {
    fn solve(&self, vectors: &mut [f64]) {
        match self {
            Bound::Factor(factor) => factor.solve(vectors),
            Bound::Diagonal(diagonal) => {
                for vector in vectors.chunks_exact_mut(diagonal.len()) {
                    vector.iter_mut().zip(diagonal).for_each(|(x, d)| *x /= d);
                }
            }
        }
    }
}

impl Fit<'_> {
    /// From outputs of zero; as far as time allows.
    pub fn solve(&self, context: &Context) -> Result<Found> {
        let bound = self.bound(context)?;
        let mut at = vec![0.0; self.classes * self.design.columns];
        let mut here = self.local(&at, context);
        let mut past: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
        for _ in 0..STEPS {
            let step = descend(&here.slope, &past, &bound);
            let gain = -dot(&step, &here.slope);
            if gain < ENOUGH || context.asked_to_stop().is_some() {
                break;
            }
            let Some((to, there)) = self.walk(&at, &here, &step, gain, context) else { break };
            let moved = difference(&to, &at);
            let turned = difference(&there.slope, &here.slope);
            if dot(&moved, &turned) > 0.0 {
                past.push_back((moved, turned));
                if past.len() > MEMORY {
                    past.pop_front();
                }
            }
            (at, here) = (to, there);
        }
        Ok(Found { outputs: at, loss: here.loss, error: here.error })
    }

    /// As far along a step as the loss falls in fair proportion; `None` if it does not fall at all.
    fn walk(
        &self,
        at: &[f64],
        here: &Local,
        step: &[f64],
        gain: f64,
        context: &Context,
    ) -> Option<(Vec<f64>, Local)> {
        let mut length = 1.0;
        while length > 1e-6 {
            let to: Vec<f64> = at.iter().zip(step).map(|(a, d)| a + length * d).collect();
            let there = self.local(&to, context);
            if there.value < here.value - 1e-4 * length * gain {
                return Some((to, there));
            }
            length *= 0.5;
        }
        None
    }

    fn bound(&self, context: &Context) -> Result<Bound> {
        let half = 0.5 / self.total;
        let ridge = |column: usize| if column == 0 { 0.0 } else { self.ridge };
        if self.design.columns > WIDE {
            let squares = self.design.squares(self.weights).into_iter().enumerate();
            return Ok(Bound::Diagonal(squares.map(|(column, sum)| half * sum + ridge(column)).collect()));
        }
        let mut gram = self.design.gram(self.weights, context);
        gram.values.iter_mut().for_each(|x| *x *= half);
        Ok(Bound::Factor(Cholesky::new(&gram, ridge)?))
    }

    fn local(&self, outputs: &[f64], context: &Context) -> Local {
        let columns = self.design.columns;
        let parts = self.design.slopes(outputs, context, |first, scores| self.residuals(first, scores));
        let mut local = Local { value: 0.0, loss: 0.0, error: 0.0, slope: vec![0.0; outputs.len()] };
        for ((loss, wrong), slope) in parts {
            local.loss += loss / self.total;
            local.error += wrong / self.total;
            local.slope.iter_mut().zip(slope).for_each(|(sum, s)| *sum += s / self.total);
        }
        local.value = local.loss;
        // The constant is free.
        for (_, (slope, a)) in local.slope.iter_mut().zip(outputs).enumerate().filter(|(i, _)| i % columns > 0) {
            *slope += self.ridge * a;
            local.value += 0.5 * self.ridge * a * a;
        }
        local
    }

    /// Turns the scores of some rows (`[class][row]`) into weight times (p - truth); returns the sums of loss and mistakes.
    fn residuals(&self, first: usize, scores: &mut [f64]) -> (f64, f64) {
        let rows = scores.len() / self.classes;
        let (labels, weights) = (&self.labels[first..][..rows], &self.weights[first..][..rows]);
        let mut most = [f64::NEG_INFINITY; BLOCK];
        for class in scores.chunks_exact(rows) {
            most.iter_mut().zip(class).for_each(|(most, h)| *most = most.max(*h));
        }
        for class in scores.chunks_exact_mut(rows) {
            class.iter_mut().zip(&most).for_each(|(h, most)| *h -= most);
        }
        let own: Vec<f64> = labels.iter().enumerate().map(|(row, k)| scores[*k as usize * rows + row]).collect();
        exp_all(scores);
        let mut sums = [0.0; BLOCK];
        for class in scores.chunks_exact(rows) {
            sums.iter_mut().zip(class).for_each(|(sum, e)| *sum += e);
        }
        for class in scores.chunks_exact_mut(rows) {
            let each = class.iter_mut().zip(&sums).zip(weights);
            each.for_each(|((e, sum), weight)| *e *= weight / sum);
        }
        let (mut loss, mut wrong) = (0.0, 0.0);
        for (row, ((label, weight), own)) in labels.iter().zip(weights).zip(own).enumerate() {
            scores[*label as usize * rows + row] -= weight;
            loss += weight * (ln(sums[row]) - own);
            wrong += if own < 0.0 { *weight } else { 0.0 };
        }
        (loss, wrong)
    }
}

/// The direction of the next step: the two loops of L-BFGS around the bound, scaled to what the last step found.
fn descend(slope: &[f64], past: &VecDeque<(Vec<f64>, Vec<f64>)>, bound: &Bound) -> Vec<f64> {
    let mut step: Vec<f64> = slope.iter().map(|s| -s).collect();
    let mut shares = Vec::with_capacity(past.len());
    for (moved, turned) in past.iter().rev() {
        let share = dot(moved, &step) / dot(moved, turned);
        step.iter_mut().zip(turned).for_each(|(d, y)| *d -= share * y);
        shares.push(share);
    }
    bound.solve(&mut step);
    if let Some((moved, turned)) = past.back() {
        let mut bounded = turned.clone();
        bound.solve(&mut bounded);
        let scale = dot(moved, turned) / dot(turned, &bounded);
        step.iter_mut().for_each(|d| *d *= scale);
    }
    for ((moved, turned), share) in past.iter().zip(shares.into_iter().rev()) {
        let back = share - dot(turned, &step) / dot(moved, turned);
        step.iter_mut().zip(moved).for_each(|(d, s)| *d += back * s);
    }
    step
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}
