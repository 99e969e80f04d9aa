//! Models in words: which features they use, what a term says, what decided about a row.

use rebelboost::data::{Column, FeatureKind, Features, MISSING_LEVEL, Schema};
use rebelboost::model::{Model, Node, SignTree, Term, Test, WeakModel};

/// How much a feature is used.
pub struct Use {
    /// Feature number.
    pub feature: usize,
    /// Terms that ask about it.
    pub terms: usize,
    /// Summed size of those terms' outputs, shared among the features of a term.
    pub weight: f64,
}

/// The features that a model uses, the most important first.
pub fn uses(model: &Model) -> Vec<Use> {
    let mut uses: Vec<Use> =
        (0..model.schema.features.len()).map(|feature| Use { feature, terms: 0, weight: 0.0 }).collect();
    for term in &model.chain.terms {
        let WeakModel::Tree(tree) = &term.learner else { continue };
        let asked: Vec<usize> = tree.features().map(|f| f as usize).collect();
        let size = size(&term.output);
        for (i, &feature) in asked.iter().enumerate() {
            uses[feature].weight += size / asked.len() as f64;
            uses[feature].terms += usize::from(!asked[..i].contains(&feature));
        }
    }
    uses.retain(|u| u.terms > 0);
    uses.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.feature.cmp(&b.feature)));
    uses
}

/// How far an output vector moves classes apart; what it adds to all alike changes no answer.
fn size(output: &[f64]) -> f64 {
    let mean = output.iter().sum::<f64>() / output.len() as f64;
    output.iter().map(|a| (a - mean).abs()).sum()
}

/// A term in words: when it answers yes, and what that adds to the scores. No subtracts the same.
pub fn term(term: &Term, schema: &Schema) -> String {
    let WeakModel::Tree(tree) = &term.learner else {
        return format!("more like one training row than another: {}", outputs(&term.output, 1.0, &schema.classes));
    };
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    collect(tree, 0, &mut Vec::new(), schema, &mut yes, &mut no);
    let effect = |sign: f64| outputs(&term.output, sign, &schema.classes);
    match (yes.is_empty(), no.is_empty()) {
        (false, true) => format!("always: {}", effect(1.0)),
        (true, false) => format!("always: {}", effect(-1.0)),
        // The shorter list reads better.
        _ if no.len() < yes.len() => format!("{}: {}; else the opposite", either(&no), effect(-1.0)),
        _ => format!("{}: {}; else the opposite", either(&yes), effect(1.0)),
    }
}

fn either(rules: &[String]) -> String {
    match rules {
        [rule] => rule.clone(),
        _ => rules.iter().map(|rule| format!("({rule})")).collect::<Vec<_>>().join(" or "),
    }
}

fn collect(
    tree: &SignTree,
    at: u32,
    path: &mut Vec<String>,
    schema: &Schema,
    yes: &mut Vec<String>,
    no: &mut Vec<String>,
) {
    match &tree.nodes[at as usize] {
        Node::Leaf { sign } => {
            if *sign > 0 {
                yes.push(path.join(" and "))
            } else {
                no.push(path.join(" and "))
            }
        }
        Node::Split { feature, test, missing_left, left, right } => {
            let feature = &schema.features[*feature as usize];
            for (side, child) in [(true, *left), (false, *right)] {
                let levels: &[String] = match &feature.kind {
                    FeatureKind::Categorical(levels) => levels,
                    FeatureKind::Numeric => &[],
                };
                let missing = if side == *missing_left { " (or missing)" } else { "" };
                path.push(format!("{} {}{missing}", feature.name, question(test, side, levels)));
                collect(tree, child, path, schema, yes, no);
                path.pop();
            }
        }
    }
}

fn question(test: &Test, holds: bool, levels: &[String]) -> String {
    match test {
        Test::AtMost(threshold) => format!("{} {threshold}", if holds { "<=" } else { ">" }),
        Test::OneOf(codes) => {
            let chosen = |code: usize| codes.contains(&(code as u32));
            let names: Vec<String> = (levels.iter().enumerate())
                .filter(|(code, _)| chosen(*code) == holds)
                .map(|(_, name)| name.clone())
                .collect();
            match names.as_slice() {
                [one] => format!("= {one}"),
                _ => format!("in {{{}}}", crate::output::preview(&names, 6)),
            }
        }
    }
}

/// `+0.83 setosa, -0.40 virginica`, the largest first.
fn outputs(output: &[f64], sign: f64, classes: &[String]) -> String {
    let mut order: Vec<usize> = (0..output.len()).collect();
    order.sort_by(|&a, &b| (output[b] * sign).total_cmp(&(output[a] * sign)));
    let name = |k: &usize| format!("{:+.2} {}", output[*k] * sign, classes[*k]);
    match order.len() {
        0..=6 => order.iter().map(name).collect::<Vec<_>>().join(", "),
        n => {
            let first: Vec<String> = order[..3].iter().map(name).collect();
            let last: Vec<String> = order[n - 3..].iter().map(name).collect();
            format!("{}, ..., {}", first.join(", "), last.join(", "))
        }
    }
}

/// What each feature brought to class `winner` over class `other` in one row; terms are shared evenly among the
/// features that they asked about on the row's way. The largest first.
pub fn contributions(
    model: &Model,
    features: &Features,
    row: usize,
    winner: usize,
    other: usize,
) -> Vec<(usize, f64)> {
    let mut sums = vec![0.0; model.schema.features.len()];
    for term in &model.chain.terms {
        let WeakModel::Tree(tree) = &term.learner else { continue };
        let (asked, sign) = way(tree, features, row);
        let gain = f64::from(sign) * (term.output[winner] - term.output[other]);
        asked.iter().for_each(|&feature| sums[feature] += gain / asked.len() as f64);
    }
    let mut sums: Vec<(usize, f64)> = sums.into_iter().enumerate().filter(|(_, sum)| *sum != 0.0).collect();
    sums.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    sums
}

/// The features asked about on a row's way down, and the answer.
fn way(tree: &SignTree, features: &Features, row: usize) -> (Vec<usize>, i8) {
    let (mut asked, mut at) = (Vec::new(), 0u32);
    loop {
        match &tree.nodes[at as usize] {
            Node::Leaf { sign } => return (asked, *sign),
            Node::Split { feature, test, missing_left, left, right } => {
                asked.push(*feature as usize);
                let holds = match (test, &features.columns[*feature as usize]) {
                    (Test::AtMost(threshold), Column::Numeric(c)) => {
                        Some(c.get(row)).filter(|v| !v.is_nan()).map(|v| v <= *threshold)
                    }
                    (Test::OneOf(codes), Column::Categorical(c)) => {
                        Some(c.codes[row]).filter(|code| *code != MISSING_LEVEL).map(|code| codes.contains(&code))
                    }
                    _ => None,
                };
                at = if holds.unwrap_or(*missing_left) { *left } else { *right };
            }
        }
    }
}
