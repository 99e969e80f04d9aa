//! Soft cascades for tables (thesis 2.2): how many terms are evaluated, and how many answers change? AdaBoost tells two
//! halves of the classes apart, REBEL all of them; thresholds are set on training rows held out.

use crate::Bench;
use crate::report::{Report, table};
use crate::sets::{mnist, official, split};
use rebelboost::Result;
use rebelboost::booster::train;
use rebelboost::data::Dataset;
use rebelboost::metric::error_rate;
use rebelboost::model::{CascadeGoal, TableCascade};
use rebelboost::settings::Settings;

/// Share of MNIST's training rows that is used, to keep the run short.
const SHARE: f64 = 0.2;
/// Share of the training rows that set thresholds.
const HELD: f64 = 0.25;
const ROUNDS: usize = 300;
const EVERY: usize = 5;

/// Trains, calibrates and counts.
pub fn run(bench: &Bench) -> Result<Report> {
    let sets =
        [("letter", official(bench, "letter")?), ("MNIST, a fifth of the training rows", mnist(bench, SHARE)?)];
    let mut rows = Vec::new();
    for (name, parts) in sets {
        let Some((training, test)) = parts else { continue };
        let halves = [halved(&training), halved(&test)];
        for (algorithm, training, test) in [("adaboost", &halves[0], &halves[1]), ("rebel", &training, &test)] {
            let (held, training) = split(training, HELD, 0);
            let label = format!("{name}: {algorithm}, {} classes", test.class_count());
            rows.extend(judge(&label, algorithm, &training, &held, test, bench)?);
        }
    }
    let header = ["set and model", "cascade", "mean terms", "of all", "answers changed", "error", "without cascade"];
    let text = format!(
        "{ROUNDS} trees of depth 2, a look every {EVERY} terms. Thresholds are set on a quarter of the training rows, which the model has not seen; counted on the test rows.\n\n{}",
        table(&header, &rows)
    );
    Ok(Report { text, svg: None })
}

fn judge(
    label: &str,
    algorithm: &str,
    training: &Dataset,
    held: &Dataset,
    test: &Dataset,
    bench: &Bench,
) -> Result<Vec<Vec<String>>> {
    let context = &bench.context;
    let settings = Settings::new(algorithm)?.with("depth", 2)?.with("rounds", ROUNDS)?.with("min-rounds", ROUNDS)?;
    let model = train(training, None, &settings, context, &mut ())?.model;
    let whole = model.decide(&model.scores(&test.features, context), None)?;
    let error = |answers: &[u32]| format!("{:.2} %", 100.0 * error_rate(&test.labels, answers, &test.weights));
    let at_risk = |risk: f64| model.calibrate_cascade(&held.features, CascadeGoal::Risk(risk), EVERY, context);
    let right = |accuracy: f64, after: f64| {
        let goal = CascadeGoal::Accuracy { labels: &held.labels, accuracy, after };
        model.calibrate_cascade(&held.features, goal, EVERY, context)
    };
    let cascades: Vec<(&str, Result<TableCascade>)> = vec![
        ("exact", model.exact_cascade(EVERY)),
        ("risk 0.1 %", at_risk(0.001)),
        ("risk 1 %", at_risk(0.01)),
        ("80 % right after 10 %", right(0.8, 0.1)),
        ("95 % right after 10 %", right(0.95, 0.1)),
    ];
    let mut rows = Vec::new();
    for (name, cascade) in cascades {
        let mut row = vec![label.to_string(), name.to_string()];
        match cascade {
            Err(reason) if reason.kind() == rebelboost::ErrorKind::Data => {
                row.extend(["-".into(), "-".into(), "-".into(), format!("not possible: {reason}"), String::new()]);
            }
            cascade => {
                let cascade = cascade?;
                let early = model.decide_early(&cascade, &test.features, context)?;
                row[1].extend(cascade.note().map(|note| format!(" ({note})")));
                let changed = early.answers.iter().zip(&whole).filter(|(a, b)| a != b).count();
                let mean = early.mean_evaluated();
                row.extend([
                    format!("{mean:.1}"),
                    format!("{:.0} %", 100.0 * mean / model.chain.terms.len() as f64),
                    format!("{changed} of {} ({:.2} %)", whole.len(), 100.0 * changed as f64 / whole.len() as f64),
                    error(&early.answers),
                    error(&whole),
                ]);
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The first half of the classes against the second.
fn halved(data: &Dataset) -> Dataset {
    let half = data.class_count() as u32 / 2;
    let mut out = data.clone();
    out.labels.iter_mut().for_each(|label| *label = u32::from(*label >= half));
    out.schema.classes = vec!["first half".into(), "second half".into()];
    out
}
