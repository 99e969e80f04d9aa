//! Fig. 10.2 and 10.3 of lecture 003 (Hastie, Tibshirani and Friedman, example 10.2): AdaBoost with stumps on two
//! concentric shells in ten dimensions, 2000 training and 10,000 test points.
//!
//! Claims: a single stump is hardly better than guessing; 400 stumps reach about 6 % test error; the training error is
//! zero after about 250 rounds while the exponential loss goes on falling. Smoothing is off, as published. REBEL with
//! two classes is the same algorithm by another way (thesis 7.3), so both are run.

use crate::Bench;
use crate::report::{Report, table};
use crate::sets::builtin;
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;
use rebelboost::booster::{RoundInfo, train};
use rebelboost::context::Context;
use rebelboost::data::Dataset;
use rebelboost::model::Model;
use rebelboost::settings::Settings;

const ROUNDS: usize = 600;
const SHOWN: [usize; 8] = [1, 10, 50, 100, 200, 250, 400, 600];
const ALGORITHMS: [&str; 2] = ["adaboost", "rebel"];

/// A run: training by round, and test error by round.
struct Course {
    algorithm: &'static str,
    history: Vec<RoundInfo>,
    test: Vec<f64>,
}

/// Trains and follows the errors round by round.
pub fn run(bench: &Bench) -> Result<Report> {
    let data = builtin("spheres?rows=2000&seed=1&draw=0")?;
    let test = builtin("spheres?rows=10000&seed=1&draw=1")?;
    let mut text = String::from("Stumps on `builtin:spheres`, 2000 rows to train, 10,000 to test.\n\n");
    let mut courses = Vec::new();
    let mut rows = Vec::new();
    for algorithm in ALGORITHMS {
        let settings = Settings::new(algorithm)?
            .with("rounds", ROUNDS)?
            .with("min-rounds", ROUNDS)?
            .with("depth", 1)?
            .with("smoothing", 0)?;
        let trained = train(&data, None, &settings, &bench.context, &mut ())?;
        let test = errors_by_round(&trained.model, &test, &bench.context);
        let course = Course { algorithm, history: trained.summary.history, test };
        rows.extend(lines(&course));
        let perfect = course.history.iter().find(|info| info.error == 0.0).map(|info| info.round);
        text += &format!(
            "- {algorithm}: ended after {} rounds, because {}; training error zero {}.\n",
            course.history.len(),
            trained.summary.stopped.words(),
            perfect.map_or("never".to_string(), |round| format!("from round {round}"))
        );
        courses.push(course);
    }
    text += &format!("\n{}", table(&["rounds", "test error", "training error", "exponential loss"], &rows));
    Ok(Report { text, svg: Some(draw(&courses)) })
}

fn lines(course: &Course) -> Vec<Vec<String>> {
    let shown = SHOWN.into_iter().filter(|&round| round <= course.history.len());
    let line = |round: usize| {
        let info = &course.history[round - 1];
        vec![
            format!("{}, {round}", course.algorithm),
            format!("{:.1} %", 100.0 * course.test[round - 1]),
            format!("{:.1} %", 100.0 * info.error),
            format!("{:.4}", info.loss),
        ]
    };
    shown.map(line).collect()
}

/// Test error after each term: scores are summed once, in the order of the terms.
fn errors_by_round(model: &Model, test: &Dataset, context: &Context) -> Vec<f64> {
    let mut scores = model.chain.bias.repeat(test.rows());
    let follow = |term: usize| {
        model.chain.add_terms(term..term + 1, &test.features, &mut scores, context);
        let wrong = scores.chunks_exact(2).zip(&test.labels).filter(|(h, label)| (h[1] > h[0]) != (**label == 1));
        wrong.count() as f64 / test.rows() as f64
    };
    (0..model.chain.terms.len()).map(follow).collect()
}

fn draw(courses: &[Course]) -> String {
    let mut svg = Svg::new(1000.0, 460.0);
    svg.text(500.0, 28.0, 17.0, Anchor::Middle, "Boosted stumps on two concentric shells in ten dimensions");
    let series = |values: Vec<f64>| (1..).map(f64::from).zip(values).collect::<Vec<_>>();
    let rounds = (0.0, ROUNDS as f64);
    let left = Panel { place: [70.0, 90.0, 400.0, 310.0], x: rounds, y: (0.0, 0.5) };
    left.axes(&mut svg, "rounds", "test error");
    let right = Panel { place: [560.0, 90.0, 400.0, 310.0], x: rounds, y: (0.0, 1.0) };
    right.axes(&mut svg, "rounds", "training set");
    for (course, colour) in courses.iter().zip([COLOURS[0], COLOURS[2]]) {
        left.line(&mut svg, &series(course.test.clone()), colour, 2.0, "");
        let of_round = |value: fn(&RoundInfo) -> f64| series(course.history.iter().map(value).collect());
        right.line(&mut svg, &of_round(|info| info.error), colour, 2.0, "");
        right.line(&mut svg, &of_round(|info| info.loss), colour, 2.0, "6 4");
    }
    svg.legend(180.0, 70.0, &[("adaboost", COLOURS[0]), ("rebel, K = 2", COLOURS[2])]);
    svg.text(760.0, 70.0, 13.0, Anchor::Middle, "full lines: error; dashed: exponential loss");
    svg.finish()
}
