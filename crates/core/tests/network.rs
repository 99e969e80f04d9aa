//! The network: curves that no line draws, exact explanations, the mean of its parts.

use proptest::prelude::*;
use rebelboost::data::Column;
use rebelboost::explain::{explain, feature_shares, importance};
use rebelboost::model::WeakModel;
use rebelboost_testkit::{context, dataset, error, fit, settings, shapes, table};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Shared among columns by the sizes of their weights, nothing is left out.
    #[test]
    fn explanations_add_up(shape in shapes(60, 4, 3)) {
        let data = shape.dataset();
        let model = fit(&data, None, &settings("network", &[("units", "5"), ("epochs", "5")])).model;
        for row in 0..data.rows().min(10) {
            let explanation = explain(&model, &data.features, row).unwrap();
            let whole: f64 = explanation.terms.iter().map(|term| explanation.weight(term)).sum();
            let by_feature: f64 = explanation.by_feature().iter().map(|(_, share)| share).sum();
            prop_assert!((whole - by_feature).abs() < 1e-9);
            for term in &explanation.terms {
                prop_assert!((-1.0..=1.0).contains(&term.response) && !term.text.is_empty());
                prop_assert!(term.features.is_empty() || (term.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
        let told = importance(&model, &data.features, &data.weights, &[(0, 1)], &context());
        let moved: f64 = told[0].shares.iter().map(|share| share.signed).sum();
        prop_assert!((told[0].start + moved - told[0].difference).abs() < 1e-9);
        let shares = feature_shares(&model);
        prop_assert!(model.chain.terms.is_empty() || (shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    /// Each network begins with a stream of its own, so that the first of two is the only one.
    #[test]
    fn two_networks_are_the_mean_of_two(shape in shapes(60, 3, 4)) {
        let data = shape.dataset();
        let of = |networks: &str| {
            fit(&data, None, &settings("network", &[("units", "4"), ("epochs", "3"), ("networks", networks)])).model
        };
        let (one, two) = (of("1"), of("2"));
        prop_assert_eq!(two.chain.terms.len(), 2 * one.chain.terms.len());
        for (a, b) in one.chain.terms.iter().zip(&two.chain.terms) {
            prop_assert_eq!(&a.learner, &b.learner);
            prop_assert!(a.output.iter().zip(&b.output).all(|(a, b)| *a == 2.0 * b));
        }
    }
}

/// A ring around a disc: no straight line tells them apart.
#[test]
fn a_ring_is_learned() {
    let mut text = String::from("x,y,class\n");
    for i in 0..400 {
        let (angle, outer) = (f64::from(i) * 2.399_963, i % 2 == 0);
        let radius = if outer { 1.5 } else { 0.8 * (f64::from(i) / 400.0).sqrt() };
        text +=
            &format!("{},{},{}\n", radius * angle.cos(), radius * angle.sin(), if outer { "ring" } else { "disc" });
    }
    let data = dataset(&table(&text));
    let network = fit(&data, None, &settings("network", &[])).model;
    let lines = fit(&data, None, &settings("logistic-regression", &[])).model;
    assert!(error(&network, &data) < 0.01, "{}", error(&network, &data));
    assert!(error(&lines, &data) > 0.3, "{}", error(&lines, &data));
}

/// A unit is a direction that turns gradually: positive on the same side, surer farther away, nothing where all is missing
/// but the threshold.
#[test]
fn units_are_soft_directions() {
    let data = dataset(&table("x,class\n0,a\n1,a\n2,a\n3,b\n4,b\n5,b\n2.5,a\n2.4,b\n"));
    let model = fit(&data, None, &settings("network", &[("units", "6")])).model;
    let at = |x: f64| {
        let mut other = data.select(&[0]);
        other.features.columns = vec![Column::numeric(vec![x])];
        model.chain.responses(&other.features, 0)
    };
    let (low, middle, high, far, missing) = (at(0.0), at(2.5), at(5.0), at(1e300), at(f64::NAN));
    for (i, term) in model.chain.terms.iter().enumerate() {
        let WeakModel::Ramp(ramp) = &term.learner else { panic!("not a ramp") };
        let falls = ramp.direction.coordinates[0].weight > 0.0;
        assert!(if falls {
            low[i] > middle[i] && middle[i] > high[i]
        } else {
            low[i] < middle[i] && middle[i] < high[i]
        });
        assert_eq!(far[i], if falls { -1.0 } else { 1.0 });
        let expected = (ramp.steepness * ramp.direction.threshold).tanh();
        assert!((missing[i] - expected).abs() < 1e-12);
    }
}

#[test]
fn too_little_memory_is_said() {
    let data = rebelboost_testkit::Shape {
        seed: 1,
        rows: 6000,
        features: 50,
        classes: 2,
        ties: false,
        missing: false,
        categorical: false,
    }
    .dataset();
    let tight = settings("network", &[("memory-limit", "1")]);
    let error = rebelboost::booster::train(&data, None, &tight, &context(), &mut ()).err().unwrap().to_string();
    assert!(error.contains("memory limit is 1 MB"), "{error}");
}
