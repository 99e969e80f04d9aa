//! Selection and extraction for the transformers: a table in, ranks or new columns out.

use crate::errors::{as_keywords, free, raised};
use crate::table::Table;
use crate::threads;
use crate::train::settings;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rebelboost::data::{self, Column, Dataset, FeatureKind, Roles, Schema};
use rebelboost::extract::Map;
use rebelboost::{select, steps};
use std::sync::Arc;

/// Rank, score, redundancy and the feature it is shared with.
type Ranked = (String, f64, Option<f64>, Option<String>);

/// Ranks features; the default method if none is named, and its count. Also returns what is worth knowing.
#[pyfunction]
#[pyo3(signature = (table, *, target, weights, categorical, step, algorithm, settings, seed, threads))]
pub fn select_features(
    py: Python<'_>,
    table: &Table,
    target: String,
    weights: Option<String>,
    categorical: Vec<String>,
    step: &str,
    algorithm: Option<&str>,
    settings: Vec<(String, String)>,
    seed: u64,
    threads: usize,
) -> PyResult<(Vec<Ranked>, Vec<String>)> {
    let named = step.chars().next().is_some_and(|first| first.is_alphanumeric());
    let method = if named { "" } else { select::METHODS[0].about.name };
    let mut plan = select::Plan::parse(&format!("{method}{step}")).map_err(|e| raised(py, &e))?;
    if algorithm.is_some() || !settings.is_empty() {
        let algorithm = algorithm.or(Some(plan.booster.algorithm().name));
        plan.booster = self::settings(algorithm, &settings).map_err(|e| raised(py, &e))?;
    }
    let roles = Roles { target: Some(target), weights, categorical, ..Roles::default() };
    let (context, _) = threads::context(py, seed, threads)?;
    free(py, || {
        let mut notes = Vec::new();
        let data = Dataset::from_table(&table.take()?, &roles, &mut notes)?;
        let selection = select::select(&data, &plan, None, &context)?;
        notes.extend(selection.notes);
        let name = |feature: usize| data.schema.features[feature].name.clone();
        let ranked = selection.ranked.iter().map(|ranked| {
            let shared = ranked.redundancy.as_ref();
            let with = shared.and_then(|shared| shared.with).map(name);
            (name(ranked.feature), ranked.score, shared.map(|shared| shared.share), with)
        });
        Ok((ranked.collect(), notes.iter().map(|note| as_keywords(note)).collect()))
    })
}

/// A learned extraction. Immutable.
#[pyclass(frozen, module = "rebelboost._core")]
pub struct Extraction {
    steps: Arc<steps::Steps>,
    notes: Vec<String>,
}

#[pymethods]
impl Extraction {
    /// Learns a step such as `pca:2` from a table; without `target` from rows that have no classes.
    #[staticmethod]
    #[pyo3(signature = (table, *, target, weights, categorical, step, seed, threads))]
    fn fit(
        py: Python<'_>,
        table: &Table,
        target: Option<String>,
        weights: Option<String>,
        categorical: Vec<String>,
        step: &str,
        seed: u64,
        threads: usize,
    ) -> PyResult<Self> {
        let plan = steps::Plan::parse(&[], &[step], None).map_err(|e| raised(py, &e))?;
        let (context, _) = threads::context(py, seed, threads)?;
        let labelled = target.is_some();
        let roles = Roles { target, weights, categorical, ..Roles::default() };
        free(py, || {
            let mut notes = Vec::new();
            let table = table.take()?;
            let data = match labelled {
                true => Dataset::from_table(&table, &roles, &mut notes)?,
                false => Dataset::unlabelled(&table, &roles, &mut notes)?,
            };
            let data = plan.fit(&data, None, &context, &mut notes)?;
            let notes = notes.iter().map(|note| as_keywords(note)).collect();
            Ok(Extraction { steps: data.schema.steps.unwrap_or_default(), notes })
        })
    }

    /// The new features of rows, matched by name; codes for categories.
    fn transform<'py>(&self, py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let schema = Schema {
            features: self.steps.outputs(),
            target: String::new(),
            classes: Vec::new(),
            steps: Some(self.steps.clone()),
        };
        let features = free(py, || schema.align(&table.take()?, &[], &mut Vec::new()))?;
        let value = |row: usize, column: usize| match &features.columns[column] {
            Column::Numeric(numbers) => numbers.get(row),
            Column::Categorical(levels) => f64::from(levels.codes[row]),
        };
        let shape = (features.rows, features.columns.len());
        Ok(Array2::from_shape_fn(shape, |(row, column)| value(row, column)).into_pyarray(py))
    }

    /// Names of the new features.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.steps.outputs().into_iter().map(|feature| feature.name).collect()
    }

    /// What each new feature is made of, in words.
    #[getter]
    fn words(&self) -> Vec<String> {
        (0..self.steps.outputs().len()).filter_map(|output| self.steps.words(output)).collect()
    }

    /// Share of the variance of each direction; empty where there are none.
    #[getter]
    fn shares(&self) -> Vec<f64> {
        self.steps.extractions.iter().flat_map(|step| shares(&step.map)).copied().collect()
    }

    /// Things worth knowing, in plain words.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Reads what `to_bytes` wrote.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let steps = free(py, || steps::Steps::from_bytes(bytes))?;
        Ok(Extraction { steps: Arc::new(steps), notes: Vec::new() })
    }

    /// All of it but the notes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.steps.to_bytes())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Extraction>().getattr("from_bytes")?, (self.to_bytes(py),)))
    }
}

fn shares(map: &Map) -> &[f64] {
    match map {
        Map::Linear(map) => &map.shares,
        Map::Clusters(_) | Map::Isomap(_) => &[],
    }
}

/// Whether a model's features are columns of a table, all of them numbers.
pub fn plain_numbers(schema: &data::Schema) -> bool {
    let mixes = schema.steps.as_ref().is_some_and(|steps| !steps.extractions.is_empty());
    !mixes && schema.features.iter().all(|f| matches!(f.kind, FeatureKind::Numeric))
}
