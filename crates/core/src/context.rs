//! What a training run needs besides data and settings: threads, random streams, an observer, a way to stop it.

use crate::booster::Stop;
use crate::error::{Error, Result};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Threads, random streams and limits of a run. Cheap to clone; clones share the thread pool and the stop flag.
#[derive(Clone)]
pub struct Context {
    seed: u64,
    threads: usize,
    pool: Arc<rayon::ThreadPool>,
    cancel: Vec<Arc<AtomicBool>>,
    deadline: Option<Instant>,
}

impl Context {
    /// A run with this seed on this many threads (0 = one a core). The result does not depend on the threads.
    pub fn new(seed: u64, threads: usize) -> Result<Self> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, Into::into),
            n => n,
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("rebelboost-{i}"))
            .build()
            .map_err(|e| Error::internal(format!("cannot start {threads} threads: {e}")))?;
        Ok(Context { seed, threads, pool: Arc::new(pool), cancel: Vec::new(), deadline: None })
    }

    /// Stops at the first round that ends after this much time.
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.deadline = Instant::now().checked_add(limit);
        self
    }

    /// Stops after the round in which the flag becomes true, as with any flag given before.
    pub fn with_cancel(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel.push(cancel);
        self
    }

    /// The same threads, limits and stop flag with another seed.
    pub fn with_seed(&self, seed: u64) -> Self {
        Context { seed, ..self.clone() }
    }

    /// The seed all random streams derive from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// `job(0), job(1), ... job(count - 1)` in order, on the pool or right here when `work` (in elementary
    /// operations) is too small to share: waking a thread costs more than a small round.
    pub fn map<R: Send>(&self, count: usize, work: usize, job: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
        if self.shares(work) {
            self.pool.install(|| (0..count).into_par_iter().map(job).collect())
        } else {
            (0..count).map(job).collect()
        }
    }

    /// Like [`map`](Self::map) over consecutive parts of `slice`, each `size` long but the last.
    pub fn map_parts<T: Send, R: Send>(
        &self,
        slice: &mut [T],
        size: usize,
        work: usize,
        job: impl Fn(usize, &mut [T]) -> R + Sync + Send,
    ) -> Vec<R> {
        if self.shares(work) {
            self.pool.install(|| slice.par_chunks_mut(size).enumerate().map(|(i, part)| job(i, part)).collect())
        } else {
            slice.chunks_mut(size).enumerate().map(|(i, part)| job(i, part)).collect()
        }
    }

    /// Like [`map`](Self::map), with scratch memory that each thread makes once.
    pub fn map_with<S, R: Send>(
        &self,
        count: usize,
        work: usize,
        scratch: impl Fn() -> S + Sync + Send,
        job: impl Fn(&mut S, usize) -> R + Sync + Send,
    ) -> Vec<R> {
        if self.shares(work) {
            self.pool.install(|| (0..count).into_par_iter().map_init(scratch, job).collect())
        } else {
            let mut scratch = scratch();
            (0..count).map(|i| job(&mut scratch, i)).collect()
        }
    }

    fn shares(&self, work: usize) -> bool {
        const WORTH_SHARING: usize = 200_000;
        self.threads > 1 && work >= WORTH_SHARING
    }

    /// The random stream of this name: independent of all other names and of the order of use.
    pub fn stream(&self, name: &str) -> ChaCha8Rng {
        stream(self.seed, name)
    }

    /// Why to stop now, if there is a reason.
    pub fn asked_to_stop(&self) -> Option<Stop> {
        match (self.cancelled(), self.out_of_time()) {
            (true, _) => Some(Stop::Interrupted),
            (_, true) => Some(Stop::TimeLimit),
            _ => None,
        }
    }

    /// When to stop, if there is a limit.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Stops at the first round that ends after this moment.
    pub fn with_deadline(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    /// The same for one of so many pieces of work side by side: they share the threads.
    pub fn shared_by(&self, pieces: usize) -> Self {
        Context { threads: (self.threads / pieces.max(1)).max(1), ..self.clone() }
    }

    /// Whether someone asked to stop.
    pub fn cancelled(&self) -> bool {
        self.cancel.iter().any(|flag| flag.load(Ordering::Relaxed))
    }

    /// Whether the time is used up.
    pub fn out_of_time(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

/// ChaCha8 keyed by seed and name (FNV-1a of the name): the generator is part of the promise of reproducibility.
pub fn stream(seed: u64, name: &str) -> ChaCha8Rng {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&hash.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}
