//! The members of a stacked model and their weights.

use crate::Report;
use crate::chart::{Bar, bars};
use crate::page::Section;
use crate::text::{number, percent};
use maud::html;

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    let parts = &report.model().parts;
    if parts.is_empty() {
        return None;
    }
    let most = parts.iter().map(|part| part.weight.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let bar = |part: &rebelboost::model::Part| Bar {
        label: html! { span { (part.name) } },
        length: part.weight / most,
        colour: String::new(),
        value: number(part.weight),
    };
    let weights: Vec<Bar> = parts.iter().map(bar).collect();
    let body = html! {
        p { "The model is a sum of members. Each was judged on rows it had not seen; the weights are those with which the sum does best." }
        figure { (bars(false, &weights)) figcaption { "Weight of each member in the sum." } }
        div.scroll tabindex="0" { table {
            thead { tr {
                th scope="col" { "Member" } th.n scope="col" { "Weight" } th.n scope="col" { "Terms" }
                th.n scope="col" { "Wrong, alone" } th.n scope="col" { "Log loss, alone" }
            } }
            tbody { @for part in parts { tr {
                th scope="row" { (part.name) }
                td.n { (number(part.weight)) }
                td.n { (part.terms) }
                td.n { (percent(part.error)) }
                td.n { (number(part.log_loss)) }
            } } }
        } }
    };
    Some(Section { id: "members", title: "Members", body })
}
