//! A cascade that keeps its promise on new rows: at a confidence of 95 %, at most the asked share of the answers changes.
//!
//! A threshold of its own for each look and class would fit the rows it is set on. Here all of them hang on one number:
//! a row stops once its lead is f times what the terms still to come can move it, were they as often for it as against it
//! (the root of the sum of their squares, known from the model alone). The rows given serve only to find the least f. From
//! large to small, each f is tested for "more than the asked share changes" (the binomial test, that is the upper bound of
//! Clopper and Pearson 1934), until one test cannot say no: tests in a fixed order share one level, whatever their number
//! (Bauer 1991; Angelopoulos, Bates, Candes, Jordan and Lei 2021, "Learn then Test", sec. 2.3). The rows must be drawn like
//! the new ones, and the model must not have seen them.

use super::cascade::{most_over, standing};
use super::{Model, Term};
use crate::context::Context;
use crate::data::Features;
use crate::error::Result;
use crate::math::{exp, ln};

/// The chance of calibration rows that break the promise.
const DOUBT: f64 = 0.05;
/// Steps between f and twice f.
const FINE: i32 = 8;
/// The largest f is two to this power: the thresholds of long chains are then near what cannot happen.
const LARGEST: i32 = 6;
/// Numbers f that are tried.
const TRIED: usize = 12 * FINE as usize;

/// The number f of a step: falling, with its place.
fn factor(step: usize) -> f64 {
    exp(std::f64::consts::LN_2 * (f64::from(LARGEST) - step as f64 / f64::from(FINE)))
}

/// The most changed answers among `rows` that still speak against a share of more than `risk`; `None` if not even none does.
pub fn most_changes(rows: usize, risk: f64) -> Option<usize> {
    let n = rows as f64;
    // Logarithm of the probability of i changes, of which the sum is kept.
    let (odds, mut term, mut sum) = (ln(risk / (1.0 - risk)), n * ln(1.0 - risk), 0.0);
    for i in 0..=rows {
        sum += exp(term.max(-700.0));
        if sum > DOUBT {
            return i.checked_sub(1);
        }
        term += odds + ln((n - i as f64) / (i as f64 + 1.0)).max(-1e9);
    }
    Some(rows)
}

/// The fewest rows that can speak for a risk.
pub fn rows_needed(risk: f64) -> usize {
    (ln(DOUBT) / ln(1.0 - risk)).ceil() as usize
}

impl Model {
    /// Thresholds `[look][leader]` that keep the risk, or `None` if these rows are too few to say so.
    pub(super) fn certified_leads(
        &self,
        features: &Features,
        risk: f64,
        every: usize,
        context: &Context,
    ) -> Result<Option<Vec<Vec<f64>>>> {
        let Some(allowed) = most_changes(features.rows, risk) else { return Ok(None) };
        let spread = self.spread_to_come(every);
        let changes = self.changes(features, &spread, every, context)?;
        let steps = changes.iter().take_while(|&&changed| changed <= allowed).count();
        let Some(last) = steps.checked_sub(1) else { return Ok(None) };
        let leads = spread.iter().map(|of| of.iter().map(|s| factor(last) * s).collect());
        Ok(Some(leads.collect()))
    }

    /// `[look][leader]`: the root of the sum of the squares of what each later term can give another class over the leader.
    fn spread_to_come(&self, every: usize) -> Vec<Vec<f64>> {
        let classes = self.class_count();
        let mut squares = vec![0.0; classes * classes];
        let mut out = vec![Vec::new(); self.chain.terms.len().div_ceil(every)];
        for (look, terms) in self.chain.terms.chunks(every).enumerate().rev() {
            let of = |own: &[f64]| own.iter().fold(0.0, |most: f64, square| most.max(*square)).sqrt();
            out[look] = squares.chunks_exact(classes).map(of).collect();
            terms.iter().for_each(|term| add_squares(term, classes, &mut squares));
        }
        out
    }

    /// How many answers change, for each f. A row that stops at a look for f does so for every smaller one that no earlier
    /// look was enough for: so it is enough to know the largest f so far of each row.
    fn changes(
        &self,
        features: &Features,
        spread: &[Vec<f64>],
        every: usize,
        context: &Context,
    ) -> Result<Vec<usize>> {
        let (classes, terms) = (self.class_count(), self.chain.terms.len());
        let whole = self.decide(&self.scores(features, context), None)?;
        let mut scores = self.chain.bias.repeat(features.rows);
        // The first step at which each row would have stopped by now.
        let mut stopped = vec![TRIED; features.rows];
        let mut changes = vec![0; TRIED];
        let factors: Vec<f64> = (0..TRIED).map(factor).collect();
        for (look, spread) in spread.iter().enumerate() {
            self.chain.add_terms(look * every..terms.min((look + 1) * every), features, &mut scores, context);
            for row in 0..features.rows {
                let (leader, lead) = standing(&scores[row * classes..(row + 1) * classes]);
                let first = factors.partition_point(|f| lead < f * spread[leader]);
                if first < stopped[row] {
                    if whole[row] != leader as u32 {
                        changes[first..stopped[row]].iter_mut().for_each(|changed| *changed += 1);
                    }
                    stopped[row] = first;
                }
            }
        }
        Ok(changes)
    }
}

fn add_squares(term: &Term, classes: usize, squares: &mut [f64]) {
    for (pair, square) in squares.iter_mut().enumerate() {
        let most = most_over(term, classes, pair / classes, pair % classes).max(0.0);
        *square += most * most;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability of at most `most` changes among n rows, term by term.
    fn at_most(most: usize, n: usize, p: f64) -> f64 {
        let choose = |k: usize| (0..k).map(|i| (n - i) as f64 / (k - i) as f64).product::<f64>();
        (0..=most).map(|k| choose(k) * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)).sum()
    }

    #[test]
    fn changes_are_those_of_the_binomial_test() {
        for (n, risk) in [(59, 0.05), (93, 0.05), (400, 0.01), (500, 0.03), (60, 0.3), (10, 0.9)] {
            let most = most_changes(n, risk).unwrap();
            assert!(at_most(most, n, risk) <= DOUBT, "{n} {risk}: {most}");
            assert!(most == n || at_most(most + 1, n, risk) > DOUBT, "{n} {risk}: {most}");
        }
        assert_eq!((most_changes(0, 0.5), most_changes(58, 0.05)), (None, None));
        // Where the probability of no change at all is below the smallest number (the value is SciPy's).
        assert_eq!(most_changes(400_000, 0.01), Some(3896));
    }

    #[test]
    fn rows_needed_are_just_enough() {
        for risk in [0.001, 0.01, 0.05, 0.5] {
            let rows = rows_needed(risk);
            assert_eq!((most_changes(rows, risk), most_changes(rows - 1, risk)), (Some(0), None), "{risk}");
        }
    }
}
