//! Training: from a table with roles to a model and how it came about.

use crate::errors::{as_keywords, free, raised};
use crate::model::{Model, to_array};
use crate::table::Table;
use crate::threads;
use crate::watch::watched;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rebelboost::booster::{self, TrainingSummary};
use rebelboost::data::{CostMatrix, Dataset, Roles};
use rebelboost::model::Scores;
use rebelboost::registry::default_algorithm;
use rebelboost::settings::Settings;
use rebelboost::{Error, Result};
use std::sync::Arc;
use std::time::Duration;

/// Costs by name: the classes of the rows (truths), of the columns (answers), and the matrix.
pub type NamedCosts<'py> = (Vec<String>, Vec<String>, PyReadonlyArray2<'py, f64>);

/// Costs in the order of these classes.
pub fn named_costs(costs: &NamedCosts<'_>, classes: &[String]) -> Result<CostMatrix> {
    let (truths, answers, values) = costs;
    let values = values.as_array();
    if values.dim() != (truths.len(), answers.len()) {
        let (rows, columns) = values.dim();
        let classes = classes.len();
        return Err(Error::costs(format!("{rows} x {columns} costs; {classes} x {classes} are needed")));
    }
    CostMatrix::from_named(truths, answers, &values.iter().copied().collect::<Vec<_>>(), classes)
}

/// The price of mistakes on each class, by name: multiplies the rows of a cost matrix.
fn weighted(costs: Option<CostMatrix>, weights: &[(String, f64)], classes: &[String]) -> Result<CostMatrix> {
    let costs = costs.unwrap_or_else(|| CostMatrix::uniform(classes.len()));
    let weight = |class: &String| weights.iter().find(|(name, _)| name == class).map_or(1.0, |(_, weight)| *weight);
    let row = |(truth, class): (usize, &String)| {
        let weight = weight(class);
        costs.row(truth).iter().map(|cost| weight * cost).collect::<Vec<f64>>()
    };
    CostMatrix::new(classes.iter().enumerate().flat_map(row).collect(), classes)
}

/// Checked settings of an algorithm; the registry's default if none is named.
pub fn settings(algorithm: Option<&str>, values: &[(String, String)]) -> Result<Settings> {
    let mut settings = Settings::new(algorithm.unwrap_or(default_algorithm().name))?;
    values.iter().try_for_each(|(name, value)| settings.set(name, value))?;
    Ok(settings)
}

/// A model and how it came about.
#[pyclass(frozen, module = "rebelboost._core")]
pub struct Trained {
    model: Option<Arc<rebelboost::model::Model>>,
    summary: Option<TrainingSummary>,
    /// The row of the table that each training row was.
    origin: Vec<usize>,
    notes: Vec<String>,
    error: Option<PyErr>,
}

/// How many models judged, the rows of the table they had not seen, and their scores of these.
type Judged<'py> = (usize, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray2<f64>>);

#[pymethods]
impl Trained {
    /// The model; `None` if training was left behind.
    #[getter]
    fn model(&self) -> Option<Model> {
        self.model.clone().map(Model)
    }

    /// What was raised during training, by Ctrl-C or a callback: the model is the one so far.
    #[getter]
    fn error(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.error.as_ref().map(|error| error.clone_ref(py).into_value(py).into_any())
    }

    /// Things worth knowing, in plain words.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.iter().map(|note| as_keywords(note)).collect()
    }

    /// Wall-clock seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.summary.as_ref().map_or(0.0, |summary| summary.seconds)
    }

    /// The training rows as models scored them that had not seen them, if training found that out.
    fn estimate<'py>(&self, py: Python<'py>) -> PyResult<Option<Judged<'py>>> {
        let (Some(estimate), Some(model)) = (self.summary.as_ref().and_then(|s| s.estimate.as_ref()), &self.model)
        else {
            return Ok(None);
        };
        let rows: Vec<i64> = estimate.rows.iter().map(|row| self.origin[*row] as i64).collect();
        let scores = Scores { classes: model.class_count(), values: estimate.scores.clone() };
        Ok(Some((estimate.folds, rows.into_pyarray(py), to_array(py, scores)?)))
    }

    /// Round, loss, error, edge and holdout of every round of this run, as arrays.
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rounds = self.summary.as_ref().map_or(&[][..], |summary| &summary.history);
        let history = PyDict::new(py);
        let numbers = rounds.iter().map(|r| r.round as i64).collect::<Vec<_>>();
        history.set_item("round", numbers.into_pyarray(py))?;
        let column = |of: fn(&booster::RoundInfo) -> f64| rounds.iter().map(of).collect::<Vec<_>>().into_pyarray(py);
        history.set_item("loss", column(|r| r.loss))?;
        history.set_item("error", column(|r| r.error))?;
        history.set_item("edge", column(|r| r.edge))?;
        history.set_item("holdout", column(|r| r.holdout.unwrap_or(f64::NAN)))?;
        Ok(history)
    }
}

/// Wilson's 95 % interval for the error rate behind so many mistakes in so many rows.
#[pyfunction]
pub fn wilson_interval(errors: f64, rows: f64) -> (f64, f64) {
    rebelboost::metric::wilson_interval(errors, rows)
}

/// Trains, or goes on from a model with more rounds.
#[pyfunction]
#[pyo3(signature = (table, *, target, weights, group, categorical, algorithm, settings, costs, taxonomy, class_weights, seed, threads, time_limit, resume, observer))]
pub fn train(
    py: Python<'_>,
    table: &Table,
    target: String,
    weights: Option<String>,
    group: Option<String>,
    categorical: Vec<String>,
    algorithm: Option<&str>,
    settings: Vec<(String, String)>,
    costs: Option<NamedCosts<'_>>,
    taxonomy: Option<Vec<(String, String)>>,
    class_weights: Option<Vec<(String, f64)>>,
    seed: u64,
    threads: usize,
    time_limit: Option<f64>,
    resume: Option<&Model>,
    observer: Option<Py<PyAny>>,
) -> PyResult<Trained> {
    let settings = self::settings(algorithm, &settings).map_err(|e| raised(py, &e))?;
    let roles = Roles { target: Some(target), weights, group, categorical, ..Roles::default() };
    let (data, mut notes) = free(py, || {
        let mut notes = Vec::new();
        Ok((Dataset::from_table(&table.take()?, &roles, &mut notes)?, notes))
    })?;
    let classes = &data.schema.classes;
    let costs = match (costs, taxonomy) {
        (Some(costs), _) => Some(named_costs(&costs, classes)),
        (None, Some(pairs)) => Some(CostMatrix::from_taxonomy(&pairs, classes)),
        (None, None) => None,
    };
    let costs = costs.transpose().and_then(|costs| match &class_weights {
        Some(weights) => weighted(costs, weights, classes).map(Some),
        None => Ok(costs),
    });
    let costs = costs.map_err(|e| raised(py, &e))?;
    let (mut context, cancel) = threads::context(py, seed, threads)?;
    if let Some(limit) = time_limit {
        let limit = Duration::try_from_secs_f64(limit)
            .map_err(|_| raised(py, &Error::option(format!("time_limit cannot be {limit}; give seconds"))))?;
        context = context.with_time_limit(limit);
    }
    let origin = data.origin.clone();
    let resume = resume.map(|model| (*model.0).clone());
    let (trained, error) = watched(py, &cancel, observer.as_ref(), move |observer| match resume {
        Some(model) => booster::resume(model, &data, costs.as_ref(), &settings, &context, observer),
        None => booster::train(&data, costs.as_ref(), &settings, &context, observer),
    })?;
    let (model, summary) = trained.map(|t| (Arc::new(t.model), t.summary)).unzip();
    notes.extend(summary.iter().flat_map(|summary| summary.notes.clone()));
    Ok(Trained { model, summary, origin, notes, error })
}
