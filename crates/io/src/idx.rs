//! IDX, the format of MNIST: a big-endian array behind its dimensions. Images lie in one file and their labels in
//! another of the same base name, so a labels file beside an images file becomes the column `class`.

use crate::builder::ColumnBuilder;
use crate::csv::unreadable;
use crate::element::{Element, Layout, read_header, read_values};
use crate::read::{MAX_COLUMNS, ReadOptions, finish, numbered};
use crate::source::Source;
use rebelboost::data::Table;
use rebelboost::error::{Error, ErrorKind, Result};

pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    let labels = labels_of(source);
    let (mut input, header) = open(source)?;
    let mut names = match header.dimensions.len() {
        1 => vec!["class".to_string()],
        _ => numbered("p", header.columns()?),
    };
    if labels.is_some() {
        names.push("class".to_string());
    }
    let mut builders = options.builders(names)?;
    if let Some(labels) = labels {
        let at = builders.len() - 1;
        let rows = read_labels(&labels, &mut builders[at..]).map_err(|e| e.in_file(labels.name()))?;
        if rows != header.rows {
            return Err(Error::data(format!("{} rows, but {rows} labels in {}", header.rows, labels.name())));
        }
        read_values(&mut input, header.layout(), &mut builders[..at])?;
    } else {
        read_values(&mut input, header.layout(), &mut builders)?;
    }
    finish(builders, |_| None)
}

fn read_labels(source: &Source, builders: &mut [ColumnBuilder]) -> Result<u64> {
    let (mut input, header) = open(source)?;
    if header.dimensions.len() != 1 {
        return Err(Error::data(format!("labels have one dimension, not {}", header.dimensions.len())));
    }
    read_values(&mut input, header.layout(), builders)?;
    Ok(header.rows)
}

struct Header {
    element: Element,
    rows: u64,
    dimensions: Vec<u32>,
}

impl Header {
    fn columns(&self) -> Result<usize> {
        let sizes = self.dimensions[1..].iter();
        let columns = sizes.clone().try_fold(1_u64, |product, &d| product.checked_mul(d.into()));
        match columns {
            Some(0) => Err(Error::data("the rows of this file are empty")),
            Some(columns) if columns <= MAX_COLUMNS => Ok(columns as usize),
            _ => {
                let sizes: Vec<String> = sizes.map(u32::to_string).collect();
                let what = format!("rows of {} values, at most {MAX_COLUMNS} can be read", sizes.join(" x "));
                Err(Error::new(ErrorKind::Limit, what).hint("the file may be damaged"))
            }
        }
    }

    fn layout(&self) -> Layout {
        Layout { rows: self.rows, element: self.element, big_endian: true, by_column: false }
    }
}

fn open(source: &Source) -> Result<(crate::source::Input, Header)> {
    let mut input = source.open()?;
    if input.peek(1).map_err(unreadable)?.is_empty() {
        return Err(Error::data("the file is empty"));
    }
    let [zero, zero_too, kind, count] = read_header::<4>(&mut input)?;
    let element = match kind {
        0x08 => Some(Element::U8),
        0x09 => Some(Element::I8),
        0x0b => Some(Element::I16),
        0x0c => Some(Element::I32),
        0x0d => Some(Element::F32),
        0x0e => Some(Element::F64),
        _ => None,
    };
    let (0, 0, Some(element), 1..) = (zero, zero_too, element, count) else {
        return Err(Error::parse("this is not an IDX file"));
    };
    let mut dimensions = Vec::new();
    for _ in 0..count {
        dimensions.push(u32::from_be_bytes(read_header(&mut input)?));
    }
    Ok((input, Header { element, rows: dimensions[0].into(), dimensions }))
}

/// The labels that belong to an images file, if they lie beside it, zipped or not.
fn labels_of(source: &Source) -> Option<Source> {
    let Source::Path(path) = source else { return None };
    let name = path.file_name()?.to_str()?;
    if !name.contains("images") {
        return None;
    }
    let name = name.replace("images", "labels").replace("idx3", "idx1");
    let other = match name.strip_suffix(".gz") {
        Some(plain) => plain.to_string(),
        None => format!("{name}.gz"),
    };
    [name, other].into_iter().map(|name| path.with_file_name(name)).find(|path| path.is_file()).map(Source::Path)
}
