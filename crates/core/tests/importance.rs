//! What tells classes apart: exact sums, the same for every number of threads.

use proptest::prelude::*;
use rebelboost::booster::train;
use rebelboost::context::Context;
use rebelboost::explain::{Influence, explain, importance};
use rebelboost_testkit::{context, fit, settings, shapes};

fn kinds() -> impl Strategy<Value = &'static [(&'static str, &'static str)]> {
    prop::sample::select(vec![
        &[("algorithm", "rebel"), ("rounds", "12")][..],
        &[("algorithm", "rebel"), ("learner", "similarity"), ("rounds", "15")],
        &[("algorithm", "gamble"), ("rounds", "6")],
        &[("algorithm", "forest"), ("rounds", "5")],
        &[("algorithm", "random-pairs")],
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn shares_add_up_to_the_mean_difference(shape in shapes(60, 3, 4), kind in kinds()) {
        let data = shape.dataset();
        let model = fit(&data, None, &settings(kind[0].1, &kind[1..])).model;
        let weights: Vec<f64> = (0..data.rows()).map(|row| 0.5 + (row % 3) as f64).collect();
        let k = shape.classes as u32;
        let pairs: Vec<(u32, u32)> = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))).collect();
        let found = importance(&model, &data.features, &weights, &pairs, &context());
        let scores = model.scores(&data.features, &context());
        let total: f64 = weights.iter().sum();
        for (pair, told) in pairs.iter().zip(&found) {
            prop_assert_eq!(*pair, told.pair);
            let of = |row: usize| scores.row(row)[pair.0 as usize] - scores.row(row)[pair.1 as usize];
            let mean = (0..data.rows()).map(|row| weights[row] * of(row)).sum::<f64>() / total;
            let sum = told.start + told.shares.iter().map(|s| s.signed).sum::<f64>();
            let scale = 1.0 + told.shares.iter().map(|s| s.size).sum::<f64>();
            prop_assert!((told.difference - mean).abs() <= 1e-9 * scale, "{} {mean}", told.difference);
            prop_assert!((sum - mean).abs() <= 1e-9 * scale, "{sum} {mean}");
            prop_assert!(told.shares.iter().all(|s| s.size >= s.signed.abs() * (1.0 - 1e-12)));
            prop_assert!(told.shares.is_sorted_by(|a, b| a.size >= b.size));
        }
        prop_assert_eq!(&found, &importance(&model, &data.features, &weights, &pairs, &Context::new(0, 3).unwrap()));
    }

    /// On one row it is the explanation of that row, feature by feature.
    #[test]
    fn one_row_is_its_explanation(shape in shapes(40, 3, 3), kind in kinds()) {
        let data = shape.dataset();
        let model = fit(&data, None, &settings(kind[0].1, &kind[1..])).model;
        let one = data.select(&[7]);
        let why = explain(&model, &one.features, 0).unwrap();
        let told = importance(&model, &one.features, &[2.0], &[(why.answer, why.second)], &context()).remove(0);
        let scale = 1.0 + told.shares.iter().map(|s| s.size).sum::<f64>();
        let by_feature = why.by_feature();
        for share in &told.shares {
            if let Influence::Feature(feature) = share.influence {
                let other = by_feature.iter().find(|(f, _)| *f == feature as usize).map_or(0.0, |(_, sum)| *sum);
                prop_assert!((share.signed - other).abs() <= 1e-9 * scale);
            }
        }
    }
}

#[test]
fn a_feature_that_decides_alone_is_alone() {
    let shape = rebelboost_testkit::Shape {
        seed: 5,
        rows: 80,
        features: 1,
        classes: 2,
        ties: false,
        missing: false,
        categorical: false,
    };
    let data = shape.dataset();
    let model = train(&data, None, &settings("rebel", &[("rounds", "5")]), &context(), &mut ()).unwrap().model;
    let told = importance(&model, &data.features, &data.weights, &[(0, 1)], &context()).remove(0);
    let influences: Vec<Influence> = told.shares.iter().map(|s| s.influence).collect();
    assert_eq!(influences, [Influence::Feature(0)]);
}
