//! Active learning: what must hold for any booster, strategy and pool.

use proptest::prelude::*;
use rand::RngExt;
use rebelboost::active::{
    ActiveLearner, ActiveSettings, ClassCosts, Hint, Known, Pool, Query, Reason, State, simulate,
};
use rebelboost::booster::train;
use rebelboost::context::Context;
use rebelboost::data::{Column, Dataset, Roles, Table};
use rebelboost::registry::ALGORITHMS;
use rebelboost::settings::Settings;
use rebelboost_testkit::{Shape, settings, shapes};
use std::collections::{BTreeMap, BTreeSet};

const STRATEGIES: [&str; 5] = ["margin", "entropy", "vote", "expected-cost", "random"];

fn context(threads: usize) -> Context {
    Context::new(3, threads).unwrap()
}

fn quick() -> Settings {
    settings("rebel", &[("rounds", "8")])
}

fn active(changes: &[(&str, &str)]) -> ActiveSettings {
    changes.iter().fold(ActiveSettings::new().unwrap(), |a, (name, value)| a.with(name, value).unwrap())
}

fn costs(shape: &Shape, data: &Dataset) -> Option<ClassCosts> {
    Some(ClassCosts { names: data.schema.classes.clone(), matrix: shape.costs() })
}

fn truth(data: &Dataset, row: usize) -> &str {
    &data.schema.classes[data.labels[row] as usize]
}

fn shape(rows: usize) -> Shape {
    Shape { seed: 5, rows, features: 3, classes: 3, ties: false, missing: true, categorical: true }
}

/// Answers everything, or skips a row in seven, and returns the questions.
fn answer_all(learner: &mut ActiveLearner<'_>, data: &Dataset, most: usize) -> Vec<Query> {
    let mut asked = Vec::new();
    while let Some(query) = learner.query().unwrap().filter(|_| asked.len() < most) {
        if query.row % 7 == 3 {
            learner.skip(query.row).unwrap();
        } else {
            learner.teach(query.row, truth(data, query.row)).unwrap();
        }
        asked.push(query);
    }
    asked
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every row is asked exactly once, whatever the strategy, also when only a part of the pool is judged.
    #[test]
    fn no_row_is_asked_twice_and_none_is_forgotten(
        shape in shapes(40, 3, 4), strategy in 0..5usize, batch in 1..9usize, diversity in 0..2usize,
    ) {
        let data = shape.dataset();
        let pool = Pool::unlabelled(&data, &context(1));
        let active = active(&[
            ("strategy", STRATEGIES[strategy]), ("batch", &batch.to_string()), ("pool-sample", "12"),
            ("diversity", ["0", "0.3"][diversity]), ("committee", "3"),
        ]);
        let mut learner = ActiveLearner::new(&pool, quick(), active, costs(&shape, &data), context(1)).unwrap();
        let mut seen = BTreeSet::new();
        while let Some(query) = learner.query().unwrap() {
            prop_assert_eq!(learner.query().unwrap(), Some(query.clone()), "asking again is the same question");
            prop_assert!(seen.insert(query.row), "row {} was asked twice", query.row);
            if query.row % 5 == 0 { learner.skip(query.row).unwrap() } else { learner.teach(query.row, truth(&data, query.row)).unwrap() }
        }
        prop_assert_eq!(seen.len(), data.rows());
        prop_assert_eq!(learner.open(), 0);
        prop_assert_eq!(learner.counts().iter().sum::<usize>() + learner.skipped(), data.rows());
    }

    /// Killed after any answer and resumed from what was on disk, the questions are those of one session.
    #[test]
    fn a_resumed_session_asks_the_same(shape in shapes(36, 3, 3), strategy in 0..5usize, cut in 0..30usize) {
        let data = shape.dataset();
        let pool = Pool::unlabelled(&data, &context(1));
        let active = active(&[("strategy", STRATEGIES[strategy]), ("batch", "4"), ("committee", "3")]);
        let costs = costs(&shape, &data);
        let mut whole = ActiveLearner::new(&pool, quick(), active.clone(), costs.clone(), context(1)).unwrap();
        let expected = answer_all(&mut whole, &data, usize::MAX);
        let mut first = ActiveLearner::new(&pool, quick(), active.clone(), costs.clone(), context(1)).unwrap();
        let mut asked = answer_all(&mut first, &data, cut);
        let state = State::from_text(&first.state().to_text()).unwrap();
        prop_assert_eq!(&state, first.state());
        let mut second = ActiveLearner::resume(&pool, quick(), active, costs, context(1), state).unwrap();
        asked.extend(answer_all(&mut second, &data, usize::MAX));
        prop_assert_eq!(asked, expected);
        prop_assert_eq!(second.state(), whole.state());
    }

    /// The chosen rows are the best by brute force over the whole pool.
    #[test]
    fn margins_are_the_smallest_of_the_pool(shape in shapes(60, 3, 4), batch in 1..8usize) {
        let data = shape.dataset();
        let pool = Pool::unlabelled(&data, &context(1));
        let batch_text = batch.to_string();
        let active = active(&[("batch", &batch_text), ("check", "0"), ("diversity", "0"), ("seed-rows", "2"), ("estimate", "off")]);
        let mut learner = ActiveLearner::new(&pool, quick(), active, None, context(1)).unwrap();
        let known: BTreeMap<usize, String> = (0..data.rows()).step_by(2).map(|r| (r, truth(&data, r).into())).collect();
        learner.reconcile(&known).unwrap();
        let questions = learner.batch().unwrap().to_vec();
        let model = learner.model().unwrap().cloned();
        prop_assume!(model.is_some());
        let scores = model.unwrap().scores(&data.features, &context(1));
        let gap = |row: usize| {
            let mut sorted = scores.row(row).to_vec();
            sorted.sort_by(|a, b| b.total_cmp(a));
            sorted[0] - sorted[1]
        };
        let mut gaps: Vec<f64> = (0..data.rows()).filter(|r| !known.contains_key(r)).map(gap).collect();
        gaps.sort_by(f64::total_cmp);
        let asked: Vec<f64> = questions.iter().map(|q| gap(q.row)).collect();
        prop_assert_eq!(&asked[..], &gaps[..asked.len()]);
        prop_assert_eq!(asked.len(), batch.min(gaps.len()));
        for question in &questions {
            let Reason::Margin { gap: told, .. } = &question.reason else { panic!("{question:?}") };
            prop_assert_eq!(*told, gap(question.row));
        }
    }

    /// Undoing everything leads back to the beginning, with the labels of the data untouched.
    #[test]
    fn everything_can_be_undone(shape in shapes(30, 2, 3), answers in 0..30usize) {
        let data = shape.dataset();
        let pool = Pool::unlabelled(&data, &context(1));
        let mut learner = ActiveLearner::new(&pool, quick(), active(&[]), None, context(1)).unwrap();
        let asked = answer_all(&mut learner, &data, answers);
        for query in asked.iter().rev() {
            prop_assert_eq!(learner.undo().unwrap().unwrap().row, query.row);
            prop_assert_eq!(learner.query().unwrap().unwrap().row, query.row, "what was undone is asked next");
        }
        prop_assert!(learner.undo().unwrap().is_none() && learner.state().log.is_empty());
        prop_assert!(learner.classes().is_empty());
    }
}

#[test]
fn threads_change_nothing() {
    let shape = shape(120);
    let data = shape.dataset();
    for strategy in STRATEGIES {
        let run = |threads| {
            let pool = Pool::unlabelled(&data, &context(threads));
            let active = active(&[("strategy", strategy), ("committee", "3")]);
            let mut learner =
                ActiveLearner::new(&pool, quick(), active, costs(&shape, &data), context(threads)).unwrap();
            answer_all(&mut learner, &data, 60);
            learner.state().to_text()
        };
        let one = run(1);
        assert!(one == run(2) && one == run(7), "{strategy}");
    }
}

#[test]
fn every_registered_booster_can_learn_actively() {
    let data = Shape { classes: 2, ..shape(80) }.dataset();
    for algorithm in ALGORITHMS {
        let pool = Pool::unlabelled(&data, &context(1));
        let in_rounds = algorithm.parameters().any(|p| p.name == "rounds");
        let few = settings(algorithm.name, if in_rounds { &[("rounds", "5")] } else { &[] });
        let mut learner = ActiveLearner::new(&pool, few, active(&[]), None, context(1)).unwrap();
        answer_all(&mut learner, &data, 40);
        assert!(learner.model().unwrap().is_some() && learner.estimate().is_some(), "{}", algorithm.name);
    }
}

#[test]
fn the_model_is_that_of_the_labelled_rows() {
    let data = shape(60).dataset();
    let pool = Pool::unlabelled(&data, &context(1));
    let mut learner = ActiveLearner::new(&pool, quick(), active(&[]), None, context(1)).unwrap();
    assert!(learner.model().unwrap().is_none(), "nothing is known yet");
    answer_all(&mut learner, &data, 40);
    let mut rows: Vec<usize> = learner.state().log.iter().filter(|e| e.class.is_some()).map(|e| e.row).collect();
    rows.sort_unstable();
    let expected = train(&data.select(&rows), None, &quick(), &context(1), &mut ()).unwrap().model;
    assert_eq!(learner.model().unwrap(), Some(&expected));
}

#[test]
fn votes_are_those_of_a_split_committee() {
    let data = shape(100).dataset();
    let pool = Pool::unlabelled(&data, &context(1));
    let active = active(&[("strategy", "vote"), ("check", "0"), ("estimate", "off")]);
    let mut learner = ActiveLearner::new(&pool, quick(), active, None, context(1)).unwrap();
    let known = (0..40).map(|r| (r, truth(&data, r).to_string())).collect();
    learner.reconcile(&known).unwrap();
    let batch = learner.batch().unwrap();
    assert_eq!(batch.len(), 5);
    for query in batch {
        let Reason::Votes(votes) = &query.reason else { panic!("{query:?}") };
        assert_eq!(votes.iter().map(|(_, count)| count).sum::<u32>(), 5);
        assert!(votes.len() > 1 && votes.windows(2).all(|w| w[0].1 >= w[1].1), "{votes:?}");
    }
}

/// Each row equally often: 3 of 12 rows, 2000 seeds, five deviations.
#[test]
fn the_random_strategy_favours_no_row() {
    let data = shape(12).dataset();
    let pool = Pool::unlabelled(&data, &context(1));
    let mut counts = [0; 12];
    for seed in 0..2000 {
        let context = Context::new(seed, 1).unwrap();
        let active = active(&[("strategy", "random"), ("batch", "3")]);
        let mut learner = ActiveLearner::new(&pool, quick(), active, None, context).unwrap();
        learner.batch().unwrap().iter().for_each(|q| counts[q.row] += 1);
    }
    assert!(counts.iter().all(|c| (500 - 97..=500 + 97).contains(c)), "{counts:?}");
}

#[test]
fn a_batch_holds_no_near_duplicates_and_checks_are_random() {
    // Ten copies of every row.
    let values: Vec<f64> = (0..200).map(|i| f64::from(i % 20)).collect();
    let words = |v: &f64| Some(if *v < 9.0 { "low" } else { "high" });
    let columns = vec![Column::numeric(values.clone()), Column::categorical(values.iter().map(words))];
    let table = Table::new(vec!["x".into(), "class".into()], columns).unwrap();
    let data = Dataset::from_table(&table, &Roles::default(), &mut Vec::new()).unwrap();
    let pool = Pool::unlabelled(&data, &context(1));
    let run = |diversity: &str, check: &str| {
        let active = active(&[("batch", "16"), ("diversity", diversity), ("check", check)]);
        let mut learner = ActiveLearner::new(&pool, quick(), active, None, context(1)).unwrap();
        while learner.state().log.len() < 10 {
            let query = learner.query().unwrap().unwrap();
            learner.teach(query.row, truth(&data, query.row)).unwrap();
        }
        learner.batch().unwrap().to_vec()
    };
    let distinct = |batch: &[Query]| batch.iter().map(|q| values[q.row] as u32).collect::<BTreeSet<_>>().len();
    let (free, diverse) = (run("0", "0"), run("0.05", "0"));
    assert!(distinct(&free) < free.len(), "without diversity copies are asked: {free:?}");
    assert_eq!(distinct(&diverse), diverse.len());
    assert_eq!(run("0.05", "2").iter().filter(|q| q.reason == Reason::Random).count(), 8);
    assert!(diverse.iter().all(|q| !q.reason.is_random()));
}

#[test]
fn one_class_is_searched_beyond_and_new_classes_are_learned() {
    let values: Vec<f64> = (0..50).map(f64::from).collect();
    let table = Table::new(vec!["x".into()], vec![Column::numeric(values)]).unwrap();
    let mut notes = Vec::new();
    let pool = Pool::from_table(&table, &Roles::default(), &context(1), &mut notes).unwrap();
    assert_eq!(pool.schema().target, "label");
    let mut learner = ActiveLearner::new(&pool, quick(), active(&[("seed-rows", "4")]), None, context(1)).unwrap();
    for _ in 0..4 {
        let row = learner.query().unwrap().unwrap().row;
        learner.teach(row, "same").unwrap();
    }
    let far = learner.batch().unwrap().to_vec();
    assert!(far.iter().all(|q| q.reason == Reason::Far) && far.len() == 5);
    assert!(far.iter().any(|q| q.row == 0 || q.row == 49), "an end is farthest: {far:?}");
    assert!(learner.model().unwrap().is_none());
    for query in &far {
        learner.teach(query.row, "other").unwrap();
    }
    assert!(matches!(learner.query().unwrap().unwrap().reason, Reason::Margin { .. } | Reason::Random));
    assert_eq!(learner.classes(), ["same", "other"]);
    assert_eq!(learner.model().unwrap().unwrap().schema.classes, ["other", "same"], "models sort their classes");
    assert_eq!(learner.hint(), Hint::Early);
}

#[test]
fn declared_classes_stay_and_mistyped_ones_go() {
    let data = shape(30).dataset();
    let pool = Pool::unlabelled(&data, &context(1));
    let mut learner = ActiveLearner::new(&pool, quick(), active(&[]), None, context(1)).unwrap();
    ["c0", "c1"].iter().for_each(|class| learner.declare(class).unwrap());
    learner.teach(3, "c1").unwrap();
    learner.teach(4, "cl").unwrap();
    learner.undo().unwrap();
    learner.undo().unwrap();
    assert_eq!(learner.classes(), ["c0", "c1"]);
    assert!(learner.declare(" ").is_err() && learner.teach(99, "c0").is_err() && learner.skip(99).is_err());
}

#[test]
fn labels_of_the_data_count_and_a_file_of_labels_wins() {
    let shape = shape(40);
    let data = shape.dataset();
    let half: Vec<Option<String>> = (0..40).map(|r| (r < 20).then(|| truth(&data, r).into())).collect();
    let (names, mut columns) = shape.table().into_parts();
    *columns.last_mut().unwrap() = Column::categorical(half);
    let table = Table::new(names, columns).unwrap();
    let pool = Pool::from_table(&table, &Roles::default(), &context(1), &mut Vec::new()).unwrap();
    let mut learner = ActiveLearner::new(&pool, quick(), active(&[]), None, context(1)).unwrap();
    assert_eq!((learner.open(), learner.counts().iter().sum::<usize>()), (20, 20));
    let query = learner.query().unwrap().unwrap();
    assert!(query.row >= 20 && !matches!(query.reason, Reason::Seed), "what is known is enough: {query:?}");
    assert!(learner.teach(0, "c1").unwrap_err().to_string().contains("row 1 has the class"));

    learner.teach(query.row, "c0").unwrap();
    let file = BTreeMap::from([(0, "c9".to_string()), (query.row, "c1".to_string()), (39, "c2".to_string())]);
    let done = learner.reconcile(&file).unwrap();
    assert_eq!((done.added, done.changed, done.removed), (1, 2, 0));
    assert_eq!([0, query.row, 39].map(|r| learner.label(r).unwrap().to_string()), ["c9", "c1", "c2"]);
    let done = learner.reconcile(&BTreeMap::new()).unwrap();
    assert_eq!((done.added, done.changed, done.removed), (0, 0, 3));
    assert_eq!(learner.label(0), Some(truth(&data, 0)));
}

#[test]
fn damaged_and_foreign_states_are_refused() {
    let data = shape(30).dataset();
    let pool = Pool::unlabelled(&data, &context(1));
    let mut learner = ActiveLearner::new(&pool, quick(), active(&[]), None, context(1)).unwrap();
    answer_all(&mut learner, &data, 12);
    let text = learner.state().to_text();
    let refused = |text: &str| State::from_text(text).unwrap_err().to_string();
    assert!(refused(&text[..text.len() / 2]).contains("damaged"));
    assert!(refused(&text.replace("\"given\":false", "\"given\":true")).contains("checksum"));
    assert!(refused("{}").contains("damaged") && refused("").contains("damaged"));
    assert!(refused(&text.replace("\"version\":1", "\"version\":2")).contains("update RebelBoost"));
    assert!(refused(&text.replace("rebelboost-labels", "other")).contains("not a labelling session"));
    let other = Shape { seed: 6, ..shape(30) }.dataset();
    let other = Pool::unlabelled(&other, &context(1));
    let state = State::from_text(&text).unwrap();
    let error = ActiveLearner::resume(&other, quick(), active(&[]), None, context(1), state).err().unwrap();
    assert!(error.to_string().contains("other data"), "{error}");
}

#[test]
fn costs_are_needed_and_name_all_classes() {
    let shape = shape(40);
    let data = shape.dataset();
    let pool = Pool::unlabelled(&data, &context(1));
    let dear = active(&[("strategy", "expected-cost")]);
    assert!(ActiveLearner::new(&pool, quick(), dear.clone(), None, context(1)).is_err());
    let mut learner = ActiveLearner::new(&pool, quick(), dear, costs(&shape, &data), context(1)).unwrap();
    let row = learner.query().unwrap().unwrap().row;
    assert!(learner.teach(row, "unheard").unwrap_err().to_string().contains("do not name the class 'unheard'"));
    answer_all(&mut learner, &data, 25);
    let dearest = learner.batch().unwrap().iter().find(|q| !q.reason.is_random()).cloned();
    assert!(matches!(dearest.unwrap().reason, Reason::Cost { cost, .. } if cost > 0.0));
}

/// Two classes with a clean border, of which random rows see little.
fn bordered(rows: usize, seed: u64) -> Dataset {
    let mut rng = rebelboost::context::stream(seed, "bordered");
    let mut column = || (0..rows).map(|_| rng.random_range(0.0..1.0)).collect::<Vec<f64>>();
    let (x, y) = (column(), column());
    let side = |i: usize| Some(if x[i] + y[i] > 0.9 { "above" } else { "below" });
    let class = Column::categorical((0..rows).map(side));
    let names = ["x", "y", "class"].map(String::from).to_vec();
    let table = Table::new(names, vec![Column::numeric(x.clone()), Column::numeric(y.clone()), class]).unwrap();
    Dataset::from_table(&table, &Roles::default(), &mut Vec::new()).unwrap()
}

#[test]
fn simulations_do_not_depend_on_threads_and_active_learning_pays() {
    let (train, test) = (bordered(600, 1), bordered(1000, 2));
    let curve = |strategy: &str, threads| {
        let context = context(threads);
        let pool = Pool::unlabelled(&train, &context);
        let known = Known { train: &train, pool: &pool, test: &test, costs: None };
        let active = active(&[("strategy", strategy), ("batch", "10")]);
        let booster = settings("rebel", &[("rounds", "60")]);
        let mut heard = 0;
        let mut curve = simulate(&known, &booster, &active, 200, 10, &context, &mut |n| heard = n).unwrap();
        assert_eq!(heard, 200);
        curve.seconds.clear();
        curve
    };
    let margin = curve("margin", 1);
    assert_eq!(margin, curve("margin", 7));
    assert_eq!((margin.labelled[0], margin.labelled.last()), (10, Some(&200)));
    let random = curve("random", 1);
    let area = |errors: &[f64]| errors.iter().sum::<f64>();
    assert!(area(&margin.error) < area(&random.error), "{:?}\n{:?}", margin.error, random.error);
}
