//! Fig. 5.7 of the thesis: training and test error of localized similarities on UCI sets. Claim: the test error is stable
//! once it has reached its minimum.

use crate::Bench;
use crate::course::{Course, Followed, mean_by_round, on_uci_sets, series};
use crate::report::{Report, mean, spread_percent, table};
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;

/// Trains on every set that is there.
pub fn run(bench: &Bench) -> Result<Report> {
    let runs = on_uci_sets(bench)?;
    let rows = runs.iter().map(|Followed { name, rows, courses, .. }| {
        let of = |value: &dyn Fn(&Course) -> f64| courses.iter().map(value).collect::<Vec<f64>>();
        let percent = |errors: Vec<f64>| match errors.as_slice() {
            [one] => format!("{:.1} %", 100.0 * one),
            many => spread_percent(many),
        };
        let ends = |course: &Course| course.loss_below(1.0 / *rows as f64).unwrap_or(course.history.len());
        vec![
            name.to_string(),
            courses[0].history.len().to_string(),
            format!("{:.0}", mean(&of(&|c| c.perfect_from().map_or(f64::NAN, |round| round as f64)))),
            format!("{:.0}", mean(&of(&|c| ends(c) as f64))),
            percent(of(&|c| c.test[ends(c) - 1])),
            percent(of(&|c| c.least_test().0)),
            percent(of(&Course::last_test)),
        ]
    });
    let header = [
        "set",
        "rounds",
        "no training mistake from",
        "loss < 1/N from",
        "test error there",
        "least test error",
        "test error at the end",
    ];
    let text = format!(
        "Default options but for the end: by itself training would stop at a loss of 1/N. Official splits; glass and \
         vehicle have none: means (± deviation) over ten splits of 75 % / 25 %. The least test error is that of the best \
         round, chosen with hindsight.\n\n{}",
        table(&header, &rows.collect::<Vec<_>>())
    );
    Ok(Report { text, svg: (!runs.is_empty()).then(|| draw(&runs)) })
}

fn draw(runs: &[Followed]) -> String {
    const COLUMNS: usize = 3;
    let lines = runs.len().div_ceil(COLUMNS);
    let mut svg = Svg::new(1060.0, 80.0 + 250.0 * lines as f64);
    svg.text(530.0, 28.0, 17.0, Anchor::Middle, "Localized similarities: errors by round");
    svg.legend(350.0, 54.0, &[("training", COLOURS[1]), ("test", COLOURS[0]), ("a loss of 1/N", "#8a909a")]);
    for (i, Followed { name, rows, courses, .. }) in runs.iter().enumerate() {
        let place = [70.0 + 335.0 * (i % COLUMNS) as f64, 95.0 + 250.0 * (i / COLUMNS) as f64, 280.0, 165.0];
        let test = mean_by_round(courses, |course, round| course.test[round]);
        let training = mean_by_round(courses, |course, round| course.history[round].error);
        let losses = mean_by_round(courses, |course, round| course.history[round].loss);
        // Three times the last test error shows what happens after the first rounds.
        let top = (30.0 * test.last().copied().unwrap_or(0.3)).ceil() / 10.0;
        let panel = Panel { place, x: (0.0, test.len() as f64), y: (0.0, top) };
        panel.axes(&mut svg, "rounds", if i % COLUMNS == 0 { "error" } else { "" });
        panel.title(&mut svg, name);
        if let Some(round) = losses.iter().position(|loss| *loss < 1.0 / *rows as f64) {
            panel.line(&mut svg, &[(round as f64, 0.0), (round as f64, top)], "#8a909a", 1.5, "5 4");
        }
        let shown = |values: Vec<(f64, f64)>| values.into_iter().filter(|(_, e)| *e <= top).collect::<Vec<_>>();
        panel.line(&mut svg, &shown(series(training.into_iter())), COLOURS[1], 1.8, "");
        panel.line(&mut svg, &shown(series(test.into_iter())), COLOURS[0], 1.8, "");
    }
    svg.finish()
}
