//! What was read: notes, class balance, features.

use crate::Report;
use crate::chart::{Bar, bars, colour};
use crate::page::Section;
use crate::text::{count, number, percent, plural, short};
use maud::{Markup, html};
use rebelboost::data::{Column, Dataset, Feature, FeatureKind};

/// Most classes with a bar each.
const MOST_CLASSES: usize = 30;
/// Most features listed.
const MOST_FEATURES: usize = 60;
/// Most level names of a feature.
const MOST_LEVELS: usize = 6;

pub(crate) fn section(report: &Report<'_>) -> Section {
    let data = report.data;
    let numbers = data.schema.features.iter().filter(|f| f.kind == FeatureKind::Numeric).count();
    let others = data.schema.features.len() - numbers;
    let body = html! {
        p {
            (plural(data.rows(), "row")) ", " (plural(data.schema.features.len(), "feature"))
            @match (numbers, others) {
                (_, 0) => " (all numbers)",
                (0, _) => " (all categories)",
                _ => { " (" (numbers) " numeric, " (others) " categorical)" }
            }
            ", target \u{201c}" (data.schema.target) "\u{201d} with " (plural(data.class_count(), "class")) "."
        }
        @if !report.notes.is_empty() {
            ul.notes { @for note in report.notes { li { (note) } } }
        }
        h3 { "Class balance" }
        (balance(data))
        details {
            summary { "Features" }
            (features(data))
        }
    };
    Section { id: "data", title: "What was read", body }
}

fn balance(data: &Dataset) -> Markup {
    let mut weights = vec![0.0; data.class_count()];
    data.labels.iter().zip(&data.weights).for_each(|(label, weight)| weights[*label as usize] += weight);
    let total: f64 = weights.iter().sum();
    let most = weights.iter().copied().fold(0.0, f64::max);
    // All in their own order; of too many, the largest and the smallest.
    let mut order: Vec<usize> = (0..weights.len()).collect();
    let left_out = order.len().saturating_sub(MOST_CLASSES);
    if left_out > 0 {
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
        order.drain(MOST_CLASSES / 2..MOST_CLASSES / 2 + left_out);
    }
    let bar = |class: &usize| Bar {
        label: html! { span title=(data.schema.classes[*class]) { (short(&data.schema.classes[*class], 40)) } },
        length: weights[*class] / most,
        colour: colour(*class),
        value: format!("{} ({})", count(weights[*class]), percent(weights[*class] / total)),
    };
    let list: Vec<Bar> = order.iter().map(bar).collect();
    let unit = if data.weights.iter().all(|w| *w == 1.0) { "Rows" } else { "Weight of the rows" };
    html! {
        figure {
            (bars(false, &list))
            figcaption {
                (unit) " of each class."
                @if left_out > 0 {
                    " The largest and the smallest; " (plural(left_out, "class")) " in between are left out."
                }
            }
        }
    }
}

fn features(data: &Dataset) -> Markup {
    let all = data.schema.features.len();
    html! {
        div.scroll tabindex="0" { table {
            thead { tr { th scope="col" { "Feature" } th scope="col" { "Values" } th.n scope="col" { "Missing" } } }
            tbody {
                @for (feature, column) in data.schema.features.iter().zip(&data.features.columns).take(MOST_FEATURES) {
                    tr {
                        th scope="row" { (short(&feature.name, 60)) }
                        td { (values(feature, column)) }
                        td.n { (percent((0..data.rows()).filter(|r| column.is_missing(*r)).count() as f64 / data.rows() as f64)) }
                    }
                }
            }
        } }
        @if all > MOST_FEATURES { p.small { "\u{2026} and " (plural(all - MOST_FEATURES, "feature")) " more." } }
    }
}

fn values(feature: &Feature, column: &Column) -> String {
    match (&feature.kind, column) {
        (FeatureKind::Categorical(levels), _) => {
            let names: Vec<String> = levels.iter().take(MOST_LEVELS).map(|level| short(level, 24)).collect();
            let more = match levels.len().saturating_sub(MOST_LEVELS) {
                0 => String::new(),
                more => format!(", \u{2026} {more} more"),
            };
            format!("{}{more}", names.join(", "))
        }
        (FeatureKind::Numeric, Column::Numeric(numbers)) => {
            let known = numbers.to_vec().into_iter().filter(|v| !v.is_nan());
            let range = |(low, high): (f64, f64), v: f64| (low.min(v), high.max(v));
            let (low, high) = known.fold((f64::INFINITY, f64::NEG_INFINITY), range);
            format!("{} to {}", number(low), number(high))
        }
        _ => String::new(),
    }
}
