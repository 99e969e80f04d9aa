//! Soft cascades for tables: stop adding terms to a row once its answer is settled (thesis 2.2, "Cascaded Evaluation";
//! Bourdev and Brandt 2005).
//!
//! After every M terms (the thesis' coarsening) the lead of the best class over each other one is looked at.
//! *Exact*: it stops when what is left cannot change the leader, because no term can give another class more than a
//! known amount over it. *At a risk*: it stops when the lead reaches a threshold, one for each block and leading class
//! (with two classes: the lower and the upper threshold of the thesis), so high that on given rows at most a share
//! `risk` of the answers differ from those of the whole model.

use super::predict::Compared;
use super::{Decision, Model, Term, WeakModel, argmax};
use crate::context::Context;
use crate::data::Features;
use crate::error::{Error, Result};

/// When to stop, for one model.
#[derive(Clone, Debug)]
pub struct TableCascade {
    every: usize,
    rule: Rule,
}

#[derive(Clone, Debug)]
enum Rule {
    /// `[block][leader][other]`: the most that the terms after the block can give the other over the leader.
    Exact(Vec<Vec<f64>>),
    /// `[block][leader]`: the lead that is enough.
    Risk(Vec<Vec<f64>>),
}

/// Answers that may have come early.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlyAnswers {
    /// One a row.
    pub answers: Vec<u32>,
    /// Terms that were evaluated for each row.
    pub evaluated: Vec<u32>,
}

impl EarlyAnswers {
    /// Mean number of terms evaluated a row.
    pub fn mean_evaluated(&self) -> f64 {
        self.evaluated.iter().map(|&n| f64::from(n)).sum::<f64>() / self.evaluated.len().max(1) as f64
    }
}

/// Rounding that bounds must outlast, as a share of all that terms can add.
const ROUNDING: f64 = 1e-9;

impl Model {
    /// A cascade that stops only when the answer cannot change any more: the answers are those of the whole model.
    pub fn exact_cascade(&self, every: usize) -> Result<TableCascade> {
        let every = self.check_cascade(every)?;
        let classes = self.class_count();
        let blocks = self.chain.terms.len().div_ceil(every);
        let mut left = vec![0.0; classes * classes];
        let mut bounds = vec![Vec::new(); blocks];
        for (block, terms) in self.chain.terms.chunks(every).enumerate().rev() {
            let size: f64 = left.iter().fold(0.0, |most, bound: &f64| most.max(bound.abs()));
            bounds[block] = left.iter().map(|bound| bound + ROUNDING * (1.0 + size)).collect();
            terms.iter().for_each(|term| add_bounds(term, classes, &mut left));
        }
        Ok(TableCascade { every, rule: Rule::Exact(bounds) })
    }

    /// A cascade that changes the answer of at most a share `risk` of these rows, which need no labels; with a risk of
    /// zero, the exact one.
    pub fn calibrate_cascade(
        &self,
        features: &Features,
        risk: f64,
        every: usize,
        context: &Context,
    ) -> Result<TableCascade> {
        if !(0.0..1.0).contains(&risk) {
            return Err(Error::option(format!("a risk of {risk} is not possible")).hint("a number from 0 up to 1"));
        }
        if risk == 0.0 {
            return self.exact_cascade(every);
        }
        let every = self.check_cascade(every)?;
        let classes = self.class_count();
        let blocks = self.chain.terms.len().div_ceil(every);
        let answers = self.decide(&self.scores(features, context), None)?;
        let mut scores = self.chain.bias.repeat(features.rows);
        let mut running: Vec<usize> = (0..features.rows).collect();
        let (mut thresholds, mut changed) = (Vec::with_capacity(blocks), 0);
        for block in 0..blocks {
            let terms = block * every..self.chain.terms.len().min((block + 1) * every);
            self.chain.add_terms(terms, features, &mut scores, context);
            // What may have been changed by now: the same for each block.
            let allowed = (risk * features.rows as f64 * (block + 1) as f64 / blocks as f64).floor() as usize;
            let leads: Vec<(usize, f64)> =
                running.iter().map(|&row| lead(&scores[row * classes..(row + 1) * classes])).collect();
            let mut wrong: Vec<(f64, usize)> = running
                .iter()
                .zip(&leads)
                .filter(|(row, (leader, _))| answers[**row] != *leader as u32)
                .map(|(_, &(leader, lead))| (lead, leader))
                .collect();
            wrong.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            // The mistakes of the largest leads are those that cost most to avoid.
            let spent = allowed.saturating_sub(changed).min(wrong.len());
            let mut enough = vec![0.0f64; classes];
            for &(lead, leader) in &wrong[spent..] {
                enough[leader] = enough[leader].max(lead.next_up());
            }
            let stays = |(leader, lead): &(usize, f64)| *lead < enough[*leader];
            changed += running
                .iter()
                .zip(&leads)
                .filter(|(row, found)| !stays(found) && answers[**row] != found.0 as u32)
                .count();
            running = running.iter().zip(&leads).filter(|(_, found)| stays(found)).map(|(row, _)| *row).collect();
            thresholds.push(enough);
        }
        Ok(TableCascade { every, rule: Rule::Risk(thresholds) })
    }

    /// Answers for rows, each evaluated only as far as the cascade asks.
    pub fn decide_early(
        &self,
        cascade: &TableCascade,
        features: &Features,
        context: &Context,
    ) -> Result<EarlyAnswers> {
        self.check_cascade(cascade.every)?;
        const CHUNK: usize = 256;
        let classes = self.class_count();
        let blocks: Vec<(&[Term], Compared<'_>)> = (self.chain.terms.chunks(cascade.every))
            .map(|terms| (terms, Compared::new(&self.chain.supports, terms)))
            .collect();
        let work = features.rows * (self.chain.terms.len() + 1) * 8;
        let parts = context.map(features.rows.div_ceil(CHUNK), work, |chunk| {
            let rows = chunk * CHUNK..features.rows.min((chunk + 1) * CHUNK);
            rows.map(|row| {
                let mut scores = self.chain.bias.clone();
                let mut evaluated = 0;
                for (block, (terms, compared)) in blocks.iter().enumerate() {
                    compared.each_response(terms, features, row, 1, |term, responses| {
                        term.add(responses, &mut scores, classes);
                    });
                    evaluated += terms.len();
                    if cascade.rule.is_settled(block, &scores) {
                        break;
                    }
                }
                (argmax(&scores) as u32, evaluated as u32)
            })
            .collect::<Vec<_>>()
        });
        let (answers, evaluated) = parts.into_iter().flatten().unzip();
        Ok(EarlyAnswers { answers, evaluated })
    }

    fn check_cascade(&self, every: usize) -> Result<usize> {
        if self.decision == Decision::ExpectedCost {
            return Err(Error::model("a model that decides by expected cost needs all its terms")
                .hint("leave the cascade out, or train with --cost-mode train"));
        }
        if every == 0 {
            return Err(Error::option("a cascade looks after at least one term"));
        }
        Ok(every)
    }
}

impl Rule {
    fn is_settled(&self, block: usize, scores: &[f64]) -> bool {
        match self {
            Rule::Exact(bounds) => {
                let leader = argmax(scores);
                let bounds = &bounds[block][leader * scores.len()..][..scores.len()];
                let settled = |other: usize| other == leader || scores[leader] - scores[other] > bounds[other];
                (0..scores.len()).all(settled)
            }
            Rule::Risk(thresholds) => {
                let (leader, lead) = lead(scores);
                lead >= thresholds[block][leader]
            }
        }
    }
}

/// The leading class and its lead over the next.
fn lead(scores: &[f64]) -> (usize, f64) {
    let leader = argmax(scores);
    let others = scores.iter().enumerate().filter(|(k, _)| *k != leader).map(|(_, score)| *score);
    (leader, scores[leader] - others.fold(f64::NEG_INFINITY, f64::max))
}

/// Adds the most that a term can give each class over each other one.
fn add_bounds(term: &Term, classes: usize, left: &mut [f64]) {
    for leader in 0..classes {
        for other in 0..classes {
            let over = |vector: &[f64]| vector[other] - vector[leader];
            left[leader * classes + other] += match &term.learner {
                // A response between -1 and 1.
                WeakModel::Tree(_) | WeakModel::Similarity(_) => over(&term.output).abs(),
                WeakModel::Regions(_) => {
                    term.output.chunks_exact(classes).map(over).fold(f64::NEG_INFINITY, f64::max)
                }
            };
        }
    }
}
