//! The ways that must work.

mod common;
use common::{Sandbox, flowers, gzip};

#[test]
fn train_test_predict_evaluate_agree() {
    let s = Sandbox::new();
    s.write("train.csv", flowers(300)).write("test.csv", flowers(90));
    let trained = s.json("train train.csv --test test.csv --out m.rebel");
    let evaluated = s.json("evaluate m.rebel test.csv");
    for figure in ["rows", "error", "cost", "log_loss", "brier"] {
        assert_eq!(trained["test"][figure], evaluated["test"][figure], "{figure}");
    }
    assert_eq!(trained["test"]["rows"], 90);
    assert!(trained["test"]["error"].as_f64().unwrap() < 0.34);

    s.ok("predict m.rebel test.csv --scores --proba --out p.csv");
    let text = s.text("p.csv");
    let mut lines = text.lines();
    let header = "prediction,score_aster,score_briar,score_clover,p_aster,p_briar,p_clover";
    assert_eq!(lines.next(), Some(header));
    let truths = flowers(90);
    let wrong = lines.zip(truths.lines().skip(1)).filter(|(answer, truth)| {
        let probabilities: f64 = answer.split(',').skip(4).map(|p| p.parse::<f64>().unwrap()).sum();
        assert!((probabilities - 1.0).abs() < 1e-9);
        answer.split(',').next() != truth.rsplit(',').next()
    });
    assert_eq!(wrong.count() as f64 / 90.0, trained["test"]["error"].as_f64().unwrap());
    assert_eq!(s.ok("predict m.rebel test.csv --scores --proba").out, text, "standard output says the same");
}

#[test]
fn columns_are_matched_by_name_and_oddities_are_noted() {
    let s = Sandbox::new();
    s.write("train.csv", flowers(120)).write("a.csv", flowers(30));
    s.ok("train train.csv --out m.rebel");
    let swapped: String = flowers(30)
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let c: Vec<&str> = line.split(',').collect();
            let extra = if i == 0 { "comment" } else { "hello" };
            format!("{},{extra},{},{}\n", c[2], c[1], c[0])
        })
        .collect();
    s.write("b.csv", &swapped);
    let b = s.ok("predict m.rebel b.csv");
    assert_eq!(s.ok("predict m.rebel a.csv").out, b.out);
    assert!(b.err.contains("comment"), "{}", b.err);
    s.write("c.csv", swapped.replace("red", "purple"));
    let c = s.ok("predict m.rebel c.csv");
    assert!(c.err.contains("'colour'") && c.err.contains("never seen"), "{}", c.err);
}

#[test]
fn standard_input_and_gzip_read_the_same() {
    let s = Sandbox::new();
    let text = flowers(120);
    s.write("d.csv", &text).write("d.csv.gz", gzip(&text));
    s.ok("train d.csv --out a.rebel");
    s.ok("train d.csv.gz --out b.rebel");
    let run = s.rebel_with_input("train - --out c.rebel", text.as_bytes());
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(s.read("a.rebel"), s.read("b.rebel"));
    assert_eq!(s.read("a.rebel"), s.read("c.rebel"));
    let answers = s.rebel_with_input("predict a.rebel -", text.as_bytes());
    assert_eq!(answers.out, s.ok("predict a.rebel d.csv").out);
}

#[test]
fn an_unseen_class_counts_as_an_error() {
    let s = Sandbox::new();
    s.write("train.csv", flowers(120)).write("test.csv", flowers(30) + "1,2,red,orchid\n");
    s.ok("train train.csv --out m.rebel");
    let found = s.json("evaluate m.rebel test.csv");
    assert!(found["test"]["error"].as_f64().unwrap() >= 1.0 / 31.0);
    assert!(found["notes"].to_string().contains("orchid"));
    assert!(s.ok("evaluate m.rebel test.csv").out.contains("(never seen)"));
}

#[test]
fn costs_change_answers_and_are_reported_in_the_users_unit() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(300));
    s.write("costs.csv", ",clover,aster,briar\naster,50,0,50\nbriar,2,1,0\nclover,0,1,1\n");
    s.write("tree.csv", "child,parent\naster,daisies\nbriar,roses\nclover,roses\ndaisies,all\nroses,all\n");
    let trained = s.json("train d.csv --costs costs.csv --out t.rebel --rounds 5");
    assert!(trained["train"]["cost"].as_f64().unwrap() < 50.0);
    assert!(trained["train"]["log_loss"].is_null(), "no probabilities after training on costs");
    let decided = s.json("train d.csv --costs costs.csv --cost-mode decide --out d.rebel --rounds 5");
    assert!(decided["train"]["log_loss"].is_f64());
    s.ok("train d.csv --taxonomy tree.csv --out x.rebel --rounds 5");
    s.ok("train d.csv --out plain.rebel --rounds 5");
    let aster = |counts: &serde_json::Value| counts["counts"]["aster"].as_u64().unwrap();
    let (plain, dear) = (s.json("predict plain.rebel d.csv"), s.json("predict plain.rebel d.csv --costs costs.csv"));
    assert!(aster(&dear) > aster(&plain), "missing an aster is dear");
    // A cost-trained model cannot re-decide, but can be measured.
    s.refuses("predict t.rebel d.csv --costs tree.csv", &["tree.csv"]);
    s.write("other.csv", ",clover,aster,briar\naster,5,0,5\nbriar,2,0.1,0\nclover,0,1,1\n");
    s.refuses("predict t.rebel d.csv --costs other.csv", &["trained on costs"]);
    let found = s.json("evaluate t.rebel d.csv --costs other.csv");
    assert!(found["notes"].to_string().contains("own costs"));
}

#[test]
fn weights_are_used_and_zero_means_absent() {
    let s = Sandbox::new();
    let weighted = |zero: &str| -> String {
        let weigh = |(i, line): (usize, &str)| match i {
            0 => format!("{line},w\n"),
            _ if line.ends_with("clover") && i % 2 == 0 => format!("{line},{zero}\n"),
            _ => format!("{line},2\n"),
        };
        flowers(120).lines().enumerate().map(weigh).collect()
    };
    s.write("w.csv", weighted("0"));
    let run = s.json("train w.csv --weights w --target kind --test w.csv --out m.rebel");
    assert_eq!(run["train"]["rows"], 100);
    assert!(run["notes"].to_string().contains("weight zero"));
    assert_eq!(run["train"]["error"], run["test"]["error"]);
}

#[test]
fn cross_validation_and_a_class_absent_from_a_fold() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(60) + "9,9,red,dahlia\n");
    let found = s.json("cv d.csv --folds 3 --rounds 10");
    assert_eq!(found["results"].as_array().unwrap().len(), 3);
    let notes = found["notes"].to_string();
    assert!(notes.contains("'dahlia' has no row in the training part"), "{notes}");
    assert!(notes.contains("fewer than 5 rows"), "{notes}");
    assert_eq!(found, {
        let mut again = s.json("cv d.csv --folds 3 --rounds 10 --threads 3");
        for field in ["seconds", "peak_rss_mb", "threads"] {
            again[field] = found[field].clone();
        }
        for i in 0..3 {
            again["results"][i]["train_seconds"] = found["results"][i]["train_seconds"].clone();
            again["results"][i]["test"]["seconds"] = found["results"][i]["test"]["seconds"].clone();
        }
        again
    });
    assert!(s.ok("cv d.csv --folds 3 --rounds 10").out.contains("deviation"));
    assert_eq!(s.files(), ["d.csv"], "cross-validation writes nothing");
}

#[test]
fn words_say_what_happened() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(120));
    let run = s.ok("train d.csv --test d.csv --report r.html");
    for words in [
        "120 rows",
        "Expected error",
        "Always giving the same answer",
        "3 features (2 numbers and 1 category)",
        "target column: 'kind'",
        "it stopped because",
        "Test error",
        "95 % interval",
        "truth \\ answer",
        "recognised",
        "The model is in model.rebel",
        "rebel predict",
    ] {
        assert!(run.out.contains(words), "'{words}' is not in\n{}", run.out);
    }
    assert!(run.err.is_empty(), "{}", run.err);
    let shown = s.ok("inspect model.rebel --terms 2").out;
    for words in [
        "Settings:",
        "preset best",
        "weighted sum of these members",
        "aster, briar, clover",
        "share of weight",
        "Scores start at",
        "1. ",
        "(--terms shows more)",
    ] {
        assert!(shown.contains(words), "'{words}' is not in\n{shown}");
    }
    assert_eq!(s.ok("train d.csv --quiet").out, "");
    assert!(s.ok("train d.csv --ignore colour").out.contains("2 features (all numbers)"));
    assert!(s.ok("train d.csv --categorical length").out.contains("1 number and 2 categories"));
}

#[test]
fn demo_runs_without_files() {
    let s = Sandbox::new();
    let run = s.ok("demo");
    for words in ["penguin", "weighted sum of", "what to expect", "Test error", "What mattered", "What to type next"]
    {
        assert!(run.out.contains(words), "'{words}' is not in\n{}", run.out);
    }
    assert!(s.files().is_empty());
    s.ok("demo --out p.rebel");
    assert_eq!(s.files(), ["p.rebel"]);
    s.ok("evaluate p.rebel builtin:penguins");
}

#[test]
fn help_and_lists() {
    let s = Sandbox::new();
    let lone = s.rebel("");
    assert_eq!((lone.code, lone.out.as_str()), (2, ""));
    assert!(lone.err.contains("rebel demo"));
    assert!(s.ok("--version").out.starts_with("rebel "));
    for command in "demo train predict evaluate cv inspect algorithms datasets completions".split(' ') {
        assert!(s.ok(&format!("{command} --help")).out.contains("Examples:"), "{command}");
    }
    let help = s.ok("train --help").out;
    for algorithm in rebelboost::registry::ALGORITHMS {
        for parameter in algorithm.parameters() {
            assert!(help.contains(&format!("--{} ", parameter.name)), "{}", parameter.name);
        }
        assert!(s.ok("algorithms").out.contains(algorithm.name));
        let out = s.ok(&format!("algorithms {}", algorithm.name)).out;
        assert!(algorithm.parameters().all(|p| out.contains(&format!("--{}", p.name))));
    }
    assert!(s.ok("datasets").out.contains("builtin:spirals"));
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(s.ok(&format!("completions {shell}")).out.contains("rebel"));
    }
}

#[test]
fn no_escape_codes_without_a_terminal() {
    let s = Sandbox::new();
    for line in
        ["demo", "--help", "train --help", "train builtin:penguins", "cv builtin:penguins --folds 2", "nonsense"]
    {
        let run = s.rebel(line);
        assert!(!run.out.contains('\x1b') && !run.err.contains('\x1b'), "rebel {line}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let s = Sandbox::new();
    s.ok("train builtin:spirals?rows=20000 --rounds 2 --out m.rebel");
    let line = format!("{} predict m.rebel builtin:spirals?rows=20000 | head -1", env!("CARGO_BIN_EXE_rebel"));
    let run = std::process::Command::new("sh").args(["-c", &line]).current_dir(s.folder()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "prediction");
    assert!(run.stderr.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
}
