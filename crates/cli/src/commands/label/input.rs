//! Where answers come from: single keys at a terminal, lines of a pipe.

use crate::output::Output;
use rebelboost::{Error, Result};
use std::io::{self, BufRead, IsTerminal};

/// Reads answers.
pub struct Input {
    keys: bool,
}

impl Input {
    /// Keys if a person sits there, else lines.
    pub fn new() -> Self {
        Input { keys: cfg!(unix) && io::stdin().is_terminal() }
    }

    /// The next answer; `None` at the end of the input, or for Ctrl-C and Ctrl-D. At a terminal a first key that is
    /// `whole` needs no Enter.
    pub fn read(&mut self, whole: impl Fn(char) -> bool, output: &Output) -> Result<Option<String>> {
        #[cfg(unix)]
        if self.keys {
            return keys::read(whole, output).map_err(unreadable);
        }
        let mut line = String::new();
        match io::stdin().lock().read_line(&mut line) {
            Ok(0) => Ok(None),
            Ok(_) => {
                if !io::stdin().is_terminal() {
                    // A pipe does not echo; what was answered should still be seen.
                    output.ask(&format!("{}\n", line.trim()));
                }
                Ok(Some(line))
            }
            Err(error) => Err(unreadable(error)),
        }
    }
}

fn unreadable(error: io::Error) -> Error {
    Error::io("cannot read the answer", error)
}

#[cfg(unix)]
mod keys {
    use crate::output::Output;
    use nix::sys::termios::{LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr};
    use std::io::{self, Read};

    /// A terminal that hands over every key; as before when dropped. Only while a key is awaited: at other times
    /// Ctrl-C ends the program as usual.
    struct Raw(Termios);

    impl Raw {
        fn new() -> io::Result<Self> {
            let saved = tcgetattr(io::stdin())?;
            let mut raw = saved.clone();
            raw.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO | LocalFlags::ISIG);
            raw.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
            raw.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
            tcsetattr(io::stdin(), SetArg::TCSANOW, &raw)?;
            Ok(Raw(saved))
        }
    }

    impl Drop for Raw {
        fn drop(&mut self) {
            let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, &self.0);
        }
    }

    pub fn read(whole: impl Fn(char) -> bool, output: &Output) -> io::Result<Option<String>> {
        let _raw = Raw::new()?;
        let mut stdin = io::stdin().lock();
        let mut line: Vec<u8> = Vec::new();
        // Bytes of an arrow key and the like, which begin with Escape and [ or O, are not text.
        let mut escape = Escape::No;
        let mut byte = [0];
        loop {
            if stdin.read(&mut byte)? == 0 {
                return Ok(None);
            }
            escape = escape.after(byte[0]);
            if escape != Escape::No {
                continue;
            }
            match byte[0] {
                b'\r' | b'\n' => {
                    output.ask("\n");
                    return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
                }
                // Ctrl-C, and Ctrl-D on an empty line.
                3 => return Ok(None),
                4 if line.is_empty() => return Ok(None),
                8 | 127 => {
                    // A letter may be several bytes.
                    while line.pop().is_some_and(|b| b & 0xc0 == 0x80) {}
                    output.ask(&format!("\r\x1b[K> {}", String::from_utf8_lossy(&line)));
                }
                key if line.is_empty() && whole(char::from(key)) => {
                    output.ask(&format!("{}\n", char::from(key)));
                    return Ok(Some(char::from(key).to_string()));
                }
                key if key >= b' ' => {
                    line.push(key);
                    // Echo whole letters.
                    if let Ok(text) = std::str::from_utf8(&line) {
                        let last = text.chars().next_back().map(String::from);
                        output.ask(&last.unwrap_or_default());
                    }
                }
                _ => {}
            }
        }
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Escape {
        No,
        Begun,
        Inside,
        Last,
    }

    impl Escape {
        fn after(self, byte: u8) -> Escape {
            match (self, byte) {
                (Escape::Begun, b'[' | b'O') => Escape::Inside,
                (Escape::Inside, b'@'..=b'~') => Escape::Last,
                (Escape::Inside, _) => Escape::Inside,
                (_, 27) => Escape::Begun,
                _ => Escape::No,
            }
        }
    }
}
