use super::*;
use crate::data::Column;
use proptest::prelude::*;
use rand::RngExt;

fn context() -> Context {
    Context::new(0, 1).unwrap()
}

/// How the columns are bent.
const POWERS: [f64; 3] = [1.0, -0.5, 0.0];

/// Random rows of three classes, each a cell, with weights.
fn random(seed: u64, rows: usize) -> (Features, Cells, Vec<Axis>) {
    let mut rng = crate::context::stream(seed, "discriminant");
    let mut column = || Column::numeric((0..rows).map(|_| rng.random_range(-2.0..2.0)).collect());
    let features = Features { rows, columns: vec![column(), column(), column()] };
    let cells = Cells {
        rows: (0..rows as u32).collect(),
        labels: (0..rows).map(|row| row as u32 % 3).collect(),
        weights: (0..rows).map(|_| rng.random_range(0.5..2.0)).collect(),
        of_row: (0..rows as u32).collect(),
    };
    let axis =
        |feature| Axis { feature, level: None, mean: 0.1, scale: 1.3, power: POWERS[feature as usize], centre: 0.0 };
    (features, cells, (0..3).map(axis).collect())
}

/// Solves a small system by elimination, and tells the determinant.
fn eliminated(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> (Vec<f64>, f64) {
    let (size, mut determinant) = (b.len(), 1.0);
    for i in 0..size {
        determinant *= a[i][i];
        for j in i + 1..size {
            let factor = a[j][i] / a[i][i];
            (i..size).for_each(|k| a[j][k] -= factor * a[i][k]);
            b[j] -= factor * b[i];
        }
    }
    for i in (0..size).rev() {
        let known: f64 = (i + 1..size).map(|j| a[i][j] * b[j]).sum();
        b[i] = (b[i] - known) / a[i][i];
    }
    (b, determinant)
}

/// The scores of a row by definition, from rows with other weights; `within` is the diagonal of the prior.
fn by_definition(features: &Features, cells: &Cells, setting: &Setting, within: &[f64], row: usize) -> Vec<f64> {
    let place = |row: usize| -> Vec<f64> {
        let of = |column: &Column| match column {
            Column::Numeric(numbers) => (numbers.get(row) - 0.1) * 1.3,
            Column::Categorical(_) => panic!("not a number"),
        };
        // Yeo and Johnson's four cases.
        let bend = |(x, power): (f64, f64)| match (x < 0.0, power) {
            (false, 0.0) => (x + 1.0).ln(),
            (false, power) => ((x + 1.0).powf(power) - 1.0) / power,
            (true, 2.0) => -(1.0 - x).ln(),
            (true, power) => -((1.0 - x).powf(2.0 - power) - 1.0) / (2.0 - power),
        };
        features.columns.iter().map(of).zip(POWERS).map(bend).collect()
    };
    let of_class = |class: u32| (0..cells.len()).filter(move |i| cells.labels[*i] == class);
    let total: f64 = cells.weights.iter().sum();
    let about: Vec<(f64, Vec<f64>, Vec<Vec<f64>>)> = (0..3)
        .map(|class| {
            let weight: f64 = of_class(class).map(|i| cells.weights[i]).sum();
            let mean = |j: usize| of_class(class).map(|i| cells.weights[i] * place(i)[j]).sum::<f64>() / weight;
            let mean: Vec<f64> = (0..3).map(mean).collect();
            let square = |j: usize, k: usize| {
                let of = |i: usize| cells.weights[i] * (place(i)[j] - mean[j]) * (place(i)[k] - mean[k]);
                of_class(class).map(of).sum()
            };
            let scatter = (0..3).map(|j| (0..3).map(|k| square(j, k)).collect()).collect();
            (weight, mean, scatter)
        })
        .collect();
    let Setting { pooling, prior } = *setting;
    about
        .iter()
        .map(|(weight, mean, scatter)| {
            let behind = (1.0 - pooling) * weight + pooling * total + prior;
            let entry = |j: usize, k: usize| {
                let pooled: f64 = about.iter().map(|(_, _, scatter)| scatter[j][k]).sum();
                let diagonal = if j == k { prior * within[j] } else { 0.0 };
                ((1.0 - pooling) * scatter[j][k] + pooling * pooled + diagonal) / behind
            };
            let covariance = (0..3).map(|j| (0..3).map(|k| entry(j, k)).collect()).collect();
            let away: Vec<f64> = place(row).iter().zip(mean).map(|(x, m)| x - m).collect();
            let (solved, determinant) = eliminated(covariance, away.clone());
            let squared: f64 = away.iter().zip(&solved).map(|(a, b)| a * b).sum();
            let fallen = (FREEDOM + 3.0) / 2.0 * (1.0 + squared / FREEDOM).ln();
            ((weight / total).ln() - fallen - determinant.ln() / 2.0) / 3.0
        })
        .collect()
}

fn close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-8 * (1.0 + a.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// The closed form against the definition without (a unit of) each row, and the model against the definition with all.
    #[test]
    fn scores_are_those_of_the_definition(
        seed: u64, rows in 9usize..40, pooling in prop::sample::select(vec![0.0, 0.1, 0.5, 1.0]), prior in 0.3..20.0f64,
    ) {
        let (features, cells, columns) = random(seed, rows);
        let setting = Setting { pooling, prior };
        let classes = Classes::new(&columns, &features, &cells, 3, &context());
        let left_out = LeftOut::of(&cells, (0..rows as u32).collect(), 3);
        let all: Vec<usize> = (0..rows).collect();
        let stands: Vec<f64> = all.iter().flat_map(|row| columns.iter().map(|axis| axis.stands(&features, *row))).collect();
        let closed = classes.left_out(&setting, &stands, &left_out, &context()).unwrap();
        for row in 0..rows {
            let mut weights = cells.weights.clone();
            weights[row] -= left_out.units[row];
            let without = Cells { rows: cells.rows.clone(), labels: cells.labels.clone(), weights, of_row: Vec::new() };
            let expected = by_definition(&features, &without, &setting, &classes.within, row);
            prop_assert!(close(&closed[3 * row..][..3], &expected), "{:?} {expected:?}", &closed[3 * row..][..3]);
        }
        let chain = chain(&classes, &setting, 1.0, &features, &all, &context()).unwrap();
        let scores = chain.scores(&features, &context());
        for row in 0..rows {
            let expected = by_definition(&features, &cells, &setting, &classes.within, row);
            prop_assert!(close(&scores[3 * row..][..3], &expected), "{:?} {expected:?}", &scores[3 * row..][..3]);
        }
    }
}

/// A column of powers of ten is bent to one of evenly spaced numbers, one of even spaces not at all.
#[test]
fn skewed_columns_are_straightened() {
    let rows = 101;
    let column = |of: &dyn Fn(f64) -> f64| Column::numeric((0..rows).map(|i| of(i as f64 / 50.0 - 1.0)).collect());
    let features =
        Features { rows, columns: vec![column(&|x| x), column(&|x| 10f64.powf(x)), column(&|x| -10f64.powf(x))] };
    let cells = Cells {
        rows: (0..rows as u32).collect(),
        labels: vec![0; rows],
        weights: vec![1.0; rows],
        of_row: (0..rows as u32).collect(),
    };
    let axis = |feature: u32| {
        let mean = [0.0, 2.15, -2.15][feature as usize];
        Axis { feature, level: None, mean, scale: 0.4, power: 1.0, centre: 0.0 }
    };
    let bent = bend(&[axis(0), axis(1), axis(2)], &features, &cells);
    assert_eq!(bent[0].power, 1.0);
    assert!(bent[1].power < 0.0, "{}", bent[1].power);
    // The mirror image of a power is two less it.
    assert_eq!(bent[2].power, 2.0 - bent[1].power);
}
