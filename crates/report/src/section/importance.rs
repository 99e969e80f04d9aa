//! What tells two classes apart, pair by pair.

use crate::Report;
use crate::chart::{Bar, bars, colour};
use crate::judged::Judged;
use crate::page::Section;
use crate::text::{number, plural, short, signed};
use maud::{Markup, html};
use rebelboost::context::Context;
use rebelboost::explain::{Influence, PairImportance, Share, importance};
use std::collections::BTreeMap;

/// Most pairs to choose from.
const MOST_PAIRS: usize = 120;
/// Most training rows that are looked at.
const MOST_ROWS: usize = 500;
/// Elementary steps that may be spent.
const WORK: usize = 400_000_000;
/// Most features, and most compared rows, listed of a pair.
const MOST_SHARES: usize = 12;

pub(crate) fn section(report: &Report<'_>, judged: &Judged<'_>, context: &Context) -> Option<Section> {
    let (model, data) = (report.model(), report.data);
    if model.chain.terms.is_empty() {
        return None;
    }
    let (pairs, all) = most_confused(judged);
    let supports: usize = model.chain.supports.iter().map(|s| s.len()).sum();
    let step = pairs.len() * (model.schema.features.len() + supports) + model.chain.terms.len() * model.class_count();
    let rows = data.rows().min(MOST_ROWS).min((WORK / step).max(50));
    let sample: Vec<usize> = (0..rows).map(|i| i * data.rows() / rows).collect();
    let data = data.select(&sample);
    let told = importance(model, &data.features, &data.weights, &pairs, context);
    let mut classes = BTreeMap::new();
    for supports in &model.chain.supports {
        classes.extend(supports.rows.iter().copied().zip(supports.classes.iter().copied()));
    }
    // One row is one label everywhere on the page.
    let names = Names { report, classes };
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|pair| pairs[*pair]);
    let body = html! {
        p {
            "The larger the score of a class, the more speaks for it. For two classes, this is how far each "
            @match (model.schema.features.is_empty(), supports) {
                (_, 0) => "feature",
                _ => "feature, and each training row that others are compared with,",
            }
            " moves the difference of their scores: the mean size over " (plural(rows, "training row")) "."
        }
        div.controls {
            label for="pair" { "Tell apart" }
            select #pair data-panels="pair" autocomplete="off" {
                @for pair in order {
                    option value=(pair) selected[pair == 0] { (names.class(pairs[pair].0, 40)) " and " (names.class(pairs[pair].1, 40)) }
                }
            }
        }
        @for (i, told) in told.iter().enumerate() {
            div data-panel="pair" data-of=(i) hidden[i != 0] { (pair(told, &names)) }
        }
        @if all > pairs.len() {
            p.small { "The pairs most often taken for one another; " (plural(all - pairs.len(), "pair")) " are left out." }
        }
    };
    Some(Section { id: "importance", title: "What tells classes apart", body })
}

struct Names<'a> {
    report: &'a Report<'a>,
    /// Class of each training row that is compared with.
    classes: BTreeMap<u64, u32>,
}

impl Names<'_> {
    fn class(&self, class: u32, most: usize) -> String {
        short(&self.report.model().schema.classes[class as usize], most)
    }

    fn influence(&self, influence: Influence) -> Markup {
        match influence {
            Influence::Always => html! { em { "every row alike" } },
            Influence::Feature(feature) => {
                let name = &self.report.model().schema.features[feature as usize].name;
                html! { span title=(name) { (short(name, 40)) } }
            }
            Influence::Row(row) => {
                let class = self.classes.get(&row).copied().unwrap_or(0);
                html! { span { "row " (row + 1) " (" (self.class(class, 24)) ")" } }
            }
        }
    }

    fn colour(&self, influence: Influence) -> String {
        match influence {
            Influence::Row(row) => self.classes.get(&row).map(|class| colour(*class as usize)).unwrap_or_default(),
            _ => String::new(),
        }
    }
}

/// Pairs by how often one is taken for the other, ties in their own order; and how many there are altogether.
fn most_confused(judged: &Judged<'_>) -> (Vec<(u32, u32)>, usize) {
    let confusion = &judged.confusion;
    let k = confusion.classes();
    let times = |&(a, b): &(u32, u32)| confusion.get(a as usize, b as usize) + confusion.get(b as usize, a as usize);
    let mut pairs: Vec<(u32, u32)> = (0..k as u32).flat_map(|a| (a + 1..k as u32).map(move |b| (a, b))).collect();
    pairs.sort_by(|a, b| times(b).total_cmp(&times(a)).then(a.cmp(b)));
    let all = pairs.len();
    pairs.truncate(MOST_PAIRS);
    (pairs, all)
}

fn pair(told: &PairImportance, names: &Names<'_>) -> Markup {
    let of = |wanted: fn(Influence) -> bool| told.shares.iter().filter(|s| wanted(s.influence)).collect::<Vec<_>>();
    let features = of(|influence| matches!(influence, Influence::Feature(_)));
    let rows = of(|influence| matches!(influence, Influence::Row(_)));
    // The start, and terms that answer every row alike.
    let always = told.start + of(|influence| influence == Influence::Always).iter().map(|s| s.signed).sum::<f64>();
    let (a, b) = (names.class(told.pair.0, 40), names.class(told.pair.1, 40));
    let list = |shares: &[&Share]| {
        let most = shares.first().map_or(1.0, |share| share.size);
        let bar = |share: &&Share| Bar {
            label: names.influence(share.influence),
            length: share.size / most,
            colour: names.colour(share.influence),
            value: format!("{} ({})", number(share.size), signed(share.signed)),
        };
        bars(false, &shares.iter().take(MOST_SHARES).map(bar).collect::<Vec<_>>())
    };
    let rest = |shares: &[&Share]| match shares.len().saturating_sub(MOST_SHARES) {
        0 => String::new(),
        more => format!(" {more} smaller ones are left out."),
    };
    html! {
        div.pair {
            @if !features.is_empty() {
                figure {
                    (list(&features))
                    figcaption { "Questions about features: mean size, and in brackets the mean towards " (a) " (+) or " (b) " (\u{2212})." (rest(&features)) }
                }
            }
            @if !rows.is_empty() {
                figure {
                    (list(&rows))
                    figcaption { "Comparisons with training rows, likewise." (rest(&rows)) }
                }
            }
            @if features.is_empty() && rows.is_empty() { p { "Nothing moves these two apart." } }
        }
        p.small {
            "The signed movements of all, with the " (signed(always)) " that every row gets alike, add up to the mean difference of the scores, "
            (signed(told.difference)) "."
        }
    }
}
