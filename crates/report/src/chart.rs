//! What charts are made of: axes, lines, bars, class colours. Sizes are in units of the drawing; the page scales it.

use crate::text;
use maud::{Markup, html};
use rebelboost_plot::ticks;
use std::fmt::Write;

/// Colours of classes before they repeat, as many as the style sheet has.
pub const COLOURS: usize = 7;

/// CSS class that gives a class its colour.
pub fn colour(class: usize) -> String {
    format!("k{}", class % COLOURS)
}

/// The numbers along one side of a chart.
#[derive(Clone, Copy)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    /// Whether equal steps are equal factors; `low` must be positive then.
    pub log: bool,
    /// Whether the numbers are fractions, written in percent.
    pub percent: bool,
}

impl Axis {
    pub fn linear(low: f64, high: f64) -> Self {
        Axis { low, high, log: false, percent: false }
    }

    /// From 0 to a little above the largest fraction.
    pub fn percent(most: f64) -> Self {
        Axis { percent: true, ..Axis::linear(0.0, (most * 1.05).clamp(0.01, 1.0)) }
    }

    /// By factors if all values are positive and differ by more than one of three, else by differences.
    pub fn of_loss(values: impl Iterator<Item = f64>) -> Self {
        let range = |(low, high): (f64, f64), v: f64| (low.min(v), high.max(v));
        let (low, high) = values.filter(|v| v.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), range);
        match low {
            l if l > 0.0 && high > 3.0 * l => Axis { log: true, ..Axis::linear(low / 1.1, high * 1.1) },
            l if l < high => Axis::linear(l.min(0.0), high + 0.05 * (high - l)),
            l if l.is_finite() => Axis::linear(l.min(0.0), l.max(0.0) + 1.0),
            _ => Axis::linear(0.0, 1.0),
        }
    }

    /// Place of a value, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let place = match self.log {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
    }

    fn ticks(&self) -> Vec<f64> {
        if !self.log {
            return ticks((self.low, self.high));
        }
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let decades = self.high.log10() - self.low.log10();
        let steps: &[f64] = match decades {
            d if d < 0.9 => &[1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0],
            d if d < 1.5 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let every = (decades / 6.0).ceil().max(1.0) as i32;
        let powers = (first..=last).filter(|power| power.rem_euclid(every) == 0);
        let marks = powers.flat_map(|power| steps.iter().map(move |m| m * 10f64.powi(power)));
        marks.filter(|tick| (self.low..=self.high).contains(tick)).collect()
    }

    fn label(&self, tick: f64) -> String {
        match tick.abs() {
            _ if self.percent => format!("{}%", rebelboost_plot::number(100.0 * tick)),
            0.0 => "0".into(),
            size if !(1e-3..1e5).contains(&size) => {
                // As few digits as tell it, whatever rounding left behind.
                let text = |digits: usize| format!("{tick:.digits$e}");
                let tells = |text: &String| text.parse::<f64>().is_ok_and(|v| (v - tick).abs() <= 1e-9 * size);
                (0..3).map(text).find(tells).unwrap_or_else(|| text(3))
            }
            _ => rebelboost_plot::number(tick),
        }
    }
}

/// A rectangle with axes.
pub struct Frame {
    pub x: Axis,
    pub y: Axis,
    /// Of the whole drawing.
    pub size: (f64, f64),
}

const LEFT: f64 = 58.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 40.0;

impl Frame {
    /// The usual size.
    pub fn new(x: Axis, y: Axis) -> Self {
        Frame { x, y, size: (420.0, 260.0) }
    }

    /// Left, top, width and height of the rectangle.
    pub fn place(&self) -> [f64; 4] {
        [LEFT, TOP, self.size.0 - LEFT - RIGHT, self.size.1 - TOP - BOTTOM]
    }

    /// Where a point is in the drawing.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let [left, top, width, height] = self.place();
        (left + width * self.x.place(x), top + height * (1.0 - self.y.place(y)))
    }

    /// A line through points.
    pub fn line(&self, points: impl IntoIterator<Item = (f64, f64)>) -> String {
        let mut path = String::new();
        for (x, y) in points {
            let (x, y) = self.at(x, y);
            let pen = if path.is_empty() { 'M' } else { 'L' };
            // Writing to a string does not fail.
            let _ = write!(path, "{pen}{x:.1} {y:.1}");
        }
        path
    }

    /// The drawing: axes with titles below `body`, and what it shows in words for those who cannot see it.
    pub fn svg(&self, words: &str, titles: (&str, &str), body: Markup) -> Markup {
        let [left, top, width, height] = self.place();
        let (right, low) = (left + width, top + height);
        html! {
            svg viewBox=(format!("0 0 {} {}", self.size.0, self.size.1)) role="img" aria-label=(words) {
                g.axes aria-hidden="true" {
                    @for (tick, x) in self.x.ticks().into_iter().map(|tick| (tick, self.at(tick, self.y.low).0)) {
                        path.grid d=(format!("M{x:.1} {low:.1}V{top:.1}")) {}
                        text x=(format!("{x:.1}")) y=(low + 16.0) text-anchor="middle" { (self.x.label(tick)) }
                    }
                    @for (tick, y) in self.y.ticks().into_iter().map(|tick| (tick, self.at(self.x.low, tick).1)) {
                        path.grid d=(format!("M{left:.1} {y:.1}H{right:.1}")) {}
                        text x=(left - 6.0) y=(format!("{:.1}", y + 4.0)) text-anchor="end" { (self.y.label(tick)) }
                    }
                    rect.box x=(left) y=(top) width=(width) height=(height) {}
                    text.title x=(left + width / 2.0) y=(low + 34.0) text-anchor="middle" { (text::short(titles.0, 44)) }
                    text.title transform=(format!("translate(12 {:.1}) rotate(-90)", top + height / 2.0))
                        text-anchor="middle" { (text::short(titles.1, 30)) }
                }
                (body)
            }
        }
    }
}

/// One bar of a table of bars.
pub struct Bar {
    pub label: Markup,
    /// Length, from -1 (to the left) to 1; all bars of one table are on one scale.
    pub length: f64,
    /// CSS class of its colour, "" for the usual one.
    pub colour: String,
    pub value: String,
}

/// Bars as a table: labels, lengths, values. Bars that go to both sides start in the middle.
pub fn bars(both_sides: bool, bars: &[Bar]) -> Markup {
    let length =
        |bar: &Bar| format!("width:{:.1}%", bar.length.abs().min(1.0) * if both_sides { 50.0 } else { 100.0 });
    let side = |bar: &Bar| if bar.length < 0.0 { "left" } else { "right" };
    html! {
        table.bars.both[both_sides] {
            @for bar in bars {
                tr {
                    th scope="row" { (bar.label) }
                    td.bar { i class={ (side(bar)) " " (bar.colour) } style=(length(bar)) {} }
                    td.n { (bar.value) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every value has a place, and ticks are inside and few.
        #[test]
        fn axes_of_any_losses(values in prop::collection::vec(prop::num::f64::ANY, 0..20), at in prop::num::f64::ANY) {
            let axis = Axis::of_loss(values.into_iter());
            prop_assert!((0.0..=1.0).contains(&axis.place(at)));
            if axis.high - axis.low < 1e300 {
                let ticks = axis.ticks();
                prop_assert!(ticks.len() <= 12, "{} {} {ticks:?}", axis.low, axis.high);
                prop_assert!(ticks.iter().all(|t| *t >= axis.low && *t <= axis.high * (1.0 + 1e-9)));
            }
        }
    }

    #[test]
    fn losses_over_decades_are_on_a_log_axis() {
        let axis = Axis::of_loss([10.0, 0.001].into_iter());
        assert!(axis.log);
        assert_eq!(axis.ticks().iter().map(|t| axis.label(*t)).collect::<Vec<_>>().join(" "), "0.001 0.01 0.1 1 10");
        assert!((axis.place(0.1) - 0.5).abs() < 1e-9);
        assert!(!Axis::of_loss([0.0, 1.0].into_iter()).log);
        assert_eq!([1e-31 * (1.0 + 1e-15), 2.5e6, 0.5].map(|t| axis.label(t)), ["1e-31", "2.5e6", "0.5"]);
    }
}
