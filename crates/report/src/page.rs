//! The page around the sections.

use crate::judged::Judged;
use crate::section;
use crate::{Report, chart, text};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use rebelboost::Result;
use rebelboost::context::Context;

/// Nothing is fetched, whatever a name in the data may try.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// A part of the page with its heading.
pub(crate) struct Section {
    /// Address within the page.
    pub id: &'static str,
    pub title: &'static str,
    pub body: Markup,
}

/// The whole page; the first of `views` is shown in detail.
pub(crate) fn page(report: &Report<'_>, views: &[Judged<'_>], context: &Context) -> Result<String> {
    let judged = &views[0];
    let sections: Vec<Section> = [
        Some(section::data::section(report)),
        section::members::section(report),
        section::curves::section(report),
        Some(section::confusion::section(report, judged)),
        Some(section::reliability::section(report, judged)),
        section::regions::section(report, context)?,
        section::importance::section(report, judged, context),
        Some(section::rows::section(report, judged)?),
        Some(section::repeat::section(report)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let title = format!("{} \u{2013} a report by RebelBoost", text::short(report.name, 80));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title))
            body.many[report.model().class_count() > chart::COLOURS] {
                header {
                    p.kicker { "RebelBoost training report" }
                    h1 { (report.name) }
                    (section::overview::header(report, views))
                    nav aria-label="Sections" {
                        @for section in &sections { a href={ "#" (section.id) } { (section.title) } }
                    }
                }
                main {
                    @for section in &sections {
                        section id=(section.id) aria-labelledby={ (section.id) "-title" } {
                            h2 id={ (section.id) "-title" } { (section.title) }
                            (section.body)
                        }
                    }
                }
                script { (PreEscaped(include_str!("page.js"))) }
            }
        }
    };
    Ok(page.into_string())
}

/// What every page begins with: no network, the style sheet, light and dark.
pub(crate) fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) }
            style { (PreEscaped(include_str!("page.css"))) }
        }
    }
}
