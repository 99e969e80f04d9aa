//! Rotation forests (Rodriguez, Kuncheva, Alonso 2006): every tree sees the columns turned in a way of its own, so that its questions
//! are about mixtures of columns, and each tree is accurate though no two are alike.
//!
//! For each tree the standardised columns are dealt at random into groups of a few. For each group classes are chosen at random, and of
//! their rows three quarters as many as there are, drawn with replacement; the group is turned to their principal components, all of
//! which are kept. On what is turned a tree is grown from all rows, as deep as it goes, by the best split of all columns.

use super::{BAGGING, Forest, Grow, Grown, MIN_LEAF};
use crate::binning::BinnedDataset;
use crate::booster::Problem;
use crate::context::stream;
use crate::data::Dataset;
use crate::data::synthetic::random::{below, shuffle};
use crate::error::Result;
use crate::learner::direction::standard_columns;
use crate::learner::random_tree::{RandomGrower, Thresholds};
use crate::linear::{Symmetric, eigen};
use crate::model::{Coordinate, Node, RegionTree, TurnedTree, WeakModel};
use crate::registry::{Algorithm, BINS, Method, ROUNDS};
use crate::settings::{Kind, Parameter};
use rand_chacha::ChaCha8Rng;

/// `--turned-together`.
const TOGETHER: Parameter = Parameter {
    name: "turned-together",
    kind: Kind::Integer(1, 100),
    default: "3",
    help: "columns of a rotation forest that are turned together, a level of a category being one",
};

/// Deviations within which all rows stand along a mixture that is nothing but rounding, as where columns follow from one another.
const ROUNDING: f64 = 1e-5;

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "rotation-forest",
    summary: "the mean of deep trees, each in coordinates turned at random: its questions are about mixtures of columns",
    paper: "Rodriguez, Kuncheva, Alonso 2006, Rotation Forest: A New Classifier Ensemble Method",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree"],
    learner_parameters: &[],
    // More thresholds took longer and were no better.
    own_parameters: &[
        Parameter { default: "100", ..ROUNDS },
        Parameter { default: "64", ..BINS },
        TOGETHER,
        MIN_LEAF,
        Parameter { default: "on", ..BAGGING },
    ],
    method: Method::Rounds(|problem| Ok(Box::new(Forest::new(problem, Turns::new(problem)?)?))),
};

/// Grows trees in turned coordinates.
struct Turns<'a> {
    data: &'a Dataset,
    seed: u64,
    columns: Vec<Coordinate>,
    /// Rows of each class that has any.
    of_class: Vec<Vec<u32>>,
    together: usize,
    bins: usize,
    smallest: usize,
    bootstrap: bool,
}

impl<'a> Turns<'a> {
    fn new(problem: &Problem<'a>) -> Result<Self> {
        let Problem { data, settings, context, .. } = problem;
        let mut of_class = vec![Vec::new(); data.class_count()];
        (0u32..).zip(&data.labels).for_each(|(row, class)| of_class[*class as usize].push(row));
        of_class.retain(|rows| !rows.is_empty());
        Ok(Turns {
            data,
            of_class,
            seed: context.seed(),
            columns: standard_columns(data, context),
            together: settings.integer(TOGETHER.name)?,
            bins: settings.integer(BINS.name)?,
            smallest: settings.integer(MIN_LEAF.name)?,
            bootstrap: settings.switch(BAGGING.name)?,
        })
    }

    /// The axes of a tree, and where every row stands along each.
    fn turned(&self, rng: &mut ChaCha8Rng) -> (Vec<Vec<Coordinate>>, Vec<Vec<f64>>) {
        let mut dealt: Vec<usize> = (0..self.columns.len()).collect();
        shuffle(&mut dealt, rng);
        let (mut axes, mut stands) = (Vec::new(), Vec::new());
        for group in dealt.chunks_mut(self.together) {
            group.sort_unstable();
            let group: Vec<Coordinate> = group.iter().map(|column| self.columns[*column]).collect();
            let rows = 0..self.data.rows();
            let place = |c: &Coordinate| rows.clone().map(|row| c.place(c.value(&self.data.features, row))).collect();
            let places: Vec<Vec<f64>> = group.iter().map(place).collect();
            for weights in self.components(&places, rng) {
                // Summed up in the order in which the model does it.
                let mut sums = vec![0.0; rows.len()];
                for (weight, places) in weights.iter().zip(&places) {
                    sums.iter_mut().zip(places).for_each(|(sum, place)| *sum += weight * place);
                }
                let (low, high) =
                    sums.iter().fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
                if high - low < ROUNDING {
                    continue;
                }
                stands.push(sums);
                let mixed = group.iter().zip(weights).map(|(column, weight)| Coordinate { weight, ..*column });
                axes.push(mixed.filter(|c| c.weight != 0.0).collect());
            }
        }
        (axes, stands)
    }

    /// Principal components of some of the rows, as weights of the columns whose places these are.
    fn components(&self, places: &[Vec<f64>], rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let size = places.len();
        let mut chosen: Vec<bool> = self.of_class.iter().map(|_| below(2, rng) == 1).collect();
        if !chosen.contains(&true) {
            let one = below(chosen.len() as u64, rng) as usize;
            chosen[one] = true;
        }
        let of_chosen = self.of_class.iter().zip(chosen).filter(|(_, chosen)| *chosen);
        let rows: Vec<u32> = of_chosen.flat_map(|(rows, _)| rows).copied().collect();
        let mut times = vec![0.0; self.data.rows()];
        let drawn = |_| rows[below(rows.len() as u64, rng) as usize];
        let taken =
            if self.bootstrap { (0..(rows.len() * 3).div_ceil(4)).map(drawn).collect() } else { rows.clone() };
        taken.iter().for_each(|row| times[*row as usize] += self.data.weights[*row as usize]);
        let total: f64 = times.iter().sum();
        let mean =
            |places: &Vec<f64>| places.iter().zip(&times).map(|(place, times)| place * times).sum::<f64>() / total;
        let means: Vec<f64> = places.iter().map(mean).collect();
        let mut covariance = Symmetric::zero(size);
        for (i, a) in places.iter().enumerate() {
            for (j, b) in places.iter().enumerate().take(i + 1) {
                let products =
                    a.iter().zip(b).zip(&times).map(|((a, b), times)| (a - means[i]) * (b - means[j]) * times);
                covariance.values[j * size + i] = products.sum::<f64>() / total;
            }
        }
        match eigen(&covariance) {
            // Rounding must not make a weight larger than one.
            Ok((_, vectors)) => {
                vectors.chunks_exact(size).map(|vector| vector.iter().map(|w| w.clamp(-1.0, 1.0)).collect()).collect()
            }
            // Not turned at all.
            Err(_) => (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect(),
        }
    }
}

impl Grow for Turns<'_> {
    fn grow(&self, tree: usize) -> Grown {
        let mut rng = stream(self.seed, &format!("rotation-forest/{tree}"));
        let (axes, stands) = self.turned(&mut rng);
        let bins = BinnedDataset::of_numbers(stands, &self.data.weights, self.bins);
        let grower = RandomGrower::new(&bins, self.data.class_count(), axes.len().max(1), Thresholds::Best)
            .with_leaves_of(self.smallest);
        let grown = grower.grow(&self.data.labels, &self.data.weights, &mut rng);
        let learner = WeakModel::Turned(with_asked(&axes, grown.tree));
        Grown { learner, shares: grown.shares, placed: grown.placed }
    }

    fn work(&self) -> usize {
        self.data.rows() * self.columns.len() * 64
    }
}

/// A tree with those axes alone that it asks about, in the order in which it does.
fn with_asked(axes: &[Vec<Coordinate>], mut tree: RegionTree) -> TurnedTree {
    let mut number = vec![None; axes.len()];
    let mut asked = Vec::new();
    for node in &mut tree.nodes {
        if let Node::Split { feature, .. } = node {
            let axis = *feature as usize;
            *feature = *number[axis].get_or_insert_with(|| {
                asked.push(axes[axis].clone());
                asked.len() as u32 - 1
            });
        }
    }
    TurnedTree { axes: asked, tree }
}
