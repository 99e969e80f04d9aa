//! `rebel select`, and steps before a model: what is learned in training is repeated by every command.

mod common;
use common::Sandbox;

/// Six columns: `a` and its copy know the class, `b` knows a little more, the others nothing; a category, gaps.
fn table(rows: usize) -> String {
    let mut text = "noise,a,copy,b,colour,gaps,class\n".to_string();
    for i in 0..rows {
        let class = i % 3;
        let wrong = i % 7 == 0;
        let a = if wrong { (class + 1) % 3 } else { class };
        let b = if class == 2 { 10 } else { i % 5 };
        let colour = ["red", "green", "blue"][(i / 3) % 3];
        let gaps = if i % 4 == 0 { String::new() } else { ((i * 37) % 11).to_string() };
        let noise = (i * 7919) % 101;
        text += &format!("{noise},{a}.5,{a}.5,{b},{colour},{gaps},{}\n", ["x", "y", "z"][class]);
    }
    text
}

#[test]
fn a_ranking_is_printed_written_and_drawn() {
    let s = Sandbox::new();
    s.write("d.csv", table(210));
    let run = s.ok("select d.csv --method cmim --count 3 --out small.csv --report r.html");
    assert!(run.out.contains("redundancy") && run.out.contains("conditional mutual information"), "{}", run.out);
    let json = s.json("select d.csv --method mim --count 6");
    let selected = json["selected"].as_array().unwrap();
    assert_eq!((selected[0]["feature"].as_str(), selected[1]["feature"].as_str()), (Some("a"), Some("copy")));
    assert_eq!(selected[1]["redundancy"], 1.0);
    assert_eq!(selected[1]["redundant_with"], "a");
    let cmim = s.json("select d.csv --count 2");
    assert_eq!(cmim["method"], "cmim");
    assert_eq!(cmim["selected"][1]["feature"], "b", "{cmim}");
    let small = s.text("small.csv");
    assert!(small.starts_with("a,b,") && small.lines().next().unwrap().ends_with(",class"), "{small}");
    assert_eq!(small.lines().count(), 211);
    let page = s.text("r.html");
    assert!(page.contains("width:100.0%") && page.contains("most like") && !page.contains("http:"), "{page}");
    // What was written is a table like any other.
    s.ok("train small.csv --algorithm rebel --rounds 5 --out m.rebel");
}

#[test]
fn every_method_runs() {
    let s = Sandbox::new();
    s.write("d.csv", table(90));
    for method in ["cmim", "mim", "fisher", "ks", "random"] {
        assert_eq!(
            s.json(&format!("select d.csv --method {method} --count 2"))["selected"].as_array().unwrap().len(),
            2
        );
    }
    for method in ["forward --folds 2", "backward --folds 2", "boosting"] {
        let line = format!("select d.csv --method {method} --count 2 --algorithm rebel --rounds 3");
        let first = s.json(&line);
        assert_eq!(first["selected"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn steps_are_repeated_by_every_command() {
    let s = Sandbox::new();
    s.write("d.csv", table(210)).write("t.csv", table(60));
    for (steps, inputs) in [
        ("--select cmim:2", "a,b"),
        ("--select fisher:3 --transform pca:2", "a,copy,b"),
        ("--transform lda:2", "noise,a,copy,b,colour,gaps"),
        ("--transform kmeans:5,output=distances", "noise,a,copy,b,colour,gaps"),
        ("--select mim:3 --transform isomap:2,neighbours=8", "a,copy,b"),
    ] {
        let train = format!("train d.csv --test t.csv --algorithm rebel --rounds 20 {steps}");
        let trained = s.json(&format!("{train} --out m.rebel"));
        let evaluated = s.json("evaluate m.rebel t.csv");
        assert_eq!(trained["test"]["error"], evaluated["test"]["error"], "{steps}");
        assert_eq!(trained["test"]["log_loss"], evaluated["test"]["log_loss"], "{steps}");
        // Only the columns that the steps need are needed.
        let all = table(60);
        let places: Vec<usize> = inputs
            .split(',')
            .map(|name| all.lines().next().unwrap().split(',').position(|n| n == name).unwrap())
            .collect();
        let narrow = all.lines().map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            places.iter().map(|place| cells[*place]).collect::<Vec<_>>().join(",") + "\n"
        });
        s.write("narrow.csv", narrow.collect::<String>());
        let answers = s.ok("predict m.rebel narrow.csv").out;
        assert_eq!(answers, s.ok("predict m.rebel t.csv --quiet").out, "{steps}");
        assert_eq!(answers.lines().count(), 61);
        // The same bytes on any number of threads, and after a break.
        let bytes = s.read("m.rebel");
        s.ok(&format!("{train} --threads 1 --out one.rebel"));
        assert!(bytes == s.read("one.rebel"), "{steps}");
        s.ok(&format!("train d.csv --algorithm rebel --rounds 8 {steps} --out part.rebel"));
        s.ok("train d.csv --resume part.rebel --rounds 20 --out whole.rebel");
        assert!(bytes == s.read("whole.rebel"), "{steps}");
        let said = s.ok("inspect m.rebel").out;
        assert!(said.contains("Before it, "), "{said}");
    }
}

#[test]
fn explanations_speak_of_columns_where_they_can() {
    let s = Sandbox::new();
    s.write("d.csv", table(210));
    s.ok("train d.csv --algorithm rebel --rounds 5 --select cmim:2 --out m.rebel");
    let plain = s.ok("explain m.rebel d.csv --row 2");
    assert!(plain.out.contains("a 1.5, b 1.") && !plain.err.contains("mixtures"), "{}\n{}", plain.out, plain.err);
    s.ok("train d.csv --algorithm rebel --rounds 5 --select fisher:3 --transform pca:2 --out m.rebel");
    let mixed = s.ok("explain m.rebel d.csv --row 2");
    assert!(mixed.err.contains("mixtures of the columns"), "{}", mixed.err);
    assert!(mixed.out.contains("pca1 is made of") && mixed.out.contains("% of the variance"), "{}", mixed.out);
    let json = s.json("explain m.rebel d.csv --row 2");
    assert_eq!(json["columns"]["a"], "1.5");
    assert_eq!(json["steps"], serde_json::json!(["fisher:3", "pca:2"]));
}

#[test]
fn cross_validation_learns_the_steps_in_every_fold() {
    let s = Sandbox::new();
    // Columns of noise: a selection that had seen the test rows would find some that seem to know the class.
    let mut text = (0..300).map(|j| format!("x{j},")).collect::<String>() + "class\n";
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 40
    };
    for _ in 0..60 {
        let cells: String = (0..300).map(|_| format!("{},", random() % 2)).collect();
        text += &format!("{cells}{}\n", ["a", "b"][(random() % 2) as usize]);
    }
    s.write("d.csv", text);
    let honest = s.json("cv d.csv --algorithm rebel --rounds 5 --select mim:10");
    let error = honest["error"]["mean"].as_f64().unwrap();
    assert!(error > 0.3, "noise cannot be learned: {error}");
}

#[test]
fn mistakes_are_named() {
    let s = Sandbox::new();
    s.write("d.csv", table(90));
    for (line, words) in [
        ("select d.csv --method cmin", "did you mean 'cmim'?"),
        ("select d.csv --count 0", "cannot be '0'"),
        ("select d.csv --folds 3", "cmim has no parameter 'folds'"),
        ("select d.csv --rounds 3", "cmim trains no algorithm"),
        ("select d.csv --out d.csv", "would replace a file that is read"),
        ("train d.csv --select pca:3", "there is no method of selection 'pca'"),
        ("train d.csv --transform pca:3,scale=raw", "did you mean 'scaling'?"),
        ("train d.csv --weights b --transform isomap:2", "cannot use weights"),
        ("label d.csv --select cmim:2 --simulate", "labelling takes no steps"),
    ] {
        let run = s.rebel(line);
        assert_eq!(run.code, 2, "{line}: {}", run.err);
        assert!(run.err.contains(words), "{line}: {}", run.err);
        assert_eq!(run.err.trim().lines().filter(|l| l.starts_with("error: ")).count(), 1, "{}", run.err);
    }
    s.ok("train d.csv --algorithm rebel --rounds 3 --select cmim:2 --out m.rebel");
    let run = s.rebel("train d.csv --resume m.rebel --rounds 5 --select mim:2 --out n.rebel");
    assert!(run.code == 2 && run.err.contains("other steps"), "{}", run.err);
    let run = s.rebel("predict m.rebel m.rebel");
    assert_eq!(run.code, 2);
}
