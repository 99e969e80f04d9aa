//! Ctrl-C: the first asks training to stop after its round, so that the model so far is kept; the second quits.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The flag that Ctrl-C raises from now on. Until this is called, Ctrl-C ends the program as usual.
pub fn flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let flag = FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = flag.clone();
        // A host that handles Ctrl-C itself (Python) keeps doing so.
        let _ = ctrlc::try_set_handler(move || {
            let again = raised.swap(true, Ordering::Relaxed);
            let text = if again { "Quitting." } else { "Stopping after this round; Ctrl-C again quits at once." };
            let _ = writeln!(std::io::stderr().lock(), "\n{text}");
            if again {
                std::process::exit(130);
            }
        });
        flag
    });
    flag.store(false, Ordering::Relaxed);
    flag.clone()
}
