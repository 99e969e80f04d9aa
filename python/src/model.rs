//! A trained model: scores, answers, probabilities, files.

use crate::arrays;
use crate::errors::{free, raised};
use crate::explain::{self, Similar, Terms};
use crate::steps::plain_numbers;
use crate::table::Table;
use crate::threads;
use crate::train::{NamedCosts, named_costs};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rebelboost::context::Context;
use rebelboost::data::{self, Column, Numeric};
use rebelboost::explain::feature_shares;
use rebelboost::model::{self, Scores};
use rebelboost::{Error, ErrorKind, Result};
use rebelboost_io::write_atomic;
use std::path::PathBuf;
use std::sync::Arc;

/// A trained model. Immutable.
#[pyclass(frozen, module = "rebelboost._core")]
pub struct Model(pub Arc<model::Model>);

/// Rows in the order and with the codes of a model's features.
#[pyclass(frozen, module = "rebelboost._core")]
pub struct Features(pub Arc<data::Features>);

#[pymethods]
impl Model {
    /// Reads the bytes of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        free(py, || model::Model::from_bytes(bytes)).map(|model| Model(Arc::new(model)))
    }

    /// The bytes of a model file: the same as the program writes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &free(py, || Ok(self.0.to_bytes()))?))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let name = path.display().to_string();
        let read = || {
            let bytes = std::fs::read(&path).map_err(|e| match e.kind() {
                std::io::ErrorKind::NotFound => Error::new(ErrorKind::Io, "there is no such file"),
                _ => Error::io("cannot read", e),
            })?;
            model::Model::from_bytes(&bytes)
        };
        free(py, || read().map_err(|e| e.in_file(name))).map(|model| Model(Arc::new(model)))
    }

    /// Writes a model file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        free(py, || write_atomic(&path, |out| out.write_all(&self.0.to_bytes())))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Model>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    /// Everything the file holds but the terms, as JSON: schema, provenance, costs, decision, link.
    fn header(&self) -> String {
        let header = model::Model {
            chain: model::Chain { bias: Vec::new(), terms: Vec::new(), supports: Vec::new() },
            ..(*self.0).clone()
        };
        header.to_json().to_string()
    }

    /// Class names in the order of scores.
    #[getter]
    fn classes(&self) -> Vec<String> {
        self.0.schema.classes.clone()
    }

    /// Names of the columns that the model needs.
    #[getter]
    fn features(&self) -> Vec<String> {
        self.0.schema.inputs().iter().map(|f| f.name.clone()).collect()
    }

    /// Number of terms.
    #[getter]
    fn terms(&self) -> usize {
        self.0.chain.terms.len()
    }

    /// Why training ended, in plain words.
    #[getter]
    fn stopped(&self) -> &'static str {
        self.0.provenance.stopped.words()
    }

    /// Whether every feature is a column of numbers, not made of columns by steps before the model.
    #[getter]
    fn is_numeric(&self) -> bool {
        plain_numbers(&self.0.schema)
    }

    /// Whether each column is asked about: all are in a model that compares rows, or that sees mixtures of columns.
    #[getter]
    fn asked(&self) -> Vec<bool> {
        if self.0.schema.steps.as_ref().is_some_and(|steps| !steps.extractions.is_empty()) {
            return vec![true; self.0.schema.inputs().len()];
        }
        let mut asked = vec![self.compares(); self.0.schema.features.len()];
        for term in &self.0.chain.terms {
            term.learner.features().into_iter().for_each(|f| asked[f as usize] = true);
        }
        asked
    }

    /// Rows of an array of numbers; `columns` are those of the features, negative for one that is not asked about.
    fn rows_of_array(
        &self,
        py: Python<'_>,
        array: &Bound<'_, PyAny>,
        columns: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Features> {
        let mut parts = self.parts(py, array, &columns, 1, true, |rows| rows)?;
        let none = || data::Features { columns: Vec::new(), rows: 0 };
        Ok(Features(Arc::new(parts.pop().unwrap_or_else(none))))
    }

    /// One score a row and class of an array of numbers, a part at a time: no copy of all rows is made.
    fn scores_of_array<'py>(
        &self,
        py: Python<'py>,
        array: &Bound<'py, PyAny>,
        columns: PyReadonlyArray1<'py, i64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (single, _) = threads::context(py, 0, 1)?;
        let parts = self.parts(py, array, &columns, threads, false, |rows| self.0.chain.scores(&rows, &single))?;
        to_array(py, Scores { classes: self.0.class_count(), values: parts.concat() })
    }

    /// Rows of a table, matched by name, and what is worth knowing about them.
    fn rows_of_table(&self, py: Python<'_>, table: &Table) -> PyResult<(Features, Vec<String>)> {
        let mut notes = Vec::new();
        let rows = free(py, || self.checked(self.0.schema.align(&table.take()?, &[], &mut notes)?))?;
        Ok((rows, notes))
    }

    /// One score a row and class.
    fn scores<'py>(&self, py: Python<'py>, rows: &Features, threads: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (context, _) = threads::context(py, 0, threads)?;
        let scores = free(py, || Ok(self.0.scores(&rows.0, &context)))?;
        to_array(py, scores)
    }

    /// The answer to each row of scores, as the position of its class. `costs` decide anew.
    #[pyo3(signature = (scores, costs=None))]
    fn decide<'py>(
        &self,
        py: Python<'py>,
        scores: PyReadonlyArray2<'py, f64>,
        costs: Option<NamedCosts<'py>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let costs = costs.map(|costs| named_costs(&costs, &self.0.schema.classes)).transpose();
        let costs = costs.map_err(|e| raised(py, &e))?;
        let scores = from_array(&scores);
        let answers = free(py, || self.0.decide(&scores, costs.as_ref()))?;
        Ok(answers.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py))
    }

    /// Probabilities of scores.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        scores: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let scores = from_array(&scores);
        to_array(py, free(py, || self.0.probabilities(&scores))?)
    }

    /// The scores after every term.
    fn staged(&self, py: Python<'_>, rows: &Features, threads: usize) -> PyResult<Staged> {
        let (context, _) = threads::context(py, 0, threads)?;
        let values = self.0.chain.bias.repeat(rows.0.rows);
        Ok(Staged { model: self.0.clone(), rows: rows.0.clone(), context, values, term: 0 })
    }

    /// Row, term and text of every term of every row, and what it gave to each class; the start is the term -1.
    fn explain<'py>(&self, py: Python<'py>, rows: &Features) -> PyResult<Terms<'py>> {
        explain::terms(py, &self.0, &rows.0)
    }

    /// Row, training row, its class and distance: the nearest of the rows that the model compares with.
    fn similar<'py>(&self, py: Python<'py>, rows: &Features) -> PyResult<Similar<'py>> {
        explain::similar(py, &self.0, &rows.0)
    }

    /// Whether the model compares with training rows.
    #[getter]
    fn compares(&self) -> bool {
        self.0.chain.supports.iter().any(|supports| !supports.is_empty())
    }

    /// How much of the model each feature makes up; the shares sum to one.
    fn importances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(free(py, || Ok(feature_shares(&self.0)))?.into_pyarray(py))
    }
}

impl Model {
    /// Parts of an array's rows, as the model's features, one after the other.
    fn parts<R: Send>(
        &self,
        py: Python<'_>,
        array: &Bound<'_, PyAny>,
        columns: &PyReadonlyArray1<'_, i64>,
        threads: usize,
        whole: bool,
        job: impl Fn(data::Features) -> R + Send + Sync,
    ) -> PyResult<Vec<R>> {
        let (context, _) = threads::context(py, 0, threads)?;
        let which = columns.as_array().to_vec();
        arrays::in_parts(py, array, &which, whole, &context, job)?.map_err(|(row, column)| {
            let feature = which.iter().position(|&c| c == column as i64).map(|f| &self.0.schema.features[f].name);
            let name = feature.map_or_else(|| format!("c{}", column + 1), String::clone);
            raised(py, &infinite(row, &name))
        })
    }

    /// Training refuses infinite values; prediction must not take them for numbers.
    fn checked(&self, rows: data::Features) -> Result<Features> {
        for (column, feature) in rows.columns.iter().zip(&self.0.schema.features) {
            let found = match column {
                Column::Numeric(Numeric::F64(values)) => values.iter().position(|v| v.is_infinite()),
                Column::Numeric(Numeric::F32(values)) => values.iter().position(|v| v.is_infinite()),
                _ => None,
            };
            if let Some(row) = found {
                return Err(infinite(row, &feature.name));
            }
        }
        Ok(Features(Arc::new(rows)))
    }
}

fn infinite(row: usize, column: &str) -> Error {
    let error = Error::data(format!("data row {} is infinite", row + 1)).at_column(column);
    error.hint("use NaN if the value is unknown")
}

/// An iterator over the scores after every term.
#[pyclass(module = "rebelboost._core")]
pub struct Staged {
    model: Arc<model::Model>,
    rows: Arc<data::Features>,
    context: Context,
    values: Vec<f64>,
    term: usize,
}

#[pymethods]
impl Staged {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let chain = &self.model.chain;
        if self.term == chain.terms.len() {
            return Ok(None);
        }
        let (term, values) = (self.term, &mut self.values);
        free(py, || {
            chain.add_terms(term..term + 1, &self.rows, values, &self.context);
            Ok(())
        })?;
        self.term += 1;
        to_array(py, Scores { classes: self.model.class_count(), values: self.values.clone() }).map(Some)
    }
}

pub fn to_array(py: Python<'_>, scores: Scores) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let rows = scores.values.len() / scores.classes.max(1);
    Array2::from_shape_vec((rows, scores.classes), scores.values)
        .map(|array| array.into_pyarray(py))
        .map_err(|e| raised(py, &Error::internal(e.to_string())))
}

fn from_array(scores: &PyReadonlyArray2<'_, f64>) -> Scores {
    let view = scores.as_array();
    Scores { classes: view.ncols(), values: view.iter().copied().collect() }
}
