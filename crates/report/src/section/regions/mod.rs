//! The plane of two numeric features: which class is answered where, after how many terms (lectures 003 and 004, thesis
//! Figures 5.2 to 5.6). Regions are the darker the surer the answer; points are the larger the less the model believes in
//! their class, as the weights of boosting are; the learner just added is drawn into it.

mod frames;
mod learner;
mod markers;

use crate::Report;
use crate::chart::{Axis, Frame, colour};
use crate::page::Section;
use crate::text::{count, number, plural, short};
use frames::Frames;
use maud::{Markup, html};
use rebelboost::Result;
use rebelboost::booster::Stop;
use rebelboost::context::Context;
use rebelboost::data::{Column, Numeric};
use rebelboost::model::{Model, Part};

/// Most classes named in the key.
const MOST_KEYS: usize = 14;

/// Nothing unless there are exactly two features and both are numbers.
pub(crate) fn section(report: &Report<'_>, context: &Context) -> Result<Option<Section>> {
    let Some(plane) = Plane::new(report) else { return Ok(None) };
    let frames = Frames::new(report, &plane, context)?;
    let last = frames.list.len() - 1;
    let schema = &report.model().schema;
    let words = format!(
        "Map of the answers over {} and {} with {} as points",
        schema.features[0].name,
        schema.features[1].name,
        plural(frames.points, "training row")
    );
    let [left, top, width, height] = plane.frame.place();
    let drawing = html! {
        clipPath #plane { rect x=(left) y=(top) width=(width) height=(height) {} }
        @for (i, frame) in frames.list.iter().enumerate() {
            g data-panel="round" data-of=(i) hidden[i != last] {
                (frame.regions)
                (frame.learner)
                (frame.points)
            }
        }
    };
    let body = html! {
        p {
            "What the model answers for every pair of values: the stronger the colour, the surer the answer. "
            "Points are " (plural(frames.points, "training row")) " in the colour and shape of their class; the larger a point, the less "
            "the model believes in its class, so large points are what the next round works on. "
            @match (stepwise(report.model()), report.model().chain.supports.is_empty()) {
                (true, true) => "Lines are the questions of the learner just added.",
                (true, false) => "Rings are the training rows that the term just added compares with.",
                _ => "",
            }
        }
        figure.map {
            @if last > 0 {
                div.controls {
                    label for="round" { "After" }
                    input #round type="range" min="0" max=(last) value=(last) data-panels="round" autocomplete="off";
                    button type="button" data-play="round" { "Play" }
                }
            }
            @for (i, frame) in frames.list.iter().enumerate() {
                p.state data-panel="round" data-of=(i) hidden[i != last] aria-live="polite" { (frame.caption) }
            }
            (plane.frame.svg(&words, (&schema.features[0].name, &schema.features[1].name), drawing))
            figcaption { (key(report)) }
        }
    };
    Ok(Some(Section { id: "regions", title: "Decision regions", body }))
}

/// Classes with colour and shape.
fn key(report: &Report<'_>) -> Markup {
    let names = &report.model().schema.classes;
    html! {
        @for (class, name) in names.iter().enumerate().take(MOST_KEYS) {
            span.key {
                svg.marker viewBox="0 0 14 14" aria-hidden="true" { path class={ "point " (colour(class)) } d=(markers::path(class, 7.0, 7.0, 4.5)) {} }
                span title=(name) { (short(name, 32)) }
            }
        }
        @if names.len() > MOST_KEYS { "and " (plural(names.len() - MOST_KEYS, "more class")) }
    }
}

/// The two features and the part of their plane that is drawn.
struct Plane {
    x: Vec<f64>,
    y: Vec<f64>,
    frame: Frame,
}

impl Plane {
    fn new(report: &Report<'_>) -> Option<Self> {
        let [Column::Numeric(x), Column::Numeric(y)] = report.data.features.columns.as_slice() else { return None };
        let axis = |numbers: &Numeric| {
            let range = |(low, high): (f64, f64), v: f64| (low.min(v), high.max(v));
            let values = numbers.to_vec();
            let (low, high) = values.iter().copied().fold((f64::INFINITY, f64::NEG_INFINITY), range);
            let margin = 0.06 * (high - low);
            // Numbers near the largest there are have no room around them.
            (low < high && margin.is_finite()).then(|| (values, Axis::linear(low - margin, high + margin)))
        };
        let ((x, x_axis), (y, y_axis)) = (axis(x)?, axis(y)?);
        Some(Plane { x, y, frame: Frame { size: (520.0, 506.0), ..Frame::new(x_axis, y_axis) } })
    }

    /// Where a row is drawn; `None` if a value is missing.
    fn row(&self, row: usize) -> Option<(f64, f64)> {
        let (x, y) = (self.x[row], self.y[row]);
        (!x.is_nan() && !y.is_nan()).then(|| self.frame.at(x, y))
    }
}

/// Whether terms were added one by one; members, and models fitted as a whole, have no learner that came last.
fn stepwise(model: &Model) -> bool {
    model.parts.is_empty() && model.provenance.stopped != Stop::Fitted
}

/// "12 terms": what a state of the model is called.
fn after(report: &Report<'_>, terms: usize) -> Markup {
    match terms {
        0 => html! { "the start, before the first term" },
        _ if terms == report.model().chain.terms.len() => {
            html! { strong { (plural(terms, "term")) } ", the whole model" }
        }
        _ => html! { strong { (plural(terms, "term")) } },
    }
}

/// "after random pairs (weight 0.4)".
fn after_member(part: &Part, terms: usize) -> Markup {
    html! { strong { (part.name) } ", weight " (number(part.weight)) " (" (count(terms as f64)) " terms so far)" }
}
