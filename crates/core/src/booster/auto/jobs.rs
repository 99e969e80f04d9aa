//! Pieces of work side by side, one a thread, while the caller's own thread tells how far they are.

use crate::booster::{Observer, Partial, RoundInfo};
use crate::error::Result;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How often the caller hears, whether or not a piece has ended.
const TICK: Duration = Duration::from_millis(100);

/// How far a piece is, from 0 to 1. Also watches the rounds of a training.
#[derive(Clone, Default)]
pub struct Share(Arc<Mutex<f64>>);

impl Share {
    fn get(&self) -> f64 {
        self.0.lock().map_or(0.0, |share| *share)
    }
}

impl Observer for Share {
    fn round(&mut self, info: &RoundInfo, partial: &Partial<'_>) -> Result<()> {
        if let Ok(mut share) = self.0.lock() {
            *share = info.round as f64 / partial.rounds.max(1) as f64;
        }
        Ok(())
    }
}

/// What happens while pieces are at work.
pub enum Event<R> {
    /// A piece has ended.
    Done(usize, R),
    /// Time has passed: the share of each piece that is done.
    Tick(Vec<f64>),
}

/// Runs `work(piece, share)` for these pieces, in this order, on so many threads; calls `tell` in this thread. If `tell`
/// or a piece fails, `abort` is set, no other piece begins and the error is returned.
pub fn run<R: Send>(
    pieces: &[usize],
    threads: usize,
    abort: &AtomicBool,
    work: impl Fn(usize, &Share) -> Result<R> + Sync,
    mut tell: impl FnMut(Event<R>) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let shares: Vec<Share> = pieces.iter().map(|_| Share::default()).collect();
    let (sender, receiver) = channel();
    let (next, shares, work) = (&next, &shares, &work);
    let mut failed = None;
    std::thread::scope(|scope| {
        for _ in 0..threads.min(pieces.len()) {
            let sender = sender.clone();
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= pieces.len() || abort.load(Ordering::Relaxed) {
                        break;
                    }
                    // Nobody listens after a failure.
                    let _ = sender.send((at, work(pieces[at], &shares[at])));
                }
            });
        }
        drop(sender);
        let mut ended = vec![false; pieces.len()];
        loop {
            let told = match receiver.recv_timeout(TICK) {
                Ok((at, result)) => {
                    ended[at] = true;
                    result.and_then(|result| tell(Event::Done(pieces[at], result)))
                }
                Err(RecvTimeoutError::Timeout) => {
                    let share = |(share, ended): (&Share, &bool)| if *ended { 1.0 } else { share.get() };
                    tell(Event::Tick(shares.iter().zip(&ended).map(share).collect()))
                }
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(error) = told {
                abort.store(true, Ordering::Relaxed);
                failed.get_or_insert(error);
            }
        }
    });
    failed.map_or(Ok(()), Err)
}
