//! k-means: the number of the nearest of k centres is a feature (lecture, "Feature extraction"; S. Lloyd, 1957/1982).
//!
//! Centres start by k-means++ (D. Arthur and S. Vassilvitskii, 2007): each is a row drawn with a probability
//! proportional to its weighted squared distance from the centres before it. The best of several starts is kept. A centre that
//! loses all its rows moves to the row that is farthest from its own. Of equally near centres the first wins.

use super::{Map, Method, Request, SCALING, points, squared_distance};
use crate::context::Context;
use crate::data::synthetic::random::unit;
use crate::data::{Categorical, Column};
use crate::error::Result;
use crate::model::similarity::PointCoding;
use crate::settings::{Kind, Parameter};
use crate::steps::About;
use rand_chacha::ChaCha8Rng;

/// The method `kmeans`.
pub(super) const METHOD: Method = Method {
    about: About {
        name: "kmeans",
        summary: "k-means: which of so many centres is nearest, as one category (or the distances to all of them)",
        paper: "S. Lloyd, 1982; D. Arthur and S. Vassilvitskii, 2007; EPFL EE-613, k-means",
        count: 10,
        parameters: &[SCALING, OUTPUT, STARTS],
    },
    supervised: false,
    fit,
};

const OUTPUT: Parameter = Parameter {
    name: "output",
    kind: Kind::Choice(&["nearest", "distances"]),
    default: "nearest",
    help: "what k-means says: the number of the nearest centre, or the distance to each",
};

const STARTS: Parameter = Parameter {
    name: "starts",
    kind: Kind::Integer(1, 1000),
    default: "5",
    help: "random starts of k-means, of which the best is kept",
};

/// Rounds after which centres stop moving.
const ROUNDS: usize = 300;
/// Rows of a block.
const BLOCK: usize = 256;

/// Centres of clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// How rows become points.
    pub coding: PointCoding,
    /// `[centre][coordinate]`.
    pub centres: Vec<f64>,
    /// Whether the features are distances, not the nearest centre.
    pub distances: bool,
}

fn fit(request: &Request<'_>, notes: &mut Vec<String>) -> Result<Map> {
    let (points, dimensions) = (points(request), request.coding.dimensions());
    let weights = &request.data.weights;
    let mut rng = request.context.stream("kmeans");
    let mut best: Option<Found> = None;
    for _ in 0..request.spec.integer("starts")? {
        let start = start(&points, dimensions, weights, request.spec.count, &mut rng);
        let found = lloyd(&points, dimensions, weights, start, ROUNDS, request.context);
        if best.as_ref().is_none_or(|best| found.inertia < best.inertia) {
            best = Some(found);
        }
    }
    let centres = best.map(|found| found.centres).unwrap_or_default();
    request.at_most(centres.len() / dimensions, "there are no more different rows", notes);
    let distances = request.spec.word("output")? == "distances";
    Ok(Map::Clusters(Clusters { coding: request.coding.clone(), centres, distances }))
}

/// Centres by k-means++; fewer than asked for if there are fewer different rows.
fn start(points: &[f64], dimensions: usize, weights: &[f64], count: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut centres: Vec<f64> = Vec::new();
    let mut chances = weights.to_vec();
    let mut distances = vec![f64::INFINITY; weights.len()];
    while centres.len() < count * dimensions {
        let total: f64 = chances.iter().sum();
        if total <= 0.0 {
            break;
        }
        let mut left = unit(rng) * total;
        let drawn = chances.iter().position(|chance| {
            left -= chance;
            left < 0.0
        });
        // Rounding may leave a little at the end.
        let last = || chances.iter().rposition(|chance| *chance > 0.0).unwrap_or(0);
        let row = drawn.unwrap_or_else(last);
        let centre = &points[row * dimensions..(row + 1) * dimensions];
        for (i, point) in points.chunks_exact(dimensions).enumerate() {
            distances[i] = distances[i].min(squared_distance(point, centre));
            chances[i] = weights[i] * distances[i];
        }
        centres.extend_from_slice(centre);
    }
    centres
}

/// Centres and how well they fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// `[centre][coordinate]`.
    pub centres: Vec<f64>,
    /// The nearest centre of each row.
    pub nearest: Vec<usize>,
    /// Weighted sum of squared distances from the nearest centres.
    pub inertia: f64,
}

/// Moves centres from a start until no row changes its centre, or for so many rounds.
pub fn lloyd(
    points: &[f64],
    dimensions: usize,
    weights: &[f64],
    mut centres: Vec<f64>,
    rounds: usize,
    context: &Context,
) -> Found {
    let mut nearest: Vec<usize> = Vec::new();
    for _ in 0..rounds.max(1) {
        let assigned = assign(points, dimensions, &centres, context);
        let now: Vec<usize> = assigned.iter().map(|(centre, _)| *centre).collect();
        if now == nearest {
            break;
        }
        nearest = now;
        move_to_means(&mut centres, points, dimensions, weights, &assigned);
    }
    let assigned = assign(points, dimensions, &centres, context);
    let inertia = assigned.iter().zip(weights).map(|((_, distance), weight)| weight * distance).sum();
    Found { centres, nearest: assigned.into_iter().map(|(centre, _)| centre).collect(), inertia }
}

fn move_to_means(centres: &mut [f64], points: &[f64], dimensions: usize, weights: &[f64], assigned: &[(usize, f64)]) {
    let count = centres.len() / dimensions;
    let (mut sums, mut totals) = (vec![0.0; centres.len()], vec![0.0; count]);
    for ((point, weight), (centre, _)) in points.chunks_exact(dimensions).zip(weights).zip(assigned) {
        totals[*centre] += weight;
        sums[centre * dimensions..][..dimensions].iter_mut().zip(point).for_each(|(sum, x)| *sum += weight * x);
    }
    // The farthest rows first, ties by position.
    let mut far: Option<std::vec::IntoIter<usize>> = None;
    for (i, centre) in centres.chunks_exact_mut(dimensions).enumerate() {
        if totals[i] > 0.0 {
            centre.iter_mut().zip(&sums[i * dimensions..]).for_each(|(c, sum)| *c = sum / totals[i]);
            continue;
        }
        let rows = far.get_or_insert_with(|| {
            let mut rows: Vec<usize> = (0..weights.len()).collect();
            let size = |row: usize| weights[row] * assigned[row].1;
            rows.sort_by(|a, b| size(*b).total_cmp(&size(*a)).then(a.cmp(b)));
            rows.into_iter()
        });
        if let Some(row) = rows.next() {
            centre.copy_from_slice(&points[row * dimensions..(row + 1) * dimensions]);
        }
    }
}

/// The nearest centre of each row, and its squared distance.
fn assign(points: &[f64], dimensions: usize, centres: &[f64], context: &Context) -> Vec<(usize, f64)> {
    let blocks: Vec<&[f64]> = points.chunks(BLOCK * dimensions).collect();
    let work = points.len() * centres.len() / dimensions.max(1);
    let of = |i: usize| -> Vec<(usize, f64)> {
        blocks[i].chunks_exact(dimensions).map(|point| nearest(point, centres)).collect()
    };
    context.map(blocks.len(), work, of).concat()
}

fn nearest(point: &[f64], centres: &[f64]) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for (i, centre) in centres.chunks_exact(point.len()).enumerate() {
        let distance = squared_distance(point, centre);
        if distance < best.1 {
            best = (i, distance);
        }
    }
    best
}

impl Clusters {
    /// Number of centres.
    pub fn count(&self) -> usize {
        self.centres.len() / self.coding.dimensions()
    }

    /// Names of the clusters: 1, 2, 3, ...
    pub fn names(&self) -> Vec<String> {
        (1..=self.count()).map(|i| i.to_string()).collect()
    }

    pub(super) fn nearest(&self, point: &[f64]) -> usize {
        nearest(point, &self.centres).0
    }

    pub(super) fn column(&self, codes: Vec<u32>) -> Column {
        Column::Categorical(Categorical { codes, levels: self.names() })
    }

    pub(super) fn write(&self, point: &[f64], out: &mut [f64]) {
        for (out, centre) in out.iter_mut().zip(self.centres.chunks_exact(point.len())) {
            *out = squared_distance(point, centre).sqrt();
        }
    }

    pub(super) fn words(&self, inputs: usize) -> String {
        let what = if self.distances { "distance to a centre" } else { "the nearest of the centres" };
        format!("{what} of {} groups of similar rows, by {inputs} columns together", self.count())
    }
}
