//! Feature selection: what the lecture states, scikit-learn's figures on committed golden files
//! (golden/extract/make.py), and properties that hold whatever the data.

use proptest::prelude::*;
use rand::RngExt;
use rebelboost::context::{Context, stream};
use rebelboost::data::synthetic::generate;
use rebelboost::data::{Column, Dataset, Roles, Table};
use rebelboost::select::cmim::{Search, search};
use rebelboost::select::information::{entropy, fano, mutual_information};
use rebelboost::select::{METHODS, Plan, Selection, fisher, kolmogorov, select};
use rebelboost_testkit::{Shape, context, dataset, settings, shapes, table};

fn run(step: &str, data: &Dataset) -> Selection {
    select(data, &Plan::parse(step).unwrap(), None, &context()).unwrap()
}

fn names(selection: &Selection, data: &Dataset) -> Vec<String> {
    selection.ranked.iter().map(|ranked| data.schema.features[ranked.feature].name.clone()).collect()
}

/// Rows of random bits, some of which are the class with noise, some copies of others.
fn binary(seed: u64, rows: usize, features: usize, classes: usize) -> Dataset {
    let mut rng = stream(seed, "binary");
    let labels: Vec<usize> = (0..rows).map(|i| if i < classes { i } else { rng.random_range(0..classes) }).collect();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for j in 0..features {
        let values = (0..rows).map(|row| {
            let copied = j >= 3 && j % 5 == 4;
            let told = j % 3 == 0 && rng.random_bool(0.6);
            let value = if copied { columns[j - 3][row] as usize } else { usize::from(rng.random_bool(0.5)) };
            (if told { usize::from(labels[row] % 2 == (j / 3) % 2) } else { value }) as f64
        });
        let values = values.collect();
        columns.push(values);
    }
    let mut names: Vec<String> = (0..features).map(|j| format!("x{j}")).collect();
    names.push("class".into());
    let mut columns: Vec<Column> = columns.into_iter().map(Column::numeric).collect();
    columns.push(Column::categorical(labels.iter().map(|k| Some(format!("c{k}")))));
    dataset(&Table::new(names, columns).unwrap())
}

#[test]
fn mutual_information_and_fisher_are_scikit_learns() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("golden/extract/golden.json")).unwrap();
    let data = dataset(&table(include_str!("golden/extract/codes.csv")));
    let numbers =
        |name: &str| -> Vec<f64> { golden[name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
    let (information, f) = (numbers("mutual_information"), numbers("f"));
    // As numbers of few values, and as categories.
    let roles = Roles { categorical: ["a", "b", "c", "d"].map(String::from).to_vec(), ..Roles::default() };
    let categories =
        Dataset::from_table(&table(include_str!("golden/extract/codes.csv")), &roles, &mut Vec::new()).unwrap();
    for data in [&data, &categories] {
        for ranked in run("mim:4,levels=10", data).ranked {
            let nats = ranked.score * std::f64::consts::LN_2;
            assert!((nats - information[ranked.feature]).abs() < 1e-9, "{nats} {information:?}");
        }
    }
    // F = S (N - K) / (K - 1).
    for ranked in run("fisher:4", &data).ranked {
        assert!((ranked.score * 197.0 / 2.0 - f[ranked.feature]).abs() < 1e-9);
    }
}

#[test]
fn a_copy_is_picked_by_mim_and_not_by_cmim() {
    let data = binary(3, 400, 6, 2);
    let mut copied = data.with_features(&[3, 3, 3, 1, 2, 0]);
    copied.schema.features.iter_mut().enumerate().for_each(|(i, f)| f.name = format!("x{i}"));
    assert_eq!(names(&run("mim:3", &copied), &copied), ["x0", "x1", "x2"]);
    let cmim = run("cmim:6", &copied);
    let picked = names(&cmim, &copied);
    assert_eq!(picked[..2], ["x0", "x5"], "x5 is the other feature that knows the class");
    // Copies come last, with nothing left to say.
    let copies: Vec<_> = cmim.ranked.iter().filter(|r| [1, 2].contains(&r.feature)).collect();
    assert!(copies.iter().all(|copy| copy.score == 0.0), "{cmim:?}");
    assert!(copies.iter().all(|copy| copy.redundancy.unwrap().share == 1.0), "{cmim:?}");
}

/// The lecture's example: of bits whose parity is the class, none tells anything alone, so filters cannot know them from
/// noise. A wrapper around trees of depth 3 can.
#[test]
fn parity_defeats_filters_and_not_a_wrapper() {
    let roles = Roles::default();
    let table = generate("builtin:parity?rows=600&bits=3&extra=3&seed=2").unwrap();
    // The meaningless bits first, so that order does not help.
    let (mut names_of, mut columns) = table.into_parts();
    names_of[..6].rotate_left(3);
    columns[..6].rotate_left(3);
    let data = Dataset::from_table(&Table::new(names_of, columns).unwrap(), &roles, &mut Vec::new()).unwrap();
    for filter in ["fisher", "ks", "mim", "cmim"] {
        let best = run(filter, &data).ranked[0].score;
        assert!(best < 0.15, "{filter} has found something where nothing is: {best}");
        let mut three = run(&format!("{filter}:3"), &data).ranked.iter().map(|r| r.feature).collect::<Vec<_>>();
        three.sort_unstable();
        assert_ne!(three, [3, 4, 5], "{filter}");
    }
    let mut plan = Plan::parse("backward:3,folds=2").unwrap();
    plan.booster = settings("rebel", &[("depth", "3"), ("rounds", "20"), ("min-rounds", "1")]);
    let found = select(&data, &plan, None, &context()).unwrap();
    let mut three: Vec<usize> = found.ranked.iter().map(|r| r.feature).collect();
    three.sort_unstable();
    assert_eq!(three, [3, 4, 5], "{found:?}");
    assert!(found.ranked[2].score < 0.05, "{found:?}");
}

/// No predictor errs less often than Fano's bound: here the best one, which knows the frequencies of the rows.
#[test]
fn fanos_bound_holds() {
    let mut rng = stream(1, "fano");
    let mut told = 0;
    for classes in 2..30u32 {
        let labels: Vec<u32> = (0..4000).map(|_| rng.random_range(0..classes)).collect();
        let noise = rng.random_range(0.0..1.0);
        let codes: Vec<u32> = labels
            .iter()
            .map(|y| if rng.random_bool(noise) { rng.random_range(0..classes) } else { y / 2 })
            .collect();
        let ones = vec![1.0; labels.len()];
        let information = mutual_information(&codes, &labels, &ones);
        let bound = fano(mutual_information(&labels, &labels, &ones), information, classes as usize);
        let mut joint = vec![vec![0usize; classes as usize]; classes as usize];
        codes.iter().zip(&labels).for_each(|(x, y)| joint[*x as usize][*y as usize] += 1);
        let right: usize = joint.iter().map(|row| row.iter().max().unwrap()).sum();
        let error = 1.0 - right as f64 / labels.len() as f64;
        assert!(bound <= error, "{classes} classes: {bound} {error}");
        told += usize::from(bound > 0.1);
    }
    assert!(told > 5, "the bound must say something often enough to be tested");
}

proptest! {
    #[test]
    fn information_is_symmetric_and_that_of_itself_is_entropy(
        rows in prop::collection::vec((0u32..6, 0u32..4, 0.1f64..3.0), 1..200),
    ) {
        let a: Vec<u32> = rows.iter().map(|r| r.0).collect();
        let b: Vec<u32> = rows.iter().map(|r| r.1).collect();
        let w: Vec<f64> = rows.iter().map(|r| r.2).collect();
        let mut counts = [0.0; 6];
        a.iter().zip(&w).for_each(|(a, w)| counts[*a as usize] += w);
        let i = mutual_information(&a, &b, &w);
        prop_assert!((i - mutual_information(&b, &a, &w)).abs() < 1e-12);
        prop_assert!((mutual_information(&a, &a, &w) - entropy(&counts)).abs() < 1e-12);
        prop_assert!(i >= 0.0 && i <= entropy(&counts) + 1e-12);
    }

    /// The lazy search gives exactly the plain result, packed and not, and never works more.
    #[test]
    fn lazy_is_plain(seed: u64, rows in 8usize..150, features in 1usize..40, classes in 2usize..5, count in 1usize..40) {
        let packed = binary(seed, rows, features, classes);
        let mut bytes = packed.clone();
        bytes.weights.iter_mut().for_each(|w| *w = 0.5);
        for data in [&packed, &bytes] {
            let [lazy, plain] =
                [Search::Lazy, Search::Plain].map(|how| search(data, count, None, how, &context()));
            prop_assert_eq!(&lazy.ranked, &plain.ranked);
            prop_assert!(lazy.evaluations <= plain.evaluations);
        }
        // Weights that are all alike change nothing but the last bits.
        let [a, b] = [&packed, &bytes].map(|data| search(data, 1, None, Search::Lazy, &context()).ranked);
        prop_assert!((a[0].1 - b[0].1).abs() < 1e-9);
    }

    /// The same on tables with missing values, categories, weights and many classes.
    #[test]
    fn lazy_is_plain_on_any_table(shape in shapes(80, 8, 5), count in 1usize..10, levels in 2usize..20) {
        let mut data = shape.dataset();
        data.weights.iter_mut().enumerate().for_each(|(i, w)| *w = 1.0 + (i % 3) as f64 * 0.25);
        let run = |how| search(&data, count, Some(levels), how, &context()).ranked;
        prop_assert_eq!(run(Search::Lazy), run(Search::Plain));
    }

    /// CMIM by its definition, from mutual information alone: I(Y; X | Z) = I(Y; X, Z) - I(Y; Z).
    #[test]
    fn cmim_is_its_definition(seed: u64, rows in 20usize..100, features in 2usize..9) {
        let data = binary(seed, rows, features, 3);
        let codes: Vec<Vec<u32>> = (data.features.columns.iter())
            .map(|c| (0..rows).map(|row| u32::from(c.text(row) == "1")).collect()).collect();
        let ones = vec![1.0; rows];
        let told = |x: &[u32]| mutual_information(x, &data.labels, &ones);
        let mut chosen: Vec<usize> = Vec::new();
        for (feature, score) in search(&data, features, None, Search::Lazy, &context()).ranked {
            let value = |n: usize| {
                let given = |z: &usize| {
                    let both: Vec<u32> = codes[n].iter().zip(&codes[*z]).map(|(x, z)| 2 * x + z).collect();
                    told(&both) - told(&codes[*z])
                };
                chosen.iter().map(given).fold(told(&codes[n]), f64::min)
            };
            prop_assert!((value(feature) - score).abs() < 1e-9);
            for other in (0..data.schema.features.len()).filter(|n| !chosen.contains(n)) {
                prop_assert!(value(other) < score + 1e-9, "{other} is better than {feature}");
            }
            chosen.push(feature);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Every method, on odd tables: each feature at most once, finite scores, the same on any number of threads, the same
    /// for rows in another order (random choices and folds apart).
    #[test]
    fn every_method_is_sane(shape in shapes(60, 5, 4)) {
        let data = shape.dataset();
        for method in METHODS {
            let mut plan = Plan::parse(&format!("{}:3", method.about.name)).unwrap();
            plan.booster = settings("rebel", &[("rounds", "4"), ("min-rounds", "1")]);
            if method.about.parameters.iter().any(|p| p.name == "folds") {
                plan.spec.set("folds", "2").unwrap();
            }
            let found = [1, 2, 7].map(|threads| {
                select(&data, &plan, None, &Context::new(0, threads).unwrap()).unwrap()
            });
            prop_assert!(found[0] == found[1] && found[1] == found[2], "{}", method.about.name);
            let mut features: Vec<usize> = found[0].ranked.iter().map(|r| r.feature).collect();
            prop_assert!(found[0].ranked.iter().all(|r| r.score.is_finite()));
            for ranked in &found[0].ranked {
                let redundancy = ranked.redundancy.unwrap();
                prop_assert!((0.0..=1.0).contains(&redundancy.share));
            }
            features.sort_unstable();
            features.dedup();
            prop_assert_eq!(features.len(), found[0].ranked.len());
            prop_assert_eq!(found[0].reduce(&data).schema.features.len(), features.len());
        }
    }

    /// Weight two is the row twice, for every filter.
    #[test]
    fn weight_two_is_the_row_twice(shape in shapes(60, 5, 4), seed: u64) {
        let mut weighted = shape.dataset();
        let twice = |row: usize| (seed >> (row % 60)) & 1 == 1;
        let rows: Vec<usize> =
            (0..weighted.rows()).flat_map(|r| std::iter::repeat_n(r, 1 + usize::from(twice(r)))).collect();
        let repeated = weighted.select(&rows);
        (0..weighted.rows()).for_each(|r| weighted.weights[r] = if twice(r) { 2.0 } else { 1.0 });
        for step in ["mim:5,levels=4", "cmim:5,levels=4", "fisher:5", "ks:5"] {
            let [a, b] = [&weighted, &repeated].map(|data| {
                let found = run(step, data).ranked;
                found.into_iter().map(|r| (r.feature, r.score)).collect::<Vec<_>>()
            });
            let scores = |x: &[(usize, f64)]| x.iter().map(|x| x.1).collect::<Vec<_>>();
            for (x, y) in scores(&a).iter().zip(scores(&b)) {
                prop_assert!((x - y).abs() < 1e-9, "{} {:?} {:?}", step, a, b);
            }
        }
    }
}

#[test]
fn scores_are_what_the_lecture_defines() {
    let column = |values: &[f64]| Column::numeric(values.to_vec());
    let classes = |names: &[&str]| Column::categorical(names.iter().map(|n| Some(*n)));
    let make = |x: Column, y: Column| dataset(&Table::new(vec!["x".into(), "class".into()], vec![x, y]).unwrap());
    // Means 1 and 4, overall 2.5; variances 2/3 and 2/3: S = 2.25 / (2/3).
    let data = make(column(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), classes(&["a", "a", "a", "b", "b", "b"]));
    assert!((fisher::score(&data.features.columns[0], &data) - 3.375).abs() < 1e-12);
    assert_eq!(kolmogorov::score(&data.features.columns[0], &data), 1.0);
    // Three classes: the largest distance of a pair, at x = 1: F_a = 1, F_c = 0.
    let data = make(column(&[0.0, 1.0, 1.0, 2.0, 2.0, 3.0]), classes(&["a", "a", "b", "b", "c", "c"]));
    assert_eq!(kolmogorov::score(&data.features.columns[0], &data), 1.0);
    // A category: half of class a is red, all of b is blue.
    let data = make(classes(&["red", "blue", "blue", "blue"]), classes(&["a", "a", "b", "b"]));
    assert_eq!(kolmogorov::score(&data.features.columns[0], &data), 0.5);
    // A feature that never varies within a class has a large score and not infinity.
    let data = make(column(&[0.0, 0.0, 1.0, 1.0]), classes(&["a", "a", "b", "b"]));
    assert_eq!(fisher::score(&data.features.columns[0], &data), 1e12);
}

#[test]
fn what_cannot_be_done_is_said() {
    let shape = Shape { seed: 1, rows: 40, features: 3, classes: 2, ties: false, missing: false, categorical: true };
    let data = shape.dataset();
    let refuse = |plan: &Plan| select(&data, plan, None, &context()).unwrap_err().to_string();
    let mut plan = Plan::parse("boosting:2").unwrap();
    plan.booster = settings("rebel", &[("learner", "similarity"), ("rounds", "3")]);
    assert!(refuse(&plan).contains("asks about no single feature"));
    assert!(refuse(&Plan::parse("forward:2,folds=100").unwrap()).contains("100 folds need as many rows"));
    let found = run("mim:50", &data);
    assert_eq!((found.ranked.len(), found.notes.len()), (4, 1), "{:?}", found.notes);
    assert!(Plan::parse("cmin:3").unwrap_err().to_string().contains("did you mean 'cmim'?"));
}
