//! How training went, round by round.

use crate::Report;
use crate::chart::{Axis, Frame};
use crate::page::Section;
use crate::text::{number, percent, plural};
use maud::{Markup, html};
use rebelboost::booster::RoundInfo;

/// Most points of a curve.
const MOST_POINTS: usize = 300;

/// Nothing for a model without rounds.
pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    let history = &report.trained.summary.history;
    let (first, last) = (history.first()?, history.last()?);
    if history.len() < 2 {
        return None;
    }
    let rounds = thinned(history);
    let kept = report.model().chain.learners();
    let cut = (kept < last.round).then_some(kept);
    let x = Axis::linear(first.round as f64 - 1.0, last.round as f64);
    let held = history.iter().any(|info| info.holdout.is_some());
    let most = history.iter().flat_map(|info| [Some(info.error), info.holdout]).flatten().fold(0.0, f64::max);
    // Costs may exceed one.
    let errors = if most > 1.0 { Axis::linear(0.0, most * 1.05) } else { Axis::percent(most) };
    let loss = Frame::new(x, Axis::of_loss(history.iter().map(|info| info.loss)));
    let error = Frame::new(x, errors);
    let log = if loss.y.log { ", on a scale of factors" } else { "" };
    let best = history.iter().filter_map(|info| info.holdout).fold(f64::INFINITY, f64::min);
    let body = html! {
        p {
            "From round " (first.round) " to round " (last.round) " the loss went from " (number(first.loss)) " to "
            (number(last.loss)) " and the share of wrong answers on the training rows from " (percent(first.error)) " to "
            (percent(last.error)) "."
            @if held { " On the rows held out the lowest mean cost was " (number(best)) "." }
            @if let Some(round) = cut { " The model ends at round " (round) ", which did best there (dashed line)." }
        }
        div.pair {
            figure {
                (loss.svg(
                    &format!("Loss over {}, from {} to {}{log}", plural(history.len(), "round"), number(first.loss), number(last.loss)),
                    ("round", "loss"),
                    html! { (mark(&loss, cut)) path.line.s0 d=(loss.line(rounds.iter().map(|i| (i.round as f64, i.loss)))) {} },
                ))
                figcaption { "Loss on the training rows" (log) "." }
            }
            figure {
                (error.svg(
                    &format!("Share of wrong answers over {}, from {} to {}", plural(history.len(), "round"), percent(first.error), percent(last.error)),
                    ("round", if held { "wrong or mean cost" } else { "wrong answers" }),
                    html! {
                        (mark(&error, cut))
                        path.line.s0 d=(error.line(rounds.iter().map(|i| (i.round as f64, i.error)))) {}
                        @if held {
                            path.line.s1 d=(error.line(rounds.iter().filter_map(|i| Some((i.round as f64, i.holdout?))))) {}
                        }
                    },
                ))
                figcaption {
                    span.key { i.s0 {} "wrong on the training rows" }
                    @if held { span.key { i.s1 {} "mean cost on the rows held out" } }
                }
            }
        }
    };
    Some(Section { id: "curves", title: "Round by round", body })
}

fn mark(frame: &Frame, cut: Option<usize>) -> Markup {
    let [_, top, _, height] = frame.place();
    let line = |round: usize| format!("M{:.1} {:.1}v{:.1}", frame.at(round as f64, 0.0).0, top, height);
    html! { @if let Some(round) = cut { path.mark d=(line(round)) {} } }
}

/// Evenly spaced rounds, the first and the last among them.
fn thinned(history: &[RoundInfo]) -> Vec<&RoundInfo> {
    let points = history.len().min(MOST_POINTS);
    (0..points).map(|i| &history[i * (history.len() - 1) / (points - 1).max(1)]).collect()
}
