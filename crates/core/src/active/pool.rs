//! The rows to learn from: all with features, some with a class.

use crate::booster::fingerprint;
use crate::context::{Context, stream};
use crate::data::synthetic::random::below;
use crate::data::{
    Dataset, Features, Roles, Schema, Table, UNSEEN_CLASS, encode, find, level_names, named_target, read_weights,
    typed_features,
};
use crate::error::{Error, Result, nearest};
use crate::learner::similarity::{Scaling, scaled};
use crate::model::similarity::{PointCoding, squared_distance};

/// The name of the classes if none is given and no column is called so.
const DEFAULT_TARGET: &str = "label";
/// Pairs of rows whose mean distance is the unit of `diversity`.
const PAIRS: u64 = 512;

/// Rows, few of them labelled. Immutable: answers are kept in a [`State`](super::State).
pub struct Pool {
    /// All rows under a schema without classes; the labels are all zero and mean nothing.
    pub(super) rows: Dataset,
    classes: Vec<String>,
    /// One a row: a position in `classes`, or [`UNSEEN_CLASS`].
    given: Vec<u32>,
    coding: PointCoding,
    /// Mean squared distance of two random rows.
    typical: f64,
    fingerprint: String,
}

impl Pool {
    /// Gives the columns their parts. A target column is optional: classes it holds are known already. What was
    /// guessed or left out is said in `notes`.
    pub fn from_table(table: &Table, roles: &Roles, context: &Context, notes: &mut Vec<String>) -> Result<Self> {
        if table.rows() == 0 {
            return Err(Error::data("there are no data rows"));
        }
        for name in roles.ignore.iter().chain(&roles.categorical).chain(&roles.weights) {
            find(table, name)?;
        }
        let target = target_of(table, roles, notes)?;
        let weights = match &roles.weights {
            Some(name) => read_weights(find(table, name)?).map_err(|e| e.at_column(name))?,
            None => vec![1.0; table.rows()],
        };
        let origin: Vec<usize> = (0..table.rows()).filter(|&r| weights[r] > 0.0).collect();
        if origin.len() < table.rows() {
            notes.push(format!("left out {} row(s) of weight zero", table.rows() - origin.len()));
        }
        let (features, columns) = typed_features(table, &origin, &target, roles, notes)?;
        let (classes, given) = match table.column(&target).map(|c| c.select(&origin)) {
            Some(column) => {
                let classes = level_names(&column);
                let given = encode(&column, &classes).0;
                (classes, given)
            }
            None => (Vec::new(), vec![UNSEEN_CLASS; origin.len()]),
        };
        let rows = Dataset {
            schema: Schema { features, target, classes: vec![String::new()], steps: None },
            features: Features { columns, rows: origin.len() },
            labels: vec![0; origin.len()],
            weights: origin.iter().map(|&r| weights[r]).collect(),
            groups: Vec::new(),
            origin,
        };
        Ok(Self::new(rows, classes, given, context))
    }

    /// The rows of a data set, their classes forgotten.
    pub fn unlabelled(data: &Dataset, context: &Context) -> Self {
        let mut rows = data.clone();
        rows.labels.fill(0);
        rows.schema.classes = vec![String::new()];
        let given = vec![UNSEEN_CLASS; rows.rows()];
        Self::new(rows, Vec::new(), given, context)
    }

    fn new(rows: Dataset, classes: Vec<String>, given: Vec<u32>, context: &Context) -> Self {
        let coding = scaled(&rows, Scaling::Standard, context);
        let names = rows.schema.features.iter().flat_map(|f| [f.name.as_str(), "\n"]);
        let names = crc32fast::hash(names.collect::<String>().as_bytes());
        let fingerprint = format!("{}{names:08x}", fingerprint(&rows));
        let mut pool = Pool { rows, classes, given, coding, typical: 0.0, fingerprint };
        let mut rng = stream(0, "active/typical");
        let mut sum = 0.0;
        for _ in 0..PAIRS {
            let mut row = || below(pool.len() as u64, &mut rng) as usize;
            sum += pool.squared_distance(&pool.point(row()), &pool.point(row()));
        }
        pool.typical = sum / PAIRS as f64;
        pool
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.rows()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Features and target; the classes are not part of it.
    pub fn schema(&self) -> &Schema {
        &self.rows.schema
    }

    /// Row of the table that a row came from.
    pub fn origin(&self, row: usize) -> usize {
        self.rows.origin[row]
    }

    /// The row that came from this row of the table, unless it was left out.
    pub fn row_of(&self, origin: usize) -> Option<usize> {
        self.rows.origin.binary_search(&origin).ok()
    }

    /// Classes that occur in the data, sorted.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The class the data give a row.
    pub fn given(&self, row: usize) -> Option<&str> {
        self.classes.get(self.given[row] as usize).map(String::as_str)
    }

    /// The same as a position in [`classes`](Self::classes).
    pub(super) fn given_code(&self, row: usize) -> Option<usize> {
        Some(self.given[row]).filter(|code| *code != UNSEEN_CLASS).map(|code| code as usize)
    }

    /// Checksum of the features and their names.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Coordinates of a row: numbers standardised, one coordinate a category.
    pub(super) fn point(&self, row: usize) -> Vec<f32> {
        self.coding.points(&self.rows.features, row, 1).values
    }

    /// Squared distance of two points.
    pub(super) fn squared_distance(&self, a: &[f32], b: &[f32]) -> f64 {
        f64::from(squared_distance(a, b))
    }

    /// Whether two points are closer than this share of a typical distance.
    pub(super) fn near(&self, a: &[f32], b: &[f32], share: f64) -> bool {
        self.squared_distance(a, b) < share * share * self.typical
    }
}

/// The column of classes, which need not exist yet.
fn target_of(table: &Table, roles: &Roles, notes: &mut Vec<String>) -> Result<String> {
    match (&roles.target, named_target(table, roles)) {
        (Some(name), _) if roles.ignore.contains(name) || roles.weights.as_ref() == Some(name) => {
            Err(Error::data("the target column cannot also be ignored or hold the weights").at_column(name))
        }
        (Some(name), _) if table.column(name).is_none() => {
            // A new name for the classes is fine, a slip is not.
            if let Some(near) = nearest(name, table.names().iter().map(String::as_str)) {
                return Err(
                    Error::data(format!("there is no column '{name}'")).hint(format!("did you mean '{near}'?"))
                );
            }
            Ok(name.clone())
        }
        (Some(name), _) => Ok(name.clone()),
        (None, Some(name)) => {
            notes.push(format!("classes known already are in the column '{name}' (--target chooses another)"));
            Ok(name.clone())
        }
        (None, None) => Ok(DEFAULT_TARGET.into()),
    }
}
