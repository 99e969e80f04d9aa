//! Builds one typed column, value by value, in the narrowest type that holds what was seen so far.
//!
//! A column starts as bytes and widens as needed (u8, i16, i32, f32 if exact, f64), with the outcome of
//! [`Numeric::narrowest`] on the same values but without ever holding them as text or doubles. Words make it
//! categorical. If words follow numbers the text of the numbers is gone ("007" is held as 7), so the builder drops
//! what it has and asks the reader for a second pass ([`ColumnBuilder::needs_text`]): rare, exact, and free for
//! everybody else.

use crate::value::{Cell, shown};
use rebelboost::data::{Categorical, Column, MISSING_LEVEL, Numeric};
use rebelboost::error::{Error, Result};
use std::collections::HashMap;

/// What a column may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Numbers, unless a word turns up.
    Guess,
    /// Numbers; a word is an error.
    Numeric,
    /// Words, even if they look like numbers.
    Categorical,
}

pub(crate) struct ColumnBuilder {
    name: String,
    kind: Kind,
    values: Values,
    infinite: Option<(u64, String)>,
}

enum Values {
    /// Only missing values so far, this many.
    Missing(usize),
    Numbers(Numeric),
    Words(Words),
    /// Words after numbers: nothing is kept.
    Dropped,
}

#[derive(Default)]
struct Words {
    codes: Vec<u32>,
    index: HashMap<Box<str>, u32>,
}

impl ColumnBuilder {
    pub(crate) fn new(name: impl Into<String>, kind: Kind) -> Self {
        let values = match kind {
            Kind::Categorical => Values::Words(Words::default()),
            _ => Values::Missing(0),
        };
        ColumnBuilder { name: name.into(), kind, values, infinite: None }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn len(&self) -> usize {
        match &self.values {
            Values::Missing(count) => *count,
            Values::Numbers(numbers) => numbers.len(),
            Values::Words(words) => words.codes.len(),
            Values::Dropped => 0,
        }
    }

    /// Whether the column must be read again as words.
    pub(crate) fn needs_text(&self) -> bool {
        matches!(self.values, Values::Dropped)
    }

    /// The first infinite value: the place it was pushed with, and the error if the column is numeric.
    pub(crate) fn infinite(&self) -> Option<(u64, Error)> {
        let (place, text) = self.infinite.as_ref()?;
        Some((*place, infinite(text).at_column(&self.name)))
    }

    /// Adds a cell of text. `place` comes back from [`infinite`](Self::infinite), whose verdict must wait for the
    /// end: in a column of words, "inf" is a word. Errors lack the line, which the caller knows.
    #[inline]
    pub(crate) fn push_cell(&mut self, raw: &[u8], place: u64) -> Result<()> {
        if matches!(self.values, Values::Words(_)) {
            return self.push_word(raw);
        }
        match Cell::of(raw) {
            Cell::Integer(value) => self.push_integer(value),
            Cell::Number(value) => self.push_finite(value),
            Cell::Missing => self.push_missing(),
            Cell::Infinite => {
                if self.infinite.is_none() {
                    self.infinite = Some((place, shown(raw)));
                }
                self.push_missing();
            }
            Cell::Text if self.kind == Kind::Numeric => {
                return Err(Error::data(format!("found {} where a number is needed", shown(raw)))
                    .at_column(&self.name)
                    .hint("correct the cell, or do not declare the column numeric"));
            }
            Cell::Text => self.push_word(raw)?,
        }
        Ok(())
    }

    /// Adds a number that is not text; NaN is missing, an infinity an error.
    #[inline]
    pub(crate) fn push_number(&mut self, value: f64) -> Result<()> {
        if self.kind == Kind::Categorical {
            if value.is_nan() {
                self.push_missing();
                return Ok(());
            }
            return self.push_level(&value.to_string());
        }
        let whole = value as i32;
        // Minus zero would lose its sign as an integer.
        if f64::from(whole) == value && (whole != 0 || value.is_sign_positive()) {
            self.push_integer(whole);
        } else if value.is_nan() {
            self.push_missing();
        } else if value.is_infinite() {
            return Err(infinite(&value.to_string()).at_column(&self.name));
        } else {
            self.push_finite(value);
        }
        Ok(())
    }

    /// Adds a level, whatever it looks like; for readers that know that this column is categorical.
    pub(crate) fn push_level(&mut self, level: &str) -> Result<()> {
        match &mut self.values {
            Values::Missing(count) if self.infinite.is_none() => {
                let codes = vec![MISSING_LEVEL; *count];
                self.values = Values::Words(Words { codes, ..Words::default() });
                return self.push_level(level);
            }
            Values::Words(words) => {
                let code = match words.index.get(level) {
                    Some(code) => *code,
                    None => {
                        let code = words.index.len() as u32;
                        words.index.insert(level.into(), code);
                        code
                    }
                };
                words.codes.push(code);
            }
            _ => self.values = Values::Dropped,
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn push_missing(&mut self) {
        match &mut self.values {
            Values::Missing(count) => *count += 1,
            Values::Numbers(numbers) => match numbers {
                Numeric::U8(_) => {
                    *numbers = widened(numbers, 0.0, Width::I16);
                    self.push_missing();
                }
                Numeric::I16(v) => v.push(i16::MIN),
                Numeric::I32(v) => v.push(i32::MIN),
                Numeric::F32(v) => v.push(f32::NAN),
                Numeric::F64(v) => v.push(f64::NAN),
            },
            Values::Words(words) => words.codes.push(MISSING_LEVEL),
            Values::Dropped => {}
        }
    }

    /// The column, in memory that fits.
    pub(crate) fn finish(self) -> Column {
        match self.values {
            Values::Missing(count) => Column::Numeric(Numeric::F32(vec![f32::NAN; count])),
            Values::Dropped => Column::Numeric(Numeric::F32(Vec::new())),
            Values::Numbers(mut numbers) => {
                match &mut numbers {
                    Numeric::U8(v) => v.shrink_to_fit(),
                    Numeric::I16(v) => v.shrink_to_fit(),
                    Numeric::I32(v) => v.shrink_to_fit(),
                    Numeric::F32(v) => v.shrink_to_fit(),
                    Numeric::F64(v) => v.shrink_to_fit(),
                }
                Column::Numeric(numbers)
            }
            Values::Words(mut words) => {
                words.codes.shrink_to_fit();
                let mut levels = vec![String::new(); words.index.len()];
                for (level, code) in words.index {
                    levels[code as usize] = level.into_string();
                }
                Column::Categorical(Categorical { codes: words.codes, levels })
            }
        }
    }

    fn push_word(&mut self, raw: &[u8]) -> Result<()> {
        let text = raw.trim_ascii();
        if crate::value::is_missing(text) {
            self.push_missing();
            return Ok(());
        }
        match std::str::from_utf8(text) {
            Ok(level) => self.push_level(level),
            Err(_) => Err(not_utf8().at_column(&self.name)),
        }
    }

    #[inline]
    fn push_integer(&mut self, value: i32) {
        match &mut self.values {
            Values::Numbers(Numeric::U8(v)) if (0..=255).contains(&value) => v.push(value as u8),
            Values::Numbers(Numeric::I16(v)) if value > i16::MIN.into() && value <= i16::MAX.into() => {
                v.push(value as i16);
            }
            Values::Numbers(Numeric::I32(v)) if value > i32::MIN => v.push(value),
            _ => self.push_finite(f64::from(value)),
        }
    }

    fn push_finite(&mut self, value: f64) {
        let width = Width::of(value);
        match &mut self.values {
            Values::Numbers(numbers) => push_number(numbers, value, width),
            Values::Missing(count) => {
                let mut numbers = match count {
                    0 => Numeric::U8(Vec::new()),
                    count => Numeric::I16(vec![i16::MIN; *count]),
                };
                push_number(&mut numbers, value, width);
                self.values = Values::Numbers(numbers);
            }
            // Numbers among words need their text.
            Values::Words(_) | Values::Dropped => self.values = Values::Dropped,
        }
    }
}

/// The types of [`Numeric`] from narrow to wide.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    U8,
    I16,
    I32,
    F32,
    F64,
}

impl Width {
    /// The narrowest type for this value.
    fn of(value: f64) -> Width {
        let whole = value.fract() == 0.0 && !(value == 0.0 && value.is_sign_negative());
        match value {
            v if whole && (0.0..=255.0).contains(&v) => Width::U8,
            v if whole && v > f64::from(i16::MIN) && v <= f64::from(i16::MAX) => Width::I16,
            v if whole && v > f64::from(i32::MIN) && v <= f64::from(i32::MAX) => Width::I32,
            v if f64::from(v as f32) == v => Width::F32,
            _ => Width::F64,
        }
    }
}

fn push_number(numbers: &mut Numeric, value: f64, width: Width) {
    match numbers {
        Numeric::U8(v) if width == Width::U8 => v.push(value as u8),
        Numeric::I16(v) if width <= Width::I16 => v.push(value as i16),
        Numeric::I32(v) if width <= Width::I32 => v.push(value as i32),
        Numeric::F32(v) if f64::from(value as f32) == value => v.push(value as f32),
        Numeric::F64(v) => v.push(value),
        _ => {
            *numbers = widened(numbers, value, width);
            push_number(numbers, value, width);
        }
    }
}

/// The same numbers in a type that also holds `value`, whose own width is `width`.
fn widened(numbers: &Numeric, value: f64, width: Width) -> Numeric {
    let values = || (0..numbers.len()).map(|row| numbers.get(row));
    let single = |v: f64| v.is_nan() || f64::from(v as f32) == v;
    match width {
        Width::U8 | Width::I16 if matches!(numbers, Numeric::U8(_)) => {
            Numeric::I16(values().map(|v| v as i16).collect())
        }
        Width::U8 | Width::I16 | Width::I32 if matches!(numbers, Numeric::U8(_) | Numeric::I16(_)) => {
            Numeric::I32(values().map(|v| if v.is_nan() { i32::MIN } else { v as i32 }).collect())
        }
        _ if !matches!(numbers, Numeric::F32(_)) && single(value) && values().all(single) => {
            Numeric::F32(values().map(|v| v as f32).collect())
        }
        _ => Numeric::F64(values().collect()),
    }
}

fn infinite(text: &str) -> Error {
    let text = text.trim_matches('\'');
    Error::data(format!("found '{text}', which is infinite or beyond the range of numbers"))
        .hint("leave the cell empty if the value is unknown")
}

pub(crate) fn not_utf8() -> Error {
    Error::parse("the text is not UTF-8").hint("save the file as UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = f64> {
        prop_oneof![
            8 => (0..256).prop_map(f64::from),
            2 => (-300..70_000).prop_map(f64::from),
            1 => any::<i32>().prop_map(f64::from),
            1 => any::<f32>().prop_map(f64::from),
            1 => any::<f64>(),
            1 => Just(f64::NAN),
            1 => prop::sample::select(vec![-0.0, -32768.0, -2147483648.0, 16777217.0, 3e9]),
        ]
        .prop_filter("finite or missing", |v| !v.is_infinite())
    }

    proptest! {
        #[test]
        fn ends_in_the_narrowest_type(values in prop::collection::vec(value(), 0..30), as_text: bool) {
            let mut builder = ColumnBuilder::new("x", Kind::Guess);
            for v in &values {
                if as_text {
                    builder.push_cell(v.to_string().as_bytes(), 0).unwrap();
                } else {
                    builder.push_number(*v).unwrap();
                }
            }
            let (Column::Numeric(found), expected) = (builder.finish(), Numeric::narrowest(values)) else {
                panic!("numbers became words")
            };
            prop_assert_eq!(std::mem::discriminant(&found), std::mem::discriminant(&expected));
            for row in 0..expected.len() {
                let (found, expected) = (found.get(row), expected.get(row));
                prop_assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan());
            }
        }
    }
}
