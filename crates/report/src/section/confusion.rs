//! Which classes are taken for which: counts, shares and costs.

use crate::Report;
use crate::chart::colour;
use crate::judged::Judged;
use crate::page::Section;
use crate::text::{count, number, percent, plural, share, short};
use maud::{Markup, html};
use rebelboost::data::CostMatrix;
use rebelboost::metric::Confusion;

/// Most classes of which the whole matrix is shown.
const MOST_CLASSES: usize = 30;
/// Most classes listed when there are more.
const WORST_CLASSES: usize = 20;
/// Most kinds of mistakes listed.
const MOST_MISTAKES: usize = 10;

pub(crate) fn section(report: &Report<'_>, judged: &Judged<'_>) -> Section {
    let confusion = &judged.confusion;
    let names = &report.model().schema.classes;
    let wrong = confusion.total() - confusion.correct();
    let costs = report.has_costs().then_some(&judged.costs);
    let body = html! {
        p {
            (count(wrong)) " of " (count(confusion.total())) " answers are wrong (" (percent(judged.error)) "), "
            (judged.origin.words()) "."
        }
        @if names.len() <= MOST_CLASSES { (matrix(confusion, names, costs)) }
        div.pair {
            div { (classes(confusion, names)) }
            @if wrong > 0.0 { div { (mistakes(confusion, names, costs)) } }
        }
    };
    Section { id: "confusion", title: "Mistakes", body }
}

/// Cost of a kind of mistake; a class never seen has no row in the matrix.
fn cost(costs: Option<&CostMatrix>, truth: usize, answer: usize) -> Option<f64> {
    costs.filter(|costs| truth < costs.classes()).map(|costs| costs.get(truth, answer))
}

fn matrix(confusion: &Confusion, names: &[String], costs: Option<&CostMatrix>) -> Markup {
    let unseen = (confusion.support(names.len()) > 0.0).then_some(names.len());
    let long =
        names.iter().map(|name| name.chars().count()).max().unwrap_or(0) > if names.len() > 8 { 3 } else { 12 };
    let units: &[(&str, &str)] = match costs {
        Some(_) => &[("n", "rows"), ("p", "% of the true class"), ("c", "cost")],
        None => &[("n", "rows"), ("p", "% of the true class")],
    };
    html! {
        figure {
            fieldset.controls data-units="" {
                legend { "Show" }
                @for (i, (unit, words)) in units.iter().enumerate() {
                    label { input type="radio" name="unit" value=(unit) checked[i == 0]; (words) }
                }
            }
            div.scroll tabindex="0" { table.confusion.many[names.len() > 12] data-show="n" {
                caption { "Rows are true classes, columns answers." }
                thead { tr {
                    td {}
                    @for name in names { th.slanted[long] scope="col" title=(name) { span { (short(name, 15)) } } }
                } }
                tbody {
                    @for truth in (0..names.len()).chain(unseen) {
                        tr {
                            @let name = names.get(truth).map_or("(never seen)", String::as_str);
                            th scope="row" title=(name) { (short(name, 24)) }
                            @for answer in 0..names.len() {
                                (cell(confusion, truth, answer, cost(costs, truth, answer)))
                            }
                        }
                    }
                }
            } }
            figcaption {
                span.key { i.right {} "right" } span.key { i.wrong {} "wrong" }
                "The stronger the colour, the larger the share of the true class."
            }
        }
    }
}

fn cell(confusion: &Confusion, truth: usize, answer: usize, cost: Option<f64>) -> Markup {
    let weight = confusion.get(truth, answer);
    if weight == 0.0 {
        return html! { td.z { "\u{b7}" } };
    }
    let part = weight / confusion.support(truth);
    // Even a rare mistake is to be seen.
    let shade = format!("--s:{:.0}%", 8.0 + 62.0 * part.sqrt());
    html! {
        td.right[truth == answer].wrong[truth != answer] style=(shade) {
            span.n { (count(weight)) }
            span.p { (share(part)) }
            @if let Some(cost) = cost { span.c { (number(weight * cost)) } }
        }
    }
}

/// How well each class is recognised; of many classes, the worst.
fn classes(confusion: &Confusion, names: &[String]) -> Markup {
    let mut order: Vec<usize> = (0..names.len()).collect();
    let all = order.len();
    if all > MOST_CLASSES {
        order.retain(|class| confusion.recall(*class).is_some());
        let recall = |class: &usize| confusion.recall(*class).unwrap_or(1.0);
        order.sort_by(|a, b| recall(a).total_cmp(&recall(b)));
        order.truncate(WORST_CLASSES);
    }
    let or_none = |share: Option<f64>| share.map_or("-".into(), percent);
    html! {
        h3 { @if all > MOST_CLASSES { "The classes recognised worst" } @else { "Class by class" } }
        div.scroll tabindex="0" { table {
            thead { tr {
                th scope="col" { "Class" } th.n scope="col" { "Rows" }
                th.n scope="col" title="Share of the rows of this class that are recognised" { "Recognised" }
                th.n scope="col" title="Share of the answers with this class that are right" { "Trustworthy" }
            } }
            tbody { @for class in &order { tr {
                th scope="row" title=(names[*class]) { i class={ "swatch " (colour(*class)) } {} (short(&names[*class], 32)) }
                td.n { (count(confusion.support(*class))) }
                td.n { (or_none(confusion.recall(*class))) }
                td.n { (or_none(confusion.precision(*class))) }
            } } }
        } }
        p.small {
            "Recognised: share of the rows of the class that get its name. Trustworthy: share of the answers with its name that are right."
            @if all > order.len() { " " (plural(all - order.len(), "class")) " not listed." }
        }
    }
}

/// The most frequent kinds of mistakes, or the most expensive where mistakes have costs.
fn mistakes(confusion: &Confusion, names: &[String], costs: Option<&CostMatrix>) -> Markup {
    let k = names.len();
    let price = |truth: usize, answer: usize| {
        confusion.get(truth, answer) * costs.map_or(1.0, |_| cost(costs, truth, answer).unwrap_or(0.0))
    };
    let mut found: Vec<(usize, usize)> = (0..=k)
        .flat_map(|truth| (0..k).map(move |answer| (truth, answer)))
        .filter(|&(truth, answer)| truth != answer && confusion.get(truth, answer) > 0.0)
        .collect();
    found.sort_by(|a, b| price(b.0, b.1).total_cmp(&price(a.0, a.1)).then(a.cmp(b)));
    let more = found.len().saturating_sub(MOST_MISTAKES);
    let name = |class: usize| short(names.get(class).map_or("(never seen)", String::as_str), 32);
    html! {
        h3 { @if costs.is_some() { "The most expensive mistakes together" } @else { "The most frequent mistakes" } }
        div.scroll tabindex="0" { table {
            thead { tr {
                th scope="col" { "Truth" } th scope="col" { "Answer" } th.n scope="col" { "Rows" }
                th.n scope="col" { "Of the class" }
                @if costs.is_some() { th.n scope="col" { "Cost" } }
            } }
            tbody { @for &(truth, answer) in found.iter().take(MOST_MISTAKES) { tr {
                td { (name(truth)) } td { (name(answer)) }
                td.n { (count(confusion.get(truth, answer))) }
                td.n { (percent(confusion.get(truth, answer) / confusion.support(truth))) }
                @if costs.is_some() { td.n { (number(price(truth, answer))) } }
            } } }
        } }
        @if more > 0 { p.small { (plural(more, "more kind")) " of mistakes." } }
    }
}
