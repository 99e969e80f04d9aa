//! Weights of 31 bits against weights in double precision: are the splits the same?
//!
//! AdaBoost's trees of depth 2 on each set, one half of the classes against the other. Every split of the model is looked up by
//! a search of its own that knows nothing of the program's: weights e^(-y F) in f64, every threshold of every feature.

use crate::Bench;
use crate::report::{Report, table};
use crate::sets::whole;
use rebelboost::Result;
use rebelboost::binning::{BinnedDataset, MISSING_BIN};
use rebelboost::booster::train;
use rebelboost::data::{Column, Dataset};
use rebelboost::model::{Node, SignTree, Term, WeakModel};
use rebelboost::settings::Settings;

const SETS: [&str; 10] =
    ["glass", "vowel", "vehicle", "segment", "landsat", "optdigits", "pendigits", "letter", "isolet", "shuttle"];
const ROUNDS: usize = 200;
/// Worths that differ by less, relatively, are equal: sums in f64 are rounded too.
const TIE: f64 = 1e-9;

/// What became of the splits of a model.
#[derive(Default)]
struct Tally {
    splits: usize,
    ties: usize,
    other: usize,
    /// The largest share of its worth that a split falls short of the best one.
    most_short: f64,
}

/// Splits by fixed point that are the best ones in f64.
pub fn run(bench: &Bench) -> Result<Report> {
    let mut rows = Vec::new();
    for name in SETS {
        let Some(data) = whole(bench, name)? else { continue };
        let tally = compare(bench, &halves(data))?;
        rows.push(vec![
            name.to_string(),
            tally.splits.to_string(),
            tally.ties.to_string(),
            tally.other.to_string(),
            format!("{:.1e}", tally.most_short),
        ]);
        eprintln!("  {name} done");
    }
    let header = ["set", "splits", "one of several best", "not the best", "falls short by at most"];
    let text = format!(
        "AdaBoost, {ROUNDS} trees of depth 2, the first half of the classes against the second. A split is the best if no threshold of \
         any feature separates the weights e^(-y F), in double precision, better by more than {TIE:e} of its worth; it is one of \
         several if another threshold or feature is as good within that.\n\n{}",
        table(&header, &rows)
    );
    Ok(Report { text, svg: None })
}

/// One half of the classes against the other.
fn halves(mut data: Dataset) -> Dataset {
    let half = data.class_count() as u32 / 2;
    data.labels.iter_mut().for_each(|label| *label = u32::from(*label >= half));
    data.schema.classes = vec!["first".into(), "second".into()];
    data
}

fn compare(bench: &Bench, data: &Dataset) -> Result<Tally> {
    let settings = Settings::new("adaboost")?.with("rounds", ROUNDS)?.with("depth", 2)?.with("stop-loss", 0)?;
    let model = train(data, None, &settings, &bench.context, &mut ())?.model;
    let bins = BinnedDataset::new(data, settings.integer("bins")?, &bench.context);
    let signs: Vec<f64> = data.labels.iter().map(|label| if *label == 1 { 1.0 } else { -1.0 }).collect();
    // Scores of the second class less those of the first, halved, are AdaBoost's sum.
    let mut sums = vec![0.5 * (model.chain.bias[1] - model.chain.bias[0]); data.rows()];
    let mut tally = Tally::default();
    for Term { learner, output } in &model.chain.terms {
        let WeakModel::Tree(tree) = learner else { continue };
        let largest = signs.iter().zip(&sums).map(|(y, f)| -y * f).fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = signs.iter().zip(&sums).map(|(y, f)| y * (-y * f - largest).exp()).collect();
        check(data, &bins, tree, &weights, &mut tally);
        let mut answers = vec![0.0; data.rows()];
        tree.respond(&data.features, 0, &mut answers);
        sums.iter_mut().zip(&answers).for_each(|(sum, f)| *sum += 0.5 * f * (output[1] - output[0]));
    }
    Ok(tally)
}

/// Looks every split of a tree up.
fn check(data: &Dataset, bins: &BinnedDataset, tree: &SignTree, weights: &[f64], tally: &mut Tally) {
    let mut open = vec![(0u32, (0..data.rows()).collect::<Vec<usize>>())];
    while let Some((node, rows)) = open.pop() {
        let Node::Split { feature, test, missing_left, left, right } = &tree.nodes[node as usize] else { continue };
        let column = &data.features.columns[*feature as usize];
        let goes_left = |row: &usize| test.holds(column, *row).unwrap_or(*missing_left);
        let (to_left, to_right): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| goes_left(row));
        let sum = |rows: &[usize]| rows.iter().map(|row| weights[*row]).sum::<f64>();
        let found = (sum(&to_left) - sum(&to_right)).abs();
        let worths = worths(data, bins, &rows, weights);
        let best = worths.iter().copied().fold(0.0, f64::max);
        tally.splits += 1;
        if found < best * (1.0 - TIE) {
            tally.other += 1;
            tally.most_short = tally.most_short.max(1.0 - found / best);
        } else if worths.iter().filter(|worth| **worth >= best * (1.0 - TIE)).count() > 1 {
            tally.ties += 1;
        }
        open.extend([(*right, to_right), (*left, to_left)]);
    }
}

/// |left - right| of every threshold of every number, missing values on either side.
fn worths(data: &Dataset, bins: &BinnedDataset, rows: &[usize], weights: &[f64]) -> Vec<f64> {
    let total: f64 = rows.iter().map(|row| weights[*row]).sum();
    let mut worths = Vec::new();
    for (feature, column) in bins.columns.iter().enumerate() {
        if !matches!(data.features.columns[feature], Column::Numeric(_)) {
            continue;
        }
        let codes = column.codes(bins.rows);
        let (mut sums, mut seen) = ([0.0; 256], [false; 256]);
        for row in rows {
            let bin = usize::from(codes[*row]);
            sums[bin] += weights[*row];
            seen[bin] = true;
        }
        let missing = usize::from(MISSING_BIN);
        let mut left = 0.0;
        for bin in (0..missing).filter(|bin| seen[*bin]) {
            left += sums[bin];
            worths.push((2.0 * left - total).abs());
            if seen[missing] {
                worths.push((2.0 * (left + sums[missing]) - total).abs());
            }
        }
    }
    worths
}
