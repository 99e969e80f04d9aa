//! The rows worth looking at, each with its explanation: mistakes, doubts, certainties.

use crate::Report;
use crate::chart::{Bar, bars, colour};
use crate::judged::{Judged, Origin};
use crate::page::Section;
use crate::text::{number, percent, plural, short, signed, value};
use maud::{Markup, html};
use rebelboost::Result;
use rebelboost::explain::{Explanation, SimilarRow, explain};
use std::collections::BTreeSet;

/// Rows of each kind.
const ROWS: usize = 3;
/// Most features with a bar.
const MOST_FEATURES: usize = 6;
/// Most terms spelled out.
const MOST_TERMS: usize = 5;
/// Most values of a row that are listed.
const MOST_VALUES: usize = 10;
/// Most similar rows side by side, and most features of them.
const MOST_SIMILAR: (usize, usize) = (3, 8);

pub(crate) fn section(report: &Report<'_>, judged: &Judged<'_>) -> Result<Section> {
    let count = judged.answers.len();
    let certainty = &judged.certainty;
    // The first rows in an order, ties to the earlier row.
    let first = |rows: Vec<usize>, order: &dyn Fn(&usize, &usize) -> std::cmp::Ordering| {
        let mut rows = rows;
        rows.sort_by(|a, b| order(a, b).then(a.cmp(b)));
        rows.truncate(ROWS);
        rows
    };
    // A row of weight zero is absent.
    let all = || (0..count).filter(|row| judged.rows.weights[*row] > 0.0).collect::<Vec<_>>();
    let wrong: Vec<usize> = all().into_iter().filter(|row| !judged.is_right(*row)).collect();
    let dear = |a: &usize, b: &usize| {
        judged.cost_of(*b).total_cmp(&judged.cost_of(*a)).then(certainty[*b].total_cmp(&certainty[*a]))
    };
    let costly = report.has_costs();
    let groups = [
        (if costly { "The most expensive mistakes" } else { "The mistakes it was surest of" }, first(wrong, &dear)),
        ("The least certain answers", first(all(), &|a, b| certainty[*a].total_cmp(&certainty[*b]))),
        ("The most certain answers", first(all(), &|a, b| certainty[*b].total_cmp(&certainty[*a]))),
    ];
    let mut shown = Vec::new();
    let mut cards = Vec::new();
    for (title, rows) in groups.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        let mut group = Vec::new();
        for row in rows {
            if shown.contains(&row) {
                group.push(html! { p.small { a href={ "#row-" (judged.number(row)) } { "Row " (judged.number(row)) } " is shown above." } });
            } else {
                shown.push(row);
                group.push(Card::new(report, judged, row)?.markup());
            }
        }
        cards.push(html! { h3 { (title) } div.cards { @for card in group { (card) } } });
    }
    let body = html! {
        p {
            "Bars show what spoke for the answer (to the right) and for the second-best class (to the left), in units of the score; "
            "together they are the whole difference."
            @if let Origin::LeftOut { .. } = judged.origin {
                " Answers and certainties are those of models that had not seen the row; explanations are the final model's."
            }
        }
        @for card in cards { (card) }
    };
    Ok(Section { id: "rows", title: "Rows worth a look", body })
}

struct Card<'a> {
    report: &'a Report<'a>,
    judged: &'a Judged<'a>,
    row: usize,
    why: Explanation,
}

impl<'a> Card<'a> {
    fn new(report: &'a Report<'a>, judged: &'a Judged<'a>, row: usize) -> Result<Self> {
        Ok(Card { report, judged, row, why: explain(report.model(), judged.rows.features, row)? })
    }

    fn class(&self, class: u32) -> Markup {
        match self.why.classes.get(class as usize) {
            Some(name) => {
                html! { span.class { i class={ "swatch " (colour(class as usize)) } {} b title=(name) { (short(name, 32)) } } }
            }
            None => html! { "a class never seen" },
        }
    }

    fn name(&self, class: u32) -> String {
        short(&self.why.classes[class as usize], 24)
    }

    fn markup(&self) -> Markup {
        let (judged, why) = (self.judged, &self.why);
        let answer = judged.answers[self.row];
        let sure = judged.certainty[self.row];
        html! {
            article.card id={ "row-" (judged.number(self.row)) } {
                h4 {
                    "Row " (judged.number(self.row)) ": " (self.class(answer)) " "
                    @match judged.calibration { Some(_) => (percent(sure)), None => { "by " (number(sure)) } }
                }
                p {
                    @if judged.is_right(self.row) { span.right { "\u{2713} right" } }
                    @else { span.wrong { "\u{2717} wrong" } ", it is " (self.class(judged.rows.labels[self.row])) }
                    @if self.report.has_costs() && !judged.is_right(self.row) { "; this costs " (number(judged.cost_of(self.row))) }
                    @if why.answer != answer { ". The final model, which has seen the row, answers " (self.class(why.answer)) }
                    @if why.scores[why.second as usize] > why.scores[why.answer as usize] { ". Likelier, but dearer: " } @else { ". Second best: " }
                    (self.class(why.second)) "."
                }
                p.values { (self.values()) }
                figure {
                    (bars(true, &self.bars()))
                    figcaption { "For " (self.name(why.answer)) " (right) or " (self.name(why.second)) " (left)." }
                }
                details {
                    summary { "Its strongest terms" }
                    ol { @for term in why.by_weight().into_iter().take(MOST_TERMS) {
                        li { span.n { (signed(why.weight(term))) } " " (short(&term.text, 200)) }
                    } }
                }
                @if !why.similar.is_empty() { (self.similar(&why.similar)) }
            }
        }
    }

    /// The row's values, those that mattered first.
    fn values(&self) -> Markup {
        let schema = &self.report.model().schema;
        let mut order: Vec<usize> = self.why.by_feature().into_iter().map(|(feature, _)| feature).collect();
        let mattered: BTreeSet<usize> = order.iter().copied().collect();
        order.extend((0..schema.features.len()).filter(|feature| !mattered.contains(feature)));
        let more = order.len().saturating_sub(MOST_VALUES);
        html! {
            @for feature in order.iter().take(MOST_VALUES) {
                span { (short(&schema.features[*feature].name, 32)) "\u{a0}"
                    b { (value(&self.judged.rows.features.columns[*feature].text(self.row))) }
                }
                " "
            }
            @if more > 0 { span { "and " (more) " more" } }
        }
    }

    fn bars(&self) -> Vec<Bar> {
        let movements = self.movements();
        let most = movements.iter().map(|(_, value)| value.abs()).fold(f64::MIN_POSITIVE, f64::max);
        let bar = |(label, value): (Markup, f64)| Bar {
            label,
            length: value / most,
            colour: if value < 0.0 { "against".into() } else { String::new() },
            value: signed(value),
        };
        movements.into_iter().map(bar).collect()
    }

    /// What moved the decision; nothing is left out, so that they add up to the difference of the scores.
    fn movements(&self) -> Vec<(Markup, f64)> {
        let why = &self.why;
        let mut list: Vec<(Markup, f64)> = Vec::new();
        let by_feature = why.by_feature();
        for (feature, sum) in by_feature.iter().take(MOST_FEATURES) {
            let name = &self.report.model().schema.features[*feature].name;
            list.push((html! { span title=(name) { (short(name, 32)) } }, *sum));
        }
        if by_feature.len() > MOST_FEATURES {
            let rest = &by_feature[MOST_FEATURES..];
            let words = plural(rest.len(), "other feature");
            list.push((html! { em { (words) } }, rest.iter().map(|(_, sum)| sum).sum()));
        }
        // Terms that ask about no feature: comparisons, one by one if there is nothing else.
        let comparisons: Vec<_> = why.by_weight().into_iter().filter(|term| term.features.is_empty()).collect();
        let spelled = if by_feature.is_empty() { MOST_TERMS } else { 2 };
        for term in comparisons.iter().take(spelled) {
            list.push((html! { span title=(term.text) { (short(&term.text, 90)) } }, why.weight(term)));
        }
        if comparisons.len() > spelled {
            let rest = &comparisons[spelled..];
            let words = plural(rest.len(), "other comparison");
            list.push((html! { em { (words) } }, rest.iter().map(|term| why.weight(term)).sum()));
        }
        let start = why.bias[why.answer as usize] - why.bias[why.second as usize];
        if start != 0.0 {
            list.push((html! { em { "the start" } }, start));
        }
        list
    }

    fn similar(&self, similar: &[SimilarRow]) -> Markup {
        let similar = &similar[..similar.len().min(MOST_SIMILAR.0)];
        let features = &self.report.model().schema.features;
        // Where the rows differ comes first; there is the room of a few features.
        let values: Vec<_> = similar.iter().filter_map(|row| row.values.as_ref()).collect();
        let mut order: Vec<usize> = (0..features.len()).collect();
        order.sort_by_key(|f| std::cmp::Reverse(values.iter().filter(|values| values[*f].differs).count()));
        let more = order.len().saturating_sub(MOST_SIMILAR.1);
        order.truncate(MOST_SIMILAR.1);
        order.sort_unstable();
        html! {
            p.small { "The most similar training rows" @if more > 0 { " (" (plural(more, "feature")) " not shown)" } ":" }
            div.scroll tabindex="0" { table.similar {
                thead { tr {
                    td {} th.n scope="col" { "this" }
                    @for row in similar { th.n scope="col" { "row " (row.row + 1) br; (self.class(row.class)) } }
                } }
                tbody {
                    @if values.len() == similar.len() {
                        @for feature in order { tr {
                            th scope="row" { (short(&features[feature].name, 16)) }
                            td.n { (value(&values[0][feature].here)) }
                            @for values in &values {
                                td.n.differs[values[feature].differs] { (value(&values[feature].there)) }
                            }
                        } }
                    }
                    tr { th scope="row" { em { "distance" } } td {} @for row in similar { td.n { (number(row.distance)) } } }
                }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rebelboost_testkit::{context, fit, settings, shapes};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn bars_add_up_to_the_difference_of_the_scores(shape in shapes(50, 9, 4), similar in any::<bool>()) {
            let data = shape.dataset();
            let learner = if similar { "similarity" } else { "tree" };
            let trained = fit(&data, None, &settings("rebel", &[("rounds", "20"), ("learner", learner)]));
            let report = Report { name: "d", data: &data, trained: &trained, test: None, notes: &[], command: &[] };
            let views = report.judge(None, &context()).unwrap();
            for row in 0..data.rows() {
                let card = Card::new(&report, &views[0], row).unwrap();
                let (answer, second) = (card.why.answer as usize, card.why.second as usize);
                let sum: f64 = card.movements().iter().map(|(_, value)| value).sum();
                let difference = card.why.scores[answer] - card.why.scores[second];
                prop_assert!((sum - difference).abs() <= 1e-9 * (1.0 + difference.abs()), "{sum} {difference}");
            }
        }
    }
}
