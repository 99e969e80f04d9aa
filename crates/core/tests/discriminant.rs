//! Discriminants: shapes that lines do not draw, exact explanations, rows that are unlike all others.

use proptest::prelude::*;
use rebelboost::data::Column;
use rebelboost::explain::{explain, feature_shares, importance};
use rebelboost::model::WeakModel;
use rebelboost_testkit::{context, dataset, error, fit, settings, shapes, table};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Shared among columns by their parts in the distance, nothing is left out.
    #[test]
    fn explanations_add_up(shape in shapes(60, 4, 3)) {
        let data = shape.dataset();
        let model = fit(&data, None, &settings("discriminant", &[])).model;
        for row in 0..data.rows().min(10) {
            let explanation = explain(&model, &data.features, row).unwrap();
            for term in &explanation.terms {
                prop_assert!((-1.0..=0.0).contains(&term.response) && !term.text.is_empty());
                prop_assert!(term.features.is_empty() || (term.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                prop_assert!(!term.features.is_empty() || term.response == 0.0);
            }
            let whole: f64 = explanation.terms.iter().map(|term| explanation.weight(term)).sum();
            let by_feature: f64 = explanation.by_feature().iter().map(|(_, share)| share).sum();
            prop_assert!((whole - by_feature).abs() < 1e-9);
        }
        let told = importance(&model, &data.features, &data.weights, &[(0, 1)], &context());
        let moved: f64 = told[0].shares.iter().map(|share| share.signed).sum();
        prop_assert!((told[0].start + moved - told[0].difference).abs() < 1e-9);
        let shares = feature_shares(&model);
        prop_assert!(model.chain.terms.is_empty() || (shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    /// One row at a time or many together: the same to the bit.
    #[test]
    fn rows_do_not_see_each_other(shape in shapes(300, 5, 3)) {
        let data = shape.dataset();
        let model = fit(&data, None, &settings("discriminant", &[])).model;
        let together = model.scores(&data.features, &context());
        for row in 0..data.rows() {
            prop_assert_eq!(model.scores(&data.select(&[row]).features, &context()).values, together.row(row));
        }
    }
}

/// Two classes around one centre, one wide and one narrow: shapes of their own tell them apart, a common one cannot.
#[test]
fn a_class_may_lie_within_another() {
    let mut text = String::from("x,y,class\n");
    for i in 0..400 {
        let (angle, wide) = (f64::from(i) * 2.399_963, i % 2 == 0);
        let radius = (f64::from(i % 200) / 200.0).sqrt() + if wide { 1.5 } else { 0.0 };
        text +=
            &format!("{},{},{}\n", radius * angle.cos(), radius * angle.sin(), if wide { "wide" } else { "narrow" });
    }
    let data = dataset(&table(&text));
    let own = fit(&data, None, &settings("discriminant", &[])).model;
    let common = fit(&data, None, &settings("discriminant", &[("pooling", "1")])).model;
    assert!(error(&own, &data) < 0.02, "{}", error(&own, &data));
    assert!(error(&common, &data) > 0.3, "{}", error(&common, &data));
}

/// Farther is never likelier, nothing grows for ever, and a missing value says nothing.
#[test]
fn far_away_rows_are_bounded() {
    let data = dataset(&table("x,class\n0,a\n1,a\n2,a\n3,b\n4,b\n5,b\n2.5,a\n2.4,b\n"));
    let model = fit(&data, None, &settings("discriminant", &[])).model;
    let at = |x: f64| {
        let mut other = data.select(&[0]);
        other.features.columns = vec![Column::numeric(vec![x])];
        model.chain.responses(&other.features, 0)
    };
    assert_eq!(at(f64::NAN), [0.0, 0.0]);
    assert_eq!(at(1e300), [-1.0, -1.0]);
    assert_eq!(at(f64::MAX), [-1.0, -1.0]);
    for (term, class) in model.chain.terms.iter().zip(0..) {
        let WeakModel::Ellipse(ellipse) = &term.learner else { panic!("not an ellipse") };
        let centre = ellipse.axes[0].middle();
        let along: Vec<f64> = (0..50).map(|i| at(centre + f64::from(i) / 4.0)[class]).collect();
        assert!((-1e-12..=0.0).contains(&along[0]), "{along:?}");
        assert!(along.windows(2).all(|pair| pair[1] <= pair[0]), "{along:?}");
    }
}

/// A class of one row cannot be left out, nor can a table of such classes be judged; both are learned.
#[test]
fn lonely_rows_are_learned() {
    let data = dataset(&table("x,y,class\n0,0,a\n4,0,b\n0,4,c\n"));
    let trained = fit(&data, None, &settings("discriminant", &[]));
    assert_eq!(error(&trained.model, &data), 0.0);
    assert!(trained.summary.estimate.is_none());
    let some = dataset(&table("x,y,class\n0,0,a\n0.1,0,a\n0,0.2,a\n4,0,b\n0,4,c\n0.1,4,c\n0,4.1,c\n"));
    let trained = fit(&some, None, &settings("discriminant", &[]));
    assert_eq!(error(&trained.model, &some), 0.0);
    assert_eq!(trained.summary.estimate.unwrap().rows.len(), 6);
}

#[test]
fn too_little_memory_is_said() {
    let shape = rebelboost_testkit::Shape {
        seed: 1,
        rows: 300,
        features: 50,
        classes: 2,
        ties: false,
        missing: false,
        categorical: false,
    };
    let tight = settings("discriminant", &[("memory-limit", "1")]);
    let error =
        rebelboost::booster::train(&shape.dataset(), None, &tight, &context(), &mut ()).err().unwrap().to_string();
    assert!(error.contains("memory limit is 1 MB"), "{error}");
}
