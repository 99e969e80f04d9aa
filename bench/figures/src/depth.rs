//! Depth on small, separable sets, where a few deep trees reach a loss of zero and generalise badly: with the minimum
//! number of rounds that is the default, and without it.

use crate::Bench;
use crate::report::{Report, mean, spread_percent, table};
use crate::sets::{builtin, official, split, whole};
use rebelboost::Result;
use rebelboost::booster::train;
use rebelboost::data::Dataset;
use rebelboost::metric::error_rate;
use rebelboost::settings::Settings;

const DEPTHS: [usize; 4] = [1, 2, 3, 4];
const SPLITS: u64 = 10;
const ROUNDS: usize = 200;

/// Sets made to resemble small laboratory tables such as wine: 178 rows, three classes, few rows for the features.
const WINE_LIKE: [(&str, &str); 3] = [
    ("13 features, one cluster a class", "gaussians?rows=178&classes=3&clusters=1&features=13&spread=0.6&seed="),
    ("30 features, one cluster a class", "gaussians?rows=178&classes=3&clusters=1&features=30&spread=0.9&seed="),
    ("penguins (built in)", "penguins"),
];

/// Errors and trees used at each depth.
pub fn run(bench: &Bench) -> Result<Report> {
    let mut cases: Vec<(String, Vec<(Dataset, Dataset)>)> = Vec::new();
    if let Some(parts) = official(bench, "segment")? {
        cases.push(("segment (official split)".into(), vec![parts]));
    }
    for name in ["vehicle", "glass"] {
        if let Some(data) = whole(bench, name)? {
            cases.push((name.into(), (0..SPLITS).map(|seed| split(&data, 0.75, seed)).collect()));
        }
    }
    for (name, spec) in WINE_LIKE {
        let parts = (0..SPLITS).map(|seed| {
            let spec = if spec.ends_with('=') { format!("{spec}{seed}") } else { spec.to_string() };
            Ok(split(&builtin(&spec)?, 0.75, seed))
        });
        cases.push((name.into(), parts.collect::<Result<_>>()?));
    }
    let mut rows = Vec::new();
    for (name, parts) in &cases {
        for least in [100, 1] {
            let mut line = vec![name.clone(), least.to_string()];
            for depth in DEPTHS {
                let (errors, rounds) = measure(bench, parts, depth, least)?;
                let error = match errors.as_slice() {
                    [one] => format!("{:.1} %", 100.0 * one),
                    many => spread_percent(many),
                };
                line.push(format!("{error} ({:.0})", mean(&rounds)));
            }
            rows.push(line);
        }
        eprintln!("  {name} done");
    }
    let header = ["set", "min-rounds", "depth 1", "depth 2", "depth 3", "depth 4"];
    let text = format!(
        "Test error (mean number of trees used), at most {ROUNDS} rounds; {SPLITS} splits of 75 % / 25 %, or as many \
         random problems, unless the split is official. `min-rounds 1` stops as soon as no training row can be \
         wrong; 100 is the default.\n\n{}",
        table(&header, &rows)
    );
    Ok(Report { text, svg: None })
}

fn measure(
    bench: &Bench,
    parts: &[(Dataset, Dataset)],
    depth: usize,
    least_rounds: usize,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let settings =
        Settings::new("rebel")?.with("rounds", ROUNDS)?.with("min-rounds", least_rounds)?.with("depth", depth)?;
    let (mut errors, mut rounds) = (Vec::new(), Vec::new());
    for (training, test) in parts {
        let trained = train(training, None, &settings, &bench.context, &mut ())?;
        let answers = trained.model.decide(&trained.model.scores(&test.features, &bench.context), None)?;
        errors.push(error_rate(&test.labels, &answers, &test.weights));
        rounds.push(trained.summary.history.len() as f64);
    }
    Ok((errors, rounds))
}
