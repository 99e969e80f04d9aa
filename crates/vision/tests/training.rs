//! Training on synthetic objects: a bright ring with a dark middle on uneven ground.

use rand::prelude::*;
use rebelboost::Result;
use rebelboost::context::{Context, stream};
use rebelboost::settings::{Kind, Settings};
use rebelboost_vision::evaluate::{Evaluation, Truth};
use rebelboost_vision::image::draw_boxes;
use rebelboost_vision::source::ImageFile;
use rebelboost_vision::train::{StageReport, TrainObserver, TrainSettings, TrainedDetector, train};
use rebelboost_vision::{Calibration, Cascade, DetectOptions, Gray, Rect, Size};
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

fn objects(count: usize, seed: u64) -> Vec<Gray> {
    pictures(count, 0, seed)
}

/// Objects, and so many pixels around them.
fn pictures(count: usize, around: usize, seed: u64) -> Vec<Gray> {
    let mut random = stream(seed, "objects");
    let width = 20 + 2 * around;
    (0..count)
        .map(|_| {
            let mut values = ground(width, width, &mut random);
            let side = random.random_range(14..=19);
            let (left, top) = (random.random_range(0..=20 - side), random.random_range(0..=20 - side));
            ring(&mut values, width, (around + left, around + top), side);
            gray(width, width, &values)
        })
        .collect()
}

fn scenes(folder: &Path, count: usize, seed: u64) -> Vec<ImageFile> {
    let mut random = stream(seed, "scenes");
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
    (threads, seed): (usize, u64),
    keep: &mut Keep,
) -> TrainedDetector {
    let folder = tempfile::tempdir().unwrap();
    let scenes = scenes(folder.path(), 30, seed);
    let context = Context::new(seed, threads).unwrap();
    train(&objects(300, seed), &scenes, WINDOW, settings, boosting, from, &context, keep).unwrap()
}

/// New images with an object each, of any size and at any place.
fn evaluate(cascade: &Cascade, images: usize, seed: u64) -> Evaluation {
    let mut random = stream(seed, "test");
    let context = Context::new(0, 1).unwrap();
    let pairs: Vec<_> = (0..images)
        .map(|_| {
            let mut values = ground(120, 90, &mut random);
            let side = random.random_range(18..=60);
            let (left, top) = (random.random_range(0..120 - side), random.random_range(0..90 - side));
            ring(&mut values, 120, (left, top), side);
            let options = DetectOptions { min_neighbors: 1, ..DetectOptions::default() };
            let found = cascade.detect(&gray(120, 90, &values), &options, &context).unwrap();
            (found, vec![Truth::Box(Rect::new(left as i32, top as i32, side as i32, side as i32))])
        })
        .collect();
    Evaluation::new(&pairs, 0.4)
}

/// Share of objects found in new images at one false box an image.
fn judge(cascade: &Cascade, seed: u64) -> f64 {
    let evaluation = evaluate(cascade, 30, seed);
    evaluation.at_most(evaluation.images).map_or(0.0, |point| evaluation.rate(&point))
}

#[test]
fn an_attentional_cascade_finds_new_objects_and_resumes_to_the_same_bytes() {
    for seed in [5, 6] {
        let mut keep = Keep::default();
        let trained = learn(&settings(&[]), &boosting(), None, (1, seed), &mut keep);
        assert!(trained.stages.iter().all(|stage| stage.detection >= 0.995 && stage.searched > 0));
        let found = judge(&trained.cascade, seed);
        assert!(found >= 0.9, "{found} found with seed {seed}");
        let other = learn(&settings(&[]), &boosting(), None, (7, seed), &mut Keep::default());
        assert_eq!(other.cascade.to_bytes(), trained.cascade.to_bytes());
        // From a checkpoint, and from a complete detector as if it were one.
        for (stages, from) in [("5", keep.0[0].clone()), ("5", trained.cascade.clone())] {
            let settings = settings(&[("stages", stages)]);
            let resumed = learn(&settings, &boosting(), Some(from), (2, seed), &mut Keep::default());
            assert_eq!(resumed.cascade.to_bytes(), trained.cascade.to_bytes());
        }
        // What is said of the file is true of the XML, but for the calibration, which it cannot hold.
        let uncalibrated = Cascade { calibration: Calibration::default(), ..trained.cascade.clone() };
        assert_eq!(Cascade::from_xml(&trained.cascade.to_xml().unwrap()).unwrap(), uncalibrated);
    }
}

/// Few objects with their surroundings, seen in many ways: the boxes are those of the objects, not of the pictures.
#[test]
fn varied_objects_are_found_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let scenes = scenes(folder.path(), 30, 5);
    let settings = settings(&[("variants", "4"), ("margin", "0.25"), ("mirror", "on")]);
    let learn = |from: Option<Cascade>, threads: usize, keep: &mut Keep| {
        let context = Context::new(5, threads).unwrap();
        let pictures = pictures(60, 10, 5);
        train(&pictures, &scenes, WINDOW, &settings, &boosting(), from, &context, keep).unwrap().cascade
    };
    let mut keep = Keep::default();
    let cascade = learn(None, 1, &mut keep);
    let found = judge(&cascade, 5);
    assert!(found >= 0.8, "{found} found");
    let resumed = learn(Some(keep.0[1].clone()), 3, &mut Keep::default());
    assert_eq!(resumed.to_bytes(), cascade.to_bytes());
}

#[test]
fn soft_cascades_find_new_objects() {
    for (form, seed) in [("soft", 5), ("soft", 6), ("constant", 5), ("constant", 6)] {
        let mut keep = Keep::default();
        let settings = settings(&[("cascade", form), ("detection", "0.99")]);
        let trained = learn(&settings, &boosting(), None, (2, seed), &mut keep);
        assert!(trained.cascade.carries);
        let found = judge(&trained.cascade, seed);
        assert!(found >= 0.9, "{form}: {found} found with seed {seed}");
        assert!(trained.cascade.to_xml().unwrap_err().to_string().contains("soft"));
        let resumed = learn(&settings, &boosting(), Some(keep.0[0].clone()), (1, seed), &mut Keep::default());
        assert_eq!(resumed.cascade.to_bytes(), trained.cascade.to_bytes());
        assert_eq!(Cascade::from_bytes(&trained.cascade.to_bytes()).unwrap(), trained.cascade);
    }
}

#[test]
fn scores_are_shares_of_boxes_that_are_objects() {
    // Not very good, so that there is something to doubt.
    let settings = settings(&[("stages", "3")]);
    let trained = learn(&settings, &boosting(), None, (2, 5), &mut Keep::default());
    assert!(trained.cascade.calibration.is_fitted(), "{:?}", trained.notes);
    let fitted = evaluate(&trained.cascade, 100, 7);
    let link = Cascade { calibration: Calibration::default(), ..trained.cascade.clone() };
    let link = evaluate(&link, 100, 7);
    let share = |e: &Evaluation| e.points.last().unwrap().hits as f64 / e.boxes() as f64;
    let off = |e: &Evaluation| (e.mean_score() - share(e)).abs();
    assert!(fitted.false_positives() > 50, "{fitted:?}");
    assert!(off(&fitted) < 0.12, "mean score {}, true {}", fitted.mean_score(), share(&fitted));
    assert!(off(&fitted) < 0.3 * off(&link), "{} against {} of the link", off(&fitted), off(&link));
}

/// Pruning (QuickBoost) is a promise of the same classifier for less work: so of the same detector.
#[test]
fn pruned_training_gives_the_same_detector() {
    let parameters = ["adaboost", "rebel"].map(|name| (name, Settings::new(name).unwrap()));
    for (name, usual) in parameters {
        let declared = usual.algorithm().parameters().find(|parameter| parameter.name == "pruning");
        let Some(Kind::Choice(choices)) = declared.map(|parameter| &parameter.kind) else {
            println!("skipped: {name} has no setting 'pruning' with choices");
            continue;
        };
        let settings = settings(&[("stages", "3")]);
        let detector = |choice: &str| {
            let boosting = usual.clone().with("pruning", choice).unwrap();
            learn(&settings, &boosting, None, (2, 5), &mut Keep::default()).cascade.to_bytes()
        };
        let all: Vec<Vec<u8>> = choices.iter().map(|choice| detector(choice)).collect();
        for (choice, bytes) in choices.iter().zip(&all) {
            assert!(bytes == &all[0], "{name}: pruning {choice} is not {}", choices[0]);
        }
    }
}

#[test]
fn other_boosters_and_tilted_features_train_too() {
    for (algorithm, changes) in [("rebel", &[("kinds", "all")][..]), ("softmax-trees", &[("kinds", "core")])] {
        let boosting = Settings::new(algorithm).unwrap();
        let settings = settings(&[changes, &[("stages", "4")]].concat());
        let trained = learn(&settings, &boosting, None, (2, 5), &mut Keep::default());
        let found = judge(&trained.cascade, 5);
        assert!(found >= 0.9, "{algorithm}: {found} found");
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
    assert!(run(&objects(40, 1), WINDOW).contains("contrast"));
    assert!(run(&objects(4, 1), WINDOW).contains("too few"));
    let whole = Settings::new("random-pairs").unwrap();
    let refused = train(&objects(40, 1), &flat, WINDOW, &settings(&[]), &whole, None, &context, &mut ());
    assert!(refused.err().unwrap().to_string().contains("random-pairs"));
}
