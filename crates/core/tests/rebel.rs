//! Properties of REBEL that its papers state or imply.

use proptest::prelude::*;
use rebelboost::context::Context;
use rebelboost::data::{CostMatrix, Dataset};
use rebelboost::loss::{CoupledLoss, SURROGATES, Subcosts, Surrogate};
use rebelboost::metric::mean_cost;
use rebelboost_testkit::{context, fit, record, settings, shapes};

fn cost_of(data: &Dataset, scores: &rebelboost::model::Scores, costs: &CostMatrix) -> f64 {
    let predicted: Vec<u32> = scores.rows().map(|row| rebelboost::model::argmax(row) as u32).collect();
    mean_cost(&data.labels, &predicted, &data.weights, costs)
}

/// Golden-section search on a convex function.
fn minimise(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-14.0f64, 14.0f64);
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    for _ in 0..200 {
        let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
        if f(a) < f(b) { high = b } else { low = a }
    }
    0.5 * (low + high)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Eq. 4.4 and paper eq. 2: the loss bounds the training cost in every round, for every g and both ways to
    /// choose subcosts (beta and L* included).
    #[test]
    fn loss_bounds_the_training_cost(shape in shapes(60, 3, 4), with_costs in any::<bool>()) {
        let data = shape.dataset();
        let costs = if with_costs { shape.costs() } else { CostMatrix::uniform(shape.classes) };
        let unit = costs.normalised();
        for g in SURROGATES {
            for subcosts in ["thesis", "paper"] {
                let settings = settings("rebel", &[("loss", g.name()), ("subcosts", subcosts), ("rounds", "12")]);
                for (info, model) in record(&data, Some(&costs), &settings).rounds {
                    let scores = model.scores(&data.features, &context());
                    let cost = cost_of(&data, &scores, &unit);
                    prop_assert!(
                        info.loss >= cost - 1e-9,
                        "{} {subcosts} round {}: loss {} < cost {cost}", g.name(), info.round, info.loss
                    );
                }
            }
        }
    }

    /// Thesis 4.5: while a learner with an edge exists, the loss falls.
    #[test]
    fn loss_falls_every_round(shape in shapes(80, 3, 5)) {
        let data = shape.dataset();
        for g in SURROGATES {
            let settings = settings("rebel", &[("loss", g.name()), ("rounds", "25"), ("depth", "3")]);
            let history = fit(&data, None, &settings).summary.history;
            for pair in history.windows(2) {
                prop_assert!(pair[1].loss < pair[0].loss, "{}: {pair:?}", g.name());
                prop_assert!(pair[1].edge > 0.0 && pair[1].edge <= 1.0 + 1e-12);
            }
        }
    }

    /// The bound of a single row, over random cost rows (eq. 4.3 with equality): no scores whatever can cost more
    /// than the loss.
    #[test]
    fn subcosts_bound_every_decision(
        shape in shapes(12, 1, 5), scores in prop::collection::vec(-3.0..3.0f64, 5), dear in 1.0..100.0f64
    ) {
        let data = shape.dataset();
        let k = shape.classes;
        let names = &data.schema.classes;
        let cells = (0..k * k).map(|i| match (i / k, i % k) { (a, b) if a == b => 0.0, (0, 1) => dear, _ => 1.0 });
        let costs = CostMatrix::new(cells.collect(), names).unwrap().normalised();
        for g in SURROGATES {
            for subcosts in [Subcosts::Thesis, Subcosts::Paper] {
                let loss = CoupledLoss::new(*g, subcosts, &data, &costs, 0.0);
                let all = scores[..k].repeat(data.rows());
                let weighed = loss.weigh(&all, Vec::new(), &context());
                let scores = rebelboost::model::Scores { classes: k, values: all };
                let cost = cost_of(&data, &scores, &costs);
                prop_assert!(weighed.loss >= cost - 1e-9, "{} {subcosts:?}: {} < {cost}", g.name(), weighed.loss);
                prop_assert!(weighed.loss >= loss.least() - 1e-9);
            }
        }
    }

    /// Eq. 4.9 and the Newton steps against golden-section search, class by class.
    #[test]
    fn steps_are_minimisers(shape in shapes(40, 2, 4), seed in any::<u64>(), real in any::<bool>(), smooth in any::<bool>()) {
        use rand::RngExt;
        let data = shape.dataset();
        let costs = shape.costs();
        let mut rng = rebelboost::context::stream(seed, "step");
        let k = shape.classes;
        let scores: Vec<f64> = (0..data.rows() * k).map(|_| rng.random_range(-1.0..1.0)).collect();
        let response: Vec<f64> = (0..data.rows())
            .map(|_| if real { rng.random_range(-1.0..1.0) } else if rng.random_bool(0.5) { 1.0 } else { -1.0 })
            .collect();
        let smoothing = if smooth { 0.01 } else { 0.0 };
        for g in SURROGATES {
            let loss = CoupledLoss::new(*g, Subcosts::Thesis, &data, &costs, smoothing);
            let context = context();
            let weights = loss.weigh(&scores, Vec::new(), &context);
            let step = loss.step(&weights, &scores, &response, &context);
            let at = |a: &[f64]| {
                let moved: Vec<f64> = (0..scores.len()).map(|i| scores[i] + response[i / k] * a[i % k]).collect();
                loss.weigh(&moved, Vec::new(), &context).loss
            };
            prop_assert!((at(&step.output) - step.loss).abs() <= 1e-9 * step.loss.abs().max(1.0));
            for class in 0..k {
                let objective = |a: f64| {
                    let mut output = step.output.clone();
                    output[class] = a;
                    at(&output) + smoothing * weights.totals[class] * (g.value(a) + g.value(-a))
                };
                let best = minimise(objective);
                prop_assert!(
                    objective(step.output[class]) <= objective(best) * (1.0 + 1e-9) + 1e-12,
                    "{} class {class}: {} against {best}", g.name(), step.output[class]
                );
            }
        }
    }

    /// Thesis 7.3: for two classes REBEL with exp *is* AdaBoost, round by round (a1 = -a2 = alpha).
    #[test]
    fn two_classes_are_adaboost(shape in shapes(80, 3, 2), bias in any::<bool>(), depth in 1usize..4) {
        // Different weights for all rows: equally good splits would be a matter of rounding.
        let mut data = shape.dataset();
        let mut rng = rebelboost::context::stream(shape.seed, "weights");
        data.weights.iter_mut().for_each(|w| *w = rand::RngExt::random_range(&mut rng, 0.5..1.5));
        let depth = depth.to_string();
        let options = [
            ("rounds", "30"), ("depth", depth.as_str()), ("smoothing", "0"), ("stop-loss", "0"),
            ("bias", if bias { "on" } else { "off" }),
        ];
        let rebel = fit(&data, None, &settings("rebel", &options));
        let ada = fit(&data, None, &settings("adaboost", &options));
        prop_assert!((rebel.model.chain.bias[1] - ada.model.chain.bias[1]).abs() < 1e-9);
        let rounds = rebel.model.chain.terms.len().min(ada.model.chain.terms.len());
        prop_assert!(rounds == 30 || ada.summary.loss < 1e-9, "{rounds} rounds, loss {}", ada.summary.loss);
        // A learner without an error ends both runs in its own way: the step is capped.
        for t in 0..rounds {
            let (a, b) = (&rebel.summary.history[t], &ada.summary.history[t]);
            if b.loss < 1e-9 { break; }
            prop_assert!((a.loss - b.loss).abs() <= 1e-6 * b.loss, "round {t}: {a:?} {b:?}");
            let one = &rebel.model.chain.terms[t].output;
            prop_assert!((one[0] + one[1]).abs() < 1e-6, "a1 = -a2: {one:?}");
        }
    }

    /// Thesis 7.3 for the other g: each step is the minimiser of the binary loss mean g(-y (h + alpha f)).
    #[test]
    fn two_classes_minimise_the_binary_loss(shape in shapes(60, 2, 2)) {
        let data = shape.dataset();
        for g in SURROGATES {
            let options = [("rounds", "6"), ("depth", "1"), ("smoothing", "0"), ("stop-loss", "0"), ("bias", "off"), ("loss", g.name())];
            let mut h = vec![0.0; data.rows()];
            let model = fit(&data, None, &settings("rebel", &options)).model;
            let responses: Vec<Vec<f64>> =
                (0..data.rows()).map(|row| model.chain.responses(&data.features, row)).collect();
            for (t, term) in model.chain.terms.iter().enumerate() {
                let f: Vec<f64> = responses.iter().map(|row| row[t]).collect();
                let loss = |alpha: f64| -> f64 {
                    (0..data.rows())
                        .map(|n| {
                            let y = if data.labels[n] == 1 { 1.0 } else { -1.0 };
                            g.value(-y * (h[n] + alpha * f[n]))
                        })
                        .sum()
                };
                let best = minimise(loss);
                let ours = term.output[1];
                prop_assert!(loss(ours) <= loss(best) * (1.0 + 1e-9) + 1e-12, "{}: {ours} {best}", g.name());
                h.iter_mut().zip(&f).for_each(|(h, f)| *h += ours * f);
            }
        }
    }

    /// Thesis 4.4: one more layer never raises the loss.
    #[test]
    fn depth_never_raises_the_loss(shape in shapes(80, 3, 4)) {
        let data = shape.dataset();
        for g in SURROGATES {
            let mut last = f64::INFINITY;
            for depth in ["1", "2", "3", "5"] {
                let options = [("rounds", "1"), ("depth", depth), ("smoothing", "0"), ("loss", g.name())];
                let fitted = fit(&data, None, &settings("rebel", &options));
                prop_assert!(fitted.summary.loss <= last + 1e-12, "{} depth {depth}", g.name());
                last = fitted.summary.loss;
            }
        }
    }

    /// The scan over bins finds the best of all stumps: every feature, every threshold, both sides for missing, and
    /// the homogeneous stump (a threshold beyond the last value).
    #[test]
    fn scan_is_brute_force(shape in shapes(40, 3, 4), with_costs in any::<bool>()) {
        let shape = rebelboost_testkit::Shape { categorical: false, ..shape };
        let data = shape.dataset();
        let costs = if with_costs { shape.costs() } else { CostMatrix::uniform(shape.classes) };
        let options = [("rounds", "1"), ("depth", "1"), ("smoothing", "0"), ("bias", "off")];
        let found = fit(&data, Some(&costs), &settings("rebel", &options));
        let g: &'static dyn Surrogate = SURROGATES[0];
        let loss = CoupledLoss::new(g, Subcosts::Thesis, &data, &costs, 0.0);
        let context = context();
        let scores = vec![0.0; data.rows() * shape.classes];
        let weights = loss.weigh(&scores, Vec::new(), &context);
        let mut best = f64::INFINITY;
        for column in &data.features.columns {
            let rebelboost::data::Column::Numeric(column) = column else { continue };
            for threshold in column.to_vec().into_iter().filter(|t| !t.is_nan()) {
                for missing in [1.0, -1.0] {
                    let side = |v: f64| if v.is_nan() { missing } else if v <= threshold { 1.0 } else { -1.0 };
                    let response: Vec<f64> = column.to_vec().into_iter().map(side).collect();
                    best = best.min(loss.step(&weights, &scores, &response, &context).loss);
                }
            }
        }
        if found.model.chain.terms.is_empty() {
            prop_assert!(best >= weights.loss - 1e-7);
        } else {
            prop_assert!((found.summary.loss - best).abs() <= 1e-7 * best.max(1e-3), "{} {best}", found.summary.loss);
        }
    }

    /// A uniform matrix is no matrix; a unit of cost changes nothing but the record of it.
    #[test]
    fn costs_have_no_unit(shape in shapes(60, 3, 4)) {
        let data = shape.dataset();
        let settings = settings("rebel", &[("rounds", "10")]);
        let plain = fit(&data, None, &settings).model;
        let uniform = fit(&data, Some(&CostMatrix::uniform(shape.classes)), &settings).model;
        prop_assert_eq!(plain.to_bytes(), uniform.to_bytes());
        let costs = shape.costs();
        let eightfold: Vec<f64> =
            (0..shape.classes).flat_map(|t| costs.row(t).iter().map(|c| c * 8.0).collect::<Vec<_>>()).collect();
        let eightfold = CostMatrix::new(eightfold, &data.schema.classes).unwrap();
        let mut once = fit(&data, Some(&costs), &settings).model;
        let eight = fit(&data, Some(&eightfold), &settings).model;
        once.costs = eight.costs.clone();
        prop_assert_eq!(once.to_bytes(), eight.to_bytes());
    }
}

/// An all-zero cost row has weight zero: its rows do not influence the model.
#[test]
fn a_class_that_may_be_missed_has_no_say() {
    let shape = rebelboost_testkit::Shape {
        seed: 5,
        rows: 60,
        features: 2,
        classes: 3,
        ties: false,
        missing: false,
        categorical: false,
    };
    let data = shape.dataset();
    let costs = CostMatrix::new(vec![0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0], &data.schema.classes).unwrap();
    let settings = settings("rebel", &[("rounds", "10"), ("smoothing", "0")]);
    let with = fit(&data, Some(&costs), &settings);
    let others: Vec<usize> = (0..data.rows()).filter(|&r| data.labels[r] != 0).collect();
    let without = fit(&data.select(&others), Some(&costs), &settings);
    let rows = data.select(&others);
    let scores = |t: &rebelboost::booster::Trained| t.model.scores(&rows.features, &Context::new(0, 1).unwrap());
    for (a, b) in scores(&with).values.iter().zip(&scores(&without).values) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
}
