//! A table as a reader delivers it: named columns of equal length, no roles yet.

use super::Column;
use crate::error::{Error, Result};
use std::collections::HashSet;

/// Named columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    names: Vec<String>,
    columns: Vec<Column>,
    rows: usize,
}

impl Table {
    /// Checks that there is a column, names are unique and lengths agree.
    pub fn new(names: Vec<String>, columns: Vec<Column>) -> Result<Self> {
        if names.len() != columns.len() {
            return Err(Error::data(format!("{} column names for {} columns", names.len(), columns.len())));
        }
        let rows = columns.first().map_or(0, Column::len);
        let mut seen = HashSet::new();
        for (name, column) in names.iter().zip(&columns) {
            if !seen.insert(name) {
                return Err(Error::data("this column name stands twice")
                    .at_column(name)
                    .hint("rename one of the two"));
            }
            if column.len() != rows {
                return Err(
                    Error::data(format!("{} values where the first column has {rows}", column.len())).at_column(name)
                );
            }
        }
        Ok(Table { names, columns, rows })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Column names in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Columns in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Position of a named column.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// A column by name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.position(name).map(|i| &self.columns[i])
    }

    /// Names and columns.
    pub fn into_parts(self) -> (Vec<String>, Vec<Column>) {
        (self.names, self.columns)
    }

    /// These rows in this order.
    pub fn select(&self, rows: &[usize]) -> Table {
        Table {
            names: self.names.clone(),
            columns: self.columns.iter().map(|c| c.select(rows)).collect(),
            rows: rows.len(),
        }
    }
}
