//! `rebel label` at a terminal: the program sits at a pseudo-terminal and keys are pressed.
#![cfg(unix)]

mod common;
use common::{Sandbox, flowers};
use nix::pty::{Winsize, openpty};
use std::fs::File;
use std::io::{Read, Write};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

struct Terminal {
    child: Child,
    keys: File,
    screen: Arc<Mutex<String>>,
    /// Up to here the screen was looked at.
    seen: usize,
}

impl Terminal {
    fn new(s: &Sandbox, line: &str) -> Self {
        let size = Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).unwrap();
        let mut command = s.command(line);
        command.env("TERM", "xterm");
        let slave = || pty.slave.try_clone().unwrap();
        let child = command.stdin(slave()).stdout(slave()).stderr(slave()).spawn().unwrap();
        // The command would keep the other end open.
        drop(command);
        let mut master = File::from(pty.master);
        let keys = master.try_clone().unwrap();
        let screen = Arc::new(Mutex::new(String::new()));
        let shown = screen.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = master.read(&mut buffer) {
                shown.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        });
        Terminal { child, keys, screen, seen: 0 }
    }

    fn press(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self
    }

    /// Waits until the text appears; returns what came before it.
    fn expect(&mut self, text: &str) -> String {
        let started = Instant::now();
        loop {
            let screen = self.screen.lock().unwrap().clone();
            if let Some(at) = screen[self.seen..].find(text) {
                let before = screen[self.seen..self.seen + at].to_string();
                self.seen += at + text.len();
                return before;
            }
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "'{text}' does not appear in\n{}",
                &screen[self.seen..]
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The row that is asked, once it can be answered.
    fn row(&mut self) -> usize {
        self.expect("Row ");
        let number = self.expect("labelled, ");
        self.expect("? help\r\n> ");
        number.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    }

    fn end(mut self) -> (i32, String) {
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        std::thread::sleep(Duration::from_millis(50));
        let screen = self.screen.lock().unwrap().clone();
        (code, screen)
    }
}

fn sandbox() -> Sandbox {
    let s = Sandbox::new();
    let rows = flowers(60);
    s.write("d.csv", rows.lines().map(|l| l.rsplit_once(',').unwrap().0.to_string() + "\n").collect::<String>());
    s
}

const LINE: &str = "label d.csv --classes aster,briar --rounds 5";

#[test]
fn keys_answer_at_once_names_need_enter() {
    let s = sandbox();
    let mut t = Terminal::new(&s, LINE);
    let first = t.row();
    t.press("1");
    let second = t.row();
    assert_ne!(first, second);
    // A name with a slip corrected, an arrow key and a new class on the way.
    t.press("\x1b[Athistel\x7f\x7fle\r").expect("'thistle' is a new class");
    t.press("y");
    let third = t.row();
    t.press("s\r");
    let fourth = t.row();
    t.press("u\r");
    assert_eq!(t.row(), third, "undo asks the skipped row again");
    t.press("u\r");
    assert_eq!(t.row(), second);
    t.press("2");
    t.expect("briar (1)");
    t.press("\x03");
    let (code, screen) = t.end();
    assert_eq!(code, 0);
    assert!(screen.contains("\x1b[1mRow"), "the row is set off");
    assert!(screen.contains("Labelled 2 rows now, 2 in all"), "{screen}");
    let mut expected = [(first, "aster"), (second, "briar")];
    expected.sort();
    let lines: String = expected.iter().map(|(row, class)| format!("{row},{class}\n")).collect();
    assert_eq!(s.text("d.labels.csv"), format!("row,label\n{lines}"));
    assert!(fourth > 0);
}

#[test]
fn quit_and_resume_ask_the_same_row() {
    let s = sandbox();
    let mut t = Terminal::new(&s, LINE);
    t.row();
    t.press("1");
    let open = t.row();
    t.press("q\r");
    assert_eq!(t.end().0, 0);
    let mut t = Terminal::new(&s, LINE);
    t.expect("Going on with d.csv: 60 rows, 1 labelled");
    assert_eq!(t.row(), open);
    t.press("\x04");
    assert_eq!(t.end().0, 0);
}

#[test]
fn killed_in_the_middle_nothing_is_lost() {
    let s = sandbox();
    let mut t = Terminal::new(&s, LINE);
    let mut rows = Vec::new();
    for i in 0..13 {
        rows.push(t.row());
        t.press(if i % 2 == 0 { "1" } else { "2" });
    }
    let open = t.row();
    t.child.kill().unwrap();
    t.child.wait().unwrap();
    assert_eq!(s.text("d.labels.csv").lines().count(), 14);
    let mut t = Terminal::new(&s, LINE);
    t.expect("13 labelled");
    assert_eq!(t.row(), open);
    // Killed between the two files: the label is on disk, the session is that of the answer before.
    let before = s.read("d.labels.csv.session");
    t.press("1");
    let next = t.row();
    t.child.kill().unwrap();
    t.child.wait().unwrap();
    s.write("d.labels.csv.session", before);
    let mut t = Terminal::new(&s, LINE);
    t.expect("14 labelled");
    assert_eq!(t.row(), next);
    t.press("q\r");
    assert_eq!(t.end().0, 0);
}

#[test]
fn two_programs_cannot_have_the_same_labels() {
    let s = sandbox();
    let mut t = Terminal::new(&s, LINE);
    t.row();
    s.refuses(LINE, &["d.labels.csv", "another 'rebel label'"]);
    let other = s.rebel_with_input(&format!("{LINE} --labels other.csv"), b"q\n");
    assert_eq!(other.code, 0, "{}", other.err);
    t.press("q\r");
    assert_eq!(t.end().0, 0);
    assert_eq!(s.rebel_with_input(LINE, b"q\n").code, 0, "the lock is gone with the program");
}
