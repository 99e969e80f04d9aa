//! What the papers of the family state: algorithms that are one for two classes, codes that are reductions, steps that never
//! raise the loss, runs that end honestly.

use proptest::prelude::*;
use rebelboost::compare::{Measured, Protocol, sample, trial};
use rebelboost::data::{Column, Dataset, Roles, Table};
use rebelboost::metric::pair_error;
use rebelboost::model::{Model, WeakModel};
use rebelboost::registry::{ALGORITHMS, Method};
use rebelboost_testkit::{Shape, context, dataset, fit, record, settings, shapes};

/// Half the difference of the two classes' scores, for every row.
fn margins(model: &Model, data: &Dataset) -> Vec<f64> {
    model.scores(&data.features, &context()).rows().map(|row| 0.5 * (row[1] - row[0])).collect()
}

/// Rows of different weights: which of two equally good learners is taken would be a matter of rounding.
fn uneven(mut data: Dataset) -> Dataset {
    data.weights.iter_mut().enumerate().for_each(|(row, weight)| *weight = 0.5 + (row as f64 * 0.618_034).fract());
    data
}

fn assert_near(a: &[f64], b: &[f64], what: &str) {
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= 1e-6 * (1.0 + x.abs()), "{what}: {x} against {y}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// For two classes AdaBoost.MH is AdaBoost, tree by tree.
    #[test]
    fn mh_of_two_classes_is_adaboost(shape in shapes(120, 4, 2), depth in 1usize..4) {
        let data = uneven(Shape { ties: false, ..shape }.dataset());
        let depth = depth.to_string();
        let common = [("rounds", "10"), ("depth", depth.as_str()), ("smoothing", "0.01")];
        let ada = [&common[..], &[("bias", "off"), ("stop-loss", "0")]].concat();
        let (a, b) = (fit(&data, None, &settings("adaboost", &ada)).model, fit(&data, None, &settings("adaboost-mh", &common)).model);
        assert_near(&margins(&a, &data), &margins(&b, &data), "scores");
    }

    /// For two classes one-vs-one is AdaBoost, and so is any code.
    #[test]
    fn codes_of_two_classes_are_adaboost(shape in shapes(120, 4, 2)) {
        let data = uneven(Shape { ties: false, ..shape }.dataset());
        let common = [("rounds", "10"), ("smoothing", "0.01")];
        let ada = [&common[..], &[("bias", "off"), ("stop-loss", "0")]].concat();
        let a = fit(&data, None, &settings("adaboost", &ada)).model;
        let b = fit(&data, None, &settings("one-vs-one", &common)).model;
        assert_near(&margins(&a, &data), &margins(&b, &data), "one-vs-one");
        let c = fit(&data, None, &settings("ecoc", &[&common[..], &[("code", "exhaustive")]].concat())).model;
        assert_near(&margins(&a, &data), &margins(&c, &data), "ecoc");
    }

    /// For two classes SAMME is AdaBoost, tree by tree and vote by vote, where both grow the same trees: stumps by the error.
    /// Its own criterion is the Gini index, and with more than two leaves its trees grow leaf by leaf where AdaBoost's grow
    /// layer by layer, so that other trees follow; what a tree gets for its errors is the same always.
    #[test]
    fn samme_of_two_classes_is_adaboost(shape in shapes(150, 4, 2), leaves in 2usize..8) {
        let data = uneven(Shape { ties: false, ..shape }.dataset());
        let ada = [("rounds", "12"), ("learner", "stump"), ("smoothing", "0"), ("bias", "off"), ("stop-loss", "0")];
        let a = record(&data, None, &settings("adaboost", &ada));
        let b = record(&data, None, &settings("samme", &[("rounds", "12"), ("leaves", "2"), ("criterion", "error")]));
        // A stump without a mistake has an infinite vote, which the two bound differently.
        let last = a.rounds.iter().position(|(info, _)| info.edge > 1.0 - 1e-5).unwrap_or(a.rounds.len());
        for (x, y) in a.rounds.iter().zip(&b.rounds).take(last) {
            assert_near(&margins(&x.1, &data), &margins(&y.1, &data), "scores");
        }
        prop_assert_eq!(a.rounds.len().min(last), b.rounds.len().min(last));
        // Any tree: the vote is alpha, half the log odds of its error, which is that of the round before reweighted.
        let leaves = leaves.to_string();
        let run = record(&data, None, &settings("samme", &[("rounds", "6"), ("leaves", leaves.as_str())]));
        let mut before = vec![0.0; data.rows()];
        for (_, model) in &run.rounds {
            let after = margins(model, &data);
            let (mut wrong, mut total, mut alpha) = (0.0, 0.0, 0.0);
            for row in 0..data.rows() {
                let y = if data.labels[row] == 1 { 1.0 } else { -1.0 };
                let (w, vote) = (data.weights[row] * f64::exp(-y * before[row]), after[row] - before[row]);
                total += w;
                wrong += if y * vote < 0.0 { w } else { 0.0 };
                alpha = vote.abs();
            }
            if wrong / total > 1e-5 {
                prop_assert!((alpha - 0.5 * ((total - wrong) / wrong).ln()).abs() < 1e-6, "{alpha}");
            }
            before = after;
        }
        // AdaBoost.M1 is the same for two classes.
        let options = [("rounds", "10"), ("leaves", "2")];
        let (a, b) = (fit(&data, None, &settings("samme", &options)).model, fit(&data, None, &settings("adaboost-m1", &options)).model);
        assert_near(&margins(&a, &data), &margins(&b, &data), "m1");
    }

    /// A totally corrective booster leaves nothing to gain: no direction lowers the objective, which its file states.
    #[test]
    fn corrected_outputs_are_optimal(shape in shapes(80, 3, 4), seed in any::<u64>()) {
        use rand::RngExt;
        let data = uneven(shape.dataset());
        let classes = data.class_count();
        let total: f64 = data.weights.iter().sum();
        for (name, scale, tolerance) in [("cw-boost", 2.0, 1e-3), ("structboost", 1.0, 0.02)] {
            let model = fit(&data, None, &settings(name, &[("rounds", "15"), ("learner", "stump"), ("penalty", "0.02")])).model;
            let objective = |model: &Model| {
                let scores = model.scores(&data.features, &context());
                let loss: f64 = scores.rows().zip(&data.labels).zip(&data.weights).map(|((scores, label), weight)| {
                    let gaps = (0..classes).filter(|k| k != &(*label as usize)).map(|k| (scores[k] - scores[*label as usize]) / scale);
                    let row: f64 = if name == "cw-boost" { gaps.map(f64::exp).sum() } else { gaps.map(|gap| 1.0 + gap).fold(0.0, f64::max) };
                    weight / total * row
                }).sum();
                let penalty = if name == "cw-boost" { 0.02 } else { 0.02 / classes as f64 };
                loss + penalty * model.chain.terms.iter().flat_map(|term| &term.output).map(|a| a.abs() / scale).sum::<f64>()
            };
            let least = objective(&model);
            let mut rng = rebelboost::context::stream(seed, "directions");
            for size in [1.0, 0.1, 0.01] {
                for _ in 0..20 {
                    let mut moved = model.clone();
                    moved.chain.terms.iter_mut().flat_map(|term| &mut term.output).for_each(|a| *a += size * rng.random_range(-1.0..1.0));
                    // Towards less of everything, too.
                    let mut shrunk = model.clone();
                    let by = rng.random_range(1.0 - size..1.0);
                    shrunk.chain.terms.iter_mut().flat_map(|term| &mut term.output).for_each(|a| *a *= by);
                    for other in [moved, shrunk] {
                        prop_assert!(objective(&other) > least - tolerance, "{name}: {} against {least}", objective(&other));
                    }
                }
            }
        }
    }

    /// SAMME.R is Real AdaBoost for two classes, and GAMBLE at half speed is Gentle AdaBoost.
    #[test]
    fn probabilities_of_two_classes(shape in shapes(120, 4, 2)) {
        let data = shape.dataset();
        let options = [("rounds", "8"), ("leaves", "4"), ("smoothing", "0.01")];
        let (a, b) = (fit(&data, None, &settings("samme-r", &options)).model, fit(&data, None, &settings("real-adaboost", &options)).model);
        assert_near(&margins(&a, &data), &margins(&b, &data), "real");
        let options = [("rounds", "8"), ("leaves", "4")];
        let gentle = fit(&data, None, &settings("gentle-adaboost", &options)).model;
        let gamble = fit(&data, None, &settings("gamble", &[&options[..], &[("learning-rate", "0.5")]].concat())).model;
        assert_near(&margins(&gentle, &data), &margins(&gamble, &data), "gentle");
    }

    /// ECOC with the one-vs-all code gives one-vs-all's trees, votes and answers.
    #[test]
    fn the_one_vs_all_code_is_one_vs_all(shape in shapes(100, 3, 5)) {
        let data = shape.dataset();
        let options = [("rounds", "15")];
        let a = fit(&data, None, &settings("one-vs-all", &options)).model;
        let b = fit(&data, None, &settings("ecoc", &[&options[..], &[("code", "one-vs-all")]].concat())).model;
        prop_assert_eq!(a.chain.terms.len(), b.chain.terms.len());
        let classes = data.class_count();
        for (t, (a, b)) in a.chain.terms.iter().zip(&b.chain.terms).enumerate() {
            prop_assert_eq!(&a.learner, &b.learner);
            prop_assert_eq!(a.output[t % classes], b.output[t % classes]);
        }
        let answers = |model: &Model| model.decide(&model.scores(&data.features, &context()), None).unwrap();
        // Equal scores may be rounded apart.
        let (x, y) = (answers(&a), answers(&b));
        let scores = a.scores(&data.features, &context());
        for row in 0..data.rows() {
            let s = scores.row(row);
            prop_assert!(x[row] == y[row] || (s[x[row] as usize] - s[y[row] as usize]).abs() < 1e-9);
        }
    }

    /// What minimises its loss, or a bound of it, never raises it.
    #[test]
    fn the_loss_never_rises(shape in shapes(100, 3, 5)) {
        let data = shape.dataset();
        for name in ["adaboost-m2", "adaboost-mr", "adaboost-mh", "adaboost-ecc", "gd-mcboost", "gel-mcboost", "gll-mcboost", "l2boost", "one-vs-all", "rankboost", "cw-boost", "structboost"] {
            let smooth = [("rounds", "12"), ("smoothing", "0")];
            let has = ALGORITHMS.iter().find(|a| a.name == name).unwrap().parameters().any(|p| p.name == "smoothing");
            let run = fit(&data, None, &settings(name, &smooth[..if has { 2 } else { 1 }]));
            let losses: Vec<f64> = run.summary.history.iter().map(|info| info.loss).collect();
            prop_assert!(losses.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-9) + 1e-12), "{name} {losses:?}");
        }
    }

    /// Heuristics look at less and still learn; the same seed draws the same.
    #[test]
    fn heuristics_are_reproducible(seed in any::<u64>()) {
        let shape = Shape { seed, rows: 200, features: 6, classes: 3, ties: false, missing: true, categorical: true };
        let data = shape.dataset();
        for algorithm in ALGORITHMS.iter().filter(|a| a.parameters().any(|p| p.name == "trim")) {
            let data = if algorithm.most_classes.is_some() { Shape { classes: 2, ..shape.clone() }.dataset() } else { data.clone() };
            let mut options = vec![("rounds", "10"), ("trim", "0.1"), ("row-sample", "0.6"), ("feature-sample", "0.5")];
            if algorithm.parameters().any(|p| p.name == "resample") {
                options.push(("resample", "on"));
            }
            let run = || fit(&data, None, &settings(algorithm.name, &options)).model;
            let model = run();
            prop_assert_eq!(model.to_bytes(), run().to_bytes());
            let plain = fit(&data, None, &settings(algorithm.name, &[("rounds", "10")])).model;
            prop_assert!(plain.chain.terms != model.chain.terms, "{} ignores them", algorithm.name);
        }
    }

    /// RankBoost on rows that one feature puts in order makes no mistake on pairs; query groups are ranked on their own.
    #[test]
    fn rankboost_ranks(seed in any::<u64>(), levels in 2usize..5) {
        use rand::RngExt;
        let mut rng = rebelboost::context::stream(seed, "rank");
        let (mut x, mut noise, mut group, mut class) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for row in 0..90 {
            let level = row % levels;
            let g = row / levels % 3;
            // Each group has its own offset: only within a group does x tell the order.
            x.push(level as f64 + rng.random_range(0.0..0.9) + 100.0 * g as f64);
            noise.push(rng.random_range(0.0..1.0));
            group.push(Some(["a", "b", "c"][g]));
            class.push(Some(level.to_string()));
        }
        let names = ["x", "noise", "query", "class"].map(String::from).to_vec();
        let columns = vec![Column::numeric(x), Column::numeric(noise), Column::categorical(group.into_iter()), Column::categorical(class.into_iter())];
        let table = Table::new(names, columns).unwrap();
        let roles = Roles { target: Some("class".into()), group: Some("query".into()), ..Roles::default() };
        let data = Dataset::from_table(&table, &roles, &mut Vec::new()).unwrap();
        prop_assert_eq!(data.schema.features.len(), 2);
        let model = fit(&data, None, &settings("rankboost", &[("rounds", "150"), ("learner", "stump")])).model;
        let scores = model.scores(&data.features, &context());
        let top: Vec<f64> = scores.rows().map(|row| row[row.len() - 1]).collect();
        prop_assert_eq!(pair_error(&data.labels, &top, &data.weights, &data.groups), 0.0);
    }
}

/// A stump cannot be right on more than 2 of 5 equal classes: M1 ends at once and says why; SAMME goes on.
#[test]
fn m1_ends_when_it_is_wrong_on_half() {
    let shape =
        Shape { seed: 3, rows: 100, features: 2, classes: 5, ties: false, missing: false, categorical: false };
    let data = shape.dataset();
    let run = fit(&data, None, &settings("adaboost-m1", &[("learner", "stump"), ("rounds", "20")]));
    assert_eq!(run.model.chain.terms.len(), 0);
    assert!(run.summary.notes.iter().any(|note| note.contains("needs less than half")), "{:?}", run.summary.notes);
    let samme = fit(&data, None, &settings("samme", &[("leaves", "2"), ("rounds", "20")]));
    assert!(samme.model.chain.terms.len() > 5);
}

/// K trees make a round of LogitBoost: all are fitted at the scores the round began with.
#[test]
fn logitboost_fits_a_round_at_the_same_scores() {
    let shape =
        Shape { seed: 5, rows: 120, features: 3, classes: 3, ties: false, missing: false, categorical: false };
    let data = shape.dataset();
    let model = fit(&data, None, &settings("logitboost", &[("rounds", "3"), ("learner", "stump")])).model;
    // At zero scores p = 1/3, so z is 3 for the own class and -3/2 for the others, and leaves are means of that.
    for (class, term) in model.chain.terms.iter().enumerate() {
        let WeakModel::Regions(tree) = &term.learner else { panic!("no tree") };
        let mut sums = vec![(0.0, 0.0); tree.leaves()];
        let mut leaf = vec![0.0; data.rows()];
        tree.respond(&data.features, 0, &mut leaf);
        for (leaf, label) in leaf.iter().zip(&data.labels) {
            let (sum, count) = &mut sums[*leaf as usize];
            *sum += if *label as usize == class { 3.0 } else { -1.5 };
            *count += 1.0;
        }
        for (leaf, (sum, count)) in sums.iter().enumerate() {
            let f: f64 = sum / count;
            let own = term.output[leaf * 3 + class];
            assert!((own - 2.0 / 3.0 * (f - f / 3.0)).abs() < 1e-9, "{own} {f}");
        }
    }
}

/// MetaCost: what costs most to miss is answered more often, and without costs it is the base algorithm.
#[test]
fn metacost_relabels_by_costs() {
    let shape =
        Shape { seed: 9, rows: 300, features: 3, classes: 3, ties: false, missing: false, categorical: false };
    let data = shape.dataset();
    let options = [("base", "forest"), ("samples", "4")];
    let plain = fit(&data, None, &settings("metacost", &options)).model;
    let base = fit(&data, None, &settings("forest", &[])).model;
    assert_eq!(plain.chain, base.chain);
    let names = &data.schema.classes;
    let costs =
        rebelboost::data::CostMatrix::new(vec![0.0, 20.0, 20.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0], names).unwrap();
    let run = fit(&data, Some(&costs), &settings("metacost", &options));
    assert!(run.summary.notes.iter().any(|note| note.contains("relabelled")), "{:?}", run.summary.notes);
    let answers = |model: &Model| {
        let answers = model.decide(&model.scores(&data.features, &context()), None).unwrap();
        answers.into_iter().filter(|answer| *answer == 0).count()
    };
    assert!(answers(&run.model) > answers(&plain));
}

/// Guess-averse losses see costs: the class that is dear to miss is answered more often.
#[test]
fn guess_averse_losses_train_on_costs() {
    let shape =
        Shape { seed: 9, rows: 300, features: 3, classes: 3, ties: false, missing: false, categorical: false };
    let data = shape.dataset();
    let costs =
        rebelboost::data::CostMatrix::new(vec![0.0, 20.0, 20.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0], &data.schema.classes)
            .unwrap();
    for name in ["gel-mcboost", "gll-mcboost"] {
        let answered = |costs| {
            let model = fit(&data, costs, &settings(name, &[("rounds", "30"), ("learner", "stump")])).model;
            let answers = model.decide(&model.scores(&data.features, &context()), None).unwrap();
            answers.into_iter().filter(|answer| *answer == 0).count()
        };
        assert!(answered(Some(&costs)) > answered(None), "{name}");
    }
}

/// The thesis' protocol: parts of 50, 25 and 25 %, stumps, and the first number of learners that does best in the second.
#[test]
fn the_protocol_of_the_thesis() {
    let shape =
        Shape { seed: 2, rows: 200, features: 3, classes: 3, ties: false, missing: false, categorical: false };
    let data = shape.dataset();
    let protocol = Protocol::Thesis(2);
    let splits = protocol.cut(&data, &context()).unwrap();
    for split in &splits {
        assert_eq!([split.train.len(), split.validation.len(), split.test.len()], [100, 50, 50]);
        let mut all = [&split.train[..], &split.validation, &split.test].concat();
        all.sort_unstable();
        assert_eq!(all, (0..200).collect::<Vec<_>>());
    }
    assert_ne!(splits[0], splits[1]);
    for algorithm in ALGORITHMS.iter().filter(|a| matches!(a.method, Method::Rounds(_)) && a.most_classes.is_none()) {
        let mut settings = protocol.settings(algorithm).unwrap();
        settings.set("rounds", "12").unwrap();
        let done = trial(&data, (0, &splits[0]), &settings, &context(), &mut ()).unwrap();
        let Measured::Done { error, learners, curve, .. } = done.result else { panic!("{} failed", algorithm.name) };
        assert!(learners <= curve.len() && (learners == 0 || error == curve[learners - 1]), "{}", algorithm.name);
    }
    // What an algorithm cannot do is its row, not the end.
    let two = protocol.settings(ALGORITHMS.iter().find(|a| a.name == "adaboost").unwrap()).unwrap();
    let done = trial(&data, (0, &splits[0]), &two, &context(), &mut ()).unwrap();
    assert!(matches!(done.result, Measured::Failed(why) if why.contains("at most 2 classes")));
    assert_eq!(sample(&data, 60, &context()).rows(), 60);
    assert!(Protocol::Folds(500).cut(&dataset(&shape.table()), &context()).is_err());
}
