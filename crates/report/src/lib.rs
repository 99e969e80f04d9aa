//! The report of a training: one HTML page that needs no network, holds no dates and is the same bytes every time.
//!
//! A section of the page is a file in `section/`: it takes what it needs from [`Report`] and returns markup. Names of
//! classes and features come from the user's table and are escaped by the templates (`maud`); no script reads them.
//! Charts are inline SVG and tables whose colours are variables of the style sheet, so that dark mode and print follow.

mod chart;
mod comparison;
mod judged;
mod page;
mod ranking;
mod section;
mod text;

pub use comparison::comparison;
pub use judged::Rows;
pub use ranking::{RankedFeature, Ranking};

use judged::{Judged, Origin};
use rebelboost::Result;
use rebelboost::booster::{Estimate, Trained};
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
        let estimate = self.trained.summary.estimate.as_ref();
        let left_out = estimate.map(|estimate| (estimate, self.data.select(&estimate.rows)));
        let views = self.judge(left_out.as_ref(), context)?;
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
    fn judge<'a>(&'a self, left_out: Option<&'a (&Estimate, Dataset)>, context: &Context) -> Result<Vec<Judged<'a>>> {
        let judge = |origin, rows, numbers, scores| Judged::new(self.model(), origin, rows, numbers, scores, context);
        let mut views = Vec::new();
        if let Some((estimate, rows)) = left_out {
            let scores = Scores { classes: rows.class_count(), values: estimate.scores.clone() };
            let origin = Origin::LeftOut { folds: estimate.folds, rows: rows.rows(), of: self.data.rows() };
            views.push(judge(origin, Rows::from(rows), Some(rows.origin.as_slice()), Some(scores))?);
        }
        if let Some((name, rows)) = self.test {
            views.push(judge(Origin::Test(name), rows, None, None)?);
        }
        views.push(judge(Origin::Training, Rows::from(self.data), Some(self.data.origin.as_slice()), None)?);
        Ok(views)
    }
}
