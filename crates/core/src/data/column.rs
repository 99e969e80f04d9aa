//! A typed column: numbers in the narrowest type that holds them exactly, or categories.
//!
//! A missing value is part of the type's own range (NaN, or the smallest integer), so no second array is needed:
//! `u8` columns have no missing values; a byte column that has one is held as `i16`.

/// Code of a missing category.
pub const MISSING_LEVEL: u32 = u32::MAX;

/// One column of a [`Table`](super::Table).
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Quantities.
    Numeric(Numeric),
    /// Names from a finite set.
    Categorical(Categorical),
}

/// A numeric column. Values read as `f64`; missing reads as NaN.
#[derive(Clone, Debug, PartialEq)]
pub enum Numeric {
    /// Integers 0..=255 without missing values.
    U8(Vec<u8>),
    /// Small integers; `i16::MIN` is missing.
    I16(Vec<i16>),
    /// Integers; `i32::MIN` is missing.
    I32(Vec<i32>),
    /// Values that single precision holds exactly; NaN is missing.
    F32(Vec<f32>),
    /// All other values; NaN is missing.
    F64(Vec<f64>),
}

/// A categorical column: codes into a list of level names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Categorical {
    /// One code a row, [`MISSING_LEVEL`] if missing.
    pub codes: Vec<u32>,
    /// Level names, in order of their code.
    pub levels: Vec<String>,
}

impl Column {
    /// The value of a row as a number, that of a level being its code; not a number if it is missing.
    #[inline]
    pub fn number(&self, row: usize) -> f64 {
        match self {
            Column::Numeric(numbers) => numbers.get(row),
            Column::Categorical(levels) => match levels.codes[row] {
                MISSING_LEVEL => f64::NAN,
                code => f64::from(code),
            },
        }
    }

    /// A numeric column in the narrowest exact type.
    pub fn numeric(values: Vec<f64>) -> Self {
        Column::Numeric(Numeric::narrowest(values))
    }

    /// A categorical column; levels are numbered in order of appearance, `None` is missing.
    pub fn categorical<S: AsRef<str>>(values: impl IntoIterator<Item = Option<S>>) -> Self {
        let mut column = Categorical::default();
        let mut seen = std::collections::HashMap::new();
        for value in values {
            let code = match value {
                None => MISSING_LEVEL,
                Some(name) => *seen.entry(name.as_ref().to_string()).or_insert_with_key(|name| {
                    column.levels.push(name.clone());
                    column.levels.len() as u32 - 1
                }),
            };
            column.codes.push(code);
        }
        Column::Categorical(column)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Numeric(c) => c.len(),
            Column::Categorical(c) => c.codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the value of this row is missing.
    pub fn is_missing(&self, row: usize) -> bool {
        match self {
            Column::Numeric(c) => c.get(row).is_nan(),
            Column::Categorical(c) => c.codes[row] == MISSING_LEVEL,
        }
    }

    /// The value as text: the shortest number that reads back the same, the level's name, or "" if missing.
    pub fn text(&self, row: usize) -> String {
        match self {
            Column::Numeric(c) => Some(c.get(row)).filter(|v| !v.is_nan()).map(|v| v.to_string()).unwrap_or_default(),
            Column::Categorical(c) => c.level(row).unwrap_or_default().to_string(),
        }
    }

    /// The rows in this order.
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Column::Numeric(c) => Column::Numeric(c.select(rows)),
            Column::Categorical(c) => Column::Categorical(Categorical {
                codes: rows.iter().map(|&r| c.codes[r]).collect(),
                levels: c.levels.clone(),
            }),
        }
    }
}

impl Numeric {
    /// Chooses the narrowest type that holds every value exactly.
    pub fn narrowest(values: Vec<f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut whole, mut single, mut missing) = (true, true, false);
        for &v in &values {
            if v.is_nan() {
                missing = true;
                continue;
            }
            low = low.min(v);
            high = high.max(v);
            // Minus zero would lose its sign as an integer.
            whole &= v.fract() == 0.0 && !(v == 0.0 && v.is_sign_negative());
            single &= f64::from(v as f32) == v;
        }
        let as_int = |v: f64, missing: i32| if v.is_nan() { missing } else { v as i32 };
        if low > high {
            Numeric::F32(vec![f32::NAN; values.len()])
        } else if whole && !missing && low >= 0.0 && high <= 255.0 {
            Numeric::U8(values.iter().map(|&v| v as u8).collect())
        } else if whole && low > f64::from(i16::MIN) && high <= f64::from(i16::MAX) {
            Numeric::I16(values.iter().map(|&v| as_int(v, i16::MIN.into()) as i16).collect())
        } else if whole && low > f64::from(i32::MIN) && high <= f64::from(i32::MAX) {
            Numeric::I32(values.iter().map(|&v| as_int(v, i32::MIN)).collect())
        } else if single {
            Numeric::F32(values.iter().map(|&v| v as f32).collect())
        } else {
            Numeric::F64(values)
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Numeric::U8(v) => v.len(),
            Numeric::I16(v) => v.len(),
            Numeric::I32(v) => v.len(),
            Numeric::F32(v) => v.len(),
            Numeric::F64(v) => v.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a row; NaN if missing.
    #[inline]
    pub fn get(&self, row: usize) -> f64 {
        match self {
            Numeric::U8(v) => f64::from(v[row]),
            Numeric::I16(v) => from_i16(v[row]),
            Numeric::I32(v) => from_i32(v[row]),
            Numeric::F32(v) => f64::from(v[row]),
            Numeric::F64(v) => v[row],
        }
    }

    /// Copies the rows from `start` on into `out`, as many as it holds; one type dispatch for the whole block.
    pub fn read(&self, start: usize, out: &mut [f64]) {
        let range = start..start + out.len();
        match self {
            Numeric::U8(v) => copy(&v[range], out, |x| f64::from(*x)),
            Numeric::I16(v) => copy(&v[range], out, |x| from_i16(*x)),
            Numeric::I32(v) => copy(&v[range], out, |x| from_i32(*x)),
            Numeric::F32(v) => copy(&v[range], out, |x| f64::from(*x)),
            Numeric::F64(v) => out.copy_from_slice(&v[range]),
        }
    }

    /// All values.
    pub fn to_vec(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        self.read(0, &mut out);
        out
    }

    fn select(&self, rows: &[usize]) -> Self {
        fn pick<T: Copy>(v: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&r| v[r]).collect()
        }
        match self {
            Numeric::U8(v) => Numeric::U8(pick(v, rows)),
            Numeric::I16(v) => Numeric::I16(pick(v, rows)),
            Numeric::I32(v) => Numeric::I32(pick(v, rows)),
            Numeric::F32(v) => Numeric::F32(pick(v, rows)),
            Numeric::F64(v) => Numeric::F64(pick(v, rows)),
        }
    }
}

impl Categorical {
    /// The level's name; `None` if missing.
    pub fn level(&self, row: usize) -> Option<&str> {
        self.levels.get(self.codes[row] as usize).map(String::as_str)
    }
}

fn copy<T>(from: &[T], to: &mut [f64], convert: impl Fn(&T) -> f64) {
    for (out, value) in to.iter_mut().zip(from) {
        *out = convert(value);
    }
}

fn from_i16(v: i16) -> f64 {
    if v == i16::MIN { f64::NAN } else { f64::from(v) }
}

fn from_i32(v: i32) -> f64 {
    if v == i32::MIN { f64::NAN } else { f64::from(v) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrowest_type_is_exact() {
        let kinds = [
            (vec![0.0, 255.0], "U8"),
            (vec![0.0, f64::NAN], "I16"),
            (vec![-5.0, 300.0], "I16"),
            (vec![70_000.0, f64::NAN], "I32"),
            (vec![0.5, f64::NAN], "F32"),
            (vec![0.1, 3.0], "F64"),
            (vec![-0.0, 3.0], "F32"),
            (vec![1e300, 3.0], "F64"),
        ];
        for (values, kind) in kinds {
            let column = Numeric::narrowest(values.clone());
            assert!(format!("{column:?}").starts_with(kind), "{column:?}");
            for (i, v) in values.iter().enumerate() {
                assert_eq!(column.get(i).to_bits(), v.to_bits());
            }
        }
    }
}
