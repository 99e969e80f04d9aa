//! Soft cascades for tables: stop adding terms to a row once its answer is settled (thesis 2.2, "Cascaded Evaluation";
//! Bourdev and Brandt 2005).
//!
//! After every M terms (the thesis' coarsening) the lead of the best class over each other one is looked at.
//! *Exact*: it stops when what is left cannot change the leader, because no term can give another class more than a
//! known amount over it. *By thresholds*: it stops when the lead reaches a threshold, one for each block and leading class
//! (with two classes: the lower and the upper threshold of the thesis), set on given rows for a [`CascadeGoal`]; those of a
//! risk in [`super::risk`].

use super::predict::Compared;
use super::risk::rows_needed;
use super::{Decision, Model, Term, WeakModel, argmax};
use crate::context::Context;
use crate::data::Features;
use crate::error::{Error, Result};
use std::cmp::Ordering;

/// When to stop, for one model.
#[derive(Clone, Debug)]
pub struct TableCascade {
    every: usize,
    rule: Rule,
    note: Option<String>,
}

#[derive(Clone, Debug)]
enum Rule {
    /// `[block][leader][other]`: the most that the terms after the block can give the other over the leader.
    Exact(Vec<Vec<f64>>),
    /// `[block][leader]`: the lead that is enough.
    Leads(Vec<Vec<f64>>),
}

/// What a cascade is calibrated for by given rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CascadeGoal<'a> {
    /// At most this share of the answers to new rows differs from those of the whole model, at a confidence of 95 %. The
    /// rows are drawn like the new ones and new to the model; they need no labels. If they cannot say so the cascade is
    /// exact, and [`TableCascade::note`] says why.
    Risk(f64),
    /// After a share `after` of the terms, a share `accuracy` of the given rows of each class has its answer, and a right
    /// one (thesis 2.2: say, 95 % after 10 %). No row stops before, and whoever goes on stops where no answer of the given
    /// rows changes.
    Accuracy {
        /// The true class of each row.
        labels: &'a [u32],
        /// Share of the rows of each class.
        accuracy: f64,
        /// Share of the terms.
        after: f64,
    },
}

impl CascadeGoal<'_> {
    fn check(&self, rows: usize) -> Result<()> {
        match *self {
            CascadeGoal::Risk(risk) if !(0.0..1.0).contains(&risk) => {
                Err(Error::option(format!("a risk of {risk} is not possible")).hint("a number from 0 up to 1"))
            }
            CascadeGoal::Accuracy { accuracy, after, .. }
                if !(accuracy > 0.0 && accuracy <= 1.0 && after > 0.0 && after <= 1.0) =>
            {
                let what = format!("an accuracy of {accuracy} after a share of {after} of the terms is not possible");
                Err(Error::option(what).hint("two numbers above 0 and up to 1, such as 0.95 after 0.1"))
            }
            CascadeGoal::Accuracy { labels, .. } if labels.len() != rows => {
                Err(Error::data(format!("{} labels are not those of {rows} rows", labels.len())))
            }
            _ => Ok(()),
        }
    }
}

/// Answers that may have come early.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlyAnswers {
    /// One a row.
    pub answers: Vec<u32>,
    /// Terms that were evaluated for each row.
    pub evaluated: Vec<u32>,
}

impl TableCascade {
    /// Why it is not what was asked for, in plain words.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// For each look the number of terms evaluated by then (the last one: all) and, by leading class, the lead that is
    /// enough; `None` for an exact cascade. With two classes and h = H_1 - H_0, a row is of class 1 once h >= the second
    /// number and of class 0 once h <= minus the first.
    pub fn thresholds(&self) -> Option<impl Iterator<Item = (usize, &[f64])>> {
        match &self.rule {
            Rule::Exact(_) => None,
            Rule::Leads(leads) => {
                Some(leads.iter().enumerate().map(|(i, enough)| ((i + 1) * self.every, &enough[..])))
            }
        }
    }
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
        Ok(TableCascade { every, rule: Rule::Exact(bounds), note: None })
    }

    /// A cascade whose thresholds are set on these rows; with a risk of zero, the exact one.
    pub fn calibrate_cascade(
        &self,
        features: &Features,
        goal: CascadeGoal<'_>,
        every: usize,
        context: &Context,
    ) -> Result<TableCascade> {
        goal.check(features.rows)?;
        let every = self.check_cascade(every)?;
        let (labels, accuracy, after) = match goal {
            CascadeGoal::Risk(risk) => return self.cascade_at_risk(features, risk, every, context),
            CascadeGoal::Accuracy { labels, accuracy, after } => (labels, accuracy, after),
        };
        let (classes, terms) = (self.class_count(), self.chain.terms.len());
        let blocks = terms.div_ceil(every);
        let whole = self.decide(&self.scores(features, context), None)?;
        let mut scores = self.chain.bias.repeat(features.rows);
        let mut running: Vec<usize> = (0..features.rows).collect();
        let mut thresholds = Vec::with_capacity(blocks);
        for block in 0..blocks {
            let end = terms.min((block + 1) * every);
            self.chain.add_terms(block * every..end, features, &mut scores, context);
            let stand = |&row: &usize| {
                let (leader, lead) = standing(&scores[row * classes..(row + 1) * classes]);
                Standing { row, leader, lead, changes: whole[row] != leader as u32 }
            };
            let standings: Vec<Standing> = running.iter().map(stand).collect();
            // The first look at that share of the terms, or after it.
            let first = ((after * terms as f64).ceil() as usize).div_ceil(every) - 1;
            let enough = match block.cmp(&first) {
                Ordering::Less => vec![f64::INFINITY; classes],
                Ordering::Equal => self.right_by_now(&standings, labels, accuracy, end)?,
                Ordering::Greater => unchanged(&standings, classes),
            };
            let stops = |standing: &&Standing| standing.lead >= enough[standing.leader];
            running = standings.iter().filter(|standing| !stops(standing)).map(|standing| standing.row).collect();
            thresholds.push(enough);
        }
        Ok(TableCascade { every, rule: Rule::Leads(thresholds), note: None })
    }

    /// At a risk that these rows can speak for; otherwise, and at none, the exact one.
    fn cascade_at_risk(
        &self,
        features: &Features,
        risk: f64,
        every: usize,
        context: &Context,
    ) -> Result<TableCascade> {
        let exact = self.exact_cascade(every)?;
        if risk == 0.0 {
            return Ok(exact);
        }
        if let Some(leads) = self.certified_leads(features, risk, every, context)? {
            return Ok(TableCascade { every, rule: Rule::Leads(leads), note: None });
        }
        // In per cent, without the digits of rounding.
        let (rows, share, needed) = (features.rows, (1e8 * risk).round() / 1e6, rows_needed(risk));
        let note = if rows < needed {
            format!(
                "{rows} rows cannot tell a risk of {share} %, at least {needed} are needed: no answer will change"
            )
        } else {
            format!("no early exit of these rows keeps a risk of {share} %: no answer will change")
        };
        Ok(TableCascade { note: Some(note), ..exact })
    }

    /// For each class the highest lead that this share of its rows has by now, and rightly so.
    fn right_by_now(&self, standings: &[Standing], labels: &[u32], accuracy: f64, terms: usize) -> Result<Vec<f64>> {
        let of_class = |class: usize| {
            let own = || standings.iter().filter(|standing| labels[standing.row] as usize == class);
            let rows = own().count();
            let mut leads: Vec<f64> = own().filter(|s| s.leader == class).map(|s| s.lead).collect();
            leads.sort_by(|a, b| b.total_cmp(a));
            let wanted = (accuracy * rows as f64).ceil() as usize;
            match wanted {
                // Without a row of the class nothing is known of it.
                0 => Ok(f64::INFINITY),
                _ => leads.get(wanted - 1).copied().ok_or_else(|| {
                    let name = &self.schema.classes[class];
                    let share = 100.0 * leads.len() as f64 / rows as f64;
                    Error::data(format!(
                        "after {terms} terms only {share:.1} % of the rows of class '{name}' are right"
                    ))
                    .hint("ask for a lower accuracy, or for it after a larger share of the terms")
                }),
            }
        };
        (0..self.class_count()).map(of_class).collect()
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
            .map(|terms| (terms, Compared::new(&self.chain.supports, terms, false)))
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
            Rule::Leads(thresholds) => {
                let (leader, lead) = standing(scores);
                lead >= thresholds[block][leader]
            }
        }
    }
}

/// How a row stands after some terms.
struct Standing {
    row: usize,
    leader: usize,
    lead: f64,
    /// Whether the whole model answers otherwise.
    changes: bool,
}

/// For each leading class the lead that is enough, so that no row that stops has a changed answer.
fn unchanged(standings: &[Standing], classes: usize) -> Vec<f64> {
    let mut enough = vec![0.0f64; classes];
    for wrong in standings.iter().filter(|standing| standing.changes) {
        enough[wrong.leader] = enough[wrong.leader].max(wrong.lead.next_up());
    }
    enough
}

/// The leading class and its lead over the next.
pub(super) fn standing(scores: &[f64]) -> (usize, f64) {
    let leader = argmax(scores);
    let others = scores.iter().enumerate().filter(|(k, _)| *k != leader).map(|(_, score)| *score);
    (leader, scores[leader] - others.fold(f64::NEG_INFINITY, f64::max))
}

/// Adds the most that a term can give each class over each other one.
fn add_bounds(term: &Term, classes: usize, left: &mut [f64]) {
    for (pair, bound) in left.iter_mut().enumerate() {
        *bound += most_over(term, classes, pair / classes, pair % classes);
    }
}

/// The most that a term can give a class over the leader.
pub(super) fn most_over(term: &Term, classes: usize, leader: usize, other: usize) -> f64 {
    let over = |vector: &[f64]| vector[other] - vector[leader];
    match &term.learner {
        // A response between -1 and 1.
        WeakModel::Tree(_)
        | WeakModel::Similarity(_)
        | WeakModel::Direction(_)
        | WeakModel::Committee(_)
        | WeakModel::Slope(_)
        | WeakModel::Ramp(_)
        | WeakModel::Ellipse(_) => over(&term.output).abs(),
        WeakModel::Regions(_) | WeakModel::Turned(_) => {
            term.output.chunks_exact(classes).map(over).fold(f64::NEG_INFINITY, f64::max)
        }
    }
}
