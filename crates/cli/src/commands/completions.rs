//! `rebel completions`: what a shell needs to complete our options.

use crate::args::Cli;
use crate::output::Output;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use rebelboost::Result;
use serde_json::json;

/// Print completions for a shell
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Shell to complete for
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  rebel completions bash > ~/.local/share/bash-completion/completions/rebel
  rebel completions zsh > ~/.zfunc/_rebel
  rebel completions fish > ~/.config/fish/completions/rebel.fish";

/// Runs the command.
pub fn run(options: &Options, output: &Output) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "rebel", &mut script);
    if output.is_json() {
        let script = String::from_utf8_lossy(&script);
        output.object(&json!({"shell": options.shell.to_string(), "script": script}));
    } else {
        output.write(|out| out.write_all(&script));
    }
    Ok(())
}
