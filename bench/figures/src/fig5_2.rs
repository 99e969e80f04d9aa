//! Fig. 5.2 and 5.12 of the thesis: what 1000 rounds answer in the plane of the spirals, localized similarities and
//! stumps.
//!
//! Claims: similarities make no mistake on training and test rows (5.2), and overtraining smoothens their boundaries
//! where it makes stumps overfit (5.12).

use crate::Bench;
use crate::course::{Course, follow, similarities, spirals, stumps};
use crate::plane::{answers, draw_decisions, draw_rows, ranges};
use crate::report::{Report, table};
use crate::svg::{Anchor, Panel, Svg};
use rebelboost::Result;
use rebelboost::data::Dataset;

const ROUNDS: usize = 1000;
const SIDE: f64 = 300.0;

/// Trains both and draws the plane.
pub fn run(bench: &Bench) -> Result<Report> {
    let (data, test) = spirals(1, 0.0)?;
    let smooth = follow(&data, &test, &similarities(ROUNDS)?, bench)?;
    let rough = follow(&data, &test, &stumps(ROUNDS)?, bench)?;
    let mut svg = Svg::new(1000.0, 400.0);
    svg.text(500.0, 28.0, 17.0, Anchor::Middle, &format!("Spirals after {ROUNDS} rounds: answers everywhere"));
    let shown: [(&str, &Course, &Dataset); 3] = [
        ("similarities, training rows", &smooth, &data),
        ("similarities, test rows", &smooth, &test),
        ("stumps, test rows", &rough, &test),
    ];
    let (x, y) = ranges(&data);
    for (i, (title, course, rows)) in shown.into_iter().enumerate() {
        let panel = Panel { place: [25.0 + i as f64 * (SIDE + 25.0), 70.0, SIDE, SIDE], x, y };
        draw_decisions(&mut svg, &panel, &course.model, &bench.context)?;
        draw_rows(&mut svg, &panel, rows, Some(&answers(&course.model, rows, &bench.context)?), 4.0);
        panel.frame(&mut svg);
        panel.title(&mut svg, title);
    }
    let line = |name: &str, course: &Course| {
        let (least, round) = course.least_test();
        vec![
            name.to_string(),
            course.perfect_from().map_or("never".to_string(), |round| round.to_string()),
            format!("{:.1} % ({round})", 100.0 * least),
            format!("{:.1} %", 100.0 * course.last_test()),
        ]
    };
    let rows = [line("similarities", &smooth), line("stumps (depth 1)", &rough)];
    let header = ["learner", "no training mistake from round", "least test error (round)", "test error at the end"];
    let text = format!(
        "`builtin:spirals`, 333 rows to train, 167 to test; {ROUNDS} rounds, none of which is left out for a small loss. \
         Crosses are mistakes.\n\n{}",
        table(&header, &rows)
    );
    Ok(Report { text, svg: Some(svg.finish()) })
}
