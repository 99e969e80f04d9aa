//! Fig. 5.7 and 5.8 of the GAMBLE thesis: concentric spheres, K = 2 (2000 rows) and K = 5 (5000), 10,000 test rows. Claims:
//! the test error falls after the training error is zero; at K = 5 GAMBLE has 10 % less test error than SAMME, and SAMME
//! the lower training error after 120 rounds.

use crate::Bench;
use crate::course::{Course, follow};
use crate::gamble::{ROUNDS, by_log_round, percent, settings};
use crate::report::{Report, table};
use crate::sets::builtin;
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;

const SHOWN: [usize; 6] = [10, 20, 50, 120, 400, 1000];

/// Trains both on both problems.
pub fn run(bench: &Bench) -> Result<Report> {
    let mut rows = Vec::new();
    let mut drawn = Vec::new();
    let mut text = String::from("Concentric spheres in ten dimensions, 15 leaves; test / training error.\n\n");
    for classes in [2, 5] {
        let part =
            |rows: usize, draw: usize| builtin(&format!("spheres?rows={rows}&classes={classes}&seed=1&draw={draw}"));
        let (train, test) = (part(1000 * classes, 0)?, part(10_000, 1)?);
        for algorithm in ["gamble", "samme"] {
            let course = follow(&train, &test, &settings(algorithm, ROUNDS)?, bench)?;
            let at = |round: usize| {
                let at = round.min(course.test.len()) - 1;
                format!("{} / {}", percent(course.test[at]), percent(course.history[at].error))
            };
            let mut row = vec![format!("K = {classes}, {algorithm}")];
            row.extend(SHOWN.map(at));
            let zero = course.perfect_from().map_or("never".into(), |round| round.to_string());
            row.extend([zero, percent(course.least_test().0)]);
            rows.push(row);
            drawn.push((classes, course));
        }
    }
    let header = ["", "10 rounds", "20", "50", "120", "400", "1000", "no training mistake from", "lowest test error"];
    text += &table(&header, &rows);
    Ok(Report { text, svg: Some(draw(&drawn)) })
}

fn draw(runs: &[(usize, Course)]) -> String {
    let mut svg = Svg::new(1000.0, 440.0);
    svg.text(500.0, 28.0, 17.0, Anchor::Middle, "Concentric spheres: full lines test error, dashed training error");
    svg.legend(400.0, 54.0, &[("GAMBLE", COLOURS[0]), ("SAMME", COLOURS[2])]);
    for (i, pair) in runs.chunks(2).enumerate() {
        let top = pair.iter().flat_map(|(_, course)| &course.test).copied().fold(0.0, f64::max) * 1.05;
        let panel = Panel { place: [70.0 + 480.0 * i as f64, 95.0, 400.0, 280.0], x: (0.0, 3.0), y: (0.0, top) };
        panel.axes(&mut svg, "log10 of the round", if i == 0 { "error" } else { "" });
        panel.title(&mut svg, &format!("K = {}", pair[0].0));
        for ((_, course), colour) in pair.iter().zip([COLOURS[0], COLOURS[2]]) {
            let training: Vec<f64> = course.history.iter().map(|info| info.error).collect();
            panel.line(&mut svg, &by_log_round(&course.test), colour, 1.8, "");
            panel.line(&mut svg, &by_log_round(&training), colour, 1.5, "6 4");
        }
    }
    svg.finish()
}
