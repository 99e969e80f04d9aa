//! Algorithms side by side on one page: bars of the errors (thesis, fig. 4.7 and 5.9) and curves of the error over the number
//! of weak learners (fig. 4.9).

use crate::chart::{Axis, Frame};
use crate::page::head;
use crate::text::{percent, plural, short};
use maud::{DOCTYPE, Markup, html};
use rebelboost::compare::{Protocol, Standing};
use rebelboost::data::Dataset;

/// Curves shown, those of the lowest errors.
const MOST_CURVES: usize = 7;
/// Most points of a curve.
const MOST_POINTS: usize = 250;
/// Height of a bar with its gap.
const BAR: f64 = 22.0;

/// The page.
pub fn comparison(name: &str, data: &Dataset, protocol: Protocol, table: &[Standing]) -> String {
    let done: Vec<&Standing> = table.iter().filter(|s| s.splits > 0).collect();
    let how = match protocol {
        Protocol::Thesis(splits) => format!(
            "{splits} random splits into 50 % training, 25 % validation and 25 % test rows; at most 200 stumps each, their \
             number chosen on the validation rows; mistakes are counted on the test rows (Appel 2017, thesis 4.6)."
        ),
        Protocol::Folds(folds) => format!("{folds} folds, every algorithm with its own defaults."),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&format!("{} \u{2013} a comparison by RebelBoost", short(name, 80))))
            body {
                header {
                    p.kicker { "RebelBoost comparison" }
                    h1 { (name) }
                    p {
                        (plural(data.rows(), "row")) ", " (plural(data.schema.features.len(), "feature")) ", "
                        (plural(data.class_count(), "class")) ". " (how)
                    }
                }
                main {
                    section id="errors" aria-labelledby="errors-title" {
                        h2 id="errors-title" { "Errors" }
                        figure {
                            (bars(&done))
                            figcaption { "Share of wrong answers; caps are one standard deviation between splits." }
                        }
                        (figures(table))
                    }
                    @let curves: Vec<&Standing> =
                        done.iter().copied().filter(|s| s.curve.len() > 1).take(MOST_CURVES).collect();
                    @if !curves.is_empty() {
                        section id="curves" aria-labelledby="curves-title" {
                            h2 id="curves-title" { "Errors over the number of weak learners" }
                            figure { (lines(&curves)) }
                        }
                    }
                }
            }
        }
    };
    page.into_string()
}

/// Horizontal bars with caps, on one scale.
fn bars(done: &[&Standing]) -> Markup {
    let spread = |s: &Standing| if s.deviation.is_finite() { s.deviation } else { 0.0 };
    let most = done.iter().map(|s| s.error + spread(s)).fold(0.01, f64::max);
    let (left, width) = (130.0, 380.0);
    let x = |value: f64| left + width * (value / most).clamp(0.0, 1.0);
    let height = BAR * done.len() as f64 + 8.0;
    let words = format!("Errors of {}", plural(done.len(), "algorithm"));
    html! {
        svg viewBox=(format!("0 0 590 {height}")) role="img" aria-label=(words) {
            @for (i, s) in done.iter().enumerate() {
                @let top = 4.0 + BAR * i as f64;
                @let middle = top + BAR / 2.0 - 2.0;
                text x=(left - 8.0) y=(middle + 4.0) text-anchor="end" { (s.algorithm) }
                rect.bar x=(left) y=(top) width=(format!("{:.1}", x(s.error) - left)) height=(BAR - 5.0)
                    fill="currentColor" fill-opacity=(if s.algorithm == "rebel" { ".75" } else { ".35" }) {}
                path.line d=(format!("M{:.1} {middle:.1}H{:.1}", x((s.error - spread(s)).max(0.0)), x(s.error + spread(s))))
                    stroke="currentColor" fill="none" {}
                text x=(format!("{:.1}", x(s.error + spread(s)) + 6.0)) y=(middle + 4.0) { (percent(s.error)) }
            }
        }
    }
}

fn lines(curves: &[&Standing]) -> Markup {
    let longest = curves.iter().map(|s| s.curve.len()).max().unwrap_or(1);
    let most = curves.iter().flat_map(|s| &s.curve).copied().fold(0.0, f64::max);
    let frame = Frame { size: (620.0, 340.0), ..Frame::new(Axis::linear(0.0, longest as f64), Axis::percent(most)) };
    let points = |s: &Standing| {
        let step = s.curve.len().div_ceil(MOST_POINTS);
        let curve: Vec<(f64, f64)> = (1..).map(f64::from).zip(s.curve.iter().copied()).collect();
        let last = curve.last().copied();
        curve.into_iter().step_by(step).chain(last).collect::<Vec<_>>()
    };
    html! {
        (frame.svg(
            &format!("Errors of {} over the number of weak learners", plural(curves.len(), "algorithm")),
            ("weak learners", "wrong answers"),
            html! {
                @for (i, s) in curves.iter().enumerate() {
                    path class={ "line k" (i) } d=(frame.line(points(s))) style="stroke:var(--c)" {
                        title { (s.algorithm) }
                    }
                }
            },
        ))
        figcaption {
            "Mean error on the test rows, the best first: "
            @for (i, s) in curves.iter().enumerate() {
                @if i > 0 { ", " }
                span class={ "k" (i) } style="color:var(--c)" { "\u{25CF} " } (s.algorithm)
            }
            "."
        }
    }
}

fn figures(table: &[Standing]) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th { "algorithm" } th { "error" } th { "deviation" } th { "mean rank" } th { "wins" } th { "learners" }
                    th { "seconds" } th { }
                }
            }
            tbody {
                @for s in table {
                    tr {
                        th scope="row" { (s.algorithm) }
                        @if s.splits == 0 {
                            td colspan="6" { "failed" }
                        } @else {
                            td.n { (percent(s.error)) }
                            td.n { @if s.deviation.is_finite() { (percent(s.deviation)) } }
                            td.n { (format!("{:.1}", s.rank)) }
                            td.n { (s.wins) }
                            td.n { (format!("{:.0}", s.learners)) }
                            td.n { (format!("{:.2}", s.seconds)) }
                        }
                        td { @if let Some(why) = &s.failure { (short(why, 120)) } }
                    }
                }
            }
        }
    }
}
