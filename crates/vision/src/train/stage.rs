//! One stage: the core's booster adds trees until the background that still passes is little enough.

use super::columns::Columns;
use super::patches::Patches;
use super::settings::TrainSettings;
use crate::cascade::Tree;
use crate::haar::HaarFeature;
use rebelboost::booster::{self, Observer, Partial, RoundInfo, Stop};
use rebelboost::context::Context;
use rebelboost::error::Result;
use rebelboost::math::exp;
use rebelboost::settings::Settings;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Patches of one class: to learn from, and held out.
pub struct Part {
    /// To learn from.
    pub train: Patches,
    /// Held out.
    pub held: Patches,
}

/// The sums that patches have before the stage: zero, or those of a chain that goes on.
pub struct Before {
    /// Of the objects and the background to learn from.
    pub train: [Vec<f64>; 2],
    /// Of those held out.
    pub held: [Vec<f64>; 2],
}

/// What a stage became.
pub struct Trained {
    /// The trees; their features are numbered from the given one on.
    pub trees: Vec<Tree>,
    /// Their features, in that order.
    pub features: Vec<HaarFeature>,
    /// Lets the wanted share of the objects held out pass.
    pub threshold: f64,
    /// Share of the objects held out that pass.
    pub detection: f64,
    /// Share of the background held out that passes.
    pub false_alarms: f64,
    /// Whether it was ended from outside.
    pub interrupted: bool,
}

/// Trains a stage on these features. With `full`, goes on for all its trees whatever passes.
pub fn train(
    pool: &[HaarFeature],
    (objects, background): (&Part, &Part),
    before: Before,
    first: usize,
    full: bool,
    settings: &TrainSettings,
    boosting: &Settings,
    context: &Context,
    tell: &mut dyn FnMut(usize, f64),
) -> Result<Trained> {
    let columns = Columns::new(pool, &objects.train, &background.train, weights(&before.train), context);
    let enough = Arc::new(AtomicBool::new(false));
    let mut watch = Watch {
        pool,
        columns: &columns,
        held: [&objects.held, &background.held],
        sums: before.held,
        out: Trained {
            trees: Vec::new(),
            features: Vec::new(),
            threshold: f64::from(f32::MIN),
            detection: 1.0,
            false_alarms: 1.0,
            interrupted: false,
        },
        first,
        full,
        settings,
        enough: enough.clone(),
        context,
        tell,
    };
    let stopping = context.clone().with_cancel(enough.clone());
    let trained = booster::train(&columns.data, None, boosting, &stopping, &mut watch)?;
    let mut out = watch.out;
    let stopped = trained.summary.stopped;
    out.interrupted = matches!(stopped, Stop::Interrupted | Stop::TimeLimit) && !enough.load(Ordering::Relaxed);
    Ok(out)
}

/// Half the weight to each class (Viola and Jones 2001, table 1); patches that a chain already gets right count less, as
/// the exponential loss has it.
fn weights([objects, background]: &[Vec<f64>; 2]) -> Vec<f64> {
    let of = |sums: &[f64], sign: f64| {
        // Bounded, so that no weight vanishes.
        let raw: Vec<f64> = sums.iter().map(|sum| exp((-sign * sum).clamp(-20.0, 20.0))).collect();
        let total: f64 = raw.iter().sum();
        raw.into_iter().map(|w| w / total).collect::<Vec<f64>>()
    };
    let mut all = of(objects, 1.0);
    all.extend(of(background, -1.0));
    all
}

/// Follows the patches held out through the rounds.
struct Watch<'a> {
    pool: &'a [HaarFeature],
    columns: &'a Columns,
    held: [&'a Patches; 2],
    sums: [Vec<f64>; 2],
    out: Trained,
    first: usize,
    full: bool,
    settings: &'a TrainSettings,
    enough: Arc<AtomicBool>,
    context: &'a Context,
    tell: &'a mut dyn FnMut(usize, f64),
}

impl Observer for Watch<'_> {
    fn round(&mut self, _: &RoundInfo, partial: &Partial<'_>) -> Result<()> {
        let chain = partial.model().chain;
        let Some(term) = chain.terms.last() else { return Ok(()) };
        let mut used = Vec::new();
        let mut tree = self.columns.tree(term, 0, &mut used)?;
        if self.out.trees.is_empty() {
            // The bias belongs to no tree: the first one carries it.
            let bias = (0.5 * (chain.bias[1] - chain.bias[0])) as f32;
            tree.leaves.iter_mut().for_each(|leaf| *leaf += bias);
        }
        let features: Vec<HaarFeature> = used.iter().map(|&i| self.pool[i].clone()).collect();
        for (patches, sums) in self.held.iter().zip(&mut self.sums) {
            patches.add(&tree, &features, sums, self.context);
        }
        let offset = (self.first + self.out.features.len()) as u32;
        tree.nodes.iter_mut().for_each(|node| node.feature += offset);
        self.out.features.extend(features);
        self.out.trees.push(tree);
        self.judge();
        (self.tell)(self.out.trees.len(), self.out.false_alarms);
        let done = !self.full && self.out.false_alarms <= self.settings.false_alarms;
        self.enough.store(done, Ordering::Relaxed);
        Ok(())
    }
}

impl Watch<'_> {
    /// The highest threshold that keeps the detection rate, and what it does.
    fn judge(&mut self) {
        let [objects, background] = &self.sums;
        let mut sorted = objects.clone();
        sorted.sort_by(f64::total_cmp);
        let lost = ((1.0 - self.settings.detection) * sorted.len() as f64).floor() as usize;
        // Half of OpenCV's forgiveness below the last object kept, and as a number of 32 bits.
        let threshold = sorted.get(lost).map_or(f64::from(f32::MIN), |sum| f64::from((sum - 5e-6) as f32));
        let share =
            |sums: &[f64]| sums.iter().filter(|sum| **sum >= threshold).count() as f64 / sums.len().max(1) as f64;
        self.out.threshold = threshold;
        self.out.detection = share(objects);
        self.out.false_alarms = share(background);
    }
}
