//! The hottest pieces of work, each alone.
//!
//!     cargo bench --workspace --bench kernels                 median time of each
//!     cargo bench --workspace --bench kernels -- delta        of one
//!     bench/instructions                                      instructions of each, by callgrind: the same on a busy machine
//!
//! `--repeat N` runs a piece N times and prints nothing: what `bench/instructions` calls, to take the set-up off.

use rebelboost::binning::BinnedDataset;
use rebelboost::context::Context;
use rebelboost::data::{Column, Dataset, Roles, Table};
use rebelboost::model::Model;
use rebelboost::settings::Settings;
use std::hint::black_box;
use std::time::Instant;

/// Clouds of points around one centre a class, by a simple generator.
fn table(rows: usize, features: usize, classes: usize) -> Dataset {
    let mut state = 1u64;
    let mut unit = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let labels: Vec<usize> = (0..rows).map(|row| row % classes).collect();
    let mut columns = Vec::new();
    for _ in 0..features {
        let centres: Vec<f64> = (0..classes).map(|_| unit()).collect();
        columns.push(Column::numeric(labels.iter().map(|&label| centres[label] + 2.0 * unit()).collect()));
    }
    columns.push(Column::categorical(labels.iter().map(|label| Some(format!("c{label}")))));
    let names = (0..features).map(|i| format!("x{i}")).chain(["class".to_string()]).collect();
    Table::new(names, columns)
        .and_then(|table| Dataset::from_table(&table, &Roles::default(), &mut Vec::new()))
        .expect("a table of numbers and a class")
}

fn train(data: &Dataset, algorithm: &str, changes: &[(&str, &str)]) -> Model {
    let mut settings = Settings::new(algorithm).expect("a registered algorithm");
    changes.iter().for_each(|(name, value)| settings.set(name, value).expect("a known setting"));
    let context = Context::new(0, 1).expect("one thread");
    rebelboost::booster::train(data, None, &settings, &context, &mut ()).expect("a model").model
}

type Work = Box<dyn Fn()>;
type Piece = (&'static str, fn() -> Work);

/// Name and set-up of each piece.
fn pieces() -> Vec<Piece> {
    vec![
        ("binning", || {
            let data = table(20_000, 20, 3);
            Box::new(move || {
                black_box(BinnedDataset::new(&data, 255, &Context::new(0, 1).expect("one thread")));
            })
        }),
        ("rebel-root", || {
            let data = table(5_000, 40, 10);
            Box::new(move || drop(black_box(train(&data, "rebel", &[("rounds", "20"), ("learner", "stump")]))))
        }),
        ("layers", || {
            let data = table(10_000, 40, 2);
            let changes = [("rounds", "20"), ("depth", "4"), ("pruning", "off"), ("stop-loss", "0")];
            Box::new(move || drop(black_box(train(&data, "adaboost", &changes))))
        }),
        ("delta", || {
            let data = table(2_000, 512, 2);
            let changes = [("rounds", "60"), ("learner", "stump"), ("pruning", "delta"), ("stop-loss", "0")];
            Box::new(move || drop(black_box(train(&data, "adaboost", &changes))))
        }),
        ("predict", || {
            let data = table(4_000, 16, 26);
            let model = train(&data, "rebel", &[("rounds", "200"), ("depth", "4")]);
            Box::new(move || {
                black_box(model.scores(&data.features, &Context::new(0, 1).expect("one thread")));
            })
        }),
        ("predict-row", || {
            // As large as a model of letter that is as good as the peers' defaults: a thousand rows, one call each.
            let data = table(1_000, 16, 26);
            let model = train(
                &data,
                "rebel",
                &[("rounds", "1200"), ("depth", "4"), ("min-rounds", "1200"), ("stop-loss", "0")],
            );
            Box::new(move || {
                let mut scorer = model.row_scorer();
                for row in 0..data.rows() {
                    black_box(scorer.scores(&data.features, row)[0]);
                }
            })
        }),
    ]
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let repeat = words.iter().position(|word| word == "--repeat").and_then(|at| words.get(at + 1)?.parse().ok());
    let wanted = words.first().filter(|word| !word.starts_with('-'));
    for (name, prepare) in pieces() {
        if wanted.is_some_and(|wanted| wanted != name) {
            continue;
        }
        let work = prepare();
        if let Some(times) = repeat {
            (0..times).for_each(|_: usize| work());
            continue;
        }
        let mut taken: Vec<f64> = (0..11)
            .map(|_| {
                let start = Instant::now();
                work();
                1e3 * start.elapsed().as_secs_f64()
            })
            .collect();
        taken.sort_by(f64::total_cmp);
        println!("{name:12} {:9.2} ms (least {:.2})", taken[5], taken[0]);
    }
}
