//! The learning curves as a drawing.

use super::simulation::Series;
use rebelboost_plot::{Anchor, COLOURS, Panel, Svg};

/// Red and blue, which all eyes can tell apart.
const PAIR: [&str; 2] = [COLOURS[0], COLOURS[2]];

/// Draws the series with their bands, and the error to reach.
pub fn draw(title: &str, series: &[Series], target: f64) -> String {
    let mut svg = Svg::new(760.0, 500.0);
    svg.text(380.0, 26.0, 16.0, Anchor::Middle, title);
    let names: Vec<(&str, &str)> = series.iter().zip(PAIR).map(|(s, colour)| (s.strategy, colour)).collect();
    svg.legend(90.0, 56.0, &names);
    let all = || series.iter().flat_map(|s| &s.summary.labelled).map(|n| *n as f64);
    let upper = |s: &Series, i: usize| s.summary.mean[i] + s.summary.deviation[i];
    let highest = series.iter().flat_map(|s| (0..s.summary.mean.len()).map(|i| upper(s, i))).fold(target, f64::max);
    let (low, high) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), n| (l.min(n), h.max(n)));
    let x = if low < high { (low, high) } else { (0.0, high.max(1.0)) };
    let y = (0.0, 100.0 * (1.05 * highest).clamp(0.01, 1.0));
    let panel = Panel { place: [72.0, 74.0, 660.0, 370.0], x, y };
    panel.axes(&mut svg, "labelled rows", "test error (%)");
    panel.line(&mut svg, &[(x.0, 100.0 * target), (x.1, 100.0 * target)], "#333840", 1.2, "5 4");
    svg.text(732.0, 56.0, 13.0, Anchor::End, &format!("dashed: {:.2} %, to be reached", 100.0 * target));
    for (s, colour) in series.iter().zip(PAIR) {
        let line = |sign: f64| -> Vec<(f64, f64)> {
            let at = |i: usize| (s.summary.mean[i] + sign * s.summary.deviation[i]).clamp(0.0, 1.0);
            s.summary.labelled.iter().enumerate().map(|(i, n)| (*n as f64, 100.0 * at(i))).collect()
        };
        panel.band(&mut svg, &line(-1.0), &line(1.0), colour);
        panel.line(&mut svg, &line(0.0), colour, 2.0, "");
    }
    svg.finish()
}
