//! `rebel label`: asks for the classes of the rows that teach most, or simulates that on rows whose classes are known.

mod answer;
mod chart;
mod input;
mod lock;
mod screen;
mod session;
mod simulation;
mod terminal;

use crate::args::{Declared, Given, TrainOptions};
use crate::output::Output;
use clap::Args;
use rebelboost::active::{PARAMETERS, SIMULATION_PARAMETERS};
use rebelboost::settings::Parameter;
use rebelboost::{Error, Result};
use std::path::PathBuf;

/// Label the rows of a table that teach most, one at a time; or simulate how many labels would be enough
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    train: TrainOptions,
    /// Names of classes, if known in advance; others can be typed at any time
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    classes: Vec<String>,
    /// Columns to show for each row [default: all but the target and the weights]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    show: Vec<String>,
    #[command(flatten)]
    active: Given<Active>,
    /// Pretend that the classes are unknown: the error by the number of labels, beside labels chosen at random
    #[arg(long, help_heading = "Simulation")]
    simulate: bool,
    /// Table to measure the error on [default: a part of DATA]
    #[arg(long, value_name = "FILE", requires = "simulate", help_heading = "Simulation")]
    test: Option<PathBuf>,
    /// Draw the learning curves into this file
    #[arg(long, value_name = "FILE", requires = "simulate", help_heading = "Simulation")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    simulation: Given<Simulation>,
}

const EXAMPLES: &str = "\
Examples:
  rebel label birds.csv                        labels go to birds.labels.csv; the same command goes on later
  rebel label birds.csv --classes duck,gull    with classes to choose from
  rebel train birds.csv --labels birds.labels.csv
  rebel label birds.csv --strategy expected-cost --costs costs.csv
  rebel label birds.csv --simulate             how many labels would be enough? (classes must be known)
  rebel label birds.csv --simulate --test test.csv --batch 10 --rounds 100 --svg curve.svg --json

Keys: the number of a class or its name, s skip, u undo, q quit, ? help. Every answer is on disk at once, so that
nothing is lost whatever happens. Without a terminal, answers are read from standard input, one a line.";

/// The parameters of active learning.
#[derive(Clone, Debug)]
pub struct Active;

impl Declared for Active {
    const HEADING: &'static str = "Choice of rows";

    fn parameters() -> Vec<&'static Parameter> {
        PARAMETERS.iter().collect()
    }
}

/// The parameters of simulations.
#[derive(Clone, Debug)]
pub struct Simulation;

impl Declared for Simulation {
    const HEADING: &'static str = "Simulation";
    const REQUIRES: Option<&'static str> = Some("simulate");

    fn parameters() -> Vec<&'static Parameter> {
        SIMULATION_PARAMETERS.iter().collect()
    }
}

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    if !(options.train.select.is_empty() && options.train.transform.is_empty()) {
        return Err(Error::option(
            "labelling takes no steps before the model, since they would change with every label",
        )
        .hint("leave --select and --transform out, and use them in 'rebel train --labels' afterwards"));
    }
    if options.simulate { simulation::run(options, output) } else { terminal::run(options, output) }
}
