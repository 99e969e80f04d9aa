//! The program `rebel`.

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Keeps the memory of a round for the next one, where the system's allocator hands it back and asks for it again.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(rebelboost_cli::run(std::env::args_os()))
}
