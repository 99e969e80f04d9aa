//! `rebel detect`: where are the objects in these images?

use super::{Search, images, load, search};
use crate::args::Machine;
use crate::output::{Output, plural, table};
use crate::setup;
use clap::Args;
use rebelboost::{Error, ErrorKind, Result};
use rebelboost_io::write_atomic;
use rebelboost_vision::Rect;
use rebelboost_vision::image::draw_boxes;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Find objects in images
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Detector: a file of `rebel train-detector`, or a cascade of OpenCV (XML)
    model: PathBuf,
    /// PNG or JPEG images, folders, ZIP archives or NumPy arrays of them
    #[arg(required = true)]
    images: Vec<PathBuf>,
    /// Folder for copies of the images with the boxes drawn in, as PNG; made if it is not there
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Keep boxes of at least this score, between 0 and 1; with a detector trained here, this and --min-neighbors 1 find most
    #[arg(long, value_name = "SCORE")]
    min_score: Option<f64>,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    machine: Machine,
}

const EXAMPLES: &str = "\
Examples:
  rebel detect haarcascade_frontalface_default.xml photo.jpg
  rebel detect faces.detector photos/ --out found/ --min-size 40x40
  rebel detect faces.detector photo.jpg --json";

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    let least = options.min_score.unwrap_or(0.0);
    if !(0.0..=1.0).contains(&least) {
        return Err(Error::option(format!("--min-score cannot be {least}")).hint("a number from 0 to 1"));
    }
    let cascade = load(&options.model)?;
    let files = images(&options.images)?;
    if let Some(folder) = &options.out {
        std::fs::create_dir_all(folder)
            .map_err(|e| Error::io("cannot make the folder", e).in_file(folder.display().to_string()))?;
    }
    let context = setup::context(&options.machine, None)?;
    let (mut objects, mut rows, mut total) = (Vec::new(), Vec::new(), 0);
    search(&cascade, &files, &options.search.options(), &context, output, |file, image, mut searched| {
        searched.boxes.retain(|found| found.score >= least);
        total += searched.boxes.len();
        if let Some(folder) = &options.out {
            let boxes: Vec<Rect> = searched.boxes.iter().map(|found| found.rect).collect();
            let path = drawing(folder, &file.name, &options.images)?;
            let bytes = draw_boxes(image, &boxes)?;
            write_atomic(&path, |out| out.write_all(&bytes))?;
        }
        for found in &searched.boxes {
            let Rect { x, y, width, height } = found.rect;
            let numbers = [x, y, width, height].map(|v| v.to_string());
            let row = [vec![file.name.clone()], numbers.to_vec()].concat();
            rows.push([row, vec![found.neighbors.to_string(), format!("{:.4}", found.score)]].concat());
        }
        objects.push(json!({
            "file": file.name,
            "width": searched.size.width,
            "height": searched.size.height,
            "boxes": searched.boxes,
            "seconds": searched.seconds,
        }));
        Ok(())
    })?;
    if !rows.is_empty() {
        let header = ["image", "x", "y", "width", "height", "neighbors", "score"].map(String::from).to_vec();
        output.result(table(header, rows, 1));
    }
    output.say(format!("{} in {}.", plural(total, "object"), plural(files.len(), "image")));
    if let Some(folder) = &options.out {
        output.say(format!("Drawn in {}.", folder.display()));
    }
    output.object(&json!({ "images": objects, "calibrated": cascade.calibration.is_fitted() }));
    Ok(())
}

/// Where the drawing of an image goes; never over an input.
fn drawing(folder: &Path, name: &str, inputs: &[PathBuf]) -> Result<PathBuf> {
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let path = folder.join(format!("{stem}.png"));
    let same = |a: &Path, b: &Path| a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b));
    if same(&path, Path::new(name)) || inputs.iter().any(|input| same(&path, input)) {
        return Err(Error::new(ErrorKind::Io, "this would replace an image that is read")
            .in_file(path.display().to_string())
            .hint("choose another folder"));
    }
    Ok(path)
}
