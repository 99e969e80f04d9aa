//! The loop of Algorithm 4 (GAMBLE thesis ch. 4), a batch at a time: train on what is known (step 3), judge the rest
//! (4-5), ask for the R most useful rows (6), until none is left (7).

use super::choose::{farthest, fill, judge};
use super::estimate::{Drawn, estimate};
use super::trainer::{Fitted, Trainer};
use super::{ActiveLearner, ActiveSettings, Query, Reason, Step, Strategy};
use crate::data::UNSEEN_CLASS;
use crate::data::synthetic::random::shuffle;
use crate::error::{Error, Result};

impl ActiveLearner<'_> {
    /// Makes the next batch.
    pub(super) fn step(&mut self) -> Result<()> {
        let step = self.state.history.len();
        let mut candidates: Vec<usize> = (0..self.pool.len()).filter(|&row| !self.closed[row]).collect();
        if candidates.is_empty() {
            return Ok(());
        }
        let active = self.state.active.clone();
        shuffle(&mut candidates, &mut self.context.stream(&format!("active/candidates/{step}")));
        candidates.truncate(active.pool_sample);
        let labelled = self.labelled();
        let seeds = active.seed_rows_for(self.state.classes.len()).saturating_sub(labelled.len());
        let random = |count: usize, reason: Reason| -> Vec<Query> {
            candidates.iter().take(count).map(|&row| Query { row, reason: reason.clone() }).collect()
        };
        let mut found = None;
        let batch = if seeds > 0 || labelled.is_empty() {
            random(seeds.clamp(1, active.batch), Reason::Seed)
        } else if self.counts().iter().filter(|count| **count > 0).count() < 2 {
            farthest(self.pool, &labelled, &candidates, active.batch)
        } else {
            if active.estimate {
                let whole = self.fit(true)?;
                found = estimate(&self.trainer(true), &self.drawn(), &whole, &candidates, step)?;
            }
            if active.strategy == Strategy::Random {
                random(active.batch, Reason::Random)
            } else {
                // Probabilities come from a model that was not trained on costs.
                let fitted = self.fit(!matches!(active.strategy, Strategy::Entropy | Strategy::ExpectedCost))?;
                let judged = judge(&self.trainer(true), &active, &labelled, &fitted, &candidates, step)?;
                let mut batch = random(self.checks(), Reason::Random);
                fill(&mut batch, active.batch, self.pool, &candidates, &judged, active.diversity);
                batch
            }
        };
        self.state.pending = batch;
        self.state.history.push(Step { labelled: labelled.len(), estimate: found });
        Ok(())
    }

    /// How many rows of the next batch are drawn at random.
    fn checks(&self) -> usize {
        let ActiveSettings { check, batch, .. } = self.state.active;
        let asked = self.state.log.iter().filter(|e| !e.given).count();
        let due = |rows: usize| rows.checked_div(check).unwrap_or(0);
        due(asked + batch) - due(asked)
    }

    /// A model of the labels so far, trained on the costs or without them.
    fn fit(&mut self, on_costs: bool) -> Result<Fitted> {
        let none = || Error::internal("two classes are known, but no model");
        if !on_costs && self.costs.is_some() {
            return self.trainer(false).fit(&self.labelled(), None)?.ok_or_else(none);
        }
        self.model()?;
        self.fitted.clone().ok_or_else(none)
    }

    pub(super) fn trainer(&self, on_costs: bool) -> Trainer<'_> {
        let (settings, context) = (&self.settings, &self.context);
        let costs = self.costs.as_ref().filter(|_| on_costs);
        Trainer { pool: self.pool, settings, costs, context, classes: &self.state.classes }
    }

    /// Labelled rows with their labels, by row.
    pub(super) fn labelled(&self) -> Vec<(usize, u32)> {
        self.labels.iter().copied().enumerate().filter(|(_, label)| *label != UNSEEN_CLASS).collect()
    }

    /// The same, and whether each was drawn at random.
    fn drawn(&self) -> Vec<Drawn> {
        let mut random = vec![false; self.pool.len()];
        self.state.log.iter().for_each(|e| random[e.row] = e.random);
        self.labelled().into_iter().map(|pair| (pair, random[pair.0])).collect()
    }
}
