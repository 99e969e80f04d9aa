//! Writes a file whole or not at all: to a temporary file beside it, to the disk, then under its name.

use rebelboost::error::{Error, ErrorKind, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file so that the name holds either the old content or all of the new one, whatever happens.
///
/// A device or pipe (`/dev/null`) is written directly; a link is followed; permissions of a replaced file stay.
pub fn write_atomic(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let name = path.display().to_string();
    let refuse = |message: String| Err(Error::new(ErrorKind::Io, message).in_file(&name));
    let known = fs::metadata(path).ok();
    if known.as_ref().is_some_and(fs::Metadata::is_dir) || path.file_name().is_none() {
        return refuse("this is a directory; give the name of a file".to_string());
    }
    let failed = |e| Error::io("cannot write", e).in_file(&name);
    if known.as_ref().is_some_and(|m| !m.is_file()) {
        let mut out = BufWriter::new(OpenOptions::new().write(true).open(path).map_err(failed)?);
        return write(&mut out).and_then(|()| out.flush()).map_err(failed);
    }
    let target = if known.is_some() { fs::canonicalize(path).map_err(failed)? } else { path.to_path_buf() };
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return refuse(format!("the folder '{}' does not exist", folder.display()));
    }
    if known.as_ref().is_some_and(|m| m.permissions().readonly()) {
        return refuse("the file is write-protected".to_string());
    }
    let (mut temporary, file) = Temporary::create(folder, &target).map_err(failed)?;
    let mut out = BufWriter::new(file);
    write(&mut out).and_then(|()| out.flush()).map_err(failed)?;
    let file = out.into_inner().map_err(|e| failed(e.into_error()))?;
    if let Some(known) = known {
        file.set_permissions(known.permissions()).map_err(failed)?;
    }
    file.sync_all().map_err(failed)?;
    drop(file);
    fs::rename(&temporary.path, &target).map_err(failed)?;
    temporary.done = true;
    // The new name itself reaches the disk with the folder; systems that cannot sync a folder do so on their own.
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Removes its file unless told that all went well: also on an early return or a panic of the writer.
struct Temporary {
    path: PathBuf,
    done: bool,
}

impl Temporary {
    fn create(folder: &Path, target: &Path) -> io::Result<(Temporary, File)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let base = target.file_name().unwrap_or_default().to_string_lossy();
        // Long names leave room for the rest.
        let base: String = base.chars().take(40).collect();
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".{base}.{}.{count}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((Temporary { path, done: false }, file)),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Writes names and rows as CSV, quoted where needed; for standard output, or inside [`write_atomic`].
pub fn write_csv<R, C>(out: &mut dyn Write, names: &[C], rows: impl IntoIterator<Item = R>) -> io::Result<()>
where
    R: IntoIterator<Item = C>,
    C: AsRef<[u8]>,
{
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(names)?;
    for row in rows {
        writer.write_record(row)?;
    }
    writer.flush()
}
