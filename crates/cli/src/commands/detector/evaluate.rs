//! `rebel evaluate-detector`: how many objects are found, at how many false boxes?

use super::{Search, load, search};
use crate::args::Machine;
use crate::output::{Output, percent, plural, table};
use crate::{files, setup};
use clap::Args;
use rebelboost::{Error, Result};
use rebelboost_plot::{COLOURS, Panel, Svg};
use rebelboost_vision::evaluate::{Evaluation, read_truth};
use rebelboost_vision::source::ImageFile;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Judge a detector by images whose objects are known
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Detector: a file of `rebel train-detector`, or a cascade of OpenCV (XML)
    model: PathBuf,
    /// Folder or ZIP archive of PNG or JPEG images
    images: PathBuf,
    /// The objects, one a line: `file,x,y,width,height`, or with spaces `file left top right bottom`, or a file and the
    /// twelve coordinates of a face (eyes, nose, mouth left, middle, right)
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
    /// A box finds an object if they share at least this part of what they cover together
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    overlap: f64,
    /// Draw the curve of detection against false boxes into this file (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    search: Search,
    #[command(flatten)]
    machine: Machine,
}

const EXAMPLES: &str = "\
Examples:
  rebel evaluate-detector faces.detector test/ --truth test.csv
  rebel evaluate-detector haarcascade_frontalface_alt2.xml test.zip --truth boxes.txt --plot roc.svg";

/// Numbers of false boxes at which the table says how many objects are found.
const STEPS: [usize; 9] = [0, 1, 2, 5, 10, 20, 50, 100, 200];

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    if let Some(path) = &options.plot {
        files::check_output(path, &[&options.model, &options.images, &options.truth])?;
    }
    if !(0.0..=1.0).contains(&options.overlap) {
        return Err(Error::option(format!("--overlap cannot be {}", options.overlap)).hint("a number from 0 to 1"));
    }
    let cascade = load(&options.model)?;
    let name = options.truth.display().to_string();
    let text = std::fs::read_to_string(&options.truth).map_err(|e| Error::io("cannot read", e).in_file(&name))?;
    let truth = read_truth(&text).map_err(|e| e.in_file(&name))?;
    let images = ImageFile::list(&options.images)?;
    let context = setup::context(&options.machine, None)?;
    let (mut pairs, mut seconds) = (Vec::new(), 0.0);
    let mut known = 0;
    search(&cascade, &images, &options.search.options(), &context, output, |file, _, searched| {
        let base = Path::new(&file.name).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let truths = truth.get(&file.name).or_else(|| truth.get(&base));
        known += usize::from(truths.is_some());
        seconds += searched.seconds;
        pairs.push((searched.boxes, truths.cloned().unwrap_or_default()));
        Ok(())
    })?;
    if known == 0 {
        return Err(Error::data("it names none of the images").in_file(name).hint("names are those of the files"));
    }
    let evaluation = Evaluation::new(&pairs, options.overlap);
    let rows = STEPS.iter().filter_map(|&most| {
        let point = evaluation.at_most(most)?;
        Some(vec![
            most.to_string(),
            percent(evaluation.rate(&point)),
            format!("{:.4}", point.false_positives as f64 / evaluation.images as f64),
            format!("{:.4}", point.score),
        ])
    });
    let header = ["false boxes at most", "objects found", "false boxes an image", "score at least"];
    output.result(table(header.map(String::from).to_vec(), rows.collect(), 0));
    output.result(format!(
        "All boxes: {} of {} found ({}), {} in {}.",
        evaluation.points.last().map_or(0, |point| point.hits),
        plural(evaluation.objects, "object"),
        percent(evaluation.detection()),
        plural(evaluation.false_positives(), "false positive"),
        plural(evaluation.images, "image"),
    ));
    if cascade.calibration.is_fitted() && evaluation.boxes() > 0 {
        let right = 1.0 - evaluation.false_positives() as f64 / evaluation.boxes() as f64;
        output.result(format!(
            "The boxes have a mean score of {:.3}, and {} of them are objects.",
            evaluation.mean_score(),
            percent(right)
        ));
        let rows = evaluation.reliability().into_iter().map(|bin| {
            let scores = format!("{} to {}", bin.from, bin.to);
            vec![scores, bin.boxes.to_string(), format!("{:.3}", bin.mean_score), percent(bin.right)]
        });
        let header = ["score", "boxes", "mean score", "objects among them"];
        output.result(table(header.map(String::from).to_vec(), rows.collect(), 0));
    }
    if let Some(path) = &options.plot {
        files::save_text(path, &plot(&evaluation))?;
        output.say(format!("Drew the curve in {}.", path.display()));
    }
    output.object(&json!({
        "images": evaluation.images,
        "objects": evaluation.objects,
        "detection": evaluation.detection(),
        "false_positives": evaluation.false_positives(),
        "calibrated": cascade.calibration.is_fitted(),
        "mean_score": evaluation.mean_score(),
        "reliability": evaluation.reliability(),
        "seconds": seconds,
        "points": evaluation.points,
    }));
    Ok(())
}

fn plot(evaluation: &Evaluation) -> String {
    let most = evaluation.false_positives().clamp(10, 200) as f64;
    let mut svg = Svg::new(560.0, 400.0);
    let panel = Panel { place: [70.0, 40.0, 460.0, 290.0], x: (0.0, most), y: (0.0, 1.0) };
    panel.axes(&mut svg, "false boxes", "objects found");
    let points = evaluation.points.iter().map(|p| (p.false_positives as f64, evaluation.rate(p)));
    let line: Vec<(f64, f64)> = points.filter(|(x, _)| *x <= most).collect();
    panel.line(&mut svg, &line, COLOURS[0], 2.0, "");
    svg.finish()
}
