//! Which format a source is in: the caller's word, else the first bytes, else the file name, else CSV.

use crate::source::{Input, Source};
use rebelboost::error::{Error, Result};

/// A file format; gzip may lie over each.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-, semicolon-, tab-, bar- or space-separated text.
    Csv,
    /// Weka's attribute-relation format.
    Arff,
    /// Sparse `label index:value ...` lines (LIBSVM, SVMlight).
    Libsvm,
    /// A numpy array.
    Npy,
    /// The format of MNIST.
    Idx,
    /// Apache Parquet (cargo feature `parquet`).
    Parquet,
}

/// Files people pass by mistake, by their first bytes.
const FOREIGN: [(&[u8], &str); 6] = [
    (b"PK\x03\x04", "a ZIP archive or an Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"BZh", "compressed by bzip2"),
    (b"\xfd7zXZ", "compressed by xz"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd"),
    (b"SQLite format 3", "an SQLite data base"),
];

/// How many bytes [`detect`] looks at.
const LOOK: usize = 4096;

/// The format of a source.
pub(crate) fn detect(source: &Source) -> Result<Format> {
    let mut input: Input = source.open()?;
    let head = input.peek(LOOK).map_err(|e| Error::io("cannot read", e).in_file(source.name()))?;
    if head.is_empty() {
        return Err(Error::data("the file is empty").in_file(source.name()));
    }
    if let Some((_, what)) = FOREIGN.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(Error::parse(format!("this file is {what}")).in_file(source.name()).hint("save it as CSV"));
    }
    Ok(by_magic(head).or_else(|| by_name(&source.name())).unwrap_or_else(|| by_text(head)))
}

fn by_magic(head: &[u8]) -> Option<Format> {
    match head {
        [b'P', b'A', b'R', b'1', ..] => Some(Format::Parquet),
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Some(Format::Npy),
        [0, 0, 8 | 9 | 11..=14, 1..=4, ..] => Some(Format::Idx),
        _ => None,
    }
}

/// By extension, below which `.gz` does not count.
pub(crate) fn by_name(name: &str) -> Option<Format> {
    let name = plain_name(name);
    if name.ends_with("-ubyte") {
        return Some(Format::Idx);
    }
    match name.rsplit_once('.')?.1 {
        "csv" | "tsv" | "tab" => Some(Format::Csv),
        "arff" => Some(Format::Arff),
        "libsvm" | "svm" | "svmlight" => Some(Format::Libsvm),
        "npy" => Some(Format::Npy),
        "idx" => Some(Format::Idx),
        "parquet" | "pq" => Some(Format::Parquet),
        _ => None,
    }
}

/// The name in small letters, without `.gz`.
pub(crate) fn plain_name(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    name.strip_suffix(".gz").map(str::to_string).unwrap_or(name)
}

/// Text without a telling name: ARFF and LIBSVM give themselves away in their first lines.
fn by_text(head: &[u8]) -> Format {
    let mut lines = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return Format::Csv };
    let statement = std::iter::once(first).chain(lines).find(|line| !line.starts_with(b"%"));
    if statement.is_some_and(|line| line.len() > 9 && line[..9].eq_ignore_ascii_case(b"@relation")) {
        return Format::Arff;
    }
    let first = first.split(|&b| b == b'#').next().unwrap_or_default();
    let mut words = first.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let label = words.next().is_some_and(|word| crate::value::Cell::of(word).is_number());
    // The last pair may be cut off by the end of the look.
    let mut pairs =
        words.map(|word| word.splitn(2, |&b| b == b':').map(<[u8]>::to_vec).collect::<Vec<_>>()).peekable();
    let is_pair = |p: Vec<Vec<u8>>| p.len() == 2 && (p[0] == b"qid" || p[0].iter().all(u8::is_ascii_digit));
    if label && pairs.peek().is_some() && pairs.all(is_pair) { Format::Libsvm } else { Format::Csv }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_bytes_and_text_tell_the_format() {
        for (name, format) in [
            ("a.CSV.gz", Some(Format::Csv)),
            ("x/train-images-idx3-ubyte.gz", Some(Format::Idx)),
            ("a.svmlight", Some(Format::Libsvm)),
            ("a.data", None),
        ] {
            assert_eq!(by_name(name), format);
        }
        for (text, format) in [
            ("+1 1:0.5 7:1\n", Format::Libsvm),
            ("% hello\n\n@RELATION x\n", Format::Arff),
            ("a,b\n1,2\n", Format::Csv),
            ("12:30 13:40\n", Format::Csv),
            ("", Format::Csv),
        ] {
            assert_eq!(by_text(text.as_bytes()), format, "{text}");
        }
        assert_eq!(by_magic(b"\0\0\x08\x03abc"), Some(Format::Idx));
    }
}
