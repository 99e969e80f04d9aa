//! Scores of many rows at once are those of each row by itself.

use proptest::prelude::*;
use rebelboost::context::Context;
use rebelboost::data::{Column, Features, Numeric};
use rebelboost::model::{Node, WeakModel};
use rebelboost_testkit::{Shape, context, fit, settings, shapes};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Trees are laid out anew for many rows, and once more for a scorer of single rows; others go down the trees as stored. Missing values, levels and
    /// every type of number.
    #[test]
    fn many_rows_score_as_each_alone(shape in shapes(150, 4, 4), kind in 0usize..5, wide in any::<bool>()) {
        let data = shape.dataset();
        let (algorithm, options): (&str, &[(&str, &str)]) = [
            ("rebel", &[("rounds", "12"), ("depth", "4")][..]),
            ("softmax-trees", &[("rounds", "8")]),
            ("forest", &[("rounds", "5")]),
            ("rebel", &[("rounds", "12"), ("learner", "similarity")]),
            ("ecoc", &[("rounds", "30"), ("decoding", "hamming")]),
        ][kind];
        let model = fit(&data, None, &settings(algorithm, options)).model;
        let widened = |column: &Column| match column {
            Column::Numeric(numbers) if wide => Column::Numeric(Numeric::F64(numbers.to_vec())),
            column => column.clone(),
        };
        let columns = data.features.columns.iter().map(widened).collect();
        let features = Features { columns, rows: data.rows() };
        let together = model.scores(&features, &context());
        let mut scorer = model.row_scorer();
        for row in 0..data.rows() {
            let one = data.select(&[row]);
            prop_assert_eq!(together.row(row), &model.scores(&one.features, &context()).values[..]);
            prop_assert_eq!(together.row(row), scorer.scores(&features, row));
        }
        prop_assert_eq!(together, model.scores(&features, &Context::new(0, 3).unwrap()));
    }
}

/// Trees that ask nothing, of signs and of regions: no feature is read.
#[test]
fn a_scorer_of_trees_without_questions() {
    let (ties, missing, categorical) = (false, false, false);
    let data = Shape { seed: 1, rows: 40, features: 2, classes: 3, ties, missing, categorical }.dataset();
    for algorithm in ["rebel", "samme"] {
        let mut model = fit(&data, None, &settings(algorithm, &[("rounds", "3")])).model;
        for term in &mut model.chain.terms {
            match &mut term.learner {
                WeakModel::Tree(tree) => tree.nodes.retain(|node| matches!(node, Node::Leaf(_))),
                WeakModel::Regions(tree) => tree.nodes.retain(|node| matches!(node, Node::Leaf(_))),
                _ => panic!("not a tree"),
            }
        }
        let together = model.scores(&data.features, &context());
        let mut scorer = model.row_scorer();
        (0..data.rows()).for_each(|row| assert_eq!(together.row(row), scorer.scores(&data.features, row)));
    }
}

/// Trees of more leaves than bytes can number walk down, and a feature with more thresholds than a byte tells apart takes several.
#[test]
fn large_trees_and_many_thresholds() {
    for missing in [false, true] {
        let shape = Shape { seed: 3, rows: 1500, features: 3, classes: 4, ties: false, missing, categorical: false };
        let data = shape.dataset();
        let model = fit(&data, None, &settings("forest", &[("rounds", "3")])).model;
        let leaves = |term: &rebelboost::model::Term| match &term.learner {
            WeakModel::Regions(tree) => tree.leaves(),
            _ => 0,
        };
        assert!(model.chain.terms.iter().any(|term| leaves(term) > 256));
        let together = model.scores(&data.features, &context());
        let mut scorer = model.row_scorer();
        (0..data.rows()).for_each(|row| assert_eq!(together.row(row), scorer.scores(&data.features, row)));
    }
}

/// Trees too many for the cache are read once for many rows, between terms that are no trees: in blocks of their own, to the same sums.
#[test]
fn forests_among_other_terms() {
    let (ties, missing, categorical) = (false, true, true);
    let data = Shape { seed: 3, rows: 1500, features: 4, classes: 2, ties, missing, categorical }.dataset();
    let mut model = fit(&data, None, &settings("rebel", &[("rounds", "3"), ("learner", "similarity")])).model;
    let forest = fit(&data, None, &settings("forest", &[("rounds", "60")])).model.chain;
    let nodes = |learner: &WeakModel| match learner {
        WeakModel::Regions(tree) => tree.nodes.len(),
        _ => 0,
    };
    let walked: usize = forest.terms.iter().map(|term| nodes(&term.learner)).sum();
    assert!(walked > 1 << 15, "{walked} nodes");
    let last = model.chain.terms.split_off(1);
    model.chain.terms.extend(forest.terms);
    model.chain.terms.extend(last);
    let together = model.scores(&data.features, &context());
    for row in (0..data.rows()).step_by(7) {
        assert_eq!(together.row(row), &model.scores(&data.select(&[row]).features, &context()).values[..]);
    }
    assert_eq!(together, model.scores(&data.features, &Context::new(0, 3).unwrap()));
}
