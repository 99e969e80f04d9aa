//! The page as text: complete, self-contained, escaped, bounded, the same bytes on any number of threads.

mod common;
use common::{HOSTILE, Run, hostile, many_classes};
use proptest::prelude::*;
use rebelboost::booster::Estimate;
use rebelboost::model::Part;
use rebelboost_testkit::{Shape, shapes};

/// Nothing that a browser would fetch.
fn assert_self_contained(page: &str) {
    for word in ["http:", "https:", "//www", "src=", "url(", "@import", "<link", "<iframe"] {
        let found = page.match_indices(word).find(|(at, _)| !page[*at..].starts_with("url(#"));
        assert_eq!(found.map(|(at, _)| &page[at..at + 40]), None);
    }
    for (at, _) in page.match_indices("href=") {
        assert!(page[at..].starts_with("href=\"#"), "{}", &page[at..at + 40]);
    }
}

fn algorithms() -> impl Strategy<Value = (&'static str, &'static [(&'static str, &'static str)])> {
    prop::sample::select(vec![
        ("rebel", &[("rounds", "12")][..]),
        ("rebel", &[("rounds", "12"), ("learner", "similarity")]),
        ("rebel", &[("rounds", "12"), ("holdout", "0.3")]),
        ("gamble", &[("rounds", "4")]),
        ("forest", &[("rounds", "4")]),
        ("random-pairs", &[]),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_training_has_a_page(shape in shapes(80, 3, 5), (algorithm, changes) in algorithms(), costs in any::<bool>()) {
        let costs = costs.then(|| shape.costs());
        let run = Run::new(shape.dataset(), costs.as_ref(), algorithm, changes);
        let page = run.html();
        assert_self_contained(&page);
        for id in ["data", "confusion", "reliability", "rows", "repeat"] {
            prop_assert!(page.contains(&format!("<section id=\"{id}\"")), "{id}");
        }
        let plane = shape.features == 2 && !shape.categorical && run.data.schema.features.len() == 2;
        prop_assert_eq!(page.contains("<section id=\"regions\""), plane);
        prop_assert_eq!(page.contains("value=\"c\""), costs.is_some(), "costs of mistakes");
        let unseen = run.trained.summary.estimate.is_some();
        prop_assert_eq!(page.contains("Judged on the rows it was trained on"), !unseen);
        prop_assert_eq!(&page, &run.html_on(3));
    }
}

#[test]
fn hostile_names_stay_names() {
    for learner in ["tree", "similarity"] {
        let page = Run::new(hostile(), None, "rebel", &[("rounds", "15"), ("learner", learner)]).html();
        for word in HOSTILE.into_iter().chain(["<img", "<svg onload"]) {
            assert!(!page.contains(word), "{word}");
        }
        assert!(page.contains("&lt;script&gt;throw"));
        assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (1, 1));
        assert_eq!((page.matches("<style").count(), page.matches("</style").count()), (1, 1));
    }
}

#[test]
fn thousands_of_classes_and_rounds_stay_a_small_page() {
    let classes = Run::new(many_classes(1000, 3000), None, "rebel", &[("rounds", "3")]).html();
    assert!(classes.len() < 1_000_000, "{}", classes.len());
    assert!(classes.contains("The classes recognised worst") && !classes.contains("class=\"confusion"));
    let rounds = [("rounds", "5000"), ("min-rounds", "5000"), ("stop-loss", "0")];
    let rounds = Run::builtin("builtin:spirals?rows=600", "rebel", &rounds).html();
    assert!(rounds.len() < 1_500_000, "{}", rounds.len());
}

#[test]
fn a_stacked_model_shows_members_and_what_it_did_on_rows_not_seen() {
    let mut run = Run::builtin("builtin:spirals?rows=200", "rebel", &[("rounds", "30")]);
    // All answers wrong but one.
    let rows = run.data.rows();
    let (labels, classes) = (&run.data.labels, run.data.class_count());
    let mut scores = vec![0.0; rows * classes];
    for row in 0..rows {
        let answer = (labels[row] as usize + usize::from(row > 0)) % classes;
        scores[row * classes + answer] = 4.0;
    }
    run.trained.summary.estimate = Some(Estimate { folds: 7, rows: (0..run.data.rows()).collect(), scores });
    run.trained.summary.history.truncate(1);
    let part =
        |name: &str, terms| Part { name: name.into(), terms, weight: 0.5, factor: 1.0, log_loss: 0.25, error: 0.125 };
    run.trained.model.parts = vec![part("first member", 10), part("second member", 20)];
    let page = run.html();
    assert!(page.contains("199 of 200 answers are wrong"), "judged on the estimate");
    assert!(
        page.contains("on rows it had not seen (7 folds)") && !page.contains("Judged on the rows it was trained on")
    );
    assert!(
        page.contains("<section id=\"members\"") && page.contains("first member") && page.contains("12.5\u{a0}%")
    );
    assert!(!page.contains("<section id=\"curves\""), "no rounds, no curves");
    // One map a member.
    assert_eq!(page.matches("<g data-panel=\"round\"").count(), 2);
}

#[test]
fn test_rows_are_preferred_to_training_rows() {
    let run = Run::builtin("builtin:penguins", "rebel", &[("rounds", "10")]);
    assert!(run.tested().contains("on the test rows of test.csv"));
    assert!(!run.tested().contains("Judged on the rows it was trained on"));
}

/// Scores that are no probabilities are so for a reason, and the page gives the right one.
#[test]
fn a_model_without_probabilities_says_why() {
    let by_distance = Run::builtin("builtin:penguins", "ecoc", &[("rounds", "9"), ("decoding", "hamming")]).html();
    assert!(by_distance.contains("not about probabilities") && !by_distance.contains("trained on costs"));
    let shape = Shape { seed: 1, rows: 60, features: 3, classes: 3, ties: false, missing: false, categorical: false };
    let on_costs = Run::new(shape.dataset(), Some(&shape.costs()), "rebel", &[("rounds", "9")]).html();
    assert!(on_costs.contains("trained on costs") && !on_costs.contains("not about probabilities"));
}
