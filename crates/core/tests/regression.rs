//! Regression trees: the split search against brute force, sums by subtraction against sums of rows, best-first growth
//! against a plain implementation.

use proptest::prelude::*;
use rand::RngExt;
use rebelboost::binning::{BinnedDataset, MISSING_BIN};
use rebelboost::context::{Context, stream};
use rebelboost::data::Dataset;
use rebelboost::learner::regression::{Grown, RegionGrower, Targets};
use rebelboost_testkit::{Shape, context, shapes};

fn random_weights(shape: &Shape) -> Vec<f64> {
    let mut rng = stream(shape.seed, "regression");
    (0..shape.rows).map(|_| 10f64.powf(rng.random_range(-2.0..0.5))).collect()
}

/// Class codes as vectors: one value for the own class, another for the others.
fn codes(data: &Dataset, own: f64, other: f64) -> Vec<f64> {
    let classes = data.class_count();
    data.labels.iter().flat_map(|&c| (0..classes).map(move |k| if k == c as usize { own } else { other })).collect()
}

/// Bins of every row, `[feature][row]`.
fn bin_table(bins: &BinnedDataset) -> Vec<Vec<u8>> {
    let column = |j: usize| {
        let mut codes = vec![0; bins.rows];
        bins.columns[j].for_each(bins.rows, |row, bin| codes[row] = bin);
        codes
    };
    (0..bins.columns.len()).map(column).collect()
}

/// |s|^2 / w of some rows.
fn score(rows: &[usize], values: &[f64], outputs: usize, weights: &[f64]) -> f64 {
    let weight: f64 = rows.iter().map(|&r| weights[r]).sum();
    let sum = |k: usize| rows.iter().map(|&r| weights[r] * values[r * outputs + k]).sum::<f64>();
    if weight > 0.0 { (0..outputs).map(sum).map(|s| s * s).sum::<f64>() / weight } else { 0.0 }
}

/// The best gain over all splits of some rows and the left side that has it: thresholds with missing values on either
/// side; for categories, all subsets.
fn brute_force(
    bins: &BinnedDataset,
    rows: &[usize],
    values: &[f64],
    outputs: usize,
    weights: &[f64],
) -> (f64, Vec<usize>) {
    let before = score(rows, values, outputs, weights);
    let mut best = (0.0, Vec::new());
    for (feature, codes) in bin_table(bins).iter().enumerate() {
        let count = bins.maps[feature].bins();
        let sides: Vec<Vec<u8>> = if bins.maps[feature].is_categorical() {
            let levels: Vec<u8> = (0..count as u8).chain([MISSING_BIN]).collect();
            (1u32..1 << levels.len())
                .map(|set| (0..levels.len()).filter(|i| set >> i & 1 == 1).map(|i| levels[i]).collect())
                .collect()
        } else {
            (0..count)
                .flat_map(|last| {
                    let low: Vec<u8> = (0..=last as u8).collect();
                    [low.clone(), low.into_iter().chain([MISSING_BIN]).collect()]
                })
                .collect()
        };
        for side in sides {
            let (left, right): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&r| side.contains(&codes[r]));
            let of = |rows: &[usize]| score(rows, values, outputs, weights);
            let gain = of(&left) + of(&right) - before;
            if gain > best.0 + 1e-12 * before {
                best = (gain, left);
            }
        }
    }
    best
}

fn achieved(grown: &Grown, values: &[f64], outputs: usize, weights: &[f64]) -> f64 {
    let rows_of = |leaf: u32| (0..weights.len()).filter(|&r| grown.leaf_of[r] == leaf).collect::<Vec<_>>();
    let all: Vec<usize> = (0..weights.len()).collect();
    let leaves = (0..grown.leaves as u32).map(|leaf| score(&rows_of(leaf), values, outputs, weights));
    leaves.sum::<f64>() - score(&all, values, outputs, weights)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// One split gains as much as the best of all, whatever the codes; classes and vectors agree. Subsets of
    /// categories are searched along one order, which is exact for two classes.
    #[test]
    fn one_split_is_brute_force(shape in shapes(60, 3, 5)) {
        let shape = Shape { categorical: shape.categorical && shape.classes == 2, ..shape };
        let data = shape.dataset();
        let (classes, weights) = (data.class_count(), random_weights(&shape));
        let bins = BinnedDataset::new(&data, 255, &context());
        let values = codes(&data, 1.0, 0.0);
        let all: Vec<usize> = (0..data.rows()).collect();
        let (most, _) = brute_force(&bins, &all, &values, classes, &weights);
        let y = codes(&data, 1.0, -0.25);
        let vectors = Targets::Vectors { values: &y, outputs: classes, weights: &weights };
        let labels = Targets::Classes { labels: &data.labels, classes, weights: &weights };
        for targets in [labels, vectors] {
            let grown = RegionGrower::new(&bins, 2).grow(targets, &context());
            let gain = achieved(&grown, &values, classes, &weights);
            prop_assert!((gain - most).abs() <= 1e-6 * (most + gain) + 1e-9, "{gain} {most}");
        }
    }

    /// Best first: the leaf whose best split gains most is split next.
    #[test]
    fn growth_is_best_first(shape in shapes(60, 3, 4), leaves in 2usize..9) {
        let shape = Shape { categorical: false, ties: false, ..shape };
        let data = shape.dataset();
        let (classes, weights) = (data.class_count(), random_weights(&shape));
        let bins = BinnedDataset::new(&data, 255, &context());
        let values = codes(&data, 1.0, 0.0);
        let mut parts: Vec<Vec<usize>> = vec![(0..data.rows()).collect()];
        let mut gain = 0.0;
        while parts.len() < leaves {
            let found: Vec<(f64, Vec<usize>)> =
                parts.iter().map(|rows| brute_force(&bins, rows, &values, classes, &weights)).collect();
            let best = (0..parts.len()).max_by(|&a, &b| found[a].0.total_cmp(&found[b].0)).unwrap();
            if found[best].0 <= 0.0 {
                break;
            }
            gain += found[best].0;
            let (left, right) = parts[best].iter().partition(|r| found[best].1.contains(r));
            parts[best] = left;
            parts.push(right);
        }
        let targets = Targets::Classes { labels: &data.labels, classes, weights: &weights };
        let grown = RegionGrower::new(&bins, leaves).grow(targets, &context());
        let ours = achieved(&grown, &values, classes, &weights);
        prop_assert!((gain - ours).abs() <= 1e-5 * (gain + ours), "{gain} {ours}");
        prop_assert_eq!(grown.leaves, parts.len());
    }

    /// Sums kept and subtracted, or made of rows every time: the same tree. So with threads, and on prediction's way.
    #[test]
    fn subtraction_is_exact(shape in shapes(400, 4, 6), leaves in 2usize..40, common in any::<bool>()) {
        let mut data = shape.dataset();
        if common {
            // Mostly one value: columns that list the other rows only.
            for column in &mut data.features.columns {
                if let rebelboost::data::Column::Numeric(c) = column {
                    let thinned = (0..c.len()).map(|row| if row % 4 == 0 { c.get(row) } else { 0.0 }).collect();
                    *column = rebelboost::data::Column::numeric(thinned);
                }
            }
        }
        let (classes, weights) = (data.class_count(), random_weights(&shape));
        let bins = BinnedDataset::new(&data, 255, &context());
        let targets = Targets::Classes { labels: &data.labels, classes, weights: &weights };
        let kept = RegionGrower::new(&bins, leaves).grow(targets, &context());
        let one = RegionGrower::new(&bins, leaves).with_memory(0).grow(targets, &context());
        let threads = RegionGrower::new(&bins, leaves).grow(targets, &Context::new(0, 3).unwrap());
        prop_assert_eq!(&kept.tree, &one.tree);
        prop_assert_eq!(&kept.tree, &threads.tree);
        prop_assert_eq!(&kept.leaf_of, &one.leaf_of);
        prop_assert!(kept.leaves <= leaves && kept.leaves == kept.tree.leaves());
        let mut responses = vec![0.0; data.rows()];
        kept.tree.respond(&data.features, 0, &mut responses);
        prop_assert_eq!(responses, kept.responses());
    }
}

/// More classes than one group of lanes.
#[test]
fn many_classes() {
    let shape = Shape { seed: 5, rows: 800, features: 2, classes: 70, ties: false, missing: true, categorical: true };
    let data = shape.dataset();
    let (classes, weights) = (data.class_count(), random_weights(&shape));
    let bins = BinnedDataset::new(&data, 255, &context());
    let values = codes(&data, 1.0, 0.0);
    let labels = Targets::Classes { labels: &data.labels, classes, weights: &weights };
    let vectors = Targets::Vectors { values: &values, outputs: classes, weights: &weights };
    let [a, b] = [labels, vectors].map(|t| RegionGrower::new(&bins, 60).grow(t, &context()));
    assert_eq!(a.leaves, 60);
    let gains = [&a, &b].map(|grown| achieved(grown, &values, classes, &weights));
    assert!((gains[0] - gains[1]).abs() < 1e-3 * gains[0], "{gains:?}");
}

/// A grower keeps its memory from tree to tree, and no tree can tell. Rows that belong to no node of a batch are added
/// up over and over where columns list rows: that must not overflow.
#[test]
fn memory_from_earlier_trees_does_not_matter() {
    let shape =
        Shape { seed: 9, rows: 500, features: 3, classes: 2, ties: false, missing: false, categorical: false };
    let mut data = shape.dataset();
    for column in &mut data.features.columns {
        *column = rebelboost::data::Column::numeric((0..500).map(|row| f64::from(row % 10 / 8 * row)).collect());
    }
    let bins = BinnedDataset::new(&data, 255, &context());
    let weights = random_weights(&shape);
    let targets = Targets::Classes { labels: &data.labels, classes: 2, weights: &weights };
    let mut grower = RegionGrower::new(&bins, 12);
    let first = grower.grow(targets, &context());
    assert!(first.leaves > 4);
    for _ in 0..60 {
        assert_eq!(grower.grow(targets, &context()).tree, first.tree);
    }
}
