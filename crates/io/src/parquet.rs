//! Parquet, column by column through Arrow arrays: whole numbers, floats, booleans and text (plain or by dictionary).
//!
//! The Parquet crates check much but not all of what a file claims; a panic on a damaged file is turned into an error.

use crate::builder::ColumnBuilder;
use crate::csv::unreadable;
use crate::read::{ReadOptions, finish, unique_names};
use crate::source::Source;
use arrow_array::cast::AsArray;
use arrow_array::{Array, types};
use arrow_schema::DataType;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;
use rebelboost::data::Table;
use rebelboost::error::{Error, Result};
use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    let mut input = source.open()?;
    let plain = input.peek(4).map_err(unreadable)? == b"PAR1";
    if !plain {
        return Err(Error::parse("this is not a Parquet file"));
    }
    let read = || match source {
        // A gzipped file would not begin with the magic bytes on the disk.
        Source::Path(path) if starts_with_magic(path) => {
            read_from(File::open(path).map_err(|e| Error::io("cannot open", e))?, options)
        }
        _ => {
            let mut bytes = Vec::new();
            input.read_to_end(&mut bytes).map_err(unreadable)?;
            read_from(Bytes::from(bytes), options)
        }
    };
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(Error::parse("the Parquet data are damaged")))
}

fn starts_with_magic(path: &std::path::Path) -> bool {
    let mut magic = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && &magic == b"PAR1"
}

fn read_from(input: impl ChunkReader + 'static, options: &ReadOptions) -> Result<Table> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(input).map_err(damaged)?;
    let fields = reader.schema().fields().clone();
    for field in &fields {
        check_type(field.data_type()).map_err(|e| e.at_column(field.name()))?;
    }
    let names = unique_names(fields.iter().map(|field| field.name().trim().to_string()).collect())?;
    let mut builders = options.builders(names)?;
    for batch in reader.with_batch_size(4096).build().map_err(damaged)? {
        let batch = batch.map_err(damaged)?;
        for (array, builder) in batch.columns().iter().zip(&mut builders) {
            push(array, builder).map_err(|e| e.at_column(builder.name()))?;
        }
    }
    finish(builders, |_| None)
}

fn damaged(error: impl std::fmt::Display) -> Error {
    Error::parse(format!("the Parquet data are damaged or of an unknown kind ({error})"))
}

fn check_type(kind: &DataType) -> Result<()> {
    match kind {
        DataType::Dictionary(_, values) => check_type(values),
        kind if kind.is_integer() || matches!(kind, DataType::Float32 | DataType::Float64) => Ok(()),
        DataType::Boolean | DataType::Null | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok(()),
        other => Err(Error::data(format!("the Parquet type {other} cannot be read"))
            .hint("convert the column to numbers or text, or leave it out")),
    }
}

fn push(array: &dyn Array, builder: &mut ColumnBuilder) -> Result<()> {
    macro_rules! numbers {
        ($type:ty, $convert:expr) => {
            array.as_primitive::<$type>().iter().try_for_each(|value| number(builder, value.map($convert)))
        };
    }
    match array.data_type() {
        DataType::Int8 => numbers!(types::Int8Type, f64::from),
        DataType::Int16 => numbers!(types::Int16Type, f64::from),
        DataType::Int32 => numbers!(types::Int32Type, f64::from),
        DataType::Int64 => numbers!(types::Int64Type, |v| v as f64),
        DataType::UInt8 => numbers!(types::UInt8Type, f64::from),
        DataType::UInt16 => numbers!(types::UInt16Type, f64::from),
        DataType::UInt32 => numbers!(types::UInt32Type, f64::from),
        DataType::UInt64 => numbers!(types::UInt64Type, |v| v as f64),
        DataType::Float32 => numbers!(types::Float32Type, f64::from),
        DataType::Float64 => numbers!(types::Float64Type, |v| v),
        DataType::Boolean => {
            array.as_boolean().iter().try_for_each(|v| number(builder, v.map(|v| f64::from(u8::from(v)))))
        }
        DataType::Null => (0..array.len()).try_for_each(|_| number(builder, None)),
        DataType::Utf8 => array.as_string::<i32>().iter().try_for_each(|text| word(builder, text)),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().try_for_each(|text| word(builder, text)),
        DataType::Utf8View => array.as_string_view().iter().try_for_each(|text| word(builder, text)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = dictionary.values();
            let keys = dictionary.normalized_keys();
            (0..array.len()).try_for_each(|row| match keys.get(row) {
                Some(&key) if !array.is_null(row) && key < values.len() => push(&values.slice(key, 1), builder),
                _ => number(builder, None),
            })
        }
        other => Err(Error::internal(format!("Parquet type {other} was let through"))),
    }
}

fn number(builder: &mut ColumnBuilder, value: Option<f64>) -> Result<()> {
    match value {
        Some(value) if value.is_infinite() => {
            let what = format!("the value of data row {} is infinite", builder.len() + 1);
            Err(Error::data(what).hint("use null if it is unknown"))
        }
        value => builder.push_number(value.unwrap_or(f64::NAN)),
    }
}

/// Text is text, even if it looks like a number, unless the user declared the column numeric.
fn word(builder: &mut ColumnBuilder, text: Option<&str>) -> Result<()> {
    match text.map(str::trim) {
        None => builder.push_missing(),
        Some(text) if builder.kind() == crate::builder::Kind::Numeric => {
            builder.push_cell(text.as_bytes(), builder.len() as u64)?;
        }
        Some(text) if crate::value::is_missing(text.as_bytes()) => builder.push_missing(),
        Some(text) => builder.push_level(text)?,
    }
    Ok(())
}
