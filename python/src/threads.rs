//! Threads: one pool a number of threads, kept for the life of the process, so that a call costs no thread's start.
//!
//! A pool does not survive `fork`: a child process makes its own. The lock is taken only by a thread that is attached
//! to the interpreter, as is the thread that forks, so no child is born with the lock held.

use crate::errors::raised;
use pyo3::prelude::*;
use rebelboost::context::Context;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

static POOLS: Mutex<(u32, BTreeMap<usize, Context>)> = Mutex::new((0, BTreeMap::new()));

/// A run with this seed on this many threads, with a stop flag of its own.
pub fn context(py: Python<'_>, seed: u64, threads: usize) -> PyResult<(Context, Arc<AtomicBool>)> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pools.0 != process {
        // Pools of a parent process have no threads here, and waking them to end would wait for ever.
        std::mem::forget(std::mem::take(&mut pools.1));
        pools.0 = process;
    }
    let cached = match pools.1.get(&threads) {
        Some(context) => context.clone(),
        None => {
            let made = Context::new(0, threads).map_err(|e| raised(py, &e))?;
            pools.1.insert(threads, made.clone());
            made
        }
    };
    let cancel = Arc::new(AtomicBool::new(false));
    Ok((cached.with_seed(seed).with_cancel(cancel.clone()), cancel))
}
