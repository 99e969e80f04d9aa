//! The portfolio as its users meet it: small, odd and many-classed data, estimates, limits, resuming.

use proptest::prelude::*;
use rand::RngExt;
use rebelboost::booster::{Observer, Partial, RoundInfo, Stop, resume, train};
use rebelboost::context::{Context, stream};
use rebelboost::data::{Column, Dataset, Roles, Table, synthetic};
use rebelboost::model::{Model, Part, argmax};
use rebelboost::settings::Settings;
use rebelboost_testkit::{Shape, context, fit, settings};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn fast() -> Settings {
    settings("auto", &[("preset", "fast")])
}

fn penguins() -> Dataset {
    Dataset::from_table(&synthetic::penguins().unwrap(), &Roles::default(), &mut Vec::new()).unwrap()
}

fn dataset(columns: Vec<Column>, classes: Vec<Option<String>>) -> Dataset {
    let mut names: Vec<String> = (0..columns.len()).map(|i| format!("x{i}")).collect();
    let mut columns = columns;
    names.push("class".into());
    columns.push(Column::categorical(classes));
    Dataset::from_table(&Table::new(names, columns).unwrap(), &Roles::default(), &mut Vec::new()).unwrap()
}

/// Error of the answers to the rows themselves.
fn error(model: &Model, data: &Dataset) -> f64 {
    let scores = model.scores(&data.features, &context());
    let answers = model.decide(&scores, None).unwrap();
    let wrong = answers.iter().zip(&data.labels).filter(|(a, b)| a != b).count();
    wrong as f64 / data.rows() as f64
}

#[test]
fn the_whole_portfolio_on_penguins() {
    let data = penguins();
    let trained = fit(&data, None, &settings("auto", &[]));
    let model = &trained.model;
    assert!(model.parts.len() > 1, "{:?}", model.parts);
    assert_eq!(model.parts.iter().map(|part| part.terms).sum::<usize>(), model.chain.terms.len());
    let estimate = trained.summary.estimate.unwrap();
    assert_eq!((estimate.rows.len(), estimate.scores.len()), (data.rows(), 3 * data.rows()));
    let wrong = estimate.scores.chunks_exact(3).zip(&data.labels).filter(|(h, k)| argmax(h) != **k as usize).count();
    assert!((wrong as f64) < 0.03 * data.rows() as f64, "{wrong} wrong");
    // The estimate is of rows not seen: it must not be that of the training rows.
    let seen = model.scores(&data.features, &context());
    assert!(seen.values != estimate.scores);
    assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), *model);
}

#[test]
fn a_file_whose_members_do_not_add_up_is_refused() {
    let mut model = fit(&penguins(), None, &fast()).model;
    model.parts[0].terms += 1;
    let error = Model::from_bytes(&model.to_bytes()).unwrap_err().to_string();
    assert!(error.contains("members"), "{error}");
}

#[test]
fn a_finished_portfolio_is_not_continued() {
    let model = fit(&penguins(), None, &fast()).model;
    let error = resume(model, &penguins(), None, &fast(), &context(), &mut ()).err().unwrap().to_string();
    assert!(error.contains("nothing to continue"), "{error}");
}

/// Keeps the checkpoint after so many pieces of work, and ends the run there.
struct Kill(usize, Option<Model>);

impl Observer for Kill {
    fn round(&mut self, _: &RoundInfo, _: &Partial<'_>) -> rebelboost::Result<()> {
        Ok(())
    }

    fn checkpoint(&mut self, partial: &Partial<'_>) -> rebelboost::Result<()> {
        self.0 = self.0.saturating_sub(1);
        if self.0 == 0 && self.1.is_none() {
            self.1 = Some(partial.model());
            return Err(rebelboost::Error::internal("killed"));
        }
        Ok(())
    }
}

#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    let shape = Shape { seed: 5, rows: 130, features: 3, classes: 3, ties: false, missing: true, categorical: true };
    // With a category of many levels, too, which trees see as numbers.
    let mut rng = stream(5, "places");
    let table = shape.table();
    let places = Column::categorical((0..130).map(|_| Some(format!("p{}", rng.random_range(0..20)))));
    let (names, columns): (Vec<String>, Vec<Column>) = std::iter::once(("place".into(), places))
        .chain(table.names().iter().cloned().zip(table.columns().iter().cloned()))
        .unzip();
    let table = Table::new(names, columns).unwrap();
    let data = Dataset::from_table(&table, &Roles::default(), &mut Vec::new()).unwrap();
    let whole = fit(&data, None, &fast()).model.to_bytes();
    for threads in [2, 7] {
        let context = Context::new(0, threads).unwrap();
        assert!(
            train(&data, None, &fast(), &context, &mut ()).unwrap().model.to_bytes() == whole,
            "{threads} threads"
        );
    }
    // In the middle of the folds, and after the last one.
    for pieces in [4, 10] {
        let mut kill = Kill(pieces, None);
        assert!(train(&data, None, &fast(), &Context::new(0, 2).unwrap(), &mut kill).is_err());
        let checkpoint = Model::from_bytes(&kill.1.unwrap().to_bytes()).unwrap();
        assert_eq!(checkpoint.provenance.stopped, Stop::Running);
        assert_eq!(checkpoint.parts.len(), pieces);
        let resumed = resume(checkpoint, &data, None, &fast(), &context(), &mut ()).unwrap();
        assert!(resumed.model.to_bytes() == whole, "after {pieces}");
    }
}

#[test]
fn too_little_time_leaves_members_out_and_says_so() {
    let shape =
        Shape { seed: 5, rows: 200, features: 3, classes: 3, ties: false, missing: false, categorical: false };
    let data = shape.dataset();
    let hurried = context().with_time_limit(Duration::from_millis(1));
    let trained = train(&data, None, &settings("auto", &[]), &hurried, &mut ()).unwrap();
    assert_eq!(trained.summary.stopped, Stop::TimeLimit);
    assert!(trained.summary.notes.iter().any(|note| note.contains("left out for want of time")));
    assert!(trained.model.scores(&data.features, &context()).values.iter().all(|h| h.is_finite()));
}

/// Sets a flag after so many pieces of work, as Ctrl-C does.
struct Interrupt(usize, Arc<AtomicBool>);

impl Observer for Interrupt {
    fn round(&mut self, _: &RoundInfo, _: &Partial<'_>) -> rebelboost::Result<()> {
        Ok(())
    }

    fn checkpoint(&mut self, _: &Partial<'_>) -> rebelboost::Result<()> {
        self.0 = self.0.saturating_sub(1);
        self.1.fetch_or(self.0 == 0, Ordering::Relaxed);
        Ok(())
    }
}

/// As many pieces as there are parts are one member, which is enough for a model and an estimate.
#[test]
fn who_stops_early_has_the_quickest_member() {
    let shape =
        Shape { seed: 5, rows: 200, features: 3, classes: 3, ties: false, missing: false, categorical: false };
    let data = shape.dataset();
    let flag = Arc::new(AtomicBool::new(false));
    let stopped = Context::new(0, 1).unwrap().with_cancel(flag.clone());
    let trained = train(&data, None, &settings("auto", &[]), &stopped, &mut Interrupt(10, flag)).unwrap();
    assert_eq!(trained.summary.stopped, Stop::Interrupted);
    assert!(trained.model.parts.iter().any(|part| part.name == "logistic-regression"), "{:?}", trained.model.parts);
    assert!(trained.summary.estimate.is_some());
}

/// Where quick members leave next to nothing to be told, the dearer ones are not tried; where they leave something, they are.
#[test]
fn easy_problems_of_many_rows_end_early() {
    let mut rng = stream(3, "easy");
    let x: Vec<f64> = (0..9_600).map(|_| rng.random_range(0.0..1.0)).collect();
    let easy: Vec<Option<String>> = x.iter().map(|x| Some(if *x > 0.3 { "a" } else { "b" }.into())).collect();
    // One class in ten is not what it seems.
    let hard =
        easy.iter().enumerate().map(|(row, class)| if row % 10 == 0 { Some("a".into()) } else { class.clone() });
    // A class of four rows that nothing tells: never to answer it is hardly ever wrong.
    let rare = (0..x.len()).map(|row| Some(if row % 2400 == 7 { "b" } else { "a" }.into())).collect();
    for (classes, few) in [(hard.collect(), false), (rare, false), (easy, true)] {
        let data = dataset(vec![Column::numeric(x.clone())], classes);
        let trained = fit(&data, None, &fast());
        let said = trained.summary.notes.iter().any(|note| note.contains("no dearer member was tried"));
        assert_eq!(said, few, "{:?}", trained.summary.notes);
        if few {
            let dear = |part: &Part| part.name.starts_with("random-pairs");
            assert!(!trained.model.parts.iter().any(dear), "{:?}", trained.model.parts);
            assert!(error(&trained.model, &data) < 0.001);
        }
    }
}

#[test]
fn single_keeps_one_member() {
    let model = fit(&penguins(), None, &settings("auto", &[("preset", "single")])).model;
    assert_eq!(model.parts.len(), 1);
    assert!(error(&model, &penguins()) < 0.03);
}

#[test]
fn ten_rows() {
    let x: Vec<f64> = (0..10).map(f64::from).collect();
    let data =
        dataset(vec![Column::numeric(x)], (0..10).map(|i| Some(if i < 5 { "a" } else { "b" }.into())).collect());
    let trained = fit(&data, None, &settings("auto", &[]));
    assert_eq!(error(&trained.model, &data), 0.0);
    assert_eq!(trained.summary.estimate.unwrap().folds, 10);
}

/// Few rows of classes that are easy to tell apart: nearly sure, and not only right.
#[test]
fn few_rows_are_calibrated_too() {
    let mut rng = stream(6, "few");
    let labels: Vec<usize> = (0..50).map(|i| i % 5).collect();
    let mut column = |j: usize| {
        Column::numeric(labels.iter().map(|k| f64::from(u8::from(*k == j)) + rng.random_range(-0.2..0.2)).collect())
    };
    let data = dataset((0..5).map(&mut column).collect(), labels.iter().map(|k| Some(format!("c{k}"))).collect());
    let model = fit(&data, None, &settings("auto", &[])).model;
    let probabilities = model.probabilities(&model.scores(&data.features, &context())).unwrap();
    let least = (0..50).map(|row| probabilities.row(row)[data.labels[row] as usize]).fold(1.0, f64::min);
    assert!(least > 0.9, "{least}");
}

/// Many rows at few points: shares of the classes there become the probabilities.
#[test]
fn rows_that_repeat_tell_probabilities() {
    let classes = |point: usize, i: usize| Some(if i * 7 % 10 < 2 + 3 * point { "a" } else { "b" }.to_string());
    let rows: Vec<(usize, usize)> = (0..900).map(|i| (i % 3, i / 3)).collect();
    let column = Column::categorical(rows.iter().map(|(point, _)| Some(["p", "q", "r"][*point])));
    let data = dataset(vec![column], rows.iter().map(|(point, i)| classes(*point, *i)).collect());
    let trained = fit(&data, None, &settings("auto", &[]));
    let model = trained.model;
    let probabilities = model.probabilities(&model.scores(&data.features, &context())).unwrap();
    for (row, (point, _)) in rows.iter().enumerate().take(3) {
        let share = 0.2 + 0.3 * *point as f64;
        assert!((probabilities.row(row)[0] - share).abs() < 0.03, "{share}: {:?}", probabilities.row(row));
    }
    let estimate = trained.summary.estimate.unwrap();
    let wrong = estimate
        .scores
        .chunks_exact(2)
        .zip(&estimate.rows)
        .filter(|(h, row)| argmax(h) != data.labels[**row] as usize);
    assert!((wrong.count() as f64 / 900.0 - 0.3).abs() < 0.1);
}

/// All features categories; one column without a value; one feature; a class of one row.
#[test]
fn odd_columns() {
    let mut rng = stream(1, "odd");
    let words = ["p", "q", "r", "s"];
    let rows: Vec<[usize; 3]> = (0..240).map(|_| std::array::from_fn(|_| rng.random_range(0..4))).collect();
    let class = |i: usize| Some(if i == 7 { "rare".into() } else { words[rows[i][0].max(rows[i][1])].to_string() });
    let column = |j: usize| Column::categorical(rows.iter().map(|row| Some(words[row[j]])));
    let data = dataset((0..3).map(column).collect(), (0..rows.len()).map(class).collect());
    assert!(error(&fit(&data, None, &fast()).model, &data) < 0.02);
    let numbers: Vec<f64> =
        rows.iter().map(|row| row[0] as f64 + 0.1 * row[1] as f64 + 0.01 * row[2] as f64).collect();
    let missing = Column::numeric(vec![f64::NAN; rows.len()]);
    let data = dataset(vec![Column::numeric(numbers), missing], (0..rows.len()).map(class).collect());
    assert_eq!(data.schema.features.len(), 1);
    assert!(error(&fit(&data, None, &fast()).model, &data) < 0.05);
}

#[test]
fn a_thousand_classes() {
    let mut rng = stream(2, "thousand");
    let labels: Vec<usize> = (0..1200).map(|i| i % 1000).collect();
    let column = |scale: usize| {
        Column::numeric(labels.iter().map(|k| (k / scale % 10) as f64 + rng.random_range(-0.1..0.1)).collect())
    };
    let columns: Vec<Column> = [1, 10, 100].map(column).into();
    let data = dataset(columns, labels.iter().map(|k| Some(format!("c{k:03}"))).collect());
    let trained = fit(&data, None, &fast());
    let scores = trained.model.scores(&data.features, &context());
    assert!(scores.values.iter().all(|h| h.is_finite()));
    assert!(error(&trained.model, &data) < 0.2, "{}", error(&trained.model, &data));
}

/// Nobody can be judged: every row left out would leave its class unknown.
#[test]
fn a_class_a_row() {
    let x: Vec<f64> = (0..90).map(f64::from).collect();
    let data = dataset(vec![Column::numeric(x)], (0..90).map(|i| Some(format!("c{i:02}"))).collect());
    let model = fit(&data, None, &fast()).model;
    assert!(model.scores(&data.features, &context()).values.iter().all(|h| h.is_finite()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Few rows: no random choice, so the classes in another order are the same probabilities in another order.
    #[test]
    fn permuting_classes_permutes_probabilities(seed in 0u64..1000) {
        let shape = Shape { seed, rows: 45, features: 3, classes: 3, ties: false, missing: false, categorical: true };
        let data = shape.dataset();
        let k = data.class_count() as u32;
        let mut turned = data.clone();
        turned.labels.iter_mut().for_each(|label| *label = (*label + 1) % k);
        let probabilities = |data: &Dataset| {
            let model = fit(data, None, &settings("auto", &[])).model;
            model.probabilities(&model.scores(&data.features, &context())).unwrap()
        };
        let (a, b) = (probabilities(&data), probabilities(&turned));
        for row in 0..data.rows() {
            for class in 0..k as usize {
                prop_assert!((a.row(row)[class] - b.row(row)[(class + 1) % k as usize]).abs() < 1e-6);
            }
        }
    }
}
