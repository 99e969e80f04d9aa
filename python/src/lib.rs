//! The Python door: arrays and frames in, models and arrays out. No defaults and no algorithms live here; the classes
//! that people use are in `rebelboost/*.py`.

mod active;
mod arrays;
mod arrow;
mod detector;
mod errors;
mod explain;
mod model;
mod registry;
mod steps;
mod table;
mod threads;
mod train;
mod watch;

use pyo3::prelude::*;

/// The program `rebel` with these arguments, the first of which is its name; the exit code.
#[pyfunction]
fn cli(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| rebelboost_cli::run(arguments))
}

/// Compiled part of `rebelboost`.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::active::Session;
    #[pymodule_export]
    use super::cli;
    #[pymodule_export]
    use super::detector::Detector;
    #[pymodule_export]
    use super::model::{Features, Model, Staged};
    #[pymodule_export]
    use super::registry::{algorithm_with, registry};
    #[pymodule_export]
    use super::steps::{Extraction, select_features};
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::train::{Trained, train, wilson_interval};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
