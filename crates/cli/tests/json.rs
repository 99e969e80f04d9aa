//! `--json`: one object on standard output, with the fields that scripts rely on.

mod common;
use common::{Sandbox, flowers};
use serde_json::Value;

#[test]
fn every_command_prints_one_object() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(90));
    for line in [
        "train d.csv --out m.rebel",
        "demo",
        "predict m.rebel d.csv",
        "predict m.rebel d.csv --out p.csv",
        "explain m.rebel d.csv",
        "evaluate m.rebel d.csv",
        "cv d.csv --folds 2",
        "compare d.csv --algorithms rebel,samme --folds 2 --rounds 5",
        "inspect m.rebel",
        "algorithms",
        "algorithms rebel",
        "datasets",
        "completions bash",
    ] {
        assert!(s.json(line).is_object(), "{line}");
    }
}

#[test]
fn train_and_evaluate_keep_their_promise() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(90));
    let trained = s.json("train d.csv --out m.rebel --rounds 7 --min-rounds 7 --seed 3 --threads 2");
    fields(
        &trained,
        &[
            "algorithm",
            "learner",
            "rounds",
            "seed",
            "threads",
            "model",
            "train",
            "test",
            "peak_rss_mb",
            "notes",
            "stopped",
        ],
    );
    fields(&trained["train"], &["rows", "features", "classes", "error", "cost", "loss", "seconds", "cpu_seconds"]);
    assert!(trained["test"].is_null());
    assert_eq!((&trained["rounds"], &trained["seed"], &trained["threads"]), (&7.into(), &3.into(), &2.into()));
    assert_eq!((&trained["stopped"], &trained["model"]), (&"rounds".into(), &"m.rebel".into()));
    assert_eq!((&trained["train"]["rows"], &trained["train"]["classes"]), (&90.into(), &3.into()));
    assert_eq!(trained["train"]["error"], trained["train"]["cost"]);
    assert!(trained["history"].is_null());
    let long = s.json("train d.csv --out m.rebel --rounds 7 --test d.csv --history");
    assert_eq!(long["history"].as_array().unwrap().len() as u64, long["rounds"].as_u64().unwrap());
    fields(&long["test"], &["rows", "error", "cost", "log_loss", "seconds"]);
    let evaluated = s.json("evaluate m.rebel d.csv");
    fields(
        &evaluated,
        &[
            "algorithm",
            "learner",
            "rounds",
            "seed",
            "threads",
            "model",
            "train",
            "test",
            "peak_rss_mb",
            "notes",
            "stopped",
        ],
    );
    fields(&evaluated["train"], &["rows", "features", "classes", "error", "cost", "loss", "seconds", "cpu_seconds"]);
    fields(&evaluated["test"], &["rows", "error", "cost", "log_loss", "brier", "calibration_error", "seconds"]);
}

#[test]
fn predict_embeds_answers_unless_they_go_to_a_file() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(30));
    s.ok("train d.csv --out m.rebel");
    let inline = s.json("predict m.rebel d.csv --proba");
    assert_eq!(inline["predictions"].as_array().unwrap().len(), 30);
    assert_eq!(inline["probabilities"][0].as_array().unwrap().len(), 3);
    let filed = s.json("predict m.rebel d.csv --out p.csv");
    assert_eq!((&filed["rows"], &filed["out"]), (&30.into(), &"p.csv".into()));
    assert!(filed["predictions"].is_null());
    let total: u64 = filed["counts"].as_object().unwrap().values().map(|c| c.as_u64().unwrap()).sum();
    assert_eq!(total, 30);
}

fn fields(object: &Value, names: &[&str]) {
    for name in names {
        assert!(object.get(name).is_some(), "'{name}' is not in {object}");
    }
}
