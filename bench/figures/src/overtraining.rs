//! Similarities beside stumps, trained far beyond the last training mistake on several draws of the spirals: is the
//! test error at the end still what it was at its least (Fig. 5.5, 5.6 and 5.12)?

use crate::Bench;
use crate::course::{Course, faithful_similarities, follow, mean_by_round, series, similarities, stumps};
use crate::report::{Report, spread_percent, table};
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;
use rebelboost::data::Dataset;

const ROUNDS: usize = 1000;
const SEEDS: u64 = 10;
const LEARNERS: [&str; 3] = ["similarities", "similarities, faithful", "stumps"];

/// Data by seed: rows to train on, and one or more sets of test rows.
type Draw = Box<dyn Fn(u64) -> Result<(Dataset, Vec<Dataset>)>>;

/// A condition under which data are drawn.
pub struct Case {
    /// In words.
    pub name: String,
    /// Makes the data.
    pub draw: Draw,
}

/// A table of errors, and the mean test error by round. `measures` names the test sets of a draw.
pub fn compare(bench: &Bench, cases: &[Case], measures: &[&str]) -> Result<Report> {
    let settings = [similarities(ROUNDS)?, faithful_similarities(ROUNDS)?, stumps(ROUNDS)?];
    let mut rows = Vec::new();
    let mut curves: Vec<Vec<Vec<f64>>> = Vec::new();
    for case in cases {
        let data = (1..=SEEDS).map(|seed| (case.draw)(seed)).collect::<Result<Vec<_>>>()?;
        for (learner, settings) in LEARNERS.iter().zip(&settings) {
            let mut line = vec![case.name.clone(), learner.to_string()];
            let mut courses: Vec<Vec<Course>> = Vec::new();
            for measured in 0..measures.len() {
                let runs = data.iter().map(|(train, tests)| follow(train, &tests[measured], settings, bench));
                courses.push(runs.collect::<Result<_>>()?);
            }
            let perfect: Vec<usize> = courses[0].iter().filter_map(Course::perfect_from).collect();
            line.push(match perfect.len() as u64 {
                SEEDS => format!("{:.0}", perfect.iter().sum::<usize>() as f64 / SEEDS as f64),
                some => format!("in {some} of {SEEDS}"),
            });
            for courses in &courses {
                line.push(spread_percent(&courses.iter().map(|c| c.least_test().0).collect::<Vec<_>>()));
                line.push(spread_percent(&courses.iter().map(Course::last_test).collect::<Vec<_>>()));
            }
            rows.push(line);
            curves.push(courses.iter().map(|courses| mean_by_round(courses, |c, round| c.test[round])).collect());
        }
        eprintln!("  {} done", case.name);
    }
    let mut header = vec!["spirals".to_string(), "learner".into(), "no training mistake from round".into()];
    for measure in measures {
        header.extend([format!("{measure}: least"), format!("{measure}: at the end")]);
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let text = format!(
        "{ROUNDS} rounds without an earlier end, {SEEDS} draws of `builtin:spirals` (333 rows to train, 167 to test), mean ± \
         deviation; *least* is the smallest error of any round, chosen with hindsight. *Faithful* similarities are as published: binary \
         answers, closed-form step. Curves are means over the draws.\n\n{}",
        table(&header, &rows)
    );
    let first: Vec<&[f64]> = curves.iter().map(|measured| measured[0].as_slice()).collect();
    Ok(Report { text, svg: Some(draw(cases, &first, measures[0])) })
}

/// One panel a learner, one line a case.
fn draw(cases: &[Case], curves: &[&[f64]], measure: &str) -> String {
    let mut svg = Svg::new(1000.0, 460.0);
    let title = format!("Spirals: {measure} by round");
    svg.text(500.0, 28.0, 17.0, Anchor::Middle, &title);
    let names: Vec<(&str, &str)> =
        cases.iter().zip(COLOURS).map(|(case, colour)| (case.name.as_str(), colour)).collect();
    svg.legend(130.0, 58.0, &names);
    for (i, learner) in LEARNERS.into_iter().enumerate() {
        let panel =
            Panel { place: [70.0 + 320.0 * i as f64, 95.0, 270.0, 305.0], x: (0.0, ROUNDS as f64), y: (0.0, 0.5) };
        panel.axes(&mut svg, "rounds", if i == 0 { "test error" } else { "" });
        panel.title(&mut svg, learner);
        for (curve, colour) in curves.iter().skip(i).step_by(LEARNERS.len()).zip(COLOURS) {
            let shown: Vec<(f64, f64)> =
                series(curve.iter().copied()).into_iter().filter(|(_, error)| *error <= 0.5).collect();
            panel.line(&mut svg, &shown, colour, 1.8, "");
        }
    }
    svg.finish()
}
