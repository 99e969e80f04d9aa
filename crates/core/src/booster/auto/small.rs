//! Data of very few distinct rows.

use super::members::Member;
use crate::booster::{Outcome, Problem, Watched, pairs};
use crate::data::{Column, Dataset};
use crate::error::{Error, Result};
use crate::model::{Model, Part};
use crate::registry::Method;
use std::collections::BTreeSet;

/// Distinct rows up to which data are small,
const SMALL: usize = 60;
/// unless each is there so often that repetitions can judge one another.
const MANY: usize = 10 * SMALL;
/// More than there are pairs of so many rows.
const ALL_PAIRS: usize = SMALL * SMALL / 2;

/// Whether there are too few distinct rows to cut into parts.
pub fn is_small(data: &Dataset) -> bool {
    if data.rows() > MANY {
        return false;
    }
    let value = |column: &Column, row: usize| match column {
        Column::Numeric(numbers) => numbers.get(row).to_bits(),
        Column::Categorical(levels) => u64::from(levels.codes[row]),
    };
    let mut seen = BTreeSet::new();
    for row in 0..data.rows() {
        seen.insert(data.features.columns.iter().map(|column| value(column, row)).collect::<Vec<u64>>());
        if seen.len() > SMALL {
            return false;
        }
    }
    true
}

/// All pairs of rows of different classes, in the metric of least leave-one-out loss.
pub fn fit(
    problem: &Problem<'_>,
    members: &[Member],
    checkpoint: Option<Model>,
    watched: &mut Watched<'_>,
) -> Result<Outcome> {
    let mut best: Option<Outcome> = None;
    for member in members.iter().filter(|member| member.settings.algorithm().name == pairs::ALGORITHM.name) {
        let Method::Whole(fit) = member.settings.algorithm().method else { continue };
        // No folds will calibrate it.
        let settings = member.settings.clone().with("pairs", ALL_PAIRS)?.with("calibrate", "on")?;
        let mut quiet = Watched { observer: &mut (), template: watched.template };
        let mut outcome = fit(&Problem { settings: &settings, ..*problem }, checkpoint.clone(), &mut quiet)?;
        outcome.parts = vec![Part {
            name: member.name.clone(),
            terms: outcome.chain.terms.len(),
            weight: 1.0,
            factor: 1.0,
            log_loss: outcome.loss,
            error: outcome.history.first().map_or(0.0, |info| info.error),
        }];
        // Ties to the first.
        if best.as_ref().is_none_or(|best| outcome.loss < best.loss) {
            best = Some(outcome);
        }
    }
    best.ok_or_else(|| Error::internal("the portfolio has no member for small data"))
}
