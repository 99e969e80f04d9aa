//! Watching a run: the progress bar and the checkpoints. Neither changes the result.

use crate::files;
use crate::output::Output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rebelboost::Result;
use rebelboost::booster::{Observer, Partial, RoundInfo};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Shows progress and writes checkpoints.
pub struct Watcher {
    bar: Option<ProgressBar>,
    checkpoint: Option<Checkpoint>,
}

/// Where and how often the model so far is written.
pub struct Checkpoint {
    pub path: PathBuf,
    pub every: Duration,
    pub last: Instant,
}

impl Watcher {
    /// The bar appears only on a terminal, and not with `--quiet`.
    pub fn new(output: &Output, what: &str, checkpoint: Option<Checkpoint>) -> Self {
        let visible = !output.is_quiet() && std::io::stderr().is_terminal();
        Watcher { bar: visible.then(|| bar(what)), checkpoint }
    }

    /// Removes the bar.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(what: &str) -> ProgressBar {
    // Twelve times a second is smooth, and costs nothing next to a round.
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(12));
    let template = "{prefix} {wide_bar} {pos}/{len}  {msg}  {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(what.to_string());
    bar
}

impl Observer for Watcher {
    fn round(&mut self, info: &RoundInfo, partial: &Partial<'_>) -> Result<()> {
        if let Some(bar) = &self.bar {
            if bar.length().is_none() {
                bar.set_length(partial.rounds as u64);
                // Rounds of a checkpoint took no time here.
                bar.set_position(info.round as u64 - 1);
                bar.reset_eta();
            }
            bar.set_message(format!("loss {:.4}  error {:.4}  edge {:.3}", info.loss, info.error, info.edge));
            bar.set_position(info.round as u64);
        }
        self.checkpoint(partial)
    }

    fn progress(&mut self, share: f64, what: &str) -> Result<()> {
        if let Some(bar) = &self.bar {
            if bar.length().is_none() {
                bar.set_style(percent_style());
                bar.set_length(PARTS as u64);
            }
            bar.set_message(what.to_string());
            bar.set_position((share.clamp(0.0, 1.0) * PARTS) as u64);
        }
        Ok(())
    }

    fn checkpoint(&mut self, partial: &Partial<'_>) -> Result<()> {
        if let Some(checkpoint) = &mut self.checkpoint
            && checkpoint.last.elapsed() >= checkpoint.every
        {
            files::save_model(&checkpoint.path, &partial.model())?;
            checkpoint.last = Instant::now();
        }
        Ok(())
    }
}

/// A sign that something takes a moment; `None` without a terminal.
pub fn waiting(output: &Output, what: &str) -> Option<ProgressBar> {
    if output.is_quiet() || !std::io::stderr().is_terminal() {
        return None;
    }
    let bar = ProgressBar::new_spinner().with_message(format!("{what} ..."));
    bar.enable_steady_tick(Duration::from_millis(120));
    Some(bar)
}

/// Progress of work in equal portions.
pub struct Portions(Option<ProgressBar>);

/// Steps of a bar that shows a share.
const PARTS: f64 = 1000.0;

fn percent_style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{prefix} {wide_bar} {percent} %  {msg}  {eta} left");
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ")
}

impl Portions {
    /// The bar appears only on a terminal, and not with `--quiet`.
    pub fn new(output: &Output, what: &str, count: usize) -> Self {
        let visible = !output.is_quiet() && std::io::stderr().is_terminal();
        let bar = visible.then(|| bar(what));
        if let Some(bar) = &bar {
            bar.set_style(percent_style());
            bar.set_length((count as f64 * PARTS) as u64);
        }
        Portions(bar)
    }

    /// So many portions are done, and this share of the next.
    pub fn at(&self, done: usize, share: f64, message: &str) {
        if let Some(bar) = &self.0 {
            bar.set_message(message.to_string());
            bar.set_position(((done as f64 + share.clamp(0.0, 1.0)) * PARTS) as u64);
        }
    }

    /// Removes the bar.
    pub fn finish(self) {
        if let Some(bar) = self.0 {
            bar.finish_and_clear();
        }
    }
}
