//! Helpers of the tests.
#![allow(dead_code)]

use flate2::{Compression, write::GzEncoder};
use rebelboost::data::{Column, Numeric, Table};
use rebelboost::error::Result;
use rebelboost_io::{ReadOptions, Source, read_table};
use std::io::Write;

/// Reads bytes as if they were a file of this name, guessing everything.
pub fn read(name: &str, bytes: impl Into<Vec<u8>>) -> Result<Table> {
    read_table(&Source::bytes(name, bytes), &ReadOptions::default())
}

/// The message of a table that must not be readable.
pub fn fails(name: &str, bytes: impl Into<Vec<u8>>) -> String {
    read(name, bytes).map(|_| ()).unwrap_err().to_string()
}

/// The bytes, zipped.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The type of a column.
pub fn kind(table: &Table, name: &str) -> &'static str {
    match table.column(name).expect(name) {
        Column::Numeric(Numeric::U8(_)) => "u8",
        Column::Numeric(Numeric::I16(_)) => "i16",
        Column::Numeric(Numeric::I32(_)) => "i32",
        Column::Numeric(Numeric::F32(_)) => "f32",
        Column::Numeric(Numeric::F64(_)) => "f64",
        Column::Categorical(_) => "categorical",
    }
}

/// A column as text, "" where missing.
pub fn texts(table: &Table, name: &str) -> Vec<String> {
    let column = table.column(name).expect(name);
    (0..table.rows()).map(|row| column.text(row)).collect()
}

/// A small IDX file.
pub fn idx(dimensions: &[u32], values: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, dimensions.len() as u8];
    bytes.extend(dimensions.iter().flat_map(|d| d.to_be_bytes()));
    bytes.extend(values);
    bytes
}

/// A small NPY file.
pub fn npy(descr: &str, fortran: bool, shape: &str, values: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(values);
    bytes
}

/// An ARFF file with all that is special.
pub const ARFF: &str = "% comment\n@RELATION t\n@attribute 'a b' numeric\n@ATTRIBUTE kind {x, 'y z', \"?\"}\n\
    @attribute s string\n@data\n1, x, hello\n?, 'y z', ?\n{0 2.5, 2 'q,r'}\n";
