//! The loop with known classes: what would so many labels have been worth (GAMBLE thesis 5.2)?

use super::settings::{find, undeclared};
use super::{ActiveLearner, ActiveSettings, ClassCosts, Curve, Pool, Seeding};
use crate::context::Context;
use crate::data::synthetic::random::shuffle;
use crate::data::{CostMatrix, Dataset};
use crate::error::{Error, Result};
use crate::metric;
use crate::model::Model;
use crate::settings::{Kind, Parameter, Settings, Value};
use std::collections::BTreeMap;
use std::time::Instant;

/// The parameters of simulations.
pub const SIMULATION_PARAMETERS: &[Parameter] = &[
    Parameter { name: "runs", kind: Kind::Integer(1, 10_000), default: "10", help: "runs with different seeds" },
    Parameter {
        name: "most-rows",
        kind: Kind::IntegerOrAuto(2, 100_000_000),
        default: "auto",
        help: "labels to stop at; auto = a third of the rows, at least 200 and at most 1000",
    },
    Parameter {
        name: "every",
        kind: Kind::IntegerOrAuto(1, 100_000_000),
        default: "auto",
        help: "labels between two measurements of the error; auto = a batch",
    },
    Parameter {
        name: "target-error",
        kind: Kind::RealOrAuto(0.0, 1.0),
        default: "auto",
        help: "error to reach, as a fraction; auto = that of a model trained on all rows",
    },
    Parameter {
        name: "test-share",
        kind: Kind::Real(0.01, 0.99),
        default: "0.3",
        help: "share of the rows to test on, without a test file",
    },
];

/// A value for each parameter of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationSettings {
    /// Runs with different seeds.
    pub runs: usize,
    /// Labels to stop at.
    pub most_rows: Option<usize>,
    /// Labels between two measurements; `None` = a batch.
    pub every: Option<usize>,
    /// Error to reach; `None` = that of all rows.
    pub target_error: Option<f64>,
    /// Share of the rows to test on.
    pub test_share: f64,
}

impl SimulationSettings {
    /// The defaults of the table.
    pub fn new() -> Result<Self> {
        let mut settings =
            SimulationSettings { runs: 0, most_rows: None, every: None, target_error: None, test_share: 0.0 };
        SIMULATION_PARAMETERS.iter().try_for_each(|p| settings.set(p.name, p.default))?;
        Ok(settings)
    }

    /// Sets a parameter from text. An unknown name, or a value outside the range, is an error.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        let value = find(SIMULATION_PARAMETERS, name)?.parse(text)?;
        let whole = match &value {
            Value::Integer(n) => Some(*n as usize),
            _ => None,
        };
        match (name, value) {
            ("runs", Value::Integer(n)) => self.runs = n as usize,
            ("most-rows", _) => self.most_rows = whole,
            ("every", _) => self.every = whole,
            ("target-error", Value::Word(_)) => self.target_error = None,
            ("target-error", Value::Real(x)) => self.target_error = Some(x),
            ("test-share", Value::Real(x)) => self.test_share = x,
            _ => return Err(undeclared(name)),
        }
        Ok(())
    }

    /// Labels to stop at in a pool of this size.
    pub fn most_rows_of(&self, pool: usize) -> usize {
        self.most_rows.unwrap_or((pool / 3).clamp(200, 1000)).min(pool)
    }
}

/// What a simulation learns from and is measured by.
pub struct Known<'a> {
    /// Rows with their classes, which are hidden until asked for.
    pub train: &'a Dataset,
    /// The same rows without their classes.
    pub pool: &'a Pool,
    /// Rows to measure the error on, under the same schema.
    pub test: &'a Dataset,
    /// Costs in the user's unit.
    pub costs: Option<&'a CostMatrix>,
}

impl Known<'_> {
    /// Error and mean cost of a model on the test rows. Classes it does not know are never its answer.
    pub fn measure(&self, model: &Model, context: &Context) -> Result<(f64, f64)> {
        let classes = &self.train.schema.classes;
        let place = |name: &String| classes.iter().position(|class| class == name).unwrap_or(0) as u32;
        let places: Vec<u32> = model.schema.classes.iter().map(place).collect();
        let answers = model.decide(&model.scores(&self.test.features, context), None)?;
        let answers: Vec<u32> = answers.into_iter().map(|answer| places[answer as usize]).collect();
        let error = metric::error_rate(&self.test.labels, &answers, &self.test.weights);
        let cost =
            self.costs.map_or(error, |c| metric::mean_cost(&self.test.labels, &answers, &self.test.weights, c));
        Ok((error, cost))
    }
}

/// One run: the error on test rows as labels are asked for, up to `most` labels. `watch` hears the number of labels
/// after every batch. A cancelled run keeps what was measured.
pub fn simulate(
    known: &Known<'_>,
    settings: &Settings,
    active: &ActiveSettings,
    most: usize,
    every: usize,
    context: &Context,
    watch: &mut dyn FnMut(usize),
) -> Result<Curve> {
    let classes = &known.train.schema.classes;
    if known.pool.len() != known.train.rows() {
        return Err(Error::internal("the pool is not that of the training rows"));
    }
    let costs = known.costs.map(|matrix| ClassCosts { names: classes.clone(), matrix: matrix.clone() });
    // What the error is, a simulation knows.
    let active = ActiveSettings { estimate: false, ..active.clone() };
    let seeds = active.seed_rows_for(classes.len()).min(most);
    let stratified = active.seeding == Seeding::Stratified;
    let mut learner = ActiveLearner::new(known.pool, settings.clone(), active, costs, context.clone())?;
    let name = |row: usize| classes[known.train.labels[row] as usize].as_str();
    if stratified {
        let rows = evenly(known.train, seeds, context);
        learner.reconcile(&rows.into_iter().map(|row| (row, name(row).to_string())).collect::<BTreeMap<_, _>>())?;
    }
    let mut curve = Curve::default();
    let (mut seconds, mut next) = (0.0, 0);
    loop {
        let labelled = known.pool.len() - learner.open();
        let started = Instant::now();
        let measured = if labelled >= next || labelled >= most { learner.model()?.cloned() } else { None };
        let batch = if labelled < most { learner.batch()?.to_vec() } else { Vec::new() };
        seconds += started.elapsed().as_secs_f64();
        if context.cancelled() {
            return Ok(curve);
        }
        if let Some(model) = measured {
            let (error, cost) = known.measure(&model, context)?;
            curve.labelled.push(labelled);
            curve.error.push(error);
            curve.cost.push(cost);
            curve.seconds.push(seconds);
            next = labelled + every;
        }
        watch(labelled);
        if batch.is_empty() {
            return Ok(curve);
        }
        for query in batch.iter().take(most - labelled) {
            learner.teach(query.row, name(query.row))?;
        }
    }
}

/// Random rows, as many of each class as possible.
fn evenly(data: &Dataset, count: usize, context: &Context) -> Vec<usize> {
    let mut rng = context.stream("active/seed");
    let mut rows: Vec<usize> = (0..data.rows()).collect();
    shuffle(&mut rows, &mut rng);
    // The how-manyth of its class each row is: the first of every class come first.
    let mut seen = vec![0usize; data.class_count()];
    let mut ranked: Vec<(usize, usize)> = rows
        .into_iter()
        .map(|row| {
            let class = data.labels[row] as usize;
            seen[class] += 1;
            (seen[class], row)
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().take(count).map(|(_, row)| row).collect()
}
