//! Fig. 5.1 of the GAMBLE thesis: trees of different sizes on pendigits. Claims: stumps need far more rounds; trees of 10,
//! 12 and 14 leaves are almost the same after 600.

use crate::Bench;
use crate::course::Course;
use crate::gamble::{ROUNDS, SETS, by_log_round, courses, percent, settings, test_at};
use crate::report::{Report, table};
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;

const LEAVES: [usize; 7] = [2, 4, 6, 8, 10, 12, 15];
const SHOWN: [usize; 5] = [10, 50, 100, 600, 1000];

/// Trains with every size.
pub fn run(bench: &Bench) -> Result<Report> {
    let parts = SETS[1].parts(bench)?;
    let mut runs = Vec::new();
    if !parts.is_empty() {
        for leaves in LEAVES {
            runs.push(courses(&parts, &settings("gamble", ROUNDS)?.with("leaves", leaves)?, bench)?);
        }
    }
    let rows = LEAVES.iter().zip(&runs).map(|(leaves, runs)| {
        let mut row = vec![leaves.to_string()];
        row.extend(SHOWN.map(|round| percent(test_at(runs, round))));
        row.push(percent(runs[0].least_test().0));
        row
    });
    let header = ["leaves", "10 rounds", "50", "100", "600", "1000", "lowest"];
    let text = format!(
        "GAMBLE on pendigits (official split): test error by the number of leaves.\n\n{}",
        table(&header, &rows.collect::<Vec<_>>())
    );
    Ok(Report { text, svg: (!runs.is_empty()).then(|| draw(&runs)) })
}

fn draw(runs: &[Vec<Course>]) -> String {
    let mut svg = Svg::new(700.0, 480.0);
    svg.text(350.0, 28.0, 17.0, Anchor::Middle, "GAMBLE on pendigits: test error by leaves");
    let names: Vec<String> = LEAVES.iter().map(|leaves| leaves.to_string()).collect();
    let legend: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(COLOURS).collect();
    svg.legend(180.0, 54.0, &legend);
    let panel = Panel { place: [70.0, 85.0, 590.0, 330.0], x: (0.0, 3.0), y: (0.0, 0.5) };
    panel.axes(&mut svg, "log10 of the round", "test error");
    for (runs, colour) in runs.iter().zip(COLOURS) {
        let shown: Vec<(f64, f64)> = by_log_round(&runs[0].test).into_iter().filter(|(_, e)| *e <= 0.5).collect();
        panel.line(&mut svg, &shown, colour, 1.8, "");
    }
    svg.finish()
}
