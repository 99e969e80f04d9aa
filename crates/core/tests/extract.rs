//! Feature extraction against scikit-learn on committed golden files (golden/extract/make.py), and what must hold
//! whatever the data: the same result on any number of threads, new rows mapped as training rows are, no harm done by
//! odd tables.

use proptest::prelude::*;
use rebelboost::context::Context;
use rebelboost::data::{Column, Dataset, Features, Roles, Table};
use rebelboost::extract::{Map, Plan, kmeans};
use rebelboost_testkit::{Shape, context, dataset, shapes, table};

fn golden() -> serde_json::Value {
    serde_json::from_str(include_str!("golden/extract/golden.json")).unwrap()
}

/// The 90 rows that the golden maps were learned from, and the 10 that they were tried on.
fn points() -> (Dataset, Dataset) {
    let all = dataset(&table(include_str!("golden/extract/points.csv")));
    (all.select(&(0..90).collect::<Vec<_>>()), all.select(&(90..100).collect::<Vec<_>>()))
}

fn fit(step: &str, data: &Dataset) -> (Map, Vec<String>) {
    let mut notes = Vec::new();
    let map = Plan::parse(step).unwrap().fit(data, &context(), &mut notes).unwrap();
    (map, notes)
}

fn refused(step: &str, data: &Dataset) -> String {
    Plan::parse(step).unwrap().fit(data, &context(), &mut Vec::new()).unwrap_err().to_string()
}

/// `[row][output]`.
fn mapped(map: &Map, features: &Features) -> Vec<Vec<f64>> {
    let columns = map.apply(features, Some(&context()));
    let value = |column: &Column, row: usize| match column {
        Column::Numeric(numbers) => numbers.get(row),
        Column::Categorical(levels) => f64::from(levels.codes[row]),
    };
    (0..features.rows).map(|row| columns.iter().map(|column| value(column, row)).collect()).collect()
}

fn matrix(value: &serde_json::Value) -> Vec<Vec<f64>> {
    let numbers = |row: &serde_json::Value| row.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    value.as_array().unwrap().iter().map(numbers).collect()
}

/// Equal but for the sign of each output.
fn same_up_to_signs(ours: &[Vec<f64>], theirs: &[Vec<f64>], what: &str) {
    assert_eq!((ours.len(), ours[0].len()), (theirs.len(), theirs[0].len()), "{what}");
    for output in 0..ours[0].len() {
        let product: f64 = ours.iter().zip(theirs).map(|(a, b)| a[output] * b[output]).sum();
        for (a, b) in ours.iter().zip(theirs) {
            let (a, b) = (a[output], b[output] * product.signum());
            assert!((a - b).abs() < 1e-6, "{what}, output {output}: {a} {b}");
        }
    }
}

#[test]
fn pca_is_scikit_learns() {
    let (golden, (data, new)) = (golden(), points());
    let (map, notes) = fit("pca:3,scaling=raw", &data);
    assert!(notes.is_empty());
    let Map::Linear(linear) = &map else { panic!("{map:?}") };
    let shares = &matrix(&serde_json::json!([golden["pca"]["shares"]]))[0];
    assert!(linear.shares.iter().zip(shares).all(|(a, b)| (a - b).abs() < 1e-9), "{:?}", linear.shares);
    let directions: Vec<Vec<f64>> = linear.directions.chunks_exact(5).map(<[f64]>::to_vec).collect();
    for (ours, theirs) in directions.iter().zip(matrix(&golden["pca"]["components"])) {
        let cosine: f64 = ours.iter().zip(&theirs).map(|(a, b)| a * b).sum();
        assert!((cosine.abs() - 1.0).abs() < 1e-9);
    }
    same_up_to_signs(&mapped(&map, &new.features), &matrix(&golden["pca"]["new"]), "pca");
}

#[test]
fn lda_is_scikit_learns() {
    let (golden, (data, new)) = (golden(), points());
    for scaling in ["raw", "standard"] {
        // Discriminants do not depend on the scale of columns.
        let (map, notes) = fit(&format!("lda:2,scaling={scaling}"), &data);
        assert!(notes.is_empty(), "{notes:?}");
        same_up_to_signs(&mapped(&map, &new.features), &matrix(&golden["lda"]["new"]), "lda");
        let Map::Linear(linear) = &map else { panic!("{map:?}") };
        let shares = &matrix(&serde_json::json!([golden["lda"]["shares"]]))[0];
        assert!(linear.shares.iter().zip(shares).all(|(a, b)| (a - b).abs() < 1e-9), "{:?}", linear.shares);
    }
}

#[test]
fn kmeans_is_scikit_learns_from_the_same_start() {
    let (golden, (data, _)) = (golden(), points());
    let values: Vec<f64> =
        (0..90).flat_map(|row| data.features.columns.iter().map(move |c| c.text(row).parse().unwrap())).collect();
    let start = matrix(&golden["kmeans"]["start"]).concat();
    let found = kmeans::lloyd(&values, 5, &[1.0; 90], start, 300, &context());
    let centres = matrix(&golden["kmeans"]["centres"]).concat();
    assert!(found.centres.iter().zip(&centres).all(|(a, b)| (a - b).abs() < 1e-6));
    let labels: Vec<usize> =
        golden["kmeans"]["labels"].as_array().unwrap().iter().map(|k| k.as_u64().unwrap() as usize).collect();
    assert_eq!(found.nearest, labels);
    assert!((found.inertia - golden["kmeans"]["inertia"].as_f64().unwrap()).abs() < 1e-6);
}

#[test]
fn isomap_is_scikit_learns_on_training_and_new_rows() {
    let (golden, (data, new)) = (golden(), points());
    let (map, notes) = fit("isomap:2,neighbours=6,scaling=raw", &data);
    assert!(notes.is_empty(), "{notes:?}");
    let ours = mapped(&map, &data.features);
    same_up_to_signs(&ours, &matrix(&golden["isomap"]["fit"]), "isomap");
    // The sign that training rows have, new rows have.
    let flip = |output: usize| (ours[0][output] * matrix(&golden["isomap"]["fit"])[0][output]).signum();
    for (a, b) in mapped(&map, &new.features).iter().zip(matrix(&golden["isomap"]["new"])) {
        (0..2).for_each(|output| assert!((a[output] - flip(output) * b[output]).abs() < 1e-6, "{a:?} {b:?}"));
    }
}

#[test]
fn wide_tables_have_the_same_components() {
    // The same rows with every column twice: more columns than rows, and half of them say nothing new.
    let (data, _) = points();
    let few = data.select(&[0, 1, 2, 3, 4, 5, 6, 7]);
    let twice: Vec<usize> = (0..10).map(|i| i % 5).collect();
    let mut wide = few.with_features(&twice);
    wide.schema.features.iter_mut().enumerate().for_each(|(i, f)| f.name = format!("x{i}"));
    let ours = mapped(&fit("pca:4", &wide).0, &wide.features);
    let narrow = mapped(&fit("pca:4", &few).0, &few.features);
    for (a, b) in ours.iter().zip(&narrow) {
        for (x, y) in a.iter().zip(b) {
            assert!((x.abs() - y.abs() * 2f64.sqrt()).abs() < 1e-6, "{a:?} {b:?}");
        }
    }
}

#[test]
fn too_much_is_not_promised() {
    let (data, _) = points();
    let (map, notes) = fit("lda:9", &data);
    assert_eq!(map.outputs().len(), 2);
    assert!(notes[0].contains("lda makes 2 of the 9 features"), "{notes:?}");
    let (map, notes) = fit("pca:9", &data);
    assert_eq!(map.outputs().len(), 5);
    assert!(notes[0].contains("no more directions"), "{notes:?}");
    // Two groups far apart: the graph of one neighbour falls apart.
    let (_, notes) = fit("isomap:1,neighbours=1", &data);
    assert!(notes[0].contains("parts"), "{notes:?}");
    let mut weighted = data.clone();
    weighted.weights[3] = 2.0;
    assert!(refused("isomap:2", &weighted).contains("cannot use weights"));
    let mut alike = data.clone();
    alike.features.columns.iter_mut().for_each(|c| *c = Column::numeric(vec![1.0; 90]));
    for step in ["pca", "lda", "kmeans", "isomap"] {
        assert!(refused(step, &alike).contains("nothing can be extracted"));
    }
}

/// Categories make the covariance singular: their levels add up to one.
#[test]
fn a_singular_covariance_is_said() {
    let shape = Shape { seed: 5, rows: 60, features: 2, classes: 3, ties: false, missing: true, categorical: true };
    let (map, notes) = fit("lda:2", &shape.dataset());
    assert!(notes.iter().any(|note| note.contains("singular")), "{notes:?}");
    assert!(mapped(&map, &shape.dataset().features).iter().flatten().all(|x| x.is_finite()));
    assert!(refused("lda:2,shrinkage=0", &shape.dataset()).contains("singular"));
}

const STEPS: [&str; 6] =
    ["pca:2", "pca:2,scaling=raw", "lda:2", "kmeans:3", "kmeans:3,output=distances", "isomap:2,neighbours=4"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn threads_change_nothing_and_rows_are_mapped_one_by_one(shape in shapes(60, 5, 4)) {
        let data = shape.dataset();
        for step in STEPS {
            let plan = Plan::parse(step).unwrap();
            let maps = [1, 2, 7].map(|threads| {
                plan.fit(&data, &Context::new(0, threads).unwrap(), &mut Vec::new()).map_err(|e| e.to_string())
            });
            prop_assert!(maps[0] == maps[1] && maps[1] == maps[2], "{}", step);
            let Ok(map) = &maps[0] else { continue };
            let all = mapped(map, &data.features);
            prop_assert!(all.iter().flatten().all(|x| x.is_finite()), "{}", step);
            for row in [0, data.rows() / 2, data.rows() - 1] {
                let alone = data.select(&[row]).features;
                prop_assert_eq!(&mapped(map, &alone)[0], &all[row], "{}", step);
            }
        }
    }

    /// Weight two is the row twice.
    #[test]
    fn weights_count(shape in shapes(40, 4, 3), seed: u64) {
        let mut weighted = shape.dataset();
        let twice = |row: usize| (seed >> (row % 60)) & 1 == 1;
        let rows: Vec<usize> = (0..weighted.rows()).flat_map(|r| std::iter::repeat_n(r, 1 + usize::from(twice(r)))).collect();
        let repeated = weighted.select(&rows);
        (0..weighted.rows()).for_each(|r| weighted.weights[r] = if twice(r) { 2.0 } else { 1.0 });
        for step in ["pca:1", "lda:1"] {
            let plan = Plan::parse(step).unwrap();
            let maps = [&weighted, &repeated].map(|data| plan.fit(data, &context(), &mut Vec::new()).ok());
            let (Some(Map::Linear(a)), Some(Map::Linear(b))) = (&maps[0], &maps[1]) else { continue };
            prop_assert!((a.shares[0] - b.shares[0]).abs() < 1e-6, "{} {:?} {:?}", step, a.shares, b.shares);
        }
    }
}

/// Hostile numbers: huge, tiny, constant but for one row.
#[test]
fn odd_numbers_do_no_harm() {
    let columns = vec![
        Column::numeric(vec![1e300, -1e300, 3.0, 0.0, 5.0, 1e300]),
        Column::numeric(vec![1e-300, 0.0, 0.0, 0.0, 0.0, 0.0]),
        Column::numeric(vec![f64::NAN, f64::NAN, f64::NAN, f64::NAN, 2.0, f64::NAN]),
        Column::categorical(["a", "b", "a", "b", "a", "b"].map(Some)),
    ];
    let names = ["x", "y", "z", "class"].map(String::from).to_vec();
    let table = Table::new(names, columns).unwrap();
    let data = Dataset::from_table(&table, &Roles::default(), &mut Vec::new()).unwrap();
    for step in STEPS {
        if let Ok(map) = Plan::parse(step).unwrap().fit(&data, &context(), &mut Vec::new()) {
            assert!(mapped(&map, &data.features).iter().flatten().all(|x| x.is_finite()), "{step}");
        }
    }
}
