//! `rebel train --report`.

mod common;
use common::{Sandbox, flowers};

#[test]
fn the_report_is_written_and_repeats_its_command() {
    let s = Sandbox::new();
    std::fs::create_dir(s.path("my data")).unwrap();
    s.write("my data/d.csv", flowers(120)).write("t.csv", flowers(60));
    let mut command = s.command("train --test t.csv --rounds 10 --report r.html --out m.rebel --json");
    let run = common::Run::of(command.arg("my data/d.csv").output().unwrap());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("\"report\":\"r.html\""), "{}", run.out);
    let page = s.text("r.html");
    for words in [
        "<h1>d.csv</h1>",
        "aster",
        "on the test rows of t.csv",
        "rebel train --test t.csv --rounds 10 --report r.html --out m.rebel --json 'my data/d.csv'",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // Nothing is fetched.
    for word in ["http:", "https:", "src=", "<link", "@import"] {
        assert!(!page.contains(word), "{word}");
    }
    let shown = s.ok("train t.csv --rounds 10 --report r.html --out m.rebel");
    assert!(shown.out.contains("open r.html in a browser"), "{}", shown.out);
    assert_eq!(s.files(), ["m.rebel", "my data", "r.html", "t.csv"], "nothing half-written is left");
}

#[test]
fn the_same_run_has_the_same_report_on_any_number_of_threads() {
    let s = Sandbox::new();
    let page = |threads: &str| {
        s.ok(&format!("train builtin:spirals?rows=400 --rounds 30 --report r.html --threads {threads}"));
        s.text("r.html").replace(&format!("--threads {threads}"), "")
    };
    assert_eq!(page("1"), page("3"));
}

#[test]
fn markup_in_a_table_stays_text() {
    let s = Sandbox::new();
    let row = |i: usize| format!("{},{}\n", i % 7, ["<script>alert(1)</script>", "</style><img src=x>"][i % 2]);
    s.write("d.csv", "<b>size</b>,kind\n".to_string() + &(0..60).map(row).collect::<String>());
    s.ok("train d.csv --rounds 5 --report r.html");
    let page = s.text("r.html");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && page.contains("&lt;b&gt;size"));
    for word in ["<script>alert", "<img", "<b>size"] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_training() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(60));
    s.refuses("train d.csv --report none/r.html", &["none"]);
    s.refuses("train d.csv --report d.csv", &["d.csv", "replace"]);
    s.refuses("train d.csv --report x --out x", &["both", "x"]);
}
