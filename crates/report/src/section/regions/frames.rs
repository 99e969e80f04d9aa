//! The states of the model that are drawn.

use super::{Plane, after, after_member, learner, markers, stepwise};
use crate::Report;
use crate::chart::{Axis, colour};
use maud::{Markup, html};
use rebelboost::Result;
use rebelboost::context::Context;
use rebelboost::data::{Column, Features};
use rebelboost::model::{Model, Part, Scores};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Cells along a side of the map.
const CELLS: usize = 72;
/// Most states.
const MOST_FRAMES: usize = 32;
/// Most points.
const MOST_POINTS: usize = 300;
/// Shades of confidence.
const SHADES: usize = 5;

pub(super) struct Frames {
    pub list: Vec<Drawn>,
    /// Points in each.
    pub points: usize,
}

/// One state of the model.
pub(super) struct Drawn {
    pub caption: Markup,
    pub regions: Markup,
    pub learner: Markup,
    pub points: Markup,
}

impl Frames {
    pub fn new(report: &Report<'_>, plane: &Plane, context: &Context) -> Result<Self> {
        let (model, data) = (report.model(), report.data);
        let chain = &model.chain;
        let grid = grid(plane.frame.x, plane.frame.y);
        let every = data.rows().div_ceil(MOST_POINTS);
        let shown: Vec<usize> = (0..data.rows()).step_by(every).filter(|row| plane.row(*row).is_some()).collect();
        let points = data.select(&shown);
        let mut map = Scores { classes: chain.bias.len(), values: chain.bias.repeat(grid.rows) };
        let mut scores = Scores { classes: chain.bias.len(), values: chain.bias.repeat(points.rows()) };
        let (mut list, mut done) = (Vec::new(), 0);
        for (terms, part) in states(model) {
            chain.add_terms(done..terms, &grid, &mut map.values, context);
            chain.add_terms(done..terms, &points.features, &mut scores.values, context);
            done = terms;
            let marks = |row: usize| (points.labels[row] as usize, plane.row(shown[row]).unwrap_or_default());
            let latest = terms.checked_sub(1).filter(|_| stepwise(model));
            list.push(Drawn {
                caption: match part {
                    Some(part) => after_member(&model.parts[part], terms),
                    None => after(report, terms),
                },
                regions: regions(model, &map, plane)?,
                learner: latest.map_or(html! {}, |term| learner::added(report, plane, term)),
                points: markers::points(&sizes(model, &scores, &points.labels, &points.weights), marks),
            });
        }
        Ok(Frames { list, points: shown.len() })
    }
}

/// Numbers of terms to stop at, each with the member it completes; all for a few terms, then ever fewer.
fn states(model: &Model) -> Vec<(usize, Option<usize>)> {
    let all = model.chain.terms.len();
    if !model.parts.is_empty() {
        let mut terms = 0;
        let sum = |(i, part): (usize, &Part)| {
            terms += part.terms;
            (terms.min(all), Some(i))
        };
        return model.parts.iter().enumerate().map(sum).collect();
    }
    if !stepwise(model) {
        return vec![(all, None)];
    }
    let share = |i: usize| i as f64 / (MOST_FRAMES - 1) as f64;
    let state = |i: usize| ((all as f64 + 1.0).powf(share(i)) - 1.0).round() as usize;
    let mut terms: Vec<usize> = (0..MOST_FRAMES).map(state).collect();
    // Few factors near the start fall on one number: the first numbers take their places.
    let spare = MOST_FRAMES - terms.iter().collect::<std::collections::BTreeSet<_>>().len();
    terms.extend((0..=all).filter(|t| !terms.contains(t)).take(spare).collect::<Vec<_>>());
    terms.sort_unstable();
    terms.dedup();
    terms.into_iter().map(|terms| (terms, None)).collect()
}

/// Middles of the cells, from the lowest row up.
fn grid(x: Axis, y: Axis) -> Features {
    let at = |axis: Axis, i: usize| axis.low + (axis.high - axis.low) * (i as f64 + 0.5) / CELLS as f64;
    let column = |value: &dyn Fn(usize) -> f64| Column::numeric((0..CELLS * CELLS).map(value).collect());
    let columns = vec![column(&|i| at(x, i % CELLS)), column(&|i| at(y, i / CELLS))];
    Features { columns, rows: CELLS * CELLS }
}

/// One path a class and shade; cells of a row that are alike are one rectangle.
fn regions(model: &Model, map: &Scores, plane: &Plane) -> Result<Markup> {
    let answers = model.decide(map, None)?;
    let sure = confidence(model, map, &answers);
    let shade = |cell: usize| ((sure[cell] * SHADES as f64) as usize).min(SHADES - 1);
    let cells: Vec<(u32, usize)> = answers.iter().enumerate().map(|(cell, answer)| (*answer, shade(cell))).collect();
    let mut paths: BTreeMap<(u32, usize), String> = BTreeMap::new();
    for (row, line) in cells.chunks_exact(CELLS).enumerate() {
        let (mut start, top) = (0, CELLS - 1 - row);
        for run in line.chunk_by(|a, b| a == b) {
            // Writing to a string does not fail.
            let _ = write!(paths.entry(run[0]).or_default(), "M{start} {top}h{0}v1h-{0}z", run.len());
            start += run.len();
        }
    }
    let [left, top, width, height] = plane.frame.place();
    let place = format!("translate({left} {top}) scale({:.4} {:.4})", width / CELLS as f64, height / CELLS as f64);
    Ok(html! {
        g.regions transform=(place) {
            @for ((class, shade), path) in &paths {
                path class={ (colour(*class as usize)) " l" (shade) } d=(path) {}
            }
        }
    })
}

/// How sure each answer is, from 0 (guessing) to 1.
fn confidence(model: &Model, scores: &Scores, answers: &[u32]) -> Vec<f64> {
    let even = 1.0 / scores.classes as f64;
    let believed = beliefs(model, scores);
    let rows = believed.rows().zip(answers);
    rows.map(|(p, answer)| ((p[*answer as usize] - even) / (1.0 - even)).clamp(0.0, 1.0)).collect()
}

/// Probabilities; for a model without, the softmax of its scores, which says at least which are close.
fn beliefs(model: &Model, scores: &Scores) -> Scores {
    model.probabilities(scores).unwrap_or_else(|_| {
        let mut out = scores.clone();
        let link = rebelboost::model::Link::Softmax;
        out.values.chunks_exact_mut(scores.classes).for_each(|row| link.apply(row));
        out
    })
}

/// Size of each point: by its weight times how little the model believes in its class, relative to the mean.
fn sizes(model: &Model, scores: &Scores, labels: &[u32], weights: &[f64]) -> Vec<f64> {
    let believed = beliefs(model, scores);
    let doubt: Vec<f64> =
        believed.rows().zip(labels).zip(weights).map(|((p, label), w)| w * (1.0 - p[*label as usize])).collect();
    let mean = doubt.iter().sum::<f64>() / doubt.len().max(1) as f64;
    let size = |doubt: &f64| if mean > 0.0 { (doubt / mean).sqrt() } else { 0.0 };
    doubt.iter().map(size).collect()
}
