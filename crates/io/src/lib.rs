//! Files in, tables out: the only crate that knows paths and formats.
//!
//! [`read_table`] turns CSV/TSV, ARFF, LIBSVM, NPY, IDX and (feature `parquet`) Parquet into a
//! [`Table`](rebelboost::data::Table); [`read_costs`] and [`read_taxonomy`] read the price of mistakes;
//! [`Labels`] are classes of rows in a file of their own;
//! [`write_atomic`] writes a file whole or not at all. Readers stream, so memory is the typed columns and not the
//! text, and every complaint names file, line and column.

mod arff;
mod atomic;
mod builder;
mod costs;
mod csv;
mod dialect;
mod element;
mod format;
mod idx;
mod labels;
mod libsvm;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod read;
mod source;
mod value;

pub use atomic::{write_atomic, write_csv};
pub use costs::{read_costs, read_taxonomy};
pub use format::Format;
pub use labels::Labels;
pub use npy::read_byte_array;
pub use read::{ReadOptions, read_table};
pub use source::Source;
