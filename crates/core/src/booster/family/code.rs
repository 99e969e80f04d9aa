//! Error-correcting output codes: one codeword a class (Dietterich and Bakiri 1995; Allwein, Schapire, Singer 2000;
//! Cornell CS 5785, lecture 18).
//!
//! * one-vs-all: a column a class; one-vs-one: a column a pair, all others sit it out;
//! * exhaustive: all 2^(K-1) - 1 ways to cut the classes in two, for up to 11 classes;
//! * dense: columns of random +1 and -1, 10 log2 K of them (Allwein et al.); sparse: 15 log2 K columns of 0 with
//!   probability 1/2, +1 and -1 with 1/4 each;
//! * the user's own, as a matrix;
//! * fifteen: 15 columns of +1 and -1, as in the table of ten digits in the lecture (with 4 classes or fewer: exhaustive).
//!
//! Of the random codes a thousand are drawn and the one whose nearest two codewords are farthest apart is taken, as
//! published (Allwein et al. draw 10,000). A column that does not have both signs, or repeats another, is drawn again.

use super::engine::coded::Code;
use crate::data::synthetic::random::below;
use crate::error::{Error, Result};
use crate::model::Link;
use rand_chacha::ChaCha8Rng;

/// Codes by name.
pub(crate) const CODES: &[&str] = &["dense", "sparse", "exhaustive", "fifteen", "one-vs-all", "one-vs-one"];

/// Codes drawn.
const TRIALS: usize = 1000;
/// Comparisons of code bits at most.
const MOST_WORK: usize = 200_000_000;
/// Most classes of an exhaustive code.
const MOST_EXHAUSTIVE: usize = 11;

impl Code {
    /// The code of this name, or the matrix, for so many classes.
    pub fn named(name: &str, classes: usize, rng: &mut ChaCha8Rng) -> Result<Code> {
        if !CODES.contains(&name) {
            return Code::given(name, classes);
        }
        let log = (classes as f64).log2();
        match name {
            "one-vs-all" => Ok(Code::one_vs_all(classes)),
            "one-vs-one" => Ok(Code::one_vs_one(classes)),
            "exhaustive" => Code::exhaustive(classes),
            "fifteen" if classes <= 4 => Code::exhaustive(classes),
            "fifteen" => Ok(Code::random(classes, 15, false, rng)),
            "sparse" => Ok(Code::random(classes, (15.0 * log).ceil() as usize, true, rng)),
            _ => Ok(Code::random(classes, (10.0 * log).ceil() as usize, false, rng)),
        }
    }

    fn of(columns: Vec<Vec<i8>>) -> Code {
        Code { columns, outputs: None, link: Link::SOFTMAX }
    }

    /// A matrix `+-0;...`, one row a class; every column must be a two-class problem and every row different.
    pub fn given(matrix: &str, classes: usize) -> Result<Code> {
        let rows: Vec<&[u8]> = matrix.split(';').filter(|row| !row.is_empty()).map(str::as_bytes).collect();
        let refuse = |what: String| {
            Err(Error::option(what)
                .hint("--code takes one row a class, in the order of the classes' names, of +1, -1 and 0"))
        };
        if rows.len() != classes {
            return refuse(format!("the code has {} rows and there are {classes} classes", rows.len()));
        }
        let sign = |entry: u8| i8::from(entry == b'+') - i8::from(entry == b'-');
        let length = rows.iter().map(|row| row.len()).min().unwrap_or(0);
        let column = |at: usize| rows.iter().map(|row| sign(row[at])).collect::<Vec<i8>>();
        let columns: Vec<Vec<i8>> = (0..length).map(column).collect();
        if let Some(at) = columns.iter().position(|c| !(c.contains(&1) && c.contains(&-1))) {
            return refuse(format!("column {} of the code does not have both +1 and -1", at + 1));
        }
        let mut pairs = (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b)));
        if let Some((a, b)) = pairs.find(|(a, b)| rows[*a] == rows[*b]) {
            return refuse(format!(
                "rows {} and {} of the code are the same, so that their classes could not be told apart",
                a + 1,
                b + 1
            ));
        }
        Ok(Code::of(columns))
    }

    /// A column a class.
    pub fn one_vs_all(classes: usize) -> Code {
        let column = |own: usize| (0..classes).map(|k| if k == own { 1 } else { -1 }).collect();
        Code::of((0..classes).map(column).collect())
    }

    /// A column a pair of classes.
    pub fn one_vs_one(classes: usize) -> Code {
        let pairs = (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b)));
        let column = |(a, b): (usize, usize)| (0..classes).map(|k| i8::from(k == b) - i8::from(k == a)).collect();
        Code::of(pairs.map(column).collect())
    }

    /// All ways to cut the classes in two.
    pub fn exhaustive(classes: usize) -> Result<Code> {
        if classes > MOST_EXHAUSTIVE {
            return Err(Error::option(format!(
                "an exhaustive code has 2^(K-1) - 1 columns, too many for {classes} classes"
            ))
            .hint("use --code dense"));
        }
        // Class 0 is always on the - side: the complement of a cut is the same cut.
        let column =
            |cut: usize| (0..classes).map(|k| if k > 0 && cut >> (k - 1) & 1 == 1 { 1 } else { -1 }).collect();
        Ok(Code::of((1..1usize << (classes - 1)).map(column).collect()))
    }

    /// The best of many random codes.
    fn random(classes: usize, length: usize, sparse: bool, rng: &mut ChaCha8Rng) -> Code {
        let mut best: Option<(i32, Vec<Vec<i8>>)> = None;
        // With thousands of classes, any random code is a good one.
        let trials = (MOST_WORK / (classes * classes * length)).clamp(1, TRIALS);
        for _ in 0..trials {
            let columns = draw(classes, length, sparse, rng);
            let distance = if trials > 1 { nearest(&columns, classes) } else { 0 };
            if best.as_ref().is_none_or(|(most, _)| distance > *most) {
                best = Some((distance, columns));
            }
        }
        Code::of(best.map(|(_, columns)| columns).unwrap_or_default())
    }
}

/// Random columns, each with both signs, no two the same or complements while others can be found.
fn draw(classes: usize, length: usize, sparse: bool, rng: &mut ChaCha8Rng) -> Vec<Vec<i8>> {
    let mut columns: Vec<Vec<i8>> = Vec::with_capacity(length);
    let mut refused = 0;
    while columns.len() < length {
        let sign = |rng: &mut ChaCha8Rng| match below(if sparse { 4 } else { 2 }, rng) {
            0 => 1,
            1 => -1,
            _ => 0,
        };
        let column: Vec<i8> = (0..classes).map(|_| sign(rng)).collect();
        let same = |other: &Vec<i8>| {
            other.iter().zip(&column).all(|(a, b)| a == b) || other.iter().zip(&column).all(|(a, b)| *a == -*b)
        };
        if !(column.contains(&1) && column.contains(&-1)) {
            continue;
        }
        if columns.iter().any(same) {
            refused += 1;
            if refused > 20 * length {
                break; // few classes have few cuts
            }
            continue;
        }
        columns.push(column);
    }
    columns
}

/// The smallest distance of two codewords, in half bits (a zero is half a bit from either sign).
fn nearest(columns: &[Vec<i8>], classes: usize) -> i32 {
    let distance = |a: usize, b: usize| columns.iter().map(|c| 1 - i32::from(c[a] * c[b])).sum::<i32>();
    let pairs = (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b)));
    pairs.map(|(a, b)| distance(a, b)).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::stream;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Every column is a two-class problem, and no two classes have the same codeword.
        #[test]
        fn codes_tell_classes_apart(classes in 2usize..10, seed in any::<u64>()) {
            for name in CODES {
                let code = Code::named(name, classes, &mut stream(seed, "code")).unwrap();
                prop_assert!(!code.columns.is_empty());
                for column in &code.columns {
                    prop_assert_eq!(column.len(), classes);
                    prop_assert!(column.contains(&1) && column.contains(&-1), "{}", name);
                }
                prop_assert!(nearest(&code.columns, classes) > 0, "{} {}", name, classes);
            }
        }
    }

    proptest! {
        /// A code given as text is the code.
        #[test]
        fn a_matrix_is_a_code(classes in 2usize..8, seed in any::<u64>(), sparse in any::<bool>()) {
            let name = if sparse { "sparse" } else { "dense" };
            let code = Code::named(name, classes, &mut stream(seed, "code")).unwrap();
            let text = |entry: fn(i8) -> &'static str, between: &str, end: &str| {
                let row = |k: usize| code.columns.iter().map(|c| entry(c[k])).collect::<Vec<_>>().join(between);
                (0..classes).map(row).collect::<Vec<_>>().join(end)
            };
            let short = text(|m| ["-", "0", "+"][(m + 1) as usize], "", ";");
            let long = text(|m| ["-1", "0", "1"][(m + 1) as usize], ", ", "\r\n");
            for written in [short, long] {
                let settings = crate::settings::Settings::new("ecoc").unwrap().with("code", written).unwrap();
                prop_assert_eq!(&Code::named(settings.word("code").unwrap(), classes, &mut stream(0, "code")).unwrap(), &code);
            }
        }
    }

    #[test]
    fn a_bad_matrix_is_refused() {
        let set = |text: &str| crate::settings::Settings::new("ecoc").unwrap().with("code", text);
        let error = |text: &str, classes: usize| match set(text) {
            Err(error) => error.to_string(),
            Ok(settings) => {
                Code::named(settings.word("code").unwrap(), classes, &mut stream(0, "code")).unwrap_err().to_string()
            }
        };
        for (text, classes, words) in [
            ("++;+-;-", 3, "row 3 of the matrix has 1 entries"),
            ("++;+2;--", 3, "'2' in row 2"),
            ("1,x\n-1,1", 2, "'x' in row 1"),
            ("+-;-+", 3, "2 rows and there are 3 classes"),
            ("+0;+-;+-", 3, "column 1"),
            ("+-;-+;+-", 3, "rows 1 and 3"),
            ("densee", 3, "cannot be 'densee'"),
            (";;", 2, "0 rows"),
        ] {
            assert!(error(text, classes).contains(words), "{text}: {}", error(text, classes));
        }
    }

    #[test]
    fn sizes() {
        let length = |name, classes| Code::named(name, classes, &mut stream(0, "code")).unwrap().columns.len();
        assert_eq!(
            ["one-vs-all", "one-vs-one", "exhaustive", "fifteen", "dense"].map(|n| length(n, 10)),
            [10, 45, 511, 15, 34]
        );
        assert_eq!(length("fifteen", 4), 7);
        assert!(Code::named("exhaustive", 12, &mut stream(0, "code")).is_err());
    }
}
