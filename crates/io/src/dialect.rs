//! What a CSV file does not say about itself: delimiter and header, guessed from its first rows.
//!
//! **Delimiter**: of `,` `;` tab `|` the one that splits most of the first rows into the same number of fields, at
//! least two; then the one with most fields. Without any, runs of blanks, unless the file calls itself CSV or TSV.
//!
//! **Header**: the first row holds names if some column has a word there and only numbers below it. Otherwise it
//! holds data if one of its cells is a number (unless a cell is called class, label, target or y and is not a value
//! of its column), or if at least half of its words occur again below in their column. Otherwise it holds names.

use crate::value::Cell;
use std::io::{self, Read};

/// How a file separates fields and whether it begins with names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dialect {
    pub(crate) delimiter: Delimiter,
    pub(crate) header: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Delimiter {
    Byte(u8),
    /// Any run of spaces and tabs.
    Blanks,
}

impl Delimiter {
    /// Whether this byte belongs to the stream's fields after [`Blanks`] did its work.
    pub(crate) fn byte(self) -> u8 {
        match self {
            Delimiter::Byte(byte) => byte,
            Delimiter::Blanks => b' ',
        }
    }
}

/// Rows the guesses look at.
const ROWS: usize = 200;

type Rows = Vec<csv::ByteRecord>;

/// The delimiter of a sample; `whole` says that the sample is the whole file.
pub(crate) fn delimiter(sample: &[u8], whole: bool, plain_name: &str) -> Delimiter {
    let tabular = plain_name.ends_with(".csv") || plain_name.ends_with(".tsv") || plain_name.ends_with(".tab");
    let mut candidates = vec![b',', b';', b'\t', b'|'];
    if plain_name.ends_with(".tsv") || plain_name.ends_with(".tab") {
        candidates = vec![b'\t', b',', b';', b'|'];
    }
    let mut best = (0, Delimiter::Byte(candidates[0]));
    for byte in candidates {
        let score = agreement(&rows(sample, whole, Delimiter::Byte(byte)));
        if score > best.0 {
            best = (score, Delimiter::Byte(byte));
        }
    }
    if best.0 == 0 && !tabular && agreement(&rows(sample, whole, Delimiter::Blanks)) > 0 {
        return Delimiter::Blanks;
    }
    best.1
}

/// Share of rows with the commonest number of fields, then that number; zero if rows are not split at all.
fn agreement(rows: &Rows) -> u64 {
    let mut counts = std::collections::BTreeMap::new();
    for row in rows {
        *counts.entry(row.len()).or_insert(0_u64) += 1;
    }
    match counts.into_iter().max_by_key(|&(fields, count)| (count, fields)) {
        Some((fields, count)) if fields > 1 => ((count * 1000 / rows.len() as u64) << 32) + fields as u64,
        _ => 0,
    }
}

/// Whether the first row of a sample holds names.
pub(crate) fn header(sample: &[u8], whole: bool, delimiter: Delimiter) -> bool {
    let rows = rows(sample, whole, delimiter);
    let Some((first, body)) = rows.split_first() else { return true };
    let below = |column: usize| body.iter().filter_map(move |row| row.get(column));
    let (mut numbers, mut words, mut again) = (0, 0, 0);
    let mut named = false;
    for (column, raw) in first.iter().enumerate() {
        match Cell::of(raw) {
            Cell::Missing => {}
            Cell::Text => {
                let mut kinds = below(column).map(Cell::of).filter(|cell| *cell != Cell::Missing).peekable();
                if kinds.peek().is_some() && kinds.all(Cell::is_number) {
                    return true;
                }
                words += 1;
                let text = raw.trim_ascii();
                let recurs = below(column).any(|cell| cell.trim_ascii() == text);
                again += usize::from(recurs);
                let is_name = |name: &str| text.eq_ignore_ascii_case(name.as_bytes());
                named |= !recurs && ["class", "label", "target", "y"].into_iter().any(is_name);
            }
            _ => numbers += 1,
        }
    }
    named || numbers == 0 && (words == 0 || again * 2 < words)
}

/// The complete rows of a sample, at most [`ROWS`].
fn rows(sample: &[u8], whole: bool, delimiter: Delimiter) -> Rows {
    let separated: Box<dyn Read> = match delimiter {
        Delimiter::Blanks => Box::new(Blanks::new(sample)),
        Delimiter::Byte(_) => Box::new(sample),
    };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter.byte())
        .from_reader(separated);
    // Reading from memory does not fail, and what does fail is no row.
    let mut rows: Rows = reader.byte_records().map_while(Result::ok).take(ROWS + 1).collect();
    if !whole && rows.len() <= ROWS && rows.len() > 1 {
        rows.pop();
    }
    rows
}

/// Turns runs of spaces and tabs into one space and drops them at the ends of lines, so that the CSV parser can go on.
/// Quoted text is left as it is.
pub(crate) struct Blanks<R> {
    inner: R,
    buffer: Vec<u8>,
    in_quotes: bool,
    line_begins: bool,
    pending: bool,
}

impl<R: Read> Blanks<R> {
    pub(crate) fn new(inner: R) -> Self {
        Blanks { inner, buffer: vec![0; 1 << 14], in_quotes: false, line_begins: true, pending: false }
    }
}

impl<R: Read> Read for Blanks<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.len() < 2 {
            // A blank and the byte after it must fit. The CSV parser's buffer is always larger.
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "buffer too small"));
        }
        loop {
            // Each byte read gives at most itself and one blank before it.
            let want = self.buffer.len().min(out.len() / 2);
            let count = self.inner.read(&mut self.buffer[..want])?;
            if count == 0 {
                return Ok(0);
            }
            let mut written = 0;
            for &byte in &self.buffer[..count] {
                if !self.in_quotes && matches!(byte, b' ' | b'\t') {
                    self.pending = !self.line_begins;
                    continue;
                }
                let line_ends = !self.in_quotes && matches!(byte, b'\n' | b'\r');
                if std::mem::take(&mut self.pending) && !line_ends {
                    out[written] = b' ';
                    written += 1;
                }
                self.in_quotes ^= byte == b'"';
                self.line_begins = line_ends;
                out[written] = byte;
                written += 1;
            }
            if written > 0 {
                return Ok(written);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Delimiter, bool) {
        let delimiter = delimiter(text.as_bytes(), true, "a.txt");
        (delimiter, header(text.as_bytes(), true, delimiter))
    }

    #[test]
    fn delimiters() {
        for (text, expected) in [
            ("a,b\n1,2\n", Delimiter::Byte(b',')),
            ("a;b;c\n1,5;2,5;x\n", Delimiter::Byte(b';')),
            ("a\tb\n1\t2\n3\n", Delimiter::Byte(b'\t')),
            ("a|b\n1|2", Delimiter::Byte(b'|')),
            ("  1   2 x\n 3 4 y \n", Delimiter::Blanks),
            ("a\n1\n", Delimiter::Byte(b',')),
            ("\"x;y\",b\n\"p;q\",3\n", Delimiter::Byte(b',')),
        ] {
            assert_eq!(of(text).0, expected, "{text}");
        }
    }

    #[test]
    fn headers() {
        for (text, expected) in [
            ("a,b\n1,2\n", true),
            ("1,2\n3,4\n", false),
            ("5.1,Iris-setosa\n4.9,Iris-setosa\n6,Iris-virginica\n", false),
            ("5.1,Iris-setosa\n", false),
            ("0,1,class\n3,4,x\n5,6,x\n", true),
            ("A,G,EI\nA,C,EI\nG,G,IE\n", false),
            ("base,next,kind\nA,C,EI\nG,G,IE\n", true),
            ("a,b\n", true),
            ("x,NA\n1,\n", true),
            ("a,b,a\n1,2,3\n", true),
        ] {
            assert_eq!(of(text).1, expected, "{text}");
        }
    }

    #[test]
    fn blanks_collapse_outside_quotes() {
        let mut text = String::new();
        Blanks::new(" a  \t b \r\n \"x  y\"  c\n".as_bytes()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "a b\r\n\"x  y\" c\n");
    }
}
