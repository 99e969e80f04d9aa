//! Random problems for tests. Not published.

use proptest::prelude::*;
use rand::RngExt;
use rebelboost::booster::{Observer, Partial, RoundInfo, Trained, train};
use rebelboost::context::{Context, stream};
use rebelboost::data::{Column, CostMatrix, Dataset, Roles, Table};
use rebelboost::metric::error_rate;
use rebelboost::model::Model;
use rebelboost::settings::Settings;

/// The shape of a random table; the table itself follows from the seed.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Seed of everything random.
    pub seed: u64,
    /// Rows.
    pub rows: usize,
    /// Numeric features.
    pub features: usize,
    /// Classes; each occurs.
    pub classes: usize,
    /// Whether numeric values repeat (small integers) or are all different.
    pub ties: bool,
    /// Whether some values are missing.
    pub missing: bool,
    /// Whether there is a categorical feature too.
    pub categorical: bool,
}

impl Shape {
    /// A table whose classes depend on the features, with noise. The last column is `class`.
    pub fn table(&self) -> Table {
        let mut rng = stream(self.seed, "testkit");
        let mut names = Vec::new();
        let mut columns = Vec::new();
        let mut signal = vec![0.0f64; self.rows];
        for j in 0..self.features {
            let values: Vec<f64> = (0..self.rows)
                .map(|_| {
                    let x: f64 = rng.random_range(-4.0..4.0);
                    if self.ties { x.round() } else { x }
                })
                .collect();
            signal.iter_mut().zip(&values).for_each(|(s, v)| *s += v * [1.0, -0.7, 0.4][j % 3]);
            let gaps = self.missing && j % 2 == 0;
            names.push(format!("x{j}"));
            columns.push(Column::numeric(
                values.into_iter().map(|v| if gaps && rng.random_bool(0.2) { f64::NAN } else { v }).collect(),
            ));
        }
        if self.categorical {
            let levels: Vec<usize> = (0..self.rows).map(|_| rng.random_range(0..4)).collect();
            signal.iter_mut().zip(&levels).for_each(|(s, l)| *s += [2.0, -2.0, 0.0, 1.0][*l]);
            let text = |l: &usize| Some(["red", "green", "blue", "grey"][*l]);
            names.push("colour".into());
            columns.push(Column::categorical(levels.iter().map(text)));
        }
        let mut order: Vec<usize> = (0..self.rows).collect();
        order.sort_by(|&a, &b| signal[a].total_cmp(&signal[b]));
        let mut labels = vec![0; self.rows];
        for (rank, &row) in order.iter().enumerate() {
            let noisy = rng.random_bool(0.15);
            labels[row] = if rank < self.classes {
                rank // each class occurs
            } else if noisy {
                rng.random_range(0..self.classes)
            } else {
                rank * self.classes / self.rows
            };
        }
        names.push("class".into());
        columns.push(Column::categorical(labels.iter().map(|l| Some(format!("c{l}")))));
        Table::new(names, columns).unwrap()
    }

    /// The table as a data set.
    pub fn dataset(&self) -> Dataset {
        dataset(&self.table())
    }

    /// Random positive costs, some of them large.
    pub fn costs(&self) -> CostMatrix {
        let mut rng = stream(self.seed, "testkit-costs");
        let k = self.classes;
        let values =
            (0..k * k).map(|i| if i / k == i % k { 0.0 } else { 10f64.powf(rng.random_range(-1.0..1.0)) }).collect();
        let names: Vec<String> = (0..k).map(|i| format!("c{i}")).collect();
        CostMatrix::new(values, &names).unwrap()
    }
}

/// Random shapes up to these sizes, at least two classes.
pub fn shapes(rows: usize, features: usize, classes: usize) -> impl Strategy<Value = Shape> {
    let sizes = (any::<u64>(), 12..=rows.max(12), 1..=features, 2..=classes);
    (sizes, any::<[bool; 3]>()).prop_map(|((seed, rows, features, classes), [ties, missing, categorical])| Shape {
        seed,
        rows,
        features,
        classes,
        ties,
        missing,
        categorical,
    })
}

/// A table as a data set with guessed roles.
pub fn dataset(table: &Table) -> Dataset {
    Dataset::from_table(table, &Roles::default(), &mut Vec::new()).unwrap()
}

/// A golden file: a header, numbers, and a last column of classes.
pub fn table(text: &str) -> Table {
    let mut lines = text.lines();
    let names: Vec<String> = lines.next().unwrap().split(',').map(String::from).collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let columns = (0..names.len())
        .map(|j| match j + 1 == names.len() {
            true => Column::categorical(rows.iter().map(|row| Some(row[j]))),
            false => Column::numeric(rows.iter().map(|row| row[j].parse().unwrap()).collect()),
        })
        .collect();
    Table::new(names, columns).unwrap()
}

/// Settings of an algorithm, changed as listed.
pub fn settings(algorithm: &str, changes: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::new(algorithm).unwrap();
    changes.iter().for_each(|(name, value)| settings.set(name, value).unwrap());
    settings
}

/// One thread, seed zero.
pub fn context() -> Context {
    Context::new(0, 1).unwrap()
}

/// Share of the rows of these data that a model answers wrongly.
pub fn error(model: &Model, data: &Dataset) -> f64 {
    let answers = model.decide(&model.scores(&data.features, &context()), None).unwrap();
    error_rate(&data.labels, &answers, &data.weights)
}

/// Trains on one thread.
pub fn fit(data: &Dataset, costs: Option<&CostMatrix>, settings: &Settings) -> Trained {
    train(data, costs, settings, &context(), &mut ()).unwrap()
}

/// Keeps every round's numbers and the model after it.
#[derive(Default)]
pub struct Recorder {
    /// One a round.
    pub rounds: Vec<(RoundInfo, Model)>,
}

impl Observer for Recorder {
    fn round(&mut self, info: &RoundInfo, partial: &Partial<'_>) -> rebelboost::Result<()> {
        self.rounds.push((info.clone(), partial.model()));
        Ok(())
    }
}

/// Trains on one thread and keeps every round.
pub fn record(data: &Dataset, costs: Option<&CostMatrix>, settings: &Settings) -> Recorder {
    let mut recorder = Recorder::default();
    train(data, costs, settings, &context(), &mut recorder).unwrap();
    recorder
}
