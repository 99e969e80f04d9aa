//! Tables 5.2 and 5.3 and Fig. 5.5-5.6 of the GAMBLE thesis: how many labels reach the error of all, chosen by
//! Algorithm 4 and at random, and how long that takes. `--algorithm` names the booster, `--runs` the number of seeds,
//! `--sets` the data sets, `--set NAME=VALUE` a parameter of the booster.
//!
//! Algorithm 4 to the letter: random first rows, no check rows, no diversity, all of the pool judged. R is not printed
//! in the thesis; its counts suggest 10 and, for small sets, 5. Its target is the lowest error of the booster on all
//! rows within 1000 rounds, chosen with hindsight; beside it stand the error of the same settings on all rows, which
//! is what a user would compare with, and the thesis' own figure.

use crate::course::{Course, follow};
use crate::report::{Report, mean, table};
use crate::sets::{official, split, whole};
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use crate::{Bench, Choice};
use rebelboost::Result;
use rebelboost::active::{ActiveSettings, Curve, Known, Pool, Summary, rows_to_reach, simulate};
use rebelboost::booster::train;
use rebelboost::data::Dataset;
use rebelboost::settings::Settings;

/// Rounds of the booster on all rows.
const ROUNDS: usize = 1000;

/// What the thesis printed.
struct Printed {
    name: &'static str,
    /// Share of the rows to train on, of sets without an official split (Table 5.1).
    share: Option<f64>,
    /// R.
    batch: usize,
    /// Target and lowest error in percent, rows of Active and Random GAMBLE (Table 5.2).
    table5_2: (f64, f64, usize, usize),
    /// Seconds of Active and Batch GAMBLE (Table 5.3).
    table5_3: (f64, f64),
}

const PRINTED: &[Printed] = &[
    printed("glass", Some(113.0 / 214.0), 5, (27.5, 27.5, 91, 102), (67.0, 28.0)),
    printed("pendigits", None, 10, (4.71, 3.92, 340, 2510), (1698.0, 10043.0)),
    printed("landsat", None, 10, (12.6, 11.3, 220, 1450), (362.0, 6066.0)),
    printed("segment", None, 5, (4.62, 4.43, 135, 190), (158.0, 72.0)),
    printed("soybean", None, 5, (5.65, 5.25, 245, 300), (266.0, 87.0)),
    printed("splice", Some(2860.0 / 3176.0), 10, (4.48, 3.42, 430, 970), (320.0, 470.0)),
    printed("vehicle", Some(0.5), 5, (27.3, 25.1, 115, 225), (127.0, 310.0)),
    printed("vowel", None, 5, (47.0, 41.8, 155, 205), (136.0, 367.0)),
];

const fn printed(
    name: &'static str,
    share: Option<f64>,
    batch: usize,
    table5_2: (f64, f64, usize, usize),
    table5_3: (f64, f64),
) -> Printed {
    Printed { name, share, batch, table5_2, table5_3 }
}

/// The errors to reach, each with its heading.
const TARGETS: [&str; 3] = [
    "the lowest test error on all rows within 1000 rounds (the thesis' target)",
    "the error of the same settings on all rows",
    "the target that the thesis prints",
];

/// One run on one set.
struct Run {
    /// As in [`TARGETS`].
    targets: [f64; 3],
    batch_seconds: f64,
    active: Curve,
    random: Curve,
}

/// All runs on one set.
struct Measured {
    printed: &'static Printed,
    rows: usize,
    runs: Vec<Run>,
}

/// Runs the simulations.
pub fn run(bench: &Bench) -> Result<Report> {
    let choice = &bench.choice;
    let mut measured = Vec::new();
    for printed in PRINTED.iter().filter(|p| choice.sets.is_empty() || choice.sets.iter().any(|s| s == p.name)) {
        if let Some(found) = measure(printed, bench)? {
            measured.push(found);
        }
    }
    let efficiency = TARGETS.iter().enumerate().map(|(target, what)| {
        let lines: Vec<Vec<String>> = measured.iter().map(|m| m.efficiency(target)).collect();
        format!(
            "To reach {what}:\n\n{}\n",
            table(&["set", "target %", "lowest %", "rows", "active", "random"], &lines)
        )
    });
    let times: Vec<Vec<String>> = measured.iter().map(Measured::times).collect();
    let text = format!(
        "Algorithm `{}`{}, {} runs. Rows are those at which the mean error of the runs reaches the target, *lowest* is \
         the least error of the active runs. In brackets what the thesis prints for GAMBLE.\n\n## Table 5.2, data \
         efficiency\n\n{}## Table 5.3, seconds\n\nOf training and choosing until the error of the same settings on all \
         rows is reached (or to the end), and of {ROUNDS} rounds on all rows:\n\n{}",
        choice.algorithm,
        choice.parameters.iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>(),
        choice.runs,
        efficiency.collect::<String>(),
        table(&["set", "active", "batch"], &times),
    );
    Ok(Report { text, svg: Some(draw(&measured)) })
}

fn booster(choice: &Choice) -> Result<Settings> {
    let mut settings = Settings::new(&choice.algorithm)?;
    choice.parameters.iter().try_for_each(|(name, value)| settings.set(name, value))?;
    Ok(settings)
}

fn measure(printed: &'static Printed, bench: &Bench) -> Result<Option<Measured>> {
    let settings = booster(&bench.choice)?;
    let long = settings.clone().with("rounds", ROUNDS)?.with("min-rounds", ROUNDS)?;
    let fixed = match printed.share {
        None => match official(bench, printed.name)? {
            None => return Ok(None),
            Some((data, test)) => {
                let course = follow(&data, &test, &long, bench)?;
                Some((data, test, course))
            }
        },
        Some(_) => None,
    };
    let all = match printed.share {
        Some(_) => whole(bench, printed.name)?,
        None => None,
    };
    let mut runs = Vec::new();
    let mut rows = 0;
    for seed in 0..bench.choice.runs {
        let run = match (&fixed, &all, printed.share) {
            (Some((data, test, course)), _, _) => {
                rows = data.rows();
                one(printed, data, test, course, &settings, seed, bench)?
            }
            (None, Some(all), Some(share)) => {
                let (data, test) = split(all, share, seed);
                rows = data.rows();
                let course = follow(&data, &test, &long, bench)?;
                one(printed, &data, &test, &course, &settings, seed, bench)?
            }
            _ => return Ok(None),
        };
        eprintln!("  {}: run {} of {}", printed.name, seed + 1, bench.choice.runs);
        runs.push(run);
    }
    Ok(Some(Measured { printed, rows, runs }))
}

fn one(
    printed: &Printed,
    data: &Dataset,
    test: &Dataset,
    course: &Course,
    settings: &Settings,
    seed: u64,
    bench: &Bench,
) -> Result<Run> {
    let context = bench.context.with_seed(seed);
    let pool = Pool::unlabelled(data, &context);
    let known = Known { train: data, pool: &pool, test, costs: None };
    let active = ActiveSettings::new()?
        .with("batch", printed.batch)?
        .with("seeding", "random")?
        .with("check", 0)?
        .with("diversity", 0)?
        .with("pool-sample", data.rows().max(10))?;
    // Small sets to the end; of large ones the part that matters. Random rows are measured at every percent.
    let most = |share: f64| ((data.rows() as f64 * share) as usize).max(600).min(data.rows());
    let chosen = simulate(&known, settings, &active, most(0.2), printed.batch, &context, &mut |_| ())?;
    let every = printed.batch.max(data.rows() / 100);
    let at_random = active.with("strategy", "random")?.with("batch", every)?;
    let random = simulate(&known, settings, &at_random, most(0.4), every, &context, &mut |_| ())?;
    let same = known.measure(&train(data, None, settings, &context, &mut ())?.model, &context)?.0;
    let targets = [course.least_test().0, same, printed.table5_2.0 / 100.0];
    Ok(Run { targets, batch_seconds: course.seconds, active: chosen, random })
}

impl Measured {
    /// The rows at which the mean error of the runs reaches the target; each run has its own.
    fn reached(&self, target: usize, curve: impl Fn(&Run) -> &Curve) -> Option<usize> {
        let above = |run: &Run| {
            let mut shifted = curve(run).clone();
            shifted.error.iter_mut().for_each(|error| *error -= run.targets[target]);
            shifted
        };
        let mean = Summary::of(&self.runs.iter().map(above).collect::<Vec<_>>());
        rows_to_reach(&mean.labelled, &mean.mean, 1e-12)
    }

    fn efficiency(&self, target: usize) -> Vec<String> {
        let (printed, lowest, active, random) = self.printed.table5_2;
        let least = |run: &Run| run.active.error.iter().copied().fold(f64::INFINITY, f64::min);
        let percent = |value: &dyn Fn(&Run) -> f64| 100.0 * mean(&self.runs.iter().map(value).collect::<Vec<_>>());
        let share = |rows: usize| format!("{rows} = {:.1} %", 100.0 * rows as f64 / self.rows as f64);
        let cell = |rows: Option<usize>, last: Option<&usize>, printed: usize| match rows {
            Some(rows) => format!("{} ({printed})", share(rows)),
            None => format!("> {} ({printed})", last.copied().unwrap_or(0)),
        };
        let first = &self.runs[0];
        vec![
            self.printed.name.into(),
            format!("{:.2} ({printed})", percent(&|run| run.targets[target])),
            format!("{:.2} ({lowest})", percent(&least)),
            self.rows.to_string(),
            cell(self.reached(target, |run| &run.active), first.active.labelled.last(), active),
            cell(self.reached(target, |run| &run.random), first.random.labelled.last(), random),
        ]
    }

    fn times(&self) -> Vec<String> {
        let (active, batch) = self.printed.table5_3;
        let until = self.reached(1, |run| &run.active).unwrap_or(usize::MAX);
        let seconds = |run: &Run| {
            let at = run.active.labelled.iter().position(|n| *n >= until).unwrap_or(run.active.seconds.len() - 1);
            run.active.seconds[at]
        };
        vec![
            self.printed.name.into(),
            format!("{:.2} ({active:.0})", mean(&self.runs.iter().map(seconds).collect::<Vec<_>>())),
            format!("{:.2} ({batch:.0})", mean(&self.runs.iter().map(|run| run.batch_seconds).collect::<Vec<_>>())),
        ]
    }
}

/// A panel a set: error by labels, with the deviation of the runs as a band (Fig. 5.5 and 5.6).
fn draw(measured: &[Measured]) -> String {
    const COLUMNS: usize = 2;
    let lines = measured.len().div_ceil(COLUMNS).max(1);
    let mut svg = Svg::new(1000.0, 60.0 + 340.0 * lines as f64);
    svg.text(500.0, 26.0, 17.0, Anchor::Middle, "Test error by the number of labels");
    svg.legend(
        330.0,
        50.0,
        &[("active", COLOURS[0]), ("random", COLOURS[2]), ("same settings, all rows", "#333840")],
    );
    for (i, m) in measured.iter().enumerate() {
        let curves = [COLOURS[0], COLOURS[2]].into_iter().zip([
            Summary::of(&m.runs.iter().map(|run| run.active.clone()).collect::<Vec<_>>()),
            Summary::of(&m.runs.iter().map(|run| run.random.clone()).collect::<Vec<_>>()),
        ]);
        let curves: Vec<(&str, Summary)> = curves.collect();
        let target = 100.0 * mean(&m.runs.iter().map(|run| run.targets[1]).collect::<Vec<_>>());
        let last = curves.iter().filter_map(|(_, s)| s.labelled.last()).max().copied().unwrap_or(1) as f64;
        let place = [70.0 + 490.0 * (i % COLUMNS) as f64, 90.0 + 340.0 * (i / COLUMNS) as f64, 410.0, 250.0];
        // The first labels are far off; what matters is below.
        let highest = (4.0 * target).clamp(20.0, 100.0);
        let panel = Panel { place, x: (0.0, last), y: (0.0, highest) };
        panel.title(&mut svg, m.printed.name);
        panel.axes(&mut svg, "labelled rows", "test error (%)");
        panel.line(&mut svg, &[(0.0, target), (last, target)], "#333840", 1.2, "5 4");
        for (colour, s) in &curves {
            let line = |sign: f64| -> Vec<(f64, f64)> {
                let at = |i: usize| (100.0 * (s.mean[i] + sign * s.deviation[i])).clamp(0.0, highest);
                s.labelled.iter().enumerate().map(|(i, n)| (*n as f64, at(i))).collect()
            };
            panel.band(&mut svg, &line(-1.0), &line(1.0), colour);
            panel.line(&mut svg, &line(0.0), colour, 1.8, "");
        }
    }
    svg.finish()
}
