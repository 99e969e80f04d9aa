//! Built-in data sets, so that every promise can be tried without a file: `builtin:NAME?parameter=value&...`.
//!
//! The generators are the synthetic problems of the documents (thesis 4.6 and 5.5, GAMBLE thesis chapter 5) and two
//! classics that single stumps cannot solve. A generator is one file with one [`Generator`] and one line in
//! [`GENERATORS`]; help, checks and tests follow from the registry. The same text gives the same bytes on every
//! machine: random bits come from named streams, and all functions of them are our own (`random`, `sine`, [`crate::math`]).

mod arguments;
mod assemble;
mod checkerboard;
mod costs;
mod embedded;
mod gaussians;
mod parity;
mod quantile;
pub(crate) mod random;
mod sine;
mod spheres;
mod spirals;

use super::Table;
use crate::error::{Error, Result, nearest};
pub use arguments::{Arguments, Parameter, Range};
pub use costs::random_cost_matrix;
pub use embedded::penguins;

/// A built-in data set.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// Name after `builtin:`.
    pub name: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// What can be chosen.
    pub parameters: &'static [Parameter],
    /// Makes the table from checked arguments.
    pub make: fn(&Arguments) -> Result<Table>,
}

/// Every built-in data set, in the order of lists.
pub const GENERATORS: &[Generator] = &[
    embedded::PENGUINS,
    spirals::SPIRALS,
    spheres::SPHERES,
    gaussians::GAUSSIANS,
    parity::PARITY,
    checkerboard::CHECKERBOARD,
];

/// The prefix that tells a built-in data set from a file name.
pub const PREFIX: &str = "builtin:";

/// Makes the data set that a text such as `builtin:spirals?rows=500&noise=0.1` asks for (the prefix may be left out).
/// Parameters that are not named keep their defaults.
pub fn generate(spec: &str) -> Result<Table> {
    let spec = spec.strip_prefix(PREFIX).unwrap_or(spec);
    let (name, settings) = spec.split_once('?').unwrap_or((spec, ""));
    let generator = find(name)?;
    (generator.make)(&Arguments::parse(generator, settings)?)
}

/// The built-in data set of this name.
pub fn find(name: &str) -> Result<&'static Generator> {
    GENERATORS.iter().find(|g| g.name == name).ok_or_else(|| {
        let error = Error::option(format!("there is no built-in data set '{name}'"));
        let names = || GENERATORS.iter().map(|g| g.name);
        match nearest(name, names()) {
            Some(near) => error.hint(format!("did you mean '{near}'?")),
            None => error.hint(format!("they are: {}", names().collect::<Vec<_>>().join(", "))),
        }
    })
}

#[cfg(test)]
mod tests;
