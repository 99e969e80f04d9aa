//! The training rows a chain of similarities compares with, each stored once.

use super::{PointCoding, Points, squared_distances};
use crate::data::{Column, Features, Numeric};
use serde::Serialize;

/// Support rows and how rows become points.
#[derive(Clone, Debug)]
pub struct Supports {
    /// How rows become points.
    pub coding: PointCoding,
    /// The supports' points.
    pub points: Points,
    /// Rows of the training table, from 0.
    pub rows: Vec<u64>,
    /// Their classes as the training data say.
    pub classes: Vec<u32>,
    /// Their original values, one column a feature; `None` if the model was made without.
    pub values: Option<Vec<Column>>,
}

impl Supports {
    /// Number of supports.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Squared distances of `rows` rows from `start` on to some supports: `[support][row]`.
    pub fn distances(&self, supports: &[u32], features: &Features, start: usize, rows: usize) -> Vec<f32> {
        if supports.is_empty() {
            return Vec::new();
        }
        let points = self.coding.points(features, start, rows);
        let mut out = vec![0.0; supports.len() * rows];
        for (support, out) in supports.iter().zip(out.chunks_exact_mut(rows.max(1))) {
            squared_distances(&points.values, self.points.row(*support as usize), out);
        }
        out
    }

    /// A support's value of a feature, as text.
    pub fn text(&self, support: usize, feature: usize) -> Option<String> {
        self.values.as_ref().map(|columns| columns[feature].text(support))
    }
}

/// A missing value is not a number, and so unlike itself; here it equals itself.
impl PartialEq for Supports {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Column, &Column)| match (a, b) {
            (Column::Numeric(Numeric::F32(a)), Column::Numeric(Numeric::F32(b))) => {
                a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()))
            }
            (Column::Numeric(Numeric::F64(a)), Column::Numeric(Numeric::F64(b))) => {
                a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()))
            }
            _ => a == b,
        };
        let values = match (&self.values, &other.values) {
            (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(same),
            (a, b) => a.is_none() && b.is_none(),
        };
        values
            && self.coding == other.coding
            && self.points == other.points
            && self.rows == other.rows
            && self.classes == other.classes
    }
}

/// As people read it: what was compared with, not how it is stored.
impl Serialize for Supports {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Support {
            row: u64,
            class: u32,
            point: Vec<f32>,
            #[serde(skip_serializing_if = "Option::is_none")]
            values: Option<Vec<String>>,
        }
        #[derive(Serialize)]
        struct Twin<'a> {
            coding: &'a PointCoding,
            rows: Vec<Support>,
        }
        let dimensions = self.coding.dimensions();
        let rows = (0..self.len())
            .map(|i| Support {
                row: self.rows[i],
                class: self.classes[i],
                point: self.points.row(i)[..dimensions].to_vec(),
                values: self.values.as_ref().map(|columns| columns.iter().map(|c| c.text(i)).collect()),
            })
            .collect();
        Twin { coding: &self.coding, rows }.serialize(serializer)
    }
}
