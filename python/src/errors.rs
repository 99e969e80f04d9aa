//! Errors of the library as Python exceptions: one class a kind, in `rebelboost/errors.py`; the sentence stays the same,
//! with options called as Python calls them.

use pyo3::prelude::*;
use rebelboost::{Error, ErrorKind, Result};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The exception of an error.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error.kind() {
        ErrorKind::Io => "FileError",
        ErrorKind::Parse => "ParseError",
        ErrorKind::Data => "DataError",
        ErrorKind::Costs => "CostsError",
        ErrorKind::Option => "OptionError",
        ErrorKind::Model => "ModelError",
        ErrorKind::Limit => "LimitError",
        ErrorKind::Internal => "InternalError",
        _ => "RebelError",
    };
    let text = as_keywords(&error.to_string());
    let made = py.import("rebelboost.errors").and_then(|errors| errors.getattr(class)?.call1((text,)));
    made.map_or_else(|e| e, PyErr::from_value)
}

/// Runs a job without holding the interpreter. A panic is a bug of ours and becomes an exception, never an abort.
pub fn free<T: Send>(py: Python<'_>, job: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(job)))
        .unwrap_or_else(|panic| Err(bug(panic.as_ref())))
        .map_err(|error| raised(py, &error))
}

/// The error of a panic.
pub fn bug(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    Error::internal(format!("a bug in rebelboost, please report it: {}", text.unwrap_or("no message")))
}

/// Options in a sentence, as Python calls them: `--cost-mode` is `cost_mode`.
pub fn as_keywords(text: &str) -> String {
    let mut parts = text.split("--");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
        match end {
            0 => out += "--",
            _ => out += &part[..end].replace('-', "_"),
        }
        out += &part[end..];
    }
    out
}
