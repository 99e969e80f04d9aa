//! How many learners does a soft cascade ask, at the detection rate of the whole chain? One chain of 200 Haar stumps on
//! the CBCL patches; thresholds from every other test face, counted on the other test patches and on windows of CMU+MIT.
//! Faces held out of CBCL's training part would not do: its test part is so different that next to none would pass.

use crate::Bench;
use crate::patches::{Chain, boost, features, images, machine};
use crate::report::{Report, table};
use rebelboost::Result;
use rebelboost_vision::cascade::{Features, Stage};
use rebelboost_vision::haar::Kinds;
use rebelboost_vision::train::{Form, Patches, mine, soft};
use rebelboost_vision::{Calibration, Cascade, Gray, Size};

const WINDOW: Size = Size::new(19, 19);
const ROUNDS: usize = 200;
const FEATURES: usize = 5000;
const WINDOWS: usize = 20_000;
const RATES: [f64; 3] = [0.8, 0.9, 0.95];

/// Trains the chain and counts.
pub fn run(bench: &Bench) -> Result<Report> {
    let context = &bench.context;
    let patches = |images: &[Gray]| Patches::new(WINDOW, images, false);
    let read = |name: &str| Ok::<_, rebelboost::Error>(patches(&images(bench, name)?));
    let (learned, others) = (read("cbcl19_train_faces.npy")?, read("cbcl19_train_nonfaces.npy")?);
    let (held, rest): (Vec<_>, Vec<_>) =
        images(bench, "cbcl19_test_faces.npy")?.into_iter().enumerate().partition(|(i, _)| i % 2 == 0);
    let [held, faces] = [held, rest].map(|part| patches(&part.into_iter().map(|(_, face)| face).collect::<Vec<_>>()));
    let tests = [faces, read("cbcl19_test_nonfaces.npy")?];
    let pool = features(WINDOW, Kinds::Basic, Some(FEATURES), context);
    let chain = boost(&pool, &learned, &others, ROUNDS, bench)?;
    let scenes = crate::patches::files(bench, "cmu_mit_frontal_test.zip")?;
    let windows = mine(&cascade(&chain, &[]), &scenes, WINDOWS, u64::MAX, 0, context)?.patches;
    let windows = Patches::new(WINDOW, &windows, false);
    let after = chain.sums(&held, context);
    let ends = tests.each_ref().map(|patches| chain.sums(patches, context).pop().unwrap_or_default());
    let mut rows = Vec::new();
    for (name, form) in [("Bourdev-Brandt", Form::Soft), ("constant", Form::Constant)] {
        for rate in RATES {
            let cascade = cascade(&chain, &soft::thresholds(form, &after, rate));
            let [found, wrong] = tests.each_ref().map(|patches| count(&cascade, patches, bench));
            let scene = count(&cascade, &windows, bench);
            // The whole chain with the threshold at which it finds as many of the test faces.
            let mut sorted = ends[0].clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let hits = (found.passes * sorted.len() as f64).round() as usize;
            let threshold = sorted.get(hits.saturating_sub(1)).copied().unwrap_or(f64::INFINITY);
            let whole = ends[1].iter().filter(|sum| **sum >= threshold).count() as f64 / ends[1].len() as f64;
            rows.push(vec![
                format!("{name}, {rate}"),
                format!("{:.3}", found.passes),
                format!("{:.4}", wrong.passes),
                format!("{whole:.4}"),
                format!("{:.1}", found.asked),
                format!("{:.1}", wrong.asked),
                format!("{:.1}", scene.asked),
                format!("{:.1} x", ROUNDS as f64 / scene.asked),
            ]);
        }
    }
    let header = [
        "thresholds, rate on half of the faces",
        "test faces found",
        "non-faces that pass",
        "whole chain, same rate",
        "asked: faces",
        "non-faces",
        "CMU+MIT windows",
        "fewer",
    ];
    let text = format!(
        "{ROUNDS} stumps on {FEATURES} Haar features, {} faces and {} others; thresholds from {} faces of the test part. Counted on its other {} faces and {} others, and on \
         {} random windows of the CMU+MIT images.\n\n{}\n{}\n",
        learned.len(),
        others.len(),
        held.len(),
        tests[0].len(),
        tests[1].len(),
        windows.len(),
        table(&header, &rows),
        machine(context)
    );
    Ok(Report { text, svg: None })
}

/// The chain with a threshold after each tree; without thresholds, no tree at all.
fn cascade(chain: &Chain, thresholds: &[f32]) -> Cascade {
    let stage = |(threshold, tree): (&f32, &_)| Stage { threshold: *threshold, trees: vec![Clone::clone(tree)] };
    Cascade {
        window: WINDOW,
        features: Features::Haar(chain.features.clone()),
        stages: thresholds.iter().zip(&chain.trees).map(stage).collect(),
        carries: true,
        calibration: Calibration::default(),
    }
}

struct Count {
    /// Mean number of trees asked.
    asked: f64,
    /// Share that passes.
    passes: f64,
}

fn count(cascade: &Cascade, patches: &Patches, bench: &Bench) -> Count {
    let each = patches.asked(cascade, &bench.context);
    let mean = |of: &dyn Fn(&(usize, bool)) -> f64| each.iter().map(of).sum::<f64>() / each.len().max(1) as f64;
    Count { asked: mean(&|(asked, _)| *asked as f64), passes: mean(&|(_, passes)| f64::from(*passes)) }
}
