//! How good a model's answers are on rows whose class is known.

use crate::data;
use crate::output::{self, Output, count, number, percent};
use rebelboost::booster::Estimate;
use rebelboost::context::Context;
use rebelboost::data::{Column, CostMatrix, Dataset, Features, Schema, query_groups};
use rebelboost::metric::{self, Confusion};
use rebelboost::model::{Decision, Model, Scores, argmax};
use rebelboost::{Error, Result};
pub use rebelboost_report::Rows;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

/// Rows with their classes, read from a file.
pub struct Labelled {
    features: Features,
    labels: Vec<u32>,
    weights: Vec<f64>,
    /// Query group of each row; empty if there are none.
    pub groups: Vec<u32>,
}

impl Labelled {
    pub fn rows(&self) -> Rows<'_> {
        Rows { features: &self.features, labels: &self.labels, weights: &self.weights }
    }

    /// The same as a data set under this schema.
    pub fn into_dataset(self, schema: &Schema) -> Dataset {
        let origin = (0..self.labels.len()).collect();
        Dataset {
            schema: schema.clone(),
            features: self.features,
            labels: self.labels,
            weights: self.weights,
            groups: self.groups,
            origin,
        }
    }
}

/// Figures of merit. Those that need probabilities are `None` for a model without them.
pub struct Assessment {
    pub rows: usize,
    pub error: f64,
    pub interval: (f64, f64),
    pub cost: f64,
    /// Mean cost that the probabilities promise for the answers.
    pub expected_cost: Option<f64>,
    /// Mean cost if the most likely class were the answer, whatever the costs.
    pub cost_ignoring: f64,
    /// Error and cost of always giving the same answer, the cheapest.
    pub trivial: (f64, f64),
    pub log_loss: Option<f64>,
    pub brier: Option<f64>,
    pub calibration_error: Option<f64>,
    pub confusion: Confusion,
    pub answers: Vec<u32>,
    /// Of scoring and deciding, not of measuring.
    pub seconds: f64,
    costly: bool,
}

/// Most classes of which a confusion matrix is shown.
const MOST_CLASSES_SHOWN: usize = 20;

/// Reads rows to test a model on. `known` names columns that need no note.
pub fn read(
    schema: &Schema,
    path: &Path,
    weights: Option<&str>,
    group: Option<&str>,
    known: &[&str],
    notes: &mut Vec<String>,
) -> Result<Labelled> {
    let table = data::read_for(schema, path)?;
    let place = |e: Error| e.in_file(data::name(path));
    let known: Vec<&str> = known.iter().copied().chain(weights).chain(group).collect();
    let features = schema.align(&table, &known, notes).map_err(place)?;
    let labels = schema.labels(&table, notes).map_err(place)?.ok_or_else(|| {
        let error = Error::data("without the column of the true classes nothing can be measured");
        place(error.at_column(&schema.target)).hint("'rebel predict' needs no classes")
    })?;
    let weights = match weights {
        None => vec![1.0; labels.len()],
        Some(name) => read_weights(table.column(name)).map_err(|e| place(e.at_column(name)))?,
    };
    let groups = match group.map(|name| (name, table.column(name))) {
        None => Vec::new(),
        Some((name, Some(column))) => query_groups(column).map_err(|e| place(e.at_column(name)))?,
        Some((name, None)) => {
            return Err(place(Error::data("there is no such column to take the query groups from").at_column(name)));
        }
    };
    Ok(Labelled { features, labels, weights, groups })
}

fn read_weights(column: Option<&Column>) -> Result<Vec<f64>> {
    let Some(column) = column else { return Err(Error::data("there is no such column to take the weights from")) };
    let Column::Numeric(numbers) = column else { return Err(Error::data("weights must be numbers")) };
    let weights = numbers.to_vec();
    match weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        Some(row) => Err(Error::data(format!("the weight of data row {} is {}", row + 1, weights[row]))
            .hint("weights must be zero or positive numbers")),
        None => Ok(weights),
    }
}

/// Measures a model. Without `costs`, those of the model count. Given ones also choose the answers, unless the model was
/// trained on costs: its answers are what they are.
pub fn assess(model: &Model, rows: Rows<'_>, costs: Option<&CostMatrix>, context: &Context) -> Result<Assessment> {
    let started = Instant::now();
    let scores = model.scores(rows.features, context);
    let scoring = started.elapsed().as_secs_f64();
    let mut found = judge(model, &scores, rows.labels, rows.weights, costs)?;
    found.seconds += scoring;
    Ok(found)
}

/// What a model is expected to do on rows it has not seen: the training rows, by models that had not.
pub fn expect(model: &Model, data: &Dataset, estimate: &Estimate) -> Result<Assessment> {
    let scores = Scores { classes: model.class_count(), values: estimate.scores.clone() };
    let labels: Vec<u32> = estimate.rows.iter().map(|&row| data.labels[row]).collect();
    let weights: Vec<f64> = estimate.rows.iter().map(|&row| data.weights[row]).collect();
    judge(model, &scores, &labels, &weights, None)
}

/// Measures scores of rows whose class is known.
fn judge(
    model: &Model,
    scores: &Scores,
    labels: &[u32],
    weights: &[f64],
    costs: Option<&CostMatrix>,
) -> Result<Assessment> {
    let started = Instant::now();
    let classes = model.class_count();
    let answers = model.decide(scores, costs.filter(|_| model.decision != Decision::CostTrained))?;
    let seconds = started.elapsed().as_secs_f64();
    let probabilities = model.probabilities(scores).ok().map(|p| p.values);
    let with = |metric: fn(&[u32], &[f64], usize, &[f64]) -> f64| {
        probabilities.as_ref().map(|p| metric(labels, p, classes, weights))
    };
    let error = metric::error_rate(labels, &answers, weights);
    // Wilson with the effective number of rows.
    let squares: f64 = weights.iter().map(|w| w * w).sum();
    let effective = weights.iter().sum::<f64>().powi(2) / squares;
    let uniform = CostMatrix::uniform(classes);
    let costs = costs.or(model.costs.as_ref());
    let counted = costs.unwrap_or(&uniform);
    let confusion = Confusion::new(labels, &answers, weights, classes);
    let supports: Vec<f64> = (0..classes).map(|k| confusion.support(k)).collect();
    let total = confusion.total();
    let always = |answer: usize| {
        let cost = supports.iter().enumerate().map(|(k, support)| support * counted.get(k, answer)).sum::<f64>();
        (1.0 - supports[answer] / total, cost / total)
    };
    let trivial = (0..classes).map(always).reduce(|best, next| if next.1 < best.1 { next } else { best });
    let expected = probabilities.as_ref().map(|p| expected_cost(p, &answers, weights, counted));
    let blind: Vec<u32> = scores.rows().map(|row| argmax(row) as u32).collect();
    Ok(Assessment {
        rows: labels.len(),
        error,
        interval: metric::wilson_interval(error * effective, effective),
        cost: metric::mean_cost(labels, &answers, weights, counted),
        expected_cost: expected,
        cost_ignoring: metric::mean_cost(labels, &blind, weights, counted),
        trivial: trivial.unwrap_or_default(),
        log_loss: with(metric::log_loss),
        brier: with(metric::brier),
        calibration_error: with(metric::expected_calibration_error),
        confusion,
        answers,
        seconds,
        costly: costs.is_some(),
    })
}

fn expected_cost(probabilities: &[f64], answers: &[u32], weights: &[f64], costs: &CostMatrix) -> f64 {
    let rows = probabilities.chunks_exact(costs.classes()).zip(answers).zip(weights);
    let cost = |p: &[f64], answer: u32| -> f64 {
        p.iter().enumerate().map(|(k, p)| p * costs.get(k, answer as usize)).sum()
    };
    rows.map(|((p, answer), weight)| weight * cost(p, *answer)).sum::<f64>() / weights.iter().sum::<f64>()
}

impl Assessment {
    /// What costs change, in words; `None` without costs.
    pub fn costs_in_words(&self) -> Option<String> {
        let expected = self.expected_cost.filter(|_| self.costly)?;
        Some(format!(
            "Cost per row: {} expected by its probabilities, {} in fact; {} if it ignored the costs and gave the most likely class, {} for always the same answer.",
            number(expected),
            number(self.cost),
            number(self.cost_ignoring),
            number(self.trivial.1)
        ))
    }

    /// The error against that of the trivial rule, in words.
    pub fn against_trivial(&self) -> String {
        format!("Always giving the same answer would be wrong on {}.", percent(self.trivial.0))
    }

    /// The figures as JSON.
    pub fn json(&self, classes: &[String]) -> Value {
        let recalls: serde_json::Map<String, Value> =
            classes.iter().enumerate().map(|(k, name)| (name.clone(), json!(self.confusion.recall(k)))).collect();
        // With thousands of classes the matrix would dwarf everything else.
        let matrix = (classes.len() <= 200)
            .then(|| (0..=classes.len()).map(|k| self.confusion.row(k).to_vec()).collect::<Vec<_>>());
        json!({
            "rows": self.rows,
            "error": self.error,
            "error_interval_95": [self.interval.0, self.interval.1],
            "cost": self.cost,
            "expected_cost": self.expected_cost,
            "cost_ignoring_costs": self.cost_ignoring,
            "trivial": {"error": self.trivial.0, "cost": self.trivial.1},
            "log_loss": self.log_loss,
            "brier": self.brier,
            "calibration_error": self.calibration_error,
            "seconds": self.seconds,
            "recall": recalls,
            "confusion": matrix,
        })
    }

    /// Error and cost in words.
    pub fn headline(&self, what: &str) -> String {
        let cost = if self.costly { format!("\n{what} cost: {} per row.", number(self.cost)) } else { String::new() };
        let (low, high) = (percent(self.interval.0), percent(self.interval.1));
        let wrong = self.confusion.total() - self.confusion.correct();
        let total = count(self.confusion.total());
        let error = percent(self.error);
        format!("{what} error: {error} ({} of {total} wrong; 95 % interval {low} to {high}).{cost}", count(wrong))
    }

    /// The confusion matrix with the recall of each class, if there are not too many classes, else the worst classes.
    pub fn show(&self, classes: &[String], output: &Output) {
        let share = |class: usize| self.confusion.recall(class).map_or("-".into(), |r| format!("{:.1} %", 100.0 * r));
        if classes.len() > MOST_CLASSES_SHOWN {
            let mut order: Vec<usize> = (0..classes.len()).filter(|&k| self.confusion.recall(k).is_some()).collect();
            order.sort_by(|&a, &b| {
                self.confusion.recall(a).partial_cmp(&self.confusion.recall(b)).unwrap_or(a.cmp(&b))
            });
            let rows = order
                .iter()
                .take(MOST_CLASSES_SHOWN)
                .map(|&k| vec![classes[k].clone(), count(self.confusion.support(k)), share(k)]);
            output.result("\nThe classes that are recognised worst:");
            let header = ["class", "rows", "recognised"].map(String::from).to_vec();
            output.result(output::table(header, rows.collect(), 1));
            return;
        }
        let mut header = vec!["truth \\ answer".to_string()];
        header.extend(classes.iter().cloned());
        header.push("recognised".into());
        let unseen = (self.confusion.support(classes.len()) > 0.0).then_some(classes.len());
        let rows = (0..classes.len()).chain(unseen).map(|truth| {
            let mut row = vec![classes.get(truth).map_or("(never seen)", String::as_str).to_string()];
            row.extend(self.confusion.row(truth).iter().map(|&w| count(w)));
            row.push(if truth < classes.len() { share(truth) } else { "-".into() });
            row
        });
        output.result(output::table(header, rows.collect(), 1));
    }
}
