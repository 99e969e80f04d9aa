//! Fig. 5.3 and 5.4 of the GAMBLE thesis: test errors of GAMBLE and SAMME by round on glass and segmentation. Claim:
//! GAMBLE generalises better where rows are few.

use crate::Bench;
use crate::course::{Course, mean_by_round};
use crate::gamble::{ROUNDS, SETS, by_log_round, courses, percent, settings, test_at};
use crate::report::{Report, table};
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;

const SHOWN: [usize; 6] = [1, 10, 50, 100, 300, 1000];

/// Trains both on both sets.
pub fn run(bench: &Bench) -> Result<Report> {
    let mut rows = Vec::new();
    let mut drawn = Vec::new();
    for set in SETS.iter().filter(|set| ["glass", "segment"].contains(&set.name)) {
        let parts = set.parts(bench)?;
        if parts.is_empty() {
            continue;
        }
        for algorithm in ["gamble", "samme"] {
            let courses = courses(&parts, &settings(algorithm, ROUNDS)?, bench)?;
            let mut row = vec![format!("{}, {algorithm}", set.name)];
            row.extend(SHOWN.map(|round| percent(test_at(&courses, round))));
            rows.push(row);
            drawn.push((set.name, algorithm, courses));
        }
    }
    let text = format!(
        "Test errors by round, 15 leaves; glass: means over ten random splits.\n\n{}",
        table(&["set", "1 round", "10", "50", "100", "300", "1000"], &rows)
    );
    Ok(Report { text, svg: (!drawn.is_empty()).then(|| draw(&drawn)) })
}

fn draw(runs: &[(&'static str, &'static str, Vec<Course>)]) -> String {
    let mut svg = Svg::new(1000.0, 440.0);
    svg.text(500.0, 28.0, 17.0, Anchor::Middle, "Test errors of GAMBLE and SAMME by round");
    svg.legend(400.0, 54.0, &[("GAMBLE", COLOURS[0]), ("SAMME", COLOURS[2])]);
    for (i, pair) in runs.chunks(2).enumerate() {
        let curves: Vec<Vec<f64>> =
            pair.iter().map(|(_, _, courses)| mean_by_round(courses, |course, round| course.test[round])).collect();
        let top = curves.iter().flatten().copied().fold(0.0, f64::max) * 1.05;
        let panel = Panel { place: [70.0 + 480.0 * i as f64, 95.0, 400.0, 280.0], x: (0.0, 3.0), y: (0.0, top) };
        panel.axes(&mut svg, "log10 of the round", if i == 0 { "test error" } else { "" });
        panel.title(&mut svg, pair[0].0);
        for (curve, colour) in curves.iter().zip([COLOURS[0], COLOURS[2]]) {
            panel.line(&mut svg, &by_log_round(curve), colour, 1.8, "");
        }
    }
    svg.finish()
}
