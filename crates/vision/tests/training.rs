//! Training on synthetic objects: a bright ring with a dark middle on uneven ground.

use rand::prelude::*;
use rebelboost::Result;
use rebelboost::context::{Context, stream};
use rebelboost::settings::Settings;
use rebelboost_vision::evaluate::{Evaluation, Truth};
use rebelboost_vision::image::draw_boxes;
use rebelboost_vision::source::ImageFile;
use rebelboost_vision::train::{StageReport, TrainObserver, TrainSettings, TrainedDetector, train};
use rebelboost_vision::{Cascade, DetectOptions, Gray, Rect, Size};
use std::path::Path;

const WINDOW: Size = Size::new(12, 12);

/// Ground: waves, bars and noise.
fn ground(width: usize, height: usize, random: &mut impl Rng) -> Vec<f64> {
    let (a, b): (f64, f64) = (random.random_range(0.05..0.4), random.random_range(0.05..0.4));
    let mut out: Vec<f64> = (0..width * height)
        .map(|i| {
            let (x, y) = ((i % width) as f64, (i / width) as f64);
            110.0 + 30.0 * (a * x).sin() * (b * y).cos() + random.random_range(-12.0..12.0)
        })
        .collect();
    for _ in 0..width * height / 600 {
        let (x, y) = (random.random_range(0..width), random.random_range(0..height));
        let (w, h, v) = (random.random_range(2..12), random.random_range(2..12), random.random_range(-70.0..70.0));
        for v_at in y..height.min(y + h) {
            (x..width.min(x + w)).for_each(|u| out[v_at * width + u] += v);
        }
    }
    out
}

/// Puts a ring into the square at (left, top).
fn ring(out: &mut [f64], width: usize, (left, top): (usize, usize), side: usize) {
    let middle = side as f64 / 2.0;
    for y in 0..side {
        for x in 0..side {
            let r = (x as f64 + 0.5 - middle).hypot(y as f64 + 0.5 - middle) / middle;
            if r < 0.9 {
                out[(top + y) * width + left + x] = if r < 0.45 { 40.0 } else { 200.0 };
            }
        }
    }
}

fn gray(width: usize, height: usize, values: &[f64]) -> Gray {
    Gray::new(width, height, values.iter().map(|v| v.clamp(0.0, 255.0) as u8).collect()).unwrap()
}

fn objects(count: usize) -> Vec<Gray> {
    let mut random = stream(1, "objects");
    (0..count)
        .map(|_| {
            let mut values = ground(20, 20, &mut random);
            let side = random.random_range(14..=19);
            let (left, top) = (random.random_range(0..=20 - side), random.random_range(0..=20 - side));
            ring(&mut values, 20, (left, top), side);
            gray(20, 20, &values)
        })
        .collect()
}

fn scenes(folder: &Path, count: usize) -> Vec<ImageFile> {
    let mut random = stream(2, "scenes");
    for i in 0..count {
        let image = gray(120, 90, &ground(120, 90, &mut random));
        std::fs::write(folder.join(format!("{i:02}.png")), draw_boxes(&image, &[]).unwrap()).unwrap();
    }
    ImageFile::list(folder).unwrap()
}

fn settings(changes: &[(&str, &str)]) -> TrainSettings {
    let usual =
        [("stages", "5"), ("background", "400"), ("haar-features", "600"), ("stage-trees", "20"), ("mirror", "off")];
    usual.iter().chain(changes).fold(TrainSettings::new().unwrap(), |s, (name, value)| s.with(name, value).unwrap())
}

fn boosting() -> Settings {
    Settings::new("adaboost").unwrap().with("depth", 1).unwrap()
}

#[derive(Default)]
struct Keep(Vec<Cascade>);

impl TrainObserver for Keep {
    fn stage(&mut self, _: &StageReport, so_far: &Cascade) -> Result<()> {
        self.0.push(so_far.clone());
        Ok(())
    }
}

fn learn(
    settings: &TrainSettings,
    boosting: &Settings,
    from: Option<Cascade>,
    threads: usize,
    keep: &mut Keep,
) -> TrainedDetector {
    let folder = tempfile::tempdir().unwrap();
    let scenes = scenes(folder.path(), 12);
    let context = Context::new(5, threads).unwrap();
    train(&objects(240), &scenes, WINDOW, settings, boosting, from, &context, keep).unwrap()
}

/// Share of objects found in new images at one false box an image.
fn judge(cascade: &Cascade) -> f64 {
    let mut random = stream(3, "test");
    let context = Context::new(0, 1).unwrap();
    let pairs: Vec<_> = (0..12)
        .map(|i| {
            let mut values = ground(120, 90, &mut random);
            let (left, top) = (10 + 3 * i, 8 + 2 * i);
            ring(&mut values, 120, (left, top), 30);
            let options = DetectOptions { min_neighbors: 1, ..DetectOptions::default() };
            let found = cascade.detect(&gray(120, 90, &values), &options, &context).unwrap();
            (found, vec![Truth::Box(Rect::new(left as i32, top as i32, 30, 30))])
        })
        .collect();
    let evaluation = Evaluation::new(&pairs, 0.4);
    evaluation.at_most(12).map_or(0.0, |point| evaluation.rate(&point))
}

#[test]
fn an_attentional_cascade_finds_new_objects_and_resumes_to_the_same_bytes() {
    let mut keep = Keep::default();
    let trained = learn(&settings(&[]), &boosting(), None, 1, &mut keep);
    assert!(trained.stages.iter().all(|stage| stage.detection >= 0.995 && stage.searched > 0));
    let found = judge(&trained.cascade);
    assert!(found >= 0.7, "{found} found");
    let other = learn(&settings(&[]), &boosting(), None, 7, &mut Keep::default());
    assert_eq!(other.cascade.to_bytes(), trained.cascade.to_bytes());
    let resumed = learn(&settings(&[]), &boosting(), Some(keep.0[0].clone()), 2, &mut Keep::default());
    assert_eq!(resumed.cascade.to_bytes(), trained.cascade.to_bytes());
    // What is said of the file is true of the XML.
    assert_eq!(Cascade::from_xml(&trained.cascade.to_xml().unwrap()).unwrap(), trained.cascade);
}

#[test]
fn soft_cascades_find_new_objects() {
    for form in ["soft", "constant"] {
        let mut keep = Keep::default();
        let settings = settings(&[("cascade", form), ("stages", "3"), ("detection", "0.99")]);
        let trained = learn(&settings, &boosting(), None, 2, &mut keep);
        assert!(trained.cascade.carries);
        let found = judge(&trained.cascade);
        assert!(found >= 0.7, "{form}: {found} found");
        assert!(trained.cascade.to_xml().unwrap_err().to_string().contains("soft"));
        let resumed = learn(&settings, &boosting(), Some(keep.0[0].clone()), 1, &mut Keep::default());
        assert_eq!(resumed.cascade.to_bytes(), trained.cascade.to_bytes());
        assert_eq!(Cascade::from_bytes(&trained.cascade.to_bytes()).unwrap(), trained.cascade);
    }
}

#[test]
fn other_boosters_and_tilted_features_train_too() {
    for (algorithm, changes) in [("rebel", &[("kinds", "all")][..]), ("softmax-trees", &[("kinds", "core")])] {
        let boosting = Settings::new(algorithm).unwrap();
        let settings = settings(&[changes, &[("stages", "4")]].concat());
        let trained = learn(&settings, &boosting, None, 2, &mut Keep::default());
        let found = judge(&trained.cascade);
        assert!(found >= 0.7, "{algorithm}: {found} found");
    }
}

#[test]
fn too_little_to_learn_from_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let flat = gray(60, 60, &[90.0; 3600]);
    std::fs::write(folder.path().join("flat.png"), draw_boxes(&flat, &[]).unwrap()).unwrap();
    let flat = ImageFile::list(folder.path()).unwrap();
    let context = Context::new(0, 1).unwrap();
    let run = |objects: &[Gray], window| {
        let result = train(objects, &flat, window, &settings(&[]), &boosting(), None, &context, &mut ());
        result.err().unwrap().to_string()
    };
    assert!(run(&objects(40), WINDOW).contains("contrast"));
    assert!(run(&objects(4), WINDOW).contains("too few"));
    let whole = Settings::new("random-pairs").unwrap();
    let refused = train(&objects(40), &flat, WINDOW, &settings(&[]), &whole, None, &context, &mut ());
    assert!(refused.err().unwrap().to_string().contains("random-pairs"));
}
