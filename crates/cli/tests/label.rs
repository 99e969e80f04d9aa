//! `rebel label` with answers from a pipe, and simulations. The loop at a terminal is in `label_terminal.rs`.

mod common;
use common::{Sandbox, flowers};
use serde_json::Value;

/// Flowers without their kinds; the kind of row i (from 0) is known all the same.
fn unlabelled(rows: usize) -> String {
    flowers(rows).lines().map(|line| line.rsplit_once(',').unwrap().0.to_string() + "\n").collect()
}

fn kind(row: usize) -> &'static str {
    ["aster", "briar", "clover"][row % 3]
}

/// The next row, as the program would ask; nothing is answered.
fn next_row(s: &Sandbox, line: &str) -> usize {
    let run = s.rebel_with_input(line, b"q\n");
    assert_eq!(run.code, 0, "{}", run.err);
    asked(&run.out).pop().unwrap_or_else(|| panic!("nothing was asked\n{}", run.out))
}

/// Rows asked, from 0.
fn asked(out: &str) -> Vec<usize> {
    let rows = out.lines().filter_map(|line| line.strip_prefix("Row "));
    rows.map(|rest| rest.split_whitespace().next().unwrap().parse::<usize>().unwrap() - 1).collect()
}

/// Answers as many questions truthfully, one run of the program each, and returns the rows.
fn label(s: &Sandbox, line: &str, count: usize) -> Vec<usize> {
    (0..count)
        .map(|_| {
            let row = next_row(s, line);
            let answer = format!("{}\n", kind(row));
            assert_eq!(s.rebel_with_input(line, answer.as_bytes()).code, 0);
            row
        })
        .collect()
}

const LINE: &str = "label d.csv --classes aster,briar,clover --rounds 5";

#[test]
fn interrupted_after_every_answer_it_asks_what_one_session_asks() {
    let (s, whole) = (Sandbox::new(), Sandbox::new());
    s.write("d.csv", unlabelled(60));
    let rows = label(&s, LINE, 25);
    let answers: String = rows.iter().map(|row| format!("{}\n", kind(*row))).collect();
    whole.write("d.csv", unlabelled(60));
    let run = whole.rebel_with_input(LINE, answers.as_bytes());
    assert_eq!(asked(&run.out)[..25], rows);
    assert_eq!(s.text("d.labels.csv"), whole.text("d.labels.csv"));
    assert_eq!(s.files(), ["d.csv", "d.labels.csv", "d.labels.csv.session"], "the lock is gone");
    let table = s.text("d.labels.csv");
    assert!(table.starts_with("row,label\n") && table.lines().count() == 26, "{table}");
    // The labels train a model, and the session's last words say how.
    assert!(run.out.contains("rebel train d.csv --labels d.labels.csv"), "{}", run.out);
    let trained = s.json("train d.csv --labels d.labels.csv --rounds 5 --out m.rebel");
    assert_eq!((&trained["train"]["rows"], &trained["train"]["classes"]), (&25.into(), &3.into()));
    s.refuses("train d.csv --labels d.labels.csv --target kind --out m2.rebel", &["'label'", "not 'kind'"]);
}

#[test]
fn skip_undo_new_classes_and_nonsense() {
    let s = Sandbox::new();
    s.write("d.csv", unlabelled(30));
    let run =
        s.rebel_with_input("label d.csv", b"u\naster\nn\naster\ny\n1\ns\nu\n7\nastre\nm\n:nonsense\n?\nbriar\ny\n");
    let rows = asked(&run.out);
    assert_eq!(rows.len(), 7, "{}", run.out);
    assert_eq!((rows[2], rows[3]), (rows[4], rows[5]), "undo asks the skipped row again, then the one after it");
    for text in [
        "nothing to take back",
        "'aster' is a new class. Add it?",
        "no class number 7",
        "m = I meant 'aster'",
        "no command ':nonsense'",
        "take the last answer back",
        "its last answer was taken back",
    ] {
        assert!(run.out.contains(text), "'{text}' is not in\n{}", run.out);
    }
    let labels = s.text("d.labels.csv");
    assert_eq!(labels.matches("aster").count(), 3, "{labels}");
    assert_eq!(labels.matches("briar").count(), 1, "{labels}");
    // A skipped row is not asked again in later sessions; undo reaches back into them.
    let skipped = next_row(&s, "label d.csv");
    s.rebel_with_input("label d.csv", b"s\n");
    assert_ne!(next_row(&s, "label d.csv"), skipped);
    let run = s.rebel_with_input("label d.csv", b"u\nu\n");
    assert_eq!(asked(&run.out)[1], skipped);
    assert_eq!(s.text("d.labels.csv").matches("briar").count(), 0);
}

#[test]
fn a_pool_comes_to_its_end() {
    let s = Sandbox::new();
    s.write("d.csv", unlabelled(6));
    let run = s.rebel_with_input("label d.csv --classes aster,briar", &b"1\n2\n1\n2\ns\n1\n1\n"[..]);
    assert!(run.code == 0 && run.out.contains("Nothing is left to ask; 1 row skipped"), "{}", run.out);
    let again = s.json("label d.csv");
    assert_eq!([&again["left"], &again["labelled"], &again["skipped"]], [&0.into(), &5.into(), &Value::from(1)]);
    // Every row has its class in the data.
    s.write("all.csv", flowers(12));
    let run = s.ok("label all.csv --target kind");
    assert!(run.out.contains("Every row has a class"), "{}", run.out);
    assert!(!s.path("all.labels.csv").exists());
}

#[test]
fn classes_in_the_data_are_known_and_the_file_of_labels_wins() {
    let s = Sandbox::new();
    let half: String = flowers(40)
        .lines()
        .enumerate()
        .map(|(i, l)| if i > 20 { l.rsplit_once(',').unwrap().0.to_string() + ",\n" } else { l.to_string() + "\n" })
        .collect();
    s.write("d.csv", half);
    let row = next_row(&s, "label d.csv --target kind --rounds 5");
    assert!(row >= 20);
    let run = s.rebel_with_input("label d.csv --target kind --rounds 5 --json", b"1\n");
    let object: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(
        [&object["labelled"], &object["labelled_now"], &object["left"]],
        [&21.into(), &1.into(), &Value::from(19)]
    );
    assert_eq!(s.text("d.labels.csv"), format!("row,kind\n{},aster\n", row + 1));
    assert!(run.err.contains("asked because") || run.err.contains("Asked because"), "questions go to standard error");
    // Edited by hand: a contradiction to the data, a new label, and the old one gone.
    s.write("d.labels.csv", "row,kind\n1,clover\n40,thistle\n");
    let run = s.rebel_with_input("label d.csv --target kind", b"q\n");
    assert!(run.out.contains("the file's count"), "{}", run.out);
    assert!(run.out.contains("1 label(s) were added and 1 removed"), "{}", run.out);
    assert!(run.out.contains("thistle (1)") && run.out.contains("clover (7)"), "{}", run.out);
    s.write("d.labels.csv", "row,kind\n1,clover\n1,aster\n");
    s.refuses("label d.csv --target kind", &["line 3", "row 1 is 'aster' here and 'clover' above"]);
    s.write("d.labels.csv", "a,b\n1,clover\n");
    s.refuses("label d.csv --target kind", &["not a file of labels"]);
}

#[test]
fn a_damaged_session_leaves_the_labels_whole() {
    let s = Sandbox::new();
    s.write("d.csv", unlabelled(60));
    label(&s, LINE, 3);
    let (labels, session) = (s.text("d.labels.csv"), s.text("d.labels.csv.session"));
    for damage in [
        session[..session.len() / 2].to_string(),
        session.replace("\"random\":true", "\"random\":false"),
        "\u{0}".into(),
    ] {
        s.write("d.labels.csv.session", damage);
        s.refuses(LINE, &["d.labels.csv.session", "damaged", "d.labels.csv are whole", "delete the session"]);
        assert_eq!(s.text("d.labels.csv"), labels);
    }
    std::fs::remove_file(s.path("d.labels.csv.session")).unwrap();
    let run = s.rebel_with_input(LINE, b"q\n");
    assert!(run.out.contains("3 row(s) were labelled in d.labels.csv already"), "{}", run.out);
    assert!(run.out.contains("3 labelled"), "{}", run.out);
    // Other data under the same name.
    s.write("d.csv", unlabelled(90));
    s.refuses(LINE, &["other data"]);
}

#[test]
fn mistakes_in_the_options() {
    let s = Sandbox::new();
    s.write("d.csv", unlabelled(30)).write("k.csv", flowers(30));
    s.refuses("label -", &["standard input"]);
    s.refuses("label d.csv --labels d.csv", &["replace a file that is read"]);
    s.refuses("label d.csv --batch 0", &["--batch cannot be '0'"]);
    s.refuses("label d.csv --strategy best", &["--strategy", "margin, entropy"]);
    s.refuses("label d.csv --strategy expected-cost", &["needs costs"]);
    s.refuses("label d.csv --show lenth", &["did you mean 'length'?"]);
    s.refuses("label k.csv --target knd", &["did you mean 'kind'?"]);
    s.refuses("label k.csv --target kind --simulate --strategy expected-cost", &["needs costs"]);
    assert_eq!(s.rebel("label d.csv --runs 3").code, 2);
    s.write("c.csv", ",aster,briar\naster,0,1\nbriar,5,0\n");
    s.refuses("label d.csv --costs c.csv", &["--classes"]);
    let run = s.rebel_with_input("label d.csv --costs c.csv --classes aster,briar", b"thistle\ny\n1\n");
    assert!(run.code == 0 && run.out.contains("do not name the class 'thistle'"), "{}\n{}", run.out, run.err);
}

#[test]
fn simulations_draw_curves_and_are_the_same_for_all_threads() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(300));
    let line = "label d.csv --target kind --simulate --runs 2 --rounds 10 --batch 20 --most-rows 120";
    let strip = |mut v: Value| {
        for curve in v["curves"].as_array_mut().unwrap() {
            curve["seconds"].take();
            for run in curve["runs"].as_array_mut().unwrap() {
                run["seconds"].take();
                run["seconds_to_target"].take();
            }
        }
        v["curves"].take()
    };
    let run = s.json(&format!("{line} --svg c.svg --threads 1"));
    assert_eq!((&run["rows"], &run["test_rows"]), (&210.into(), &90.into()));
    let (first, second) = (&run["curves"][0], &run["curves"][1]);
    assert_eq!((&first["strategy"], &second["strategy"]), (&"margin".into(), &"random".into()));
    assert_eq!(first["labelled"], serde_json::json!([10, 30, 50, 70, 90, 110, 120]));
    assert_eq!(first["runs"].as_array().unwrap().len(), 2);
    assert!(s.text("c.svg").contains("labelled rows"));
    assert_eq!(strip(run), strip(s.json(&format!("{line} --threads 7"))));
    let words = s.ok(&format!("{line} --test d.csv --strategy vote --committee 3"));
    assert!(words.out.contains("To reach") && words.out.contains("±"), "{}", words.out);
    assert!(!words.out.contains('\u{1b}') && !words.err.contains('\u{1b}'), "no escape codes into a pipe");
}
