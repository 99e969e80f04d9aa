//! The price of each mistake: a K x K matrix, given directly or as the distances in a taxonomy.

use crate::error::{Error, Result, nearest};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// `get(truth, answer)` is the cost of answering `answer` when the truth is `truth`: zero on the diagonal, never
/// negative, in the user's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostMatrix {
    classes: usize,
    values: Vec<f64>,
}

impl CostMatrix {
    /// Every mistake costs one: the error rate.
    pub fn uniform(classes: usize) -> Self {
        let values = (0..classes * classes).map(|i| f64::from(u8::from(i / classes != i % classes))).collect();
        CostMatrix { classes, values }
    }

    /// From rows (truth) by columns (answer) in the order of `class_names`; the first bad cell is named.
    pub fn new(values: Vec<f64>, class_names: &[String]) -> Result<Self> {
        let classes = class_names.len();
        if values.len() != classes * classes {
            return Err(Error::costs(format!(
                "{} costs for {classes} classes; {classes} x {classes} are needed",
                values.len()
            )));
        }
        for (i, &cost) in values.iter().enumerate() {
            let (truth, answer) = (i / classes, i % classes);
            let problem = match cost {
                c if !c.is_finite() => "must be a number",
                c if truth == answer && c != 0.0 => "must be zero: a right answer costs nothing",
                c if c < 0.0 => "must not be negative",
                _ => continue,
            };
            return Err(Error::costs(format!(
                "the cost of answering '{}' when the truth is '{}' is {cost} and {problem}",
                class_names[answer], class_names[truth]
            )));
        }
        if values.iter().all(|&c| c == 0.0) {
            return Err(Error::costs("every cost is zero, so every answer would be right"));
        }
        // Minus zero would be another byte pattern for the same matrix.
        Ok(CostMatrix { classes, values: values.into_iter().map(|c| c + 0.0).collect() })
    }

    /// From a table whose rows and columns are named, in any order. Every class must be named exactly once on
    /// each side.
    pub fn from_named(truths: &[String], answers: &[String], values: &[f64], class_names: &[String]) -> Result<Self> {
        let row_of = positions(truths, class_names, "row")?;
        let column_of = positions(answers, class_names, "column")?;
        let mut ordered = Vec::with_capacity(class_names.len() * class_names.len());
        for &row in &row_of {
            for &column in &column_of {
                ordered.push(values[row * answers.len() + column]);
            }
        }
        Self::new(ordered, class_names)
    }

    /// From `child, parent` pairs: the cost is the number of steps between two classes in the tree, scaled to a
    /// mean off-diagonal cost of one, so that a random answer costs what it costs under 0-1 costs.
    pub fn from_taxonomy(pairs: &[(String, String)], class_names: &[String]) -> Result<Self> {
        let mut parent_of: HashMap<&str, &str> = HashMap::new();
        for (child, parent) in pairs {
            if let Some(other) = parent_of.insert(child, parent) {
                return Err(Error::costs(format!("'{child}' has two parents, '{other}' and '{parent}'")));
            }
        }
        let known: HashSet<&str> = pairs.iter().flat_map(|(c, p)| [c.as_str(), p.as_str()]).collect();
        let mut paths = Vec::new();
        for class in class_names {
            if !known.contains(class.as_str()) {
                let error = Error::costs(format!("the taxonomy does not name the class '{class}'"));
                return Err(match nearest(class, sorted(&known)) {
                    Some(near) => error.hint(format!("is it '{near}' there?")),
                    None => error,
                });
            }
            let mut path = vec![class.as_str()];
            while let Some(parent) = parent_of.get(path[path.len() - 1]) {
                if path.contains(parent) {
                    return Err(Error::costs(format!("the taxonomy runs in a circle at '{parent}'")));
                }
                path.push(parent);
            }
            path.reverse();
            paths.push(path);
        }
        let classes = class_names.len();
        let mut values = vec![0.0; classes * classes];
        for (i, a) in paths.iter().enumerate() {
            for (j, b) in paths.iter().enumerate() {
                let shared = a.iter().zip(b).take_while(|(x, y)| x == y).count();
                if i != j && shared == 0 {
                    return Err(Error::costs(format!(
                        "'{}' and '{}' have no common ancestor",
                        class_names[i], class_names[j]
                    ))
                    .hint("give all top-level groups one parent"));
                }
                values[i * classes + j] = (a.len() + b.len() - 2 * shared) as f64;
            }
        }
        let costs = Self::new(values, class_names)?;
        let mean = costs.mean();
        Ok(CostMatrix { values: costs.values.iter().map(|c| c / mean).collect(), ..costs })
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Cost of answering `answer` when the truth is `truth`.
    #[inline]
    pub fn get(&self, truth: usize, answer: usize) -> f64 {
        self.values[truth * self.classes + answer]
    }

    /// Costs of all answers when the truth is `truth`.
    pub fn row(&self, truth: usize) -> &[f64] {
        &self.values[truth * self.classes..][..self.classes]
    }

    /// Mean off-diagonal cost.
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / (self.classes * (self.classes - 1)) as f64
    }

    /// Divided by the mean off-diagonal cost, so that training does not depend on the user's unit.
    pub fn normalised(&self) -> Self {
        let mean = self.mean();
        CostMatrix { classes: self.classes, values: self.values.iter().map(|c| c / mean).collect() }
    }

    /// Whether every mistake costs the same.
    pub fn is_uniform(&self) -> bool {
        let mistakes = || (0..self.values.len()).filter(|i| i / self.classes != i % self.classes);
        mistakes().all(|i| self.values[i] == self.values[1])
    }

    /// The dearest mistake.
    pub fn max(&self) -> f64 {
        self.values.iter().copied().fold(0.0, f64::max)
    }
}

fn sorted<'a>(names: &HashSet<&'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.iter().copied().collect();
    names.sort_unstable();
    names
}

fn positions(names: &[String], class_names: &[String], side: &str) -> Result<Vec<usize>> {
    for (i, name) in names.iter().enumerate() {
        if !class_names.contains(name) {
            let error = Error::costs(format!("{side} {} is called '{name}', which is not a class", i + 1));
            return Err(match nearest(name, class_names.iter().map(String::as_str)) {
                Some(near) => error.hint(format!("did you mean '{near}'?")),
                None => error.hint(format!("the classes are: {}", class_names.join(", "))),
            });
        }
        if names[..i].contains(name) {
            return Err(Error::costs(format!("class '{name}' stands in two {side}s")));
        }
    }
    class_names
        .iter()
        .map(|class| {
            names
                .iter()
                .position(|name| name == class)
                .ok_or_else(|| Error::costs(format!("there is no {side} for the class '{class}'")))
        })
        .collect()
}
