//! numpy arrays to columns, whatever their order and strides: one copy, straight into the library's columns.

use crate::errors::raised;
use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rebelboost::Error;
use rebelboost::context::Context;
use rebelboost::data::{Categorical, Column, MISSING_LEVEL, Numeric};
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
trait Number: numpy::Element + Copy + Send + Sync {
    fn narrow(values: Vec<Self>) -> Numeric;
    fn as_is(values: Vec<Self>) -> Numeric {
        Self::narrow(values)
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
}

impl Number for f32 {
    fn narrow(values: Vec<Self>) -> Numeric {
        Numeric::narrowest(values.into_iter().map(f64::from).collect())
    }
    fn as_is(values: Vec<Self>) -> Numeric {
        Numeric::F32(values)
    }
}

impl Number for f64 {
    fn narrow(values: Vec<Self>) -> Numeric {
        Numeric::narrowest(values)
    }
    fn as_is(values: Vec<Self>) -> Numeric {
        Numeric::F64(values)
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

/// These columns of a two-dimensional array, all if none are named.
pub fn columns(
    py: Python<'_>,
    array: &Bound<'_, PyAny>,
    which: Option<&[usize]>,
    held: Held,
    context: &Context,
) -> PyResult<(usize, Vec<Column>)> {
    by_type!(array, PyReadonlyArray2, view => {
        let all: Vec<usize>;
        let which = match which {
            Some(which) => which,
            None => {
                all = (0..view.ncols()).collect();
                &all
            }
        };
        if let Some(missing) = which.iter().find(|&&j| j >= view.ncols()) {
            let what = format!("the array has {} columns and number {missing} is needed", view.ncols());
            return Err(raised(py, &Error::data(what)));
        }
        Ok((view.nrows(), py.detach(|| gather(view, which, held, context))))
    })
}

/// Several columns at a time, so that each line of the cache is read once.
fn gather<T: Number>(view: ArrayView2<'_, T>, which: &[usize], held: Held, context: &Context) -> Vec<Column> {
    let width = (64 / size_of::<T>()).max(1);
    let parts = context.map(which.len().div_ceil(width), view.nrows() * which.len(), |part| {
        let which = &which[part * width..which.len().min((part + 1) * width)];
        let mut out: Vec<Vec<T>> = which.iter().map(|_| Vec::with_capacity(view.nrows())).collect();
        for row in view.rows() {
            out.iter_mut().zip(which).for_each(|(out, &j)| out.push(row[j]));
        }
        out.into_iter().map(|values| column(values, held)).collect::<Vec<_>>()
    });
    parts.into_iter().flatten().collect()
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
