//! Why a model answers what it answers, as columns of a table.

use crate::errors::{free, raised};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use rebelboost::Error;
use rebelboost::data::Features;
use rebelboost::explain::explain;
use rebelboost::model::Model;

/// Row, term and text of every term of every row, and what it gave to each class.
pub type Terms<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Vec<String>, Bound<'py, PyArray2<f64>>);

/// Row, training row, its class and the distance.
pub type Similar<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// Every term of every row; the start of the scores is the term -1.
pub fn terms<'py>(py: Python<'py>, model: &Model, rows: &Features) -> PyResult<Terms<'py>> {
    let (mut numbers, mut terms, mut texts, mut values) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    free(py, || {
        for row in 0..rows.rows {
            let found = explain(model, rows, row)?;
            let start = (-1, "start".to_string(), found.bias);
            let all = found.terms.into_iter().map(|t| (t.term as i64, t.text, t.contributions));
            for (term, text, given) in std::iter::once(start).chain(all) {
                numbers.push(row as i64);
                terms.push(term);
                texts.push(text);
                values.extend(given);
            }
        }
        Ok(())
    })?;
    let values = Array2::from_shape_vec((texts.len(), model.class_count()), values)
        .map_err(|e| raised(py, &Error::internal(e.to_string())))?;
    Ok((numbers.into_pyarray(py), terms.into_pyarray(py), texts, values.into_pyarray(py)))
}

/// The nearest of the training rows that the model compares with, nearest first.
pub fn similar<'py>(py: Python<'py>, model: &Model, rows: &Features) -> PyResult<Similar<'py>> {
    let (mut numbers, mut found, mut classes, mut distances) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    free(py, || {
        for row in 0..rows.rows {
            for similar in explain(model, rows, row)?.similar {
                numbers.push(row as i64);
                found.push(similar.row as i64);
                classes.push(i64::from(similar.class));
                distances.push(similar.distance);
            }
        }
        Ok(())
    })?;
    let array = |values: Vec<i64>| values.into_pyarray(py);
    Ok((array(numbers), array(found), array(classes), distances.into_pyarray(py)))
}
