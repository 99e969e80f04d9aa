//! Patches and Haar features for the commands about images: what they share.

use crate::Bench;
use rand::prelude::*;
use rebelboost::booster::{Observer, Partial, RoundInfo, train};
use rebelboost::context::Context;
use rebelboost::settings::Settings;
use rebelboost::{Error, Result};
use rebelboost_vision::cascade::Tree;
use rebelboost_vision::haar::{HaarFeature, Kinds, enumerate};
use rebelboost_vision::source::ImageFile;
use rebelboost_vision::train::{Columns, Patches};
use rebelboost_vision::{Gray, Size};
use std::time::Instant;

/// All images of a file of the folder `faces`.
pub fn images(bench: &Bench, name: &str) -> Result<Vec<Gray>> {
    files(bench, name)?.iter().map(ImageFile::read).collect()
}

/// The same, not yet read. What is not there is an error: nothing can be measured without it.
pub fn files(bench: &Bench, name: &str) -> Result<Vec<ImageFile>> {
    let path = bench.data.join("faces").join(name);
    if !path.exists() {
        return Err(Error::data("the face data are not there").in_file(path.display().to_string()));
    }
    ImageFile::list(&path)
}

/// All features of these kinds, or so many drawn at random.
pub fn features(window: Size, kinds: Kinds, count: Option<usize>, context: &Context) -> Vec<HaarFeature> {
    let mut pool = enumerate(window, kinds);
    if let Some(count) = count {
        pool.shuffle(&mut context.stream("bench/haar"));
        pool.truncate(count);
    }
    pool
}

/// AdaBoost of stumps, as trees with features of their own.
pub struct Chain {
    /// In the order they were found, each asking about one of `features`.
    pub trees: Vec<Tree>,
    /// What they ask about.
    pub features: Vec<HaarFeature>,
    /// Seconds for the columns, and for boosting.
    pub seconds: [f64; 2],
    /// Weights added up, as a share of what a full search of every round adds, where that is counted.
    pub added: Option<f64>,
}

/// Remembers what was added up.
struct Count(Option<f64>);

impl Observer for Count {
    fn round(&mut self, info: &RoundInfo, _: &Partial<'_>) -> Result<()> {
        self.0 = info.work.as_ref().map(|work| work.added as f64 / work.all as f64);
        Ok(())
    }
}

/// Discrete AdaBoost of stumps, half the weight to each class; the caller's parameters (`--set`) are the booster's.
pub fn boost(pool: &[HaarFeature], faces: &Patches, others: &Patches, rounds: usize, bench: &Bench) -> Result<Chain> {
    let started = Instant::now();
    let weights = |n: usize| vec![0.5 / n as f64; n];
    let weights = [weights(faces.len()), weights(others.len())].concat();
    let columns = Columns::new(pool, faces, others, weights, &bench.context);
    let made = started.elapsed().as_secs_f64();
    let mut settings =
        Settings::new("adaboost")?.with("depth", 1)?.with("rounds", rounds)?.with("min-rounds", rounds)?;
    bench.choice.parameters.iter().try_for_each(|(name, value)| settings.set(name, value))?;
    let mut count = Count(None);
    let model = train(&columns.data, None, &settings, &bench.context, &mut count)?.model;
    let boosted = started.elapsed().as_secs_f64() - made;
    let mut chain = Chain { trees: Vec::new(), features: Vec::new(), seconds: [made, boosted], added: count.0 };
    for term in &model.chain.terms {
        let mut used = Vec::new();
        chain.trees.push(columns.tree(term, chain.features.len(), &mut used)?);
        chain.features.extend(used.iter().map(|&i| pool[i].clone()));
    }
    Ok(chain)
}

impl Chain {
    /// The sums of patches after each tree.
    pub fn sums(&self, patches: &Patches, context: &Context) -> Vec<Vec<f64>> {
        let mut sums = vec![0.0; patches.len()];
        let after = |tree: &Tree| {
            patches.add(tree, &self.features, &mut sums, context);
            sums.clone()
        };
        self.trees.iter().map(after).collect()
    }
}

/// Which machine: times mean nothing without it.
pub fn machine(context: &Context) -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("unknown processor", |m| m.trim_start_matches([' ', '\t', ':']));
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown");
    let built = if cfg!(debug_assertions) { "dev profile, opt-level 2" } else { "release profile" };
    format!("{} threads on {model}, load {load} at the end of the run; {built}.", context.threads())
}
