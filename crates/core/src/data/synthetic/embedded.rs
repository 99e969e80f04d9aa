//! A real data set inside the program, so that the demo works on a machine with no files and no network.
//!
//! Palmer penguins (Horst, Hill, Gorman 2020; CC0, see `data/README.md`): three classes, numbers and categories,
//! missing values, a few hundred rows. That is a small sample of everything a user's table may hold.

use super::Generator;
use crate::data::{Column, Table};
use crate::error::{Error, Result};

/// `builtin:penguins`.
pub(super) const PENGUINS: Generator = Generator {
    name: "penguins",
    summary: "344 penguins of three species, with size, sex, island and year (Palmer penguins, CC0)",
    parameters: &[],
    make: |_| penguins(),
};

const CSV: &str = include_str!("../../../data/penguins.csv");
const TARGET: &str = "species";

/// The Palmer penguins. The target `species` is moved last, where it is guessed; all columns are kept.
pub fn penguins() -> Result<Table> {
    let mut lines = CSV.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let mut cells: Vec<Vec<Option<&str>>> = vec![Vec::new(); names.len()];
    for (line, text) in lines.enumerate() {
        let mut values = text.split(',');
        for column in &mut cells {
            let value = values.next().ok_or_else(|| broken(line + 2))?;
            column.push(Some(value).filter(|v| *v != "NA"));
        }
        if values.next().is_some() {
            return Err(broken(line + 2));
        }
    }
    let (mut targets, mut columns): (Vec<_>, Vec<_>) = (names.iter().map(|name| name.to_string()))
        .zip(cells.iter().map(|values| typed(values)))
        .partition(|(name, _)| name == TARGET);
    columns.append(&mut targets);
    let (names, columns) = columns.into_iter().unzip();
    Table::new(names, columns)
}

/// Numbers if every value there is one, else categories.
fn typed(cells: &[Option<&str>]) -> Column {
    let number = |cell: &Option<&str>| cell.map_or(Some(f64::NAN), |text| text.parse().ok());
    match cells.iter().map(number).collect::<Option<Vec<f64>>>() {
        Some(numbers) => Column::numeric(numbers),
        None => Column::categorical(cells.iter().copied()),
    }
}

fn broken(line: usize) -> Error {
    Error::internal(format!("the embedded penguins are damaged in line {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_published() {
        let table = penguins().unwrap();
        assert_eq!(table.rows(), 344);
        let names = "island bill_length_mm bill_depth_mm flipper_length_mm body_mass_g sex year species";
        assert_eq!(table.names().join(" "), names);
        let missing = |c: &Column| (0..c.len()).filter(|&r| c.is_missing(r)).count();
        assert_eq!(table.columns().iter().map(missing).collect::<Vec<_>>(), [0, 2, 2, 2, 2, 11, 0, 0]);
        let kinds: String =
            table.columns().iter().map(|c| if matches!(c, Column::Numeric(_)) { 'n' } else { 'c' }).collect();
        assert_eq!(kinds, "cnnnncnc");
        let species = table.column(TARGET).unwrap();
        let count = |name: &str| (0..344).filter(|&r| species.text(r) == name).count();
        assert_eq!([count("Adelie"), count("Chinstrap"), count("Gentoo")], [152, 68, 124]);
        assert_eq!(table.column("bill_length_mm").unwrap().text(0), "39.1");
    }
}
