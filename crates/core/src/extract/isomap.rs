//! Isomap: new coordinates whose distances are those along the surface that the rows lie on (lecture, "Feature
//! extraction"; J. Tenenbaum, V. de Silva and J. Langford, Science 290, 2000).
//!
//! 1. Each row is joined to its k nearest neighbours, both ways; parts that are not joined are joined by their shortest
//!    bridges (a note says so). 2. Distances are shortest paths. 3. Classical scaling: the eigenvectors of
//!    -1/2 J D^2 J, J the centring matrix, times the roots of their eigenvalues.
//!
//! The lecture leaves open how another row is mapped. We take its shortest path to every row of the graph, through its
//! k nearest rows, and project it as any row of the graph is projected (Y. Bengio et al., NIPS 2003; V. de Silva and
//! J. Tenenbaum, 2004): y = sum_j (-1/2 d^2(x, j) - mean_i(-1/2 D^2(i, j))) v_j / sqrt(lambda). A row of the graph is its own nearest
//! neighbour at distance zero, so that training and prediction agree.
//!
//! The graph is made of all rows, or of a random sample of `landmarks`: its matrix has the square of their number. A
//! model keeps the points and makes the graph anew. Rows count alike: weights are refused.

use super::{Map, Method, Request, SCALING, points, squared_distance};
use crate::context::Context;
use crate::data::synthetic::random::shuffle;
use crate::error::{Error, Result};
use crate::linear::{Symmetric, eigen};
use crate::model::similarity::PointCoding;
use crate::settings::{Kind, Parameter};
use crate::steps::About;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The method `isomap`.
pub(super) const METHOD: Method = Method {
    about: About {
        name: "isomap",
        summary: "isomap: coordinates along the surface that the rows lie on, from shortest paths between neighbours",
        paper: "J. Tenenbaum, V. de Silva and J. Langford, 2000; Y. Bengio et al., 2003; EPFL EE-613, Isomap",
        count: 2,
        parameters: &[SCALING, NEIGHBOURS, LANDMARKS],
    },
    supervised: false,
    fit,
};

const NEIGHBOURS: Parameter = Parameter {
    name: "neighbours",
    kind: Kind::Integer(1, MOST_NEIGHBOURS as u64),
    default: "10",
    help: "rows that each row is joined to",
};

const LANDMARKS: Parameter = Parameter {
    name: "landmarks",
    kind: Kind::Integer(10, MOST_LANDMARKS as u64),
    default: "1000",
    help: "rows that the graph is made of at most; the others are mapped as new rows are",
};

/// Rows of the largest graph; time grows with the cube.
pub const MOST_LANDMARKS: usize = 2000;
/// Most neighbours of a row.
pub const MOST_NEIGHBOURS: usize = 100;

/// Points of a graph and the way from paths in it to new coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Isomap {
    /// How rows become points.
    pub coding: PointCoding,
    /// `[landmark][coordinate]`.
    pub points: Vec<f64>,
    /// Neighbours of a row.
    pub neighbours: usize,
    /// `[output][landmark]`.
    pub projection: Vec<f64>,
    /// What is subtracted from each output.
    pub offsets: Vec<f64>,
    /// Shortest paths, `[landmark][landmark]`: they follow from the points.
    paths: Vec<f64>,
}

fn fit(request: &Request<'_>, notes: &mut Vec<String>) -> Result<Map> {
    if request.data.weights.iter().any(|w| *w != request.data.weights[0]) {
        return Err(Error::data("isomap counts every row alike and cannot use weights"));
    }
    let dimensions = request.coding.dimensions();
    let all = points(request);
    let mut rows: Vec<usize> = (0..request.data.rows()).collect();
    let most = request.spec.integer("landmarks")?;
    if rows.len() > most {
        shuffle(&mut rows, &mut request.context.stream("isomap"));
        rows.truncate(most);
        rows.sort_unstable();
        notes.push(format!("isomap: the graph is made of {most} rows chosen at random"));
    }
    let points: Vec<f64> =
        rows.iter().flat_map(|row| &all[row * dimensions..(row + 1) * dimensions]).copied().collect();
    let count = rows.len();
    let neighbours = request.spec.integer("neighbours")?.min(count - 1).max(1);
    let (paths, bridges) = shortest_paths(&points, dimensions, neighbours, Some(request.context));
    if bridges > 0 {
        notes.push(format!(
            "isomap: the graph of {neighbours} neighbours fell into {} parts, which were joined by their shortest bridges",
            bridges + 1
        ));
    }
    // -1/2 D^2, its column means, and centred both ways.
    let kernel: Vec<f64> = paths.iter().map(|d| -0.5 * d * d).collect();
    let means: Vec<f64> = kernel.chunks_exact(count).map(|row| row.iter().sum::<f64>() / count as f64).collect();
    let mean = means.iter().sum::<f64>() / count as f64;
    let mut centred = Symmetric { size: count, values: kernel };
    for (i, row) in centred.values.chunks_exact_mut(count).enumerate() {
        row.iter_mut().zip(&means).for_each(|(x, column)| *x += mean - means[i] - column);
    }
    let (values, vectors) = eigen(&centred)?;
    let positive = values.iter().filter(|v| **v > 1e-12 * values[0] && **v > 0.0).count();
    if positive == 0 {
        return Err(Error::data("the rows are all alike, so isomap finds no direction"));
    }
    let outputs = request.at_most(positive, "no further coordinate explains the distances", notes);
    let mut projection = vectors[..outputs * count].to_vec();
    for (vector, value) in projection.chunks_exact_mut(count).zip(&values) {
        // The sum is zero but for rounding; made so, the mean of a row's distances need not be subtracted.
        let mean = vector.iter().sum::<f64>() / count as f64;
        vector.iter_mut().for_each(|v| *v = (*v - mean) / value.sqrt());
    }
    let dot = |vector: &[f64]| vector.iter().zip(&means).map(|(v, m)| v * m).sum();
    let offsets = projection.chunks_exact(count).map(dot).collect();
    let coding = request.coding.clone();
    Ok(Map::Isomap(Isomap { coding, points, neighbours, projection, offsets, paths }))
}

impl Isomap {
    /// From what a file holds. The lengths must fit: `points` a multiple of the dimensions, `projection` of the points
    /// and of the offsets.
    pub(crate) fn restored(
        coding: PointCoding,
        points: Vec<f64>,
        neighbours: usize,
        projection: Vec<f64>,
        offsets: Vec<f64>,
    ) -> Self {
        let (paths, _) = shortest_paths(&points, coding.dimensions(), neighbours, None);
        Isomap { coding, points, neighbours, projection, offsets, paths }
    }

    /// Number of outputs.
    pub fn count(&self) -> usize {
        self.offsets.len()
    }

    /// Number of rows in the graph.
    pub fn landmarks(&self) -> usize {
        self.points.len() / self.coding.dimensions()
    }

    pub(super) fn write(&self, point: &[f64], out: &mut [f64]) {
        let count = self.landmarks();
        let nearest = nearest(point, &self.points, self.neighbours);
        let mut squares = vec![f64::INFINITY; count];
        for (distance, row) in nearest {
            let paths = &self.paths[row * count..(row + 1) * count];
            squares.iter_mut().zip(paths).for_each(|(best, path)| *best = best.min(distance + path));
        }
        squares.iter_mut().for_each(|d| *d *= *d);
        for ((out, vector), offset) in out.iter_mut().zip(self.projection.chunks_exact(count)).zip(&self.offsets) {
            *out = squares.iter().zip(vector).map(|(d, v)| -0.5 * d * v).sum::<f64>() - offset;
        }
    }

    pub(super) fn words(&self, inputs: usize) -> String {
        format!(
            "a coordinate along the surface that {} training rows lie on, by {inputs} columns together",
            self.landmarks()
        )
    }
}

/// The nearest points with their distances, the nearest first, ties by position.
fn nearest(point: &[f64], points: &[f64], count: usize) -> Vec<(f64, usize)> {
    let distances = points.chunks_exact(point.len()).enumerate();
    let mut all: Vec<(f64, usize)> = distances.map(|(i, other)| (squared_distance(point, other), i)).collect();
    let by_distance = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if count < all.len() {
        all.select_nth_unstable_by(count, by_distance);
        all.truncate(count);
    }
    all.sort_unstable_by(by_distance);
    all.iter_mut().for_each(|(d, _)| *d = d.sqrt());
    all
}

type Graph = Vec<Vec<(usize, f64)>>;

/// Shortest paths between all points through neighbours, and how many bridges were needed to join all points.
fn shortest_paths(
    points: &[f64],
    dimensions: usize,
    neighbours: usize,
    context: Option<&Context>,
) -> (Vec<f64>, usize) {
    let count = points.len() / dimensions;
    let point = |i: usize| &points[i * dimensions..(i + 1) * dimensions];
    let near = |i: usize| {
        // A point is its own nearest; of coinciding ones another may come first.
        let mut near = nearest(point(i), points, neighbours + 1);
        near.retain(|(_, j)| *j != i);
        near.truncate(neighbours);
        near
    };
    let run = |work: usize, job: &(dyn Fn(usize) -> Vec<(f64, usize)> + Sync)| match context {
        Some(context) => context.map(count, work, job),
        None => (0..count).map(job).collect::<Vec<_>>(),
    };
    let mut graph: Graph = vec![Vec::new(); count];
    for (i, near) in run(count * points.len(), &near).into_iter().enumerate() {
        for (distance, j) in near {
            graph[i].push((j, distance));
            graph[j].push((i, distance));
        }
    }
    let bridges = join(&mut graph, point);
    let from = |i: usize| dijkstra(&graph, i).into_iter().map(|d| (d, 0)).collect::<Vec<_>>();
    let paths = run(count * count * neighbours, &from).into_iter().flatten().map(|(d, _)| d).collect();
    (paths, bridges)
}

/// Joins the parts of a graph, each to the first by the shortest bridge from any part joined so far.
fn join<'a>(graph: &mut Graph, point: impl Fn(usize) -> &'a [f64]) -> usize {
    let count = graph.len();
    let mut bridges = 0;
    let mut joined = vec![false; count];
    reach(graph, 0, &mut joined);
    while joined.contains(&false) {
        let mut best = (f64::INFINITY, 0, 0);
        for i in (0..count).filter(|i| joined[*i]) {
            for j in (0..count).filter(|j| !joined[*j]) {
                let distance = squared_distance(point(i), point(j));
                if distance < best.0 || best.0 == f64::INFINITY {
                    best = (distance, i, j);
                }
            }
        }
        let (distance, i, j) = best;
        graph[i].push((j, distance.sqrt()));
        graph[j].push((i, distance.sqrt()));
        bridges += 1;
        reach(graph, j, &mut joined);
    }
    bridges
}

/// Marks all points that can be reached.
fn reach(graph: &Graph, from: usize, joined: &mut [bool]) {
    let mut open = vec![from];
    while let Some(i) = open.pop() {
        if !std::mem::replace(&mut joined[i], true) {
            open.extend(graph[i].iter().map(|(j, _)| *j));
        }
    }
}

/// Lengths of the shortest paths from one point.
fn dijkstra(graph: &Graph, from: usize) -> Vec<f64> {
    let mut lengths = vec![f64::INFINITY; graph.len()];
    lengths[from] = 0.0;
    // Bits of numbers that are not negative are in the order of the numbers.
    let mut open = BinaryHeap::from([Reverse((0u64, from))]);
    while let Some(Reverse((length, i))) = open.pop() {
        let length = f64::from_bits(length);
        if length > lengths[i] {
            continue;
        }
        for (j, distance) in &graph[i] {
            let there = length + distance;
            if there < lengths[*j] {
                lengths[*j] = there;
                open.push(Reverse((there.to_bits(), *j)));
            }
        }
    }
    lengths
}
