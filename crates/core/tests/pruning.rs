//! However features are pruned, models are those of a search that looks at everything, byte for byte.

use proptest::prelude::*;
use rebelboost::binning::BinnedDataset;
use rebelboost::learner::regression::{Criterion, RegionGrower, Targets};
use rebelboost::learner::tree::Pruning;
use rebelboost::registry::ALGORITHMS;
use rebelboost_testkit::{context, fit, settings, shapes};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Every criterion, classes and vectors, weights over thirty orders of magnitude.
    #[test]
    fn trees_of_regions_are_the_same(shape in shapes(400, 12, 6), spread in 0.0..70f64, leaves in 2usize..10) {
        let data = shape.dataset();
        let bins = BinnedDataset::new(&data, 255, &context());
        let rows = data.rows();
        let weights: Vec<f64> = (0..rows).map(|row| (-spread * (row * 7 % rows) as f64 / rows as f64).exp()).collect();
        let value = |i: usize| ((i * 37 % 101) as f64 - 50.0) * if data.labels[i / 3] == 0 { 1.0 } else { 0.3 };
        let values: Vec<f64> = (0..rows * 3).map(value).collect();
        let mut cases = vec![
            (Criterion::Gini, Targets::Vectors { values: &values, outputs: 3, weights: &weights }),
            (Criterion::Gini, Targets::Gradients { gradients: &values, outputs: 3, curvatures: &weights, ridge: 0.1 }),
        ];
        for criterion in [Criterion::Gini, Criterion::Entropy, Criterion::GainRatio, Criterion::Error] {
            cases.push((criterion, Targets::Classes { labels: &data.labels, classes: data.class_count(), weights: &weights }));
        }
        for (criterion, targets) in cases {
            let grow = |pruning: Pruning| {
                let mut grower = RegionGrower::new(&bins, leaves).by(criterion).pruned(pruning);
                (grower.grow(targets, &context()), grower.work())
            };
            let ((plain, _), (quick, work)) = (grow(Pruning::Off), grow(Pruning::Quickboost));
            prop_assert_eq!(plain.tree, quick.tree, "{:?}", criterion);
            prop_assert_eq!(plain.leaf_of, quick.leaf_of);
            let work = work.unwrap();
            prop_assert!(work.added <= work.all);
            // Without a bound there is nothing to prune by.
            prop_assert!(criterion != Criterion::GainRatio || work.added == work.all);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// All that the registry says can be pruned, from stumps to four layers.
    #[test]
    fn models_are_the_same(shape in shapes(200, 12, 5), depth in 1usize..5) {
        for algorithm in ALGORITHMS.iter().filter(|a| a.parameters().any(|p| p.name == "pruning")) {
            let classes = algorithm.most_classes.map_or(shape.classes, |most| shape.classes.min(most));
            let data = rebelboost_testkit::Shape { classes, ..shape.clone() }.dataset();
            let bytes = |pruning: &str| {
                let depth = depth.to_string();
                let mut changes = vec![("rounds", "12"), ("pruning", pruning)];
                if algorithm.parameters().any(|p| p.name == "depth") {
                    changes.push(("depth", &depth));
                }
                fit(&data, None, &settings(algorithm.name, &changes)).model.to_bytes()
            };
            let plain = bytes("off");
            for pruning in ["quickboost", "delta", "auto"] {
                prop_assert!(plain == bytes(pruning), "{} {pruning}", algorithm.name);
            }
        }
    }
}
