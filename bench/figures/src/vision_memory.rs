//! Training on every Haar feature of a 24 x 24 window (162,336) and more than 10,000 patches: how much memory? Run it alone:
//! the peak is of the whole process.

use crate::Bench;
use crate::patches::{boost, features, files, images, machine};
use crate::report::{Report, table};
use rebelboost::Result;
use rebelboost_vision::cascade::Features;
use rebelboost_vision::haar::Kinds;
use rebelboost_vision::train::{Patches, mine};
use rebelboost_vision::{Calibration, Cascade, Size};

const WINDOW: Size = Size::new(24, 24);
const BACKGROUND: usize = 5000;
const ROUNDS: usize = 10;

/// Trains and asks the system for the peak.
pub fn run(bench: &Bench) -> Result<Report> {
    let context = &bench.context;
    let faces: Vec<_> = images(bench, "caltech_web_faces36.npy")?.iter().map(|face| face.resized(WINDOW)).collect();
    let faces = Patches::new(WINDOW, &faces, false);
    let nothing = Cascade {
        window: WINDOW,
        features: Features::Haar(Vec::new()),
        stages: Vec::new(),
        carries: false,
        calibration: Calibration::default(),
    };
    let scenes = files(bench, "nonface_scenes.zip")?;
    let others = mine(&nothing, &scenes, BACKGROUND, u64::MAX, 0, context)?.patches;
    let others = Patches::new(WINDOW, &others, false);
    let pool = features(WINDOW, Kinds::Basic, None, context);
    let before = peak();
    let chain = boost(&pool, &faces, &others, ROUNDS, bench)?;
    let patches = faces.len() + others.len();
    let cells = pool.len() * patches;
    let gib = |bytes: f64| format!("{:.2} GiB", bytes / f64::from(1 << 30));
    let rows = vec![
        vec!["as 32-bit floats it would be".into(), gib(4.0 * cells as f64)],
        vec!["one byte a feature and patch".into(), gib(cells as f64)],
        vec!["peak before (images, integral images, features)".into(), gib(before)],
        vec!["peak of the process".into(), gib(peak())],
        vec!["seconds: columns".into(), format!("{:.0}", chain.seconds[0])],
        vec![format!("seconds: {ROUNDS} rounds of stumps"), format!("{:.0}", chain.seconds[1])],
    ];
    let text = format!(
        "{} features, {patches} patches of {WINDOW}.\n\n{}\n{}\n",
        pool.len(),
        table(&["what", "figure"], &rows),
        machine(context)
    );
    Ok(Report { text, svg: None })
}

/// The most memory that this process has had, in bytes (Linux; 0 elsewhere).
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) * 1024.0
}
