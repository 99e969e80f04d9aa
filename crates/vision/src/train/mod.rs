//! Training a detector from patches of objects and scenes without any.
//!
//! The attentional cascade of Viola and Jones (2001, table 2): each stage learns to tell the objects from the background
//! that all stages before it let pass, mined from the scenes. The soft cascade is one chain, boosted on in blocks, with
//! new background between blocks and a threshold after each tree ([`soft`]). Boosting itself is the core's: any
//! two-class algorithm with trees.
//!
//! A checkpoint is the cascade so far. Everything else follows from it, the data, the settings and the seed.

mod calibrate;
mod columns;
mod mine;
mod patches;
mod settings;
pub mod soft;
mod split;
mod stage;
mod vary;

pub use columns::Columns;
pub use mine::{Mined, mine};
pub use patches::Patches;
pub use settings::{Form, PARAMETERS, TrainSettings};

use crate::calibration::Calibration;
use crate::cascade::{Cascade, Features, Stage};
use crate::geometry::Size;
use crate::haar::{HaarFeature, enumerate};
use crate::image::Gray;
use crate::source::ImageFile;
use rebelboost::context::Context;
use rebelboost::error::{Error, Result};
use rebelboost::settings::Settings;
use serde::Serialize;
use split::{split, split_objects};
use stage::{Before, Part};

/// The algorithm to boost with unless another is named.
pub const ALGORITHM: &str = "adaboost";
/// Fewer background windows than this teach nothing.
const LEAST_BACKGROUND: usize = 20;

/// What happened in a stage.
#[derive(Clone, Debug, Serialize)]
pub struct StageReport {
    /// Number, from 1.
    pub stage: usize,
    /// Its trees.
    pub trees: usize,
    /// Share of the objects held out that pass it.
    pub detection: f64,
    /// Share of its background held out that passes it.
    pub false_alarms: f64,
    /// Background windows it learned from or was judged by.
    pub background: usize,
    /// Windows searched for them.
    pub searched: u64,
}

/// Why training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// All stages were used.
    Stages,
    /// The scenes hold next to nothing more that the cascade takes for an object.
    NoBackground,
    /// No tree improves the last stage.
    NoTree,
    /// It was interrupted, or the time was up; stages that were complete are kept.
    Interrupted,
}

impl Ended {
    /// In plain words.
    pub fn words(self) -> &'static str {
        match self {
            Ended::Stages => "all stages were used",
            Ended::NoBackground => "the scenes hold next to nothing more that it takes for an object",
            Ended::NoTree => "no tree improves the last stage",
            Ended::Interrupted => "it was interrupted; complete stages are kept",
        }
    }
}

/// Watches training. Watching never changes the result.
pub trait TrainObserver {
    /// A tree was added to this stage, which now lets this share of the background pass.
    fn tree(&mut self, _stage: usize, _trees: usize, _false_alarms: f64) {}
    /// A stage is complete: a moment for a checkpoint.
    fn stage(&mut self, _report: &StageReport, _so_far: &Cascade) -> Result<()> {
        Ok(())
    }
}

/// Watches nothing.
impl TrainObserver for () {}

/// A detector and how it came about.
pub struct TrainedDetector {
    /// The detector.
    pub cascade: Cascade,
    /// The stages trained in this run.
    pub stages: Vec<StageReport>,
    /// Why training ended.
    pub ended: Ended,
    /// Things worth knowing, in plain words.
    pub notes: Vec<String>,
}

/// Trains a detector of objects that look like these patches (resized to the window) against scenes that hold none.
/// `checkpoint` goes on from a cascade that an observer was given, to the same bytes as an uninterrupted run.
pub fn train(
    objects: &[Gray],
    scenes: &[ImageFile],
    window: Size,
    settings: &TrainSettings,
    boosting: &Settings,
    checkpoint: Option<Cascade>,
    context: &Context,
    observer: &mut dyn TrainObserver,
) -> Result<TrainedDetector> {
    let soft = settings.form != Form::Attentional;
    let mut cascade = match checkpoint {
        Some(cascade) => continued(cascade, window, soft)?,
        None => Cascade {
            window,
            features: Features::Haar(Vec::new()),
            stages: Vec::new(),
            carries: soft,
            calibration: Calibration::default(),
        },
    };
    let boosting = &adapted(boosting, settings)?;
    let mut notes = Vec::new();
    let (objects, held_objects) = split_objects(objects, window, settings, context, &mut notes)?;
    let (scenes, held_scenes) = calibrate::split_scenes(scenes, context);
    let pool = enumerate(window, settings.kinds);
    if pool.is_empty() {
        return Err(Error::option(format!("no Haar feature fits a window of {window}")));
    }
    let mut reports = Vec::new();
    let ended = loop {
        let number = if soft { cascade.stages.len() / settings.stage_trees } else { cascade.stages.len() };
        if number >= settings.stages {
            break Ended::Stages;
        }
        if context.asked_to_stop().is_some() {
            break Ended::Interrupted;
        }
        let round = cascade.stages.len();
        let mined = mine(&cascade, &scenes, settings.background, settings.search, round, context)?;
        let (found, searched) = (mined.patches.len(), mined.searched);
        if context.asked_to_stop().is_some() {
            break Ended::Interrupted;
        }
        if found < LEAST_BACKGROUND.max(settings.background / 50) {
            notes.push(format!(
                "stage {}: only {found} of {searched} windows searched still pass, too few to learn from",
                number + 1
            ));
            if cascade.stages.is_empty() {
                return Err(Error::data("the scenes hold too few windows of some contrast")
                    .hint("give larger or more images without objects"));
            }
            break Ended::NoBackground;
        }
        let tilted = pool.iter().any(|feature| feature.tilted);
        let background = split(mined.patches, window, settings.validation, tilted);
        let before = before(&cascade, &objects, &background, context);
        let chosen = choose(&pool, settings.haar_features, round, context);
        let trained = stage::train(
            &chosen,
            (&objects, &background),
            before,
            cascade.feature_count(),
            soft,
            settings,
            boosting,
            context,
            &mut |trees, share| observer.tree(number + 1, trees, share),
        )?;
        if trained.interrupted {
            break Ended::Interrupted;
        }
        if trained.trees.is_empty() {
            break Ended::NoTree;
        }
        let report = StageReport {
            stage: number + 1,
            trees: trained.trees.len(),
            detection: trained.detection,
            false_alarms: trained.false_alarms,
            background: found,
            searched,
        };
        let short = soft && trained.trees.len() < settings.stage_trees;
        append(&mut cascade, trained, &objects, settings, context);
        observer.stage(&report, &cascade)?;
        reports.push(report);
        if short {
            break Ended::NoTree;
        }
    };
    if cascade.stages.is_empty() {
        return Err(Error::data("training ended before its first stage was complete"));
    }
    cascade.check()?;
    // Also when the time is up: without it scores mean little. Who interrupts does not want to wait.
    if context.cancelled() {
        notes.push("scores are no probabilities: it was interrupted before they were calibrated".into());
    } else if let Some(fitted) = calibrate::calibrate(&cascade, &held_objects, &held_scenes, context)? {
        cascade.calibration = fitted;
    } else {
        notes.push(
            "scores are no probabilities: there are too few scenes, or too few boxes in them, to calibrate by".into(),
        );
    }
    Ok(TrainedDetector { cascade, stages: reports, ended, notes })
}

/// The booster's settings for a stage: as many rounds as a stage has trees, and no stop by the loss.
fn adapted(boosting: &Settings, settings: &TrainSettings) -> Result<Settings> {
    let mut boosting = boosting.clone();
    let stop = [("rounds", settings.stage_trees.to_string()), ("min-rounds", settings.stage_trees.to_string())];
    for (name, value) in stop {
        if !boosting.values().contains_key(name) {
            return Err(Error::option(format!("{} cannot train a detector", boosting.algorithm().name))
                .hint("choose one that adds trees round by round, such as adaboost or rebel"));
        }
        boosting.set(name, &value)?;
    }
    Ok(boosting)
}

fn continued(cascade: Cascade, window: Size, soft: bool) -> Result<Cascade> {
    if cascade.window != window || cascade.carries != soft || !matches!(cascade.features, Features::Haar(_)) {
        return Err(Error::option("the checkpoint is of another kind or has another window")
            .hint("resume with the options it was made with"));
    }
    // That of a complete detector; this one will get its own.
    Ok(Cascade { calibration: Calibration::default(), ..cascade })
}

/// The features of a stage: all, or so many drawn at random, in their order.
fn choose(pool: &[HaarFeature], count: usize, round: usize, context: &Context) -> Vec<HaarFeature> {
    if count == 0 || count >= pool.len() {
        return pool.to_vec();
    }
    let mut random = context.stream(&format!("features-{round}"));
    let mut chosen = rand::seq::index::sample(&mut random, pool.len(), count).into_vec();
    chosen.sort_unstable();
    chosen.into_iter().map(|i| pool[i].clone()).collect()
}

/// The sums the patches bring into the next stage.
fn before(cascade: &Cascade, objects: &Part, background: &Part, context: &Context) -> Before {
    let of = |patches: &Patches| {
        let mut sums = vec![0.0; patches.len()];
        if cascade.carries {
            each_tree(cascade, |tree, features| patches.add(tree, features, &mut sums, context));
        }
        sums
    };
    Before { train: [of(&objects.train), of(&background.train)], held: [of(&objects.held), of(&background.held)] }
}

fn each_tree(cascade: &Cascade, mut visit: impl FnMut(&crate::cascade::Tree, &[HaarFeature])) {
    let Features::Haar(features) = &cascade.features else { return };
    cascade.stages.iter().flat_map(|stage| &stage.trees).for_each(|tree| visit(tree, features));
}

/// Adds a stage, or the trees of a chain with thresholds for all of them anew.
fn append(
    cascade: &mut Cascade,
    trained: stage::Trained,
    objects: &Part,
    settings: &TrainSettings,
    context: &Context,
) {
    if let Features::Haar(features) = &mut cascade.features {
        features.extend(trained.features);
    }
    if settings.form == Form::Attentional {
        cascade.stages.push(Stage { threshold: trained.threshold as f32, trees: trained.trees });
        return;
    }
    cascade.stages.extend(trained.trees.into_iter().map(|tree| Stage { threshold: f32::MIN, trees: vec![tree] }));
    let mut sums = vec![0.0; objects.held.len()];
    let mut after = Vec::with_capacity(cascade.stages.len());
    each_tree(cascade, |tree, features| {
        objects.held.add(tree, features, &mut sums, context);
        after.push(sums.clone());
    });
    let blocks = cascade.stages.len().div_ceil(settings.stage_trees);
    let detection = settings.detection.powi(blocks as i32);
    let thresholds = soft::thresholds(settings.form, &after, detection);
    cascade.stages.iter_mut().zip(thresholds).for_each(|(stage, threshold)| stage.threshold = threshold);
}
