//! The engine of all boosters that add one tree of regions a round: a rule says what the tree is fitted to and what its
//! leaves answer; growing, drawing of rows and features and the learning rate are here.

use crate::booster::draw::Draw;
use crate::booster::{Booster, NextTerm, Problem};
use crate::context::Context;
use crate::data::Dataset;
use crate::error::Result;
use crate::learner::Work;
use crate::learner::regression::{CRITERION, Criterion, Grown, RegionGrower, Targets};
use crate::learner::tree::{PRUNING, Pruning};
use crate::model::{Term, WeakModel};

/// What makes one such booster different from another.
pub(crate) trait RegionRule {
    /// Scores before the first term.
    fn start(&self) -> Vec<f64>;
    /// Name of its link.
    fn link(&self) -> &'static str;
    /// Weighs the rows at these scores and returns the loss. `trees` is the number of trees so far.
    fn weigh(&mut self, scores: &[f64], trees: usize, context: &Context) -> f64;
    /// What the next tree is fitted to.
    fn targets(&self) -> Targets<'_>;
    /// Output vectors of the leaves, `[leaf][class]`, before the learning rate, and how far the tree is from guessing;
    /// `None` if the tree does not help.
    fn leaves(&mut self, grown: &Grown, scores: &[f64], context: &Context) -> Option<(Vec<f64>, f64)>;
    /// Whether a round of the paper is several trees, all fitted at the same scores.
    fn takes_turns(&self) -> bool {
        false
    }
    /// Why it ended, if there is something to say.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A booster with this rule.
pub(crate) struct RegionBooster<'a, R> {
    rule: R,
    data: &'a Dataset,
    context: &'a Context,
    grower: RegionGrower<'a>,
    features: usize,
    depth: Option<usize>,
    draw: Draw,
    rate: f64,
    trees: usize,
}

/// Leaves of each tree: two for a stump.
pub(crate) fn leaves(problem: &Problem<'_>) -> Result<usize> {
    Ok(if problem.settings.learner() == "stump" { 2 } else { problem.settings.integer("leaves")? })
}

impl<'a, R: RegionRule> RegionBooster<'a, R> {
    /// Checks settings.
    pub fn new(problem: &Problem<'a>, rule: R) -> Result<Self> {
        let Problem { data, bins, settings, context, .. } = problem;
        let pruning = settings.word(PRUNING.name).map(Pruning::named).unwrap_or_default();
        let criterion = settings.word(CRITERION.name).map(Criterion::named).unwrap_or_default();
        Ok(RegionBooster {
            rule,
            data,
            context,
            grower: RegionGrower::new(bins, leaves(problem)?).by(criterion).pruned(pruning),
            features: bins.columns.len(),
            depth: None,
            draw: Draw::new(settings)?,
            rate: settings.real("learning-rate")?,
            trees: 0,
        })
    }
}

impl<R: RegionRule> Booster for RegionBooster<'_, R> {
    fn start(&mut self) -> Vec<f64> {
        self.rule.start()
    }

    fn weigh(&mut self, scores: &[f64]) -> f64 {
        // Weights are relative: a loss beyond all numbers is still a loss.
        self.rule.weigh(scores, self.trees, self.context).min(f64::MAX)
    }

    /// Never: margins go on growing.
    fn enough(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn work(&self) -> Option<Work> {
        self.grower.work()
    }

    fn link(&self) -> &'static str {
        self.rule.link()
    }

    fn notes(&self) -> Vec<String> {
        self.rule.notes()
    }

    fn skip(&mut self, rounds: usize) {
        // Who follows the terms counts them.
        self.trees = if self.rule.takes_turns() { 0 } else { rounds };
    }

    fn follows(&self) -> bool {
        self.rule.takes_turns()
    }

    fn added(&mut self, _term: &Term, _response: &[f64]) {
        self.trees += 1;
    }

    fn next(&mut self, scores: &[f64]) -> Result<Option<NextTerm>> {
        let weights = match self.rule.targets() {
            Targets::Classes { weights, .. } | Targets::Vectors { weights, .. } => weights,
            Targets::Gradients { curvatures, .. } => curvatures,
        };
        let drawn = self.draw.draw(self.trees, weights, self.features, self.context);
        let (depth, features) = (self.depth, &self.data.features);
        let grown = drawn.grow(&mut self.grower, self.rule.targets(), depth, features, self.context);
        let Some((mut output, edge)) = self.rule.leaves(&grown, scores, self.context) else { return Ok(None) };
        // Where several trees make a round, one may have nothing to add while others do.
        if output.iter().all(|a| *a == 0.0) && !self.rule.takes_turns() {
            return Ok(None);
        }
        output.iter_mut().for_each(|a| *a *= self.rate);
        let response = grown.responses();
        Ok(Some(NextTerm { term: Term { learner: WeakModel::Regions(grown.tree), output }, response, edge }))
    }
}

/// Sums of the rows' vectors in each leaf, `[leaf][output]`, in the order of rows.
pub(crate) fn sums(grown: &Grown, values: &[f64], outputs: usize) -> Vec<f64> {
    let mut sums = vec![0.0; grown.leaves * outputs];
    for (leaf, values) in grown.leaf_of.iter().zip(values.chunks_exact(outputs)) {
        sums[*leaf as usize * outputs..].iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    sums
}
