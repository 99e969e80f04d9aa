//! Fig. 4.6 of the thesis (Fig. 9 of the paper): the ten random data sets of Fig. 4.5.
//!
//! The thesis gives sizes but no parameters. Ours differ in number of classes (3-5), clusters per class (2-4) and
//! spread, so that some are easy and some are hard, as the costs on the axes of its Fig. 4.5 ask for.

use crate::Bench;
use crate::plane::{draw_rows, ranges};
use crate::report::Report;
use crate::sets::builtin;
use crate::svg::{Anchor, Panel, Svg};
use rebelboost::Result;

/// Number of data sets.
pub const SETS: usize = 10;

/// The training set (draw 0, 1000 rows) or a test set of one of the ten problems.
pub fn spec(set: usize, rows: usize, draw: usize) -> String {
    let (classes, clusters) = (3 + set % 3, 2 + set / 2 % 3);
    let spread = 0.12 + 0.02 * set as f64;
    format!(
        "gaussians?classes={classes}&clusters={clusters}&spread={spread:.2}&seed={}&rows={rows}&draw={draw}",
        100 + set
    )
}

/// Draws the training points.
pub fn run(_: &Bench) -> Result<Report> {
    let mut svg = Svg::new(1130.0, 540.0);
    let title = "The ten random data sets: 1000 training points each";
    svg.text(565.0, 28.0, 17.0, Anchor::Middle, title);
    let mut text = String::from("Training sets (test sets: `draw=1`, 500 rows):\n\n");
    for set in 0..SETS {
        let data = builtin(&spec(set, 1000, 0))?;
        let (x, y) = ranges(&data);
        let corner = (20.0 + 220.0 * (set % 5) as f64, 72.0 + 240.0 * (set / 5) as f64);
        let panel = Panel { place: [corner.0, corner.1, 208.0, 204.0], x, y };
        draw_rows(&mut svg, &panel, &data, None, 3.2);
        panel.frame(&mut svg);
        panel.title(&mut svg, &format!("{}: {} classes", set + 1, data.class_count()));
        text += &format!("{}. `builtin:{}`\n", set + 1, spec(set, 1000, 0));
    }
    Ok(Report { text, svg: Some(svg.finish()) })
}
