//! One file a command.

pub mod algorithms;
pub mod compare;
pub mod completions;
pub mod cv;
pub mod datasets;
pub mod demo;
#[cfg(feature = "vision")]
pub mod detector;
pub mod evaluate;
pub mod explain;
pub mod inspect;
pub mod label;
pub mod predict;
pub mod select;
pub mod train;

use crate::args::Command;
use crate::output::Output;
use rebelboost::Result;

/// Runs a command.
pub fn run(command: &Command, output: &Output) -> Result<()> {
    match command {
        Command::Demo(options) => demo::run(options, output),
        Command::Train(options) => train::run(options, output),
        Command::Predict(options) => predict::run(options, output),
        Command::Explain(options) => explain::run(options, output),
        Command::Evaluate(options) => evaluate::run(options, output),
        Command::Cv(options) => cv::run(options, output),
        Command::Compare(options) => compare::run(options, output),
        Command::Label(options) => label::run(options, output),
        Command::Select(options) => select::run(options, output),
        #[cfg(feature = "vision")]
        Command::Detect(options) => detector::detect::run(options, output),
        #[cfg(feature = "vision")]
        Command::TrainDetector(options) => detector::train::run(options, output),
        #[cfg(feature = "vision")]
        Command::EvaluateDetector(options) => detector::evaluate::run(options, output),
        Command::Inspect(options) => inspect::run(options, output),
        Command::Algorithms(options) => algorithms::run(options, output),
        Command::Datasets(options) => datasets::run(options, output),
        Command::Completions(options) => completions::run(options, output),
    }
}
