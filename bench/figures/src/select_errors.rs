//! How good is REBEL on the best 10, 50 or 100 features by each method? Isolet and MNIST.

use crate::Bench;
use crate::report::{Report, table};
use crate::sets::{mnist, official};
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;
use rebelboost::booster::train;
use rebelboost::data::Dataset;
use rebelboost::metric::error_rate;
use rebelboost::select::{Plan, select};
use rebelboost::settings::Settings;
use std::time::Instant;

const METHODS: [&str; 6] = ["cmim", "mim", "fisher", "ks", "boosting", "random"];
const COUNTS: [usize; 3] = [10, 50, 100];
const ROUNDS: usize = 200;
/// Share of MNIST's training rows that is used: a tenth, to keep the run short.
const SHARE: f64 = 0.1;

fn error(training: &Dataset, test: &Dataset, bench: &Bench) -> Result<f64> {
    let settings = Settings::new("rebel")?.with("rounds", ROUNDS)?;
    let model = train(training, None, &settings, &bench.context, &mut ())?.model;
    let answers = model.decide(&model.scores(&test.features, &bench.context), None)?;
    Ok(error_rate(&test.labels, &answers, &test.weights))
}

/// Errors of one set: of all features, and by method and number.
struct Course {
    name: String,
    all: f64,
    errors: Vec<[f64; COUNTS.len()]>,
}

/// Selects, trains and tests.
pub fn run(bench: &Bench) -> Result<Report> {
    let sets =
        [("isolet", official(bench, "isolet")?), ("MNIST, a tenth of the training rows", mnist(bench, SHARE)?)];
    let (mut courses, mut rows) = (Vec::new(), Vec::new());
    for (name, parts) in sets {
        let Some((training, test)) = parts else { continue };
        let all = error(&training, &test, bench)?;
        let mut course = Course { name: name.into(), all, errors: Vec::new() };
        for method in METHODS {
            let mut plan = Plan::parse(&format!("{method}:{}", COUNTS[COUNTS.len() - 1]))?;
            plan.booster = Settings::new("rebel")?.with("rounds", ROUNDS)?;
            let started = Instant::now();
            let mut selection = select(&training, &plan, None, &bench.context)?;
            let seconds = started.elapsed().as_secs_f64();
            let mut errors = [0.0; COUNTS.len()];
            // The best 10 are the first 10 of the best 100, by every method here.
            for (i, count) in COUNTS.iter().enumerate().rev() {
                selection.ranked.truncate(*count);
                errors[i] = error(&selection.reduce(&training), &selection.reduce(&test), bench)?;
            }
            let mut line = vec![format!("{name}, {method}")];
            line.extend(errors.map(|e| format!("{:.2} %", 100.0 * e)));
            line.extend([format!("{:.2} %", 100.0 * all), format!("{seconds:.1} s")]);
            rows.push(line);
            course.errors.push(errors);
            eprintln!("  {name}, {method}: {errors:?}");
        }
        courses.push(course);
    }
    let text = format!(
        "Test error of REBEL ({ROUNDS} rounds, depth 2) on the best features by each method, and the time of the selection \
         of 100. `boosting` trains REBEL with the same settings.\n\n{}",
        table(&["set, method", "10 features", "50", "100", "all", "selection"], &rows)
    );
    Ok(Report { text, svg: (!courses.is_empty()).then(|| draw(&courses)) })
}

fn draw(courses: &[Course]) -> String {
    let mut svg = Svg::new(1000.0, 460.0);
    svg.text(500.0, 28.0, 17.0, Anchor::Middle, "Test error of REBEL on the best features by each method");
    let legend: Vec<(&str, &str)> = METHODS.iter().copied().zip(COLOURS).collect();
    svg.legend(220.0, 54.0, &legend);
    for (i, course) in courses.iter().enumerate() {
        let top = course.errors.iter().flatten().copied().fold(0.0, f64::max) * 1.05;
        let panel = Panel { place: [70.0 + 480.0 * i as f64, 95.0, 400.0, 300.0], x: (0.0, 105.0), y: (0.0, top) };
        panel.axes(&mut svg, "features", if i == 0 { "test error (dashed: all features)" } else { "" });
        panel.title(&mut svg, &course.name);
        for (errors, colour) in course.errors.iter().zip(COLOURS) {
            let points: Vec<(f64, f64)> = COUNTS.iter().map(|c| *c as f64).zip(errors.iter().copied()).collect();
            panel.line(&mut svg, &points, colour, 1.8, "");
            panel.points(&mut svg, points, colour, 3.0);
        }
        panel.line(&mut svg, &[(0.0, course.all), (105.0, course.all)], "#888888", 1.2, "5 4");
    }
    svg.finish()
}
