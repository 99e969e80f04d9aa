//! The learner just added: the splits of a tree, the line of a direction, of each question of a turned tree, or where a slope changes sides, both for the first voters of a committee, or
//! the rows that a similarity compares with.

use super::Plane;
use crate::Report;
use maud::{Markup, html};
use rebelboost::model::similarity::{Coding, Form};
use rebelboost::model::{
    Coordinate, Direction, Ellipse, Node, Ramp, Similarity, Slope, Test, Tree, TurnedTree, WeakModel,
};
use std::fmt::Write;

/// Most split lines.
const MOST_LINES: usize = 200;
/// Most voters of a committee that are drawn.
const MOST_VOTERS: usize = 20;
/// Corners that look like an ellipse, and how far from the plane one may lie that is drawn.
const CORNERS: usize = 72;
const FARTHEST: f64 = 20_000.0;

pub(super) fn added(report: &Report<'_>, plane: &Plane, term: usize) -> Markup {
    drawn(report, plane, &report.model().chain.terms[term].learner)
}

fn drawn(report: &Report<'_>, plane: &Plane, learner: &WeakModel) -> Markup {
    match learner {
        WeakModel::Tree(tree) => html! { path.learner d=(splits(tree, plane)) {} },
        WeakModel::Regions(tree) => html! { path.learner d=(splits(tree, plane)) {} },
        WeakModel::Turned(tree) => html! { path.learner d=(turned(tree, plane)) {} },
        WeakModel::Direction(direction) | WeakModel::Ramp(Ramp { direction, .. }) => {
            html! { path.learner d=(line(direction, plane)) {} }
        }
        WeakModel::Ellipse(ellipse) => html! { path.learner clip-path="url(#plane)" d=(outline(ellipse, plane)) {} },
        WeakModel::Slope(Slope { feature, centre, scale, .. }) => {
            let (feature, weight, level) = (*feature, 1.0, None);
            let coordinates = vec![Coordinate { feature, level, centre: *centre, scale: *scale, weight }];
            html! { path.learner d=(line(&Direction { coordinates, threshold: 0.0 }, plane)) {} }
        }
        WeakModel::Similarity(similarity) => comparison(similarity, report, plane),
        WeakModel::Committee(_) => html! {
            @for voter in learner.alone().take(MOST_VOTERS) { (drawn(report, plane, voter)) }
        },
    }
}

/// The line of each split within the part of the plane that reaches it.
fn splits<L>(tree: &Tree<L>, plane: &Plane) -> String {
    let (x, y) = (plane.frame.x, plane.frame.y);
    let mut open = vec![(0, [x.low, x.high], [y.low, y.high])];
    let (mut path, mut lines) = (String::new(), 0);
    while let Some((at, x, y)) = open.pop() {
        let Some(Node::Split { feature, test: Test::AtMost(threshold), left, right, .. }) =
            tree.nodes.get(at as usize)
        else {
            continue;
        };
        let t = *threshold;
        let ([low, high], other) = if *feature == 0 { (x, y) } else { (y, x) };
        if low < t && t < high && lines < MOST_LINES {
            let (from, to) = match feature {
                0 => (plane.frame.at(t, other[0]), plane.frame.at(t, other[1])),
                _ => (plane.frame.at(other[0], t), plane.frame.at(other[1], t)),
            };
            // Writing to a string does not fail.
            let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1}", from.0, from.1, to.0, to.1);
            lines += 1;
        }
        let (below, above) = ([low, high.min(t)], [low.max(t), high]);
        match feature {
            0 => open.extend([(*right, above, y), (*left, below, y)]),
            _ => open.extend([(*right, x, above), (*left, x, below)]),
        }
    }
    path
}

/// The line of each question in turned coordinates, within the part of the plane that reaches it.
fn turned(turned: &TurnedTree, plane: &Plane) -> String {
    let (x, y) = (plane.frame.x, plane.frame.y);
    let whole = vec![(x.low, y.low), (x.high, y.low), (x.high, y.high), (x.low, y.high)];
    let mut open = vec![(0, whole)];
    let (mut path, mut lines) = (String::new(), 0);
    while let Some((at, part)) = open.pop() {
        let Some(Node::Split { feature, test, left, right, .. }) = turned.tree.nodes.get(at as usize) else {
            continue;
        };
        let (a, b, bound) = border(&turned.direction(*feature as usize, test));
        let ([below, above], ends) = cut(&part, |(x, y)| a * x + b * y - bound);
        if let [from, to] = ends[..]
            && lines < MOST_LINES
        {
            path += &plane.frame.line([from, to]);
            lines += 1;
        }
        open.extend([(*right, above), (*left, below)]);
    }
    path
}

/// Corners, one after the other.
type Polygon = Vec<(f64, f64)>;

/// A convex polygon cut in two where a linear function of a place is zero, and the ends of the cut; what is at most zero comes first.
fn cut(part: &[(f64, f64)], height: impl Fn((f64, f64)) -> f64) -> ([Polygon; 2], Polygon) {
    let (mut sides, mut ends) = ([Vec::new(), Vec::new()], Vec::new());
    for (i, from) in part.iter().enumerate() {
        let to = part[(i + 1) % part.len()];
        let (start, end) = (height(*from), height(to));
        sides[usize::from(start > 0.0)].push(*from);
        if (start > 0.0) != (end > 0.0) {
            let share = start / (start - end);
            let at = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            sides.iter_mut().for_each(|side| side.push(at));
            ends.push(at);
        }
    }
    (sides, ends)
}

/// A direction as a x + b y <= bound, in the units of the two columns.
fn border(direction: &Direction) -> (f64, f64, f64) {
    let factor = |feature: u32| {
        let of = direction.coordinates.iter().find(|c| c.feature == feature);
        of.map_or((0.0, 0.0), |c| (c.weight * c.scale, c.weight * c.scale * c.centre))
    };
    let ((a, from_x), (b, from_y)) = (factor(0), factor(1));
    (a, b, direction.threshold + from_x + from_y)
}

/// Where the sum of a direction is its threshold, from one edge of the plane to the other.
fn line(direction: &Direction, plane: &Plane) -> String {
    let (a, b, bound) = border(direction);
    let (x, y) = (plane.frame.x, plane.frame.y);
    let across = [x.low, x.high].map(|x| (x, (bound - a * x) / b));
    let up = [y.low, y.high].map(|y| ((bound - b * y) / a, y));
    // Where it crosses the edges; comparisons with what is not a number are false.
    let inside = |(at_x, at_y): &(f64, f64)| (x.low..=x.high).contains(at_x) && (y.low..=y.high).contains(at_y);
    let mut ends: Vec<(f64, f64)> = across.into_iter().chain(up).filter(inside).collect();
    ends.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1)));
    match ends[..] {
        [from, .., to] => plane.frame.line([from, to]),
        _ => String::new(),
    }
}

/// Where the distance from the centre is two.
fn outline(ellipse: &Ellipse, plane: &Plane) -> String {
    let ([x, y], [a, b, c]) = (&ellipse.axes[..], &ellipse.factor[..]) else { return String::new() };
    let corner = |i: usize| {
        let (sin, cos) = (i as f64 / CORNERS as f64 * std::f64::consts::TAU).sin_cos();
        let along_x = 2.0 * cos / a;
        let along_y = (2.0 * sin - b * along_x) / c;
        (x.at(along_x), y.at(along_y))
    };
    let corners: Vec<(f64, f64)> = (0..=CORNERS).map(corner).collect();
    let near = |(x, y): &(f64, f64)| {
        let (x, y) = plane.frame.at(*x, *y);
        x.abs().max(y.abs()) < FARTHEST
    };
    if corners.iter().all(near) { plane.frame.line(corners) } else { String::new() }
}

/// Rings around the rows, a line between two, and the distance at which a lone one changes sides.
fn comparison(similarity: &Similarity, report: &Report<'_>, plane: &Plane) -> Markup {
    let Some(supports) = report.model().chain.supports.get(similarity.metric as usize) else { return html! {} };
    let place = |support: u32| {
        let row = supports.rows[support as usize] as usize;
        report.data.origin.iter().position(|origin| *origin == row).and_then(|row| plane.row(row))
    };
    let ring = |(x, y): (f64, f64)| html! { circle.learner cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="8" {} };
    match similarity.form {
        Form::Always => html! {},
        Form::One { support, tau } => {
            let scale = |feature: u32| {
                supports.coding.codings.iter().find_map(|coding| match coding {
                    Coding::Numeric { feature: f, scale, .. } if *f == feature => Some(*scale),
                    _ => None,
                })
            };
            // A matrix would turn the circle; without one it is an ellipse in the units of the features.
            let radii = scale(0).zip(scale(1)).filter(|_| supports.coding.whitening.is_none());
            let [_, _, width, height] = plane.frame.place();
            let radii = radii.map(|(x, y)| {
                let far = f64::from(tau).sqrt();
                let (across, up) = (plane.frame.x.high - plane.frame.x.low, plane.frame.y.high - plane.frame.y.low);
                (far / x / across * width, far / y / up * height)
            });
            let drawn = radii.filter(|(x, y)| x.is_finite() && y.is_finite() && x.max(*y) < 2000.0);
            html! { @if let Some((x, y)) = place(support) {
                (ring((x, y)))
                @if let Some((rx, ry)) = drawn {
                    ellipse.learner clip-path="url(#plane)" cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) rx=(format!("{rx:.1}")) ry=(format!("{ry:.1}")) {}
                }
            } }
        }
        Form::Two { supports: [i, j], .. } => html! { @if let (Some(i), Some(j)) = (place(i), place(j)) {
            path.learner d=(format!("M{:.1} {:.1}L{:.1} {:.1}", i.0, i.1, j.0, j.1)) {}
            (ring(i)) (ring(j))
        } },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn area(part: &[(f64, f64)]) -> f64 {
        let pairs = part.iter().zip(part.iter().cycle().skip(1));
        0.5 * pairs.map(|(p, q)| p.0 * q.1 - p.1 * q.0).sum::<f64>()
    }

    proptest! {
        /// Two parts make up the whole, each on its side, and the ends of the cut are on the line.
        #[test]
        fn a_cut_leaves_nothing_out(lines in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64), 1..6)) {
            let mut part = vec![(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            for (a, b, bound) in lines {
                let height = |(x, y): (f64, f64)| a * x + b * y - bound;
                let ([below, above], ends) = cut(&part, height);
                prop_assert!((area(&below) + area(&above) - area(&part)).abs() < 1e-9);
                prop_assert!(below.iter().all(|p| height(*p) < 1e-9) && above.iter().all(|p| height(*p) > -1e-9));
                prop_assert!(ends.iter().all(|p| height(*p).abs() < 1e-9) && [0, 2].contains(&ends.len()));
                part = if area(&below) > area(&above) { below } else { above };
            }
        }
    }
}
