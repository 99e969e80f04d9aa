//! Random pairs of rows of different classes, or all of them where they are few.

use super::cells::Cells;
use crate::model::similarity::{Points, squared_distance};
use rand::{Rng, RngExt};
use std::collections::BTreeSet;

/// Draws given up after this many a pair: nearly all pairs are taken, or coincide.
const TRIES: usize = 20;

/// Two cells, the smaller number first, and |x_i - x_j|^2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Cells.
    pub cells: [u32; 2],
    /// Always positive: coincident rows are no pair.
    pub apart: f32,
}

/// At most `wanted` different pairs. Rows are drawn by their weight, each with a partner from the other classes.
pub fn draw(cells: &Cells, points: &Points, wanted: usize, rng: &mut impl Rng) -> Vec<Pair> {
    let pair = |i: usize, j: usize| {
        let point = |cell: usize| points.row(cells.rows[cell] as usize);
        let apart = squared_distance(point(i), point(j));
        (apart > 0.0).then_some(Pair { cells: [i.min(j) as u32, i.max(j) as u32], apart })
    };
    let classes = cells.labels.iter().max().map_or(0, |k| *k as usize + 1);
    let mut counts = vec![0usize; classes];
    cells.labels.iter().for_each(|k| counts[*k as usize] += 1);
    let squares: u128 = counts.iter().map(|n| (*n as u128).pow(2)).sum();
    if ((cells.len() as u128).pow(2) - squares) / 2 <= wanted as u128 {
        let all = (0..cells.len()).flat_map(|i| (i + 1..cells.len()).map(move |j| (i, j)));
        return all.filter(|(i, j)| cells.labels[*i] != cells.labels[*j]).filter_map(|(i, j)| pair(i, j)).collect();
    }
    // Class by class, so that "any class but this one" is two stretches of the running sum of weights.
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_by_key(|cell| cells.labels[*cell]);
    let mut ends = Vec::with_capacity(order.len());
    let mut spans = vec![(0.0, 0.0); classes];
    let mut sum = 0.0;
    for cell in &order {
        let span = &mut spans[cells.labels[*cell] as usize];
        if span.1 == 0.0 {
            span.0 = sum;
        }
        sum += cells.weights[*cell];
        span.1 = sum;
        ends.push(sum);
    }
    let at = |place: f64| order[ends.partition_point(|end| *end <= place).min(order.len() - 1)];
    let mut seen = BTreeSet::new();
    let mut pairs = Vec::with_capacity(wanted);
    for _ in 0..wanted.saturating_mul(TRIES) {
        if pairs.len() == wanted {
            break;
        }
        let i = at(rng.random_range(0.0..1.0) * sum);
        let (start, end) = spans[cells.labels[i] as usize];
        let place = rng.random_range(0.0..1.0) * (sum - (end - start));
        let j = at(if place < start { place } else { place + (end - start) });
        if cells.labels[i] == cells.labels[j] {
            continue; // a place on the border, by rounding
        }
        if let Some(pair) = pair(i, j).filter(|pair| seen.insert(pair.cells)) {
            pairs.push(pair);
        }
    }
    pairs
}
