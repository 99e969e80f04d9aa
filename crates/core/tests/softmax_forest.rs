//! Softmax trees and forests: splits against brute force, leaves against their formula, shares that sum to one, and sampling
//! that depends on nothing but the seed and the round.

use proptest::prelude::*;
use rebelboost::binning::{BinnedDataset, MISSING_BIN};
use rebelboost::booster::softmax_trees::{LARGEST_STEP, step};
use rebelboost::booster::{Stop, forest, resume, train};
use rebelboost::context::Context;
use rebelboost::data::{Column, Dataset, Table};
use rebelboost::learner::regression::{Part, RegionGrower, Targets};
use rebelboost::model::{Model, Node, Test, WeakModel, argmax};
use rebelboost_testkit::{Shape, context, dataset, fit, record, settings, shapes};

/// p of every row by the definition, with the platform's exponential.
fn softmax(model: &Model, data: &Dataset) -> Vec<Vec<f64>> {
    let scores = model.scores(&data.features, &context());
    let row = |scores: &[f64]| {
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|h| (h - most).exp()).sum();
        scores.iter().map(|h| (h - most).exp() / sum).collect()
    };
    scores.rows().map(row).collect()
}

fn errors(model: &Model, data: &Dataset) -> usize {
    let scores = model.scores(&data.features, &context());
    scores.rows().zip(&data.labels).filter(|(row, label)| argmax(row) != **label as usize).count()
}

/// sum_k G_k^2 / (mean_k H_k + lambda) of some rows.
fn score(rows: &[usize], gradients: &[f64], outputs: usize, curvatures: &[f64], lambda: f64) -> f64 {
    let sum = |k: usize| rows.iter().map(|&r| gradients[r * outputs + k]).sum::<f64>();
    let curvature: f64 = rows.iter().map(|&r| curvatures[r]).sum();
    (0..outputs).map(sum).map(|g| g * g).sum::<f64>() / (curvature + lambda)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The first split is the best of all thresholds with missing values on either side, under lambda and on the
    /// drawn rows and features alone.
    #[test]
    fn splits_are_those_of_brute_force(shape in shapes(80, 4, 4), lambda in 0.0..3.0f64, skip in 2usize..5) {
        let data = Shape { categorical: false, ..shape }.dataset();
        let k = data.class_count();
        let p = softmax(&fit(&data, None, &settings("softmax-trees", &[("rounds", "2")])).model, &data);
        let slope = |r: usize, j: usize| p[r][j] - f64::from(u8::from(data.labels[r] as usize == j));
        let gradients: Vec<f64> = (0..data.rows() * k).map(|i| slope(i / k, i % k)).collect();
        let curvatures: Vec<f64> = p.iter().map(|p| p.iter().map(|p| p * (1.0 - p)).sum::<f64>() / k as f64).collect();
        let bins = BinnedDataset::new(&data, 255, &context());
        let rows: Vec<u32> = (0..data.rows() as u32).filter(|r| !(*r as usize).is_multiple_of(skip)).collect();
        let allowed: Vec<bool> = (0..bins.columns.len()).map(|j| j % 2 == 0).collect();
        let part = Part { rows: Some(&rows), features: Some(&allowed), depth: Some(1) };
        let targets = Targets::Gradients { gradients: &gradients, outputs: k, curvatures: &curvatures, ridge: lambda };
        let grown = RegionGrower::new(&bins, 8).grow_on(part, targets, &context());
        prop_assert!(grown.leaves <= 2);
        prop_assert!(grown.tree.features().all(|feature| allowed[feature as usize]));
        let rows: Vec<usize> = rows.iter().map(|r| *r as usize).collect();
        let judge = |rows: &[usize]| score(rows, &gradients, k, &curvatures, lambda);
        let mut best = 0.0f64;
        for feature in (0..bins.columns.len()).filter(|j| allowed[*j]) {
            let mut codes = vec![0; data.rows()];
            bins.columns[feature].for_each(data.rows(), |row, bin| codes[row] = bin);
            for last in 0..bins.maps[feature].bins() {
                for missing_left in [false, true] {
                    let left = |r: &usize| if codes[*r] == MISSING_BIN { missing_left } else { usize::from(codes[*r]) <= last };
                    let (a, b): (Vec<usize>, Vec<usize>) = rows.iter().partition(|r| left(r));
                    if !a.is_empty() && !b.is_empty() {
                        best = best.max(judge(&a) + judge(&b) - judge(&rows));
                    }
                }
            }
        }
        let side = |leaf: u32| rows.iter().copied().filter(|r| grown.leaf_of[*r] == leaf).collect::<Vec<_>>();
        let ours = if grown.leaves == 2 { judge(&side(0)) + judge(&side(1)) - judge(&rows) } else { 0.0 };
        prop_assert!((ours - best).abs() < 1e-6 * (1.0 + best), "{ours} {best}");
    }

    /// Each leaf is the bounded Newton step of its rows, the start is the logarithm of the shares, and the two classes of a
    /// binary problem are each other's negative.
    #[test]
    fn leaves_are_newton_steps(shape in shapes(80, 3, 4)) {
        let data = shape.dataset();
        let (k, options) = (data.class_count(), [("rounds", "3"), ("row-sample", "1"), ("lambda", "0.5")]);
        let run = record(&data, None, &settings("softmax-trees", &options));
        for class in 0..k {
            let share = data.labels.iter().filter(|c| **c as usize == class).count() as f64 / data.rows() as f64;
            prop_assert!((run.rounds[0].1.chain.bias[class] - share.ln()).abs() < 1e-12);
        }
        for t in 1..run.rounds.len() {
            let (p, term) = (softmax(&run.rounds[t - 1].1, &data), &run.rounds[t].1.chain.terms[t]);
            let leaf = |row: usize| run.rounds[t].1.chain.responses(&data.features, row)[t] as usize;
            let leaf_of: Vec<usize> = (0..data.rows()).map(leaf).collect();
            for (number, vector) in term.output.chunks_exact(k).enumerate() {
                for class in 0..k {
                    let rows = || (0..data.rows()).filter(|r| leaf_of[*r] == number);
                    let own = |r: usize| f64::from(u8::from(data.labels[r] as usize == class));
                    let g: f64 = rows().map(|r| p[r][class] - own(r)).sum();
                    let h: f64 = rows().map(|r| p[r][class] * (1.0 - p[r][class])).sum();
                    let expected = 0.1 * (-g / (h + 0.5)).clamp(-LARGEST_STEP, LARGEST_STEP);
                    prop_assert!((vector[class] - expected).abs() < 1e-9, "{} {expected}", vector[class]);
                }
                prop_assert!(k > 2 || (vector[0] + vector[1]).abs() < 1e-12);
            }
        }
    }

    /// Every vector of a forest is a distribution over the number of trees, so scores sum to one; pure leaves share.
    #[test]
    fn forest_scores_sum_to_one(shape in shapes(120, 4, 5), best in any::<bool>(), bootstrap in any::<bool>()) {
        let data = shape.dataset();
        let options =
            [("rounds", "7"), ("splits", if best { "best" } else { "random" }), ("bagging", if bootstrap { "on" } else { "off" })];
        let model = fit(&data, None, &settings("forest", &options)).model;
        let k = data.class_count();
        for term in &model.chain.terms {
            let pure = |v: &&[f64]| v.iter().filter(|x| **x > 0.0).count() == 1;
            prop_assert!(term.output.chunks_exact(k).all(|v| (v.iter().sum::<f64>() * 7.0 - 1.0).abs() < 1e-12));
            prop_assert!(term.output.chunks_exact(k).filter(pure).count() <= k);
        }
        let scores = model.scores(&data.features, &context());
        prop_assert!(scores.rows().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12));
        let probabilities = model.probabilities(&scores).unwrap();
        for (p, h) in probabilities.values.iter().zip(&scores.values) {
            prop_assert!(*p > 0.0 && (p - h).abs() < 1.001e-3);
        }
    }

    /// Rows that differ somewhere are told apart by every tree that has seen them.
    #[test]
    fn a_forest_learns_what_can_be_learned(shape in shapes(150, 3, 5), best in any::<bool>()) {
        let data = Shape { ties: false, missing: false, ..shape }.dataset();
        let options = [("rounds", "3"), ("splits", if best { "best" } else { "random" })];
        let model = fit(&data, None, &settings("forest", &options)).model;
        prop_assert_eq!(errors(&model, &data), 0);
    }

    /// With all features looked at, the root of a tree with best splits has the lowest Gini index of all splits.
    #[test]
    fn forest_splits_are_those_of_brute_force(shape in shapes(200, 3, 4)) {
        let data = Shape { categorical: false, ..shape }.dataset();
        let options = [("rounds", "1"), ("splits", "best"), ("split-features", "1000")];
        let model = fit(&data, None, &settings("forest", &options)).model;
        let WeakModel::Regions(tree) = &model.chain.terms[0].learner else { unreachable!() };
        let Node::Split { feature, test, missing_left, .. } = &tree.nodes[0] else { return Ok(()) };
        let k = data.class_count();
        let judge = |left: &dyn Fn(usize) -> bool| {
            let mut sums = vec![[0.0f64; 2]; k];
            (0..data.rows()).for_each(|r| sums[data.labels[r] as usize][usize::from(left(r))] += 1.0);
            let side = |s: usize| {
                let weight: f64 = sums.iter().map(|c| c[s]).sum();
                (weight > 0.0).then(|| sums.iter().map(|c| c[s] * c[s]).sum::<f64>() / weight)
            };
            side(0).zip(side(1)).map(|(a, b)| a + b)
        };
        let column = &data.features.columns[*feature as usize];
        let ours = judge(&|r| test.holds(column, r).unwrap_or(*missing_left)).unwrap();
        let bins = BinnedDataset::new(&data, 255, &context());
        let mut best = 0.0f64;
        for j in 0..bins.columns.len() {
            let mut codes = vec![0; data.rows()];
            bins.columns[j].for_each(data.rows(), |row, bin| codes[row] = bin);
            for last in 0..bins.maps[j].bins() {
                for side in [false, true] {
                    let left = |r: usize| if codes[r] == MISSING_BIN { side } else { usize::from(codes[r]) <= last };
                    best = best.max(judge(&left).unwrap_or(0.0));
                }
            }
        }
        prop_assert!((ours - best).abs() < 1e-9 * best, "{ours} {best}");
    }

    /// The threshold of a best split is in the middle of what is empty in its node, not in the whole table.
    #[test]
    fn thresholds_stand_in_the_middle(seed: u64) {
        let shape = Shape { seed, rows: 127, features: 1, classes: 3, ties: false, missing: false, categorical: false };
        let mut data = shape.dataset();
        // Every whole number once.
        let values: Vec<f64> = (0..data.rows()).map(|i| (i * 47 % data.rows()) as f64).collect();
        data.features.columns = vec![Column::numeric(values.clone())];
        let model = fit(&data, None, &settings("forest", &[("rounds", "1"), ("splits", "best")])).model;
        let WeakModel::Regions(tree) = &model.chain.terms[0].learner else { unreachable!() };
        let mut open = vec![(0, values)];
        while let Some((at, values)) = open.pop() {
            let Node::Split { test: Test::AtMost(cut), left, right, .. } = &tree.nodes[at] else { continue };
            let (below, above): (Vec<f64>, Vec<f64>) = values.into_iter().partition(|x| x <= cut);
            let low = below.iter().copied().fold(f64::MIN, f64::max);
            let high = above.iter().copied().fold(f64::MAX, f64::min);
            prop_assert!((cut - 0.5 * (low + high)).abs() <= 0.5, "{low} {cut} {high}");
            open.extend([(*left as usize, below), (*right as usize, above)]);
        }
    }

    /// Out-of-bag scores are distributions, do not depend on threads, and are refused where there are none.
    #[test]
    fn out_of_bag_scores(shape in shapes(100, 3, 4)) {
        let data = shape.dataset();
        let model = fit(&data, None, &settings("forest", &[("rounds", "40"), ("bagging", "on")])).model;
        let scores = forest::out_of_bag(&model, &data, &context()).unwrap();
        let again = forest::out_of_bag(&model, &data, &Context::new(9, 3).unwrap()).unwrap();
        prop_assert_eq!(&scores, &again);
        prop_assert!(scores.rows().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-9));
        let plain = fit(&data, None, &settings("forest", &[("rounds", "2")])).model;
        prop_assert!(forest::out_of_bag(&plain, &data, &context()).is_err());
        let other = data.select(&(1..data.rows()).collect::<Vec<_>>());
        prop_assert!(forest::out_of_bag(&model, &other, &context()).is_err());
    }

    #[test]
    fn steps_are_bounded(g in -1e9..1e9f64, h in 0.0..1e3f64, lambda in 0.0..2.0f64) {
        prop_assert!(step(g, h, lambda).abs() <= LARGEST_STEP);
        prop_assert!(step(g, h, lambda) * g <= 0.0);
        prop_assert_eq!(step(0.0, 0.0, 0.0), 0.0);
    }
}

/// However many trees there are if nobody says, their shares are of all of them.
#[test]
fn forests_of_no_given_size_have_scores_that_sum_to_one() {
    let shape = Shape { seed: 7, rows: 30, features: 2, classes: 3, ties: true, missing: true, categorical: true };
    let data = shape.dataset();
    for algorithm in ["forest", "rotation-forest"] {
        let model = fit(&data, None, &settings(algorithm, &[("rounds", "auto")])).model;
        let scores = model.scores(&data.features, &context());
        assert!(scores.rows().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-9), "{algorithm}");
    }
}

/// Without sampling each round lowers the log loss of rows that trees can tell apart.
#[test]
fn softmax_trees_learn_what_can_be_learned() {
    let shape = Shape { seed: 5, rows: 200, features: 3, classes: 4, ties: false, missing: false, categorical: true };
    let data = shape.dataset();
    let options = [("rounds", "150"), ("row-sample", "1"), ("feature-sample", "1")];
    let trained = fit(&data, None, &settings("softmax-trees", &options));
    assert_eq!(errors(&trained.model, &data), 0);
    let losses: Vec<f64> = trained.summary.history.iter().map(|info| info.loss).collect();
    assert!(losses.windows(2).all(|pair| pair[1] < pair[0]), "{losses:?}");
}

/// Classes of one row among thousands: finite scores, and the common classes do not suffer.
#[test]
fn rare_classes_do_not_throw_it_off() {
    let rows = 3000;
    let x: Vec<f64> = (0..rows).map(|i| (i * 7919 % rows) as f64).collect();
    let class = |i: usize| match i {
        17 => "rare",
        1234 | 2345 => "odd",
        _ if x[i] < 1500.0 => "low",
        _ => "high",
    };
    let classes = Column::categorical((0..rows).map(|i| Some(class(i))));
    let table = Table::new(vec!["x".into(), "class".into()], vec![Column::numeric(x.clone()), classes]).unwrap();
    let data = dataset(&table);
    for algorithm in ["softmax-trees", "forest"] {
        let model = fit(&data, None, &settings(algorithm, &[])).model;
        let scores = model.scores(&data.features, &context());
        assert!(scores.values.iter().all(|h| h.is_finite() && h.abs() < 100.0), "{algorithm}");
        // The rare rows, and the one bin of 64 that holds both common classes.
        assert!(errors(&model, &data) <= 3 + rows / 64, "{algorithm}: {}", errors(&model, &data));
    }
}

/// A thousand classes: the sketch of the gradients still finds the splits.
#[test]
fn a_thousand_classes() {
    let (classes, each) = (1000usize, 3usize);
    let digit = |place: u32| {
        let value = move |i: usize| (i % classes) / 10usize.pow(place) % 10;
        Column::numeric((0..classes * each).map(|i| value(i) as f64).collect())
    };
    let class = Column::categorical((0..classes * each).map(|i| Some(format!("c{:03}", i % classes))));
    let names = ["a", "b", "c", "class"].map(String::from).to_vec();
    let data = dataset(&Table::new(names, vec![digit(0), digit(1), digit(2), class]).unwrap());
    let options =
        [("rounds", "25"), ("leaves", "128"), ("row-sample", "1"), ("feature-sample", "1"), ("lambda", "0.1")];
    let softmax = fit(&data, None, &settings("softmax-trees", &options));
    let (first, last) = (softmax.summary.history[0].loss, softmax.summary.loss);
    assert!(last < 0.75 * first, "{first} {last}");
    assert_eq!(errors(&fit(&data, None, &settings("forest", &[("rounds", "3")])).model, &data), 0);
}

/// Leaves hold shares over the number of trees: a checkpoint for another number is refused, one for the same goes on.
#[test]
fn a_forest_keeps_its_number_of_trees() {
    let shape = Shape { seed: 2, rows: 80, features: 3, classes: 3, ties: true, missing: true, categorical: true };
    let data = shape.dataset();
    let six = settings("forest", &[("rounds", "6")]);
    let limited = Context::new(0, 1).unwrap().with_time_limit(std::time::Duration::ZERO);
    let stopped = train(&data, None, &six, &limited, &mut ()).unwrap();
    assert_eq!(stopped.summary.stopped, Stop::TimeLimit);
    let whole = fit(&data, None, &six).model;
    let resumed = resume(stopped.model.clone(), &data, None, &six, &context(), &mut ()).unwrap().model;
    assert!(resumed.to_bytes() == whole.to_bytes());
    let seven = settings("forest", &[("rounds", "7")]);
    let error = resume(stopped.model, &data, None, &seven, &context(), &mut ()).err().unwrap().to_string();
    assert!(error.contains("--rounds"), "{error}");
}

/// The forest's trees are grown ahead, one a thread: with seven threads and with one, the same.
#[test]
fn sampling_follows_seed_and_round_alone() {
    let shape = Shape { seed: 4, rows: 4000, features: 6, classes: 5, ties: true, missing: true, categorical: true };
    let data = shape.dataset();
    for options in [vec![("bagging", "on"), ("splits", "best")], vec![]] {
        let settings = settings("forest", &[vec![("rounds", "9")], options].concat());
        let bytes = [1, 2, 7].map(|threads| {
            train(&data, None, &settings, &Context::new(3, threads).unwrap(), &mut ()).unwrap().model.to_bytes()
        });
        assert!(bytes.iter().all(|b| *b == bytes[0]));
        let other = train(&data, None, &settings, &Context::new(4, 1).unwrap(), &mut ()).unwrap().model;
        assert!(other.to_bytes() != bytes[0], "another seed, another forest");
    }
}

/// Rows of mean weight are rows, if all weigh the same.
#[test]
fn leaves_are_as_large_as_asked_for() {
    let shape = Shape { seed: 5, rows: 200, features: 4, classes: 3, ties: false, missing: true, categorical: true };
    let data = shape.dataset();
    for splits in ["best", "random"] {
        let options = [("rounds", "5"), ("splits", splits), ("min-leaf", "9")];
        let model = fit(&data, None, &settings("forest", &options)).model;
        for term in 0..model.chain.terms.len() {
            let mut rows_of = std::collections::BTreeMap::new();
            for row in 0..data.rows() {
                *rows_of.entry(model.chain.responses(&data.features, row)[term] as u64).or_insert(0) += 1;
            }
            assert!(rows_of.values().all(|rows| *rows >= 9) && rows_of.len() > 3, "{splits}: {rows_of:?}");
        }
    }
}
