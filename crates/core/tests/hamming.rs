//! Hamming decoding of output codes: what it is by definition, and that a model of committees is a model like any other.

use proptest::prelude::*;
use rebelboost::booster::{resume, train};
use rebelboost::compare::{Measured, Protocol, trial};
use rebelboost::context::Context;
use rebelboost::data::{Column, Table, stratified_split};
use rebelboost::explain::{explain, feature_shares, importance, uses};
use rebelboost::model::{Committee, Model, WeakModel, argmax};
use rebelboost::settings::Settings;
use rebelboost_testkit::{Shape, context, dataset, error, fit, record, settings, shapes};

const CODES: [&str; 6] = ["dense", "sparse", "exhaustive", "fifteen", "one-vs-all", "one-vs-one"];
const LEARNERS: [&str; 4] = ["tree", "stump", "exact-stump", "linear"];

fn of(decoding: &str, code: &str, learner: &str, rounds: usize) -> Settings {
    let rounds = rounds.to_string();
    settings("ecoc", &[("decoding", decoding), ("code", code), ("learner", learner), ("rounds", &rounds)])
}

fn committee(learner: &WeakModel) -> &Committee {
    let WeakModel::Committee(committee) = learner else { panic!("not a committee") };
    committee
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// H_k = L - 2 d_k, where d_k counts the columns whose sign is not the class's: half of one where either is 0. So the
    /// answer is the class of least distance, the first of several. The sums of votes are those of loss-based decoding.
    #[test]
    fn scores_are_distances(
        shape in shapes(90, 3, 5),
        rounds in 1usize..60,
        code in prop::sample::select(&CODES[..]),
        learner in prop::sample::select(&LEARNERS[..]),
    ) {
        let data = shape.dataset();
        let by_loss = fit(&data, None, &of("loss", code, learner, rounds)).model;
        let model = fit(&data, None, &of("hamming", code, learner, rounds)).model;
        prop_assert_eq!(model.chain.learners(), by_loss.chain.terms.len());
        let length = model.chain.terms.len();
        let scores = model.scores(&data.features, &context());
        let answers = model.decide(&scores, None).unwrap();
        for row in 0..data.rows() {
            // Columns take turns. A term of loss-based decoding gives vote times entry to each class.
            let mut sums = vec![0.0; length];
            for (t, (term, f)) in by_loss.chain.terms.iter().zip(by_loss.chain.responses(&data.features, row)).enumerate() {
                let column = &model.chain.terms[t % length].output;
                prop_assert!(column.iter().all(|m| [-1.0, 0.0, 1.0].contains(m)));
                let vote = term.output.iter().zip(column).map(|(a, m)| a * m).sum::<f64>() / column.iter().map(|m| m * m).sum::<f64>();
                prop_assert!(term.output.iter().zip(column).all(|(a, m)| (a - vote * m).abs() < 1e-12));
                sums[t % length] += vote * f;
            }
            // What is rounded differently here must not decide.
            if sums.iter().any(|sum| *sum != 0.0 && sum.abs() < 1e-9) {
                continue;
            }
            let distance = |class: usize| -> f64 {
                let column = |(term, sum): (&rebelboost::model::Term, &f64)| match term.output[class] * sum {
                    product if product > 0.0 => 0.0,
                    product if product < 0.0 => 1.0,
                    _ => 0.5,
                };
                model.chain.terms.iter().zip(&sums).map(column).sum()
            };
            let distances: Vec<f64> = (0..data.class_count()).map(distance).collect();
            let expected: Vec<f64> = distances.iter().map(|d| length as f64 - 2.0 * d).collect();
            prop_assert_eq!(scores.row(row), &expected[..]);
            let nearest = (0..distances.len()).fold(0, |best, k| if distances[k] < distances[best] { k } else { best });
            prop_assert_eq!(answers[row] as usize, nearest);
        }
    }

    /// With two classes there is one question, and both decodings answer it by its sign.
    #[test]
    fn two_classes_are_answered_as_by_the_loss(shape in shapes(90, 4, 2), turns in 1usize..15) {
        let data = shape.dataset();
        for (code, rounds) in [("exhaustive", turns), ("one-vs-all", 2 * turns)] {
            let [a, b] = ["loss", "hamming"].map(|decoding| {
                let model = fit(&data, None, &of(decoding, code, "tree", rounds)).model;
                model.scores(&data.features, &context())
            });
            for (row, (a, b)) in a.rows().zip(b.rows()).enumerate() {
                // Sums that cancel out but for rounding.
                prop_assert!(argmax(a) == argmax(b) || (a[0] - a[1]).abs() < 1e-9, "{} row {}: {:?} {:?}", code, row, a, b);
            }
        }
    }

    /// A file, other threads and a checkpoint change nothing; nor does going on from a finished model.
    #[test]
    fn models_are_reproducible(shape in shapes(70, 3, 4), at in 1usize..20, learner in prop::sample::select(&LEARNERS[..])) {
        let data = shape.dataset();
        let settings = of("hamming", "dense", learner, 20);
        let run = record(&data, None, &settings);
        let whole = fit(&data, None, &settings).model;
        prop_assert_eq!(&Model::from_bytes(&whole.to_bytes()).unwrap(), &whole);
        for threads in [2, 7] {
            let other = train(&data, None, &settings, &Context::new(0, threads).unwrap(), &mut ()).unwrap().model;
            prop_assert!(other.to_bytes() == whole.to_bytes());
        }
        let fewer = fit(&data, None, &of("hamming", "dense", learner, at)).model;
        for checkpoint in run.rounds.get(at - 1).map(|(_, model)| model.clone()).into_iter().chain([fewer, whole.clone()]) {
            let checkpoint = Model::from_bytes(&checkpoint.to_bytes()).unwrap();
            let resumed = resume(checkpoint, &data, None, &settings, &context(), &mut ()).unwrap().model;
            prop_assert!(resumed.to_bytes() == whole.to_bytes());
        }
        // What is told of a round is told of the model of that round, which is the model of so many rounds.
        for (info, model) in &run.rounds {
            prop_assert_eq!(info.error, error(model, &data));
            prop_assert_eq!(info.round, model.chain.learners());
        }
    }

    /// The round is chosen by the answers that the model gives.
    #[test]
    fn a_holdout_sees_the_same_answers(shape in shapes(90, 3, 4), at in 1usize..8) {
        let shape = Shape { rows: shape.rows.max(40), ..shape };
        let data = shape.dataset();
        let settings = of("hamming", "dense", "tree", 12).with("holdout", 0.3).unwrap().with("patience", 4).unwrap();
        let trained = fit(&data, None, &settings);
        let costs: Vec<f64> = trained.summary.history.iter().map(|info| info.holdout.unwrap()).collect();
        let best = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let first = costs.iter().position(|cost| *cost == best).map_or(0, |at| at + 1);
        prop_assert_eq!(trained.model.chain.learners(), first);
        let run = record(&data, None, &settings);
        let parts = stratified_split(&data.labels, data.class_count(), &[0.7, 0.3], &mut context().stream("holdout"));
        let part = |number: u32| data.select(&(0..data.rows()).filter(|&row| parts[row] == number).collect::<Vec<_>>());
        let (learned_from, held) = (part(0), part(1));
        for (info, model) in &run.rounds {
            prop_assert_eq!(info.error, error(model, &learned_from));
            prop_assert_eq!(info.holdout.unwrap(), error(model, &held));
        }
        let bytes = trained.model.to_bytes();
        let checkpoint = run.rounds.get(at - 1).map(|(_, model)| model.clone());
        for checkpoint in checkpoint.into_iter().chain([trained.model]) {
            let again = resume(checkpoint, &data, None, &settings, &context(), &mut ()).unwrap().model;
            prop_assert!(again.to_bytes() == bytes);
        }
    }

    /// Explanations leave nothing out, and early exits change nothing.
    #[test]
    fn committees_explain_themselves(shape in shapes(60, 3, 4), learner in prop::sample::select(&LEARNERS[..])) {
        let data = shape.dataset();
        let model = fit(&data, None, &of("hamming", "sparse", learner, 40)).model;
        let scores = model.scores(&data.features, &context());
        for row in 0..data.rows() {
            let explanation = explain(&model, &data.features, row).unwrap();
            prop_assert_eq!(&explanation.scores[..], scores.row(row));
            let lead = scores.row(row)[explanation.answer as usize] - scores.row(row)[explanation.second as usize];
            let whole: f64 = explanation.terms.iter().map(|term| explanation.weight(term)).sum();
            prop_assert!((whole - lead).abs() < 1e-9);
            for (term, share) in model.chain.terms.iter().zip(&explanation.terms) {
                let voters = committee(&term.learner).voters.iter().filter(|voter| voter.vote != 0.0).count();
                let said = match share.response {
                    f if f > 0.0 => [format!("of {voters} voters"), "say yes".into()],
                    f if f < 0.0 => [format!("of {voters} voters"), "say no".into()],
                    _ if voters > 0 => [format!("{voters} voters"), "divided".into()],
                    _ => ["no voter".into(), String::new()],
                };
                prop_assert!(said.iter().all(|words| share.text.contains(words)), "{}", share.text);
            }
        }
        let told = importance(&model, &data.features, &data.weights, &[(0, 1)], &context());
        let sum: f64 = told[0].start + told[0].shares.iter().map(|share| share.signed).sum::<f64>();
        prop_assert!((sum - told[0].difference).abs() < 1e-9);
        let shares: f64 = feature_shares(&model).iter().sum();
        prop_assert!((shares - 1.0).abs() < 1e-9 || shares == 0.0);
        prop_assert!(uses(&model).iter().all(|used| used.terms <= model.chain.terms.len()));
        let cascade = model.exact_cascade(1).unwrap();
        let early = model.decide_early(&cascade, &data.features, &context()).unwrap();
        prop_assert_eq!(early.answers, model.decide(&scores, None).unwrap());
    }
}

/// Many rows, where trees are laid out for them, as each row alone.
#[test]
fn many_rows_are_answered_as_each_alone() {
    let shape = Shape { seed: 5, rows: 300, features: 4, classes: 4, ties: true, missing: true, categorical: true };
    let data = shape.dataset();
    for learner in LEARNERS {
        let model = fit(&data, None, &of("hamming", "fifteen", learner, 45)).model;
        let scores = model.scores(&data.features, &context());
        for row in 0..data.rows() {
            let alone = model.scores(&data.select(&[row]).features, &context());
            assert_eq!(alone.values, scores.row(row), "{learner}");
        }
    }
}

/// Columns that have had no turn say nothing, and neither do those whose turns all passed.
#[test]
fn columns_without_a_tree_say_nothing() {
    let shape = Shape { seed: 5, rows: 60, features: 2, classes: 4, ties: false, missing: false, categorical: false };
    let data = shape.dataset();
    let model = fit(&data, None, &of("hamming", "exhaustive", "tree", 3)).model;
    assert_eq!(model.chain.terms.len(), 3, "the code has 7 columns");
    assert!(model.scores(&data.features, &context()).values.iter().all(|h| h.abs() <= 3.0));
    // Two classes at the same point, evenly: no tree tells them apart, while a third is told from both.
    let points = [1.0, 1.0, 2.0].repeat(20);
    let classes = Column::categorical(["a", "b", "c"].repeat(20).into_iter().map(Some));
    let table = Table::new(vec!["x".into(), "class".into()], vec![Column::numeric(points), classes]).unwrap();
    let data = dataset(&table);
    let model = fit(&data, None, &of("hamming", "one-vs-one", "tree", 12)).model;
    let [idle, ..] = &model.chain.terms[..] else { panic!("no term") };
    assert!(committee(&idle.learner).voters.iter().all(|voter| voter.vote == 0.0));
    assert_eq!(model.chain.responses(&data.features, 0), [0.0, -1.0, -1.0], "a or b, and neither c");
    assert_eq!(model.scores(&data.features, &context()).row(0), [1.0, 1.0, -2.0]);
    assert_eq!(error(&model, &data), 1.0 / 3.0, "the first of two equals, for a and b");
    let whole = fit(&data, None, &of("hamming", "one-vs-one", "tree", 20)).model;
    let resumed = resume(model, &data, None, &of("hamming", "one-vs-one", "tree", 20), &context(), &mut ()).unwrap();
    assert!(resumed.model.to_bytes() == whole.to_bytes(), "turns that passed are kept");
}

/// The curve of `rebel compare` is that of models of 1, 2, ... rounds.
#[test]
fn curves_are_those_of_the_models() {
    let shape =
        Shape { seed: 2, rows: 200, features: 3, classes: 4, ties: false, missing: false, categorical: false };
    let data = shape.dataset();
    let protocol = Protocol::Thesis(1);
    let split = &protocol.cut(&data, &context()).unwrap()[0];
    let settings = of("hamming", "dense", "stump", 30);
    let done = trial(&data, (0, split), &settings, &context(), &mut ()).unwrap();
    let Measured::Done { error: counted, learners, curve, .. } = done.result else { panic!("failed") };
    assert_eq!((curve.len(), counted), (30, curve[learners - 1]));
    for rounds in [1, 7, 20, 30] {
        let model = fit(&data.select(&split.train), None, &of("hamming", "dense", "stump", rounds)).model;
        assert_eq!(curve[rounds - 1], error(&model, &data.select(&split.test)), "{rounds}");
    }
    let folds = Protocol::Folds(3);
    let split = &folds.cut(&data, &context()).unwrap()[0];
    let done = trial(&data, (0, split), &settings, &context(), &mut ()).unwrap();
    let Measured::Done { error: counted, learners, .. } = done.result else { panic!("failed") };
    let model = fit(&data.select(&split.train), None, &settings).model;
    assert_eq!((counted, learners), (error(&model, &data.select(&split.test)), 30));
}

#[test]
fn what_cannot_be_is_said() {
    let shape = Shape { seed: 3, rows: 60, features: 3, classes: 3, ties: false, missing: false, categorical: false };
    let (data, settings) = (shape.dataset(), of("hamming", "dense", "tree", 12));
    let model = fit(&data, None, &settings).model;
    assert_eq!(model.link, None);
    let scores = model.scores(&data.features, &context());
    assert!(model.probabilities(&scores).unwrap_err().to_string().contains("not about probabilities"));
    assert!(model.decide(&scores, Some(&shape.costs())).unwrap_err().to_string().contains("not about probabilities"));
    let costs = train(&data, Some(&shape.costs()), &settings, &context(), &mut ()).err().unwrap();
    assert!(costs.to_string().contains("costs decide by probabilities"), "{costs}");
    // Committees that are not those of the code.
    let refused = |change: &dyn Fn(&mut Model)| {
        let mut broken = model.clone();
        change(&mut broken);
        resume(broken, &data, None, &settings, &context(), &mut ()).err().unwrap().to_string()
    };
    let words = "its committees are not those of the code";
    assert!(refused(&|model| drop(model.chain.terms.remove(0))).contains(words));
    assert!(
        refused(&|model| model.chain.terms[0].learner =
            committee(&model.chain.terms[1].learner).voters[0].learner.clone())
        .contains(words)
    );
    // Files of loss-based decoding are what they were before there was another.
    let by_loss = fit(&data, None, &of("loss", "dense", "tree", 12)).model;
    assert!(!by_loss.provenance.settings.contains_key("decoding") && by_loss.link.is_some());
    let error = resume(by_loss, &data, None, &settings, &context(), &mut ()).err().unwrap().to_string();
    assert!(error.contains("--decoding was different"), "{error}");
}
