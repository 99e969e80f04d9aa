//! Files that are not tables: models, cost files, and outputs, which are checked before the work and written whole.

use rebelboost::data::CostMatrix;
use rebelboost::model::Model;
use rebelboost::registry::all_parameters;
use rebelboost::settings::Kind;
use rebelboost::{Error, ErrorKind, Result};
use rebelboost_io::{Source, write_atomic};
use std::borrow::Cow;
use std::fs;
use std::path::Path;

/// Reads a model file.
pub fn load_model(path: &Path) -> Result<Model> {
    let name = path.display().to_string();
    let read = || {
        if path.is_dir() {
            return Err(Error::new(ErrorKind::Io, "this is a directory, not a model file"));
        }
        let bytes = fs::read(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => Error::new(ErrorKind::Io, "there is no such file"),
            _ => Error::io("cannot read", e),
        })?;
        Model::from_bytes(&bytes)
    };
    read().map_err(|e| e.in_file(name))
}

/// Writes a model file, whole or not at all.
pub fn save_model(path: &Path, model: &Model) -> Result<()> {
    let bytes = model.to_bytes();
    write_atomic(path, |out| out.write_all(&bytes))
}

/// Writes a text, whole or not at all.
pub fn save_text(path: &Path, text: &str) -> Result<()> {
    write_atomic(path, |out| out.write_all(text.as_bytes()))
}

/// The value of an option: the text of a file where a matrix may be given as one (`--code FILE`).
pub fn value<'a>(name: &str, text: &'a str) -> Result<Cow<'a, str>> {
    let takes = all_parameters().into_iter().find(|p| p.name == name && matches!(p.kind, Kind::ChoiceOrSigns(_)));
    match takes {
        Some(parameter) if parameter.parse(text).is_err() && Path::new(text).is_file() => {
            let matrix = fs::read_to_string(text).map_err(|e| Error::io("cannot read", e).in_file(text))?;
            // A file of one line is a matrix too, if not a useful one.
            let matrix = format!("{matrix};");
            parameter.parse(&matrix).map_err(|e| e.in_file(text))?;
            Ok(Cow::Owned(matrix))
        }
        _ => Ok(Cow::Borrowed(text)),
    }
}

/// Reads a cost matrix or a taxonomy, whichever was given.
pub fn load_costs(costs: Option<&Path>, taxonomy: Option<&Path>, classes: &[String]) -> Result<Option<CostMatrix>> {
    match (costs, taxonomy) {
        (Some(path), _) => rebelboost_io::read_costs(&Source::new(path), classes).map(Some),
        (None, Some(path)) => rebelboost_io::read_taxonomy(&Source::new(path), classes).map(Some),
        (None, None) => Ok(None),
    }
}

/// Refuses an output that could not be written later, or that would replace an input, before any work is done.
pub fn check_output(path: &Path, inputs: &[&Path]) -> Result<()> {
    let refuse = |message: String| Err(Error::new(ErrorKind::Io, message).in_file(path.display().to_string()));
    let known = fs::metadata(path).ok();
    if path.is_dir() || path.file_name().is_none() {
        return refuse("this is a directory; give the name of a file".into());
    }
    if known.as_ref().is_some_and(|m| !m.is_file()) {
        return Ok(());
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return refuse(format!("the folder '{}' does not exist", folder.display()));
    }
    if known.as_ref().is_some_and(|m| m.permissions().readonly()) {
        return refuse("the file is write-protected".into());
    }
    if let Ok(target) = fs::canonicalize(path)
        && inputs.iter().any(|input| fs::canonicalize(input).is_ok_and(|input| input == target))
    {
        return refuse("this would replace a file that is read; choose another name".into());
    }
    let probe = folder.join(format!(".rebel-{}.probe", std::process::id()));
    match fs::File::create(&probe) {
        Ok(_) => {
            let _ = fs::remove_file(&probe);
            Ok(())
        }
        Err(error) => Err(Error::io("cannot write here", error).in_file(path.display().to_string())),
    }
}
