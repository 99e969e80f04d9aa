//! Detectors of objects in images.

use crate::errors::{free, raised};
use crate::threads;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use rebelboost::{Error, ErrorKind};
use rebelboost_vision::{Cascade, DetectOptions, Detection, Gray, Size};
use std::path::PathBuf;
use std::sync::Arc;

/// Boxes (x, y, width, height), the windows that agree on each, and scores.
type Found<'py> = (Bound<'py, PyArray2<i32>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>);

/// A cascade. Immutable, so any thread may use it.
#[pyclass(frozen, module = "rebelboost._core")]
pub struct Detector(Arc<Cascade>);

#[pymethods]
impl Detector {
    /// Reads a detector of ours or a cascade of OpenCV (XML).
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let name = path.display().to_string();
        let read = || {
            let bytes = std::fs::read(&path).map_err(|e| match e.kind() {
                std::io::ErrorKind::NotFound => Error::new(ErrorKind::Io, "there is no such file"),
                _ => Error::io("cannot read", e),
            })?;
            Cascade::from_bytes(&bytes)
        };
        free(py, || read().map_err(|e| e.in_file(name))).map(|cascade| Detector(Arc::new(cascade)))
    }

    /// Width and height of the window.
    #[getter]
    fn window(&self) -> (u32, u32) {
        (self.0.window.width, self.0.window.height)
    }

    /// Whether scores are probabilities, fitted to data when it was trained.
    #[getter]
    fn calibrated(&self) -> bool {
        self.0.calibration.is_fitted()
    }

    /// Objects in an image given as its bytes; what is `None` has the library's default.
    #[allow(clippy::type_complexity)]
    fn detect<'py>(
        &self,
        py: Python<'py>,
        pixels: PyReadonlyArray1<'_, u8>,
        shape: (usize, usize, usize),
        scale_factor: Option<f64>,
        min_neighbors: Option<u32>,
        min_size: Option<(u32, u32)>,
        max_size: Option<(u32, u32)>,
        threads: usize,
    ) -> PyResult<Found<'py>> {
        let (height, width, channels) = shape;
        let bytes = pixels.as_slice()?;
        let image = Gray::from_channels(width, height, channels, bytes).map_err(|e| raised(py, &e))?;
        let usual = DetectOptions::default();
        let size = |given: Option<(u32, u32)>| given.map(|(width, height)| Size::new(width, height));
        let options = DetectOptions {
            scale_factor: scale_factor.unwrap_or(usual.scale_factor),
            min_neighbors: min_neighbors.unwrap_or(usual.min_neighbors),
            min_size: size(min_size),
            max_size: size(max_size),
        };
        let (context, _) = threads::context(py, 0, threads)?;
        let found = free(py, || self.0.detect(&image, &options, &context))?;
        Ok(arrays(py, &found))
    }
}

fn arrays<'py>(py: Python<'py>, found: &[Detection]) -> Found<'py> {
    let side = |i: usize, k: usize| {
        let rect = &found[i].rect;
        [rect.x, rect.y, rect.width, rect.height][k]
    };
    let boxes = Array2::from_shape_fn((found.len(), 4), |(i, k)| side(i, k));
    let neighbors: Vec<i32> = found.iter().map(|f| f.neighbors as i32).collect();
    let scores: Vec<f64> = found.iter().map(|f| f.score).collect();
    (boxes.into_pyarray(py), neighbors.into_pyarray(py), scores.into_pyarray(py))
}
