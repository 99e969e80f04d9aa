//! Cost matrices and taxonomies as small CSV files.

use crate::csv::CsvFile;
use crate::read::ReadOptions;
use crate::source::Source;
use crate::value::{Cell, shown};
use rebelboost::data::CostMatrix;
use rebelboost::error::{Error, ErrorKind, Result};

/// Most cells of a cost file: ten thousand classes squared.
const MAX_CELLS: usize = 100_000_000;

/// Reads a cost matrix: the first row and the first column are class names in any order, cell (i, j) is the cost of
/// answering j when the truth is i. The corner is ignored.
pub fn read_costs(source: &Source, class_names: &[String]) -> Result<CostMatrix> {
    costs(&source.repeatable()?, class_names).map_err(|e| e.in_file(source.name()))
}

/// Reads a taxonomy: lines `child,parent`, with or without that header. The cost of a mistake is the distance in the
/// tree, scaled to a mean of one.
pub fn read_taxonomy(source: &Source, class_names: &[String]) -> Result<CostMatrix> {
    taxonomy(&source.repeatable()?, class_names).map_err(|e| e.in_file(source.name()))
}

fn costs(source: &Source, class_names: &[String]) -> Result<CostMatrix> {
    let mut rows = rows(source)?.into_iter();
    let Some(Row { mut cells, .. }) = rows.next() else { return Err(Error::costs("the file is empty")) };
    cells.remove(0);
    let answers: Vec<String> = cells.iter().map(|name| as_class(name, class_names)).collect();
    let (mut truths, mut values) = (Vec::new(), Vec::new());
    for Row { line, cells } in rows {
        if cells.len() != answers.len() + 1 {
            return Err(Error::costs(format!(
                "found {} costs where the first row names {} classes",
                cells.len() - 1,
                answers.len()
            ))
            .at_line(line));
        }
        let truth = as_class(&cells[0], class_names);
        for (answer, cell) in answers.iter().zip(&cells[1..]) {
            values.push(cost(&truth, answer, cell).map_err(|e| e.at_line(line).at_column(answer))?);
        }
        truths.push(truth);
    }
    CostMatrix::from_named(&truths, &answers, &values, class_names)
}

fn cost(truth: &str, answer: &str, cell: &str) -> Result<f64> {
    let (value, problem) = match Cell::of(cell.as_bytes()) {
        Cell::Integer(value) => (f64::from(value), None),
        Cell::Number(value) => (value, None),
        _ => (0.0, Some("a cost must be a number")),
    };
    let problem = match problem {
        None if truth == answer && value != 0.0 => "a right answer must cost zero",
        None if value < 0.0 => "a cost must not be negative",
        None => return Ok(value),
        Some(problem) => problem,
    };
    let found = shown(cell.as_bytes());
    Err(Error::costs(format!("the cost of answering '{answer}' when the truth is '{truth}' is {found}; {problem}")))
}

fn taxonomy(source: &Source, class_names: &[String]) -> Result<CostMatrix> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut parents = std::collections::HashMap::new();
    for (i, Row { line, cells }) in rows(source)?.into_iter().enumerate() {
        let [child, parent] = cells.as_slice() else {
            return Err(
                Error::costs(format!("found {} fields where 'child,parent' is needed", cells.len())).at_line(line)
            );
        };
        if i == 0 && child.eq_ignore_ascii_case("child") && parent.eq_ignore_ascii_case("parent") {
            continue;
        }
        let (child, parent) = (as_class(child, class_names), as_class(parent, class_names));
        if child.is_empty() || parent.is_empty() {
            let which = if child.is_empty() { "child" } else { "parent" };
            return Err(Error::costs(format!("the name of the {which} is empty")).at_line(line));
        }
        if let Some(other) = parents.insert(child.clone(), parent.clone()) {
            return Err(Error::costs(format!("'{child}' has two parents, '{other}' and '{parent}'")).at_line(line));
        }
        pairs.push((child, parent));
    }
    CostMatrix::from_taxonomy(&pairs, class_names)
}

/// A class called `1` may be written `1.0`, as spreadsheets do.
fn as_class(name: &str, class_names: &[String]) -> String {
    let known = |name: &str| class_names.iter().any(|class| class == name);
    match name.parse::<f64>() {
        Ok(number) if !known(name) && known(&number.to_string()) => number.to_string(),
        _ => name.to_string(),
    }
}

struct Row {
    line: u64,
    cells: Vec<String>,
}

/// All records as trimmed text; each has at least one cell.
fn rows(source: &Source) -> Result<Vec<Row>> {
    let file = CsvFile::new(source, &ReadOptions { header: Some(false), ..ReadOptions::default() })?;
    let (mut rows, mut cells) = (Vec::new(), 0);
    file.records(|record, place| {
        cells += record.len();
        if cells > MAX_CELLS {
            return Err(Error::new(ErrorKind::Limit, format!("the file has more than {MAX_CELLS} cells")));
        }
        let text = |cell| std::str::from_utf8(cell).map(|text| text.trim().to_string());
        let row = record.iter().map(text).collect::<Result<_, _>>().map_err(|_| crate::builder::not_utf8())?;
        rows.push((place, row));
        Ok(())
    })?;
    let places: Vec<u64> = rows.iter().map(|(place, _)| *place).collect();
    let lines = file.lines_at(&places)?;
    Ok(rows.into_iter().zip(lines).map(|((_, cells), line)| Row { line, cells }).collect())
}
