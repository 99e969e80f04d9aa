//! Table 4.1 of the thesis (Table 1 of the paper): tree depth 1-4 under 0-1 and taxonomy costs, five random splits of
//! 75 % for training and 25 % for testing, as for SUN there.
//!
//! Below the two rows of the documents (error of the 0-1 model, cost of the cost-trained model) stand the two
//! baselines they leave out: what the 0-1 model costs as it is, and with its decisions made by least expected cost.

use crate::Bench;
use crate::plane::rebel;
use crate::report::{Report, spread, spread_percent, table};
use crate::sets::{split, whole};
use crate::taxonomy::{TAXONOMIES, Taxonomy};
use rebelboost::Result;
use rebelboost::data::Dataset;
use rebelboost::metric::{error_rate, mean_cost};

const DEPTHS: [usize; 4] = [1, 2, 3, 4];
const SPLITS: u64 = 5;
const ROUNDS: usize = 200;
const ROWS: [&str; 4] = [
    "error, trained 0-1",
    "cost, trained on costs",
    "cost, trained 0-1",
    "cost, trained 0-1, least expected cost (uncalibrated)",
];

/// Trains on every set that is there.
pub fn run(bench: &Bench) -> Result<Report> {
    let mut rows = Vec::new();
    let mut meanings = String::new();
    for taxonomy in TAXONOMIES {
        let Some(data) = whole(bench, taxonomy.set)? else { continue };
        eprintln!("  {}: {} rows", taxonomy.set, data.rows());
        rows.extend(lines(bench, taxonomy, &data)?);
        meanings += &format!("- {}: {}\n", taxonomy.set, taxonomy.meaning);
    }
    let header = ["set and measure", "stumps", "depth 2", "depth 3", "depth 4"];
    let text = format!(
        "{ROUNDS} rounds, {SPLITS} splits of 75 % / 25 %, mean ± deviation. Costs are distances in the taxonomy, scaled \
         so that a random answer costs what it costs under 0-1 costs.\n\n{}\nTaxonomies, by the meaning of the \
         classes:\n\n{meanings}",
        table(&header, &rows)
    );
    Ok(Report { text, svg: None })
}

fn lines(bench: &Bench, taxonomy: &Taxonomy, data: &Dataset) -> Result<Vec<Vec<String>>> {
    let costs = taxonomy.costs(&data.schema.classes)?;
    let mut lines: Vec<Vec<String>> = ROWS.iter().map(|name| vec![format!("{}: {name}", taxonomy.set)]).collect();
    for depth in DEPTHS {
        let mut measured: [Vec<f64>; ROWS.len()] = Default::default();
        for seed in 0..SPLITS {
            let (train, test) = split(data, 0.75, seed);
            let neutral = rebel(&train, None, ROUNDS, depth, &bench.context)?;
            let trained = rebel(&train, Some(&costs), ROUNDS, depth, &bench.context)?;
            let scores = neutral.scores(&test.features, &bench.context);
            let plain = neutral.decide(&scores, None)?;
            let price = |answers: &[u32]| mean_cost(&test.labels, answers, &test.weights, &costs);
            measured[0].push(error_rate(&test.labels, &plain, &test.weights));
            measured[1].push(price(&trained.decide(&trained.scores(&test.features, &bench.context), None)?));
            measured[2].push(price(&plain));
            measured[3].push(price(&neutral.decide(&scores, Some(&costs))?));
        }
        for (i, (line, values)) in lines.iter_mut().zip(&measured).enumerate() {
            line.push(if i == 0 { spread_percent(values) } else { spread(values) });
        }
    }
    Ok(lines)
}
