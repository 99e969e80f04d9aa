//! Fig. 4.3 of the thesis (Fig. 7 of the paper): what four cost matrices do to the decisions of 100 depth-2 trees.
//!
//! The thesis does not give its points; ours are 500 of three classes, each a mixture of two normal clusters that
//! overlap. Since one picture proves little, the claims are also counted on 20 such problems.

use crate::Bench;
use crate::plane::{answers, draw_decisions, draw_rows, ranges, rebel};
use crate::report::{Report, mean, table};
use crate::sets::builtin;
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;
use rebelboost::data::{CostMatrix, Dataset};

const RED: usize = 0;
const GREEN: usize = 1;
const NAMES: [&str; 3] = ["red", "green", "blue"];
/// The problem that is drawn.
const DRAWN: usize = 3;
const PROBLEMS: usize = 20;

/// Cost of a mistake: truth, answer.
type Cost = fn(usize, usize) -> f64;

/// The four panels.
const PANELS: [(&str, Cost); 4] = [
    ("(a) uniform costs", |_, _| 1.0),
    ("(b) 10x missing green", |truth, _| if truth == GREEN { 10.0 } else { 1.0 }),
    ("(c) 10x missing red", |truth, _| if truth == RED { 10.0 } else { 1.0 }),
    ("(d) 10x wrongly answering red", |_, answer| if answer == RED { 10.0 } else { 1.0 }),
];

/// How often a class was missed and how often it was answered wrongly.
#[derive(Clone, Copy, Default)]
struct Counts {
    missed: [usize; 3],
    wrong: [usize; 3],
}

/// Draws the four panels and counts mistakes.
pub fn run(bench: &Bench) -> Result<Report> {
    let mut svg = Svg::new(860.0, 930.0);
    let title = "What costs do to decisions: 100 depth-2 trees, 500 points";
    svg.text(430.0, 28.0, 17.0, Anchor::Middle, title);
    let entries: Vec<(&str, &str)> = NAMES.into_iter().zip(COLOURS).collect();
    svg.legend(275.0, 54.0, &entries);
    svg.text(500.0, 54.0, 13.0, Anchor::Start, "crosses: mistakes");
    let mut drawn = Vec::new();
    let mut per_panel: Vec<Vec<(Counts, Counts)>> = vec![Vec::new(); PANELS.len()];
    for problem in 0..PROBLEMS {
        let spec = |rows: usize, draw: usize| {
            format!("gaussians?classes=3&clusters=2&spread=0.22&seed={problem}&rows={rows}&draw={draw}")
        };
        let (train, test) = (builtin(&spec(500, 0))?, builtin(&spec(5000, 1))?);
        for (i, (title, cost)) in PANELS.iter().enumerate() {
            let costs = matrix(&train, *cost)?;
            let model = rebel(&train, Some(&costs), 100, 2, &bench.context)?;
            let on_train = answers(&model, &train, &bench.context)?;
            let on_test = answers(&model, &test, &bench.context)?;
            per_panel[i].push((counts(&train, &on_train), counts(&test, &on_test)));
            if problem == DRAWN {
                let (x, y) = ranges(&train);
                let corner = (30.0 + 410.0 * (i % 2) as f64, 96.0 + 420.0 * (i / 2) as f64);
                let panel = Panel { place: [corner.0, corner.1, 390.0, 380.0], x, y };
                draw_decisions(&mut svg, &panel, &model, &bench.context)?;
                draw_rows(&mut svg, &panel, &train, Some(&on_train), 5.0);
                panel.frame(&mut svg);
                panel.title(&mut svg, title);
                drawn.push(row(title, counts(&train, &on_train), counts(&test, &on_test)));
            }
        }
    }
    let header = ["panel", "reds missed", "wrong reds", "greens missed", "reds missed (fresh)", "wrong reds (fresh)"];
    let mut text = format!(
        "Drawn: problem {DRAWN}, 500 training points; `fresh` are 5000 new points of the same problem.\n\n{}\n",
        table(&header, &drawn)
    );
    text += &format!("Mean counts over {PROBLEMS} problems:\n\n{}\n", table(&header, &summary(&per_panel)));
    let without = |panel: usize, count: fn(&Counts) -> usize| {
        per_panel[panel].iter().filter(|(train, _)| count(train) == 0).count()
    };
    text += &format!(
        "Of {PROBLEMS} problems: (c) misses no red training point in {}, and (a) in {}; (d) answers red wrongly for no \
         training point in {}, and (a) in {}.\n",
        without(2, |c| c.missed[RED]),
        without(0, |c| c.missed[RED]),
        without(3, |c| c.wrong[RED]),
        without(0, |c| c.wrong[RED]),
    );
    Ok(Report { text, svg: Some(svg.finish()) })
}

fn matrix(data: &Dataset, cost: Cost) -> Result<CostMatrix> {
    let cells = (0..9).map(|i| if i / 3 == i % 3 { 0.0 } else { cost(i / 3, i % 3) });
    CostMatrix::new(cells.collect(), &data.schema.classes)
}

fn counts(data: &Dataset, answers: &[u32]) -> Counts {
    let mut counts = Counts::default();
    for (&truth, &answer) in data.labels.iter().zip(answers).filter(|(truth, answer)| truth != answer) {
        counts.missed[truth as usize] += 1;
        counts.wrong[answer as usize] += 1;
    }
    counts
}

fn row(title: &str, train: Counts, test: Counts) -> Vec<String> {
    let numbers = [train.missed[RED], train.wrong[RED], train.missed[GREEN], test.missed[RED], test.wrong[RED]];
    std::iter::once(title.to_string()).chain(numbers.map(|n| n.to_string())).collect()
}

fn summary(per_panel: &[Vec<(Counts, Counts)>]) -> Vec<Vec<String>> {
    let rows = PANELS.iter().zip(per_panel).map(|((title, _), counts)| {
        let column = |count: &dyn Fn(&(Counts, Counts)) -> usize| {
            format!("{:.1}", mean(&counts.iter().map(|c| count(c) as f64).collect::<Vec<_>>()))
        };
        vec![
            title.to_string(),
            column(&|c| c.0.missed[RED]),
            column(&|c| c.0.wrong[RED]),
            column(&|c| c.0.missed[GREEN]),
            column(&|c| c.1.missed[RED]),
            column(&|c| c.1.wrong[RED]),
        ]
    });
    rows.collect()
}
