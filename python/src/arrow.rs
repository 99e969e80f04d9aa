//! Tables through the Arrow C stream interface (`__arrow_c_stream__`): polars, pyarrow and whatever else speaks it.
//!
//! Numbers are copied once, from Arrow's memory into the library's column, in its narrowest exact type; batches are
//! read where they lie. Text and dictionaries become categories. Dates and nested types are refused by name.

use crate::errors::free;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatchReader, types};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use rebelboost::data::{Categorical, Column, MISSING_LEVEL, Numeric};
use rebelboost::{Error, Result};
use std::collections::HashMap;

/// Names and columns of a frame.
pub fn columns(py: Python<'_>, frame: &Bound<'_, PyAny>) -> PyResult<(Vec<String>, Vec<Column>)> {
    let capsule = frame.call_method0("__arrow_c_stream__")?;
    let stream = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: the interface's own contract: a capsule of this name holds a valid stream, which its consumer takes over.
    #[allow(unsafe_code)]
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream.cast::<FFI_ArrowArrayStream>().as_ptr()) };
    let read = || -> Result<(Vec<String>, Vec<Column>)> { collect(reader.map_err(damaged)?) };
    free(py, read)
}

fn damaged(error: impl std::fmt::Display) -> Error {
    Error::data(format!("the Arrow data cannot be read ({error})"))
}

fn collect(reader: RecordBatchStreamReader) -> Result<(Vec<String>, Vec<Column>)> {
    let fields = reader.schema().fields().clone();
    let mut builders = Vec::new();
    for field in &fields {
        builders.push(Builder::new(field.data_type()).map_err(|e| e.at_column(field.name()))?);
    }
    for batch in reader {
        let batch = batch.map_err(damaged)?;
        for ((array, builder), field) in batch.columns().iter().zip(&mut builders).zip(&fields) {
            builder.push(array).map_err(|e| e.at_column(field.name()))?;
        }
    }
    Ok((fields.iter().map(|f| f.name().clone()).collect(), builders.into_iter().map(Builder::finish).collect()))
}

/// A column in the making.
enum Builder {
    Numbers(Vec<f64>),
    Bytes(Vec<u8>),
    Words(Words),
}

impl Builder {
    fn new(kind: &DataType) -> Result<Self> {
        match kind {
            DataType::UInt8 => Ok(Builder::Bytes(Vec::new())),
            kind if kind.is_numeric() && !matches!(kind, DataType::Decimal128(..) | DataType::Decimal256(..)) => {
                Ok(Builder::Numbers(Vec::new()))
            }
            DataType::Boolean | DataType::Null => Ok(Builder::Numbers(Vec::new())),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(Builder::Words(Words::default())),
            DataType::Dictionary(_, values) => match Self::new(values)? {
                Builder::Words(_) => Ok(Builder::Words(Words::default())),
                _ => Ok(Builder::Numbers(Vec::new())),
            },
            kind if kind.is_temporal() => Err(Error::data(format!("dates and times ({kind}) are not understood"))
                .hint("give numbers instead (a year, an age, seconds), or leave the column out")),
            other => Err(Error::data(format!("columns of the type {other} are not understood"))
                .hint("convert it to numbers or text, or leave the column out")),
        }
    }

    fn push(&mut self, array: &dyn Array) -> Result<()> {
        if let (Builder::Bytes(bytes), DataType::UInt8) = (&mut *self, array.data_type()) {
            let values = array.as_primitive::<types::UInt8Type>();
            if values.null_count() == 0 {
                bytes.extend_from_slice(values.values());
                return Ok(());
            }
            // The first missing value: bytes have no room for one.
            *self = Builder::Numbers(bytes.iter().map(|b| f64::from(*b)).collect());
        }
        match self {
            Builder::Numbers(numbers) => numbers.extend(as_numbers(array)?),
            Builder::Words(words) => words.push(array)?,
            Builder::Bytes(_) => return Err(damaged("a column changes its type")),
        }
        Ok(())
    }

    fn finish(self) -> Column {
        match self {
            Builder::Numbers(numbers) => Column::numeric(numbers),
            Builder::Bytes(bytes) => Column::Numeric(Numeric::U8(bytes)),
            Builder::Words(words) => Column::Categorical(words.column),
        }
    }
}

fn as_numbers(array: &dyn Array) -> Result<Vec<f64>> {
    macro_rules! numbers {
        ($type:ty, $convert:expr) => {{
            let array = array.as_primitive::<$type>();
            match array.null_count() {
                0 => array.values().iter().copied().map($convert).collect(),
                _ => array.iter().map(|v| v.map_or(f64::NAN, $convert)).collect(),
            }
        }};
    }
    Ok(match array.data_type() {
        DataType::Int8 => numbers!(types::Int8Type, f64::from),
        DataType::Int16 => numbers!(types::Int16Type, f64::from),
        DataType::Int32 => numbers!(types::Int32Type, f64::from),
        DataType::Int64 => numbers!(types::Int64Type, |v| v as f64),
        DataType::UInt8 => numbers!(types::UInt8Type, f64::from),
        DataType::UInt16 => numbers!(types::UInt16Type, f64::from),
        DataType::UInt32 => numbers!(types::UInt32Type, f64::from),
        DataType::UInt64 => numbers!(types::UInt64Type, |v| v as f64),
        DataType::Float16 => numbers!(types::Float16Type, |v| v.to_f64()),
        DataType::Float32 => numbers!(types::Float32Type, f64::from),
        DataType::Float64 => numbers!(types::Float64Type, |v| v),
        DataType::Boolean => {
            array.as_boolean().iter().map(|v| v.map_or(f64::NAN, |v| f64::from(u8::from(v)))).collect()
        }
        DataType::Null => vec![f64::NAN; array.len()],
        DataType::Dictionary(..) => {
            let values = as_numbers(array.as_any_dictionary().values())?;
            keys(array).map(|key| key.and_then(|key| values.get(key).copied()).unwrap_or(f64::NAN)).collect()
        }
        other => return Err(damaged(format!("numbers of the type {other}"))),
    })
}

/// Position in the dictionary's values of each row; `None` if missing.
fn keys(array: &dyn Array) -> impl Iterator<Item = Option<usize>> {
    let dictionary = array.as_any_dictionary();
    // Keys into nothing cannot be normalised: all values are missing.
    let keys = if dictionary.values().is_empty() { Vec::new() } else { dictionary.normalized_keys() };
    (0..array.len()).map(move |row| keys.get(row).copied().filter(|_| !array.is_null(row)))
}

/// Categories in the making; levels are numbered in order of appearance.
#[derive(Default)]
struct Words {
    column: Categorical,
    place_of: HashMap<String, u32>,
}

impl Words {
    fn place(&mut self, word: Option<&str>) -> u32 {
        let Some(word) = word else { return MISSING_LEVEL };
        if let Some(place) = self.place_of.get(word) {
            return *place;
        }
        let place = self.column.levels.len() as u32;
        self.column.levels.push(word.to_string());
        self.place_of.insert(word.to_string(), place);
        place
    }

    fn extend<'a>(&mut self, words: impl Iterator<Item = Option<&'a str>>) {
        for word in words {
            let place = self.place(word);
            self.column.codes.push(place);
        }
    }

    fn push(&mut self, array: &dyn Array) -> Result<()> {
        match array.data_type() {
            DataType::Utf8 => self.extend(array.as_string::<i32>().iter()),
            DataType::LargeUtf8 => self.extend(array.as_string::<i64>().iter()),
            DataType::Utf8View => self.extend(array.as_string_view().iter()),
            DataType::Dictionary(..) => {
                // The values as a column of their own give the place of each key.
                let mut values = Words { place_of: std::mem::take(&mut self.place_of), ..Words::default() };
                std::mem::swap(&mut values.column.levels, &mut self.column.levels);
                values.push(array.as_any_dictionary().values())?;
                let places = values.column.codes;
                (self.place_of, self.column.levels) = (values.place_of, values.column.levels);
                let place =
                    |key: Option<usize>| key.and_then(|key| places.get(key).copied()).unwrap_or(MISSING_LEVEL);
                self.column.codes.extend(keys(array).map(place));
            }
            other => return Err(damaged(format!("words of the type {other}"))),
        }
        Ok(())
    }
}
