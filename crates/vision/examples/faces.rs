//! Trains and judges the detectors of bench/results: `faces train OUT OPTIONS OBJECTS... SCENES`, `faces judge MODEL IMAGES TRUTH`,
//! `faces time MODEL IMAGES THREADS`.

use rebelboost::context::Context;
use rebelboost::settings::Settings;
use rebelboost::{Error, Result};
use rebelboost_vision::evaluate::{Evaluation, read_truth};
use rebelboost_vision::source::ImageFile;
use rebelboost_vision::train::{StageReport, TrainObserver, TrainSettings, train};
use rebelboost_vision::{Cascade, DetectOptions, Gray, Size};
use std::path::Path;
use std::time::{Duration, Instant};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["train", out, options, ref objects @ .., scenes] => learn(out, options, objects, scenes),
        ["judge", model, images, truth] => judge(model, images, truth),
        ["time", model, images, threads] => time(model, images, threads.parse().unwrap_or(1)),
        _ => Err(Error::option("see the head of this file")),
    }
}

fn read(path: &str) -> Result<Vec<Gray>> {
    ImageFile::list(Path::new(path))?.iter().map(ImageFile::read).collect()
}

fn load(path: &str) -> Result<Cascade> {
    Cascade::from_bytes(&std::fs::read(path).map_err(|e| Error::io(path, e))?)
}

struct Tell(Instant);

impl TrainObserver for Tell {
    fn stage(&mut self, r: &StageReport, _: &Cascade) -> Result<()> {
        println!(
            "{:6.1} s  stage {:2}: {:3} trees, detection {:.4}, false alarms {:.4}, {} of {} windows",
            self.0.elapsed().as_secs_f64(),
            r.stage,
            r.trees,
            r.detection,
            r.false_alarms,
            r.background,
            r.searched
        );
        Ok(())
    }
}

/// `options` are `name=value` divided by commas; `window`, `seconds` and options of boosting among them.
fn learn(out: &str, options: &str, objects: &[&str], scenes: &str) -> Result<()> {
    let mut settings = TrainSettings::new()?;
    let mut boosting = Settings::new(rebelboost_vision::train::ALGORITHM)?;
    let (mut window, mut seconds) = (Size::new(24, 24), 600);
    for option in options.split(',').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').ok_or_else(|| Error::option(option))?;
        match name {
            "window" => window = value.parse().map_err(Error::option)?,
            "seconds" => seconds = value.parse().map_err(|_| Error::option(value))?,
            "algorithm" => boosting = Settings::new(value)?,
            _ if boosting.values().contains_key(name) => boosting.set(name, value)?,
            _ => settings.set(name, value)?,
        }
    }
    let mut patches = Vec::new();
    for path in objects {
        patches.extend(read(path)?);
    }
    let scenes = ImageFile::list(Path::new(scenes))?;
    let context = Context::new(0, 0)?.with_time_limit(Duration::from_secs(seconds));
    let mut tell = Tell(Instant::now());
    let trained = train(&patches, &scenes, window, &settings, &boosting, None, &context, &mut tell)?;
    println!("{}; {} trees; {:?}", trained.ended.words(), trained.cascade.tree_count(), trained.notes);
    std::fs::write(out, trained.cascade.to_bytes()).map_err(|e| Error::io(out, e))?;
    if !trained.cascade.carries {
        std::fs::write(format!("{out}.xml"), trained.cascade.to_xml()?).map_err(|e| Error::io(out, e))?;
    }
    Ok(())
}

fn judge(model: &str, images: &str, truth: &str) -> Result<()> {
    let cascade = load(model)?;
    let truth = read_truth(&std::fs::read_to_string(truth).map_err(|e| Error::io(truth, e))?)?;
    let context = Context::new(0, 0)?;
    for (scale_factor, min_neighbors) in [(1.1, 3), (1.1, 1), (1.05, 3)] {
        let options = DetectOptions { scale_factor, min_neighbors, ..DetectOptions::default() };
        let mut pairs = Vec::new();
        for file in ImageFile::list(Path::new(images))? {
            let boxes = cascade.detect(&file.read()?, &options, &context)?;
            pairs.push((boxes, truth.get(&file.name).cloned().unwrap_or_default()));
        }
        let evaluation = Evaluation::new(&pairs, 0.5);
        let at = [10, 20, 50, 100].map(|most| {
            evaluation.at_most(most).map_or("-".into(), |point| format!("{:.3}", evaluation.rate(&point)))
        });
        println!(
            "{scale_factor} / {min_neighbors}: {:.3} with {} false positives; at most 10, 20, 50, 100: {}",
            evaluation.detection(),
            evaluation.false_positives(),
            at.join(" ")
        );
    }
    Ok(())
}

/// Wall-clock seconds of all images; decoding is not counted.
fn time(model: &str, images: &str, threads: usize) -> Result<()> {
    let cascade = load(model)?;
    let images = read(images)?;
    let context = Context::new(0, threads)?;
    let started = Instant::now();
    let mut boxes = 0;
    for image in &images {
        boxes += cascade.detect(image, &DetectOptions::default(), &context)?.len();
    }
    println!(
        "{{\"boxes\": {boxes}, \"images\": {}, \"seconds\": {:.4}}}",
        images.len(),
        started.elapsed().as_secs_f64()
    );
    Ok(())
}
