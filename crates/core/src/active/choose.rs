//! Which rows are asked: judged by the strategy, the most useful first, no near-duplicates in one batch.

use super::trainer::{Fitted, Trainer};
use super::{ActiveSettings, Pool, Query, Reason, Strategy, entropy, expected_cost, margin, vote_entropy};
use crate::data::CostMatrix;
use crate::data::synthetic::random::below;
use crate::error::{Error, Result};
use crate::model::Scores;

/// Every candidate's rank and what it rests on.
pub(super) struct Judged {
    /// Smaller is asked earlier: the utility, negated, then the margin.
    pub keys: Vec<[f64; 2]>,
    basis: Basis,
    /// Names of the classes of the basis.
    names: Vec<String>,
}

enum Basis {
    Margin(Scores),
    Entropy(Scores),
    Cost(Scores, CostMatrix),
    /// `[row][class]`.
    Votes(Vec<u32>),
}

/// Judges candidates by scores of the model, or of a committee trained here.
pub(super) fn judge(
    trainer: &Trainer<'_>,
    active: &ActiveSettings,
    labelled: &[(usize, u32)],
    fitted: &Fitted,
    candidates: &[usize],
    step: usize,
) -> Result<Judged> {
    let names = fitted.model.schema.classes.clone();
    if active.strategy == Strategy::Vote {
        let (votes, keys) = vote(trainer, active.committee, labelled, candidates, names.len(), step)?;
        return Ok(Judged { keys, basis: Basis::Votes(votes), names });
    }
    let scores = trainer.scores(fitted, candidates);
    let gaps = || scores.rows().map(|row| margin(row).2);
    let (keys, basis) = match active.strategy {
        Strategy::Entropy => {
            let p = fitted.model.probabilities(&scores)?;
            (p.rows().zip(gaps()).map(|(p, gap)| [-entropy(p), gap]).collect(), Basis::Entropy(p))
        }
        Strategy::ExpectedCost => {
            let costs = trainer.costs.ok_or_else(|| Error::internal("expected costs without costs"))?;
            let costs = costs.of(&names)?.unwrap_or(CostMatrix::uniform(names.len()));
            let p = fitted.model.probabilities(&scores)?;
            let keys = p.rows().zip(gaps()).map(|(p, gap)| [-expected_cost(p, &costs).1, gap]).collect();
            (keys, Basis::Cost(p, costs))
        }
        _ => (gaps().map(|gap| [gap, 0.0]).collect(), Basis::Margin(scores)),
    };
    Ok(Judged { keys, basis, names })
}

impl Judged {
    /// Why a candidate is asked.
    pub fn reason(&self, candidate: usize) -> Reason {
        let name = |class: usize| self.names[class].clone();
        match &self.basis {
            Basis::Margin(scores) => {
                let (first, second, gap) = margin(scores.row(candidate));
                Reason::Margin { first: name(first), second: name(second), gap }
            }
            Basis::Entropy(p) => {
                let (first, second, _) = margin(p.row(candidate));
                Reason::Entropy { bits: entropy(p.row(candidate)), first: name(first), second: name(second) }
            }
            Basis::Cost(p, costs) => {
                let (answer, cost) = expected_cost(p.row(candidate), costs);
                Reason::Cost { answer: name(answer), cost }
            }
            Basis::Votes(votes) => {
                let votes = &votes[candidate * self.names.len()..][..self.names.len()];
                let mut split: Vec<(String, u32)> =
                    votes.iter().enumerate().filter(|(_, count)| **count > 0).map(|(k, c)| (name(k), *c)).collect();
                split.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
                Reason::Votes(split)
            }
        }
    }
}

/// Votes of a committee of chains, each trained on a bootstrap sample (Abe and Mamitsuka 1998, query by bagging),
/// with the ranks they give. Classes are drawn from separately, so that each member knows them all. Few votes make
/// many ties: the margin of the summed scores decides those.
fn vote(
    trainer: &Trainer<'_>,
    members: usize,
    labelled: &[(usize, u32)],
    candidates: &[usize],
    classes: usize,
    step: usize,
) -> Result<(Vec<u32>, Vec<[f64; 2]>)> {
    let fitted = trainer.context.map(members, usize::MAX, |member| {
        let times = bootstrap(trainer, labelled, &format!("active/bag/{step}/{member}"));
        trainer.fit(labelled, Some(&times))
    });
    let mut votes = vec![0; candidates.len() * classes];
    let mut sums = Scores { classes, values: vec![0.0; votes.len()] };
    for fitted in fitted {
        let fitted = fitted?.ok_or_else(|| Error::internal("a member of the committee knows one class only"))?;
        let scores = trainer.scores(&fitted, candidates);
        for (row, answer) in fitted.model.decide(&scores, None)?.into_iter().enumerate() {
            votes[row * classes + answer as usize] += 1;
        }
        sums.values.iter_mut().zip(&scores.values).for_each(|(sum, score)| *sum += score);
    }
    let keys = votes.chunks_exact(classes).zip(sums.rows()).map(|(v, s)| [-vote_entropy(v), margin(s).2]).collect();
    Ok((votes, keys))
}

/// How often each row is drawn when as many are drawn, with replacement, from each class as it has.
fn bootstrap(trainer: &Trainer<'_>, labelled: &[(usize, u32)], stream: &str) -> Vec<u32> {
    let mut rng = trainer.context.stream(stream);
    let mut times = vec![0; labelled.len()];
    for class in 0..trainer.classes.len() as u32 {
        let rows: Vec<usize> = (0..labelled.len()).filter(|&i| labelled[i].1 == class).collect();
        for _ in 0..rows.len() {
            times[rows[below(rows.len() as u64, &mut rng) as usize]] += 1;
        }
    }
    times
}

/// Fills a batch up to `most` in order of the ranks (equal ones in the order of the candidates, which is random). A
/// candidate closer to a row of the batch than `diversity` allows is passed over, even if the batch stays short.
pub(super) fn fill(
    batch: &mut Vec<Query>,
    most: usize,
    pool: &Pool,
    candidates: &[usize],
    judged: &Judged,
    diversity: f64,
) {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (judged.keys[a], judged.keys[b]);
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
    });
    let mut points: Vec<Vec<f32>> = batch.iter().map(|q| pool.point(q.row)).collect();
    for candidate in order {
        if batch.len() >= most {
            return;
        }
        let row = candidates[candidate];
        let point = pool.point(row);
        let asked = batch.iter().any(|q| q.row == row);
        if asked || points.iter().any(|other| pool.near(&point, other, diversity)) {
            continue;
        }
        batch.push(Query { row, reason: judged.reason(candidate) });
        points.push(point);
    }
}

/// Candidates far from all labelled rows and from each other (Gonzalez 1985): while one class is known, the others
/// are more likely there.
pub(super) fn farthest(pool: &Pool, labelled: &[(usize, u32)], candidates: &[usize], most: usize) -> Vec<Query> {
    let points: Vec<Vec<f32>> = candidates.iter().map(|&row| pool.point(row)).collect();
    let mut nearest = vec![f64::INFINITY; candidates.len()];
    let mut closer = |to: &[f32]| -> Option<usize> {
        nearest.iter_mut().zip(&points).for_each(|(d, p)| *d = d.min(pool.squared_distance(p, to)));
        (0..nearest.len()).max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]).then(b.cmp(&a)))
    };
    let mut next = (!candidates.is_empty()).then_some(0);
    for (row, _) in labelled {
        next = closer(&pool.point(*row));
    }
    let mut batch: Vec<Query> = Vec::new();
    while let Some(chosen) = next.filter(|&c| batch.len() < most && batch.iter().all(|q| q.row != candidates[c])) {
        batch.push(Query { row: candidates[chosen], reason: Reason::Far });
        next = closer(&points[chosen]);
    }
    batch
}
