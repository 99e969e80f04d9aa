//! One program at a time on one file of labels: two would overwrite each other's answers.

use rebelboost::{Error, ErrorKind, Result};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// Held as long as it lives. The system lets go of it when the program ends, however it ends.
pub struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Takes the lock of a file of labels, or says that another program has it.
    pub fn take(labels: &Path) -> Result<Lock> {
        let mut name = labels.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        let failed = |e| Error::io("cannot lock", e).in_file(path.display().to_string());
        loop {
            let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => return Ok(Lock { path, file }),
                // The program that had it has just removed it: once more.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::new(ErrorKind::Io, "another 'rebel label' is at work on these labels")
                        .in_file(labels.display().to_string())
                        .hint("end it first, or give another file with --labels"));
                }
                // Some network drives cannot lock; better unlocked than not at all.
                Err(TryLockError::Error(e)) if e.kind() == std::io::ErrorKind::Unsupported => {
                    return Ok(Lock { path, file });
                }
                Err(TryLockError::Error(e)) => return Err(failed(e)),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is held, so that nobody else's lock can be.
        let _ = fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |m: fs::Metadata| (m.dev(), m.ino());
    file.metadata().ok().map(id).zip(fs::metadata(path).ok().map(id)).is_some_and(|(a, b)| a == b)
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
