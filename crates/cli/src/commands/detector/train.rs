//! `rebel train-detector`: from images of objects and scenes without any to a detector.

use super::load;
use crate::args::{Declared, Given, Machine, Parameters, seconds};
use crate::output::{Output, percent, plural};
use crate::progress::Portions;
use crate::{files, interrupt, setup};
use clap::Args;
use rebelboost::settings::{Parameter, Settings};
use rebelboost::{Error, Result};
use rebelboost_io::write_atomic;
use rebelboost_vision::source::ImageFile;
use rebelboost_vision::train::{Ended, PARAMETERS, StageReport, TrainObserver, TrainSettings, train};
use rebelboost_vision::{Cascade, Gray, Size};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Train a detector of objects in images
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Images of the objects, cut out: a folder, a ZIP archive or a NumPy array of bytes (n, height, width); may be given
    /// several times
    #[arg(long, value_name = "PATH", required = true)]
    positives: Vec<PathBuf>,
    /// Images without any object, in which background is searched for; may be given several times
    #[arg(long, value_name = "PATH", required = true)]
    negatives: Vec<PathBuf>,
    /// Size of the smallest object that will be found
    #[arg(long, value_name = "SIZE", default_value = "24x24")]
    window: Size,
    /// Where the detector goes; a name that ends in .xml gets OpenCV's format
    #[arg(long, short, value_name = "FILE", default_value = "detector.rebel")]
    out: PathBuf,
    /// Also write OpenCV's XML
    #[arg(long, value_name = "FILE")]
    xml: Option<PathBuf>,
    /// Write the detector so far into this file after each stage
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Go on from a checkpoint
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Stop after so many seconds; complete stages are kept
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
    #[command(flatten)]
    detector: Given<Detector>,
    /// Boosting algorithm: one for two classes that adds trees round by round
    #[arg(long, value_name = "NAME", default_value = rebelboost_vision::train::ALGORITHM, help_heading = "Algorithm")]
    algorithm: String,
    #[command(flatten)]
    parameters: Parameters,
    #[command(flatten)]
    machine: Machine,
}

/// The parameters of training a detector.
#[derive(Clone, Debug)]
pub struct Detector;

impl Declared for Detector {
    const HEADING: &'static str = "Detector";

    fn parameters() -> Vec<&'static Parameter> {
        PARAMETERS.iter().collect()
    }
}

const EXAMPLES: &str = "\
Examples:
  rebel train-detector --positives faces/ --negatives scenes/ --out faces.rebel
  rebel train-detector --positives faces.npy --negatives scenes.zip --window 20x20 --out faces.xml
  rebel train-detector --positives cups/ --negatives rooms/ --cascade soft --checkpoint so-far.rebel";

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    let inputs: Vec<&Path> = options.positives.iter().chain(&options.negatives).map(PathBuf::as_path).collect();
    for path in [Some(&options.out), options.xml.as_ref(), options.checkpoint.as_ref()].into_iter().flatten() {
        files::check_output(path, &inputs)?;
    }
    let mut settings = TrainSettings::new()?;
    options.detector.apply(|name, value| settings.set(name, value))?;
    let mut boosting = Settings::new(&options.algorithm)?;
    options.parameters.apply(|name, value| boosting.set(name, value))?;
    let checkpoint = options.resume.as_deref().map(load).transpose()?;
    let mut context = setup::context(&options.machine, None)?.with_cancel(interrupt::flag());
    if let Some(limit) = options.time_limit {
        context = context.with_time_limit(limit);
    }
    let started = Instant::now();
    let objects = read_all(&options.positives)?;
    let scenes = super::images(&options.negatives)?;
    output.say(format!("{}, {}.", plural(objects.len(), "object"), plural(scenes.len(), "scene")));
    let mut watcher = Watcher {
        output,
        bar: Portions::new(output, "Training", settings.stages),
        most: settings.stage_trees,
        checkpoint: options.checkpoint.as_deref(),
    };
    let trained = train(&objects, &scenes, options.window, &settings, &boosting, checkpoint, &context, &mut watcher)?;
    watcher.bar.finish();
    output.notes(&trained.notes);
    save(&options.out, &trained.cascade)?;
    if let Some(path) = &options.xml {
        files::save_text(path, &trained.cascade.to_xml()?)?;
    }
    output.say(format!(
        "Wrote {} ({}, {}) after {:.0} s: {}.",
        options.out.display(),
        plural(trained.cascade.stages.len(), "stage"),
        plural(trained.cascade.tree_count(), "tree"),
        started.elapsed().as_secs_f64(),
        trained.ended.words()
    ));
    if trained.ended == Ended::Interrupted && options.checkpoint.is_none() {
        output.say(format!("Go on with --resume {}.", options.out.display()));
    }
    output.object(&json!({
        "model": options.out.display().to_string(),
        "window": options.window.to_string(),
        "stages": trained.cascade.stages.len(),
        "trees": trained.cascade.tree_count(),
        "ended": trained.ended,
        "calibrated": trained.cascade.calibration.is_fitted(),
        "history": trained.stages,
        "seconds": started.elapsed().as_secs_f64(),
        "notes": trained.notes,
    }));
    Ok(())
}

fn save(path: &Path, cascade: &Cascade) -> Result<()> {
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("xml")) {
        return files::save_text(path, &cascade.to_xml()?);
    }
    let bytes = cascade.to_bytes();
    write_atomic(path, |out| out.write_all(&bytes))
}

fn read_all(paths: &[PathBuf]) -> Result<Vec<Gray>> {
    let files = super::images(paths)?;
    if files.is_empty() {
        return Err(Error::data("there are no images of objects"));
    }
    files.iter().map(ImageFile::read).collect()
}

struct Watcher<'a> {
    output: &'a Output,
    bar: Portions,
    most: usize,
    checkpoint: Option<&'a Path>,
}

impl TrainObserver for Watcher<'_> {
    fn tree(&mut self, stage: usize, trees: usize, false_alarms: f64) {
        let message = format!("stage {stage}: {}, {} pass", plural(trees, "tree"), percent(false_alarms));
        self.bar.at(stage - 1, trees as f64 / self.most as f64, &message);
    }

    fn stage(&mut self, report: &StageReport, so_far: &Cascade) -> Result<()> {
        self.output.say(format!(
            "Stage {}: {}, {} of the objects and {} of the background pass ({} found in {} windows).",
            report.stage,
            plural(report.trees, "tree"),
            percent(report.detection),
            percent(report.false_alarms),
            report.background,
            report.searched
        ));
        match self.checkpoint {
            Some(path) => save(path, so_far),
            None => Ok(()),
        }
    }
}
