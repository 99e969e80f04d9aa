//! The commands about images, as a black box.
#![cfg(feature = "vision")]

mod common;

use common::Sandbox;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../vision/tests/golden");

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["a.png", "b.png", "stumps.xml"] {
        sandbox.write(name, std::fs::read(format!("{GOLDEN}/{name}")).unwrap());
    }
    sandbox
}

#[test]
fn detect_prints_and_draws_boxes_as_promised() {
    let sandbox = sandbox();
    let found = sandbox.json("detect stumps.xml a.png b.png --out found --threads 1");
    let image = &found["images"][0];
    assert_eq!((&image["file"], &image["width"], &image["height"]), (&"a.png".into(), &150.into(), &100.into()));
    assert!(image["seconds"].as_f64().unwrap() >= 0.0);
    let boxes = image["boxes"].as_array().unwrap();
    assert_eq!(boxes.len(), 7);
    for name in ["x", "y", "width", "height", "neighbors"] {
        assert!(boxes[0][name].is_i64(), "{name}");
    }
    assert!((0.0..=1.0).contains(&boxes[0]["score"].as_f64().unwrap()));
    assert_eq!(found["calibrated"], false);
    let scores: Vec<f64> = boxes.iter().map(|each| each["score"].as_f64().unwrap()).collect();
    let middle = scores.iter().sum::<f64>() / 7.0;
    let sure = sandbox.json(&format!("detect stumps.xml a.png --min-score {middle}"));
    let expected = scores.iter().filter(|score| **score >= middle).count();
    assert_eq!(sure["images"][0]["boxes"].as_array().unwrap().len(), expected);
    assert!(sandbox.path("found/a.png").is_file() && sandbox.path("found/b.png").is_file());
    let drawn = sandbox.json("detect stumps.xml found --min-neighbors 0");
    assert_eq!(drawn["images"].as_array().unwrap().len(), 2);
    // A drawing never replaces what is read.
    let run = sandbox.rebel("detect stumps.xml a.png --out .");
    assert!(run.code == 2 && run.err.contains("another folder"), "{}", run.err);
}

#[test]
fn evaluate_finds_what_is_true_by_definition() {
    let sandbox = sandbox();
    let found = sandbox.json("detect stumps.xml a.png");
    let mut truth = "file,x,y,width,height\n".to_string();
    for each in found["images"][0]["boxes"].as_array().unwrap() {
        truth += &format!("a.png,{},{},{},{}\n", each["x"], each["y"], each["width"], each["height"]);
    }
    sandbox.write("truth.csv", truth);
    let told = sandbox.json("evaluate-detector stumps.xml a.png --truth truth.csv --plot roc.svg --overlap 0.99");
    assert_eq!((told["detection"].as_f64(), told["false_positives"].as_u64()), (Some(1.0), Some(0)));
    assert!(sandbox.text("roc.svg").starts_with("<svg"));
}

#[test]
fn mistakes_are_said_in_a_sentence() {
    let sandbox = sandbox();
    sandbox.write("notes.txt", "hello").write("lines.txt", "a.png 1 2").write("empty.png", "");
    for (line, word) in [
        ("detect none.xml a.png", "no such file"),
        ("detect notes.txt a.png", "not a detector"),
        ("detect stumps.xml notes.txt", "neither a PNG nor a JPEG"),
        ("detect stumps.xml empty.png", "empty"),
        ("detect stumps.xml none/", "no such file"),
        ("detect stumps.xml a.png --scale-factor 1", "scale factor"),
        ("detect stumps.xml a.png --min-size large", "24x24"),
        ("detect stumps.xml a.png --min-score 2", "min-score"),
        ("evaluate-detector stumps.xml a.png --truth notes.txt", "names none of the images"),
        ("evaluate-detector stumps.xml a.png --truth lines.txt", "4 numbers"),
        ("train-detector --positives a.png --negatives b.png --out x.rebel", "too few"),
        ("train-detector --positives a.png --negatives b.png --cascade hard", "attentional"),
    ] {
        let run = sandbox.rebel(line);
        assert!(run.code == 2 && run.err.contains(word), "rebel {line}: {} {}", run.code, run.err);
    }
}

#[test]
fn a_cascade_of_a_table_changes_no_answer_and_says_what_it_saved() {
    let sandbox = Sandbox::new();
    sandbox.ok("train builtin:gaussians?rows=200 --algorithm rebel --rounds 40 --out m.rebel");
    let whole = sandbox.ok("predict m.rebel builtin:gaussians?rows=200").out;
    let early = sandbox.ok("predict m.rebel builtin:gaussians?rows=200 --cascade --every 2");
    assert_eq!(early.out, whole);
    assert!(early.err.contains("of 40 terms a row"), "{}", early.err);
    let line =
        "predict m.rebel builtin:gaussians?rows=200 --cascade --risk 0.05 --calibrate builtin:gaussians?rows=200";
    let told = sandbox.json(line);
    assert!(told["cascade"]["mean_terms"].as_f64().unwrap() < 40.0);
    let told = sandbox.ok(&line.replace("0.05", "0.001"));
    assert!(told.err.contains("200 rows cannot tell a risk of 0.1 %, at least 2995"), "{}", told.err);
    assert_eq!(sandbox.rebel("predict m.rebel builtin:gaussians --cascade --scores").code, 2);
    let line =
        "predict m.rebel builtin:gaussians?rows=200 --cascade --calibrate builtin:gaussians?rows=200 --after 0.1";
    let told = sandbox.json(&format!("{line} --accuracy 0.5 --every 1"));
    let mean = told["cascade"]["mean_terms"].as_f64().unwrap();
    assert!((4.0..30.0).contains(&mean), "{mean}");
    let run = sandbox.rebel(&format!("{line} --accuracy 1"));
    assert!(run.code == 2 && run.err.contains("% of the rows of class"), "{}", run.err);
    for more in ["", "--accuracy 0.5 --risk 0.1", "--accuracy 2"] {
        assert_eq!(sandbox.rebel(&format!("{line} {more}")).code, 2, "{more}");
    }
}
