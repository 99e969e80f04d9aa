//! Steps before a model: features selected, and new ones extracted from them.
//!
//! Steps are part of the [`Schema`](crate::data::Schema) that a model keeps, since they say how a table becomes its
//! features. So whatever matches a table to a model repeats them, and training, prediction and explanation see the
//! features that come out. Of a selection nothing is left to repeat but the names: a table needs only the selected columns.

mod spec;

pub use spec::{About, Spec};

use crate::context::Context;
use crate::data::{CostMatrix, Dataset, Feature, Features, Schema};
use crate::error::{Error, Result};
use crate::extract::{self, Map};
use crate::select;
use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Steps to be taken: selections first, then extractions.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    selections: Vec<select::Plan>,
    extractions: Vec<extract::Plan>,
}

/// Steps as learned from training data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// Columns that a table must have.
    pub inputs: Vec<Feature>,
    /// What was selected, in the order of the steps.
    pub selections: Vec<Selected>,
    /// What is extracted, in the order of the steps.
    pub extractions: Vec<Extracted>,
}

/// A selection that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Selected {
    /// As it was asked for: `cmim:20`.
    pub step: String,
    /// Number of features there were.
    pub of: usize,
    /// Names of the selected, the best first.
    pub names: Vec<String>,
    /// Their scores.
    pub scores: Vec<f64>,
}

/// An extraction that was learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Extracted {
    /// As it was asked for: `pca:10`.
    pub step: String,
    /// What is done.
    pub map: Map,
}

impl Plan {
    /// Reads steps such as `cmim:20` and `pca:10`. `booster` is what wrappers and `boosting` train; the default if `None`.
    pub fn parse<S: AsRef<str>>(selections: &[S], extractions: &[S], booster: Option<&Settings>) -> Result<Self> {
        let selection = |text: &S| {
            let plan = select::Plan::parse(text.as_ref())?;
            Ok(select::Plan { booster: booster.cloned().unwrap_or(plan.booster), ..plan })
        };
        Ok(Plan {
            selections: selections.iter().map(selection).collect::<Result<_>>()?,
            extractions: extractions.iter().map(|text| extract::Plan::parse(text.as_ref())).collect::<Result<_>>()?,
        })
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.selections.is_empty() && self.extractions.is_empty()
    }

    /// Whether a step looks at the classes.
    pub fn looks_at_classes(&self) -> bool {
        !self.selections.is_empty() || self.extractions.iter().any(|plan| plan.method().supervised)
    }

    /// Learns the steps from data and takes them: the result is what to train on. What is worth knowing goes to `notes`.
    pub fn fit(
        &self,
        data: &Dataset,
        costs: Option<&CostMatrix>,
        context: &Context,
        notes: &mut Vec<String>,
    ) -> Result<Dataset> {
        if self.is_empty() {
            return Ok(data.clone());
        }
        if data.schema.steps.is_some() {
            return Err(Error::internal("steps before a model are learned together, not one after the other"));
        }
        let mut data = data.clone();
        let mut selections = Vec::new();
        for plan in &self.selections {
            let selection = select::select(&data, plan, costs, context)?;
            let name = |ranked: &select::Ranked| data.schema.features[ranked.feature].name.clone();
            selections.push(Selected {
                step: plan.spec.to_string(),
                of: data.schema.features.len(),
                names: selection.ranked.iter().map(name).collect(),
                scores: selection.ranked.iter().map(|ranked| ranked.score).collect(),
            });
            data = selection.reduce(&data);
            notes.extend(selection.notes);
        }
        let inputs = data.schema.features.clone();
        let mut extractions = Vec::new();
        for plan in &self.extractions {
            let map = plan.fit(&data, context, notes)?;
            let columns = map.apply(&data.features, Some(context));
            let schema = Schema { features: map.outputs(), ..data.schema.clone() };
            data = data.with_columns(schema, columns);
            extractions.push(Extracted { step: plan.spec.to_string(), map });
        }
        data.schema.steps = Some(Arc::new(Steps { inputs, selections, extractions }));
        Ok(data)
    }
}

impl Steps {
    /// All steps as they were asked for.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let selections = self.selections.iter().map(|step| step.step.as_str());
        selections.chain(self.extractions.iter().map(|step| step.step.as_str()))
    }

    /// Whether these are the steps of a plan.
    pub fn are_of(&self, plan: &Plan) -> bool {
        let selections = plan.selections.iter().map(|plan| plan.spec.to_string());
        let all = selections.chain(plan.extractions.iter().map(|plan| plan.spec.to_string()));
        all.eq(self.texts().map(String::from))
    }

    /// The features that the steps lead to.
    pub fn outputs(&self) -> Vec<Feature> {
        self.extractions.last().map_or(self.inputs.clone(), |last| last.map.outputs())
    }

    /// The new features of rows that have the inputs.
    pub fn apply(&self, features: Features, context: Option<&Context>) -> Features {
        let step = |features: Features, step: &Extracted| Features {
            columns: step.map.apply(&features, context),
            rows: features.rows,
        };
        self.extractions.iter().fold(features, step)
    }

    /// Takes the steps on other rows of the data that they were learned from.
    pub fn take(self: &Arc<Self>, data: &Dataset, context: &Context) -> Result<Dataset> {
        let place = |input: &Feature| {
            (data.schema.features.iter().position(|feature| feature == input)).ok_or_else(|| {
                Error::data("this column is not what it was when the steps before the model were learned")
                    .at_column(&input.name)
            })
        };
        let chosen = self.inputs.iter().map(place).collect::<Result<Vec<_>>>()?;
        let data = data.with_features(&chosen);
        let schema = Schema { features: self.outputs(), steps: Some(self.clone()), ..data.schema.clone() };
        let columns = self.apply(data.features.clone(), Some(context)).columns;
        Ok(data.with_columns(schema, columns))
    }

    /// What a feature of the model is made of, in words; `None` if it is a column of the table.
    pub fn words(&self, feature: usize) -> Option<String> {
        let (last, before) = self.extractions.split_last()?;
        let inputs = before.last().map_or(self.inputs.clone(), |step| step.map.outputs());
        Some(last.map.words(feature, &inputs))
    }
}
