//! Long runs: the same bytes whatever happens on the way, and stops that keep what there is.

mod common;
use common::{Run, Sandbox, flowers};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const LONG: &str = "builtin:gaussians?rows=20000&features=20&classes=5&mislabelled=0.2";

fn wait_for(what: &str, ready: impl Fn() -> bool) {
    let started = Instant::now();
    while !ready() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_same_bytes_at_any_thread_count_and_again() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(300));
    for (data, name) in [("d.csv", "small"), (LONG, "large")] {
        let train = |threads: usize, out: &str| {
            s.ok(&format!("train {data} --rounds 30 --threads {threads} --out {out}"));
            s.read(out)
        };
        let one = train(1, "1.rebel");
        for (threads, out) in [(2, "2.rebel"), (7, "7.rebel"), (1, "again.rebel")] {
            assert!(one == train(threads, out), "{name}: {threads} threads, {out}");
        }
    }
}

#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    let s = Sandbox::new();
    let line = format!("train {LONG} --rounds 400 --depth 3");
    let mut child = s.spawn(&format!("{line} --out never.rebel --checkpoint part.rebel --checkpoint-every 0"));
    wait_for("no checkpoint", || s.path("part.rebel").exists());
    std::thread::sleep(Duration::from_millis(50));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!s.path("never.rebel").exists(), "it was killed too late");
    let resumed = s.json(&format!("{line} --resume part.rebel --out resumed.rebel"));
    // A checkpoint knows its settings, so they need not be given again.
    s.ok(&format!("train {LONG} --resume part.rebel --out short.rebel"));
    let whole = s.json(&format!("{line} --out whole.rebel"));
    assert_eq!((&resumed["rounds"], &resumed["stopped"]), (&whole["rounds"], &whole["stopped"]));
    assert!(s.read("resumed.rebel") == s.read("whole.rebel"));
    assert!(s.read("short.rebel") == s.read("whole.rebel"));
    s.refuses(&format!("train {LONG} --resume part.rebel --depth 2 --out x.rebel"), &["--depth"]);
    s.refuses("train builtin:penguins --resume part.rebel --out x.rebel --target species", &["data were different"]);
}

/// A model of committees: it goes on where it was, says what it is, and what it is not about.
#[test]
fn hamming_decoding_goes_on_and_explains_itself() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(120));
    let line = "train d.csv --algorithm ecoc --decoding hamming";
    s.ok(&format!("{line} --rounds 10 --out ten.rebel"));
    let whole = s.json(&format!("{line} --rounds 25 --out whole.rebel --report r.html"));
    assert_eq!(whole["rounds"], 25);
    assert!(s.ok(&format!("{line} --rounds 25 --resume ten.rebel --out more.rebel")).out.contains("after 10 rounds"));
    assert!(s.read("more.rebel") == s.read("whole.rebel"));
    assert!(s.ok("inspect whole.rebel").out.contains("votes is above zero: +1.00 "));
    assert!(s.ok("explain whole.rebel d.csv --row 3").out.contains("of the vote say "));
    assert!(s.ok("evaluate whole.rebel d.csv").out.contains("not about probabilities"));
    s.refuses("predict whole.rebel d.csv --proba", &["not about probabilities", "--decoding loss"]);
}

#[test]
fn rounds_can_be_added_later() {
    let s = Sandbox::new();
    s.write("d.csv", flowers(90));
    s.ok("train d.csv --rounds 10 --out ten.rebel");
    s.ok("train d.csv --rounds 25 --out whole.rebel");
    s.ok("train d.csv --rounds 25 --resume ten.rebel --out more.rebel");
    assert!(s.read("more.rebel") == s.read("whole.rebel"));
    s.refuses("train d.csv --rounds 5 --resume ten.rebel --out x.rebel", &["10"]);
}

#[test]
fn a_time_limit_keeps_the_model_so_far() {
    let s = Sandbox::new();
    let started = Instant::now();
    let run = s.json(&format!("train {LONG} --rounds 1000000 --time-limit 0.5 --out m.rebel"));
    assert_eq!(run["stopped"], "time-limit");
    assert!(run["rounds"].as_u64().unwrap() > 0);
    assert!(started.elapsed() < Duration::from_secs(30));
    s.ok("inspect m.rebel");
}

#[cfg(unix)]
fn interrupt(pid: u32) {
    assert!(Command::new("kill").args(["-INT", &pid.to_string()]).status().unwrap().success());
}

/// A long run that has certainly begun its rounds. Its time limit is the test's: it must be stopped long before.
#[cfg(unix)]
fn begun(s: &Sandbox, more: &str) -> std::process::Child {
    let child = s.spawn(&format!(
        "train {LONG} --rounds 1000000 --time-limit 60 --out m.rebel --checkpoint c.rebel --checkpoint-every 0 {more}"
    ));
    let path = s.path("c.rebel");
    wait_for("no checkpoint", || Path::new(&path).exists());
    child
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_model_so_far() {
    let s = Sandbox::new();
    let child = begun(&s, "--json");
    interrupt(child.id());
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("Stopping after this round"), "{}", run.err);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(found["stopped"], "interrupted");
    assert!(found["notes"].to_string().contains("the model so far is kept"));
    assert_eq!(s.files(), ["c.rebel", "m.rebel"]);
    assert!(s.read("m.rebel") == s.read("c.rebel"), "the checkpoint is up to date");
    s.ok("inspect m.rebel");
}
