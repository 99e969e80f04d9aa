//! What every registered algorithm must do, with every weak learner it names. A new entry in the registry is tested
//! here without a line of test code.

use proptest::prelude::*;
use rand::RngExt;
use rebelboost::booster::{Observer, Partial, RoundInfo, Stop, resume, train};
use rebelboost::context::{Context, stream};
use rebelboost::data::{Column, Dataset, Roles, Table};
use rebelboost::model::{Model, Scores};
use rebelboost::registry::{ALGORITHMS, Algorithm, Method};
use rebelboost::settings::Settings;
use rebelboost_testkit::{Shape, context, fit, settings, shapes};

/// Settings of an algorithm, changed as far as it has these options.
fn known(algorithm: &str, changes: &[(&str, &str)]) -> Settings {
    let all = settings(algorithm, &[]);
    let has = |name: &str| all.values().contains_key(name);
    let changes: Vec<_> = changes.iter().copied().filter(|(name, _)| has(name)).collect();
    settings(algorithm, &changes)
}

/// Every algorithm with every learner, for a shape cut to the classes it can tell apart.
fn each(shape: &Shape, mut check: impl FnMut(&Shape, &Settings)) {
    for algorithm in ALGORITHMS {
        let classes = algorithm.most_classes.map_or(shape.classes, |most| shape.classes.min(most));
        for learner in algorithm.learners {
            let shape = Shape { classes, ..shape.clone() };
            check(&shape, &known(algorithm.name, &[("learner", learner), ("rounds", "8"), ("preset", "fast")]));
        }
    }
}

/// Rows drawn by number depend on the order and the number of rows: without that.
fn on_all_rows(settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    for (name, value) in [("row-sample", "1"), ("bagging", "off")] {
        if settings.values().contains_key(name) {
            settings.set(name, value).unwrap();
        }
    }
    settings
}

fn scores(model: &Model, data: &Dataset) -> Scores {
    model.scores(&data.features, &context())
}

fn name(algorithm: &'static Algorithm, settings: &Settings) -> String {
    format!("{} {}", algorithm.name, settings.learner())
}

fn assert_near(a: &Scores, b: &Scores, what: &str) {
    for (x, y) in a.values.iter().zip(&b.values) {
        assert!((x - y).abs() <= 1e-6 * (1.0 + x.abs()), "{what}: {x} against {y}");
    }
}

/// Stops a run after some rounds and keeps what a checkpoint would hold.
struct StopAfter(usize, Option<Model>);

impl Observer for StopAfter {
    fn round(&mut self, info: &RoundInfo, partial: &Partial<'_>) -> rebelboost::Result<()> {
        if info.round == self.0 {
            self.1 = Some(partial.model());
            return Err(rebelboost::Error::internal("stop here"));
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn bytes_do_not_depend_on_threads(shape in shapes(3000, 8, 5)) {
        let shape = Shape { rows: shape.rows.max(2500), ..shape };
        each(&shape, |shape, settings| {
            // The family shares engines: each member takes part in every third case.
            let place = ALGORITHMS.iter().position(|a| a.name == settings.algorithm().name).unwrap();
            if place >= 8 && (shape.seed % 3) as usize != place % 3 {
                return;
            }
            // A portfolio trains its members several times over; that these share their own work is tested with them.
            let rows = if settings.values().contains_key("preset") { shape.rows / 10 } else { shape.rows };
            let data = Shape { rows, ..shape.clone() }.dataset();
            let bytes: Vec<Vec<u8>> = [1, 2, 7, 1]
                .map(|threads| {
                    let context = Context::new(3, threads).unwrap();
                    train(&data, None, settings, &context, &mut ()).unwrap().model.to_bytes()
                })
                .into();
            assert!(bytes.iter().all(|b| *b == bytes[0]), "{}", name(settings.algorithm(), settings));
        });
    }

    #[test]
    fn files_give_back_the_model(shape in shapes(80, 3, 4)) {
        each(&shape, |shape, settings| {
            let data = shape.dataset();
            let model = fit(&data, None, settings).model;
            let loaded = Model::from_bytes(&model.to_bytes()).unwrap();
            assert_eq!(model, loaded);
            assert_eq!(scores(&model, &data), scores(&loaded, &data));
        });
    }

    /// Scores are the bias plus the terms in stored order, to the bit.
    #[test]
    fn scores_are_the_sum_of_terms(shape in shapes(60, 3, 4)) {
        each(&shape, |shape, settings| {
            let data = shape.dataset();
            let model = fit(&data, None, settings).model;
            let scores = scores(&model, &data);
            for row in 0..data.rows() {
                let mut sum = model.chain.bias.clone();
                for (term, response) in model.chain.terms.iter().zip(model.chain.responses(&data.features, row)) {
                    let given = term.contributions(response, sum.len());
                    sum.iter_mut().zip(given).for_each(|(h, a)| *h += a);
                }
                assert_eq!(sum, scores.row(row));
            }
        });
    }

    #[test]
    fn row_order_does_not_matter(shape in shapes(60, 3, 4)) {
        let shape = Shape { ties: false, ..shape };
        each(&shape, |shape, settings| {
            let data = shape.dataset();
            let settings = on_all_rows(settings);
            let reversed = data.select(&(0..data.rows()).rev().collect::<Vec<_>>());
            let (a, b) = (fit(&data, None, &settings).model, fit(&reversed, None, &settings).model);
            assert_near(&scores(&a, &data), &scores(&b, &data), &name(settings.algorithm(), &settings));
        });
    }

    /// Weight two is the row twice; weight zero is no row. Rows have different weights to begin with: equally good
    /// learners would be a matter of rounding. What depends on the smallest weight is set by hand.
    #[test]
    fn weights_are_repetitions(shape in shapes(50, 2, 3), pattern in prop::collection::vec(0u8..3, 50)) {
        let shape = Shape { ties: false, ..shape };
        each(&shape, |shape, settings| {
            let mut settings = on_all_rows(settings);
            for (name, value) in [("smoothing", "0.01"), ("stop-loss", "0")] {
                if settings.values().contains_key(name) {
                    settings.set(name, value).unwrap();
                }
            }
            let table = shape.table();
            let mut rng = stream(shape.seed, "weights");
            let base: Vec<f64> = (0..table.rows()).map(|_| rng.random_range(0.5..1.5)).collect();
            let roles = Roles { target: Some("class".into()), weights: Some("w".into()), ..Roles::default() };
            let with_weights = |rows: &[usize], weight: &dyn Fn(usize) -> f64| {
                let (mut names, mut columns) = table.select(rows).into_parts();
                names.push("w".into());
                columns.push(Column::numeric(rows.iter().map(|&r| weight(r)).collect()));
                Dataset::from_table(&Table::new(names, columns).unwrap(), &roles, &mut Vec::new())
            };
            let all: Vec<usize> = (0..table.rows()).collect();
            let repeated: Vec<usize> =
                all.iter().flat_map(|&r| std::iter::repeat_n(r, pattern[r] as usize)).collect();
            let weighted = with_weights(&all, &|r| f64::from(pattern[r]) * base[r]);
            let repeated = with_weights(&repeated, &|r| base[r]);
            let (Ok(weighted), Ok(repeated)) = (weighted, repeated) else { return };
            assert_eq!(weighted.schema, repeated.schema);
            let (a, b) = (fit(&weighted, None, &settings).model, fit(&repeated, None, &settings).model);
            assert_near(&scores(&a, &weighted), &scores(&b, &weighted), &name(settings.algorithm(), &settings));
        });
    }

    #[test]
    fn a_resumed_run_gives_the_same_bytes(shape in shapes(60, 3, 4), at in 1usize..8) {
        each(&shape, |shape, settings| {
            if matches!(settings.algorithm().method, Method::Whole(_)) {
                return; // see `what_has_no_rounds_is_not_continued`
            }
            let data = shape.dataset();
            let whole = fit(&data, None, settings).model;
            let mut stop = StopAfter(at, None);
            let _ = train(&data, None, settings, &context(), &mut stop);
            let Some(checkpoint) = stop.1 else { return };
            let checkpoint = Model::from_bytes(&checkpoint.to_bytes()).unwrap();
            let resumed = resume(checkpoint, &data, None, settings, &context(), &mut ()).unwrap().model;
            assert_eq!(whole.to_bytes(), resumed.to_bytes());
        });
    }

    /// The model ends at the first round that did best on the rows held out; a checkpoint, and the finished model, go
    /// on to the same bytes.
    #[test]
    fn a_holdout_chooses_the_round(shape in shapes(90, 3, 4), at in 1usize..8) {
        let shape = Shape { rows: shape.rows.max(40), ..shape };
        each(&shape, |shape, settings| {
            if matches!(settings.algorithm().method, Method::Whole(_)) {
                return;
            }
            let settings = settings.clone().with("holdout", 0.3).unwrap().with("patience", 3).unwrap();
            let what = name(settings.algorithm(), &settings);
            let data = shape.dataset();
            let trained = fit(&data, None, &settings);
            let costs: Vec<f64> = trained.summary.history.iter().map(|info| info.holdout.unwrap()).collect();
            let best = costs.iter().copied().fold(f64::INFINITY, f64::min);
            let first = costs.iter().position(|cost| *cost == best).map_or(0, |at| at + 1);
            assert_eq!(trained.model.chain.terms.len(), first, "{what}");
            assert!(costs.len() <= first + 3, "{what}");
            let bytes = trained.model.to_bytes();
            let again = resume(trained.model, &data, None, &settings, &context(), &mut ()).unwrap().model;
            assert!(again.to_bytes() == bytes, "{what}: the finished model");
            let mut stop = StopAfter(at, None);
            let _ = train(&data, None, &settings, &context(), &mut stop);
            let Some(checkpoint) = stop.1 else { return };
            let checkpoint = Model::from_bytes(&checkpoint.to_bytes()).unwrap();
            let resumed = resume(checkpoint, &data, None, &settings, &context(), &mut ()).unwrap().model;
            assert!(resumed.to_bytes() == bytes, "{what}: the checkpoint");
        });
    }

    /// Probabilities sum to one and agree with the decision.
    #[test]
    fn probabilities_are_probabilities(shape in shapes(60, 3, 4)) {
        each(&shape, |shape, settings| {
            let data = shape.dataset();
            let model = fit(&data, None, settings).model;
            let scores = scores(&model, &data);
            let probabilities = model.probabilities(&scores).unwrap();
            for (row, p) in probabilities.rows().enumerate() {
                assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && p.iter().all(|p| (0.0..=1.0).contains(p)));
                let best = model.decide(&scores, None).unwrap()[row] as usize;
                assert!(p.iter().all(|q| *q <= p[best] + 1e-12));
            }
        });
    }
}

/// Degenerate data: a model or a clear error, never a panic, a hang or a number that is not finite.
#[test]
fn degenerate_data() {
    let text = |values: &[&str]| Column::categorical(values.iter().map(|v| Some(*v)));
    let number = |values: &[f64]| Column::numeric(values.to_vec());
    let missing = f64::NAN;
    let cases: Vec<(&str, Column, Column)> = vec![
        ("two rows", number(&[1.0, 2.0]), text(&["a", "b"])),
        ("same point, two classes", number(&[1.0, 1.0, 1.0, 2.0]), text(&["a", "b", "a", "b"])),
        ("only missing or not", number(&[1.0, missing, 1.0, missing]), text(&["a", "b", "a", "b"])),
        ("huge and tiny", number(&[1e300, -1e300, 1e-300, 0.0]), text(&["a", "b", "a", "b"])),
        ("neighbouring floats", number(&[1.0, 1.0 + f64::EPSILON, 1.0, 2.0]), text(&["a", "b", "a", "b"])),
        ("one level each", text(&["p", "q", "r", "s"]), text(&["a", "b", "a", "b"])),
        ("a class of one row", number(&[1.0, 2.0, 3.0, 4.0, 5.0]), text(&["a", "a", "a", "a", "b"])),
    ];
    for (what, feature, class) in cases {
        let table = Table::new(vec!["x".into(), "class".into()], vec![feature, class]).unwrap();
        let data = rebelboost_testkit::dataset(&table);
        for algorithm in ALGORITHMS {
            for learner in algorithm.learners {
                let settings = known(algorithm.name, &[("learner", learner), ("rounds", "30")]);
                match train(&data, None, &settings, &context(), &mut ()) {
                    Err(error) => assert!(error.to_string().len() > 10, "{what}"),
                    Ok(trained) => {
                        let scores = scores(&trained.model, &data);
                        assert!(scores.values.iter().all(|h| h.is_finite()), "{what} {}", algorithm.name);
                        Model::from_bytes(&trained.model.to_bytes()).unwrap();
                    }
                }
            }
        }
    }
}

/// A class without a row (a fold can lack it) is never answered and breaks nothing.
#[test]
fn a_class_without_rows() {
    let shape = Shape { seed: 1, rows: 60, features: 2, classes: 4, ties: false, missing: false, categorical: false };
    let data = shape.dataset();
    let rows: Vec<usize> = (0..data.rows()).filter(|&r| data.labels[r] != 2).collect();
    let part = data.select(&rows);
    for algorithm in ALGORITHMS.iter().filter(|a| a.most_classes.is_none()) {
        for learner in algorithm.learners {
            let model = fit(&part, None, &known(algorithm.name, &[("learner", learner), ("rounds", "20")])).model;
            let answers = model.decide(&scores(&model, &data), None).unwrap();
            assert!(answers.iter().all(|a| *a != 2), "{} {learner}", algorithm.name);
        }
    }
}

#[test]
fn too_many_classes_are_refused() {
    let shape = Shape { seed: 1, rows: 30, features: 1, classes: 3, ties: false, missing: false, categorical: false };
    for algorithm in ALGORITHMS.iter().filter(|a| a.most_classes == Some(2)) {
        let settings = settings(algorithm.name, &[]);
        let error = train(&shape.dataset(), None, &settings, &context(), &mut ()).err().unwrap();
        assert!(error.to_string().contains("at most 2 classes"), "{error}");
    }
}

#[test]
fn what_has_no_rounds_is_not_continued() {
    let shape = Shape { seed: 1, rows: 40, features: 2, classes: 2, ties: false, missing: false, categorical: false };
    for algorithm in ALGORITHMS.iter().filter(|a| matches!(a.method, Method::Whole(_))) {
        let (data, settings) = (shape.dataset(), settings(algorithm.name, &[]));
        let trained = fit(&data, None, &settings);
        assert_eq!(trained.summary.history.len(), 1);
        let error = resume(trained.model, &data, None, &settings, &context(), &mut ()).err().unwrap().to_string();
        assert!(error.contains("nothing to continue"), "{error}");
    }
}

/// Whoever stops at once gets a model all the same, one without terms or with few.
#[test]
fn no_time_is_no_error() {
    let shape = Shape { seed: 1, rows: 40, features: 2, classes: 2, ties: false, missing: false, categorical: false };
    for algorithm in ALGORITHMS {
        let context = context().with_time_limit(std::time::Duration::ZERO);
        let trained = train(&shape.dataset(), None, &settings(algorithm.name, &[]), &context, &mut ()).unwrap();
        assert_eq!(trained.model.chain.terms.len(), 0, "{}", algorithm.name);
        assert_eq!(trained.summary.stopped, Stop::TimeLimit);
        Model::from_bytes(&trained.model.to_bytes()).unwrap();
    }
}

#[test]
fn a_checkpoint_of_other_data_is_refused() {
    let shape = Shape { seed: 1, rows: 40, features: 2, classes: 2, ties: false, missing: false, categorical: false };
    let other = Shape { seed: 2, ..shape.clone() };
    let refused = |checkpoint: &Model, data: &Dataset, settings: &Settings, why: &str| {
        let result = resume(checkpoint.clone(), data, None, settings, &context(), &mut ());
        let error = result.err().expect("must be refused").to_string();
        assert!(error.contains(why), "{error}");
    };
    let plain = settings("rebel", &[("rounds", "5")]);
    let model = fit(&shape.dataset(), None, &plain).model;
    refused(&model, &other.dataset(), &plain, "data were different");
    refused(&model, &shape.dataset(), &settings("rebel", &[("rounds", "5"), ("depth", "3")]), "--depth");
    refused(&model, &shape.dataset(), &settings("rebel", &[("rounds", "5"), ("holdout", "0.2")]), "--holdout");
    refused(&model, &shape.dataset(), &settings("adaboost", &[("rounds", "5")]), "made by rebel");
    refused(&model, &shape.dataset(), &settings("rebel", &[("rounds", "2")]), "more than the 2 asked for");
}
