//! Fig. 5.7 of the thesis: training and test error of localized similarities on UCI sets. Claim: the test error is stable
//! once it has reached its minimum.

use crate::Bench;
use crate::course::{Followed, on_uci_sets, series};
use crate::report::{Report, table};
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;

/// Trains on every set that is there.
pub fn run(bench: &Bench) -> Result<Report> {
    let runs = on_uci_sets(bench)?;
    let percent = |error: f64| format!("{:.1} %", 100.0 * error);
    let rows = runs.iter().map(|Followed { name, rows, course, .. }| {
        let (least, round) = course.least_test();
        let ends = course.loss_below(1.0 / *rows as f64);
        vec![
            name.to_string(),
            course.history.len().to_string(),
            course.perfect_from().map_or("never".into(), |round| round.to_string()),
            ends.map_or("later".into(), |round| round.to_string()),
            ends.map_or(String::new(), |round| percent(course.test[round - 1])),
            format!("{} ({round})", percent(least)),
            percent(course.last_test()),
        ]
    });
    let header = [
        "set",
        "rounds",
        "no training mistake from",
        "loss < 1/N from",
        "test error there",
        "least test error (round)",
        "test error at the end",
    ];
    let text = format!(
        "Default options but for the end: by itself training would stop at a loss of 1/N. Official splits; glass and \
         vehicle have none and are split 75 % / 25 %.\n\n{}",
        table(&header, &rows.collect::<Vec<_>>())
    );
    Ok(Report { text, svg: (!runs.is_empty()).then(|| draw(&runs)) })
}

fn draw(runs: &[Followed]) -> String {
    const COLUMNS: usize = 4;
    let lines = runs.len().div_ceil(COLUMNS);
    let mut svg = Svg::new(1120.0, 80.0 + 250.0 * lines as f64);
    svg.text(560.0, 28.0, 17.0, Anchor::Middle, "Localized similarities: errors by round");
    svg.legend(380.0, 54.0, &[("training", COLOURS[1]), ("test", COLOURS[0]), ("a loss of 1/N", "#8a909a")]);
    for (i, Followed { name, rows, course, .. }) in runs.iter().enumerate() {
        let place = [62.0 + 275.0 * (i % COLUMNS) as f64, 95.0 + 250.0 * (i / COLUMNS) as f64, 200.0, 165.0];
        let last = course.history.len() as f64;
        // Three times the last test error shows what happens after the first rounds.
        let top = ((3.0 * course.last_test()) * 10.0).ceil() / 10.0;
        let panel = Panel { place, x: (0.0, last), y: (0.0, top) };
        panel.axes(&mut svg, "rounds", if i % COLUMNS == 0 { "error" } else { "" });
        panel.title(&mut svg, name);
        if let Some(round) = course.loss_below(1.0 / *rows as f64) {
            panel.line(&mut svg, &[(round as f64, 0.0), (round as f64, top)], "#8a909a", 1.5, "5 4");
        }
        let shown = |values: Vec<(f64, f64)>| values.into_iter().filter(|(_, e)| *e <= top).collect::<Vec<_>>();
        let training = shown(series(course.history.iter().map(|info| info.error)));
        panel.line(&mut svg, &training, COLOURS[1], 1.8, "");
        panel.line(&mut svg, &shown(series(course.test.iter().copied())), COLOURS[0], 1.8, "");
    }
    svg.finish()
}
