//! Fig. 4.4 of the thesis (Fig. 8 of the paper): the scores H(x) along two paths through the plane, for 100 stumps and
//! for 100 depth-2 trees.
//!
//! The claim, that scores vary across class boundaries and stay fairly constant within regions, is measured: the share
//! of all variation of H that happens near a boundary, against the share of the path that is near one.

use crate::Bench;
use crate::plane::{draw_decisions, draw_rows, features, ranges, rebel};
use crate::report::{Report, table};
use crate::sets::builtin;
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;
use rebelboost::model::argmax;

const STEPS: usize = 500;
/// Near a boundary: within this share of the path.
const NEAR: f64 = 0.03;
const DATA: &str = "gaussians?classes=3&clusters=2&spread=0.15&seed=3&rows=1000";

/// Corners of the paths, in shares of the panel.
const PATHS: [(&str, &[(f64, f64)]); 2] =
    [("A", &[(0.06, 0.12), (0.94, 0.88)]), ("B", &[(0.08, 0.86), (0.5, 0.55), (0.95, 0.2)])];

/// Draws points, paths and scores.
pub fn run(bench: &Bench) -> Result<Report> {
    let data = builtin(DATA)?;
    let (x, y) = ranges(&data);
    let mut svg = Svg::new(1180.0, 700.0);
    svg.text(590.0, 28.0, 17.0, Anchor::Middle, "Scores H(x) of the classes along two paths");
    svg.legend(478.0, 54.0, &["class 0", "class 1", "class 2"].into_iter().zip(COLOURS).collect::<Vec<_>>());
    let map = Panel { place: [24.0, 190.0, 360.0, 360.0], x, y };
    map.title(&mut svg, "1000 points, decisions of depth-2 trees");
    let mut rows = Vec::new();
    for (line, (name, depth)) in [("stumps", 1), ("depth-2 trees", 2)].into_iter().enumerate() {
        let model = rebel(&data, None, 100, depth, &bench.context)?;
        if depth == 2 {
            draw_decisions(&mut svg, &map, &model, &bench.context)?;
        }
        for (column, (path, corners)) in PATHS.into_iter().enumerate() {
            let corners: Vec<(f64, f64)> =
                corners.iter().map(|(u, v)| (x.0 + u * (x.1 - x.0), y.0 + v * (y.1 - y.0))).collect();
            let steps: Vec<(f64, f64)> = (0..=STEPS).map(|i| along(&corners, i as f64 / STEPS as f64)).collect();
            let scores = model.scores(&features(&steps), &bench.context);
            let classes: Vec<u32> = scores.rows().map(|h| argmax(h) as u32).collect();
            let (low, high) = scores.values.iter().fold((0f64, 0f64), |(l, h), v| (l.min(*v), h.max(*v)));
            let corner = (450.0 + 370.0 * column as f64, 100.0 + 300.0 * line as f64);
            let y = (low - 0.06 * (high - low), high + 0.06 * (high - low));
            let panel = Panel { place: [corner.0, corner.1, 320.0, 230.0], x: (0.0, 100.0), y };
            panel.regions(&mut svg, classes.len(), &classes);
            panel.axes(&mut svg, &format!("% of path {path}"), if column == 0 { "H(x)" } else { "" });
            panel.title(&mut svg, &format!("path {path}, 100 {name}"));
            for (class, colour) in COLOURS.into_iter().enumerate().take(3) {
                let points = scores.rows().enumerate().map(|(i, h)| (100.0 * i as f64 / STEPS as f64, h[class]));
                panel.line(&mut svg, &points.collect::<Vec<_>>(), colour, 1.8, "");
            }
            rows.push(measure(&format!("{name}, path {path}"), &scores.values, &classes));
        }
    }
    draw_rows(&mut svg, &map, &data, None, 3.6);
    map.frame(&mut svg);
    for (name, corners) in PATHS {
        let corners: Vec<(f64, f64)> =
            corners.iter().map(|(u, v)| (x.0 + u * (x.1 - x.0), y.0 + v * (y.1 - y.0))).collect();
        map.line(&mut svg, &corners, "#111", 2.0, "");
        map.points(&mut svg, (0..=5).map(|i| along(&corners, f64::from(i) / 5.0)), "#111", 8.0);
        map.label(&mut svg, corners[0], name);
    }
    let header = ["scores", "boundaries", "path near one", "variation near one", "times the even share"];
    let text = format!(
        "Data: `builtin:{DATA}`. Near a boundary: within {:.0} % of the path from a change of the largest score. If \
         scores moved evenly along the path, the last column would be 1.\n\n{}",
        100.0 * NEAR,
        table(&header, &rows)
    );
    Ok(Report { text, svg: Some(svg.finish()) })
}

/// The point at this share of the path's length.
fn along(corners: &[(f64, f64)], share: f64) -> (f64, f64) {
    let length = |a: (f64, f64), b: (f64, f64)| (b.0 - a.0).hypot(b.1 - a.1);
    let total: f64 = corners.windows(2).map(|w| length(w[0], w[1])).sum();
    let mut left = share * total;
    for pair in corners.windows(2) {
        let here = length(pair[0], pair[1]);
        if left <= here {
            let t = left / here;
            return (pair[0].0 + t * (pair[1].0 - pair[0].0), pair[0].1 + t * (pair[1].1 - pair[0].1));
        }
        left -= here;
    }
    corners[corners.len() - 1]
}

/// How much of the variation of all scores lies near a change of class.
fn measure(name: &str, scores: &[f64], classes: &[u32]) -> Vec<String> {
    let changes: Vec<usize> = (1..classes.len()).filter(|&i| classes[i] != classes[i - 1]).collect();
    let near = |i: usize| changes.iter().any(|&c| c.abs_diff(i) as f64 <= NEAR * STEPS as f64);
    let (mut inside, mut all, mut length) = (0.0, 0.0, 0usize);
    for i in 1..classes.len() {
        let k = scores.len() / classes.len();
        let step: f64 = (0..k).map(|c| (scores[i * k + c] - scores[(i - 1) * k + c]).abs()).sum();
        all += step;
        if near(i) {
            inside += step;
            length += 1;
        }
    }
    let (path, variation) = (length as f64 / (classes.len() - 1) as f64, inside / all);
    vec![
        name.into(),
        changes.len().to_string(),
        format!("{:.0} %", 100.0 * path),
        format!("{:.0} %", 100.0 * variation),
        format!("{:.1}", variation / path),
    ]
}
