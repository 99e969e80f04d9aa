//! numpy arrays to columns, whatever their order and strides: one copy, straight into the library's columns.

use crate::errors::{free, raised};
use numpy::ndarray::{ArrayView1, ArrayView2, s};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rebelboost::Error;
use rebelboost::context::Context;
use rebelboost::data::{Categorical, Column, Features, MISSING_LEVEL, Numeric};
use std::collections::HashMap;

/// How numbers are held.
#[derive(Clone, Copy)]
pub enum Held {
    /// In the narrowest exact type, as readers of files hold them: for training, where bytes must not depend on the door.
    Narrow,
    /// As they come: for prediction, where only the values count.
    AsIs,
}

/// An element type of arrays.
trait Number: numpy::Element + Copy + Default + Send + Sync {
    fn narrow(values: Vec<Self>) -> Numeric;
    fn as_is(values: Vec<Self>) -> Numeric {
        Self::narrow(values)
    }
    fn is_infinite(&self) -> bool {
        false
    }
}

macro_rules! numbers {
    ($($type:ty => $value:expr),*) => {$(
        impl Number for $type {
            fn narrow(values: Vec<Self>) -> Numeric {
                Numeric::narrowest(values.into_iter().map($value).collect())
            }
            fn as_is(values: Vec<Self>) -> Numeric {
                Numeric::F64(values.into_iter().map($value).collect())
            }
        }
    )*};
}

numbers!(i8 => f64::from, i16 => f64::from, u16 => f64::from, i32 => f64::from, u32 => f64::from, i64 => |v| v as f64,
    u64 => |v| v as f64);

impl Number for bool {
    fn narrow(values: Vec<Self>) -> Numeric {
        Numeric::U8(values.into_iter().map(u8::from).collect())
    }
}

impl Number for u8 {
    fn narrow(values: Vec<Self>) -> Numeric {
        Numeric::U8(values)
    }
    // Prediction compares floats.
    fn as_is(values: Vec<Self>) -> Numeric {
        Numeric::F32(values.into_iter().map(f32::from).collect())
    }
}

impl Number for f32 {
    fn narrow(values: Vec<Self>) -> Numeric {
        Numeric::narrowest(values.into_iter().map(f64::from).collect())
    }
    fn as_is(values: Vec<Self>) -> Numeric {
        Numeric::F32(values)
    }
    fn is_infinite(&self) -> bool {
        Self::is_infinite(*self)
    }
}

impl Number for f64 {
    fn narrow(values: Vec<Self>) -> Numeric {
        Numeric::narrowest(values)
    }
    fn as_is(values: Vec<Self>) -> Numeric {
        Numeric::F64(values)
    }
    fn is_infinite(&self) -> bool {
        Self::is_infinite(*self)
    }
}

/// Tries the types one after the other; the frequent ones first.
macro_rules! by_type {
    ($array:expr, $kind:ident, $view:ident => $job:expr) => {
        by_type!($array, $kind, $view => $job; f64, f32, u8, i64, i32, bool, i16, i8, u16, u32, u64)
    };
    ($array:expr, $kind:ident, $view:ident => $job:expr; $($type:ty),*) => {
        $(if let Ok(array) = $array.extract::<$kind<'_, $type>>() {
            let $view = array.as_array();
            $job
        } else)* {
            let kind = $array.getattr("dtype").map_or_else(|_| $array.get_type().to_string(), |d| d.to_string());
            Err(PyTypeError::new_err(format!("an array of numbers is needed, not of {kind}")))
        }
    };
}

/// All columns of a two-dimensional array, in the narrowest exact types.
pub fn columns(py: Python<'_>, array: &Bound<'_, PyAny>, context: &Context) -> PyResult<Vec<Column>> {
    const WIDTH: usize = 32;
    by_type!(array, PyReadonlyArray2, view => {
        let all: Vec<i64> = (0..view.ncols() as i64).collect();
        let parts: Vec<&[i64]> = all.chunks(WIDTH).collect();
        let read = || context.map(parts.len(), view.len(), |part| gather(view, parts[part], Held::Narrow));
        Ok(py.detach(read).into_iter().flatten().collect())
    })
}

/// Calls `job` with some rows at a time, or all if `whole`, in columns by position; returns what it makes, in order. A negative
/// position leaves its column empty, for a feature that nothing asks about. An infinite value ends it with its row and
/// column.
pub fn in_parts<R: Send>(
    py: Python<'_>,
    array: &Bound<'_, PyAny>,
    which: &[i64],
    whole: bool,
    context: &Context,
    job: impl Fn(Features) -> R + Send + Sync,
) -> PyResult<std::result::Result<Vec<R>, (usize, usize)>> {
    by_type!(array, PyReadonlyArray2, view => {
        if let Some(missing) = which.iter().find(|&&j| j >= view.ncols() as i64) {
            let what = format!("the array has {} columns and number {} is needed", view.ncols(), missing + 1);
            return Err(raised(py, &Error::data(what)));
        }
        let size = if whole { view.nrows().max(1) } else { fitting(&view) };
        free(py, || {
            let made = context.map(view.nrows().div_ceil(size), 8 * view.len(), |part| {
                let rows = part * size..view.nrows().min((part + 1) * size);
                let view = view.slice(s![rows.clone(), ..]);
                match infinite(view) {
                    Some((row, column)) => Err((rows.start + row, column)),
                    None => Ok(job(Features { columns: gather(view, which, Held::AsIs), rows: rows.len() })),
                }
            });
            Ok(made.into_iter().collect())
        })
    })
}

/// Rows that fit into a core's cache, at most as many as the library takes at a time.
fn fitting<T>(view: &ArrayView2<'_, T>) -> usize {
    ((1 << 19) / (view.ncols() * size_of::<T>()).max(1)).clamp(64, 512)
}

/// Row and column of an infinite value.
fn infinite<T: Number>(view: ArrayView2<'_, T>) -> Option<(usize, usize)> {
    view.rows().into_iter().enumerate().find_map(|(row, values)| {
        // All of a row at a time, so that the loop is vectorised.
        let any = match values.as_slice() {
            Some(values) => values.iter().fold(false, |any, v| any | v.is_infinite()),
            None => values.iter().any(|v| v.is_infinite()),
        };
        any.then(|| (row, values.iter().position(|v| v.is_infinite()).unwrap_or(0)))
    })
}

/// Some rows at a time, so that neighbours in a row are read together.
fn gather<T: Number>(view: ArrayView2<'_, T>, which: &[i64], held: Held) -> Vec<Column> {
    const TILE: usize = 64;
    let (rows, width) = view.dim();
    let length = |j: &i64| if *j < 0 { 0 } else { rows };
    let mut out: Vec<Vec<T>> = which.iter().map(|j| vec![T::default(); length(j)]).collect();
    for start in (0..rows).step_by(TILE) {
        let end = rows.min(start + TILE);
        for (out, &j) in out.iter_mut().zip(which).filter(|(_, j)| **j >= 0) {
            let (out, j) = (&mut out[start..end], j as usize);
            match view.as_slice() {
                Some(values) => {
                    let column = values[start * width + j..].iter().step_by(width);
                    out.iter_mut().zip(column).for_each(|(to, from)| *to = *from);
                }
                None => {
                    let column = view.slice(s![start..end, j]);
                    out.iter_mut().zip(column).for_each(|(to, from)| *to = *from);
                }
            }
        }
    }
    out.into_iter().map(|values| column(values, held)).collect()
}

fn column<T: Number>(values: Vec<T>, held: Held) -> Column {
    Column::Numeric(match held {
        Held::Narrow => T::narrow(values),
        Held::AsIs => T::as_is(values),
    })
}

/// One column: an array of numbers, or codes (negative = missing) with the names of the levels.
pub fn single(py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Column> {
    if let Ok((codes, levels)) = value.extract::<(PyReadonlyArray1<'_, i64>, Vec<String>)>() {
        let codes = codes.as_array();
        return Ok(Column::Categorical(py.detach(|| categories(codes, levels))));
    }
    by_type!(value, PyReadonlyArray1, view => Ok(py.detach(|| column(view.to_vec(), Held::Narrow))))
}

/// Levels of the same name become one.
fn categories(codes: ArrayView1<'_, i64>, names: Vec<String>) -> Categorical {
    let (mut levels, mut place_of) = (Vec::new(), HashMap::new());
    let places: Vec<u32> = names
        .into_iter()
        .map(|name| {
            *place_of.entry(name).or_insert_with_key(|name| {
                levels.push(name.clone());
                levels.len() as u32 - 1
            })
        })
        .collect();
    let place = |code: &i64| usize::try_from(*code).ok().and_then(|code| places.get(code).copied());
    Categorical { codes: codes.iter().map(|code| place(code).unwrap_or(MISSING_LEVEL)).collect(), levels }
}
