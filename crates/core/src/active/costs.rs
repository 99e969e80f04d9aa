//! Costs of classes that are known by name, while which of them occur is still being found out.

use crate::data::CostMatrix;
use crate::error::{Error, Result};

/// A cost matrix with the names of its classes.
#[derive(Clone, Debug)]
pub struct ClassCosts {
    /// Names, in the order of the matrix.
    pub names: Vec<String>,
    /// Costs in the user's unit.
    pub matrix: CostMatrix,
}

impl ClassCosts {
    /// The costs of these classes, in this order; `None` if no mistake among them costs anything yet.
    pub fn of(&self, classes: &[String]) -> Result<Option<CostMatrix>> {
        let places = classes.iter().map(|class| self.place(class)).collect::<Result<Vec<_>>>()?;
        let values: Vec<f64> = places
            .iter()
            .flat_map(|&truth| places.iter().map(move |&answer| self.matrix.get(truth, answer)))
            .collect();
        if values.iter().all(|cost| *cost == 0.0) { Ok(None) } else { CostMatrix::new(values, classes).map(Some) }
    }

    /// Position of a class; a class without costs is an error.
    pub fn place(&self, class: &str) -> Result<usize> {
        self.names.iter().position(|name| name == class).ok_or_else(|| {
            Error::costs(format!("the costs do not name the class '{class}'"))
                .hint(format!("they name: {}", self.names.join(", ")))
        })
    }
}
