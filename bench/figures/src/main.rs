//! The figures and tables of the documents, made again: `cargo run --release -p rebelboost-bench -- NAME`.
//!
//! Each command writes `NAME.md` and, for a figure, `NAME.svg`, and prints the former. All are seeded: a second run
//! gives the same files. To add one: a file with a `run` function and one line in [`FIGURES`].

mod baseline;
mod calibrate;
mod course;
mod depth;
mod early_exit;
mod fig10_2;
mod fig4_3;
mod fig4_4;
mod fig4_5;
mod fig4_6;
mod fig5_2;
mod fig5_3;
mod fig5_5;
mod fig5_6;
mod fig5_7;
mod fig5_8;
mod fixed_point;
mod gamble;
mod gamble_batch;
mod gamble_fig5_1;
mod gamble_fig5_2;
mod gamble_fig5_3;
mod gamble_fig5_7;
mod gamble_table5_2;
mod overtraining;
mod patches;
mod plane;
mod report;
mod select_drug;
mod select_errors;
mod sets;
mod table4_1;
mod taxonomy;
mod vision_auc;
mod vision_memory;
mod vision_soft;

use rebelboost::context::Context;
use rebelboost::registry::default_algorithm;
use rebelboost::{Error, Result};
use rebelboost_plot as svg;
use report::Report;
use std::path::PathBuf;
use std::process::ExitCode;

/// A figure or table that can be made.
struct Figure {
    name: &'static str,
    shows: &'static str,
    run: fn(&Bench) -> Result<Report>,
}

/// All of them, in the order of the documents.
const FIGURES: &[Figure] = &[
    Figure { name: "fig4.3", shows: "four cost matrices in the plane (paper: Fig. 7)", run: fig4_3::run },
    Figure { name: "fig4.4", shows: "scores along two paths, stumps and depth 2 (paper: Fig. 8)", run: fig4_4::run },
    Figure { name: "fig4.5", shows: "REBEL against the two-step way, 200 trials (paper: Fig. 3)", run: fig4_5::run },
    Figure { name: "fig4.6", shows: "the ten data sets of fig4.5 (paper: Fig. 9)", run: fig4_6::run },
    Figure { name: "table4.1", shows: "depth 1-4 under 0-1 and taxonomy costs (paper: Table 1)", run: table4_1::run },
    Figure { name: "fig5.2", shows: "spirals: regions of similarities and stumps (and Fig. 5.12)", run: fig5_2::run },
    Figure { name: "fig5.3", shows: "spirals: loss and errors of similarities by round", run: fig5_3::run },
    Figure { name: "fig5.5", shows: "spirals with less training data, beside stumps", run: fig5_5::run },
    Figure { name: "fig5.6", shows: "spirals with mislabelled rows, beside stumps", run: fig5_6::run },
    Figure { name: "fig5.7", shows: "errors of similarities by round on UCI sets", run: fig5_7::run },
    Figure { name: "fig5.8", shows: "losses of similarities by round on UCI sets", run: fig5_8::run },
    Figure {
        name: "depth",
        shows: "depth 1-4 on small separable sets, with and without min-rounds",
        run: depth::run,
    },
    Figure { name: "fixed-point", shows: "splits by weights of 31 bits and by f64", run: fixed_point::run },
    Figure { name: "gamble-fig5.1", shows: "GAMBLE: leaves 2-15 on pendigits", run: gamble_fig5_1::run },
    Figure { name: "gamble-fig5.2", shows: "GAMBLE beside SAMME on eight sets, sign test", run: gamble_fig5_2::run },
    Figure {
        name: "gamble-fig5.3",
        shows: "GAMBLE and SAMME by round: glass, segmentation (and Fig. 5.4)",
        run: gamble_fig5_3::run,
    },
    Figure {
        name: "gamble-fig5.7",
        shows: "GAMBLE and SAMME on concentric spheres (and Fig. 5.8)",
        run: gamble_fig5_7::run,
    },
    Figure {
        name: "gamble-batch",
        shows: "Batch GAMBLE: lowest error within 1000 rounds (Table 5.2)",
        run: gamble_batch::run,
    },
    Figure {
        name: "fig10.2",
        shows: "AdaBoost on concentric shells (lecture 003, Fig. 10.2 and 10.3)",
        run: fig10_2::run,
    },
    Figure {
        name: "gamble-table5.2",
        shows: "labels that reach the error of all rows, chosen and random (GAMBLE, Tables 5.2 and 5.3, Fig. 5.5-5.6)",
        run: gamble_table5_2::run,
    },
    Figure {
        name: "select-cmim",
        shows: "CMIM, lazy and plain, on 139,351 binary features (lecture 004)",
        run: select_drug::speed,
    },
    Figure {
        name: "select-table",
        shows: "CMIM, MIM, random features and AdaBoost on noisy binary data (lecture 004)",
        run: select_drug::errors,
    },
    Figure {
        name: "select-errors",
        shows: "REBEL on the best 10, 50 and 100 features by each method",
        run: select_errors::run,
    },
    Figure { name: "early-exit", shows: "soft cascades for tables: letter and MNIST (2.2)", run: early_exit::run },
    Figure {
        name: "vision-auc",
        shows: "AdaBoost of Haar stumps on CBCL patches: AUC and time (3.5)",
        run: vision_auc::run,
    },
    Figure {
        name: "vision-soft",
        shows: "learners that soft cascades ask, at equal detection",
        run: vision_soft::run,
    },
    Figure {
        name: "vision-memory",
        shows: "memory of training on all Haar features of a 24x24 window",
        run: vision_memory::run,
    },
];

/// What commands work with.
pub struct Bench {
    /// Where data sets lie.
    pub data: PathBuf,
    /// Threads and seed.
    pub context: Context,
    /// What some commands let the caller choose.
    pub choice: Choice,
}

/// A booster, the number of runs and the data sets, for the commands that ask for them.
#[derive(Clone)]
pub struct Choice {
    /// Registered name.
    pub algorithm: String,
    /// Parameters that are not the defaults.
    pub parameters: Vec<(String, String)>,
    /// Seeds 0, 1, ...
    pub runs: u64,
    /// Names of data sets; all if empty.
    pub sets: Vec<String>,
}

struct Arguments {
    figures: Vec<&'static Figure>,
    out: PathBuf,
    data: PathBuf,
    threads: usize,
    choice: Choice,
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let context = Context::new(0, arguments.threads)?;
    let bench = Bench { data: arguments.data.clone(), context, choice: arguments.choice.clone() };
    std::fs::create_dir_all(&arguments.out).map_err(|e| Error::io("cannot make the output folder", e))?;
    for figure in &arguments.figures {
        eprintln!("{}: {}", figure.name, figure.shows);
        let report = (figure.run)(&bench)?;
        let command = format!("`cargo run --release -p rebelboost-bench -- {}`", figure.name);
        let mut text = format!("# {}: {}\n\nMade by {command}.\n\n{}", figure.name, figure.shows, report.text);
        if let Some(svg) = report.svg {
            write(arguments, &format!("{}.svg", figure.name), &svg)?;
            text += &format!("\n![{0}]({0}.svg)\n", figure.name);
        }
        write(arguments, &format!("{}.md", figure.name), &text)?;
        println!("{text}");
    }
    Ok(())
}

fn write(arguments: &Arguments, name: &str, text: &str) -> Result<()> {
    let path = arguments.out.join(name);
    std::fs::write(&path, text).map_err(|e| Error::io(format!("cannot write {}", path.display()), e))
}

fn arguments() -> Result<Arguments> {
    let algorithm = default_algorithm().name.into();
    let choice = Choice { algorithm, parameters: Vec::new(), runs: 3, sets: Vec::new() };
    let (out, data) = ("bench/results".into(), "../shared/data".into());
    let mut parsed = Arguments { figures: Vec::new(), out, data, threads: 0, choice };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| Error::option(format!("{word} needs a value")).hint(usage()));
        match word.as_str() {
            "--out" => parsed.out = value()?.into(),
            "--data" => parsed.data = value()?.into(),
            "--threads" => {
                parsed.threads = value()?.parse().map_err(|_| Error::option("--threads needs a whole number"))?;
            }
            "--algorithm" => parsed.choice.algorithm = value()?,
            "--runs" => {
                let runs = value()?.parse().ok().filter(|runs| *runs > 0);
                parsed.choice.runs = runs.ok_or_else(|| Error::option("--runs needs a whole number above zero"))?;
            }
            "--sets" => parsed.choice.sets.extend(value()?.split(',').map(String::from)),
            "--set" => {
                let given = value()?;
                let pair = given.split_once('=').map(|(name, value)| (name.to_string(), value.to_string()));
                parsed.choice.parameters.push(pair.ok_or_else(|| Error::option("--set needs NAME=VALUE"))?);
            }
            "all" => parsed.figures.extend(FIGURES),
            name => {
                let unknown = || Error::option(format!("there is no figure '{name}'")).hint(usage());
                parsed.figures.push(FIGURES.iter().find(|f| f.name == name).ok_or_else(unknown)?);
            }
        }
    }
    if parsed.figures.is_empty() {
        return Err(Error::option("name a figure or table").hint(usage()));
    }
    Ok(parsed)
}

fn usage() -> String {
    let names: Vec<String> = FIGURES.iter().map(|f| format!("  {:15} {}", f.name, f.shows)).collect();
    format!(
        "rebelboost-bench NAME... [--out DIR] [--data DIR] [--threads N], and for gamble-table5.2 [--algorithm NAME] \
         [--set NAME=VALUE]... (also for vision-auc) [--runs N] [--sets a,b] (vision-auc: 2000,20000,all); names:\n{}\n  all",
        names.join("\n")
    )
}
