//! What a model knows of its columns, and how another table is matched to it: by name, never by position.

use super::{Categorical, Column, MISSING_LEVEL, Table};
use crate::error::{Error, Result, nearest};
use crate::steps::Steps;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// Label of a row whose class was never seen in training: always an error of the model.
pub const UNSEEN_CLASS: u32 = u32::MAX;

/// One feature of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Column name.
    pub name: String,
    /// Type, with the levels of a categorical feature.
    pub kind: FeatureKind,
}

/// Type of a feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FeatureKind {
    /// A quantity.
    Numeric,
    /// A name out of these levels, sorted.
    Categorical(Vec<String>),
}

/// Features, target and classes of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// Features in training order.
    pub features: Vec<Feature>,
    /// Name of the target column.
    pub target: String,
    /// Class names; a label is a position in this list.
    pub classes: Vec<String>,
    /// How the features are made of a table's columns; `None` if they are columns of the table. A part of its own in
    /// model files.
    #[serde(skip)]
    pub steps: Option<Arc<Steps>>,
}

/// Columns in the order and with the level codes of a schema: what models predict on.
#[derive(Clone, Debug)]
pub struct Features {
    /// One column a feature.
    pub columns: Vec<Column>,
    /// Number of rows.
    pub rows: usize,
}

impl Schema {
    /// Number of classes.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// The columns that a table must have.
    pub fn inputs(&self) -> &[Feature] {
        self.steps.as_ref().map_or(&self.features, |steps| &steps.inputs)
    }

    /// Matches a table by column name, and takes the steps before the model if there are any. Unknown columns are ignored and unseen levels become missing; both are said
    /// in `notes`. `also_known` names columns that need no note (target, weights).
    pub fn align(&self, table: &Table, also_known: &[&str], notes: &mut Vec<String>) -> Result<Features> {
        let columns = self.inputs().iter().map(|f| f.align(table, notes)).collect::<Result<Vec<_>>>()?;
        let unknown: Vec<&str> = (table.names().iter().map(String::as_str))
            .filter(|name| *name != self.target && !also_known.contains(name))
            .filter(|name| self.inputs().iter().all(|f| f.name != **name))
            .collect();
        if !unknown.is_empty() {
            notes.push(format!("ignored columns the model does not know: {}", super::dataset::preview(&unknown)));
        }
        let features = Features { columns, rows: table.rows() };
        Ok(match &self.steps {
            Some(steps) => steps.apply(features, None),
            None => features,
        })
    }

    /// Labels of a table, if it has the target column. A class never seen in training is [`UNSEEN_CLASS`] and said
    /// in `notes`; a missing label is an error.
    pub fn labels(&self, table: &Table, notes: &mut Vec<String>) -> Result<Option<Vec<u32>>> {
        let Some(column) = table.column(&self.target) else { return Ok(None) };
        let index: HashMap<&str, u32> = (self.classes.iter().zip(0..)).map(|(c, i)| (c.as_str(), i)).collect();
        let mut unseen = std::collections::BTreeMap::<String, usize>::new();
        let labels = (0..table.rows())
            .map(|row| {
                let name = column.text(row);
                if name.is_empty() {
                    return Err(
                        Error::data(format!("the class of data row {} is missing", row + 1)).at_column(&self.target)
                    );
                }
                Ok(index.get(name.as_str()).copied().unwrap_or_else(|| {
                    *unseen.entry(name).or_default() += 1;
                    UNSEEN_CLASS
                }))
            })
            .collect::<Result<Vec<_>>>()?;
        for (name, count) in unseen {
            notes.push(format!("class '{name}' was never seen in training: its {count} row(s) count as errors"));
        }
        Ok(Some(labels))
    }
}

impl Feature {
    fn align(&self, table: &Table, notes: &mut Vec<String>) -> Result<Column> {
        let Some(column) = table.column(&self.name) else {
            let error = Error::data("the model needs this column and the data lack it").at_column(&self.name);
            return Err(match nearest(&self.name, table.names().iter().map(String::as_str)) {
                Some(name) => error.hint(format!("is it the column '{name}'?")),
                None => error,
            });
        };
        match (&self.kind, column) {
            (FeatureKind::Numeric, Column::Numeric(_)) => Ok(column.clone()),
            (FeatureKind::Numeric, Column::Categorical(c)) => match c.levels.first() {
                Some(level) => {
                    Err(Error::data(format!("numbers in training, but here '{level}'")).at_column(&self.name))
                }
                None => Ok(Column::numeric(vec![f64::NAN; table.rows()])),
            },
            (FeatureKind::Categorical(levels), column) => {
                let (codes, unseen) = encode(column, levels);
                if unseen > 0 {
                    notes.push(format!(
                        "column '{}': {unseen} value(s) never seen in training are treated as missing",
                        self.name
                    ));
                }
                Ok(Column::Categorical(Categorical { codes, levels: levels.clone() }))
            }
        }
    }
}

/// Codes of a column in another list of levels, and how many values are not in it.
pub(crate) fn encode(column: &Column, levels: &[String]) -> (Vec<u32>, usize) {
    let index: HashMap<&str, u32> = levels.iter().zip(0..).map(|(l, i)| (l.as_str(), i)).collect();
    let mut unseen = 0;
    let mut look_up = |name: &str| {
        index.get(name).copied().unwrap_or_else(|| {
            unseen += 1;
            MISSING_LEVEL
        })
    };
    let codes = match column {
        Column::Numeric(_) => (0..column.len())
            .map(|row| if column.is_missing(row) { MISSING_LEVEL } else { look_up(&column.text(row)) })
            .collect(),
        Column::Categorical(c) => {
            (0..column.len()).map(|row| c.level(row).map_or(MISSING_LEVEL, &mut look_up)).collect()
        }
    };
    (codes, unseen)
}
