//! Tables as Python hands them over: an array, columns one by one, or an Arrow stream.

use crate::arrays;
use crate::errors::raised;
use crate::{arrow, threads};
use pyo3::prelude::*;
use rebelboost::data::{self, Column};
use rebelboost::{Error, Result};
use std::sync::{Mutex, PoisonError};

/// Named columns of equal length, used up by whoever takes them: large tables are not kept twice. `extra` are further
/// columns (classes, weights) by name.
#[pyclass(frozen, module = "rebelboost._core")]
pub struct Table(Mutex<Option<data::Table>>);

type Extra<'py> = Vec<(String, Bound<'py, PyAny>)>;

#[pymethods]
impl Table {
    /// From a two-dimensional array of numbers.
    #[staticmethod]
    fn from_array(
        py: Python<'_>,
        array: &Bound<'_, PyAny>,
        names: Vec<String>,
        extra: Extra<'_>,
        threads: usize,
    ) -> PyResult<Self> {
        let (context, _) = threads::context(py, 0, threads)?;
        let columns = arrays::columns(py, array, &context)?;
        Self::assemble(py, names, columns, extra)
    }

    /// From columns: arrays of numbers, or pairs of codes (negative = missing) and level names.
    #[staticmethod]
    fn from_columns(
        py: Python<'_>,
        names: Vec<String>,
        columns: Vec<Bound<'_, PyAny>>,
        extra: Extra<'_>,
    ) -> PyResult<Self> {
        let columns = columns.iter().map(|column| arrays::single(py, column)).collect::<PyResult<_>>()?;
        Self::assemble(py, names, columns, extra)
    }

    /// From an object with `__arrow_c_stream__` (polars, pyarrow, duckdb ...).
    #[staticmethod]
    fn from_arrow(py: Python<'_>, frame: &Bound<'_, PyAny>, extra: Extra<'_>) -> PyResult<Self> {
        let (names, columns) = arrow::columns(py, frame)?;
        Self::assemble(py, names, columns, extra)
    }
}

impl Table {
    /// The columns, once.
    pub fn take(&self) -> Result<data::Table> {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        table.ok_or_else(|| Error::internal("a table was used twice"))
    }

    fn assemble(
        py: Python<'_>,
        mut names: Vec<String>,
        mut columns: Vec<Column>,
        extra: Extra<'_>,
    ) -> PyResult<Self> {
        for (name, value) in extra {
            names.push(name);
            columns.push(arrays::single(py, &value)?);
        }
        let table = data::Table::new(names, columns);
        table.map(|table| Table(Mutex::new(Some(table)))).map_err(|e| raised(py, &e))
    }
}
