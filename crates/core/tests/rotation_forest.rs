//! Rotation forests: slanted borders, exact explanations, columns that follow from one another.

use proptest::prelude::*;
use rebelboost::data::{Column, Table};
use rebelboost::explain::{explain, feature_shares, importance};
use rebelboost::model::{Node, WeakModel};
use rebelboost_testkit::{Shape, context, dataset, error, fit, settings, shapes, table};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Questions are shared among their columns by the sizes of their weights: nothing is left out.
    #[test]
    fn explanations_add_up(shape in shapes(60, 4, 3), together in 1usize..5) {
        let data = shape.dataset();
        let options = [("rounds", "5"), ("turned-together", &*together.to_string())];
        let model = fit(&data, None, &settings("rotation-forest", &options)).model;
        for row in 0..data.rows().min(10) {
            let explanation = explain(&model, &data.features, row).unwrap();
            for term in &explanation.terms {
                prop_assert!(!term.text.is_empty());
                prop_assert!(term.features.is_empty() || (term.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
            let whole: f64 = explanation.terms.iter().filter(|t| !t.features.is_empty()).map(|t| explanation.weight(t)).sum();
            let by_feature: f64 = explanation.by_feature().iter().map(|(_, share)| share).sum();
            prop_assert!((whole - by_feature).abs() < 1e-9);
        }
        let told = importance(&model, &data.features, &data.weights, &[(0, 1)], &context());
        let moved: f64 = told[0].shares.iter().map(|share| share.signed).sum();
        prop_assert!((told[0].start + moved - told[0].difference).abs() < 1e-9);
        let sum: f64 = feature_shares(&model).iter().sum();
        prop_assert!(sum == 0.0 || (sum - 1.0).abs() < 1e-9);
    }

    /// One row at a time or many together, by blocks or by a scorer: the same to the bit.
    #[test]
    fn rows_do_not_see_each_other(shape in shapes(300, 5, 3)) {
        let data = shape.dataset();
        let model = fit(&data, None, &settings("rotation-forest", &[("rounds", "4")])).model;
        let together = model.scores(&data.features, &context());
        let mut scorer = model.row_scorer();
        for row in 0..data.rows() {
            prop_assert_eq!(&model.scores(&data.select(&[row]).features, &context()).values[..], together.row(row));
            prop_assert_eq!(scorer.scores(&data.features, row), together.row(row));
        }
    }

    /// Rows that differ somewhere are told apart by every tree; and where training put a row is where prediction finds it.
    #[test]
    fn what_can_be_learned_is_learned(shape in shapes(150, 3, 5)) {
        let data = Shape { ties: false, missing: false, ..shape }.dataset();
        let model = fit(&data, None, &settings("rotation-forest", &[("rounds", "3"), ("bins", "255")])).model;
        prop_assert_eq!(error(&model, &data), 0.0);
        let scores = model.scores(&data.features, &context());
        prop_assert!(scores.rows().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12));
        // Every axis is asked about, and nothing else.
        for term in &model.chain.terms {
            let WeakModel::Turned(turned) = &term.learner else { panic!("not turned") };
            let mut asked: Vec<u32> = turned.tree.features().collect();
            asked.sort_unstable();
            asked.dedup();
            prop_assert!(asked.into_iter().eq(0..turned.axes.len() as u32));
        }
    }
}

/// A border along a diagonal of long clouds: mixtures of two columns see it, columns one at a time must climb it in steps.
#[test]
fn slanted_borders_are_seen() {
    let rows = |count: usize, shift: f64| {
        let mut text = String::from("x,y,class\n");
        for i in 0..count {
            let along = (i as f64 * 0.618_033_988 + shift) % 1.0 * 10.0;
            let across = 0.1 + (i as f64 * 0.754_877_666 + shift) % 1.0;
            let side = if i % 2 == 0 { across } else { -across };
            text += &format!("{},{},{}\n", along + side, along - side, if i % 2 == 0 { "below" } else { "above" });
        }
        dataset(&table(&text))
    };
    let (train, test) = (rows(80, 0.0), rows(1000, 0.31));
    let of = |algorithm| error(&fit(&train, None, &settings(algorithm, &[("rounds", "50")])).model, &test);
    let (turned, plain) = (of("rotation-forest"), of("forest"));
    assert!(turned < 0.01 && plain > 4.0 * turned, "{turned} {plain}");
}

/// What is left of three columns of which one is the mean of the others is rounding: nobody asks about it.
#[test]
fn rounding_is_not_asked_about() {
    let mut text = String::from("x,y,mean,class\n");
    for i in 0..60 {
        let (x, y) = (f64::from(i * 37 % 61) / 7.0, f64::from(i * 23 % 67) / 3.0);
        text += &format!("{x},{y},{},{}\n", (x + y) / 2.0, if (x * y) as i32 % 2 == 0 { "a" } else { "b" });
    }
    let data = dataset(&table(&text));
    let model = fit(&data, None, &settings("rotation-forest", &[("rounds", "20")])).model;
    assert_eq!(error(&model, &data), 0.0);
    for term in &model.chain.terms {
        let WeakModel::Turned(turned) = &term.learner else { panic!("not turned") };
        assert!(turned.axes.len() <= 2, "{} axes of two columns that vary", turned.axes.len());
    }
}

/// Missing and unbounded values stay finite, and a table without anything that varies has one answer.
#[test]
fn strange_values() {
    let (x, y) =
        ([0.0, 1.0, 2.0, f64::NAN, 1e308, -1e308, 2.5, 2.4], [1e300, -1e300, f64::NAN, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let classes = Column::categorical("aabbbaab".chars().map(|class| Some(class.to_string())));
    let columns = vec![Column::numeric(x.to_vec()), Column::numeric(y.to_vec()), classes];
    let data = dataset(&Table::new(["x", "y", "class"].map(String::from).to_vec(), columns).unwrap());
    let model = fit(&data, None, &settings("rotation-forest", &[("rounds", "10")])).model;
    let mut far = data.select(&[0]);
    for value in [f64::NAN, f64::MAX, f64::MIN, 0.0] {
        far.features.columns = vec![Column::numeric(vec![value]), Column::numeric(vec![-value])];
        let scores = model.scores(&far.features, &context());
        assert!((scores.values.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let mut same = dataset(&table("x,class\n1,a\n2,b\n3,a\n4,a\n"));
    same.features.columns = vec![Column::numeric(vec![1.0; 4])];
    let model = fit(&same, None, &settings("rotation-forest", &[])).model;
    assert_eq!(error(&model, &same), 0.25);
    for term in &model.chain.terms {
        let WeakModel::Turned(turned) = &term.learner else { panic!("not turned") };
        assert!(turned.axes.is_empty() && matches!(turned.tree.nodes[..], [Node::Leaf(_)]));
    }
}
