//! How to do it again.

use crate::page::Section;
use crate::{Report, text};
use maud::html;

pub(crate) fn section(report: &Report<'_>) -> Section {
    let made = &report.model().provenance;
    let body = html! {
        p { "The same data, options and seed give the same model, byte by byte, on any number of threads." }
        @if !report.command.is_empty() { pre { code { (text::command(report.command)) } } }
        p.small {
            "Made by RebelBoost " (env!("CARGO_PKG_VERSION")) " with seed " (made.seed) "; checksum of the data "
            code { (made.data) } "."
        }
        details {
            summary { "All settings" }
            div.scroll tabindex="0" { table { tbody {
                @for (name, value) in &made.settings {
                    tr { th scope="row" { "--" (name) } td { (value) } }
                }
            } } }
        }
    };
    Section { id: "repeat", title: "To repeat it", body }
}
