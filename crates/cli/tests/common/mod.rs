//! A folder of its own and the program in it.
#![allow(dead_code, reason = "every test file uses another part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

pub struct Sandbox(tempfile::TempDir);

pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Sandbox {
    pub fn new() -> Self {
        Sandbox(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), content).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// Names of all files, hidden ones too.
    pub fn files(&self) -> Vec<String> {
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = std::fs::read_dir(self.0.path()).unwrap().map(name).collect();
        names.sort();
        names
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = program();
        command.args(line.split_whitespace()).current_dir(self.folder()).stdin(Stdio::null());
        command.env_remove("NO_COLOR");
        command
    }

    pub fn rebel(&self, line: &str) -> Run {
        Run::of(self.command(line).output().unwrap())
    }

    /// Runs, and expects success.
    pub fn ok(&self, line: &str) -> Run {
        let run = self.rebel(line);
        assert_eq!(run.code, 0, "rebel {line}\n{}\n{}", run.out, run.err);
        run
    }

    /// Runs with `--json` and returns the one object on standard output.
    pub fn json(&self, line: &str) -> serde_json::Value {
        let run = self.ok(&format!("{line} --json"));
        serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("rebel {line}: {e}\n{}", run.out))
    }

    pub fn rebel_with_input(&self, line: &str, input: &[u8]) -> Run {
        let mut command = self.command(line);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Run::of(child.wait_with_output().unwrap())
    }

    pub fn spawn(&self, line: &str) -> Child {
        self.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Expects exit code 2, one line on standard error that holds all `words`, and no new file.
    pub fn refuses(&self, line: &str, words: &[&str]) {
        let before = self.files();
        let run = self.rebel(line);
        assert_eq!(run.code, 2, "rebel {line}\n{}\n{}", run.out, run.err);
        assert_eq!(run.err.lines().count(), 1, "rebel {line}: one sentence, not\n{}", run.err);
        assert!(run.err.starts_with("error: "), "{}", run.err);
        for word in words {
            assert!(run.err.contains(word), "rebel {line}: '{word}' is not in\n{}", run.err);
        }
        assert_eq!(before, self.files(), "rebel {line} left something behind");
    }
}

impl Run {
    pub fn of(output: Output) -> Self {
        Run {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A table of three kinds of flowers with two numbers (some missing) and a colour.
pub fn flowers(rows: usize) -> String {
    let mut text = String::from("length,width,colour,kind\n");
    for i in 0..rows {
        let kind = i % 3;
        let wobble = ((i * 37) % 11) as f64 / 4.0;
        let length = kind as f64 * 1.5 + wobble;
        let width = if i % 13 == 5 { String::new() } else { format!("{:.2}", 5.0 - kind as f64 + wobble / 2.0) };
        let colour = ["red", "blue", "white"][(i / 2 + kind) % 3];
        text += &format!("{length:.2},{width},{colour},{}\n", ["aster", "briar", "clover"][kind]);
    }
    text
}

pub fn gzip(text: &str) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}

/// The program under test. A test run in the background inherits an ignored Ctrl-C, and so would the program: there
/// `env` gives it back its default.
fn program() -> Command {
    let path = env!("CARGO_BIN_EXE_rebel");
    if cfg!(target_os = "linux") {
        let mut command = Command::new("env");
        command.arg("--default-signal=INT").arg(path);
        command
    } else {
        Command::new(path)
    }
}
