//! Early exits: the exact cascade changes no answer, one at a risk no more than allowed.

use proptest::prelude::*;
use rebelboost::context::Context;
use rebelboost_testkit::{context, fit, settings, shapes};

fn kinds() -> impl Strategy<Value = &'static [(&'static str, &'static str)]> {
    prop::sample::select(vec![
        &[("algorithm", "rebel"), ("rounds", "15")][..],
        &[("algorithm", "rebel"), ("learner", "similarity"), ("rounds", "15")],
        &[("algorithm", "gamble"), ("rounds", "8")],
        &[("algorithm", "forest"), ("rounds", "9")],
        &[("algorithm", "softmax-trees"), ("rounds", "6")],
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn exact_changes_no_answer_and_risk_few(shape in shapes(80, 4, 4), kind in kinds(), every in 1usize..6, risk in 0.01f64..0.3) {
        let data = shape.dataset();
        let model = fit(&data, None, &settings(kind[0].1, &kind[1..])).model;
        let rows = &data.features;
        let whole = model.decide(&model.scores(rows, &context()), None).unwrap();
        let exact = model.exact_cascade(every).unwrap();
        let early = model.decide_early(&exact, rows, &context()).unwrap();
        prop_assert_eq!(&early.answers, &whole);
        prop_assert!(early.evaluated.iter().all(|&n| n as usize <= model.chain.terms.len()));
        let risky = model.calibrate_cascade(rows, risk, every, &context()).unwrap();
        let answers = model.decide_early(&risky, rows, &context()).unwrap();
        let changed = answers.answers.iter().zip(&whole).filter(|(a, b)| a != b).count();
        prop_assert!(changed as f64 <= risk * data.rows() as f64, "{} changed", changed);
        let threads = model.decide_early(&risky, rows, &Context::new(0, 3).unwrap()).unwrap();
        prop_assert_eq!(threads, answers);
    }
}

#[test]
fn easy_rows_stop_early() {
    let table = rebelboost::data::synthetic::generate("gaussians?rows=400").unwrap();
    let data = rebelboost_testkit::dataset(&table);
    let model = fit(&data, None, &settings("rebel", &[("rounds", "100")])).model;
    let exact = model.exact_cascade(1).unwrap();
    let exact = model.decide_early(&exact, &data.features, &context()).unwrap().mean_evaluated();
    let risky = model.calibrate_cascade(&data.features, 0.02, 1, &context()).unwrap();
    let risky = model.decide_early(&risky, &data.features, &context()).unwrap().mean_evaluated();
    assert!(risky < exact && exact <= 100.0, "{risky} {exact}");
    assert!(risky < 50.0, "{risky}");
    assert!(model.calibrate_cascade(&data.features, 1.5, 1, &context()).is_err());
    assert!(model.exact_cascade(0).is_err());
}
