//! Where bytes come from: a file, standard input or memory; gzip is undone here, so that no reader knows of it.

use flate2::read::MultiGzDecoder;
use rebelboost::error::{Error, ErrorKind, Result};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file, standard input, or bytes in memory.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file.
    Path(PathBuf),
    /// Standard input. It is kept in memory while it is read, because some tables need a second look.
    Stdin,
    /// Bytes in memory with the name that messages use; its extension counts like that of a file.
    Bytes {
        /// What messages call it.
        name: String,
        /// The content of the would-be file.
        bytes: Arc<Vec<u8>>,
    },
}

impl Source {
    /// What a user typed: `-` is standard input, all else a path.
    pub fn new(text: impl Into<PathBuf>) -> Self {
        let path = text.into();
        if path == Path::new("-") { Source::Stdin } else { Source::Path(path) }
    }

    /// Bytes in memory, such as an embedded data set.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Source::Bytes { name: name.into(), bytes: Arc::new(bytes.into()) }
    }

    /// How messages call it.
    pub fn name(&self) -> String {
        match self {
            Source::Path(path) => path.display().to_string(),
            Source::Stdin => "standard input".to_string(),
            Source::Bytes { name, .. } => name.clone(),
        }
    }

    /// A source that can be opened more than once: standard input moves into memory.
    pub(crate) fn repeatable(&self) -> Result<Source> {
        let Source::Stdin = self else { return Ok(self.clone()) };
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(|e| Error::io("cannot read", e).in_file(self.name()))?;
        Ok(Source::bytes(self.name(), bytes))
    }

    /// Opens it, with gzip undone.
    pub(crate) fn open(&self) -> Result<Input> {
        let mut raw = Input::new(self.open_raw()?);
        let zipped =
            raw.peek(2).map_err(|e| Error::io("cannot read", e).in_file(self.name()))?.starts_with(&[31, 139]);
        if !zipped {
            return Ok(raw);
        }
        Ok(Input::new(Box::new(Gzip(MultiGzDecoder::new(raw)))))
    }

    fn open_raw(&self) -> Result<Box<dyn Read>> {
        match self {
            Source::Path(path) => Ok(Box::new(self.open_file(path)?)),
            Source::Stdin => Ok(Box::new(io::stdin())),
            Source::Bytes { bytes, .. } => Ok(Box::new(Shared { bytes: bytes.clone(), at: 0 })),
        }
    }

    fn open_file(&self, path: &Path) -> Result<File> {
        let fail = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Error::new(ErrorKind::Io, "there is no such file").in_file(self.name()),
            _ => Error::io("cannot open", error).in_file(self.name()),
        };
        let file = File::open(path).map_err(fail)?;
        if file.metadata().map_err(fail)?.is_dir() {
            return Err(Error::new(ErrorKind::Io, "this is a directory, not a file").in_file(self.name()));
        }
        Ok(file)
    }
}

/// An open stream whose first bytes can be looked at without consuming them.
pub(crate) struct Input {
    head: Vec<u8>,
    at: usize,
    rest: Box<dyn Read>,
}

impl Input {
    fn new(rest: Box<dyn Read>) -> Self {
        Input { head: Vec::new(), at: 0, rest }
    }

    /// The next bytes, `count` of them unless the stream ends before.
    pub(crate) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        let missing = count.saturating_sub(self.head.len() - self.at);
        if missing > 0 {
            self.rest.by_ref().take(missing as u64).read_to_end(&mut self.head)?;
        }
        let end = self.head.len().min(self.at + count);
        Ok(&self.head[self.at..end])
    }

    /// Drops bytes that were peeked at.
    pub(crate) fn skip(&mut self, count: usize) {
        self.at = self.head.len().min(self.at + count);
    }
}

impl Read for Input {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.head.len() {
            if self.at > 0 {
                (self.head, self.at) = (Vec::new(), 0);
            }
            return self.rest.read(out);
        }
        let count = (&self.head[self.at..]).read(out)?;
        self.at += count;
        Ok(count)
    }
}

/// Reads shared bytes without a copy of them.
struct Shared {
    bytes: Arc<Vec<u8>>,
    at: usize,
}

impl Read for Shared {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = (&self.bytes[self.at..]).read(out)?;
        self.at += count;
        Ok(count)
    }
}

/// Says in plain words what flate2 says in those of the format.
struct Gzip<R>(MultiGzDecoder<R>);

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0
            .read(out)
            .map_err(|e| io::Error::new(e.kind(), format!("the gzip data are damaged or cut short ({e})")))
    }
}
