//! Whether an answer given with 80 % confidence is right 80 % of the time.

use crate::Report;
use crate::chart::{Axis, Frame};
use crate::judged::Judged;
use crate::page::Section;
use crate::text::{count, percent};
use maud::{Markup, html};
use rebelboost::metric::{ReliabilityBin, wilson_interval};
use rebelboost::model::Decision;

pub(crate) fn section(report: &Report<'_>, judged: &Judged<'_>) -> Section {
    let body = match &judged.calibration {
        Some(calibration) => {
            let used: Vec<&ReliabilityBin> = calibration.bins.iter().filter(|bin| bin.weight > 0.0).collect();
            diagram(judged, &used, calibration.gap)
        }
        None => {
            let why = match report.model().decision {
                Decision::CostTrained => {
                    "This model was trained on costs: its scores weigh risks and are no probabilities"
                }
                _ => "The scores of this model are not about probabilities",
            };
            html! { p { (why) ", so there is no confidence to check." } }
        }
    };
    Section { id: "reliability", title: "Reliability", body }
}

fn diagram(judged: &Judged<'_>, bins: &[&ReliabilityBin], gap: f64) -> Markup {
    let unit = Axis { percent: true, ..Axis::linear(0.0, 1.0) };
    let frame = Frame { size: (420.0, 320.0), ..Frame::new(unit, unit) };
    let total: f64 = bins.iter().map(|bin| bin.weight).sum();
    // The lower fifth of the drawing holds the shares of the rows.
    let share = |bin: &ReliabilityBin| {
        let (left, top) = frame.at(bin.low, 0.2 * bin.weight / total);
        let (right, low) = frame.at(bin.high, 0.0);
        format!("M{:.1} {low:.1}V{top:.1}H{:.1}V{low:.1}z", left + 1.0, right - 1.0)
    };
    let interval = |bin: &ReliabilityBin| {
        let (low, high) = wilson_interval(bin.accuracy * bin.weight, bin.weight);
        let (x, y) = frame.at(bin.confidence, low);
        format!("M{x:.1} {y:.1}V{:.1}", frame.at(bin.confidence, high).1)
    };
    let words: Vec<String> = (bins.iter())
        .map(|bin| format!("confidence {}: {} right", percent(bin.confidence), percent(bin.accuracy)))
        .collect();
    html! {
        p {
            "An answer given with a confidence of 80\u{a0}% should be right 80\u{a0}% of the time. Confidence and truth are "
            strong { (percent(gap)) } " apart on average, " (judged.origin.words()) "."
        }
        div.pair {
            figure {
                (frame.svg(
                    &format!("Reliability diagram; {}", words.join("; ")),
                    ("confidence of the answer", "right answers"),
                    html! {
                        @for bin in bins { path.shares d=(share(bin)) {} }
                        path.mark d=(frame.line([(0.0, 0.0), (1.0, 1.0)])) {}
                        @for bin in bins {
                            path.interval d=(interval(bin)) {}
                            @let (x, y) = frame.at(bin.confidence, bin.accuracy);
                            circle.dot cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="4.5" {}
                        }
                    },
                ))
                figcaption {
                    "On the dashed line confidence is honest; below it the model is too sure. Lines are 95\u{a0}% intervals, grey bars the share of the rows."
                }
            }
            div.scroll tabindex="0" { table {
                thead { tr {
                    th scope="col" { "Confidence" } th.n scope="col" { "Rows" } th.n scope="col" { "Mean" } th.n scope="col" { "Right" }
                } }
                tbody { @for bin in bins { tr {
                    th scope="row" { (format!("{:.0} to {:.0}\u{a0}%", 100.0 * bin.low, 100.0 * bin.high)) }
                    td.n { (count(bin.weight)) }
                    td.n { (percent(bin.confidence)) }
                    td.n { (percent(bin.accuracy)) }
                } } }
            } }
        }
    }
}
