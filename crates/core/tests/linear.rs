//! The linear learner: what it is the same as, what it is for, and how it explains itself.

use proptest::prelude::*;
use rebelboost::data::{Column, Dataset, Table};
use rebelboost::explain::{explain, feature_shares};
use rebelboost::model::{Model, WeakModel};
use rebelboost_testkit::{Shape, context, dataset, fit, settings, shapes};

fn scores(model: &Model, data: &Dataset) -> Vec<f64> {
    model.scores(&data.features, &context()).values
}

/// Points of a square that a slanted line cuts in two.
fn slanted(rows: usize) -> Dataset {
    let at = |row: usize, step: f64| (row as f64 * step).fract() * 2.0 - 1.0;
    let points: Vec<(f64, f64)> = (0..rows).map(|row| (at(row, 0.754_877_67), at(row, 0.569_840_29))).collect();
    let class = Column::categorical(points.iter().map(|(x, y)| Some(if x + 2.0 * y > 0.1 { "a" } else { "b" })));
    let (x, y) = points.into_iter().map(|(x, y)| (100.0 * x, y)).unzip();
    let names = ["x", "y", "class"].map(String::from).to_vec();
    dataset(&Table::new(names, vec![Column::numeric(x), Column::numeric(y), class]).unwrap())
}

fn error(model: &Model, data: &Dataset) -> f64 {
    let answers = model.decide(&model.scores(&data.features, &context()), None).unwrap();
    answers.iter().zip(&data.labels).filter(|(a, b)| a != b).count() as f64 / data.rows() as f64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Along one feature there is one direction, and its best cut is the exact stump.
    #[test]
    fn along_one_feature_it_is_the_exact_stump(shape in shapes(80, 1, 2)) {
        let mut data = Shape { features: 1, ties: false, missing: false, categorical: false, ..shape }.dataset();
        // Equally good cuts would be a matter of which side is called low.
        data.weights.iter_mut().enumerate().for_each(|(row, w)| *w = 0.5 + (row as f64 * 0.618_034).fract());
        let with = |learner| fit(&data, None, &settings("adaboost", &[("learner", learner), ("rounds", "8")])).model;
        for (a, b) in scores(&with("linear"), &data).iter().zip(scores(&with("exact-stump"), &data)) {
            prop_assert!((a - b).abs() < 1e-6 * (1.0 + a.abs()), "{a} against {b}");
        }
    }

    /// Neither the unit nor the origin of a column matters: columns are standardised.
    #[test]
    fn units_do_not_matter(seed in 0u64..1000, unit in prop::sample::select(vec![1e-6, 0.5, 8.0, 1e7])) {
        let shape = Shape { seed, rows: 60, features: 3, classes: 2, ties: false, missing: true, categorical: false };
        let (names, columns) = shape.table().into_parts();
        let moved = columns.iter().map(|column| match column {
            Column::Numeric(numbers) => Column::numeric(numbers.to_vec().iter().map(|x| unit * (x + 3.0)).collect()),
            other => other.clone(),
        });
        let other = dataset(&Table::new(names, moved.collect()).unwrap());
        let settings = settings("adaboost", &[("learner", "linear"), ("rounds", "6")]);
        let (a, b) = (shape.dataset(), other);
        for (x, y) in scores(&fit(&a, None, &settings).model, &a).iter().zip(scores(&fit(&b, None, &settings).model, &b)) {
            prop_assert!((x - y).abs() < 1e-6 * (1.0 + x.abs()), "{x} against {y}");
        }
    }
}

#[test]
fn a_slanted_line_takes_few_directions_and_many_stumps() {
    let data = slanted(1000);
    let with = |learner| fit(&data, None, &settings("adaboost", &[("learner", learner), ("rounds", "3")])).model;
    let (linear, stumps) = (error(&with("linear"), &data), error(&with("stump"), &data));
    assert!(linear < 0.02 && stumps > 0.05, "{linear} {stumps}");
}

/// A missing value counts as the mean: a row without any is on the side of the origin.
#[test]
fn missing_values_say_nothing() {
    let data = slanted(200);
    let model = fit(&data, None, &settings("adaboost", &[("learner", "linear"), ("rounds", "5")])).model;
    let mut unknown = data.select(&[0]);
    unknown.features.columns.iter_mut().for_each(|column| *column = Column::numeric(vec![f64::NAN]));
    let responses = model.chain.responses(&unknown.features, 0);
    for (term, response) in model.chain.terms.iter().zip(responses) {
        let WeakModel::Direction(direction) = &term.learner else { panic!("not a direction") };
        assert_eq!(response > 0.0, direction.threshold >= 0.0);
    }
}

#[test]
fn it_says_what_it_asks() {
    let shape = Shape { seed: 4, rows: 80, features: 3, classes: 3, ties: false, missing: true, categorical: true };
    let data = shape.dataset();
    let of = |mix| settings("one-vs-all", &[("learner", "linear"), ("rounds", "12"), ("mix", mix)]);
    let model = fit(&data, None, &of("2")).model;
    for row in 0..data.rows() {
        let explanation = explain(&model, &data.features, row).unwrap();
        let whole: f64 = explanation.terms.iter().map(|term| explanation.weight(term)).sum();
        let by_feature: f64 = explanation.by_feature().iter().map(|(_, share)| share).sum();
        assert!((whole - by_feature).abs() < 1e-9, "nothing is left out: {whole} {by_feature}");
        for term in &explanation.terms {
            assert!(term.text.contains(if term.response > 0.0 { "<=" } else { ">" }), "{}", term.text);
            assert_eq!(term.features.len(), 2);
        }
    }
    assert!((feature_shares(&model).iter().sum::<f64>() - 1.0).abs() < 1e-9);
    // What it says is what it does: the sum, in the units of the columns, is on the side of the bound that is said.
    let WeakModel::Direction(direction) =
        &fit(&slanted(300), None, &settings("adaboost", &[("learner", "linear")])).model.chain.terms[0]
            .learner
            .clone()
    else {
        panic!("not a direction")
    };
    let text = rebelboost::explain::side(direction, &slanted(300).schema, true);
    let words: Vec<&str> = text.split(' ').collect();
    let [x, "x", sign, y, "y", "<=", bound] = words[..] else { panic!("{text}") };
    let number = |text: &str| text.parse::<f64>().unwrap();
    let y = if sign == "-" { -number(y) } else { number(y) };
    let data = slanted(300);
    let mut answers = vec![0.0; data.rows()];
    direction.respond(&data.features, 0, &mut answers);
    let value = |feature: usize, row: usize| match &data.features.columns[feature] {
        Column::Numeric(numbers) => numbers.get(row),
        Column::Categorical(_) => unreachable!(),
    };
    let said = (0..data.rows()).filter(|&row| {
        let below = number(x) * value(0, row) + y * value(1, row) <= number(bound);
        below == (answers[row] > 0.0)
    });
    // Numbers are said with six digits.
    assert!(said.count() >= data.rows() - 2, "{text}");
}

#[test]
fn options_of_other_learners_are_refused() {
    let data = slanted(50);
    let refused = |settings| {
        let result = rebelboost::booster::train(&data, None, &settings, &context(), &mut ());
        result.err().expect("must be refused").to_string()
    };
    assert!(
        refused(settings("adaboost", &[("learner", "linear"), ("depth", "3")])).contains("--depth means nothing")
    );
    assert!(refused(settings("adaboost", &[("mix", "2")])).contains("--mix means nothing"));
    let other = refused(settings("adaboost-ecc", &[("learner", "linear")]));
    assert!(other.contains("cannot boost the learner 'linear'") && other.contains("one-vs-all"), "{other}");
}
