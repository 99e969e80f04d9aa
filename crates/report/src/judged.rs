//! How good the answers to some rows are, and on which rows that is judged.

use rebelboost::Result;
use rebelboost::context::Context;
use rebelboost::data::{CostMatrix, Dataset, Features};
use rebelboost::metric::{self, Confusion, ReliabilityBin};
use rebelboost::model::{Decision, Model, Scores};

/// Ranges of confidence.
const BINS: usize = 10;

/// Rows with their classes.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// Their features, coded as the model's schema says.
    pub features: &'a Features,
    /// One class a row; the model may never have seen it.
    pub labels: &'a [u32],
    /// One weight a row.
    pub weights: &'a [f64],
}

impl<'a> From<&'a Dataset> for Rows<'a> {
    fn from(data: &'a Dataset) -> Self {
        Rows { features: &data.features, labels: &data.labels, weights: &data.weights }
    }
}

/// Where the answers come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin<'a> {
    /// Models that were trained without the row: `rows` of all rows, cut into so many parts.
    LeftOut { folds: usize, rows: usize, of: usize },
    /// The model, on the rows of this name.
    Test(&'a str),
    /// The model, on rows it was trained on.
    Training,
}

impl Origin<'_> {
    /// "on rows it had not seen (5 folds)".
    pub fn words(self) -> String {
        match self {
            Origin::LeftOut { folds: 1, rows, of } => format!("on {rows} of {of} rows, which it had not seen"),
            Origin::LeftOut { folds, rows, .. } if folds == rows => "on rows it had not seen, one at a time".into(),
            Origin::LeftOut { folds, .. } => format!("on rows it had not seen ({folds} folds)"),
            Origin::Test(name) => format!("on the test rows of {name}"),
            Origin::Training => "on the rows it was trained on".into(),
        }
    }
}

/// Whether confidence is honest.
pub(crate) struct Calibration {
    /// Ranges of confidence.
    pub bins: Vec<ReliabilityBin>,
    /// Mean gap between confidence and truth.
    pub gap: f64,
    pub log_loss: f64,
}

/// Answers to rows whose class is known.
pub(crate) struct Judged<'a> {
    pub origin: Origin<'a>,
    pub rows: Rows<'a>,
    /// Row of the table, from 0; `None` if that is the row itself.
    numbers: Option<&'a [usize]>,
    pub answers: Vec<u32>,
    /// How sure each answer is: its probability, or without probabilities how far its score is ahead of the next.
    pub certainty: Vec<f64>,
    /// `None` for a model without probabilities.
    pub calibration: Option<Calibration>,
    /// Those of the model; every mistake costs one if it has none.
    pub costs: CostMatrix,
    pub confusion: Confusion,
    pub error: f64,
    /// 95 % interval of the error.
    pub interval: (f64, f64),
    pub cost: f64,
    /// What answers without regard to costs would cost, where costs decide.
    pub careless_cost: Option<f64>,
}

/// How far the score of the answer is ahead of all others.
fn lead(scores: &[f64], answer: usize) -> f64 {
    let others = (0..scores.len()).filter(|k| *k != answer).map(|k| scores[k]);
    scores[answer] - others.fold(f64::NEG_INFINITY, f64::max)
}

impl<'a> Judged<'a> {
    /// Judges the answers that follow from these scores, or else from the model's own.
    pub fn new(
        model: &Model,
        origin: Origin<'a>,
        rows: Rows<'a>,
        numbers: Option<&'a [usize]>,
        scores: Option<Scores>,
        context: &Context,
    ) -> Result<Self> {
        let classes = model.class_count();
        let scores = scores.unwrap_or_else(|| model.scores(rows.features, context));
        let answers = model.decide(&scores, None)?;
        let probabilities = model.probabilities(&scores).ok();
        let costs = model.costs.clone().unwrap_or_else(|| CostMatrix::uniform(classes));
        let (labels, weights) = (rows.labels, rows.weights);
        let error = metric::error_rate(labels, &answers, weights);
        // Wilson with the effective number of rows.
        let effective = weights.iter().sum::<f64>().powi(2) / weights.iter().map(|w| w * w).sum::<f64>();
        let careless_cost = (model.decision == Decision::ExpectedCost).then(|| {
            let likeliest: Vec<u32> = scores.rows().map(|row| rebelboost::model::argmax(row) as u32).collect();
            metric::mean_cost(labels, &likeliest, weights, &costs)
        });
        let rows_of = |of: &Scores, value: fn(&[f64], usize) -> f64| {
            of.rows().zip(&answers).map(|(row, answer)| value(row, *answer as usize)).collect()
        };
        let certainty = match &probabilities {
            Some(p) => rows_of(p, |p, answer| p[answer]),
            None => rows_of(&scores, lead),
        };
        let calibration = probabilities.map(|p| Calibration {
            bins: metric::reliability(labels, &p.values, classes, weights, BINS),
            gap: metric::expected_calibration_error(labels, &p.values, classes, weights),
            log_loss: metric::log_loss(labels, &p.values, classes, weights),
        });
        Ok(Judged {
            interval: metric::wilson_interval(error * effective, effective),
            cost: metric::mean_cost(labels, &answers, weights, &costs),
            confusion: Confusion::new(labels, &answers, weights, classes),
            origin,
            rows,
            numbers,
            answers,
            certainty,
            calibration,
            costs,
            error,
            careless_cost,
        })
    }

    /// The number people call a row by: that of the table, from 1.
    pub fn number(&self, row: usize) -> usize {
        self.numbers.map_or(row, |numbers| numbers[row]) + 1
    }

    /// Whether the answer to a row is right.
    pub fn is_right(&self, row: usize) -> bool {
        self.rows.labels[row] == self.answers[row]
    }

    /// What the answer to a row costs. A class never seen costs the mean mistake.
    pub fn cost_of(&self, row: usize) -> f64 {
        match self.rows.labels[row] as usize {
            truth if truth < self.costs.classes() => self.costs.get(truth, self.answers[row] as usize),
            _ => self.costs.mean(),
        }
    }
}
