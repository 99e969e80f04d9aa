//! `rebel explain` and what `rebel inspect` says about similarities.

mod common;
use common::{Sandbox, flowers};
use serde_json::Value;

/// A folder with `d.csv`, `tree.rebel`, `regions.rebel` (a vector in each leaf), `near.rebel` (similarity) and `bare.rebel` (similarity without values).
fn models() -> Sandbox {
    let s = Sandbox::new();
    s.write("d.csv", flowers(90));
    s.ok("train d.csv --out tree.rebel --rounds 20");
    s.ok("train d.csv --out regions.rebel --algorithm gamble --rounds 12 --leaves 5");
    s.ok("train d.csv --out near.rebel --learner similarity --rounds 40");
    s.ok("train d.csv --out bare.rebel --learner similarity --rounds 40 --keep-values off");
    s
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

#[test]
fn terms_add_up_to_the_scores_to_the_bit() {
    let s = models();
    for model in ["tree", "regions", "near", "bare"] {
        let predicted = s.json(&format!("predict {model}.rebel d.csv --scores --proba"));
        for row in [1, 6, 45, 90] {
            let why = s.json(&format!("explain {model}.rebel d.csv --row {row}"));
            let mut sums = numbers(&why["bias"]);
            for term in why["terms"].as_array().unwrap() {
                sums.iter_mut().zip(numbers(&term["contributions"])).for_each(|(sum, c)| *sum += c);
            }
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&sums), bits(&numbers(&why["scores"])), "{model} row {row}");
            assert_eq!(why["scores"], predicted["scores"][row - 1]);
            assert_eq!(why["probabilities"], predicted["probabilities"][row - 1]);
            assert_eq!(why["answer_class"], predicted["predictions"][row - 1]);
            assert_eq!((&why["row"], &why["row_number"]), (&(row - 1).into(), &row.into()));
        }
    }
}

#[test]
fn regions_are_told_leaf_by_leaf() {
    let s = models();
    let why = s.ok("explain regions.rebel d.csv --row 6").out;
    assert!(why.contains("length <= ") || why.contains("length > "), "{why}");
    assert!(why.contains("add up to the scores exactly"), "{why}");
    let inspected = s.ok("inspect regions.rebel --terms 1").out;
    // Each leaf on a line of its own: the way to it, then what it adds.
    let leaves: Vec<&str> = inspected.lines().filter(|line| line.contains(": +") && line.contains(", -")).collect();
    assert_eq!(leaves.len(), 5, "{inspected}");
    assert!(leaves[0].trim_start().starts_with("1. "), "{inspected}");
    assert!(inspected.contains("gamble with tree, 12 terms"), "{inspected}");
}

#[test]
fn a_similarity_names_rows_and_shows_them_side_by_side() {
    let s = models();
    let run = s.ok("explain near.rebel d.csv --row 6 --terms 5");
    for words in [
        "Row 6 of d.csv: length 5.25, width missing, colour ",
        "The answer is ",
        "The second-best class is ",
        "probability",
        "in order of weight:",
        " than to row ",
        "terms together: ",
        "the start, the same for every row: ",
        "add up to the scores exactly",
        "What decided against ",
        "most similar of the training rows",
        "this row",
        "distance",
    ] {
        assert!(run.out.contains(words), "'{words}' is not in\n{}", run.out);
    }
    assert_eq!(run.err, "Note: the probabilities are uncalibrated.\n");
    // Aligned: every line of the table is as wide as its header.
    let table: Vec<&str> = run.out.lines().skip_while(|line| !line.contains("this row ")).collect();
    let table = &table[..];
    assert!(table[2..].iter().all(|line| line.chars().count() == table[0].chars().count()), "{}", run.out);
    // Marks are where the values differ.
    let why = s.json("explain near.rebel d.csv --row 6");
    let similar = why["similar"].as_array().unwrap();
    assert_eq!(similar.len(), 5);
    let length = table.iter().find(|line| line.trim_start().starts_with("length ")).unwrap();
    let cells: Vec<&str> = length.split_whitespace().skip(2).collect();
    for (cell, row) in cells.iter().zip(similar) {
        let value = &row["values"][0];
        assert_eq!(cell.starts_with('*'), value["differs"].as_bool().unwrap());
        assert_eq!(cell.trim_start_matches('*'), value["there"].as_str().unwrap());
    }
    assert!(why["values"]["width"].is_null());
    assert_eq!(why["values"]["length"], "5.25");
    assert_eq!(why["truth"], "clover");
}

#[test]
fn terms_come_in_order_of_weight() {
    let s = models();
    for model in ["tree", "near"] {
        let run = s.ok(&format!("explain {model}.rebel d.csv --terms 8 --quiet"));
        assert_eq!(run.err, "");
        let lines = run.out.lines().skip_while(|line| !line.ends_with("in order of weight:")).skip(1).take(8);
        let weights: Vec<f64> =
            lines.map(|line| line.split_whitespace().next().unwrap().parse::<f64>().unwrap().abs()).collect();
        assert_eq!(weights.len(), 8);
        assert!(weights.is_sorted_by(|a, b| a >= b), "{weights:?}");
    }
}

#[test]
fn a_tree_says_its_questions() {
    let s = models();
    let run = s.ok("explain tree.rebel d.csv --row 6 --terms 100");
    assert!(run.out.contains("length > ") || run.out.contains("length <= "), "{}", run.out);
    assert!(run.out.contains("width is missing"), "{}", run.out);
    assert!(!run.out.contains("terms together") && !run.out.contains("training row"), "{}", run.out);
    let why = s.json("explain tree.rebel d.csv");
    assert!(why["similar"].as_array().unwrap().is_empty());
    assert!(why["terms"].as_array().unwrap().iter().all(|term| !term["features"].as_array().unwrap().is_empty()));
}

#[test]
fn without_kept_values_rows_are_named_by_number() {
    let s = models();
    let run = s.ok("explain bare.rebel d.csv");
    assert!(run.out.contains("does not keep their values"), "{}", run.out);
    assert!(!run.out.contains("this row"), "{}", run.out);
    let why = s.json("explain bare.rebel d.csv");
    let similar = why["similar"].as_array().unwrap();
    assert!(!similar.is_empty() && similar.iter().all(|row| row["values"].is_null()));
    let name = |row: &Value| format!("row {} ({}) at ", row["row_number"], row["class_name"].as_str().unwrap());
    assert!(similar.iter().all(|row| run.out.contains(&name(row))), "{}", run.out);
}

#[test]
fn the_truth_and_the_notes_are_about_this_row() {
    let s = models();
    s.write("new.csv", "colour,length,extra,width\nred,1,9,4\ngreen,2,9,3\n");
    let run = s.ok("explain near.rebel new.csv");
    assert!(run.out.contains(". The second-best class") && !run.out.contains("which is right"), "{}", run.out);
    assert!(run.err.contains("extra") && !run.err.contains("never seen"), "{}", run.err);
    let run = s.ok("explain near.rebel new.csv --row 2");
    assert!(run.err.contains("column 'colour': 1 value(s) never seen"), "{}", run.err);
    assert!(s.json("explain near.rebel new.csv")["truth"].is_null());
    s.write("odd.csv", "colour,length,width,kind\nred,1,4,daisy\n");
    let run = s.ok("explain near.rebel odd.csv");
    assert!(run.out.contains(", but it is daisy."), "{}", run.out);
    assert!(run.err.contains("class 'daisy' was never seen in training"), "{}", run.err);
}

#[test]
fn a_model_trained_on_costs_has_no_probabilities() {
    let s = models();
    s.write("c.csv", ",aster,briar,clover\naster,0,1,5\nbriar,1,0,1\nclover,2,1,0\n");
    s.ok("train d.csv --costs c.csv --out costly.rebel --rounds 10");
    let run = s.ok("explain costly.rebel d.csv");
    assert!(!run.out.contains("probability") && run.err.is_empty(), "{}{}", run.out, run.err);
    assert!(s.json("explain costly.rebel d.csv")["probabilities"].is_null());
    s.ok("train d.csv --costs c.csv --cost-mode decide --out decide.rebel --rounds 10");
    (1..=20)
        .for_each(|row| assert!(s.ok(&format!("explain decide.rebel d.csv --row {row}")).out.contains("in all: ")));
}

#[test]
fn bad_input_is_refused() {
    let s = models();
    s.refuses("explain near.rebel d.csv --row 91", &["d.csv", "there is no row 91", "90 rows"]);
    s.refuses("explain near.rebel d.csv --row 0", &["there is no row 0", "counted from 1"]);
    s.refuses("explain d.csv d.csv", &["d.csv", "model"]);
    s.refuses("explain none.rebel d.csv", &["none.rebel", "no such file"]);
    s.write("short.csv", "length,colour\n1,red\n");
    s.refuses("explain near.rebel short.csv", &["short.csv", "width"]);
    let mut bytes = s.read("near.rebel");
    bytes.truncate(bytes.len() / 2);
    s.write("half.rebel", bytes);
    s.refuses("explain half.rebel d.csv", &["half.rebel"]);
}

#[test]
fn inspect_lists_training_rows_by_use_and_spells_terms() {
    let s = models();
    let run = s.ok("inspect near.rebel --terms 1000");
    assert!(run.out.contains("It compares with ") && run.out.contains("summed |output|"), "{}", run.out);
    assert!(
        run.out.contains(" than to row ") && run.out.contains("; the other way round the opposite"),
        "{}",
        run.out
    );
    let rows = run.out.lines().skip_while(|line| !line.contains("summed |output|")).skip(2);
    let weights: Vec<f64> =
        rows.take(5).map(|line| line.split_whitespace().last().unwrap().parse().unwrap()).collect();
    assert!(weights.is_sorted_by(|a, b| a >= b), "{weights:?}");
    assert!(s.ok("inspect bare.rebel").out.contains("whose values it does not keep"));
    let spirals = "builtin:spirals?rows=200&seed=1";
    s.ok(&format!("train {spirals} --out every.rebel --learner similarity"));
    assert!(s.ok("inspect every.rebel --terms 1000").out.contains(". every row: "));
    // As published: answers are signs, and one-point learners occur.
    s.ok(&format!("train {spirals} --out sign.rebel --learner similarity --faithful on"));
    let run = s.ok("inspect sign.rebel --terms 1000");
    assert!(run.out.contains(". near row ") && run.out.contains("within a distance of "), "{}", run.out);
    assert!(!run.out.contains("up to "), "{}", run.out);
    let run = s.ok(&format!("explain sign.rebel {spirals} --terms 1000"));
    assert!(run.out.contains("near training row "), "{}", run.out);
}
