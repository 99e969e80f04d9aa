//! The program `rebel` as a library, so that other doors (the Python wheel) can offer the same commands.
//!
//! Options are turned into checked settings and handed to the libraries; no defaults of algorithms and no numerics
//! live here. Exit codes: 0 for success, 2 for a mistake of the user, 1 for a fault of ours.

mod args;
mod assess;
mod commands;
mod data;
mod describe;
mod files;
mod interrupt;
mod output;
mod progress;
mod ranking;
mod setup;
mod usage;

use clap::Parser;
use output::Output;
use rebelboost::{Error, ErrorKind};
use std::ffi::OsString;

/// Runs the program with these arguments (the first is the program's name) and returns its exit code.
pub fn run<I, T>(arguments: I) -> u8
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let mut cli = match args::Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return complain(&error),
    };
    if let Some(args::Command::Train(options)) = &mut cli.command {
        // By its name, wherever it was started from.
        let given = arguments.iter().skip(1).map(|argument| argument.to_string_lossy().into_owned());
        options.line = std::iter::once("rebel".into()).chain(given).collect();
    }
    let output = Output::new(cli.global.json, cli.global.quiet);
    let Some(command) = cli.command else {
        output.help(args::SHORT_HELP);
        return 2;
    };
    // A panic is a bug of ours, but it must not reach a user as a stack trace.
    std::panic::set_hook(Box::new(|_| ()));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| commands::run(&command, &output)));
    let _ = std::panic::take_hook();
    let result = result.unwrap_or_else(|panic| Err(bug(panic.as_ref()))).and_then(|()| output.finish());
    match result {
        Ok(()) => 0,
        Err(error) => {
            output.error(&error);
            if error.kind() == ErrorKind::Internal { 1 } else { 2 }
        }
    }
}

/// Help and version are no errors; all else is a mistake in the arguments.
fn complain(error: &clap::Error) -> u8 {
    // Nothing can be done about a closed terminal.
    let _ = error.print();
    if error.use_stderr() { 2 } else { 0 }
}

fn bug(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    Error::internal(format!("a bug in rebel, please report it: {}", text.unwrap_or("no message")))
}
