//! Random forests (Breiman 2001) and extremely randomised trees (Geurts, Ernst, Wehenkel 2006).
//!
//! Out-of-bag scores need no memory: [`out_of_bag`] draws each tree's rows again.

use super::{BAGGING, Forest, Grow, Grown, MIN_LEAF};
use crate::booster::{Problem, fingerprint};
use crate::context::{Context, stream};
use crate::data::Dataset;
use crate::data::synthetic::random::below;
use crate::error::{Error, Result};
use crate::learner::random_tree::{RandomGrower, Thresholds};
use crate::model::{Model, Scores, WeakModel};
use crate::registry::{Algorithm, BINS, Method, ROUNDS};
use crate::settings::{Kind, Parameter, Value};
use rand_chacha::ChaCha8Rng;

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
        MIN_LEAF,
        BAGGING,
    ],
    method: Method::Rounds(|problem| Ok(Box::new(Forest::new(problem, Trees::new(problem)?)?))),
};

/// Grows randomised trees.
struct Trees<'a> {
    data: &'a Dataset,
    seed: u64,
    grower: RandomGrower<'a>,
    bootstrap: bool,
}

impl<'a> Trees<'a> {
    fn new(problem: &Problem<'a>) -> Result<Self> {
        let Problem { data, bins, settings, context, .. } = problem;
        let root = (bins.columns.len() as f64).sqrt() as usize;
        let features = settings.integer_or_auto("split-features")?.unwrap_or(root).max(1);
        let thresholds = if settings.word("splits")? == "best" { Thresholds::Best } else { Thresholds::Random };
        Ok(Trees {
            data,
            seed: context.seed(),
            grower: RandomGrower::new(bins, data.class_count(), features, thresholds)
                .with_leaves_of(settings.integer(MIN_LEAF.name)?),
            bootstrap: settings.switch(BAGGING.name)?,
        })
    }
}

impl Grow for Trees<'_> {
    fn grow(&self, tree: usize) -> Grown {
        let mut rng = tree_stream(self.seed, tree);
        let drawn = self.bootstrap.then(|| draw(self.data.rows(), &mut rng));
        let weights: Vec<f64> = match drawn {
            Some(drawn) => drawn.iter().zip(&self.data.weights).map(|(n, w)| f64::from(*n) * w).collect(),
            None => self.data.weights.clone(),
        };
        let grown = self.grower.grow(&self.data.labels, &weights, &mut rng);
        Grown { learner: WeakModel::Regions(grown.tree), shares: grown.shares, placed: grown.placed }
    }

    fn work(&self) -> usize {
        self.data.rows() * 64
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

/// Scores of the training rows by the trees that were not grown on them, as means: an honest estimate without a test
/// set. A row that every tree was grown on gets zeros. `data` must be the training rows.
pub fn out_of_bag(model: &Model, data: &Dataset, context: &Context) -> Result<Scores> {
    let made = &model.provenance;
    let bootstrap = made.settings.get(BAGGING.name) == Some(&Value::Switch(true));
    if made.algorithm != ALGORITHM.name || !bootstrap {
        return Err(Error::model("only a forest grown with --bagging on has rows out of the bag"));
    }
    if made.settings.contains_key("holdout") || made.data != fingerprint(data) {
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
