//! Detectors: finding objects in images, training and judging what finds them.

pub mod detect;
pub mod evaluate;
pub mod train;

use crate::output::Output;
use crate::progress::Portions;
use clap::Args;
use rebelboost::context::Context;
use rebelboost::{Error, ErrorKind, Result};
use rebelboost_vision::source::ImageFile;
use rebelboost_vision::{Cascade, DetectOptions, Detection, Size};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How to search images.
#[derive(Args)]
pub struct Search {
    /// How much larger the objects of the next search are [default: 1.1]
    #[arg(long, value_name = "FACTOR")]
    scale_factor: Option<f64>,
    /// Keep a box if more than so many windows agree on it; 0 = every window [default: 3]
    #[arg(long, value_name = "NUMBER")]
    min_neighbors: Option<u32>,
    /// Smallest object, as 30x30
    #[arg(long, value_name = "SIZE")]
    min_size: Option<Size>,
    /// Largest object, as 300x300
    #[arg(long, value_name = "SIZE")]
    max_size: Option<Size>,
}

impl Search {
    fn options(&self) -> DetectOptions {
        let usual = DetectOptions::default();
        DetectOptions {
            scale_factor: self.scale_factor.unwrap_or(usual.scale_factor),
            min_neighbors: self.min_neighbors.unwrap_or(usual.min_neighbors),
            min_size: self.min_size,
            max_size: self.max_size,
        }
    }
}

/// Reads a detector: our own file, or OpenCV's XML.
fn load(path: &Path) -> Result<Cascade> {
    let read = || {
        let bytes = std::fs::read(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => Error::new(ErrorKind::Io, "there is no such file"),
            _ => Error::io("cannot read", e),
        })?;
        Cascade::from_bytes(&bytes)
    };
    read().map_err(|e| e.in_file(path.display().to_string()))
}

/// All images of files, folders and archives.
fn images(paths: &[PathBuf]) -> Result<Vec<ImageFile>> {
    let mut all = Vec::new();
    for path in paths {
        all.extend(ImageFile::list(path)?);
    }
    Ok(all)
}

/// The objects of one image, and how long the search took.
struct Searched {
    size: Size,
    boxes: Vec<Detection>,
    seconds: f64,
}

/// Searches images one after the other and hands each over. An image that cannot be read ends it.
fn search(
    cascade: &Cascade,
    files: &[ImageFile],
    options: &DetectOptions,
    context: &Context,
    output: &Output,
    mut each: impl FnMut(&ImageFile, &rebelboost_vision::Gray, Searched) -> Result<()>,
) -> Result<()> {
    let portions = Portions::new(output, "Searching", files.len());
    for (number, file) in files.iter().enumerate() {
        portions.at(number, 0.0, &file.name);
        let image = file.read()?;
        let started = Instant::now();
        let boxes = cascade.detect(&image, options, context)?;
        let searched = Searched { size: image.size(), boxes, seconds: started.elapsed().as_secs_f64() };
        each(file, &image, searched)?;
    }
    portions.finish();
    Ok(())
}
