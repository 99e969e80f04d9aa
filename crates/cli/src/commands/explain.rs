//! `rebel explain`: why a model answers what it answers to one row.

use crate::describe;
use crate::output::{self, Output, number, plural, preview};
use crate::{data, files};
use clap::Args;
use rebelboost::data::Features;
use rebelboost::explain::{Explanation, SimilarRow, TermShare, explain};
use rebelboost::model::{Model, Scores};
use rebelboost::{Error, Result};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Say why a model answers what it answers to one row
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Model file
    model: PathBuf,
    /// Table with the row; columns are matched by name
    data: PathBuf,
    /// Row to explain, counted from 1 without the header
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    row: usize,
    /// Terms to spell out
    #[arg(long, value_name = "NUMBER", default_value = "10")]
    terms: usize,
}

const EXAMPLES: &str = "\
Examples:
  rebel explain model.rebel new.csv
  rebel explain model.rebel new.csv --row 7 --terms 20
  rebel explain model.rebel new.csv --row 7 --json > why.json        all terms, with every digit";

/// Most classes whose scores are listed.
const MOST_CLASSES: usize = 10;
/// Most values of the row that are listed.
const MOST_VALUES: usize = 40;
/// Most members, features or rows with their sums.
const MOST_MERGED: usize = 12;
/// Most features compared side by side.
const MOST_COMPARED: usize = 40;

/// A row, its explanation, and what both are called.
struct Explained<'a> {
    model: &'a Model,
    /// The row's values in the columns of the table.
    original: Vec<(String, String)>,
    row: Features,
    /// Class by the data, if they have the target; the model may not know it.
    truth: Option<String>,
    probabilities: Option<Vec<f64>>,
    why: Explanation,
    balance: Balance,
}

/// What spoke for the answer and for the second-best class.
struct Balance {
    /// Terms for the answer, and their sum.
    answer: (usize, f64),
    /// Terms for the second-best class, and their sum.
    second: (usize, f64),
    /// So many of the strongest terms for the answer cannot be missed; `None` if all can.
    decisive: Option<usize>,
}

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    let model = files::load_model(&options.model)?;
    let name = data::name(&options.data);
    let table = data::read_for(&model.schema, &options.data)?;
    let row = options.row.checked_sub(1).filter(|row| *row < table.rows()).ok_or_else(|| {
        let rows = plural(table.rows(), "row");
        Error::option(format!("there is no row {}; the data have {rows}, counted from 1", options.row)).in_file(&name)
    })?;
    // Only this row, so that notes speak of it and not of others.
    let table = table.select(&[row]);
    let mut notes = Vec::new();
    let features = model.schema.align(&table, &[], &mut notes).map_err(|e| e.in_file(&name))?;
    let truth = table.column(&model.schema.target).map(|column| column.text(0)).filter(|text| !text.is_empty());
    if let Some(class) = truth.as_ref().filter(|class| !model.schema.classes.contains(class)) {
        notes.push(format!("class '{class}' was never seen in training"));
    }
    let mut why = explain(&model, &features, 0)?;
    why.row = row;
    let scores = Scores { classes: why.scores.len(), values: why.scores.clone() };
    let probabilities = model.probabilities(&scores).ok().map(|p| p.values);
    if probabilities.is_some() && !model.is_calibrated() {
        notes.push("the probabilities are uncalibrated".into());
    }
    if model.schema.steps.as_ref().is_some_and(|steps| !steps.extractions.is_empty()) {
        notes.push(
            "the model sees mixtures of the columns, so it is explained in these and not column by column".into(),
        );
    }
    let balance = Balance::of(&why);
    let inputs = model.schema.inputs().iter();
    let original =
        inputs.map(|f| (f.name.clone(), table.column(&f.name).map(|c| c.text(0)).unwrap_or_default())).collect();
    let explained = Explained { original, model: &model, row: features, truth, probabilities, why, balance };
    if !output.is_json() {
        explained.answer(&name, output);
        explained.terms(options.terms, output);
        explained.merged(output);
        explained.similar(output);
    }
    // Notes are no part of the answer.
    output.reserve_stdout();
    output.notes(&notes);
    let mut object = explained.json()?;
    object["model"] = json!(options.model.display().to_string());
    object["notes"] = json!(notes);
    output.object(&object);
    Ok(())
}

impl Explained<'_> {
    fn class(&self, class: u32) -> &str {
        &self.why.classes[class as usize]
    }

    fn answer(&self, data: &str, output: &Output) {
        let why = &self.why;
        let value = |(name, text): &(String, String)| match text.as_str() {
            "" => format!("{name} missing"),
            text => format!("{name} {text}"),
        };
        let values: Vec<String> = self.original.iter().map(value).collect();
        output.result(format!("Row {} of {data}: {}.", why.row + 1, preview(&values, MOST_VALUES)));
        let made = describe::made_of(&self.model.schema);
        if !made.is_empty() {
            let values = describe::values(&self.model.schema, &self.row, 0);
            output.result(format!("For the model it is: {}. Of these,", preview(&values, MOST_VALUES)));
            made.iter().for_each(|line| output.result(format!("  {line}")));
        }
        let answer = self.class(why.answer);
        let verdict = match &self.truth {
            Some(truth) if truth == answer => ", which is right".into(),
            Some(truth) => format!(", but it is {truth}"),
            None => String::new(),
        };
        output
            .result(format!("The answer is {answer}{verdict}. The second-best class is {}.", self.class(why.second)));
        let mut order: Vec<usize> = (0..why.scores.len()).collect();
        order.sort_by(|a, b| why.scores[*b].total_cmp(&why.scores[*a]));
        let rows = order.iter().take(MOST_CLASSES).map(|&k| {
            let mut cells = vec![why.classes[k].clone(), format!("{:+.2}", why.scores[k])];
            cells.extend(self.probabilities.iter().map(|p| format!("{:.2} %", 100.0 * p[k])));
            cells
        });
        let mut header = vec![self.model.schema.target.clone(), "score".into()];
        header.extend(self.probabilities.iter().map(|_| "probability".into()));
        output.result(output::table(header, rows.collect(), 1));
        if order.len() > MOST_CLASSES {
            output.result(format!("... and {} more.", plural(order.len() - MOST_CLASSES, "class")));
        }
    }

    fn terms(&self, most: usize, output: &Output) {
        let why = &self.why;
        let (answer, second) = (self.class(why.answer), self.class(why.second));
        let line = |values: [f64; 2], text: &str| {
            let [a, b] = values;
            output.result(format!("{:>+8.2}  {text}: {a:+.2} {answer}, {b:+.2} {second}", a - b));
        };
        let of = |values: &[f64]| [values[why.answer as usize], values[why.second as usize]];
        let listed = why.by_weight();
        let (shown, rest) = listed.split_at(most.min(listed.len()));
        output.result(format!("\nWhy {answer} (+) and not {second} (-), in order of weight:"));
        shown.iter().for_each(|term| line(of(&term.contributions), &term.text));
        if !rest.is_empty() {
            let sum = |class: u32| rest.iter().map(|term| term.contributions[class as usize]).sum::<f64>();
            let others = if shown.is_empty() { "all" } else { "the other" };
            line([sum(why.answer), sum(why.second)], &format!("{others} {} together", plural(rest.len(), "term")));
        }
        line(of(&why.bias), "the start, the same for every row");
        line(of(&why.scores), "in all");
        output.result("The start and the terms add up to the scores exactly; --json has every digit.");
        output.result(self.against_second());
    }

    /// The same sum by member, by feature and by training row: a stacked model has too many terms to read.
    fn merged(&self, output: &Output) {
        let (why, parts) = (&self.why, &self.model.parts);
        if parts.is_empty() {
            return;
        }
        let list = |title: &str, what: &str, sums: Vec<(String, f64)>| {
            if sums.is_empty() {
                return;
            }
            output.result(format!("\n{title}"));
            let rows = sums.iter().take(MOST_MERGED).map(|(name, sum)| vec![name.clone(), format!("{sum:+.2}")]);
            let mut rows: Vec<Vec<String>> = rows.collect();
            if let Some(rest) = sums.get(MOST_MERGED..).filter(|rest| !rest.is_empty()) {
                let sum: f64 = rest.iter().map(|(_, sum)| sum).sum();
                rows.push(vec![format!("{} more", rest.len()), format!("{sum:+.2}")]);
            }
            output.result(output::table(vec![what.into(), "speaks".into()], rows, 1));
        };
        let members = why.by_part(parts).into_iter().map(|(name, sum)| (name.to_string(), sum));
        list("The same by member:", "member", members.collect());
        let feature = |(feature, sum): (usize, f64)| (self.model.schema.features[feature].name.clone(), sum);
        list(
            "What trees and lines said, by feature:",
            "feature",
            why.by_feature().into_iter().map(feature).collect(),
        );
        let row = |(row, sum): (u64, f64)| (format!("row {}", row + 1), sum);
        list("What comparisons said, by training row:", "compared with", why.by_row().into_iter().map(row).collect());
    }

    fn against_second(&self) -> String {
        let (answer, second, balance) = (self.class(self.why.answer), self.class(self.why.second), &self.balance);
        let ((pro, gain), (contra, loss)) = (balance.answer, balance.second);
        let spoke = format!(
            "What decided against {second}: {} spoke for {answer} ({gain:+.2} in all), {contra} for {second} ({loss:+.2}).",
            plural(pro, "term")
        );
        match balance.decisive {
            Some(0) => format!("{spoke}\n{second} scored more, but {answer} is the answer of least expected cost."),
            Some(1) => format!("{spoke}\nWithout the strongest term for {answer}, {second} would have scored more."),
            Some(n) if n == pro => format!("{spoke}\nOnly all of them together kept {second} from scoring more."),
            Some(n) => {
                format!("{spoke}\nWithout the {n} strongest terms for {answer}, {second} would have scored more.")
            }
            None => {
                format!("{spoke}\nEven without them {answer} would not have scored less, by where the scores start.")
            }
        }
    }

    fn similar(&self, output: &Output) {
        let similar = &self.why.similar;
        let compared: Vec<_> = similar.iter().filter_map(|other| other.values.as_ref()).collect();
        let Some(first) = compared.first().filter(|_| compared.len() == similar.len()) else {
            return self.similar_by_number(output);
        };
        output
            .result("\nThe most similar of the training rows that the model compares with; * differs from this row:");
        let mut header = vec![String::new(), "this row".to_string()];
        header.extend(similar.iter().map(|other| format!("row {}", other.row + 1)));
        let mark = |differs: bool, text: &str| {
            let text = if text.is_empty() { "missing" } else { text };
            format!("{}{text}", if differs { "*" } else { "" })
        };
        let mut class =
            vec![self.model.schema.target.clone(), self.truth.as_ref().map_or("unknown".into(), String::clone)];
        let known = |name: &str| self.truth.as_deref().is_some_and(|truth| truth != name);
        class.extend(similar.iter().map(|other| mark(known(self.class(other.class)), self.class(other.class))));
        let mut rows = vec![class];
        for (i, value) in first.iter().enumerate().take(MOST_COMPARED) {
            let mut cells = vec![value.feature.clone(), mark(false, &value.here)];
            cells.extend(compared.iter().map(|values| mark(values[i].differs, &values[i].there)));
            rows.push(cells);
        }
        let mut distance = vec!["distance".to_string(), "0".to_string()];
        distance.extend(similar.iter().map(|other| number(other.distance)));
        rows.push(distance);
        output.result(output::table(header, rows, 1));
        if first.len() > MOST_COMPARED {
            let more = plural(first.len() - MOST_COMPARED, "feature");
            output.result(format!("... and {more} (--json has all)."));
        }
    }

    fn similar_by_number(&self, output: &Output) {
        let name = |other: &SimilarRow| {
            format!("row {} ({}) at {}", other.row + 1, self.class(other.class), number(other.distance))
        };
        let names: Vec<String> = self.why.similar.iter().map(name).collect();
        if !names.is_empty() {
            output.result(format!(
                "\nThe most similar of the training rows that the model compares with, and their distances: {}.\n\
                 The model does not keep their values (it was trained with --keep-values off).",
                names.join(", ")
            ));
        }
    }

    /// The explanation plus names.
    fn json(&self) -> Result<Value> {
        let why = &self.why;
        let mut object = serde_json::to_value(why).map_err(|e| Error::model(format!("cannot be written: {e}")))?;
        let values = self.model.schema.features.iter().zip(&self.row.columns);
        let values: Map<String, Value> = values
            .map(|(feature, column)| match column.text(0) {
                text if text.is_empty() => (feature.name.clone(), Value::Null),
                text => (feature.name.clone(), json!(text)),
            })
            .collect();
        let text = |text: &String| if text.is_empty() { Value::Null } else { json!(text) };
        object["columns"] = self.original.iter().map(|(name, value)| (name.clone(), text(value))).collect();
        object["steps"] =
            json!(self.model.schema.steps.as_ref().map(|s| s.texts().collect::<Vec<_>>()).unwrap_or_default());
        object["row_number"] = json!(why.row + 1);
        object["values"] = Value::Object(values);
        let by_feature = why.by_feature().into_iter();
        let by_row = why.by_row().into_iter();
        object["by_member"] = json!(why.by_part(&self.model.parts));
        object["by_feature"] =
            json!(by_feature.map(|(f, sum)| (&self.model.schema.features[f].name, sum)).collect::<Vec<_>>());
        object["by_training_row"] = json!(by_row.map(|(row, sum)| (row + 1, sum)).collect::<Vec<_>>());
        object["truth"] = json!(self.truth);
        object["answer_class"] = json!(self.class(why.answer));
        object["second_class"] = json!(self.class(why.second));
        object["probabilities"] = json!(self.probabilities);
        let ((pro, gain), (contra, loss)) = (self.balance.answer, self.balance.second);
        object["balance"] = json!({
            "for_answer": {"terms": pro, "sum": gain},
            "for_second": {"terms": contra, "sum": loss},
            "decisive": self.balance.decisive,
        });
        for (i, other) in why.similar.iter().enumerate() {
            object["similar"][i]["row_number"] = json!(other.row + 1);
            object["similar"][i]["class_name"] = json!(self.class(other.class));
        }
        Ok(object)
    }
}

impl Balance {
    fn of(why: &Explanation) -> Self {
        let mut balance = Balance { answer: (0, 0.0), second: (0, 0.0), decisive: None };
        let mut lead = why.scores[why.answer as usize] - why.scores[why.second as usize];
        balance.decisive = (lead < 0.0).then_some(0);
        let weight = |term: &&TermShare| why.weight(term);
        for weight in why.by_weight().iter().map(weight) {
            let side = if weight > 0.0 { &mut balance.answer } else { &mut balance.second };
            side.0 += usize::from(weight != 0.0);
            side.1 += weight;
            if weight > 0.0 && balance.decisive.is_none() {
                lead -= weight;
                balance.decisive = (lead < 0.0).then_some(balance.answer.0);
            }
        }
        balance
    }
}
