//! The report of a training: one HTML page that needs no network, holds no dates and is the same bytes every time.
//!
//! A section of the page is a file in `section/`: it takes what it needs from [`Report`] and returns markup. Names of
//! classes and features come from the user's table and are escaped by the templates (`maud`); no script reads them.
//! Charts are inline SVG and tables whose colours are variables of the style sheet, so that dark mode and print follow.

mod chart;
mod judged;
mod page;
mod section;
mod text;

pub use judged::Rows;

use judged::{Judged, Origin};
use rebelboost::Result;
use rebelboost::booster::Trained;
use rebelboost::context::Context;
use rebelboost::data::Dataset;
use rebelboost::model::{Model, Scores};

/// What a report tells of.
pub struct Report<'a> {
    /// What the table is called.
    pub name: &'a str,
    /// What was learned from.
    pub data: &'a Dataset,
    /// The model and how it came about.
    pub trained: &'a Trained,
    /// Rows to test on and what they are called, if there are any.
    pub test: Option<(&'a str, Rows<'a>)>,
    /// Things worth knowing, in plain words.
    pub notes: &'a [String],
    /// The command that did all this, argument by argument.
    pub command: &'a [String],
}

impl Report<'_> {
    /// The page.
    pub fn html(&self, context: &Context) -> Result<String> {
        let views = self.judge(context)?;
        page::page(self, &views, context)
    }

    fn model(&self) -> &Model {
        &self.trained.model
    }

    /// Whether the user gave costs.
    fn has_costs(&self) -> bool {
        self.model().costs.is_some()
    }

    /// The answers to all rows that are known; the first is what the page shows in detail: rows not seen in training if
    /// there are any.
    fn judge(&self, context: &Context) -> Result<Vec<Judged<'_>>> {
        let data = self.data;
        let training = Rows::from(data);
        let judge = |origin, rows, scores| {
            let numbers = (!matches!(origin, Origin::Test(_))).then_some(data.origin.as_slice());
            Judged::new(self.model(), origin, rows, numbers, scores, context)
        };
        let mut views = Vec::new();
        if let Some(estimate) = &self.trained.summary.estimate {
            let scores = Scores { classes: data.class_count(), values: estimate.scores.clone() };
            views.push(judge(Origin::Folds(estimate.folds), training, Some(scores))?);
        }
        if let Some((name, rows)) = self.test {
            views.push(judge(Origin::Test(name), rows, None)?);
        }
        views.push(judge(Origin::Training, training, None)?);
        Ok(views)
    }
}
