//! The page in a browser: a copy with a checking script is opened in headless Chromium, which hands back what it found.
//! Without a browser there is nothing to check, and the test says so; `make tools` installs one where that is possible.

mod common;
use common::{Run, hostile, many_classes};
use rebelboost::data::{CostMatrix, synthetic};
use rebelboost_testkit::dataset;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Names under which the browser is known.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// A browser that hangs must not hang the tests.
const PATIENCE: Duration = Duration::from_secs(180);

fn browser() -> Option<&'static str> {
    let answers = |name: &&str| {
        let asked = Command::new(name).arg("--version").stdin(Stdio::null()).output();
        asked.is_ok_and(|output| output.status.success())
    };
    BROWSERS.into_iter().find(answers)
}

/// Opens a page in a window of this width and returns what the checking script wrote.
fn checked(browser: &str, page: &str, width: u32, dark: bool) -> String {
    let folder = tempfile::tempdir().unwrap();
    let early = "<head><script>window.problems = [];\n\
        addEventListener('error', e => problems.push('error ' + e.message));\n\
        addEventListener('securitypolicyviolation', e => problems.push('fetched ' + e.blockedURI));</script>";
    let late = format!("<script>{}</script></body>", include_str!("check.js"));
    let page = page.replacen("<head>", early, 1).replacen("</body>", &late, 1);
    std::fs::write(folder.path().join("page.html"), page).unwrap();
    let out = std::fs::File::create(folder.path().join("dom.html")).unwrap();
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--dump-dom",
        ])
        .arg(format!("--window-size={width},900"))
        .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)))
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg("--virtual-time-budget=5000")
        .arg(format!("file://{}", folder.path().join("page.html").display()))
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("{browser} does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    read(&folder.path().join("dom.html"))
}

fn read(path: &Path) -> String {
    let dom = std::fs::read_to_string(path).unwrap();
    let text = dom.split("<pre id=\"found\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    text.unwrap_or_else(|| panic!("the checking script did not end:\n{}", &dom[..dom.len().min(500)])).to_string()
}

/// Opens the page and expects no problem and these counts of charts, chosen panels and table units.
fn assert_renders(name: &str, page: &str, width: u32, dark: bool, expected: &str) {
    let Some(browser) = browser() else {
        eprintln!("not checked: none of {} is installed ('make tools' installs one)", BROWSERS.join(", "));
        return;
    };
    assert_eq!(checked(browser, page, width, dark).trim(), expected, "{name}");
}

#[test]
fn a_plane_with_trees() {
    let run = Run::builtin("builtin:spirals?rows=150", "rebel", &[("rounds", "25")]);
    // Loss, error, reliability and the map; 3 pairs and 26 states to choose from.
    assert_renders("trees", &run.html(), 1200, false, "charts 4, panels 29, units 2");
}

#[test]
fn a_plane_with_similarities_in_the_dark() {
    let changes = [("rounds", "20"), ("learner", "similarity"), ("stop-loss", "0")];
    let run = Run::builtin("builtin:spirals?rows=120", "rebel", &changes);
    assert_renders("similarities", &run.html(), 400, true, "charts 4, panels 24, units 2");
}

#[test]
fn costs_and_a_test_on_a_small_screen() {
    let data = dataset(&synthetic::generate("builtin:penguins").unwrap());
    let costs = CostMatrix::new(vec![0.0, 1.0, 5.0, 20.0, 0.0, 1.0, 2.0, 2.0, 0.0], &data.schema.classes).unwrap();
    let changes = [("rounds", "8"), ("cost-mode", "decide")];
    let run = Run::new(data, Some(&costs), "rebel", &changes);
    assert_renders("costs", &run.tested(), 400, false, "charts 3, panels 3, units 3");
}

#[test]
fn many_classes_with_long_names() {
    let run = Run::new(many_classes(26, 400), None, "gamble", &[("rounds", "6")]);
    assert_renders("classes", &run.html(), 1200, true, "charts 3, panels 120, units 2");
}

#[test]
fn hostile_names_do_nothing() {
    let run = Run::new(hostile(), None, "rebel", &[("rounds", "10"), ("learner", "similarity")]);
    assert_renders("hostile", &run.html(), 400, false, "charts 3, panels 1, units 2");
}
