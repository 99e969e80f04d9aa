//! A file is written whole or not at all.

use rebelboost_io::{write_atomic, write_csv};
use std::fs;
use std::io::{Error, ErrorKind};

fn entries(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn writes_and_replaces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.rebel");
    write_atomic(&path, |out| out.write_all(b"one")).unwrap();
    write_atomic(&path, |out| out.write_all(b"two")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(entries(folder.path()), ["m.rebel"]);
}

#[test]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.rebel");
    let full = |out: &mut dyn std::io::Write| {
        out.write_all(&[7; 100_000])?;
        Err(Error::new(ErrorKind::StorageFull, "no space left on device"))
    };
    let error = write_atomic(&path, full).unwrap_err();
    assert_eq!(error.to_string(), format!("{}: cannot write: no space left on device", path.display()));
    assert!(entries(folder.path()).is_empty());
    write_atomic(&path, |out| out.write_all(b"old")).unwrap();
    write_atomic(&path, full).unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(entries(folder.path()), ["m.rebel"]);
}

#[test]
fn a_panic_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.rebel");
    let result = std::panic::catch_unwind(|| write_atomic(&path, |_| panic!("a bug of the writer")));
    assert!(result.is_err() && entries(folder.path()).is_empty());
}

#[test]
fn bad_targets_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = write_atomic(folder.path(), |_| Ok(())).unwrap_err().to_string();
    assert_eq!(error, format!("{}: this is a directory; give the name of a file", folder.path().display()));
    let path = folder.path().join("no/m.rebel");
    let error = write_atomic(&path, |_| Ok(())).unwrap_err().to_string();
    let expected = format!("{}: the folder '{}' does not exist", path.display(), folder.path().join("no").display());
    assert_eq!(error, expected);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_devices_written() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("m"), folder.path().join("link"));
    fs::write(&path, "old").unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    write_atomic(&link, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    write_atomic(std::path::Path::new("/dev/null"), |out| out.write_all(b"gone")).unwrap();
    if std::path::Path::new("/dev/full").exists() {
        let error = write_atomic(std::path::Path::new("/dev/full"), |out| out.write_all(b"gone")).unwrap_err();
        assert!(error.to_string().starts_with("/dev/full: cannot write"), "{error}");
    }
}

#[test]
fn csv_is_quoted() {
    let mut out = Vec::new();
    write_csv(&mut out, &["a", "b,c"], [["1", "x\ny"], ["2", "say \"hi\""]]).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "a,\"b,c\"\n1,\"x\ny\"\n2,\"say \"\"hi\"\"\"\n");
}
