//! When to stop, in plain words: a hint, never a decision.

use super::{Estimate, Step};

/// Batches that must agree.
const WINDOW: usize = 4;
/// Answers are settled when less than this share of them differs.
const SETTLED: f64 = 0.02;
/// An error curve is flat when it moves within this.
const FLAT: f64 = 0.02;
/// Random rows without which an error says little.
const ENOUGH_ROWS: usize = 20;

/// Whether more labels are likely to help.
#[derive(Clone, Debug, PartialEq)]
pub enum Hint {
    /// Too early to say.
    Early,
    /// More labels still change the answers.
    GoOn(String),
    /// They hardly do.
    MayStop(String),
}

impl Hint {
    /// The hint of a session's batches so far.
    pub(super) fn of(history: &[Step]) -> Hint {
        let known: Vec<Estimate> = history.iter().filter_map(|step| step.estimate).collect();
        if known.len() < WINDOW {
            return Hint::Early;
        }
        let last = &known[known.len() - WINDOW..];
        let most = last.iter().map(|e| e.disagreement).fold(0.0, f64::max);
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        if most > SETTLED {
            return Hint::GoOn(format!(
                "leaving out a fifth of the labels still changes {} of the answers",
                percent(last[WINDOW - 1].disagreement)
            ));
        }
        let errors: Vec<f64> = last.iter().filter(|e| e.rows >= ENOUGH_ROWS).map(Estimate::error).collect();
        if errors.len() < WINDOW {
            return Hint::MayStop(format!(
                "over the last {WINDOW} batches the answers are settled (at most {} depend on a fifth of the labels); \
                 there are too few random rows to say how large the error is",
                percent(most)
            ));
        }
        let (low, high) = errors.iter().fold((1.0f64, 0.0f64), |(low, high), e| (low.min(*e), high.max(*e)));
        if high - low > FLAT {
            return Hint::GoOn("the estimated error still moves".into());
        }
        Hint::MayStop(format!(
            "over the last {WINDOW} batches the answers are settled (at most {} depend on a fifth of the labels) and \
             the estimated error is flat at {}",
            percent(most),
            percent(errors[WINDOW - 1])
        ))
    }

    /// In plain words; `None` while it is too early.
    pub fn words(&self) -> Option<String> {
        match self {
            Hint::Early => None,
            Hint::GoOn(why) => Some(format!("more labels will help: {why}")),
            Hint::MayStop(why) => Some(format!("you may stop: {why}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(figures: &[(usize, usize, f64)]) -> Vec<Step> {
        let estimate = |&(rows, wrong, disagreement)| Some(Estimate { rows, wrong, disagreement });
        figures.iter().enumerate().map(|(i, f)| Step { labelled: 5 * i, estimate: estimate(f) }).collect()
    }

    #[test]
    fn stops_only_when_answers_and_error_are_settled() {
        assert_eq!(Hint::of(&steps(&[(30, 1, 0.0); 3])), Hint::Early);
        let of = |figures: &[(usize, usize, f64)]| Hint::of(&steps(figures)).words().unwrap();
        assert!(of(&[(30, 3, 0.0); 4]).starts_with("you may stop") && of(&[(30, 3, 0.0); 4]).contains("10.0 %"));
        assert!(of(&[(30, 3, 0.0), (30, 3, 0.0), (30, 3, 0.05), (30, 3, 0.0)]).contains("more labels will help"));
        assert!(of(&[(30, 6, 0.0), (30, 3, 0.0), (30, 3, 0.0), (30, 3, 0.0)]).contains("still moves"));
        assert!(of(&[(5, 1, 0.0); 6]).contains("too few random rows"));
        // Only the last batches count.
        assert!(of(&[(30, 9, 0.5), (30, 3, 0.0), (30, 3, 0.0), (30, 3, 0.0), (30, 3, 0.0)]).contains("you may stop"));
    }
}
