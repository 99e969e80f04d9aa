//! What the GAMBLE thesis states: one regression does for two, steps sum to zero and are bounded, two classes are Gentle
//! AdaBoost.

use proptest::prelude::*;
use rebelboost::binning::BinnedDataset;
use rebelboost::booster::gamble::{TwoRegressions, step};
use rebelboost::data::Dataset;
use rebelboost::learner::regression::{RegionGrower, Targets};
use rebelboost::model::Model;
use rebelboost_testkit::{Shape, context, fit, record, settings, shapes};

/// Weights of rows at a model's scores, from the loss itself: exp(-y'F / K).
fn weights_at(model: &Model, data: &Dataset) -> Vec<f64> {
    let k = data.class_count();
    let scores = model.scores(&data.features, &context());
    let weigh = |(row, &label): (usize, &u32)| {
        let code = |j: usize| if j == label as usize { 1.0 } else { -1.0 / (k as f64 - 1.0) };
        let dot: f64 = scores.row(row).iter().enumerate().map(|(j, f)| code(j) * f).sum();
        data.weights[row] * (-dot / k as f64).exp()
    };
    data.labels.iter().enumerate().map(weigh).collect()
}

/// The shape without what makes two splits equally good.
fn without_ties(shape: Shape) -> Shape {
    Shape { ties: false, categorical: false, rows: shape.rows.max(40), ..shape }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Theorem 2: the trees of y and of z = y^2 are the same. Corollary 1: h = ((K-2) g + 1) / (K-1). Hence Algorithm 1
    /// and Algorithm 2 take the same step, in every round.
    #[test]
    fn one_regression_does_for_two(shape in shapes(120, 3, 6), rounds in 1usize..4) {
        let shape = without_ties(shape);
        let data = shape.dataset();
        let k = data.class_count();
        let options = [("rounds", "4"), ("leaves", "6")];
        let run = record(&data, None, &settings("gamble", &options));
        let Some((_, before)) = run.rounds.get(rounds - 1) else { return Ok(()) };
        let Some((_, after)) = run.rounds.get(rounds) else { return Ok(()) };
        let weights = weights_at(before, &data);
        let bins = BinnedDataset::new(&data, 255, &context());
        let mut grower = RegionGrower::new(&bins, 6);
        let two = TwoRegressions::fit(&mut grower, &data, &weights, &context());
        if k > 2 {
            prop_assert_eq!(&two.g.leaf_of, &two.h.leaf_of);
            for (g, h) in two.g_means.iter().zip(&two.h_means) {
                let expected = ((k as f64 - 2.0) * g + 1.0) / (k as f64 - 1.0);
                prop_assert!((h - expected).abs() < 1e-9, "{h} {expected}");
            }
        } else {
            // At K = 2, z is one everywhere.
            prop_assert!(two.h_means.iter().all(|h| (h - 1.0).abs() < 1e-12));
        }
        let steps = two.steps(k);
        let term = &after.chain.terms[rounds];
        for row in 0..data.rows() {
            let response = after.chain.responses(&data.features, row)[rounds];
            for (a, b) in term.contributions(response, k).iter().zip(&steps[row * k..]) {
                prop_assert!((a - b).abs() < 1e-6 * (1.0 + b.abs()), "row {row}: {a} {b}");
            }
        }
    }

    /// Result 2: steps sum to zero, and so do the scores. Result 3: their bounds.
    #[test]
    fn steps_sum_to_zero_and_are_bounded(shape in shapes(100, 3, 7), cap in prop::sample::select(vec![0.0, 0.5, 2.0])) {
        let data = shape.dataset();
        let k = data.class_count() as f64;
        let model = fit(&data, None, &settings("gamble", &[("rounds", "8"), ("step-cap", &cap.to_string())])).model;
        // Two capped steps are at most twice the cap apart.
        let bound = if cap == 0.0 { k * (k - 1.0) } else { 2.0 * cap * k };
        for vector in model.chain.terms.iter().flat_map(|t| t.output.chunks_exact(data.class_count())) {
            prop_assert!(vector.iter().sum::<f64>().abs() < 1e-9 * (1.0 + k * k));
            prop_assert!(vector.iter().all(|f| f.abs() <= bound * (1.0 + 1e-12)), "{vector:?} {bound}");
        }
        let scores = model.scores(&data.features, &context());
        prop_assert!(scores.rows().all(|row| row.iter().sum::<f64>().abs() < 1e-6));
    }

    /// The votes of SAMME: every row got as many, and the training error kept up vote by vote is that of the model's answers.
    #[test]
    fn votes_are_counted_as_they_come(shape in shapes(100, 3, 7), leaves in 2usize..9) {
        let data = shape.dataset();
        let run = record(&data, None, &settings("samme", &[("rounds", "12"), ("leaves", &leaves.to_string())]));
        let total: f64 = data.weights.iter().sum();
        for (info, model) in &run.rounds {
            let scores = model.scores(&data.features, &context());
            let all: f64 = scores.row(0).iter().sum();
            prop_assert!(scores.rows().all(|row| (row.iter().sum::<f64>() - all).abs() <= 1e-9 * all));
            let answers = model.decide(&scores, None).unwrap();
            let wrong = answers.iter().zip(&data.labels).zip(&data.weights).filter(|((a, b), _)| a != b);
            let error = wrong.map(|(_, weight)| weight).sum::<f64>() / total;
            prop_assert!((info.error - error).abs() < 1e-12, "{} {error}", info.error);
        }
    }

    /// Result 3 for r itself, and the formula of Algorithm 2 from which ours is simplified.
    #[test]
    fn the_step_is_that_of_algorithm_2(p in 0.0..=1.0f64, classes in 2usize..40) {
        let k = classes as f64;
        let g = (k * p - 1.0) / (k - 1.0);
        let r = step(p, classes);
        prop_assert!((-1.0 / (k - 1.0) - 1e-12..=1.0 + 1e-12).contains(&g));
        prop_assert!((-k * (k - 1.0) - 1e-9..=k + 1e-9).contains(&r));
        let printed = k * (k - 1.0) * g / ((k - 2.0) * g + 1.0);
        prop_assert!((r - printed).abs() < 1e-7 * (1.0 + r.abs()), "{r} {printed}");
    }

    /// Gentle AdaBoost (Algorithm 3, with the sign of its step 5 put right) fits g to y in {-1, 1} and adds it. A step of
    /// GAMBLE is twice that, so at half the rate the two are one.
    #[test]
    fn two_classes_are_gentle_adaboost(shape in shapes(120, 3, 2)) {
        let data = without_ties(shape).dataset();
        let options = [("rounds", "6"), ("leaves", "5"), ("learning-rate", "0.5")];
        let run = record(&data, None, &settings("gamble", &options));
        let bins = BinnedDataset::new(&data, 255, &context());
        let mut grower = RegionGrower::new(&bins, 5);
        let y: Vec<f64> = data.labels.iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect();
        let mut scores = vec![0.0; data.rows()];
        for (_, model) in &run.rounds {
            let weights: Vec<f64> = scores.iter().zip(&y).map(|(f, y): (&f64, _)| (-y * f).exp()).collect();
            let grown = grower.grow(Targets::Vectors { values: &y, outputs: 1, weights: &weights }, &context());
            let means = grown.means(&y, 1, &weights);
            scores.iter_mut().zip(&grown.leaf_of).for_each(|(f, leaf)| *f += means[*leaf as usize]);
            let ours = model.scores(&data.features, &context());
            for (row, f) in scores.iter().enumerate() {
                prop_assert!((ours.row(row)[1] - f).abs() < 1e-6 * (1.0 + f.abs()), "row {row}");
                prop_assert!((ours.row(row)[0] + f).abs() < 1e-6 * (1.0 + f.abs()), "row {row}");
            }
        }
    }
}

/// A tree that makes no mistake ends SAMME once all rows are right.
#[test]
fn samme_ends_when_nothing_is_left_to_do() {
    let shape = Shape { seed: 3, rows: 40, features: 1, classes: 3, ties: false, missing: false, categorical: false };
    let trained = fit(&shape.dataset(), None, &settings("samme", &[("leaves", "40")]));
    assert_eq!(trained.model.chain.terms.len(), 1);
    assert_eq!(trained.summary.history[0].error, 0.0);
}
