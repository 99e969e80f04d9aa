//! The head of the page: what was made, and how good it is.

use crate::Report;
use crate::judged::{Judged, Origin};
use crate::text::{number, percent, plural};
use maud::{Markup, html};

/// What was made, the figures that matter most, and how they differ between the rows that are known.
pub(crate) fn header(report: &Report<'_>, views: &[Judged<'_>]) -> Markup {
    let judged = &views[0];
    let model = report.model();
    let made = &model.provenance;
    let size = match model.parts.len() {
        0 => plural(model.chain.terms.len(), "term"),
        parts => format!("{} with {} together", plural(parts, "member"), plural(model.chain.terms.len(), "term")),
    };
    html! {
        p.lead {
            "A model of " strong { (size) } " by " strong { (made.algorithm) } " (" (made.learner) ") that answers \u{201c}"
            (model.schema.target) "\u{201d} with one of " (plural(model.class_count(), "class")) ", learned from "
            (plural(report.data.rows(), "row")) ". Training ended because " (made.stopped.words()) "."
        }
        dl.tiles {
            (tile("Wrong answers", &percent(judged.error), &format!(
                "95\u{a0}% interval {} to {}, {}", percent(judged.interval.0), percent(judged.interval.1), judged.origin.words()
            )))
            @if report.has_costs() {
                (tile("Mean cost", &number(judged.cost), &match judged.careless_cost {
                    Some(cost) => format!("a row; {} if costs did not decide", number(cost)),
                    None => "a row, in the unit of the costs".to_string(),
                }))
            }
            @if let Some(calibration) = &judged.calibration {
                (tile("Log loss", &number(calibration.log_loss), "0 is perfect; surprise about the truth"))
            }
            (tile("Always the largest class", &percent(majority_error(judged)), "wrong answers without a model"))
        }
        @if judged.origin == Origin::Training {
            p.caution {
                strong { "Judged on the rows it was trained on: " }
                "on new rows it will make more mistakes than this page shows. Give " code { "--test FILE" }
                ", or ask " code { "rebel cv" } "."
            }
        }
        @if views.len() > 1 {
            div.scroll tabindex="0" { table.figures {
                thead { tr {
                    th scope="col" { "Judged" }
                    th.n scope="col" { "rows" }
                    th.n scope="col" { "wrong" }
                    th.n scope="col" { "95\u{a0}% interval" }
                    @if report.has_costs() { th.n scope="col" { "mean cost" } }
                    th.n scope="col" { "log loss" }
                } }
                tbody { @for view in views { tr {
                    th scope="row" { (view.origin.words()) }
                    td.n { (crate::text::count(view.rows.labels.len() as f64)) }
                    td.n { (percent(view.error)) }
                    td.n { (percent(view.interval.0)) " to " (percent(view.interval.1)) }
                    @if report.has_costs() { td.n { (number(view.cost)) } }
                    td.n { (view.calibration.as_ref().map_or("-".into(), |c| number(c.log_loss))) }
                } } }
            } }
            p.small { "The rest of this page shows the answers " (judged.origin.words()) "." }
        }
    }
}

fn tile(what: &str, figure: &str, words: &str) -> Markup {
    html! { div { dt { (what) } dd { strong { (figure) } span { (words) } } } }
}

/// Share of mistakes of one who always answers the most frequent class.
fn majority_error(judged: &Judged<'_>) -> f64 {
    let most = (0..judged.confusion.classes()).map(|class| judged.confusion.support(class)).fold(0.0, f64::max);
    1.0 - most / judged.confusion.total()
}
