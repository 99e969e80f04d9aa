//! NPY: one numpy array of one or two dimensions, columns `c1`, `c2`, ...

use crate::csv::unreadable;
use crate::element::{Element, Layout, read_header, read_values};
use crate::read::{MAX_COLUMNS, ReadOptions, finish, numbered};
use crate::source::{Input, Source};
use rebelboost::data::Table;
use rebelboost::error::{Error, ErrorKind, Result};
use std::io::Read;

/// Longest header believed; real ones have about a hundred bytes.
const MAX_HEADER: u64 = 1 << 20;

pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    let mut input = source.open()?;
    let header = Header::read(&mut input)?;
    let (rows, columns) = header.table()?;
    let mut builders = options.builders(numbered("c", columns))?;
    read_values(&mut input, header.layout(rows), &mut builders)?;
    finish(builders, |_| None)
}

/// Reads an array of bytes of any number of dimensions, such as a stack of images: its shape and its values, the last
/// dimension running fastest.
pub fn read_byte_array(source: &Source) -> Result<(Vec<usize>, Vec<u8>)> {
    let read = || {
        let mut input = source.open()?;
        let header = Header::read(&mut input)?;
        if header.element != Element::U8 || header.by_column {
            return Err(Error::data("the array does not hold bytes (uint8), row by row"));
        }
        let sizes: Vec<usize> = header.sizes.iter().map(|&size| size as usize).collect();
        let total = header.sizes.iter().try_fold(1u64, |total, &size| total.checked_mul(size));
        let total = total.ok_or_else(|| Error::parse("the header promises more than there can be"))?;
        let mut values = Vec::new();
        input.by_ref().take(total.saturating_add(1)).read_to_end(&mut values).map_err(unreadable)?;
        if values.len() as u64 != total {
            let what = format!("the header promises {total} values, but the file holds {}", values.len());
            return Err(Error::parse(what).hint("the file may be damaged"));
        }
        Ok((sizes, values))
    };
    read().map_err(|e: Error| e.in_file(source.name()))
}

struct Header {
    sizes: Vec<u64>,
    element: Element,
    big_endian: bool,
    by_column: bool,
}

impl Header {
    fn read(input: &mut Input) -> Result<Header> {
        if input.peek(1).map_err(unreadable)?.is_empty() {
            return Err(Error::data("the file is empty"));
        }
        let [magic @ .., major, _minor] = read_header::<8>(input)?;
        if &magic != b"\x93NUMPY" {
            return Err(Error::parse("this is not an NPY file"));
        }
        let length = match major {
            1 => u16::from_le_bytes(read_header(input)?).into(),
            2 | 3 => u32::from_le_bytes(read_header(input)?).into(),
            other => return Err(Error::parse(format!("NPY version {other} is not known, only 1 to 3"))),
        };
        if length > MAX_HEADER {
            return Err(Error::parse(format!("the header claims {length} bytes")).hint("the file may be damaged"));
        }
        let mut text = Vec::new();
        input.by_ref().take(length).read_to_end(&mut text).map_err(unreadable)?;
        if text.len() as u64 != length {
            return Err(Error::parse("the file is cut short: it ends in its header"));
        }
        Header::parse(&String::from_utf8_lossy(&text))
    }

    fn layout(&self, rows: u64) -> Layout {
        Layout { rows, element: self.element, big_endian: self.big_endian, by_column: self.by_column }
    }

    /// Rows and columns of a table.
    fn table(&self) -> Result<(u64, usize)> {
        let (rows, columns) = match self.sizes.as_slice() {
            [rows] => (*rows, 1),
            [rows, columns] => (*rows, *columns),
            other => {
                let what = format!("the array has {} dimensions, not one or two", other.len());
                return Err(Error::data(what).hint("reshape it to rows x columns"));
            }
        };
        if columns == 0 {
            return Err(Error::data("the array has no columns"));
        }
        if columns > MAX_COLUMNS {
            let what = format!("{columns} columns, at most {MAX_COLUMNS} can be read");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        Ok((rows, columns as usize))
    }

    /// From the Python dictionary at the head of the file.
    fn parse(text: &str) -> Result<Header> {
        let damaged = |what: &str| Error::parse(format!("the header has no valid '{what}'"));
        let after = |key: &str| {
            let quoted = [format!("'{key}'"), format!("\"{key}\"")];
            let start = quoted.iter().find_map(|q| text.find(q).map(|at| at + q.len()));
            let rest = start.map(|at| text[at..].trim_start()).and_then(|rest| rest.strip_prefix(':'));
            rest.map(str::trim_start).ok_or_else(|| damaged(key))
        };
        let descr = after("descr")?;
        if descr.starts_with('[') {
            return Err(Error::parse("the array holds records, not plain numbers").hint("save the table as CSV"));
        }
        let descr = descr.split(['\'', '"']).nth(1).ok_or_else(|| damaged("descr"))?;
        let (big_endian, element) = element(descr)?;
        let by_column = match after("fortran_order")? {
            rest if rest.starts_with("True") => true,
            rest if rest.starts_with("False") => false,
            _ => return Err(damaged("fortran_order")),
        };
        let shape = after("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
        let sizes = shape.ok_or_else(|| damaged("shape"))?.split(',').map(str::trim).filter(|size| !size.is_empty());
        let sizes: Vec<u64> = sizes
            .map(|size| size.trim_end_matches('L').parse().map_err(|_| damaged("shape")))
            .collect::<Result<_>>()?;
        Ok(Header { sizes, element, big_endian, by_column })
    }
}

fn element(descr: &str) -> Result<(bool, Element)> {
    let (order, kind) = match descr.strip_prefix(['<', '>', '|', '=']) {
        Some(kind) => (descr.as_bytes()[0], kind),
        None => (b'<', descr),
    };
    let element = match kind {
        "b1" | "?" | "u1" => Element::U8,
        "i1" => Element::I8,
        "u2" => Element::U16,
        "i2" => Element::I16,
        "u4" => Element::U32,
        "i4" => Element::I32,
        "u8" => Element::U64,
        "i8" => Element::I64,
        "f4" => Element::F32,
        "f8" => Element::F64,
        _ => {
            let what = format!("the array is of type '{descr}'");
            return Err(Error::data(what).hint("only whole numbers, float32, float64 and bool can be read"));
        }
    };
    Ok((order == b'>', element))
}
