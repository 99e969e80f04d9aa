//! Points in the shape of their class, for those who cannot tell the colours apart.

use crate::chart::colour;
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Radius of a point of mean weight.
const MEAN: f64 = 3.2;
/// Smallest and largest radius.
const RANGE: (f64, f64) = (2.2, 9.0);

/// The outline of a class's shape of about this radius. Six shapes and seven colours make 42 pairs.
pub(super) fn path(class: usize, x: f64, y: f64, r: f64) -> String {
    let mut path = String::new();
    // Rounded before it is doubled, or arcs would not meet.
    let r = (10.0 * r).round() / 10.0;
    // Writing to a string does not fail.
    let _ = match class % 6 {
        0 => write!(
            path,
            "M{:.1} {y:.1}a{r:.1} {r:.1} 0 1 0 {d:.1} 0a{r:.1} {r:.1} 0 1 0-{d:.1} 0",
            x - r,
            d = 2.0 * r
        ),
        1 => write!(path, "M{:.1} {:.1}h{d:.1}v{d:.1}h-{d:.1}z", x - 0.88 * r, y - 0.88 * r, d = 1.76 * r),
        2 => write!(path, "M{x:.1} {:.1}l{h:.1} {v:.1}h-{d:.1}z", y - 1.1 * r, h = 1.1 * r, v = 1.9 * r, d = 2.2 * r),
        3 => write!(path, "M{x:.1} {:.1}l{s:.1} {s:.1}l-{s:.1} {s:.1}l-{s:.1}-{s:.1}z", y - 1.2 * r, s = 1.2 * r),
        4 => write!(path, "M{x:.1} {:.1}l{h:.1}-{v:.1}h-{d:.1}z", y + 1.1 * r, h = 1.1 * r, v = 1.9 * r, d = 2.2 * r),
        _ => write!(
            path,
            "M{:.1} {:.1}h{s:.1}v{s:.1}h{s:.1}v{s:.1}h-{s:.1}v{s:.1}h-{s:.1}v-{s:.1}h-{s:.1}v-{s:.1}h{s:.1}z",
            x - 0.36 * r,
            y - 1.08 * r,
            s = 0.72 * r
        ),
    };
    path
}

/// One path a class; `mark` gives class and place of a point, `sizes` its radius relative to the mean.
pub(super) fn points(sizes: &[f64], mark: impl Fn(usize) -> (usize, (f64, f64))) -> Markup {
    let mut paths: BTreeMap<usize, String> = BTreeMap::new();
    for (row, size) in sizes.iter().enumerate() {
        let (class, (x, y)) = mark(row);
        *paths.entry(class).or_default() += &path(class, x, y, (MEAN * size).clamp(RANGE.0, RANGE.1));
    }
    html! { @for (class, path) in &paths { path class={ "point " (colour(*class)) } d=(path) {} } }
}
