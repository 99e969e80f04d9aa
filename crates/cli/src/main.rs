//! The program `rebel`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(rebelboost_cli::run(std::env::args_os()))
}
