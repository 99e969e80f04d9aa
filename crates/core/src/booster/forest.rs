//! A forest: the mean of deep randomised trees (random forests, Breiman 2001; extremely randomised trees, Geurts, Ernst,
//! Wehenkel 2006), as terms of the one model form.
//!
//! A round adds one tree. Its leaves hold the class shares of their rows divided by the number of trees asked for, so a
//! score is the mean leaf vector: scores sum to one, an explanation is an exact sum, and the link takes scores for what they
//! are. A run that ends early has scores that sum to less; the link scales them.
//!
//! Trees do not depend on each other or on the scores: each follows from the seed and its number, so several are grown
//! ahead, one a thread, and a resumed run grows the ones that are missing. For the same reason out-of-bag scores need
//! no memory: [`out_of_bag`] draws each tree's rows again.

use super::{Booster, NextTerm, Problem};
use crate::context::{Context, stream};
use crate::data::Dataset;
use crate::data::synthetic::random::below;
use crate::error::{Error, Result};
use crate::learner::random_tree::{RandomGrower, RandomTree, Thresholds};
use crate::model::{Link, Model, Scores, Term, WeakModel};
use crate::registry::{Algorithm, BINS, Method, ROUNDS};
use crate::settings::{Kind, Parameter, Value};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "forest",
    summary: "the mean of deep randomised trees",
    paper: "Breiman 2001, Random forests; Geurts, Ernst, Wehenkel 2006, Extremely randomized trees",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree"],
    learner_parameters: &[&[BINS]],
    own_parameters: &[
        Parameter { default: "300", ..ROUNDS },
        Parameter {
            name: "splits",
            kind: Kind::Choice(&["best", "random"]),
            default: "random",
            help: "thresholds of a forest: the best of each feature looked at, or a random one for each",
        },
        Parameter {
            name: "split-features",
            kind: Kind::IntegerOrAuto(1, 10_000_000),
            default: "auto",
            help: "random features that each node of a forest looks at; auto = the square root of their number",
        },
        Parameter {
            name: "min-leaf",
            kind: Kind::Integer(1, 10_000_000),
            default: "1",
            help: "rows of mean weight that each leaf of a forest has at least: more of them smooth out noise",
        },
        Parameter {
            name: "bagging",
            kind: Kind::Switch,
            default: "off",
            help: "grow each tree on as many rows as there are, drawn with replacement; off = on all rows",
        },
    ],
    method: Method::Rounds(|problem| Ok(Box::new(Forest::new(problem)?))),
};

/// The booster.
pub struct Forest<'a> {
    data: &'a Dataset,
    context: &'a Context,
    grower: RandomGrower<'a>,
    bootstrap: bool,
    trees: usize,
    /// Number of the next tree to be grown.
    next: usize,
    ahead: VecDeque<RandomTree>,
}

impl<'a> Forest<'a> {
    /// Checks settings.
    pub fn new(problem: &Problem<'a>) -> Result<Self> {
        let Problem { data, bins, settings, context, .. } = problem;
        if settings.real("learning-rate")? != 1.0 {
            return Err(Error::option("a forest takes no steps, so --learning-rate must be 1"));
        }
        let root = (bins.columns.len() as f64).sqrt() as usize;
        let features = settings.integer_or_auto("split-features")?.unwrap_or(root).max(1);
        let thresholds = if settings.word("splits")? == "best" { Thresholds::Best } else { Thresholds::Random };
        Ok(Forest {
            data,
            context,
            grower: RandomGrower::new(bins, data.class_count(), features, thresholds)
                .with_leaves_of(settings.integer("min-leaf")?),
            bootstrap: settings.switch("bagging")?,
            trees: settings.integer_or_auto("rounds")?.unwrap_or(300),
            next: 0,
            ahead: VecDeque::new(),
        })
    }

    fn grow(&self, tree: usize) -> RandomTree {
        let mut rng = tree_stream(self.context.seed(), tree);
        let drawn = self.bootstrap.then(|| draw(self.data.rows(), &mut rng));
        let weights: Vec<f64> = match drawn {
            Some(drawn) => drawn.iter().zip(&self.data.weights).map(|(n, w)| f64::from(*n) * w).collect(),
            None => self.data.weights.clone(),
        };
        self.grower.grow(&self.data.labels, &weights, &mut rng)
    }
}

fn tree_stream(seed: u64, tree: usize) -> ChaCha8Rng {
    stream(seed, &format!("forest/{tree}"))
}

/// How often each row is drawn in as many draws as there are rows.
fn draw(rows: usize, rng: &mut ChaCha8Rng) -> Vec<u32> {
    let mut times = vec![0; rows];
    (0..rows).for_each(|_| times[below(rows as u64, rng) as usize] += 1);
    times
}

impl Booster for Forest<'_> {
    fn start(&mut self) -> Vec<f64> {
        vec![0.0; self.data.class_count()]
    }

    /// The mean squared distance of the shares so far from the truth (Brier score).
    fn weigh(&mut self, scores: &[f64]) -> f64 {
        const CHUNK: usize = 2048;
        let (data, classes) = (self.data, self.data.class_count());
        let parts = self.context.map(data.rows().div_ceil(CHUNK), scores.len(), |i| {
            let rows = i * CHUNK..data.rows().min((i + 1) * CHUNK);
            rows.map(|row| {
                let scores = &scores[row * classes..][..classes];
                let sum: f64 = scores.iter().sum();
                let scale = if sum > 0.0 { 1.0 / sum } else { 0.0 };
                let squares: f64 = scores.iter().map(|h| (h * scale) * (h * scale)).sum();
                data.weights[row] * (1.0 + squares - 2.0 * scores[data.labels[row] as usize] * scale)
            })
            .sum::<f64>()
        });
        parts.into_iter().sum::<f64>() / data.weights.iter().sum::<f64>()
    }

    /// Never: trees are averaged, not added up.
    fn enough(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn link(&self) -> &'static str {
        Link::FREQUENCIES
    }

    fn skip(&mut self, rounds: usize) {
        self.next = rounds;
    }

    fn fixes_rounds(&self) -> bool {
        true
    }

    fn next(&mut self, _scores: &[f64]) -> Result<Option<NextTerm>> {
        if self.ahead.is_empty() {
            let count = self.context.threads().min(self.trees.saturating_sub(self.next)).max(1);
            let work = count * self.data.rows() * 64;
            self.ahead = self.context.map(count, work, |i| self.grow(self.next + i)).into();
            self.next += count;
        }
        let Some(grown) = self.ahead.pop_front() else { return Ok(None) };
        let classes = self.data.class_count();
        let mut response = vec![f64::NAN; self.data.rows()];
        grown.placed.iter().for_each(|(row, region)| response[*row as usize] = f64::from(*region));
        for (row, out) in response.iter_mut().enumerate().filter(|(_, out)| out.is_nan()) {
            grown.tree.respond(&self.data.features, row, std::slice::from_mut(out));
        }
        let own = |row: usize| grown.shares[response[row] as usize * classes + self.data.labels[row] as usize];
        let edge = (0..response.len()).map(own).sum::<f64>() / response.len() as f64;
        let output = grown.shares.iter().map(|share| share / self.trees as f64).collect();
        Ok(Some(NextTerm { term: Term { learner: WeakModel::Regions(grown.tree), output }, response, edge }))
    }
}

/// Scores of the training rows by the trees that were not grown on them, as means: an honest estimate without a test
/// set. A row that every tree was grown on gets zeros. `data` must be the training rows.
pub fn out_of_bag(model: &Model, data: &Dataset, context: &Context) -> Result<Scores> {
    let made = &model.provenance;
    let bootstrap = made.settings.get("bagging") == Some(&Value::Switch(true));
    if made.algorithm != ALGORITHM.name || !bootstrap {
        return Err(Error::model("only a forest grown with --bagging on has rows out of the bag"));
    }
    if made.settings.contains_key("holdout") || made.data != super::fingerprint(data) {
        return Err(Error::data("these are not the rows the forest was grown on"));
    }
    const CHUNK: usize = 512;
    let (rows, classes) = (data.rows(), data.class_count());
    let drawn =
        context.map(model.chain.terms.len(), usize::MAX, |tree| draw(rows, &mut tree_stream(made.seed, tree)));
    let mut values = vec![0.0; rows * classes];
    context.map_parts(&mut values, CHUNK * classes, usize::MAX, |i, part| {
        for (row, scores) in (i * CHUNK..).zip(part.chunks_exact_mut(classes)) {
            let mut response = [0.0];
            for (term, _) in model.chain.terms.iter().zip(&drawn).filter(|(_, drawn)| drawn[row] == 0) {
                let WeakModel::Regions(tree) = &term.learner else { continue };
                tree.respond(&data.features, row, &mut response);
                term.add(&response, scores, classes);
            }
            let sum: f64 = scores.iter().sum();
            scores.iter_mut().filter(|_| sum > 0.0).for_each(|h| *h /= sum);
        }
    });
    Ok(Scores { classes, values })
}
