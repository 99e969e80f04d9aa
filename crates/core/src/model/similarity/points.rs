//! Rows as points (design 5.2): numbers centred and scaled, categories as one coordinate a level with 1/sqrt(2), so
//! that a mismatch is distance one, and a missing value as the mean, with an indicator where missing is common.

use super::padded;
use crate::data::{Column, Features, MISSING_LEVEL};
use serde::Serialize;

/// Coordinates are clamped to this: squares of squares still fit single precision.
pub const LARGEST_COORDINATE: f64 = 1e6;
/// The same for double precision.
const LARGEST_DOUBLE: f64 = 1e30;
/// Coordinates nearer to zero than this are zero, so that the square of a difference never vanishes.
const SMALLEST_COORDINATE: f64 = 1e-10;

/// How rows become points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointCoding {
    /// One a feature that enters distances, in the order of features.
    pub codings: Vec<Coding>,
    /// What the numbers are multiplied by after that, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whitening: Option<Whitening>,
}

/// A lower triangular matrix for the coordinates that are numbers; levels and indicators stay as they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Whitening {
    /// Its rows one after the other, row i with i + 1 entries.
    pub rows: Vec<f32>,
}

impl Whitening {
    /// Entries of a matrix for this many numbers.
    pub fn entries(numbers: usize) -> usize {
        numbers.saturating_mul(numbers.saturating_add(1)) / 2
    }

    /// Replaces numbers by their products with the matrix.
    fn apply(&self, numbers: &mut [f32]) {
        pulp::Arch::new().dispatch(Triangle { rows: &self.rows, numbers });
    }
}

/// A struct and not a closure: closures are not compiled for the instruction set they are dispatched to.
struct Triangle<'a> {
    rows: &'a [f32],
    numbers: &'a mut [f32],
}

impl pulp::NullaryFnOnce for Triangle<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        // The last first: a product needs only numbers before its own. Products of single precision are exact in
        // double precision, and sums run over lanes in a fixed order, so every machine gives the same bits.
        let mut end = self.rows.len();
        for i in (0..self.numbers.len()).rev() {
            let row = &self.rows[end - (i + 1)..end];
            end -= i + 1;
            let mut lanes = [0.0f64; 8];
            let (x, y) = (row.chunks_exact(8), self.numbers[..=i].chunks_exact(8));
            for (lane, (a, b)) in x.remainder().iter().zip(y.remainder()).enumerate() {
                lanes[lane] = f64::from(*a) * f64::from(*b);
            }
            for (a, b) in x.zip(y) {
                for l in 0..8 {
                    lanes[l] += f64::from(a[l]) * f64::from(b[l]);
                }
            }
            let sum = (lanes[0] + lanes[4]) + (lanes[1] + lanes[5]) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
            self.numbers[i] = coordinate(sum);
        }
    }
}

/// The coordinates of one feature.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Coding {
    /// (value - centre) * scale.
    Numeric {
        /// Feature number.
        feature: u32,
        /// What is subtracted; also the value of a missing one.
        centre: f64,
        /// What is multiplied.
        scale: f64,
        /// Whether a further coordinate says that the value is missing.
        indicator: bool,
    },
    /// One coordinate a level.
    Levels {
        /// Feature number.
        feature: u32,
        /// Coordinates of a missing value: each level's share of the training rows.
        shares: Vec<f64>,
        /// Whether a further coordinate says that the value is missing.
        indicator: bool,
    },
}

/// Padded points of consecutive rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// Length of a point, padding included.
    pub length: usize,
    /// `[row][coordinate]`.
    pub values: Vec<f32>,
}

impl Points {
    /// A row's point.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.length..(row + 1) * self.length]
    }
}

impl Coding {
    /// Its feature.
    pub fn feature(&self) -> u32 {
        match self {
            Coding::Numeric { feature, .. } | Coding::Levels { feature, .. } => *feature,
        }
    }

    /// Number of coordinates.
    pub fn dimensions(&self) -> usize {
        match self {
            Coding::Numeric { indicator, .. } => 1 + usize::from(*indicator),
            Coding::Levels { shares, indicator, .. } => shares.len() + usize::from(*indicator),
        }
    }

    /// Writes the coordinates of rows `start..`, into `out` from `offset` on in steps of `length`.
    fn write<T>(
        &self,
        column: &Column,
        start: usize,
        out: &mut [T],
        (offset, length): (usize, usize),
        coordinate: impl Fn(f64) -> T,
    ) {
        let rows = out.len() / length;
        let flag = |missing: bool| coordinate(f64::from(u8::from(missing)));
        match (self, column) {
            (Coding::Numeric { centre, scale, indicator, .. }, Column::Numeric(numbers)) => {
                let mut values = vec![0.0; rows];
                numbers.read(start, &mut values);
                for (point, value) in out.chunks_exact_mut(length).zip(values) {
                    let missing = value.is_nan();
                    point[offset] = coordinate(if missing { 0.0 } else { (value - centre) * scale });
                    if *indicator {
                        point[offset + 1] = flag(missing);
                    }
                }
            }
            (Coding::Levels { shares, indicator, .. }, Column::Categorical(levels)) => {
                const HALF: f64 = std::f64::consts::FRAC_1_SQRT_2;
                for (i, point) in out.chunks_exact_mut(length).enumerate() {
                    let code = levels.codes[start + i];
                    let missing = code == MISSING_LEVEL;
                    for (level, share) in shares.iter().enumerate() {
                        let value = if missing { *share } else { f64::from(u8::from(level == code as usize)) };
                        point[offset + level] = coordinate(value * HALF);
                    }
                    if *indicator {
                        point[offset + shares.len()] = flag(missing);
                    }
                }
            }
            // A model file whose coding does not fit its schema is refused when it is loaded.
            _ => {}
        }
    }
}

/// Single precision, in a range whose squares neither overflow nor vanish; never minus zero.
fn coordinate(value: f64) -> f32 {
    if value.is_nan() || value.abs() < SMALLEST_COORDINATE {
        return 0.0;
    }
    value.clamp(-LARGEST_COORDINATE, LARGEST_COORDINATE) as f32
}

impl PointCoding {
    /// Number of coordinates, without padding.
    pub fn dimensions(&self) -> usize {
        self.codings.iter().map(Coding::dimensions).sum()
    }

    /// Points of `rows` rows from `start` on.
    pub fn points(&self, features: &Features, start: usize, rows: usize) -> Points {
        let length = padded(self.dimensions());
        let mut values = vec![0.0; rows * length];
        let mut offset = 0;
        for coding in &self.codings {
            let column = &features.columns[coding.feature() as usize];
            coding.write(column, start, &mut values, (offset, length), coordinate);
            offset += coding.dimensions();
        }
        if let Some(whitening) = &self.whitening {
            let places = self.numbers();
            let mut numbers = vec![0.0; places.len()];
            for point in values.chunks_exact_mut(length) {
                numbers.iter_mut().zip(&places).for_each(|(x, place)| *x = point[*place]);
                whitening.apply(&mut numbers);
                numbers.iter().zip(&places).for_each(|(x, place)| point[*place] = *x);
            }
        }
        Points { length, values }
    }

    /// The same in double precision, before any whitening and without padding: `[row][coordinate]`.
    pub fn coordinates(&self, features: &Features, start: usize, rows: usize) -> Vec<f64> {
        let length = self.dimensions();
        let mut values = vec![0.0; rows * length];
        let mut offset = 0;
        for coding in &self.codings {
            let column = &features.columns[coding.feature() as usize];
            coding.write(column, start, &mut values, (offset, length), |x| {
                if x.is_nan() { 0.0 } else { x.clamp(-LARGEST_DOUBLE, LARGEST_DOUBLE) }
            });
            offset += coding.dimensions();
        }
        values
    }

    /// Coordinates that are numbers.
    pub fn numbers(&self) -> Vec<usize> {
        let mut offset = 0;
        let mut places = Vec::new();
        for coding in &self.codings {
            if matches!(coding, Coding::Numeric { .. }) {
                places.push(offset);
            }
            offset += coding.dimensions();
        }
        places
    }
}
