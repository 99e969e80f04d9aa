//! What holds for every entry of the registry, and for single ones.

use super::*;
use crate::data::{Categorical, Column, Dataset, Roles};
use crate::error::ErrorKind;
use proptest::prelude::*;

fn labels(table: &Table) -> &Categorical {
    match table.column("class") {
        Some(Column::Categorical(c)) => c,
        other => panic!("{other:?}"),
    }
}

fn counts(table: &Table) -> Vec<usize> {
    let labels = labels(table);
    let mut counts = vec![0; labels.levels.len()];
    labels.codes.iter().for_each(|&c| counts[c as usize] += 1);
    counts
}

fn seeded() -> impl Iterator<Item = &'static Generator> {
    GENERATORS.iter().filter(|g| g.parameters.iter().any(|p| p.name == "seed"))
}

#[test]
fn every_entry_makes_a_data_set_by_default() {
    for generator in GENERATORS {
        let table = generate(&format!("builtin:{}", generator.name)).unwrap();
        let mut notes = Vec::new();
        let data = Dataset::from_table(&table, &Roles::default(), &mut notes).unwrap();
        assert!(data.schema.class_count() >= 2 && data.features.rows > 100, "{}", generator.name);
        assert!(matches!(data.schema.target.as_str(), "class" | "species"));
        assert!(table.columns().iter().all(|c| (0..c.len()).all(|r| !c.text(r).contains("inf"))));
    }
}

#[test]
fn registry_is_well_formed() {
    for (i, generator) in GENERATORS.iter().enumerate() {
        assert!(GENERATORS[..i].iter().all(|g| g.name != generator.name));
        assert!(!generator.summary.is_empty() && !generator.summary.contains('\n'));
        for (j, parameter) in generator.parameters.iter().enumerate() {
            assert!(generator.parameters[..j].iter().all(|p| p.name != parameter.name));
            assert!(!parameter.summary.is_empty());
        }
    }
}

#[test]
fn same_text_same_table_other_seed_or_draw_other_table() {
    for name in seeded().map(|g| g.name) {
        let make = |settings: &str| generate(&format!("builtin:{name}?rows=200{settings}")).unwrap();
        assert_eq!(make(""), make("&seed=0&draw=0"), "{name}");
        assert_eq!(make("&seed=9&mislabelled=0.1"), make("&mislabelled=0.1&seed=9"), "{name}");
        assert_ne!(make(""), make("&seed=1"), "{name}");
        assert_ne!(make(""), make("&draw=1"), "{name}");
        assert_ne!(make("&seed=1"), make("&draw=1"), "{name}");
    }
}

/// The promise of reproducibility across machines and versions: these numbers must never change.
#[test]
fn golden_rows() {
    let row = |spec: &str| {
        let table = generate(spec).unwrap();
        table.columns().iter().map(|c| c.text(1)).collect::<Vec<_>>().join(" ")
    };
    let found = [
        row("spirals?rows=10&seed=7"),
        row("spheres?rows=10&seed=7&features=3&classes=4"),
        row("gaussians?rows=10&seed=7"),
        row("parity?rows=10&seed=7&bits=3"),
        row("checkerboard?rows=10&seed=7&noise=0.1"),
    ];
    let expected = [
        "0.14512531459331512 0.186289981007576 a",
        "-0.38680604100227356 0.8569949269294739 -0.514704704284668 a",
        "-0.008696028031408787 -0.3027285933494568 c",
        "1 0 1 0 1 1 a",
        "3.003990888595581 0.769921064376831 a",
    ];
    assert_eq!(found, expected);
}

#[test]
fn mislabelling_touches_the_declared_fraction_and_nothing_else() {
    for name in seeded().map(|g| g.name) {
        let clean = generate(&format!("{name}?rows=300")).unwrap();
        let noisy = generate(&format!("{name}?rows=300&mislabelled=0.3")).unwrap();
        let wrong = labels(&clean).codes.iter().zip(&labels(&noisy).codes).filter(|(a, b)| a != b).count();
        assert_eq!(wrong, 90, "{name}");
        let features = clean.columns().len() - 1;
        assert_eq!(clean.columns()[..features], noisy.columns()[..features], "{name}");
    }
}

#[test]
fn shells_of_spheres_are_equally_likely() {
    for (classes, features) in [(2, 10), (5, 10), (7, 1), (30, 40)] {
        let table = generate(&format!("spheres?rows=60000&classes={classes}&features={features}")).unwrap();
        let (n, p) = (60_000.0, 1.0 / f64::from(classes));
        for count in counts(&table) {
            assert!((count as f64 - n * p).abs() < 5.0 * f64::sqrt(n * p), "{classes} {features} {count}");
        }
    }
}

#[test]
fn checkerboard_and_parity_follow_their_rules() {
    let board = generate("checkerboard?rows=500&squares=5").unwrap();
    for row in 0..500 {
        let square = |name: &str| board.column(name).unwrap().text(row).parse::<f64>().unwrap().min(4.5) as u32;
        assert_eq!(labels(&board).codes[row], (square("x1") + square("x2")) % 2);
    }
    let parity = generate("parity?rows=500&bits=5&extra=100").unwrap();
    assert_eq!(parity.columns().len(), 106);
    for row in 0..500 {
        let ones = (1..=5).filter(|i| parity.column(&format!("x{i}")).unwrap().text(row) == "1").count();
        assert_eq!(labels(&parity).codes[row] as usize, ones % 2);
    }
    assert!(counts(&parity).iter().all(|c| (180..320).contains(c)));
}

#[test]
fn a_test_set_of_gaussians_comes_from_the_same_clusters() {
    // The mean of a class moves little between draws and much between seeds.
    let mean = |settings: &str| {
        let table = generate(&format!("gaussians?rows=6000&classes=2&clusters=1{settings}")).unwrap();
        let x = table.column("x1").unwrap();
        let of_class = labels(&table).codes.iter().enumerate().filter(|(_, c)| **c == 0);
        of_class.map(|(r, _)| x.text(r).parse::<f64>().unwrap()).sum::<f64>() / 3000.0
    };
    assert!((mean("") - mean("&draw=1")).abs() < 0.05);
    assert!((mean("") - mean("&seed=1")).abs() > 0.05);
}

#[test]
fn many_classes_are_numbered() {
    let table = generate("spirals?rows=100&classes=27").unwrap();
    assert_eq!(labels(&table).levels[26], "c27");
    assert_eq!(labels(&generate("spirals?classes=26").unwrap()).levels[25], "z");
}

#[test]
fn mistakes_get_one_clear_sentence() {
    let cases = [
        ("builtin:spiral", "there is no built-in data set 'spiral'; did you mean 'spirals'?"),
        ("builtin:qqqqqqq", "there is no built-in data set 'qqqqqqq'; they are: penguins, spirals"),
        ("builtin:", "there is no built-in data set ''"),
        ("spirals?row=5", "the data set 'spirals' has no parameter 'row'; did you mean 'rows'?"),
        ("penguins?rows=5", "the data set 'penguins' has no parameter 'rows'; it takes none"),
        ("spirals?rows", "'rows' after '?' has no value"),
        ("spirals?rows=5&rows=6", "'rows' is given twice"),
        ("spirals?rows=0", "rows is '0' and must be a whole number from 1 to 10000000"),
        ("spirals?rows=10000001", "rows is '10000001' and must be"),
        ("spirals?rows=99999999999999999999999", "rows is '99999999999999999999999' and must be"),
        ("spirals?rows=-1", "rows is '-1' and must be"),
        ("spirals?classes=1", "classes is '1' and must be a whole number from 2"),
        ("spirals?noise=nan", "noise is 'nan' and must be a number from 0"),
        ("spirals?noise=inf", "noise is 'inf' and must be a number from 0"),
        ("spirals?mislabelled=1.5", "mislabelled is '1.5' and must be a number from 0 to 1"),
        ("spirals?seed=x", "seed is 'x' and must be a whole number from 0 on"),
        ("spheres?rows=10000000&features=10000", "10000000 rows x 10000 columns are too many"),
        ("gaussians?classes=1000&clusters=1000&features=10000", "1000000 rows x 30000 columns are too many"),
        ("parity?bits=65", "bits is '65' and must be a whole number from 1 to 64"),
    ];
    for (spec, message) in cases {
        let error = generate(spec).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Option, "{spec}");
        assert!(error.to_string().starts_with(message), "{spec}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn drawn_classes_are_balanced(rows in 1usize..400, classes in 2usize..40, seed: u64) {
        for name in ["spirals", "gaussians"] {
            let table = generate(&format!("{name}?rows={rows}&classes={classes}&seed={seed}")).unwrap();
            prop_assert_eq!(table.rows(), rows);
            let counts = counts(&table);
            prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn no_text_panics(spec in "[a-z]{0,8}[?]?([a-z]{0,6}[=&]?[0-9.e-]{0,4}&?){0,3}") {
        let _ = generate(&spec);
        for generator in GENERATORS {
            let _ = generate(&format!("{}?{spec}", generator.name));
        }
    }

    #[test]
    fn one_row_is_enough(seed: u64) {
        for generator in seeded() {
            prop_assert_eq!(generate(&format!("{}?rows=1&seed={seed}", generator.name)).unwrap().rows(), 1);
        }
    }
}
