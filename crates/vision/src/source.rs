//! Where images come from: a file, a folder, a ZIP archive, or a NumPy array of bytes (n, height, width).

use crate::image::Gray;
use rebelboost::error::{Error, ErrorKind, Result};
use rebelboost_io::{Source, read_byte_array};
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zip::ZipArchive;

/// Largest file believed to be an image.
const MAX_BYTES: u64 = 1 << 29;

/// An image that can be read.
#[derive(Clone)]
pub struct ImageFile {
    /// What messages call it.
    pub name: String,
    origin: Origin,
}

#[derive(Clone)]
enum Origin {
    File(PathBuf),
    Zipped { archive: ZipArchive<Cursor<Arc<[u8]>>>, entry: usize },
    Array { values: Arc<Vec<u8>>, width: usize, height: usize, number: usize },
}

impl ImageFile {
    /// The images of a file, a folder (PNG and JPEG files, by name), a ZIP archive or a NumPy array.
    pub fn list(path: &Path) -> Result<Vec<ImageFile>> {
        let name = path.display().to_string();
        let known = fs::metadata(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => {
                Error::new(ErrorKind::Io, "there is no such file or folder").in_file(&name)
            }
            _ => Error::io("cannot open", e).in_file(&name),
        })?;
        let files = match extension(path).as_str() {
            _ if known.is_dir() => folder(path),
            "zip" => zipped(path),
            "npy" => array(path),
            _ => Ok(vec![ImageFile { name: name.clone(), origin: Origin::File(path.to_path_buf()) }]),
        };
        let files = files.map_err(|e| e.in_file(&name))?;
        if files.is_empty() {
            return Err(Error::data("there is no PNG or JPEG image in it").in_file(name));
        }
        Ok(files)
    }

    /// Reads and decodes it.
    pub fn read(&self) -> Result<Gray> {
        let read = || match &self.origin {
            Origin::File(path) => {
                let file = fs::File::open(path).map_err(|e| match e.kind() {
                    std::io::ErrorKind::NotFound => Error::new(ErrorKind::Io, "there is no such file"),
                    _ => Error::io("cannot open", e),
                })?;
                Gray::decode(&bytes(file)?)
            }
            Origin::Zipped { archive, entry } => {
                let mut archive = archive.clone();
                let entry = archive.by_index(*entry).map_err(damaged)?;
                Gray::decode(&bytes(entry)?)
            }
            Origin::Array { values, width, height, number } => {
                let size = width * height;
                Gray::new(*width, *height, values[number * size..(number + 1) * size].to_vec())
            }
        };
        read().map_err(|e| e.in_file(&self.name))
    }
}

fn bytes(input: impl Read) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| Error::io("cannot read", e))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Error::new(ErrorKind::Limit, format!("the image has more than {MAX_BYTES} bytes")));
    }
    Ok(bytes)
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn is_image(path: &Path) -> bool {
    ["png", "jpg", "jpeg"].contains(&extension(path).as_str())
}

fn folder(path: &Path) -> Result<Vec<ImageFile>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(|e| Error::io("cannot open", e))? {
        let path = entry.map_err(|e| Error::io("cannot read the folder", e))?.path();
        if path.is_file() && is_image(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found.into_iter().map(|p| ImageFile { name: p.display().to_string(), origin: Origin::File(p) }).collect())
}

fn zipped(path: &Path) -> Result<Vec<ImageFile>> {
    let bytes: Arc<[u8]> = fs::read(path).map_err(|e| Error::io("cannot read", e))?.into();
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
    let mut found: Vec<(String, usize)> = (0..archive.len())
        .filter_map(|i| Some((archive.name_for_index(i)?.ok()?.into_owned(), i)))
        .filter(|(name, _)| is_image(Path::new(name)))
        .collect();
    found.sort();
    let file = |(name, entry)| ImageFile { name, origin: Origin::Zipped { archive: archive.clone(), entry } };
    Ok(found.into_iter().map(file).collect())
}

fn damaged(e: zip::result::ZipError) -> Error {
    Error::parse(format!("the ZIP archive cannot be read: {e}"))
}

fn array(path: &Path) -> Result<Vec<ImageFile>> {
    let (sizes, values) = read_byte_array(&Source::Path(path.to_path_buf()))?;
    let [count, height, width] = sizes[..] else {
        return Err(Error::data(format!("the array has {} dimensions, not three", sizes.len()))
            .hint("images are an array of bytes (n, height, width)"));
    };
    let values = Arc::new(values);
    let name = path.display();
    let image = |number| ImageFile {
        name: format!("{name}[{number}]"),
        origin: Origin::Array { values: values.clone(), width, height, number },
    };
    Ok((0..count).map(image).collect())
}
