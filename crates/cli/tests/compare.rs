//! `rebel compare`: a table, rows for what fails, results that are kept, a page.

mod common;
use common::{Sandbox, flowers};

#[test]
fn a_failing_algorithm_is_a_row() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(120));
    let table = s.json("compare d.csv --algorithms rebel,adaboost,adaboost-mh --folds 2 --rounds 10");
    let rows = table["algorithms"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    let failed = rows.last().unwrap();
    assert_eq!(failed["algorithm"], "adaboost");
    assert!(failed["failure"].as_str().unwrap().contains("at most 2 classes") && failed["error"]["mean"].is_null());
    for row in &rows[..2] {
        assert_eq!(row["trials"].as_array().unwrap().len(), 2);
        assert!((0.0..=1.0).contains(&row["error"]["mean"].as_f64().unwrap()));
        assert!(row["rank"].as_f64().unwrap() >= 1.0);
    }
    let words = s.ok("compare d.csv --algorithms rebel,adaboost --folds 2 --rounds 10");
    assert!(words.out.contains("failed: ") && words.out.contains("rebel"), "{}", words.out);
}

#[test]
fn results_are_kept_and_belong_to_their_options() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(120));
    let line = "compare d.csv --folds 2 --rounds 8 --checkpoint kept.json --algorithms";
    let one = s.json(&format!("{line} rebel"));
    let kept = s.text("kept.json");
    let two = s.json(&format!("{line} rebel,samme"));
    // The trials of the first run are the very ones, seconds included.
    let of = |table: &serde_json::Value| {
        let rows = table["algorithms"].as_array().unwrap().clone();
        rows.into_iter().find(|row| row["algorithm"] == "rebel").unwrap()["trials"].clone()
    };
    assert_eq!(of(&one), of(&two));
    assert!(s.text("kept.json").len() > kept.len());
    s.refuses(
        "compare d.csv --folds 2 --rounds 9 --checkpoint kept.json --algorithms rebel",
        &["kept.json", "other data or options"],
    );
    s.write("broken.json", "{");
    s.refuses("compare d.csv --checkpoint broken.json", &["broken.json", "no file of 'rebel compare'"]);
    s.refuses("compare d.csv --algorithms rebbel", &["no algorithm 'rebbel'", "did you mean 'rebel'"]);
    s.refuses("compare d.csv --protocol cv --folds 500", &["too few"]);
}

#[test]
fn the_page_has_bars_and_curves() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(120));
    s.ok("compare d.csv --algorithms rebel,one-vs-all --protocol cv --folds 2 --rounds 10 --report page.html");
    let page = s.text("page.html");
    for part in ["<svg", "rebel", "one-vs-all", "standard deviation", "weak learners", "d.csv"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<script"));
}

#[test]
fn ranking_with_query_groups() {
    let s = Sandbox::new();
    let mut text = String::from("x,y,query,relevance\n");
    for i in 0..60 {
        let (group, level) = (i / 20, i % 4);
        text +=
            &format!("{},{},q{group},{level}\n", level as f64 + 10.0 * group as f64 + 0.01 * i as f64, (i * 7) % 5);
    }
    s.write("r.csv", text);
    s.ok("train r.csv --algorithm rankboost --group query --rounds 60 --out m.rebel");
    let scores = s.ok("predict m.rebel r.csv --scores").out;
    assert!(scores.starts_with("prediction") && scores.lines().count() == 61, "{scores}");
    s.ok("train r.csv --algorithm rankboost --target relevance --group query --rounds 200 --out m.rebel");
    let words = s.ok("evaluate m.rebel r.csv --group query").out;
    assert!(words.contains("Ranking: ") && words.contains("NDCG of the first 10 places"), "{words}");
    let wrong = |line: &str| s.json(line)["test"]["ranking"]["pair_error"].as_f64().unwrap();
    // Without groups, rows of different groups are compared as well, which their offsets spoil.
    let (within, across) = (wrong("evaluate m.rebel r.csv --group query"), wrong("evaluate m.rebel r.csv"));
    assert!(within < 0.02 && across > within, "{within} {across}");
    s.refuses("evaluate m.rebel r.csv --group nowhere", &["nowhere", "query groups"]);
    s.refuses("train r.csv --algorithm rankboost --group nowhere --out n.rebel", &["nowhere"]);
    s.refuses("train r.csv --algorithm rankboost --target relevance --group relevance --out n.rebel", &["relevance"]);
}

#[test]
fn a_code_of_ones_own() {
    let s = Sandbox::new();
    s.write("code.txt", "+1 -1 0\n0 +1 -1\n-1, 0, 1\n");
    s.write("same.txt", "+ -\n- +\n+ -\n");
    s.write("ragged.txt", "+-\n-+\n+\n");
    s.ok("train builtin:penguins --algorithm ecoc --code code.txt --rounds 9 --out a.rebel");
    s.ok("train builtin:penguins --algorithm ecoc --code +-0;0+-;-0+ --rounds 9 --out b.rebel");
    assert_eq!(s.read("a.rebel"), s.read("b.rebel"));
    s.refuses("train builtin:penguins --algorithm ecoc --code same.txt --out n.rebel", &["rows 1 and 3"]);
    s.refuses("train builtin:penguins --algorithm ecoc --code ragged.txt --out n.rebel", &["ragged.txt", "row 3"]);
    s.refuses("train builtin:penguins --algorithm ecoc --code nowhere.txt --out n.rebel", &["nowhere.txt", "dense"]);
}
