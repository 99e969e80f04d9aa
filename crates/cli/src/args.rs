//! The arguments: what the commands share. Options of algorithms are generated from the registry, so that help, ranges
//! and defaults cannot drift from the library.

#[cfg(feature = "vision")]
use crate::commands::detector;
use crate::commands::{
    algorithms, compare, completions, cv, datasets, demo, evaluate, explain, inspect, label, predict, select, train,
};
use clap::builder::ValueParser;
use clap::{ArgMatches, Args, Command as Clap, FromArgMatches, Parser, Subcommand};
use rebelboost::registry::{ALGORITHMS, Algorithm, all_parameters};
use rebelboost::select::METHODS;
use rebelboost::settings::Parameter;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::time::Duration;

/// What a lone `rebel` says.
pub const SHORT_HELP: &str = "\
rebel turns a table with a label column into a classifier that can say why.

  rebel demo                        see it work, without any file
  rebel train data.csv              train on your table and write model.rebel
  rebel predict model.rebel new.csv answer for new rows
  rebel explain model.rebel new.csv why it answers so (--row 7: about row 7)
  rebel evaluate model.rebel test.csv
  rebel cv data.csv                 how good will it be? cross-validation
  rebel compare data.csv            the boosters side by side on your table
  rebel label data.csv              label the rows that teach most, one at a time
  rebel select data.csv             which columns matter?
  rebel inspect model.rebel         what is in a model
  rebel detect cascade.xml a.jpg    find faces or other objects in images
  rebel algorithms | datasets       what is built in

'rebel --help' lists everything, 'rebel train --help' the options of a command, with examples.";

/// Boosting that works at the push of a button and can explain itself.
#[derive(Parser)]
#[command(name = "rebel", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  rebel demo
  rebel train data.csv --test test.csv
  rebel train data.csv --costs costs.csv --rounds 500 --out birds.rebel
  rebel predict birds.rebel new.csv --proba --out answers.csv

Exit codes: 0 all is well, 2 something in the input must be changed, 1 a fault of the program.";

/// Options of every command.
#[derive(Args)]
pub struct Global {
    /// Print one JSON object on standard output; words go to standard error
    #[arg(long, global = true)]
    pub json: bool,
    /// No progress, notes and explanations
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    Demo(demo::Options),
    Train(Box<train::Options>),
    Predict(predict::Options),
    Explain(explain::Options),
    Evaluate(evaluate::Options),
    Cv(Box<cv::Options>),
    Compare(Box<compare::Options>),
    Label(Box<label::Options>),
    Select(Box<select::Options>),
    Inspect(inspect::Options),
    #[cfg(feature = "vision")]
    Detect(detector::detect::Options),
    #[cfg(feature = "vision")]
    TrainDetector(Box<detector::train::Options>),
    #[cfg(feature = "vision")]
    EvaluateDetector(detector::evaluate::Options),
    Algorithms(algorithms::Options),
    Datasets(datasets::Options),
    Completions(completions::Options),
}

/// What training needs, wherever it happens.
#[derive(Args)]
pub struct TrainOptions {
    /// Table to learn from: CSV, TSV, ARFF, LIBSVM, NPY, IDX or Parquet, also gzipped; `-` is standard input,
    /// `builtin:NAME?rows=500` a built-in data set (see `rebel datasets`)
    #[arg(value_name = "DATA")]
    pub data: PathBuf,
    /// Column to predict [default: one called class, label, target or y, else the last; in `rebel label` else a new
    /// one called label]
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub target: Option<String>,
    /// Column with the weight of each row
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub weights: Option<String>,
    /// Column that tells query groups apart: rankboost puts rows in order within each
    #[arg(long, value_name = "COLUMN", help_heading = "Columns")]
    pub group: Option<String>,
    /// Columns that are names even if they look like numbers
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Columns")]
    pub categorical: Vec<String>,
    /// Columns that must hold numbers; a word in one is an error
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Columns")]
    pub numeric: Vec<String>,
    /// Columns to leave out
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Columns")]
    pub ignore: Vec<String>,
    /// Classes of rows in a file of their own, which win over those of the target column: `rebel label` writes it
    /// [default there: DATA with .labels.csv], the other commands read it
    #[arg(long, value_name = "FILE", help_heading = "Columns")]
    pub labels: Option<PathBuf>,
    /// Cost matrix as CSV: class names in the first row (the answer) and the first column (the truth)
    #[arg(long, value_name = "FILE", conflicts_with = "taxonomy", help_heading = "Costs")]
    pub costs: Option<PathBuf>,
    /// Tree of classes as CSV, `child,parent`; a mistake costs the distance in the tree
    #[arg(long, value_name = "FILE", help_heading = "Costs")]
    pub taxonomy: Option<PathBuf>,
    /// Keep only the best features, such as cmim:20 (`rebel select --help` lists the methods); may be given again
    #[arg(long, value_name = "METHOD:COUNT", help_heading = "Steps before the model")]
    pub select: Vec<String>,
    /// Make new features out of them, such as pca:10, lda:2, kmeans:8 or isomap:2; may be given again
    #[arg(long, value_name = "METHOD:COUNT", help_heading = "Steps before the model")]
    pub transform: Vec<String>,
    #[command(flatten)]
    pub machine: Machine,
    /// Algorithm (see `rebel algorithms`)
    #[arg(long, value_name = "NAME", help_heading = "Algorithm")]
    pub algorithm: Option<String>,
    #[command(flatten)]
    pub parameters: Parameters,
}

/// Seed and threads.
#[derive(Args, Clone, Copy)]
pub struct Machine {
    /// Seed of all random choices [default: 0]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Threads; the result does not depend on them [default: one a core]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// A table of declared parameters, from which options are generated.
pub trait Declared {
    /// Heading in the help.
    const HEADING: &'static str;
    /// Switch without which the options mean nothing.
    const REQUIRES: Option<&'static str> = None;
    /// The parameters.
    fn parameters() -> Vec<&'static Parameter>;
    /// Text, range and default of one.
    fn help(parameter: &Parameter) -> String {
        format!("{}: {} [default: {}]", parameter.help, parameter.range(), parameter.default)
    }
}

/// Options of a table that the user gave, by name.
#[derive(Clone, Debug)]
pub struct Given<T>(Vec<(&'static str, String)>, PhantomData<T>);

/// Options of algorithms that the user gave.
pub type Parameters = Given<Algorithms>;

impl<T> Given<T> {
    /// Their names.
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|(name, _)| *name).collect()
    }

    /// Hands each over to be set; an option that is not there is an error.
    pub fn apply(&self, mut set: impl FnMut(&str, &str) -> rebelboost::Result<()>) -> rebelboost::Result<()> {
        self.0.iter().try_for_each(|(name, value)| set(name, value))
    }
}

impl<T: Declared> Args for Given<T> {
    fn augment_args(command: Clap) -> Clap {
        T::parameters().into_iter().fold(command, |command, parameter| {
            let arg = clap::Arg::new(parameter.name)
                .long(parameter.name)
                .value_name("VALUE")
                .value_parser(ValueParser::string())
                .allow_negative_numbers(true)
                .help_heading(T::HEADING)
                .help(T::help(parameter));
            command.arg(match T::REQUIRES {
                Some(switch) => arg.requires(switch),
                None => arg,
            })
        })
    }

    fn augment_args_for_update(command: Clap) -> Clap {
        Self::augment_args(command)
    }
}

impl<T: Declared> FromArgMatches for Given<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |p: &&'static Parameter| Some((p.name, matches.get_one::<String>(p.name)?.clone()));
        Ok(Given(T::parameters().iter().filter_map(given).collect(), PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The parameters of all algorithms.
#[derive(Clone, Debug)]
pub struct Algorithms;

impl Declared for Algorithms {
    const HEADING: &'static str = "Algorithm";

    fn parameters() -> Vec<&'static Parameter> {
        all_parameters()
    }

    fn help(parameter: &Parameter) -> String {
        help(parameter)
    }
}

/// The parameters of all methods of selection.
#[derive(Clone, Debug)]
pub struct Selections;

impl Declared for Selections {
    const HEADING: &'static str = "Method";

    fn parameters() -> Vec<&'static Parameter> {
        rebelboost::select::all_parameters()
    }

    fn help(parameter: &Parameter) -> String {
        let owners = METHODS.iter().filter(|m| m.about.parameters.iter().any(|p| p.name == parameter.name));
        let names: Vec<&str> = owners.map(|m| m.about.name).collect();
        format!(
            "{}: {} ({} only) [default: {}]",
            parameter.help,
            parameter.range(),
            names.join(", "),
            parameter.default
        )
    }
}

/// Text, range and defaults of a parameter, which may differ between algorithms.
fn help(parameter: &Parameter) -> String {
    let of = |a: &Algorithm| a.parameters().find(|p| p.name == parameter.name);
    let owners: Vec<&Algorithm> = ALGORITHMS.iter().filter(|a| of(a).is_some()).collect();
    let mut text = format!("{}: {}", parameter.help, parameter.range());
    // Beyond a few, names would hide the text; 'rebel algorithms NAME' lists the options of one.
    if owners.len() <= 6 {
        let names: Vec<&str> = owners.iter().map(|a| a.name).collect();
        text += &format!(" ({} only)", names.join(", "));
    }
    text += &format!(" [default: {}", parameter.default);
    for other in &owners {
        if let Some(p) = of(other).filter(|p| p.default != parameter.default) {
            text += &format!("; {}: {}", other.name, p.default);
        }
    }
    text + "]"
}

/// A number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().map_err(|_| "not a number of seconds".to_string())?;
    Duration::try_from_secs_f64(number).map_err(|_| "must be zero or a positive number of seconds".to_string())
}
