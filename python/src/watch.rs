//! Long work on a thread of its own, while the calling thread listens for Ctrl-C and passes rounds on to Python.
//!
//! So Ctrl-C works whether an algorithm has rounds or not, and callbacks run where they were given: a notebook's
//! output and a plot stay with the caller's thread.

use crate::errors::{bug, raised};
use pyo3::prelude::*;
use rebelboost::booster::{Observer, Partial, RoundInfo};
use rebelboost::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks for Ctrl-C.
const POLL: Duration = Duration::from_millis(50);

enum Event {
    Round { info: RoundInfo, rounds: usize },
    Progress { share: f64, what: String },
}

/// Passes on what happens; after a round it waits, so that a callback can stop at exactly that round.
struct Relay {
    events: Sender<Event>,
    seen: Receiver<()>,
    listening: bool,
}

impl Relay {
    fn tell(&self, event: Event) {
        // A listener that has gone (a second Ctrl-C) has asked us to stop already.
        if self.listening && self.events.send(event).is_ok() {
            let _ = self.seen.recv();
        }
    }
}

impl Observer for Relay {
    fn round(&mut self, info: &RoundInfo, partial: &Partial<'_>) -> Result<()> {
        self.tell(Event::Round { info: info.clone(), rounds: partial.rounds });
        Ok(())
    }

    fn progress(&mut self, share: f64, what: &str) -> Result<()> {
        self.tell(Event::Progress { share, what: what.to_string() });
        Ok(())
    }
}

/// What a job made, and what was raised meanwhile (by Ctrl-C or a callback): a stopped job still has a result.
pub type Outcome<T> = (Option<T>, Option<PyErr>);

/// Runs a job. `observer.round(...)` is true to stop; `observer.progress(share, what)` may be. The first Ctrl-C asks the
/// job to stop after its round, a second leaves it behind.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Arc<AtomicBool>,
    observer: Option<&Py<PyAny>>,
    job: impl FnOnce(&mut dyn Observer) -> Result<T> + Send + 'static,
) -> PyResult<Outcome<T>> {
    let (events_in, events) = channel();
    let (seen_in, seen) = channel();
    let mut relay = Relay { events: events_in, seen, listening: observer.is_some() };
    let worker = thread::Builder::new()
        .name("rebelboost".into())
        .spawn(move || job(&mut relay))
        .map_err(|e| raised(py, &Error::io("cannot start a thread", e)))?;
    let stop = cancel.clone();
    let (left, error) = py.detach(move || {
        let mut error = None;
        let mut looked = Instant::now();
        loop {
            let event = match events.recv_timeout(POLL) {
                Ok(event) => Some(event),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return (false, error),
            };
            let had_event = event.is_some();
            if had_event || looked.elapsed() >= POLL {
                looked = Instant::now();
                let heard = Python::attach(|py| -> PyResult<bool> {
                    py.check_signals()?;
                    match (event, observer) {
                        (Some(event), Some(observer)) if error.is_none() => pass_on(py, observer, event),
                        _ => Ok(false),
                    }
                });
                match heard {
                    Ok(false) => {}
                    Ok(true) => stop.store(true, Ordering::Relaxed),
                    Err(_) if error.is_some() => return (true, error),
                    Err(raised) => {
                        error = Some(raised);
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            }
            if had_event {
                let _ = seen_in.send(());
            }
        }
    });
    if left {
        return Ok((None, error));
    }
    let result = py.detach(|| worker.join()).unwrap_or_else(|panic| Err(bug(panic.as_ref())));
    match result {
        Ok(made) => Ok((Some(made), error)),
        Err(failed) => match error {
            Some(error) => Ok((None, Some(error))),
            None => Err(raised(py, &failed)),
        },
    }
}

fn pass_on(py: Python<'_>, observer: &Py<PyAny>, event: Event) -> PyResult<bool> {
    let answer = match event {
        Event::Round { info: RoundInfo { round, loss, error, edge, holdout, .. }, rounds } => {
            observer.call_method1(py, "round", (round, rounds, loss, error, edge, holdout))?
        }
        Event::Progress { share, what } => observer.call_method1(py, "progress", (share, what))?,
    };
    answer.bind(py).is_truthy()
}
