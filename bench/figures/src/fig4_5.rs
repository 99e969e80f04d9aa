//! Fig. 4.5 of the thesis (Fig. 3 of the paper): REBEL trained on costs against training without them and using the
//! costs in the decision only, on 10 random data sets x 20 random cost matrices, 100 stumps, 1000 training and 500
//! test points.
//!
//! "The standard method" is not described further, so there are three: blind to costs; two-step with the
//! probabilities that follow from the loss; two-step with calibrated probabilities. With 500 test points many trials
//! are decided by chance, so the same models are also judged on 20,000 points.

use crate::Bench;
use crate::calibrate::out_of_fold;
use crate::fig4_6::{SETS, spec};
use crate::plane::rebel;
use crate::report::{Report, mean, table};
use crate::sets::builtin;
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;
use rebelboost::booster::train;
use rebelboost::context::stream;
use rebelboost::data::synthetic::random_cost_matrix;
use rebelboost::metric::mean_cost;
use rebelboost::settings::Settings;

const MATRICES: usize = 20;
const ROUNDS: usize = 100;
/// Points of the thesis' test sets, and of ours.
const TEST_ROWS: [usize; 2] = [500, 20_000];

/// The ways to use costs, REBEL's own first.
const WAYS: [&str; 5] = [
    "trained on costs",
    "blind to costs",
    "two-step, link probabilities",
    "two-step, calibrated",
    "trained, paper's subcosts",
];
const RIVALS: [usize; 3] = [1, 2, 3];

/// Mean cost of each way on each test set.
struct Trial {
    set: usize,
    costs: [[f64; WAYS.len()]; TEST_ROWS.len()],
}

/// Runs the 200 trials.
pub fn run(bench: &Bench) -> Result<Report> {
    let mut trials = Vec::new();
    for set in 0..SETS {
        trials.extend(trials_of(bench, set)?);
        eprintln!("  set {} of {SETS} done", set + 1);
    }
    let mut text = String::from(
        "Mean test cost (a random answer costs 1) and share of the 200 trials that cost-trained REBEL wins, loses or \
         ties. Data sets: see fig4.6.\n\n",
    );
    for (test, rows) in TEST_ROWS.iter().enumerate() {
        text += &format!("{rows} test points:\n\n{}\n", summary(&trials, test));
    }
    text += &format!("By data set (500 test points; mean costs, easiest first):\n\n{}\n", by_set(&trials));
    let mut order: Vec<&Trial> = trials.iter().collect();
    order.sort_by(|a, b| a.costs[0][0].total_cmp(&b.costs[0][0]));
    let hard = &order[order.len() / 2..];
    let shares: Vec<String> =
        RIVALS.map(|r| format!("{} {:.0} %", WAYS[r], share(hard, |t| t.costs[0][0] < t.costs[0][r]))).to_vec();
    text += &format!("Wins in the dearer half of the trials, 500 test points: against {}.\n", shares.join(", "));
    Ok(Report { text, svg: Some(draw(&trials)) })
}

fn trials_of(bench: &Bench, set: usize) -> Result<Vec<Trial>> {
    let context = &bench.context;
    let data = builtin(&spec(set, 1000, 0))?;
    let tests = [builtin(&spec(set, TEST_ROWS[0], 1))?, builtin(&spec(set, TEST_ROWS[1], 2))?];
    let neutral = rebel(&data, None, ROUNDS, 1, context)?;
    let calibration = out_of_fold(&data, ROUNDS, 1, context)?;
    let paper = Settings::new("rebel")?
        .with("rounds", ROUNDS)?
        .with("min-rounds", ROUNDS)?
        .with("depth", 1)?
        .with("subcosts", "paper")?;
    let mut trials = Vec::new();
    for matrix in 0..MATRICES {
        let mut random = stream((set * MATRICES + matrix) as u64, "bench/fig4.5");
        let costs = random_cost_matrix(&data.schema.classes, &mut random)?;
        let trained = rebel(&data, Some(&costs), ROUNDS, 1, context)?;
        let by_paper = train(&data, Some(&costs), &paper, context, &mut ())?.model;
        let mut trial = Trial { set, costs: [[0.0; WAYS.len()]; TEST_ROWS.len()] };
        for (test, cells) in tests.iter().zip(&mut trial.costs) {
            let scores = neutral.scores(&test.features, context);
            let answers = [
                trained.decide(&trained.scores(&test.features, context), None)?,
                neutral.decide(&scores, None)?,
                neutral.decide(&scores, Some(&costs))?,
                calibration.decide(&scores, &costs),
                by_paper.decide(&by_paper.scores(&test.features, context), None)?,
            ];
            for (cell, answers) in cells.iter_mut().zip(&answers) {
                *cell = mean_cost(&test.labels, answers, &test.weights, &costs);
            }
        }
        trials.push(trial);
    }
    Ok(trials)
}

fn share(trials: &[&Trial], holds: impl Fn(&Trial) -> bool) -> f64 {
    100.0 * trials.iter().filter(|t| holds(t)).count() as f64 / trials.len() as f64
}

fn summary(trials: &[Trial], test: usize) -> String {
    let all: Vec<&Trial> = trials.iter().collect();
    let rows = (0..WAYS.len()).map(|way| {
        let cost = mean(&trials.iter().map(|t| t.costs[test][way]).collect::<Vec<_>>());
        let compare = |holds: fn(f64, f64) -> bool| match way {
            0 => "".to_string(),
            _ => format!("{:.1} %", share(&all, |t| holds(t.costs[test][0], t.costs[test][way]))),
        };
        vec![
            WAYS[way].to_string(),
            format!("{cost:.4}"),
            compare(|ours, theirs| ours < theirs),
            compare(|ours, theirs| ours > theirs),
            compare(|ours, theirs| ours == theirs),
        ]
    });
    table(&["way", "mean cost", "REBEL wins", "loses", "ties"], &rows.collect::<Vec<_>>())
}

fn by_set(trials: &[Trial]) -> String {
    let cost = |set: usize, way: usize| {
        mean(&trials.iter().filter(|t| t.set == set).map(|t| t.costs[0][way]).collect::<Vec<_>>())
    };
    let mut sets: Vec<usize> = (0..SETS).collect();
    sets.sort_by(|&a, &b| cost(a, 0).total_cmp(&cost(b, 0)));
    let rows = sets.into_iter().map(|set| {
        let costs = (0..WAYS.len()).map(|way| format!("{:.4}", cost(set, way)));
        std::iter::once((set + 1).to_string()).chain(costs).collect()
    });
    let header: Vec<&str> = std::iter::once("set").chain(WAYS).collect();
    table(&header, &rows.collect::<Vec<_>>())
}

/// One panel a rival: its cost against REBEL's, so that points above the diagonal are wins of REBEL.
fn draw(trials: &[Trial]) -> String {
    let mut svg = Svg::new(1180.0, 460.0);
    let title = "Test cost of 200 trials, 100 stumps: above the line, training on costs is better";
    svg.text(590.0, 28.0, 17.0, Anchor::Middle, title);
    let costs = trials.iter().flat_map(|t| t.costs[0]);
    let top = (costs.fold(0.0, f64::max) * 10.0).ceil() / 10.0;
    let all: Vec<&Trial> = trials.iter().collect();
    for (i, rival) in RIVALS.into_iter().enumerate() {
        let place = [64.0 + 385.0 * i as f64, 84.0, 320.0, 320.0];
        let panel = Panel { place, x: (0.0, top), y: (0.0, top) };
        panel.axes(&mut svg, "cost, trained on costs", if i == 0 { "cost of the other way" } else { "" });
        panel.line(&mut svg, &[(0.0, 0.0), (top, top)], "#666", 1.2, "5 4");
        let points = trials.iter().map(|t| (t.costs[0][0], t.costs[0][rival]));
        panel.points(&mut svg, points, COLOURS[i], 5.5);
        let wins = share(&all, |t| t.costs[0][0] < t.costs[0][rival]);
        panel.title(&mut svg, &format!("{}: REBEL wins {wins:.0} %", WAYS[rival]));
    }
    svg.finish()
}
