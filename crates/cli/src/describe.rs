//! Models in words: which features they use, what a term says, what decided about a row.

use rebelboost::data::{Column, Feature, FeatureKind, Features, Schema};
pub use rebelboost::explain::{Use, uses};
use rebelboost::explain::{centre, scale, side};
use rebelboost::extract::Map;
use rebelboost::extract::linear::Kind;
use rebelboost::model::similarity::Form;
use rebelboost::model::{
    Committee, Model, Node, Region, SignTree, Similarity, Term, Test, Tree, TurnedTree, Voter, WeakModel,
};
use rebelboost::steps::{Extracted, Selected};
use std::collections::BTreeMap;

/// How much a training row is used.
pub struct SupportUse {
    /// Row of the training table, from 0.
    pub row: u64,
    /// Its class.
    pub class: u32,
    /// Terms that compare with it.
    pub terms: usize,
    /// Summed size of those terms' outputs.
    pub weight: f64,
}

/// The training rows that a model compares with, the most used first.
pub fn support_uses(model: &Model) -> Vec<SupportUse> {
    // By row: a row may be a support in several metrics.
    let mut uses: BTreeMap<u64, SupportUse> = BTreeMap::new();
    for supports in &model.chain.supports {
        for (row, class) in supports.rows.iter().zip(&supports.classes) {
            uses.entry(*row).or_insert(SupportUse { row: *row, class: *class, terms: 0, weight: 0.0 });
        }
    }
    for term in &model.chain.terms {
        let WeakModel::Similarity(similarity) = &term.learner else { continue };
        let supports = &model.chain.supports[similarity.metric as usize];
        for support in similarity.supports() {
            if let Some(used) = uses.get_mut(&supports.rows[support as usize]) {
                used.terms += 1;
                used.weight += term.output.iter().map(|a| a.abs()).sum::<f64>();
            }
        }
    }
    let mut uses: Vec<SupportUse> = uses.into_values().collect();
    uses.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.row.cmp(&b.row)));
    uses
}

/// A term in words: when it answers yes, and what that adds to the scores. No subtracts the same.
pub fn term(term: &Term, model: &Model) -> String {
    match &term.learner {
        WeakModel::Tree(tree) => {
            rules(tree, &model.schema, |sign| outputs(&term.output, sign, &model.schema.classes))
        }
        WeakModel::Similarity(similarity) => comparison(similarity, &term.output, model),
        WeakModel::Regions(tree) => regions(paths(tree, &model.schema), &term.output, &model.schema),
        WeakModel::Turned(turned) => regions(turned_paths(turned, &model.schema), &term.output, &model.schema),
        WeakModel::Direction(direction) => {
            let effect = outputs(&term.output, 1.0, &model.schema.classes);
            format!("{}: {effect}; else the opposite", side(direction, &model.schema, true))
        }
        WeakModel::Ramp(ramp) => {
            let effect = outputs(&term.output, 1.0, &model.schema.classes);
            let from = side(&ramp.direction, &model.schema, true);
            format!("the farther {from}: up to {effect}; the opposite on the other side")
        }
        WeakModel::Ellipse(ellipse) => {
            let effect = outputs(&term.output, -1.0, &model.schema.classes);
            format!("the farther from {}: up to {effect}", centre(ellipse, &model.schema, &[]))
        }
        WeakModel::Committee(committee) => majority(committee, &term.output, &model.schema),
        WeakModel::Slope(slope) => {
            let effect = outputs(&term.output, 1.0, &model.schema.classes);
            format!("{}: up to {effect}; the opposite at the other end", scale(slope, &model.schema))
        }
    }
}

/// The effect of a majority, then its weightiest voters: "petal_length <= 2.45: +0.83; else the opposite".
fn majority(committee: &Committee, output: &[f64], schema: &Schema) -> String {
    let mut voters: Vec<&Voter> = committee.voters.iter().filter(|voter| voter.vote != 0.0).collect();
    voters.sort_by(|a, b| b.vote.abs().total_cmp(&a.vote.abs()));
    let (count, effect) = (voters.len(), outputs(output, 1.0, &schema.classes));
    let votes = crate::output::plural(count, "vote");
    let mut lines = vec![format!("where the sum of {votes} is above zero: {effect}; below it the opposite")];
    lines.extend(voters.iter().take(MOST_VOTERS).map(|Voter { vote, learner }| match learner {
        WeakModel::Tree(tree) => rules(tree, schema, |sign| format!("{:+.2}", sign * vote)),
        WeakModel::Direction(direction) => {
            format!("{}: {vote:+.2}; else the opposite", side(direction, schema, true))
        }
        _ => String::new(),
    }));
    lines.extend((count > MOST_VOTERS).then(|| format!("and {} more", count - MOST_VOTERS)));
    lines.join("\n      ")
}

/// "closer to row 12 (vulture) than to row 57 (duck): up to +0.83 vulture, -0.40 duck".
fn comparison(similarity: &Similarity, output: &[f64], model: &Model) -> String {
    let named = |support: u32| match model.chain.supports.get(similarity.metric as usize) {
        Some(supports) => {
            let class = supports.classes[support as usize] as usize;
            format!("row {} ({})", supports.rows[support as usize] + 1, model.schema.classes[class])
        }
        None => "no row".into(),
    };
    let effect = outputs(output, 1.0, &model.schema.classes);
    // The answer is real-valued unless only its sign counts.
    let most = if similarity.sign { "" } else { "up to " };
    match similarity.form {
        Form::Always => format!("every row: {effect}"),
        Form::One { support, tau } => format!(
            "near {}, within a distance of {}: {most}{effect}; farther away the opposite",
            named(support),
            crate::output::number(f64::from(tau).sqrt()),
        ),
        Form::Two { supports: [i, j], .. } => {
            format!("closer to {} than to {}: {most}{effect}; the other way round the opposite", named(i), named(j))
        }
    }
}

fn rules(tree: &SignTree, schema: &Schema, effect: impl Fn(f64) -> String) -> String {
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for (rule, leaf) in paths(tree, schema) {
        if leaf.sign > 0 { yes.push(rule) } else { no.push(rule) }
    }
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

/// One line a region: "petal_length <= 2.45 and island = Dream: +0.80 virginica, -0.40 setosa".
fn regions(paths: Vec<(String, Region)>, output: &[f64], schema: &Schema) -> String {
    let classes = schema.classes.len();
    let line = |(rule, leaf): &(String, Region)| {
        let rule = if rule.is_empty() { "always" } else { rule };
        format!("{rule}: {}", outputs(&output[leaf.region as usize * classes..][..classes], 1.0, &schema.classes))
    };
    paths.iter().map(line).collect::<Vec<_>>().join("\n      ")
}

/// The way to each leaf in words, from left to right.
fn paths<L: Copy>(tree: &Tree<L>, schema: &Schema) -> Vec<(String, L)> {
    ways(tree, |feature, test, side, missing_left| {
        let feature = &schema.features[feature];
        let levels: &[String] = match &feature.kind {
            FeatureKind::Categorical(levels) => levels,
            FeatureKind::Numeric => &[],
        };
        let missing = if side == missing_left { " (or missing)" } else { "" };
        format!("{} {}{missing}", feature.name, question(test, side, levels))
    })
}

/// The same in turned coordinates.
fn turned_paths(turned: &TurnedTree, schema: &Schema) -> Vec<(String, Region)> {
    ways(&turned.tree, |axis, test, holds, _| side(&turned.direction(axis, test), schema, holds))
}

/// The way to each leaf, with words for a feature, a test, whether it holds and whether a missing value would pass.
fn ways<L: Copy>(tree: &Tree<L>, said: impl Fn(usize, &Test, bool, bool) -> String) -> Vec<(String, L)> {
    let mut found = Vec::new();
    let mut open = vec![(0u32, Vec::new())];
    while let Some((at, path)) = open.pop() {
        match &tree.nodes[at as usize] {
            Node::Leaf(leaf) => found.push((path.join(" and "), *leaf)),
            Node::Split { feature, test, missing_left, left, right } => {
                for (side, child) in [(false, *right), (true, *left)] {
                    let mut path = path.clone();
                    path.push(said(*feature as usize, test, side, *missing_left));
                    open.push((child, path));
                }
            }
        }
    }
    found
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

/// The steps before a model, one sentence each without its full stop; empty if there are none.
pub fn steps(schema: &Schema) -> Vec<String> {
    let Some(steps) = &schema.steps else { return Vec::new() };
    let selected = |step: &Selected| {
        let names = crate::output::preview(&step.names, MOST_NAMED);
        format!("{} keeps {} of {} features: {names}", step.step, step.names.len(), step.of)
    };
    let made = |step: &Extracted| match &step.map {
        Map::Linear(map) => {
            let share = 100.0 * map.shares.iter().sum::<f64>();
            let of = if map.kind == Kind::Pca { "of the variance" } else { "of the variance between classes" };
            let features = crate::output::plural(map.count(), "feature");
            format!("{} makes {features}, which hold {share:.1} % {of}", step.step)
        }
        map => format!("{} makes {}", step.step, crate::output::plural(map.outputs().len(), "feature")),
    };
    steps.selections.iter().map(selected).chain(steps.extractions.iter().map(made)).collect()
}

/// What the features of a model are made of, one line each; empty if they are columns of the table.
pub fn made_of(schema: &Schema) -> Vec<String> {
    let Some(steps) = schema.steps.as_ref().filter(|steps| !steps.extractions.is_empty()) else {
        return Vec::new();
    };
    let line = |(i, feature): (usize, &Feature)| {
        format!("{} is made of {}", feature.name, steps.words(i).unwrap_or_default())
    };
    let mut lines: Vec<String> = schema.features.iter().enumerate().take(MOST_NAMED).map(line).collect();
    if schema.features.len() > MOST_NAMED {
        lines.push(format!("... and {} more", schema.features.len() - MOST_NAMED));
    }
    lines
}

/// Voters of a committee listed one by one.
const MOST_VOTERS: usize = 5;

/// Features named one by one.
const MOST_NAMED: usize = 12;

/// A row's values: "island Dream, sex missing".
pub fn values(schema: &Schema, features: &Features, row: usize) -> Vec<String> {
    let value = |(feature, column): (&Feature, &Column)| match column.text(row) {
        text if text.is_empty() => format!("{} missing", feature.name),
        text => format!("{} {text}", feature.name),
    };
    schema.features.iter().zip(&features.columns).map(value).collect()
}
