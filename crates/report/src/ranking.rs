//! A ranking of features on one page: bars of their scores, and how redundant each is.

use crate::page::head;
use crate::text::{number, plural, short};
use maud::{DOCTYPE, Markup, html};

/// A selection of features.
pub struct Ranking<'a> {
    /// What the table is called.
    pub table: &'a str,
    /// Name of the method.
    pub method: &'a str,
    /// What it does, in one line.
    pub summary: &'a str,
    /// Where it was published.
    pub paper: &'a str,
    /// What the score is, in words.
    pub score: &'a str,
    /// Whether the score is an error.
    pub lower_is_better: bool,
    /// The features, the best first.
    pub features: Vec<RankedFeature>,
    /// Number of features there were.
    pub of: usize,
}

/// A feature of a [`Ranking`].
pub struct RankedFeature {
    /// Column name.
    pub name: String,
    /// Score, as the method counts it.
    pub score: f64,
    /// Share of its information that `with` has too.
    pub redundancy: Option<f64>,
    /// A feature before it.
    pub with: Option<String>,
}

/// Features drawn at most.
const MOST: usize = 200;

impl Ranking<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let largest = self.features.iter().map(|feature| feature.score).fold(0.0, f64::max);
        let title = format!("{} \u{2013} features ranked by RebelBoost", short(self.table, 80));
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                (head(&title))
                body {
                    header {
                        p.kicker { "RebelBoost feature ranking" }
                        h1 { (self.table) }
                        p.lead { (self.features.len()) " of " (plural(self.of, "feature")) ", chosen by " (self.method) ": " (self.summary) "." }
                        p.small { "Published: " (self.paper) ". " @if self.lower_is_better { "A lower score is better." } }
                    }
                    main {
                        div.scroll {
                            table.bars {
                                thead { tr { th { "rank" } th { "feature" } th colspan="2" { (self.score) } th colspan="2" { "redundancy" } th { "most like" } } }
                                tbody { @for (i, feature) in self.features.iter().take(MOST).enumerate() { (row(i, feature, largest)) } }
                            }
                        }
                        @if self.features.len() > MOST { p.small { "The first " (MOST) " are drawn." } }
                        p.small { "Redundancy is the share of a feature's information about the class that one feature before it has too." }
                    }
                }
            }
        };
        page.into_string()
    }
}

fn row(rank: usize, feature: &RankedFeature, largest: f64) -> Markup {
    let length = if largest > 0.0 { (feature.score / largest).clamp(0.0, 1.0) } else { 0.0 };
    html! {
        tr {
            td.n { (rank + 1) }
            th scope="row" { span { (short(&feature.name, 60)) } }
            td.bar { (bar(length, "k0")) }
            td.n { (number(feature.score)) }
            td.bar { (bar(feature.redundancy.unwrap_or(0.0), "k1")) }
            td.n { @if let Some(share) = feature.redundancy { (format!("{:.0}\u{a0}%", 100.0 * share)) } }
            td { @if let Some(with) = &feature.with { (short(with, 60)) } }
        }
    }
}

fn bar(length: f64, colour: &str) -> Markup {
    html! { i class=(colour) style=(format!("width:{:.1}%", 100.0 * length)) {} }
}
