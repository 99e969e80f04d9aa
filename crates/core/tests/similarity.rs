//! Localized similarities (thesis ch. 5): the guarantee, reproducibility, files, bad input, explanations.

use proptest::prelude::*;
use rebelboost::booster::{Observer, Partial, RoundInfo, Stop, Trained, resume, train};
use rebelboost::context::{Context, stream};
use rebelboost::data::{Column, CostMatrix, Dataset, Roles, Table};
use rebelboost::explain::explain;
use rebelboost::model::{Model, WeakModel};
use rebelboost::settings::Settings;
use rebelboost::{ErrorKind, Result};

/// Uniform numbers in [0, 1) from a named stream.
fn uniform(seed: u64, count: usize) -> Vec<f64> {
    use rand::RngExt;
    let mut rng = stream(seed, "similarity tests");
    (0..count).map(|_| rng.random::<f64>()).collect()
}

fn dataset(columns: Vec<Column>, labels: &[usize]) -> Dataset {
    let mut names: Vec<String> = (0..columns.len()).map(|i| format!("x{i}")).collect();
    names.push("class".into());
    let mut columns = columns;
    columns.push(Column::categorical(labels.iter().map(|y| Some(format!("c{y}")))));
    let table = Table::new(names, columns).unwrap();
    Dataset::from_table(&table, &Roles::default(), &mut Vec::new()).unwrap()
}

/// Random points with random labels: nothing to learn but the points themselves.
fn noise(seed: u64, rows: usize, dimensions: usize, classes: usize) -> Dataset {
    let numbers = uniform(seed, rows * (dimensions + 1));
    let columns = (0..dimensions).map(|d| Column::numeric(numbers[d * rows..(d + 1) * rows].to_vec())).collect();
    let mut labels: Vec<usize> = numbers[dimensions * rows..].iter().map(|u| (u * classes as f64) as usize).collect();
    (labels[0], labels[1]) = (0, 1);
    dataset(columns, &labels)
}

/// Every kind of column: numbers, categories, missing values, coincident rows.
fn mixed_kinds() -> Dataset {
    let u = uniform(9, 400);
    let number = |i: usize| if u[i] < 0.1 { f64::NAN } else { (u[i] * 40.0).round() };
    let colour = |i: usize| match (u[100 + i] * 8.0) as usize {
        0 => None,
        n => Some(["red", "green", "blue"][n % 3]),
    };
    let mut columns = vec![
        Column::numeric((0..100).map(number).collect()),
        Column::categorical((0..100).map(colour)),
        Column::numeric(u[200..300].iter().map(|x| (x * 3.0).floor()).collect()),
    ];
    columns.push(Column::numeric(u[300..400].to_vec()));
    columns[3] = columns[3].select(&(0..100).map(|i| i / 2 * 2).collect::<Vec<_>>());
    let labels: Vec<usize> = (0..100).map(|i| usize::from(u[300 + i] > 0.5) + usize::from(u[i] > 0.7)).collect();
    dataset(columns, &labels)
}

fn settings() -> Settings {
    Settings::new("rebel").unwrap().with("learner", "similarity").unwrap()
}

fn context(threads: usize) -> Context {
    Context::new(7, threads).unwrap()
}

fn run(data: &Dataset, settings: &Settings) -> Trained {
    train(data, None, settings, &context(1), &mut ()).unwrap()
}

/// Thesis 5.4: no round may reduce the loss by less than the bound says, and training ends without error.
fn check_guarantee(data: &Dataset, settings: &Settings) -> std::result::Result<(), TestCaseError> {
    let trained = run(data, settings);
    let (n, k) = (data.rows() as f64, data.class_count() as f64);
    let bound = 1.0 - 2.0 / (k * n * n);
    let history = &trained.summary.history;
    for pair in history.windows(2) {
        let ratio = pair[1].loss / pair[0].loss;
        prop_assert!(ratio <= bound + 1e-12, "round {}: {ratio} > {bound}", pair[1].round);
    }
    prop_assert_eq!(trained.summary.stopped, Stop::LossSmallEnough);
    prop_assert_eq!(history.last().unwrap().error, 0.0);
    let scores = trained.model.scores(&data.features, &context(1));
    prop_assert_eq!(&trained.model.decide(&scores, None).unwrap(), &data.labels);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_labels_are_learned(seed in 0u64..1 << 40, rows in 4usize..=80, d in 1usize..=20, k in 2usize..=6) {
        let data = noise(seed, rows, d, k);
        check_guarantee(&data, &settings())?;
    }

    #[test]
    fn random_labels_are_learned_as_published(seed in 0u64..1 << 40, rows in 4usize..=60, d in 1usize..=20, k in 2usize..=6) {
        let data = noise(seed, rows, d, k);
        check_guarantee(&data, &settings().with("faithful", "on").unwrap())?;
    }

    #[test]
    fn other_losses_and_costs_work(seed in 0u64..1 << 40, rows in 8usize..=40, d in 1usize..=5) {
        let data = noise(seed, rows, d, 3);
        let k = data.class_count();
        let cost = |i: usize| if i / k == i % k { 0.0 } else { 1.0 + (i % 5) as f64 };
        let costs = CostMatrix::new((0..k * k).map(cost).collect(), &data.schema.classes).unwrap();
        for loss in ["exp", "logistic", "squared"] {
            for subcosts in ["thesis", "paper"] {
                let settings = settings().with("loss", loss).unwrap().with("subcosts", subcosts).unwrap();
                let settings = settings.with("rounds", 60).unwrap();
                let trained = train(&data, Some(&costs), &settings, &context(1), &mut ()).unwrap();
                let losses: Vec<f64> = trained.summary.history.iter().map(|r| r.loss).collect();
                prop_assert!(losses.windows(2).all(|w| w[1] < w[0] * (1.0 + 1e-12)), "{loss} {subcosts} {losses:?}");
            }
        }
    }
}

#[test]
fn random_labels_are_learned_at_300_rows() {
    check_guarantee(&noise(3, 300, 6, 6), &settings()).unwrap();
    check_guarantee(&noise(4, 300, 2, 3), &settings()).unwrap();
}

#[test]
fn threads_do_not_change_a_byte() {
    // Large enough that work is shared.
    let data = noise(5, 3000, 12, 5);
    let settings = settings().with("rounds", 25).unwrap();
    let bytes = |threads| {
        let trained = train(&data, None, &settings, &context(threads), &mut ()).unwrap();
        let scores = trained.model.scores(&data.features, &context(threads));
        (trained.model.to_bytes(), scores.values)
    };
    let one = bytes(1);
    assert!(one == bytes(2) && one == bytes(7));
}

#[test]
fn training_scores_are_prediction_scores() {
    // What the loop added up must be what the model says: the error it saw is the error of the loaded model.
    for data in [mixed_kinds(), noise(6, 2000, 3, 4)] {
        let trained = run(&data, &settings().with("rounds", 40).unwrap());
        let loaded = Model::from_bytes(&trained.model.to_bytes()).unwrap();
        assert_eq!(loaded.to_bytes(), trained.model.to_bytes());
        let (a, b) = (trained.model.scores(&data.features, &context(1)), loaded.scores(&data.features, &context(2)));
        assert_eq!(a, b);
        let answers = loaded.decide(&b, None).unwrap();
        let wrong = answers.iter().zip(&data.labels).filter(|(a, b)| a != b).count();
        let seen = trained.summary.history.last().unwrap().error;
        assert!((seen - wrong as f64 / data.rows() as f64).abs() < 1e-12);
    }
}

#[test]
fn a_resumed_run_ends_with_the_same_bytes() {
    struct Keep(usize, Option<Model>);
    impl Observer for Keep {
        fn round(&mut self, info: &RoundInfo, partial: &Partial<'_>) -> Result<()> {
            if info.round == self.0 {
                self.1 = Some(partial.model());
            }
            Ok(())
        }
    }
    // Bytes must agree whether training ends by its loss, by its rounds, or by giving up.
    let stalled = mixed_kinds();
    for (data, rounds, at) in [(noise(8, 70, 4, 3), 1000, 9), (noise(8, 1500, 4, 3), 40, 31), (stalled, 2000, 60)] {
        let settings = settings().with("rounds", rounds).unwrap();
        let mut keep = Keep(at, None);
        let whole = train(&data, None, &settings, &context(1), &mut keep).unwrap().model;
        let checkpoint = Model::from_bytes(&keep.1.unwrap().to_bytes()).unwrap();
        let resumed = resume(checkpoint, &data, None, &settings, &context(2), &mut ()).unwrap().model;
        assert!(whole.to_bytes() == resumed.to_bytes(), "{rounds}");
    }
}

#[test]
fn hostile_files_are_refused_or_harmless() {
    let data = mixed_kinds();
    let model = run(&data, &settings().with("rounds", 6).unwrap()).model;
    let good = model.to_bytes();
    let sealed = |mut bytes: Vec<u8>| {
        let end = bytes.len() - 4;
        let sum = crc32fast::hash(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        bytes
    };
    for at in 12..good.len() - 4 {
        for change in [0u8, 1, 0x7f, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = change;
            if let Ok(model) = Model::from_bytes(&sealed(bytes)) {
                let scores = model.scores(&data.features, &context(1));
                assert_eq!(scores.values.len(), data.rows() * model.class_count());
                explain(&model, &data.features, 3).unwrap();
            }
        }
        assert!(Model::from_bytes(&good[..at]).is_err());
    }
}

#[test]
fn coincident_rows_are_settled_and_counted() {
    let columns = vec![Column::numeric(vec![1.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])];
    let data = dataset(columns, &[0, 0, 1, 1, 0, 1, 0, 1]);
    let trained = run(&data, &settings());
    assert!(
        trained.summary.notes.iter().any(|n| n.starts_with("3 row(s) have the same values")),
        "{:?}",
        trained.summary.notes
    );
    assert_eq!(trained.summary.history.last().unwrap().error, 1.0 / 8.0);
    assert_eq!(trained.summary.stopped, Stop::LossSmallEnough);
    let mixed = run(&data, &settings().with("coincident", "mixed").unwrap());
    assert_eq!(mixed.summary.stopped, Stop::LossSmallEnough);
    let all = dataset(vec![Column::numeric(vec![1.0, 1.0, 2.0, 2.0])], &[0, 1, 0, 1]);
    let error = train(&all, None, &settings().with("coincident", "mixed").unwrap(), &context(1), &mut ());
    assert_eq!(error.err().unwrap().kind(), ErrorKind::Data);
    // By majority there is nothing left to tell apart: a constant answer, not a hang.
    assert!(run(&all, &settings()).model.chain.terms.len() < 50);
}

#[test]
fn bad_input_gets_words_or_a_sane_model() {
    let numbers = |values: &[f64]| Column::numeric(values.to_vec());
    let sane = |data: &Dataset| {
        let trained = run(data, &settings().with("rounds", 3000).unwrap());
        let scores = trained.model.scores(&data.features, &context(1));
        assert!(scores.values.iter().all(|h| h.is_finite()));
        trained.summary.history.last().map_or(1.0, |r| r.error)
    };
    // Fewer than four rows.
    assert_eq!(sane(&dataset(vec![numbers(&[1.0, 2.0])], &[0, 1])), 0.0);
    assert_eq!(sane(&dataset(vec![numbers(&[1.0, 2.0, 3.0])], &[0, 1, 0])), 0.0);
    // As many classes as rows.
    assert_eq!(sane(&dataset(vec![numbers(&[1.0, 2.0, 5.0, 9.0])], &[0, 1, 2, 3])), 0.0);
    // More classes than rows, and one distinct point: rows of a larger data set.
    let many = dataset(vec![numbers(&[1.0, 1.0, 1.0, 2.0, 3.0, 4.0])], &[0, 1, 2, 3, 4, 5]);
    sane(&many.select(&[3, 4, 5]));
    let constant = train(&many.select(&[0, 1, 2]), None, &settings(), &context(1), &mut ());
    assert_eq!(constant.err().unwrap().kind(), ErrorKind::Data);
    // Outliers that swallow everything else.
    for huge in [1e30, -1e30, 1e300, f64::MAX] {
        let mut values = uniform(1, 40);
        values[3] = huge;
        let other = uniform(2, 40);
        let labels: Vec<usize> = other.iter().map(|x| usize::from(*x > 0.5)).collect();
        for scaling in ["standard", "minmax", "raw", "within-class"] {
            let data = dataset(vec![numbers(&values), numbers(&other)], &labels);
            let settings = settings().with("scaling", scaling).unwrap().with("rounds", 500).unwrap();
            let trained = run(&data, &settings);
            let scores = trained.model.scores(&data.features, &context(1));
            assert!(scores.values.iter().all(|h| h.is_finite()), "{huge} {scaling}");
        }
    }
    // Numbers on the edge of what can be told apart.
    let tiny: Vec<f64> = (0..20).map(|i| 1.0 + f64::from(i) * 1e-14).collect();
    let labels: Vec<usize> = (0..20).map(|i| i % 2).collect();
    sane(&dataset(vec![numbers(&tiny)], &labels));
    // Memory.
    let data = noise(1, 20_000, 20, 2);
    let error = train(&data, None, &settings().with("memory-limit", 1).unwrap(), &context(1), &mut ());
    let error = error.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(error.to_string().contains("--memory-limit"), "{error}");
    // The wrong booster.
    let wrong = Settings::new("adaboost").unwrap().with("learner", "similarity").unwrap();
    let error = train(&noise(1, 20, 2, 2), None, &wrong, &context(1), &mut ()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Option);
}

#[test]
fn the_memory_limit_does_not_change_the_model() {
    let data = noise(2, 4000, 30, 3);
    let limited = |megabytes: usize| {
        let settings = settings().with("rounds", 30).unwrap().with("memory-limit", megabytes).unwrap();
        let mut model = run(&data, &settings).model;
        model.provenance.settings.remove("memory-limit");
        model.to_bytes()
    };
    assert!(limited(1) == limited(100));
}

#[test]
fn explanations_add_up_and_name_rows() {
    let data = mixed_kinds();
    let similarities = run(&data, &settings().with("rounds", 30).unwrap()).model;
    let trees = run(&data, &Settings::new("rebel").unwrap().with("rounds", 30).unwrap()).model;
    for model in [&similarities, &trees] {
        let scores = model.scores(&data.features, &context(1));
        let answers = model.decide(&scores, None).unwrap();
        for row in 0..data.rows() {
            let told = explain(model, &data.features, row).unwrap();
            let mut sum = told.bias.clone();
            for term in &told.terms {
                sum.iter_mut().zip(&term.contributions).for_each(|(h, c)| *h += c);
            }
            assert_eq!(sum, scores.row(row));
            assert_eq!(told.scores, sum);
            assert_eq!(told.answer, answers[row]);
            assert_ne!(told.answer, told.second);
            let weights: Vec<f64> = told.by_weight().iter().map(|term| told.weight(term).abs()).collect();
            assert!(weights.windows(2).all(|pair| pair[0] >= pair[1]));
        }
        assert!(explain(model, &data.features, 100).is_err());
    }
    let told = explain(&similarities, &data.features, 5).unwrap();
    let comparison = told.terms.iter().find(|term| term.text.starts_with("closer to training row ")).unwrap();
    assert!(comparison.text.contains(" than to row ") && comparison.text.ends_with(')'), "{}", comparison.text);
    assert!(told.similar.windows(2).all(|pair| pair[0].distance <= pair[1].distance));
    let values = told.similar[0].values.as_ref().unwrap();
    assert_eq!(values.len(), 4);
    assert!(values.iter().all(|value| value.differs == (value.here != value.there)));
    // A support explained by itself is its own nearest row.
    let support = similarities.chain.supports[0].rows[0] as usize;
    assert_eq!(explain(&similarities, &data.features, support).unwrap().similar[0].distance, 0.0);
    let told = explain(&trees, &data.features, 5).unwrap();
    assert!(told.terms.iter().any(|term| term.text.contains(" <= ") || term.text.contains(" > ")));
    assert!(told.similar.is_empty());
}

#[test]
fn more_features_than_most_tables_have() {
    let column = |i: usize| Column::numeric((0..6).map(|n| ((n * 31 + i * 7) % 13) as f64).collect());
    let data = dataset((0..60_000).map(column).collect(), &[0, 1, 2, 0, 1, 2]);
    let trained = run(&data, &settings());
    assert_eq!(trained.summary.history.last().unwrap().error, 0.0);
    assert!(trained.model.scores(&data.features, &context(1)).values.iter().all(|h| h.is_finite()));
}

#[test]
fn options_of_other_learners_are_refused() {
    let data = noise(1, 20, 2, 2);
    let refused = |settings: Settings| {
        let error = train(&data, None, &settings, &context(1), &mut ()).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Option);
        error.to_string()
    };
    assert!(refused(settings().with("depth", 4).unwrap()).contains("--depth means nothing"));
    assert!(
        refused(settings().with("learner", "tree").unwrap().with("faithful", "on").unwrap()).contains("--faithful")
    );
}

#[test]
fn original_values_can_be_left_out() {
    let data = mixed_kinds();
    let model = run(&data, &settings().with("rounds", 10).unwrap().with("keep-values", "off").unwrap()).model;
    assert!(model.chain.supports[0].values.is_none());
    let loaded = Model::from_bytes(&model.to_bytes()).unwrap();
    assert_eq!(loaded.scores(&data.features, &context(1)), model.scores(&data.features, &context(1)));
    assert!(explain(&loaded, &data.features, 0).unwrap().similar[0].values.is_none());
}

#[test]
fn faithful_responses_are_signs() {
    let data = noise(11, 50, 3, 3);
    let model = run(&data, &settings().with("faithful", "on").unwrap()).model;
    let responses = model.chain.responses(&data.features, 7);
    assert!(responses.iter().all(|f| f.abs() == 1.0));
    assert!(model.chain.terms.iter().all(|t| matches!(&t.learner, WeakModel::Similarity(s) if s.sign)));
}
