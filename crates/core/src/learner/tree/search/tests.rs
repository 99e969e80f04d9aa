//! However features are pruned, trees are those of a search that looks at everything.

use super::super::layer;
use super::super::split::Best;
use super::{LeafSearch, Leaves, Pruning, Work};
use crate::binning::BinnedDataset;
use crate::context::Context;
use crate::data::{Column, Dataset, Roles, Table};
use crate::learner::tree::{FixedRows, SignLearner};
use crate::math::exp;
use proptest::prelude::*;

/// A table of numbers with ties, constant, missing and categorical columns.
#[derive(Clone, Debug)]
struct Problem {
    rows: usize,
    columns: Vec<Kind>,
    seed: u64,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Number,
    Ties,
    Constant,
    Missing,
    MostlyZero,
    Category,
}

fn problems(most_rows: usize) -> impl Strategy<Value = Problem> {
    use Kind::*;
    let kind = prop::sample::select(vec![Number, Number, Ties, Constant, Missing, MostlyZero, Category]);
    let parts = (1..=most_rows, prop::collection::vec(kind, 1..90), any::<u64>());
    parts.prop_map(|(rows, columns, seed)| Problem { rows, columns, seed })
}

impl Problem {
    fn bins(&self, context: &Context) -> Option<(BinnedDataset, Vec<f64>)> {
        let mut rng = context.with_seed(self.seed).stream("problem");
        let mut unit = move || f64::from(rng.next_u32()) / f64::from(u32::MAX);
        // Most columns know something of the class, so that weights concentrate.
        let labels: Vec<bool> = (0..self.rows.max(2)).map(|row| row % 3 == 0).collect();
        let mut columns: Vec<Column> = Vec::new();
        for kind in &self.columns {
            let strength = unit();
            let value = |label: bool, noise: f64| noise + if label { strength } else { 0.0 };
            columns.push(match kind {
                Kind::Category => {
                    let names = ["a", "b", "c", "d", "e"];
                    let level = |label: bool, x: f64| names[(value(label, x) * 2.5) as usize % 5];
                    Column::categorical(labels.iter().map(|&l| Some(level(l, unit())).filter(|_| unit() > 0.1)))
                }
                kind => Column::numeric(
                    labels
                        .iter()
                        .map(|&label| match kind {
                            Kind::Ties => (value(label, unit()) * 4.0).round(),
                            Kind::Constant => 3.0,
                            Kind::Missing if unit() < 0.2 => f64::NAN,
                            Kind::MostlyZero if unit() < 0.8 => 0.0,
                            _ => value(label, unit()),
                        })
                        .collect(),
                ),
            });
        }
        let names = (0..columns.len()).map(|i| format!("x{i}")).chain(["class".to_string()]).collect();
        columns.push(Column::categorical(labels.iter().map(|l| Some(if *l { "yes" } else { "no" }))));
        let table = Table::new(names, columns).ok()?;
        let data = Dataset::from_table(&table, &Roles::default(), &mut Vec::new()).ok()?;
        let signs = data.labels.iter().map(|label| if *label == 0 { -1.0 } else { 1.0 }).collect();
        Some((BinnedDataset::new(&data, 255, context), signs))
    }
}

/// Discrete AdaBoost by hand, with a given spread of the first weights: after every round the tree must be the reference's.
fn check(
    problem: &Problem,
    pruning: Pruning,
    depth: usize,
    rate: f64,
    spread: f64,
    threads: usize,
    rounds: usize,
) -> Work {
    let context = Context::new(problem.seed, threads).unwrap();
    let Some((bins, signs)) = problem.bins(&context) else { return Work::default() };
    let mut plain = SignLearner::new(&bins, depth, Pruning::Off, 1);
    let mut other = SignLearner::new(&bins, depth, pruning, 1);
    let rows = signs.len() as f64;
    let mut signed: Vec<f64> =
        signs.iter().enumerate().map(|(row, y)| y * exp(-spread * row as f64 / rows)).collect();
    let half: Vec<bool> = (0..bins.columns.len()).map(|feature| feature % 10 != 3 || feature == 3).collect();
    for round in 0..rounds {
        let allowed = (round % 5 == 4).then_some(half.as_slice());
        let (expected, found) = (plain.fit(0, &signed, allowed, &context), other.fit(0, &signed, allowed, &context));
        assert_eq!(expected.learner, found.learner, "round {round}");
        assert_eq!(expected.response, found.response);
        let total: f64 = signed.iter().map(|w| w.abs()).sum();
        let wrong: f64 =
            signed.iter().zip(&found.response).filter(|(w, f)| *w * *f < 0.0).map(|(w, _)| w.abs()).sum();
        let error = (wrong / total).clamp(1e-6, 1.0 - 1e-6);
        let alpha = rate * 0.5 * ((1.0 - error) / error).ln();
        for ((w, f), y) in signed.iter_mut().zip(&found.response).zip(&signs) {
            *w *= exp(-alpha * y * f);
            // Some rows sit some rounds out, as when weights are trimmed.
            if w.abs() < 1e-200 {
                *w = 0.0;
            }
        }
    }
    let (all, some) = (plain.work(), other.work());
    assert_eq!(all.all, some.all);
    if pruning == Pruning::Quickboost {
        assert!(some.added <= some.all, "{some:?}");
    }
    some
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn quickboost_is_exact(problem in problems(300), depth in 1usize..5, spread in 0.0..70f64) {
        check(&problem, Pruning::Quickboost, depth, 1.0, spread, 1, 12);
    }

    #[test]
    fn delta_is_exact(problem in problems(700), depth in 1usize..5, rate in 0.05..1.0f64, spread in 0.0..70f64) {
        check(&problem, Pruning::Delta, depth, rate, spread, 1, 30);
    }

    /// By rows and groups of features against column by column, on any leaves. (Subtraction is checked by `quickboost_is_exact`,
    /// which adds every node up.)
    #[test]
    fn rows_and_columns_agree(problem in problems(500), count in 1usize..9, spread in 0.0..70f64, force in any::<bool>()) {
        let context = Context::new(1, 1).unwrap();
        let Some((bins, signs)) = problem.bins(&context) else { return Ok(()) };
        let weights: Vec<f64> = signs.iter().enumerate().map(|(i, y)| y * exp(-spread * (i % 17) as f64 / 17.0)).collect();
        let fixed = FixedRows::new(&weights, Vec::new(), &context);
        let of: Vec<u8> = (0..signs.len()).map(|row| (row * 5 / 3 % count) as u8).collect();
        let (mut rows, mut totals) = (vec![0; count], vec![0i32; count]);
        for (leaf, weight) in of.iter().zip(&fixed.values) {
            rows[*leaf as usize] += 1;
            totals[*leaf as usize] += weight;
        }
        let leaves = Leaves { of: &of, rows: &rows, totals: &totals, born: &[] };
        let features: Vec<usize> = (0..bins.columns.len()).collect();
        let found = LeafSearch::new(&bins, Pruning::Off).layer(&features, &fixed, &leaves, force, &context);
        let expected = layer::best_splits(&bins, &features, &fixed, &leaves, &context);
        for (leaf, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            let better = |best: &Best<u64>| force || best.score > u64::from(leaves.totals[leaf].unsigned_abs());
            let [found, expected] = [found, expected].map(|best| best.filter(better).map(|best| (best.score, best.split)));
            prop_assert_eq!(found, expected, "leaf {}", leaf);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    /// Enough work to be shared by threads.
    #[test]
    fn threads_change_nothing(problem in problems(2000), depth in 1usize..4) {
        let problem = Problem { rows: 2000, columns: problem.columns.iter().cycle().take(260).copied().collect(), ..problem };
        for threads in [2, 7] {
            check(&problem, Pruning::Delta, depth, 0.5, 10.0, threads, 12);
            check(&problem, Pruning::Quickboost, depth, 0.5, 10.0, threads, 4);
        }
        // Auto goes from one way to another.
        check(&problem, Pruning::Auto, depth, 0.5, 10.0, 2, 26);
    }
}

/// The largest weights that fixed point allows: sums stay within 32 bits.
#[test]
fn the_heaviest_rows_do_not_overflow() {
    let problem = Problem { rows: 600, columns: vec![Kind::Number; 20], seed: 3 };
    for spread in [0.0, 30.0, 300.0] {
        check(&problem, Pruning::Delta, 2, 1.0, spread, 1, 60);
    }
}

/// It does save what it is meant to save: redundant features, weights that concentrate.
#[test]
fn pruning_saves_additions() {
    let problem = Problem { rows: 2000, columns: vec![Kind::Number; 300], seed: 5 };
    for (pruning, percent) in [(Pruning::Quickboost, 95), (Pruning::Delta, 70)] {
        let work = check(&problem, pruning, 1, 1.0, 0.0, 1, 40);
        assert!(work.added * 100 < work.all * percent, "{pruning:?}: {work:?}");
    }
}
