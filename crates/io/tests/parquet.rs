//! Parquet, with the cargo feature of that name.
#![cfg(feature = "parquet")]

mod common;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray,
};
use common::{fails, gzip, kind, read, texts};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;
use std::sync::Arc;

fn written(columns: Vec<(&str, ArrayRef)>, compression: Compression) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn sound(compression: Compression) -> Vec<u8> {
    let dictionary: DictionaryArray<Int32Type> = [Some("x"), None, Some("x")].into_iter().collect();
    written(
        vec![
            ("i", Arc::new(Int64Array::from(vec![Some(1), None, Some(300)]))),
            ("f", Arc::new(Float64Array::from(vec![0.5, f64::NAN, 0.1]))),
            ("b", Arc::new(BooleanArray::from(vec![true, false, true]))),
            ("s", Arc::new(StringArray::from(vec![Some("01"), Some("NA"), Some("y z")]))),
            ("d", Arc::new(dictionary)),
        ],
        compression,
    )
}

#[test]
fn types() {
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())] {
        let bytes = sound(compression);
        for (name, bytes) in [("a.parquet", bytes.clone()), ("a.parquet.gz", gzip(&bytes)), ("x", bytes)] {
            let table = read(name, bytes).unwrap();
            let kinds: Vec<&str> = table.names().iter().map(|name| kind(&table, name)).collect();
            assert_eq!(kinds, ["i16", "f64", "u8", "categorical", "categorical"]);
            assert_eq!(texts(&table, "i"), ["1", "", "300"]);
            assert_eq!(texts(&table, "s"), ["01", "", "y z"]);
            assert_eq!(texts(&table, "d"), ["x", "", "x"]);
        }
    }
}

#[test]
fn refusals() {
    let bytes = written(vec![("when", Arc::new(Date32Array::from(vec![1])))], Compression::UNCOMPRESSED);
    let error = fails("a.parquet", bytes);
    assert!(error.starts_with("a.parquet, column 'when': the Parquet type Date32 cannot be read"), "{error}");
    let bytes =
        written(vec![("f", Arc::new(Float64Array::from(vec![1.0, f64::INFINITY])))], Compression::UNCOMPRESSED);
    assert!(fails("a.parquet", bytes).starts_with("a.parquet, column 'f': the value of data row 2 is infinite"));
    let bytes = sound(Compression::SNAPPY);
    assert!(fails("a.parquet", &bytes[..bytes.len() / 2]).starts_with("a.parquet: the Parquet data are damaged"));
    assert_eq!(fails("a.parquet", b"a,b\n1,2\n".as_slice()), "a.parquet: this is not a Parquet file");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn altered_files(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = sound(Compression::SNAPPY);
        for (at, value) in edits {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = read("a.parquet", bytes);
    }
}
