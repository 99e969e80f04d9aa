//! Fig. 10.2 and 10.3 of lecture 003 (Hastie, Tibshirani and Friedman, example 10.2): AdaBoost with stumps on two
//! concentric shells in ten dimensions, 2000 training and 10,000 test points.
//!
//! Claims: a single stump is hardly better than guessing; 400 stumps reach about 6 % test error; the training error is
//! zero after about 250 rounds while the exponential loss goes on falling. Smoothing is off, as published.

use crate::Bench;
use crate::report::{Report, table};
use crate::sets::builtin;
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;
use rebelboost::booster::train;
use rebelboost::data::Dataset;
use rebelboost::model::Model;
use rebelboost::settings::Settings;

const ROUNDS: usize = 600;
const SHOWN: [usize; 8] = [1, 10, 50, 100, 200, 250, 400, 600];

/// Trains once and follows the errors round by round.
pub fn run(bench: &Bench) -> Result<Report> {
    let data = builtin("spheres?rows=2000&seed=1&draw=0")?;
    let test = builtin("spheres?rows=10000&seed=1&draw=1")?;
    let settings = Settings::new("adaboost")?
        .with("rounds", ROUNDS)?
        .with("min-rounds", ROUNDS)?
        .with("depth", 1)?
        .with("bias", "off")?
        .with("smoothing", 0)?;
    let trained = train(&data, None, &settings, &bench.context, &mut ())?;
    let errors = errors_by_round(&trained.model, &test);
    let history = &trained.summary.history;
    let rows = SHOWN.iter().filter(|&&round| round <= history.len()).map(|&round| {
        let info = &history[round - 1];
        vec![
            round.to_string(),
            format!("{:.1} %", 100.0 * errors[round - 1]),
            format!("{:.1} %", 100.0 * info.error),
            format!("{:.4}", info.loss),
        ]
    });
    let perfect = history.iter().find(|info| info.error == 0.0).map(|info| info.round);
    let text = format!(
        "AdaBoost with stumps on `builtin:spheres`.\n\n{}\nThe training error is zero {}.\n",
        table(&["rounds", "test error", "training error", "exponential loss"], &rows.collect::<Vec<_>>()),
        perfect.map_or(format!("in none of {ROUNDS} rounds"), |round| format!("from round {round} on"))
    );
    let losses: Vec<f64> = history.iter().map(|info| info.loss).collect();
    let training: Vec<f64> = history.iter().map(|info| info.error).collect();
    Ok(Report { text, svg: Some(draw(&errors, &training, &losses)) })
}

/// Test error after each term: scores are summed once, in the order of the terms.
fn errors_by_round(model: &Model, test: &Dataset) -> Vec<f64> {
    let mut margins = vec![model.chain.bias[1] - model.chain.bias[0]; test.rows()];
    let mut response = vec![0.0; test.rows()];
    let follow = |term: &rebelboost::model::Term| {
        term.learner.respond(&test.features, 0, &mut response);
        let step = term.output[1] - term.output[0];
        margins.iter_mut().zip(&response).for_each(|(margin, f)| *margin += f * step);
        let wrong = margins.iter().zip(&test.labels).filter(|(margin, label)| (**margin > 0.0) != (**label == 1));
        wrong.count() as f64 / test.rows() as f64
    };
    model.chain.terms.iter().map(follow).collect()
}

fn draw(test: &[f64], training: &[f64], losses: &[f64]) -> String {
    let mut svg = Svg::new(1000.0, 460.0);
    svg.text(500.0, 28.0, 17.0, Anchor::Middle, "AdaBoost with stumps on two concentric shells in ten dimensions");
    let series = |values: &[f64]| (1..).map(f64::from).zip(values.iter().copied()).collect::<Vec<_>>();
    let rounds = (0.0, test.len() as f64);
    let left = Panel { place: [70.0, 80.0, 400.0, 310.0], x: rounds, y: (0.0, 0.5) };
    left.axes(&mut svg, "rounds", "error");
    left.title(&mut svg, "test error");
    left.line(&mut svg, &series(test), COLOURS[2], 1.8, "");
    let right = Panel { place: [560.0, 80.0, 400.0, 310.0], x: rounds, y: (0.0, 1.0) };
    right.axes(&mut svg, "rounds", "training set");
    right.line(&mut svg, &series(training), COLOURS[0], 1.8, "");
    right.line(&mut svg, &series(losses), COLOURS[1], 1.8, "");
    svg.legend(650.0, 70.0, &[("error", COLOURS[0]), ("exponential loss", COLOURS[1])]);
    svg.finish()
}
