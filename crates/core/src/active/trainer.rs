//! Trains on the labelled rows of a pool: the model, the members of a committee, the models of a cross-validation.

use super::{ClassCosts, Pool};
use crate::booster::train;
use crate::context::Context;
use crate::data::{Dataset, sort_names};
use crate::error::Result;
use crate::model::{Model, Scores};
use crate::settings::Settings;

/// What all models of a session share.
pub(super) struct Trainer<'a> {
    pub pool: &'a Pool,
    pub settings: &'a Settings,
    pub costs: Option<&'a ClassCosts>,
    pub context: &'a Context,
    /// Class names; labels are positions in this list.
    pub classes: &'a [String],
}

/// A model, which knows only the classes of its training rows.
#[derive(Clone)]
pub(super) struct Fitted {
    pub model: Model,
    /// Position of each of the model's classes in the session's list.
    pub classes: Vec<u32>,
}

impl Trainer<'_> {
    /// Trains on rows with their labels and how often each counts. `None` while fewer than two classes are known.
    pub fn fit(&self, rows: &[(usize, u32)], times: Option<&[u32]>) -> Result<Option<Fitted>> {
        let Some((data, classes)) = self.dataset(rows, times) else { return Ok(None) };
        let costs = match self.costs {
            Some(costs) => costs.of(&data.schema.classes)?,
            None => None,
        };
        let model = train(&data, costs.as_ref(), self.settings, self.context, &mut ())?.model;
        Ok(Some(Fitted { model, classes }))
    }

    fn dataset(&self, rows: &[(usize, u32)], times: Option<&[u32]>) -> Option<(Dataset, Vec<u32>)> {
        let count = |i: usize| times.map_or(1, |times| times[i]);
        let used: Vec<usize> = (0..rows.len()).filter(|&i| count(i) > 0).collect();
        let mut names: Vec<String> = Vec::new();
        for &i in &used {
            let name = &self.classes[rows[i].1 as usize];
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        if names.len() < 2 {
            return None;
        }
        // As a table of these rows would have them.
        sort_names(&mut names);
        let place = |name: &String, list: &[String]| list.iter().position(|n| n == name).unwrap_or(0) as u32;
        let classes: Vec<u32> = names.iter().map(|name| place(name, self.classes)).collect();
        let mut data = self.pool.rows.select(&used.iter().map(|&i| rows[i].0).collect::<Vec<_>>());
        for (row, &i) in used.iter().enumerate() {
            data.labels[row] = place(&self.classes[rows[i].1 as usize], &names);
            data.weights[row] *= f64::from(count(i));
        }
        data.schema.classes = names;
        Some((data, classes))
    }

    /// A model's scores of some rows.
    pub fn scores(&self, fitted: &Fitted, rows: &[usize]) -> Scores {
        fitted.model.scores(&self.pool.rows.select(rows).features, self.context)
    }

    /// A model's answers to some rows, as positions in the session's list of classes.
    pub fn answers(&self, fitted: &Fitted, rows: &[usize]) -> Result<Vec<u32>> {
        let answers = fitted.model.decide(&self.scores(fitted, rows), None)?;
        Ok(answers.into_iter().map(|answer| fitted.classes[answer as usize]).collect())
    }
}
