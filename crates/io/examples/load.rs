//! Loads a table and says what came of it: `cargo run --release -p rebelboost-io --example load -- FILE`.

use rebelboost::data::{Column, Numeric};
use rebelboost_io::{ReadOptions, Source, read_table};
use std::collections::BTreeMap;

fn main() {
    let path = std::env::args().nth(1).unwrap_or_else(|| "-".to_string());
    let start = std::time::Instant::now();
    let table = match read_table(&Source::new(path), &ReadOptions::default()) {
        Ok(table) => table,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2);
        }
    };
    let mut kinds = BTreeMap::new();
    for column in table.columns() {
        let kind = match column {
            Column::Numeric(Numeric::U8(_)) => "u8",
            Column::Numeric(Numeric::I16(_)) => "i16",
            Column::Numeric(Numeric::I32(_)) => "i32",
            Column::Numeric(Numeric::F32(_)) => "f32",
            Column::Numeric(Numeric::F64(_)) => "f64",
            Column::Categorical(_) => "categorical",
        };
        *kinds.entry(kind).or_insert(0) += 1;
    }
    println!("{} rows, {} columns {kinds:?} in {:.2?}", table.rows(), table.names().len(), start.elapsed());
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(line) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("{line}");
    }
}
