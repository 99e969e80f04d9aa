//! Early exits: the exact cascade changes no answer, one at a risk no more than allowed, one of an accuracy has it.

use proptest::prelude::*;
use rebelboost::context::Context;
use rebelboost::model::CascadeGoal;
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
        let risky = model.calibrate_cascade(rows, CascadeGoal::Risk(risk), every, &context()).unwrap();
        let answers = model.decide_early(&risky, rows, &context()).unwrap();
        let changed = answers.answers.iter().zip(&whole).filter(|(a, b)| a != b).count();
        prop_assert!(changed as f64 <= risk * data.rows() as f64, "{} changed", changed);
        let threads = model.decide_early(&risky, rows, &Context::new(0, 3).unwrap()).unwrap();
        prop_assert_eq!(threads, answers);
    }

    /// Thesis 2.2: thresholds for which, say, 95 % are classified rightly after 10 % of the learners.
    #[test]
    fn so_many_of_each_class_are_right_after_so_many_terms(
        shape in shapes(80, 4, 3), kind in kinds(), every in 1usize..4, accuracy in 0.05f64..1.0, after in 0.05f64..1.0,
    ) {
        let data = shape.dataset();
        let model = fit(&data, None, &settings(kind[0].1, &kind[1..])).model;
        let (rows, labels, terms) = (&data.features, &data.labels[..], model.chain.terms.len());
        let goal = CascadeGoal::Accuracy { labels, accuracy, after };
        // The first look at or after that share.
        let look = (after * terms as f64).ceil().max(1.0) as usize;
        let look = terms.min(look.div_ceil(every) * every);
        let mut begun = model.clone();
        begun.chain.terms.truncate(look);
        let by_then = begun.decide(&begun.scores(rows, &context()), None).unwrap();
        let counts = |keep: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..data.class_count()).map(|k| (0..labels.len()).filter(|&r| labels[r] as usize == k && keep(r)).count()).collect()
        };
        let (all, right) = (counts(&|_| true), counts(&|r| by_then[r] == labels[r]));
        let possible = all.iter().zip(&right).all(|(all, right)| *right as f64 >= accuracy * *all as f64);
        let cascade = model.calibrate_cascade(rows, goal, every, &context());
        prop_assert_eq!(cascade.is_ok(), possible);
        let Ok(cascade) = cascade else { return Ok(()) };
        let early = model.decide_early(&cascade, rows, &context()).unwrap();
        prop_assert!(early.evaluated.iter().all(|&n| n as usize >= look));
        let there = |r: usize| early.evaluated[r] as usize == look;
        let reached = counts(&|r| there(r) && early.answers[r] == labels[r]);
        for (k, reached) in reached.iter().enumerate() {
            prop_assert!(*reached as f64 >= accuracy * all[k] as f64, "{} of {} of class {}", reached, all[k], k);
        }
        // The highest such thresholds: a little more, and it is too few.
        let thresholds: Vec<_> = cascade.thresholds().unwrap().collect();
        let enough = thresholds[look.div_ceil(every) - 1].1;
        let scores = begun.scores(rows, &context());
        for k in 0..data.class_count() {
            let lead = |r: usize| {
                let own = scores.row(r);
                own[k] - own.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, s)| *s).fold(f64::NEG_INFINITY, f64::max)
            };
            let above = (0..labels.len()).filter(|&r| labels[r] as usize == k && by_then[r] as usize == k && lead(r) > enough[k]);
            prop_assert!((above.count() as f64) < accuracy * all[k] as f64);
        }
        // Whoever goes on gets the answer of the whole model.
        let whole = model.decide(&model.scores(rows, &context()), None).unwrap();
        prop_assert!((0..labels.len()).all(|r| there(r) || early.answers[r] == whole[r]));
    }

    /// Two classes: the lower and the upper threshold on the confidence h, in the very steps of the thesis.
    #[test]
    fn two_classes_have_a_lower_and_an_upper_threshold(shape in shapes(80, 4, 2), every in 1usize..4, risk in 0.01f64..0.3) {
        let data = shape.dataset();
        let model = fit(&data, None, &settings("adaboost", &[("rounds", "20"), ("min-rounds", "20")])).model;
        let rows = &data.features;
        let cascade = model.calibrate_cascade(rows, CascadeGoal::Risk(risk), every, &context()).unwrap();
        // Too few rows for so small a risk: the exact one, which says why.
        prop_assert_eq!(cascade.thresholds().is_some(), cascade.note().is_none());
        prop_assume!(cascade.note().is_none());
        let early = model.decide_early(&cascade, rows, &context()).unwrap();
        let terms = model.chain.terms.len();
        for row in 0..data.rows() {
            let responses = model.chain.responses(rows, row);
            let mut h = model.chain.bias.clone();
            let mut expected = None;
            for (look, enough) in cascade.thresholds().unwrap() {
                let end = look.min(terms);
                for t in look - every..end {
                    model.chain.terms[t].add(&responses[t..=t], &mut h, 2);
                }
                let (lower, upper) = (-enough[0], enough[1]);
                let confidence = h[1] - h[0];
                // Ties go to the first class.
                let says = if confidence > 0.0 && confidence >= upper { Some(1) }
                    else if confidence <= 0.0 && confidence <= lower { Some(0) }
                    else if end == terms { Some(u32::from(confidence > 0.0)) }
                    else { None };
                if let Some(says) = says {
                    expected = Some((says, end as u32));
                    break;
                }
            }
            prop_assert_eq!(expected, Some((early.answers[row], early.evaluated[row])));
        }
    }
}

/// The promise is about new rows: of many calibrations, each on few rows of its own, about one in twenty may break it.
#[test]
fn the_risk_is_kept_on_new_rows() {
    const TRIALS: usize = 60;
    const ROWS: usize = 400;
    let table = rebelboost::data::synthetic::generate(&format!("gaussians?rows={}", 300 + (TRIALS + 40) * ROWS));
    let data = rebelboost_testkit::dataset(&table.unwrap());
    let part = |from: usize, rows: usize| data.select(&(from..from + rows).collect::<Vec<_>>());
    let model = fit(&part(0, 300), None, &settings("rebel", &[("rounds", "60"), ("min-rounds", "60")])).model;
    let new = part(300 + TRIALS * ROWS, 40 * ROWS).features;
    let whole = model.decide(&model.scores(&new, &context()), None).unwrap();
    for risk in [0.01, 0.05] {
        let (mut broken, mut terms) = (0, 0.0);
        for trial in 0..TRIALS {
            let rows = part(300 + trial * ROWS, ROWS).features;
            let cascade = model.calibrate_cascade(&rows, CascadeGoal::Risk(risk), 2, &context()).unwrap();
            assert_eq!(cascade.note(), None);
            let early = model.decide_early(&cascade, &new, &context()).unwrap();
            let changed = early.answers.iter().zip(&whole).filter(|(a, b)| a != b).count();
            broken += usize::from(changed as f64 > risk * whole.len() as f64);
            terms += early.mean_evaluated() / TRIALS as f64;
        }
        // Ten of sixty at a chance of one in twenty each: one in two thousand.
        assert!(broken <= 9, "{broken} of {TRIALS} break a risk of {risk}");
        assert!(terms < 45.0, "{terms} of 60 terms at a risk of {risk}");
    }
}

#[test]
fn rows_that_are_too_few_for_a_risk_are_told() {
    let data = rebelboost_testkit::dataset(&rebelboost::data::synthetic::generate("gaussians?rows=100").unwrap());
    let model = fit(&data, None, &settings("rebel", &[("rounds", "10")])).model;
    let at = |risk| model.calibrate_cascade(&data.features, CascadeGoal::Risk(risk), 1, &context()).unwrap();
    let note = at(0.001).note().unwrap().to_string();
    assert!(note.contains("100 rows") && note.contains("0.1 %") && note.contains("2995"), "{note}");
    assert!(at(0.001).thresholds().is_none());
    assert_eq!((at(0.1).note(), at(0.0).note()), (None, None));
}

#[test]
fn impossible_goals_are_refused_with_a_sentence() {
    let data = rebelboost_testkit::dataset(&rebelboost::data::synthetic::generate("gaussians?rows=60").unwrap());
    let model = fit(&data, None, &settings("rebel", &[("rounds", "10")])).model;
    let refused = |labels: &[u32], accuracy: f64, after: f64| {
        let goal = CascadeGoal::Accuracy { labels, accuracy, after };
        model.calibrate_cascade(&data.features, goal, 1, &context()).unwrap_err().to_string()
    };
    assert!(refused(&data.labels, 0.0, 0.1).contains("not possible"));
    assert!(refused(&data.labels, 0.9, f64::NAN).contains("not possible"));
    assert!(refused(&data.labels[1..], 0.9, 0.1).contains("labels"));
    let turned: Vec<u32> = data.labels.iter().map(|label| (label + 1) % data.class_count() as u32).collect();
    assert!(refused(&turned, 0.9, 0.1).contains("of the rows of class"));
}

#[test]
fn easy_rows_stop_early() {
    let table = rebelboost::data::synthetic::generate("gaussians?rows=400").unwrap();
    let data = rebelboost_testkit::dataset(&table);
    let model = fit(&data, None, &settings("rebel", &[("rounds", "100")])).model;
    let exact = model.exact_cascade(1).unwrap();
    let exact = model.decide_early(&exact, &data.features, &context()).unwrap().mean_evaluated();
    let risky = model.calibrate_cascade(&data.features, CascadeGoal::Risk(0.02), 1, &context()).unwrap();
    let risky = model.decide_early(&risky, &data.features, &context()).unwrap().mean_evaluated();
    assert!(risky < exact && exact <= 100.0, "{risky} {exact}");
    assert!(risky < 50.0, "{risky}");
    assert!(model.calibrate_cascade(&data.features, CascadeGoal::Risk(1.5), 1, &context()).is_err());
    assert!(model.exact_cascade(0).is_err());
}
