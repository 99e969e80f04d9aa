//! A table with roles: features, labels, weights. Immutable once made.

use super::schema::encode;
use super::{Categorical, Column, Feature, FeatureKind, Features, Numeric, Schema, Table};
use crate::error::{Error, Result, nearest};
use std::borrow::Borrow;

/// Which column plays which part. Empty means: guess the target, no weights, all other columns are features.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    /// Target column; guessed if `None`.
    pub target: Option<String>,
    /// Column of row weights.
    pub weights: Option<String>,
    /// Column that tells query groups apart, for ranking.
    pub group: Option<String>,
    /// Columns left out.
    pub ignore: Vec<String>,
    /// Columns that are categories although they look like numbers.
    pub categorical: Vec<String>,
}

/// Rows to learn from.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Names and types.
    pub schema: Schema,
    /// Feature columns, coded as the schema says.
    pub features: Features,
    /// One class a row, a position in `schema.classes`.
    pub labels: Vec<u32>,
    /// Positive row weights as the user gave them; all one if none were given.
    pub weights: Vec<f64>,
    /// Query group of each row, from 0; empty if there are none.
    pub groups: Vec<u32>,
    /// Row of the table each row came from (rows without label or weight are left out).
    pub origin: Vec<usize>,
}

impl Dataset {
    /// Gives the columns their parts. What was guessed or left out is said in `notes`, in plain words.
    pub fn from_table(table: &Table, roles: &Roles, notes: &mut Vec<String>) -> Result<Self> {
        if table.rows() == 0 {
            return Err(Error::data("there are no data rows"));
        }
        for name in roles
            .ignore
            .iter()
            .chain(&roles.categorical)
            .chain(&roles.weights)
            .chain(&roles.group)
            .chain(&roles.target)
        {
            find(table, name)?;
        }
        let target = match &roles.target {
            Some(name) => name.clone(),
            None => guess_target(table, roles, notes)?,
        };
        let taken = [&roles.weights, &roles.group].into_iter().any(|role| role.as_ref() == Some(&target));
        if roles.ignore.contains(&target) || taken {
            return Err(Error::data("the target column cannot also be ignored or hold the weights").at_column(target));
        }
        let labels_column = find(table, &target)?;
        let weights = match &roles.weights {
            Some(name) => read_weights(find(table, name)?).map_err(|e| e.at_column(name))?,
            None => vec![1.0; table.rows()],
        };

        // Rows of weight zero are absent in every respect; rows without a label cannot teach.
        let weighted: Vec<usize> = (0..table.rows()).filter(|&r| weights[r] > 0.0).collect();
        let rows: Vec<usize> = weighted.iter().copied().filter(|&r| !labels_column.is_missing(r)).collect();
        if weighted.len() < table.rows() {
            notes.push(format!("left out {} row(s) of weight zero", table.rows() - weighted.len()));
        }
        if rows.len() < weighted.len() {
            notes.push(format!("left out {} row(s) without a class", weighted.len() - rows.len()));
        }
        let labels_column = labels_column.select(&rows);
        let classes = level_names(&labels_column);
        match classes.as_slice() {
            [] => return Err(Error::data("no row has a class").at_column(target)),
            [only] => {
                return Err(Error::data(format!("only one class, '{only}', so there is nothing to tell apart"))
                    .at_column(target)
                    .hint("name another column with --target"));
            }
            _ => {}
        }
        let labels = encode(&labels_column, &classes).0;

        let groups = match &roles.group {
            Some(name) => read_groups(find(table, name)?, &rows).map_err(|e| e.at_column(name))?,
            None => Vec::new(),
        };
        let (features, columns) = typed_features(table, &rows, &target, roles, notes)?;
        Ok(Dataset {
            schema: Schema { features, target, classes, steps: None },
            features: Features { columns, rows: rows.len() },
            weights: rows.iter().map(|&r| weights[r]).collect(),
            labels,
            groups,
            origin: rows,
        })
    }

    /// Rows without classes, for what needs none: all have the same nameless one, and every column but that of the
    /// weights is a feature.
    pub fn unlabelled(table: &Table, roles: &Roles, notes: &mut Vec<String>) -> Result<Self> {
        if table.rows() == 0 {
            return Err(Error::data("there are no data rows"));
        }
        for name in roles.ignore.iter().chain(&roles.categorical).chain(&roles.weights) {
            find(table, name)?;
        }
        let weights = match &roles.weights {
            Some(name) => read_weights(find(table, name)?).map_err(|e| e.at_column(name))?,
            None => vec![1.0; table.rows()],
        };
        let rows: Vec<usize> = (0..table.rows()).filter(|&r| weights[r] > 0.0).collect();
        let (features, columns) = typed_features(table, &rows, "", roles, notes)?;
        Ok(Dataset {
            schema: Schema { features, target: String::new(), classes: vec![String::new()], steps: None },
            features: Features { columns, rows: rows.len() },
            labels: vec![0; rows.len()],
            weights: rows.iter().map(|&r| weights[r]).collect(),
            groups: Vec::new(),
            origin: rows,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// Number of classes.
    pub fn class_count(&self) -> usize {
        self.schema.class_count()
    }

    /// These rows in this order, under the same schema.
    pub fn select(&self, rows: &[usize]) -> Dataset {
        Dataset {
            schema: self.schema.clone(),
            features: Features {
                columns: self.features.columns.iter().map(|c| c.select(rows)).collect(),
                rows: rows.len(),
            },
            labels: rows.iter().map(|&r| self.labels[r]).collect(),
            weights: rows.iter().map(|&r| self.weights[r]).collect(),
            groups: rows.iter().filter_map(|&r| self.groups.get(r).copied()).collect(),
            origin: rows.iter().map(|&r| self.origin[r]).collect(),
        }
    }

    /// All rows with these features in this order, as if they were columns of a table.
    pub fn with_features(&self, features: &[usize]) -> Dataset {
        let schema = Schema {
            features: features.iter().map(|&f| self.schema.features[f].clone()).collect(),
            steps: None,
            ..self.schema.clone()
        };
        let columns = features.iter().map(|&f| self.features.columns[f].clone()).collect();
        self.with_columns(schema, columns)
    }

    /// The same rows with other features.
    pub(crate) fn with_columns(&self, schema: Schema, columns: Vec<Column>) -> Dataset {
        Dataset {
            schema,
            features: Features { columns, rows: self.rows() },
            labels: self.labels.clone(),
            weights: self.weights.clone(),
            groups: self.groups.clone(),
            origin: self.origin.clone(),
        }
    }
}

/// The features of these rows: every column without another part that varies, typed.
pub(crate) fn typed_features(
    table: &Table,
    rows: &[usize],
    target: &str,
    roles: &Roles,
    notes: &mut Vec<String>,
) -> Result<(Vec<Feature>, Vec<Column>)> {
    let mut features = Vec::new();
    let mut columns = Vec::new();
    let (mut empty, mut constant, mut unique) = (Vec::new(), Vec::new(), Vec::new());
    for (name, column) in table.names().iter().zip(table.columns()) {
        let has_role = [&roles.weights, &roles.group].into_iter().any(|role| role.as_ref() == Some(name));
        if name == target || has_role || roles.ignore.contains(name) {
            continue;
        }
        let column = if rows.len() == table.rows() { column.clone() } else { column.select(rows) };
        check_finite(&column).map_err(|e| e.at_column(name))?;
        match variety(&column) {
            Variety::Empty => empty.push(name.as_str()),
            Variety::Constant => constant.push(name.as_str()),
            Variety::Varied => {
                let (kind, column) = typed(column, roles.categorical.contains(name));
                if !roles.categorical.contains(name) {
                    let stray = stray_words(name, &kind);
                    if stray.is_none() && names_rows(&column) {
                        unique.push(name.as_str());
                        continue;
                    }
                    notes.extend(stray);
                }
                features.push(Feature { name: name.clone(), kind });
                columns.push(column);
            }
        }
    }
    if !empty.is_empty() {
        notes.push(format!("left out columns without a single value: {}", preview(&empty)));
    }
    if !constant.is_empty() {
        notes.push(format!("left out columns that never vary: {}", preview(&constant)));
    }
    if !unique.is_empty() {
        notes.push(format!(
            "left out columns of words in which nearly every row has its own, so that they say nothing about other rows: {} \
             (--categorical NAME keeps one)",
            preview(&unique)
        ));
    }
    if features.is_empty() {
        return Err(
            Error::data("no feature is left to learn from").hint("at least one column besides the target must vary")
        );
    }
    Ok((features, columns))
}

pub(crate) fn find<'a>(table: &'a Table, name: &str) -> Result<&'a Column> {
    table.column(name).ok_or_else(|| {
        let error = Error::data(format!("there is no column '{name}'"));
        match nearest(name, table.names().iter().map(String::as_str)) {
            Some(near) => error.hint(format!("did you mean '{near}'?")),
            None => error.hint(format!("the columns are: {}", preview(table.names()))),
        }
    })
}

/// The names, or the first few of many.
pub(super) fn preview<S: Borrow<str>>(names: &[S]) -> String {
    match names.len() {
        0..=12 => names.join(", "),
        n => format!("{}, ... ({n} in all)", names[..12].join(", ")),
    }
}

/// The column that is called as targets are.
pub(crate) fn named_target<'a>(table: &'a Table, roles: &Roles) -> Option<&'a String> {
    let free = |name: &&String| !roles.ignore.contains(name) && roles.weights.as_ref() != Some(name);
    ["class", "label", "target", "y"]
        .iter()
        .find_map(|wanted| table.names().iter().filter(free).find(|name| name.eq_ignore_ascii_case(wanted)))
}

fn guess_target(table: &Table, roles: &Roles, notes: &mut Vec<String>) -> Result<String> {
    let free = |name: &&String| !roles.ignore.contains(name) && roles.weights.as_ref() != Some(name);
    let (name, why) = match named_target(table, roles) {
        Some(name) => (name, "by its name"),
        None => {
            let last = table.names().iter().rfind(free);
            (last.ok_or_else(|| Error::data("no column is left to be the target"))?, "the last column")
        }
    };
    notes.push(format!("target column: '{name}' ({why}; --target chooses another)"));
    Ok(name.clone())
}

pub(crate) fn read_weights(column: &Column) -> Result<Vec<f64>> {
    let Column::Numeric(numbers) = column else {
        return Err(Error::data("weights must be numbers"));
    };
    let weights = numbers.to_vec();
    if let Some(row) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        let found = weights[row];
        let what = if found.is_nan() { "is missing".into() } else { format!("is {found}") };
        return Err(Error::data(format!("the weight of data row {} {what}", row + 1))
            .hint("weights must be zero or positive numbers"));
    }
    if weights.iter().all(|w| *w == 0.0) {
        return Err(Error::data("all weights are zero"));
    }
    if !weights.iter().sum::<f64>().is_finite() {
        return Err(Error::data("the weights add up to more than a number can hold"));
    }
    Ok(weights)
}

fn check_finite(column: &Column) -> Result<()> {
    if let Column::Numeric(Numeric::F32(_) | Numeric::F64(_)) = column
        && let Column::Numeric(numbers) = column
        && let Some(row) = (0..numbers.len()).find(|&r| numbers.get(r).is_infinite())
    {
        return Err(Error::data(format!("data row {} is infinite", row + 1))
            .hint("leave the cell empty if the value is unknown"));
    }
    Ok(())
}

enum Variety {
    Empty,
    Constant,
    Varied,
}

fn variety(column: &Column) -> Variety {
    let mut first: Option<u64> = None;
    let mut missing = false;
    for row in 0..column.len() {
        let key = match column {
            _ if column.is_missing(row) => {
                missing = true;
                continue;
            }
            // Plus and minus zero are one value.
            Column::Numeric(c) => (c.get(row) + 0.0).to_bits(),
            Column::Categorical(c) => u64::from(c.codes[row]),
        };
        if *first.get_or_insert(key) != key {
            return Variety::Varied;
        }
    }
    match (first, missing) {
        (None, _) => Variety::Empty,
        (Some(_), false) => Variety::Constant,
        // Whether a value is there at all can tell classes apart.
        (Some(_), true) => Variety::Varied,
    }
}

/// Rows from which on a column of words that hardly ever come again is taken for names of the rows,
const MANY_NAMES: usize = 30;
/// and the share of different ones among them.
const OF_THEIR_OWN: f64 = 0.9;

/// Whether a column of words tells rows apart and nothing else. Its levels are those that occur.
fn names_rows(column: &Column) -> bool {
    let Column::Categorical(categories) = column else { return false };
    let stated = categories.codes.iter().filter(|code| **code != super::MISSING_LEVEL).count();
    stated >= MANY_NAMES && categories.levels.len() as f64 > OF_THEIR_OWN * stated as f64
}

fn typed(column: Column, as_categories: bool) -> (FeatureKind, Column) {
    if matches!(column, Column::Numeric(_)) && !as_categories {
        return (FeatureKind::Numeric, column);
    }
    let levels = level_names(&column);
    let codes = encode(&column, &levels).0;
    (FeatureKind::Categorical(levels.clone()), Column::Categorical(Categorical { codes, levels }))
}

/// A warning if a categorical feature is all numbers but for a few words: more likely a slip than a category.
fn stray_words(name: &str, kind: &FeatureKind) -> Option<String> {
    let FeatureKind::Categorical(levels) = kind else { return None };
    let words: Vec<&str> = levels.iter().map(String::as_str).filter(|l| l.parse::<f64>().is_err()).collect();
    (levels.len() >= 10 && !words.is_empty() && words.len() * 10 <= levels.len()).then(|| {
        let count = levels.len() - words.len();
        format!(
            "column '{name}' is taken as categories because of '{}', beside {count} different numbers; \
             --numeric {name} finds the line",
            words[0]
        )
    })
}

/// Numbers of the query groups of all rows of a column, in the order in which they first occur.
pub fn query_groups(column: &Column) -> Result<Vec<u32>> {
    read_groups(column, &(0..column.len()).collect::<Vec<_>>())
}

/// Numbers of the query groups of these rows, in the order in which they first occur.
fn read_groups(column: &Column, rows: &[usize]) -> Result<Vec<u32>> {
    let mut numbers = std::collections::BTreeMap::new();
    let mut group = |row: usize| {
        if column.is_missing(row) {
            return Err(Error::data(format!("data row {} belongs to no query group", row + 1))
                .hint("fill the cell, or leave the row out"));
        }
        let next = numbers.len() as u32;
        Ok(*numbers.entry(column.text(row)).or_insert(next))
    };
    rows.iter().map(|&row| group(row)).collect()
}

/// Distinct values that occur, sorted (as numbers if they all are), so that the order of rows does not matter.
pub(crate) fn level_names(column: &Column) -> Vec<String> {
    match column {
        Column::Numeric(numbers) => {
            let mut values: Vec<f64> = numbers.to_vec().into_iter().filter(|v| !v.is_nan()).collect();
            values.sort_unstable_by(f64::total_cmp);
            values.dedup();
            values.iter().map(f64::to_string).collect()
        }
        Column::Categorical(c) => {
            let mut used = vec![false; c.levels.len()];
            for &code in c.codes.iter().filter(|&&code| code != super::MISSING_LEVEL) {
                used[code as usize] = true;
            }
            let mut names: Vec<String> =
                c.levels.iter().zip(used).filter(|(_, used)| *used).map(|(name, _)| name.clone()).collect();
            sort_names(&mut names);
            names
        }
    }
}

/// Sorts names, as numbers if they all are.
pub(crate) fn sort_names(names: &mut [String]) {
    let number = |name: &String| name.parse::<f64>().ok().filter(|v| v.is_finite());
    if names.iter().all(|name| number(name).is_some()) {
        names.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(a.cmp(b)).then_with(|| a.cmp(b)));
    } else {
        names.sort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, Column)]) -> Table {
        let (names, columns) = columns.iter().map(|(n, c)| (n.to_string(), c.clone())).unzip();
        Table::new(names, columns).unwrap()
    }

    fn words(values: &[&str]) -> Column {
        Column::categorical(values.iter().map(|v| (!v.is_empty()).then_some(*v)))
    }

    fn make(columns: &[(&str, Column)], roles: &Roles) -> (Result<Dataset>, Vec<String>) {
        let mut notes = Vec::new();
        (Dataset::from_table(&table(columns), roles, &mut notes), notes)
    }

    fn refused(columns: &[(&str, Column)], roles: &Roles) -> String {
        make(columns, roles).0.unwrap_err().to_string()
    }

    #[test]
    fn the_target_is_guessed_by_name_then_by_place() {
        let x = Column::numeric(vec![1.0, 2.0, 3.0]);
        let y = words(&["a", "b", "a"]);
        let (data, notes) = make(&[("Class", y.clone()), ("x", x.clone())], &Roles::default());
        assert_eq!(data.unwrap().schema.target, "Class");
        assert!(notes[0].contains("by its name"), "{notes:?}");
        let (data, notes) = make(&[("x", x), ("kind", y)], &Roles::default());
        assert_eq!(data.unwrap().schema.target, "kind");
        assert!(notes[0].contains("the last column"), "{notes:?}");
    }

    #[test]
    fn rows_without_class_or_weight_are_left_out() {
        let columns = [
            ("x", Column::numeric(vec![1.0, 2.0, 3.0, 4.0])),
            ("w", Column::numeric(vec![1.0, 0.0, 2.0, 1.0])),
            ("class", words(&["a", "b", "", "b"])),
        ];
        let roles = Roles { weights: Some("w".into()), ..Roles::default() };
        let (data, notes) = make(&columns, &roles);
        let data = data.unwrap();
        assert_eq!((data.origin.as_slice(), data.weights.as_slice()), ([0, 3].as_slice(), [1.0, 1.0].as_slice()));
        assert!(
            notes.iter().any(|n| n.contains("weight zero")) && notes.iter().any(|n| n.contains("without a class"))
        );
    }

    #[test]
    fn useless_columns_are_named() {
        let columns = [
            ("same", Column::numeric(vec![7.0; 3])),
            ("empty", Column::numeric(vec![f64::NAN; 3])),
            ("x", Column::numeric(vec![1.0, 2.0, f64::NAN])),
            ("class", words(&["a", "b", "a"])),
        ];
        let (data, notes) = make(&columns, &Roles::default());
        assert_eq!(data.unwrap().schema.features.len(), 1);
        let notes = notes.join("\n");
        assert!(notes.contains("never vary: same") && notes.contains("single value: empty"), "{notes}");
        assert!(refused(&[columns[0].clone(), columns[3].clone()], &Roles::default()).contains("no feature is left"));
    }

    #[test]
    fn names_of_rows_are_no_feature() {
        let names: Vec<String> = (0..40).map(|i| format!("customer {i}")).collect();
        let towns: Vec<String> = (0..40).map(|i| format!("town {}", i / 2)).collect();
        let column = |values: &[String]| Column::categorical(values.iter().map(Some));
        let classes: Vec<&str> = (0..40).map(|i| if i % 2 == 0 { "a" } else { "b" }).collect();
        let columns = [("who", column(&names)), ("where", column(&towns)), ("class", words(&classes))];
        let kept = |roles: &Roles| {
            let (data, notes) = make(&columns, roles);
            (data.unwrap().schema.features.into_iter().map(|f| f.name).collect::<Vec<_>>(), notes.join("\n"))
        };
        let (features, notes) = kept(&Roles::default());
        assert_eq!(features, ["where"]);
        assert!(notes.contains("its own") && notes.contains(": who (--categorical"), "{notes}");
        let (features, notes) = kept(&Roles { categorical: vec!["who".into()], ..Roles::default() });
        assert_eq!(features, ["who", "where"]);
        assert!(!notes.contains("its own"), "{notes}");
    }

    #[test]
    fn mistakes_are_named() {
        let x = ("x", Column::numeric(vec![1.0, 2.0, 3.0]));
        let y = ("class", words(&["a", "b", "a"]));
        let target = |name: &str| Roles { target: Some(name.into()), ..Roles::default() };
        assert!(refused(&[x.clone(), y.clone()], &target("clas")).contains("did you mean 'class'?"));
        assert!(
            refused(&[x.clone(), ("class", words(&["a"; 3]))], &Roles::default()).contains("only one class, 'a'")
        );
        let weigh = Roles { weights: Some("w".into()), ..Roles::default() };
        for (bad, word) in [(-1.0, "is -1"), (f64::NAN, "is missing")] {
            let w = ("w", Column::numeric(vec![1.0, bad, 1.0]));
            let error = refused(&[x.clone(), w, y.clone()], &weigh);
            assert!(error.contains("data row 2") && error.contains(word), "{error}");
        }
        let infinite = ("x", Column::numeric(vec![1.0, f64::INFINITY, 0.5]));
        assert!(refused(&[infinite, y], &Roles::default()).contains("column 'x': data row 2 is infinite"));
    }

    #[test]
    fn a_word_among_numbers_is_noticed() {
        let mut values: Vec<String> = (0..40).map(|i| i.to_string()).collect();
        values[7] = "1O".into();
        let column = Column::categorical(values.iter().map(Some));
        let classes: Vec<&str> = (0..40).map(|i| if i % 2 == 0 { "a" } else { "b" }).collect();
        let (_, notes) = make(&[("x", column), ("class", words(&classes))], &Roles::default());
        assert!(notes.iter().any(|n| n.contains("'1O'") && n.contains("--numeric x")), "{notes:?}");
    }
}
