//! Trainings to report on.
#![allow(dead_code, reason = "every test file uses another part")]

use rebelboost::booster::Trained;
use rebelboost::context::Context;
use rebelboost::data::{Column, CostMatrix, Dataset, Table, synthetic};
use rebelboost_report::{Report, Rows};
use rebelboost_testkit::{dataset, fit, settings};

pub struct Run {
    pub data: Dataset,
    pub trained: Trained,
}

impl Run {
    pub fn new(data: Dataset, costs: Option<&CostMatrix>, algorithm: &str, changes: &[(&str, &str)]) -> Self {
        let trained = fit(&data, costs, &settings(algorithm, changes));
        Run { data, trained }
    }

    /// On a built-in data set.
    pub fn builtin(name: &str, algorithm: &str, changes: &[(&str, &str)]) -> Self {
        Run::new(dataset(&synthetic::generate(name).unwrap()), None, algorithm, changes)
    }

    pub fn html(&self) -> String {
        self.html_on(1)
    }

    pub fn html_on(&self, threads: usize) -> String {
        self.report(None).html(&Context::new(0, threads).unwrap()).unwrap()
    }

    /// The page with a test on the training rows.
    pub fn tested(&self) -> String {
        self.report(Some(("test.csv", (&self.data).into()))).html(&Context::new(0, 1).unwrap()).unwrap()
    }

    fn report<'a>(&'a self, test: Option<(&'a str, Rows<'a>)>) -> Report<'a> {
        Report { name: "data.csv", data: &self.data, trained: &self.trained, test, notes: &[], command: &[] }
    }
}

/// Markup where names and values should be.
pub const HOSTILE: [&str; 4] = [
    "<script>throw 'in'</script>",
    "\"><img src=x onerror=\"throw 'in'\">",
    "</style></title><b>&amp;",
    "'--><svg onload=throw>",
];

/// A table whose every word is hostile: two classes, a number and a category.
pub fn hostile() -> Dataset {
    let rows = 60;
    let number = (0..rows).map(|i| ((i * 7) % 13) as f64 - if i % 2 == 0 { 3.0 } else { 0.0 }).collect();
    let level = |i: usize| Some(format!("{} {}", HOSTILE[2], (i / 3) % 3));
    let class = |i: usize| Some(HOSTILE[i % 2]);
    let names = [HOSTILE[1], HOSTILE[3], "class"].map(String::from).to_vec();
    let columns = vec![
        Column::numeric(number),
        Column::categorical((0..rows).map(level)),
        Column::categorical((0..rows).map(class)),
    ];
    dataset(&Table::new(names, columns).unwrap())
}

/// So many classes with long names on a line, and a feature that says nothing.
pub fn many_classes(classes: usize, rows: usize) -> Dataset {
    let class = |i: usize| Some(format!("a class with a rather long name, number {}", i % classes));
    let columns = vec![
        Column::numeric((0..rows).map(|i| (i % classes) as f64 + ((i * 31) % 17) as f64 / 12.0).collect()),
        Column::numeric((0..rows).map(|i| ((i * 37) % 101) as f64).collect()),
        Column::numeric((0..rows).map(|i| ((i * 53) % 97) as f64).collect()),
        Column::categorical((0..rows).map(class)),
    ];
    let names = ["a", "b", "c", "class"].map(String::from).to_vec();
    dataset(&Table::new(names, columns).unwrap())
}
