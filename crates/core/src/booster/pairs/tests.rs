use super::design::Block;
use super::tall::Tall;
use super::wide::Wide;
use super::*;
use proptest::prelude::*;
use rand::RngExt;

fn context() -> Context {
    Context::new(0, 1).unwrap()
}

/// Random points of three classes on a small grid, so that some coincide, with weights.
fn random(seed: u64, rows: usize) -> (crate::model::similarity::Points, Vec<u32>, Vec<f64>) {
    let mut rng = crate::context::stream(seed, "pairs");
    let values = (0..rows).flat_map(|_| [0, 1, 2, 3].map(|_| rng.random_range(-2..=2) as f32)).collect();
    let labels = (0..rows).map(|row| if row < 3 { row as u32 } else { rng.random_range(0..3) }).collect();
    let weights = (0..rows).map(|_| rng.random_range(0.5..2.0)).collect();
    (crate::model::similarity::Points { length: 4, values }, labels, weights)
}

fn cells_with(cells: &Cells, weights: Vec<f64>) -> Cells {
    Cells { rows: cells.rows.clone(), labels: cells.labels.clone(), weights, of_row: cells.of_row.clone() }
}

/// `[column][cell]`.
fn block(design: &Design<'_>, cells: &[u32]) -> Vec<f64> {
    let mut block = Block::default();
    design.respond(cells, &mut block, &context());
    block.values
}

fn everyone(cells: &Cells) -> LeftOut {
    LeftOut::of(cells, (0..cells.len() as u32).collect(), 3)
}

/// The solution where rows are many.
fn tall(design: &Design<'_>, cells: &Cells, ridge: f64) -> Solution {
    let left_out = everyone(cells);
    Tall::new(design, cells, &left_out, &context()).unwrap().solve(ridge, &left_out, &context()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Rows by rows or columns by columns: the same outputs and the same predictions without each row, for all of them or some.
    #[test]
    fn both_ways_lead_to_the_same_outputs(seed: u64, rows in 8usize..60, wanted in 1usize..100, power in -5i32..0, all: bool) {
        let (points, labels, weights) = random(seed, rows);
        let cells = Cells::new(&points, &labels, &weights);
        let pairs = draw::draw(&cells, &points, wanted, &mut crate::context::stream(seed, "draw"));
        let design = Design::new(&points, &cells, &pairs);
        let (context, ridge) = (context(), 10f64.powi(power));
        let left_out = if all { everyone(&cells) } else { LeftOut::of(&cells, vec![0, 2, 3], 3) };
        let tall = Tall::new(&design, &cells, &left_out, &context).unwrap().solve(ridge, &left_out, &context).unwrap();
        let wide = Wide::new(&design, &cells, &left_out, &context).unwrap().solve(ridge, &left_out, &context).unwrap();
        let close = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6 * (1.0 + a.abs()));
        prop_assert!(close(&tall.outputs, &wide.outputs), "{:?} {:?}", tall.outputs, wide.outputs);
        prop_assert!(close(&tall.left_out, &wide.left_out), "{:?} {:?}", tall.left_out, wide.left_out);
    }

    /// The closed form against refits without (a unit of) each row. The ridge term W is the whole weight in both.
    #[test]
    fn leaving_out_in_closed_form_is_leaving_out(seed: u64, rows in 8usize..30, power in -4i32..0) {
        let (points, labels, weights) = random(seed, rows);
        let cells = Cells::new(&points, &labels, &weights);
        let pairs = draw::draw(&cells, &points, 12, &mut crate::context::stream(seed, "draw"));
        let design = Design::new(&points, &cells, &pairs);
        let ridge = 10f64.powi(power);
        let all: Vec<u32> = (0..cells.len() as u32).collect();
        let closed = tall(&design, &cells, ridge).left_out;
        let units = cells.units(3);
        let x = block(&design, &all);
        for left in 0..cells.len() {
            let mut fewer = cells.weights.clone();
            fewer[left] -= units[left];
            let fewer = cells_with(&cells, fewer);
            let before: f64 = cells.weights.iter().sum();
            let after: f64 = fewer.weights.iter().sum();
            let refit = tall(&design, &fewer, ridge * before / after);
            for class in 0..3 {
                let outputs = &refit.outputs[class * design.columns()..];
                let h: f64 = (0..design.columns()).map(|p| outputs[p] * x[p * cells.len() + left]).sum();
                let closed = closed[left * 3 + class];
                prop_assert!((h - closed).abs() < 1e-6 * (1.0 + h.abs()), "{h} against {closed}");
            }
        }
    }

    /// The slope of what is minimised is zero, and predictions sum to one.
    #[test]
    fn outputs_solve_the_normal_equations(seed: u64, rows in 8usize..60) {
        let (points, labels, weights) = random(seed, rows);
        let cells = Cells::new(&points, &labels, &weights);
        let pairs = draw::draw(&cells, &points, 20, &mut crate::context::stream(seed, "draw"));
        let design = Design::new(&points, &cells, &pairs);
        let (ridge, n) = (1e-3, cells.len());
        let solution = tall(&design, &cells, ridge);
        let x = block(&design, &(0..n as u32).collect::<Vec<_>>());
        let columns = design.columns();
        let fitted = |row: usize, k: usize| -> f64 {
            (0..columns).map(|p| solution.outputs[k * columns + p] * x[p * n + row]).sum()
        };
        let weight: f64 = cells.weights.iter().sum();
        for row in 0..n {
            prop_assert!(((0..3).map(|k| fitted(row, k)).sum::<f64>() - 1.0).abs() < 1e-8);
        }
        for k in 0..3 {
            for p in 0..columns {
                let target = |row: usize| f64::from(u8::from(cells.labels[row] as usize == k));
                let fit: f64 =
                    (0..n).map(|row| cells.weights[row] * (fitted(row, k) - target(row)) * x[p * n + row]).sum();
                let penalty = if p == 0 { 0.0 } else { ridge * weight * solution.outputs[k * columns + p] };
                prop_assert!((fit + penalty).abs() < 1e-8 * weight, "{fit} {penalty}");
            }
        }
    }

    /// Pairs differ, join two classes and never one point; few enough are all there are.
    #[test]
    fn pairs_are_pairs(seed: u64, rows in 3usize..40, wanted in 1usize..400) {
        let (points, labels, weights) = random(seed, rows);
        let cells = Cells::new(&points, &labels, &weights);
        let pairs = draw::draw(&cells, &points, wanted, &mut crate::context::stream(seed, "draw"));
        let mut possible = 0;
        for i in 0..cells.len() {
            for j in i + 1..cells.len() {
                let apart = points.row(cells.rows[i] as usize) != points.row(cells.rows[j] as usize);
                possible += usize::from(apart && cells.labels[i] != cells.labels[j]);
            }
        }
        prop_assert!(pairs.len() <= wanted.min(possible) && (possible > wanted || pairs.len() == possible));
        for pair in &pairs {
            let [i, j] = pair.cells.map(|cell| cell as usize);
            prop_assert!(cells.labels[i] != cells.labels[j] && pair.apart > 0.0);
        }
        let mut seen: Vec<_> = pairs.iter().map(|pair| pair.cells).collect();
        seen.sort_unstable();
        seen.dedup();
        prop_assert_eq!(seen.len(), pairs.len());
    }

    /// The factor found is no worse than any on a grid.
    #[test]
    fn the_temperature_is_the_best(seed: u64, rows in 5usize..60) {
        let mut rng = crate::context::stream(seed, "temperature");
        let scores: Vec<f64> = (0..rows * 3).map(|_| rng.random_range(-1.0..1.0)).collect();
        let labels: Vec<u32> = scores
            .chunks_exact(3)
            .map(|row| if rng.random_bool(0.7) { crate::model::argmax(row) as u32 } else { rng.random_range(0..3) })
            .collect();
        let judged = crate::calibrate::Judged { scores: &scores, labels: &labels, weights: &vec![1.0; rows], count: rows as f64 };
        let (factor, loss) = judged.temperature();
        for i in 0..60 {
            let other = judged.log_loss(0.06 * 1.16f64.powi(i), f64::INFINITY);
            // More than one minimum is possible, and one between two points of the grid may be missed.
            prop_assert!(loss <= other + 1e-3, "{loss} against {other} at {factor}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Plain scores are least squares of one-hot targets, so those of a row sum to one; calibrated ones are these, times a factor.
    #[test]
    fn plain_scores_sum_to_one(seed in 0u32..1000) {
        let table = crate::data::synthetic::generate(&format!("gaussians?rows=120&classes=3&features=3&seed={seed}")).unwrap();
        let data = crate::data::Dataset::from_table(&table, &crate::data::Roles::default(), &mut Vec::new()).unwrap();
        let scores = |calibrate: &str| {
            let settings = crate::settings::Settings::new("random-pairs").unwrap().with("calibrate", calibrate).unwrap();
            let model = crate::booster::train(&data, None, &settings, &context(), &mut ()).unwrap().model;
            model.scores(&data.features, &context()).values
        };
        let (plain, scaled) = (scores("off"), scores("on"));
        let factor: f64 = scaled[..3].iter().sum();
        prop_assert!(plain.chunks_exact(3).all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-9));
        prop_assert!(plain.iter().zip(&scaled).all(|(a, b)| (factor * a - b).abs() < 1e-9 * factor));
    }
}
