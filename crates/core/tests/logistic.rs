//! Logistic regression: the minimum it promises, scikit-learn's answers, and straight lines that end somewhere.

use proptest::prelude::*;
use rebelboost::data::Column;
use rebelboost::explain::explain;
use rebelboost::metric::log_loss;
use rebelboost::model::{Model, WeakModel};
use rebelboost_testkit::{context, dataset, fit, settings, shapes, table};

/// Mean log loss plus ridge / 2 |w|^2, w being outputs by standard deviation.
fn penalised(model: &Model, data: &rebelboost::data::Dataset, ridge: f64, deviations: &[f64]) -> f64 {
    let scores = model.scores(&data.features, &context());
    let p = model.probabilities(&scores).unwrap();
    let loss = log_loss(&data.labels, &p.values, data.class_count(), &data.weights);
    let squares = model.chain.terms.iter().zip(deviations).map(|(term, deviation)| {
        let WeakModel::Slope(slope) = &term.learner else { panic!("not a slope") };
        term.output.iter().map(|a| (a * slope.scale * deviation).powi(2)).sum::<f64>()
    });
    loss + 0.5 * ridge * squares.sum::<f64>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// No output can be changed for the better, in either direction.
    #[test]
    fn outputs_are_optimal(shape in shapes(80, 3, 4), ridge in 0.001..0.5f64) {
        let data = rebelboost_testkit::Shape { missing: false, categorical: false, ..shape }.dataset();
        let model = fit(&data, None, &settings("logistic-regression", &[("ridge", &ridge.to_string())])).model;
        let deviations: Vec<f64> = model.chain.terms.iter().map(|term| {
            let WeakModel::Slope(slope) = &term.learner else { panic!("not a slope") };
            let Column::Numeric(numbers) = &data.features.columns[slope.feature as usize] else { panic!("not a number") };
            let squares = (0..data.rows()).map(|row| (numbers.get(row) - slope.centre).powi(2)).sum::<f64>();
            (squares / data.rows() as f64).sqrt()
        }).collect();
        let best = penalised(&model, &data, ridge, &deviations);
        for term in 0..model.chain.terms.len() {
            for class in 0..data.class_count() {
                for by in [-1e-2, 1e-2] {
                    let mut other = model.clone();
                    other.chain.terms[term].output[class] += by;
                    prop_assert!(penalised(&other, &data, ridge, &deviations) >= best - 1e-10);
                }
            }
        }
        for class in 0..data.class_count() {
            let mut other = model.clone();
            other.chain.bias[class] += 1e-2;
            prop_assert!(penalised(&other, &data, ridge, &deviations) >= best - 1e-10);
        }
    }

    #[test]
    fn explanations_add_up(shape in shapes(60, 4, 3)) {
        let data = shape.dataset();
        let model = fit(&data, None, &settings("logistic-regression", &[])).model;
        for row in 0..data.rows().min(10) {
            let explanation = explain(&model, &data.features, row).unwrap();
            let whole: f64 = explanation.terms.iter().map(|term| explanation.weight(term)).sum();
            let by_feature: f64 = explanation.by_feature().iter().map(|(_, share)| share).sum();
            prop_assert!((whole - by_feature).abs() < 1e-9);
            prop_assert!(explanation.terms.iter().all(|term| term.features.len() == 1 && !term.text.is_empty()));
        }
    }
}

/// Probabilities of scikit-learn's LogisticRegression on standardised columns (golden/sklearn/make.py).
#[test]
fn it_is_scikit_learns() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("golden/sklearn/logistic.json")).unwrap();
    for (name, text) in
        [("two", include_str!("golden/sklearn/data.csv")), ("many", include_str!("golden/sklearn/logistic.csv"))]
    {
        let (data, golden) = (dataset(&table(text)), &golden[name]);
        let ridge = golden["ridge"].to_string();
        let model = fit(&data, None, &settings("logistic-regression", &[("ridge", &ridge)])).model;
        let p = model.probabilities(&model.scores(&data.features, &context())).unwrap();
        let expected: Vec<f64> =
            golden["probabilities"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        assert_eq!(p.values.len(), expected.len());
        for (ours, theirs) in p.values.iter().zip(expected) {
            assert!((ours - theirs).abs() < 1e-6, "{name}: {ours} {theirs}");
        }
    }
}

/// Beyond the rows of the training nothing grows, and what is missing says nothing.
#[test]
fn lines_end() {
    let data = dataset(&table("x,class\n0,a\n1,a\n2,a\n3,b\n4,b\n5,b\n2.5,a\n2.4,b\n"));
    let model = fit(&data, None, &settings("logistic-regression", &[])).model;
    let scores = |x: f64| {
        let mut other = data.select(&[0]);
        other.features.columns = vec![Column::numeric(vec![x])];
        model.scores(&other.features, &context()).values
    };
    assert_eq!(scores(5.0), scores(1e300));
    assert_eq!(scores(f64::NAN), model.chain.bias);
    assert!(scores(5.0)[1] > scores(3.0)[1] && scores(0.0)[1] < scores(3.0)[1]);
}
