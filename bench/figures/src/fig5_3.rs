//! Fig. 5.3 of the thesis: training loss, training error and test error of localized similarities on spirals over 1000
//! rounds. Claims: the training error is zero from about round 35 on (5.5), the test error does not rise afterwards,
//! and the loss falls exponentially.

use crate::Bench;
use crate::course::{Course, follow, series, similarities, spirals};
use crate::report::{Report, mean, table};
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;

const ROUNDS: usize = 1000;
const SHOWN: [usize; 9] = [1, 5, 10, 20, 35, 50, 100, 300, 1000];
/// Drawings of the data for the counts in the text; the first is drawn.
const SEEDS: u64 = 10;

/// Trains and follows the errors.
pub fn run(bench: &Bench) -> Result<Report> {
    let courses = (1..=SEEDS).map(|seed| {
        let (data, test) = spirals(seed, 0.0)?;
        follow(&data, &test, &similarities(ROUNDS)?, bench)
    });
    let courses: Vec<Course> = courses.collect::<Result<_>>()?;
    let drawn = &courses[0];
    let shown = SHOWN.into_iter().filter(|&round| round <= drawn.history.len());
    let rows = shown.map(|round| {
        let info = &drawn.history[round - 1];
        vec![
            round.to_string(),
            format!("{:.2e}", info.loss),
            format!("{:.1} %", 100.0 * info.error),
            format!("{:.1} %", 100.0 * drawn.test[round - 1]),
        ]
    });
    let perfect: Vec<f64> =
        courses.iter().map(|c| c.perfect_from().map_or(f64::INFINITY, |round| round as f64)).collect();
    let rise = |course: &Course| {
        // From the round without training mistakes to the end: the largest test error less that of that round.
        let from = course.perfect_from().unwrap_or(1) - 1;
        course.test[from..].iter().copied().fold(0.0, f64::max) - course.test[from]
    };
    let percent = |values: Vec<f64>| format!("{:.2} %", 100.0 * mean(&values));
    let text = format!(
        "`builtin:spirals`, 333 rows to train, 167 to test, {ROUNDS} rounds.\n\n{}\n\
         Over {SEEDS} draws of the data: no training mistake from round {:.0} on in the mean ({:.0} to {:.0}); test error \
         {} then, {} at its least and {} at the end; at its worst after that round it is {} higher than in it.\n",
        table(&["rounds", "loss", "training error", "test error"], &rows.collect::<Vec<_>>()),
        mean(&perfect),
        perfect.iter().copied().fold(f64::INFINITY, f64::min),
        perfect.iter().copied().fold(0.0, f64::max),
        percent(courses.iter().map(|c| c.test[c.perfect_from().unwrap_or(1) - 1]).collect()),
        percent(courses.iter().map(|c| c.least_test().0).collect()),
        percent(courses.iter().map(Course::last_test).collect()),
        percent(courses.iter().map(rise).collect()),
    );
    Ok(Report { text, svg: Some(draw(drawn)) })
}

fn draw(course: &Course) -> String {
    let mut svg = Svg::new(1000.0, 560.0);
    svg.text(500.0, 28.0, 17.0, Anchor::Middle, "Localized similarities on spirals");
    let (loss, train, test) = (COLOURS[2], COLOURS[1], COLOURS[0]);
    svg.legend(320.0, 58.0, &[("training loss", loss), ("training error", train), ("test error", test)]);
    let rounds = (0.0, ROUNDS as f64);
    let losses = series(course.history.iter().map(|info| info.loss));
    let errors = series(course.history.iter().map(|info| info.error));
    let tests = series(course.test.iter().copied());
    let highest = losses.iter().map(|(_, loss)| *loss).fold(1.0, f64::max);
    let all = Panel { place: [75.0, 80.0, 400.0, 420.0], x: rounds, y: (0.0, highest) };
    all.axes(&mut svg, "rounds", "loss and errors");
    all.line(&mut svg, &losses, loss, 2.0, "");
    all.line(&mut svg, &errors, train, 2.0, "");
    all.line(&mut svg, &tests, test, 2.0, "");
    let powers: Vec<(f64, f64)> = losses.iter().map(|(round, loss)| (*round, loss.log10())).collect();
    let lowest = powers.iter().map(|(_, power)| *power).fold(0.0, f64::min).floor();
    let upper = Panel { place: [565.0, 80.0, 400.0, 180.0], x: rounds, y: (lowest, 1.0) };
    upper.axes(&mut svg, "", "log10 of the loss");
    upper.line(&mut svg, &powers, loss, 2.0, "");
    let lower = Panel { place: [565.0, 320.0, 400.0, 180.0], x: (0.0, 100.0), y: (0.0, 0.6) };
    lower.axes(&mut svg, "the first 100 rounds", "errors");
    let clipped =
        |points: &[(f64, f64)]| points.iter().copied().filter(|(round, _)| *round <= 100.0).collect::<Vec<_>>();
    lower.line(&mut svg, &clipped(&errors), train, 2.0, "");
    lower.line(&mut svg, &clipped(&tests), test, 2.0, "");
    svg.finish()
}
