//! Weak learners in words, as they apply to one row.

use super::way::{Step, turned_way, way};
use crate::data::{Column, FeatureKind, Features, MISSING_LEVEL, Schema};
use crate::model::similarity::Form;
use crate::model::{
    Committee, Coordinate, Direction, Ellipse, Model, Ramp, Similarity, Slope, Supports, Test, Tree, TurnedTree,
    Voter, WeakModel,
};

/// Columns of a mixture written out, the weightiest.
const MOST_COLUMNS: usize = 6;
/// Level names listed before the rest is counted.
const MOST_LEVELS: usize = 8;

/// A feature and its part in a term; the parts of a term are proportions.
pub(super) type Asked = Vec<(u32, f64)>;

/// What a learner found out about a row, and the features it asked about on the way.
pub(super) fn term(
    learner: &WeakModel,
    model: &Model,
    features: &Features,
    row: usize,
    response: f64,
) -> (String, Asked) {
    match learner {
        WeakModel::Tree(tree) => path(tree, model, features, row),
        WeakModel::Regions(tree) => path(tree, model, features, row),
        WeakModel::Direction(direction) | WeakModel::Ramp(Ramp { direction, .. }) => {
            (side(direction, &model.schema, response > 0.0), direction.parts().collect())
        }
        WeakModel::Ellipse(ellipse) => {
            let asked: Asked = ellipse.parts_at(features, row).collect();
            (away(ellipse, model, &asked, features, row), asked)
        }
        WeakModel::Turned(tree) => turned_path(tree, &model.schema, features, row),
        WeakModel::Committee(committee) => majority(committee, model, features, row, response),
        WeakModel::Slope(slope) => (place(slope, &model.schema, features, row, response), vec![(slope.feature, 1.0)]),
        WeakModel::Similarity(similarity) => match model.chain.supports.get(similarity.metric as usize) {
            Some(supports) => (comparison(similarity, supports, model, response), Vec::new()),
            None => ("every row".into(), Vec::new()),
        },
    }
}

/// "7.31 away from petal_length 1.46, petal_width 0.24 and 2 more", by the columns that take the row farthest away.
fn away(ellipse: &Ellipse, model: &Model, asked: &Asked, features: &Features, row: usize) -> String {
    if asked.is_empty() {
        return "at the centre".into();
    }
    let mut by_part: Vec<(u32, f64)> = Vec::new();
    for (feature, part) in asked {
        match by_part.last_mut() {
            Some((last, sum)) if last == feature => *sum += part,
            _ => by_part.push((*feature, *part)),
        }
    }
    by_part.sort_by(|a, b| b.1.total_cmp(&a.1));
    let chosen: Vec<u32> = by_part.iter().take(MOST_COLUMNS).map(|(feature, _)| *feature).collect();
    let mut squared = [0.0];
    ellipse.measure(features, row, &mut squared);
    format!("{:.2} away from {}", squared[0].sqrt(), centre(ellipse, &model.schema, &chosen))
}

/// "petal_length 1.46, petal_width 0.24 and 2 more": where the centre of an ellipse is along some features, or the first ones.
pub fn centre(ellipse: &Ellipse, schema: &Schema, chosen: &[u32]) -> String {
    let mut features = ellipse.features();
    let count = features.len();
    features.retain(|feature| chosen.is_empty() || chosen.contains(feature));
    features.truncate(MOST_COLUMNS);
    let at = |feature: &u32| {
        let known = &schema.features[*feature as usize];
        let of = ellipse.axes.iter().filter(|axis| axis.feature == *feature).map(|axis| (axis.level, axis.middle()));
        match (&known.kind, of.reduce(|a, b| if b.1 > a.1 { b } else { a })) {
            (FeatureKind::Categorical(levels), Some((Some(level), _))) => {
                format!("{} {}", known.name, levels[level as usize])
            }
            (_, likeliest) => format!("{} {}", known.name, short(likeliest.map_or(0.0, |(_, middle)| middle))),
        }
    };
    let mut said: Vec<String> = features.iter().map(at).collect();
    let more = count - said.len();
    let last = if more > 0 { Some(format!("{more} more")) } else { said.pop() };
    match (said.is_empty(), last) {
        (true, last) => last.unwrap_or_default(),
        (false, last) => format!("{} and {}", said.join(", "), last.unwrap_or_default()),
    }
}

/// "14 of 20 voters with 71 % of the vote say yes, above all petal_length <= 2.45", and what all of them asked about.
fn majority(committee: &Committee, model: &Model, features: &Features, row: usize, response: f64) -> (String, Asked) {
    let (mut asked, mut all, mut side) = (Vec::new(), (0, 0.0), (0, 0.0));
    let mut weightiest: Option<(f64, String)> = None;
    for Voter { vote, learner } in committee.voters.iter().filter(|voter| voter.vote != 0.0) {
        let mut answer = [0.0];
        learner.respond(features, row, &mut answer);
        let (text, questions) = term(learner, model, features, row, answer[0]);
        asked.extend(questions);
        all = (all.0 + 1, all.1 + vote.abs());
        if vote * answer[0] * response > 0.0 {
            side = (side.0 + 1, side.1 + vote.abs());
            if weightiest.as_ref().is_none_or(|(most, _)| vote.abs() > *most) {
                weightiest = Some((vote.abs(), text));
            }
        }
    }
    let text = match weightiest {
        Some((_, first)) => format!(
            "{} of {} voters with {:.0} % of the vote say {}, above all {first}",
            side.0,
            all.0,
            100.0 * side.1 / all.1,
            if response > 0.0 { "yes" } else { "no" },
        ),
        None if all.0 == 0 => "no voter".into(),
        None => format!("{} voters are divided evenly", all.0),
    };
    (text, asked)
}

/// A side of a direction's threshold: "0.41 petal_length - 1.2 petal_width <= 3.05", in the units of the columns. A mixture of many
/// is cut to its weightiest and stays in standard deviations, as no bound in units of the columns would hold for a part of it.
pub fn side(direction: &Direction, schema: &Schema, below: bool) -> String {
    let Direction { coordinates, threshold } = direction;
    if coordinates.is_empty() {
        return "every row".into();
    }
    let whole = coordinates.len() <= MOST_COLUMNS;
    let factor = |c: &Coordinate| if whole { c.weight * c.scale } else { c.weight };
    let bound = coordinates.iter().map(|c| if whole { factor(c) * c.centre } else { 0.0 }).sum::<f64>() + threshold;
    let mut named: Vec<&Coordinate> = coordinates.iter().collect();
    if !whole {
        named.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        named.truncate(MOST_COLUMNS);
    }
    let mut sum = String::new();
    for (place, coordinate) in named.into_iter().enumerate() {
        let factor = factor(coordinate);
        sum += match (place, factor < 0.0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        let feature = &schema.features[coordinate.feature as usize];
        let name = match (&feature.kind, coordinate.level) {
            (FeatureKind::Categorical(levels), Some(level)) => {
                format!("[{} = {}]", feature.name, levels[level as usize])
            }
            _ => feature.name.clone(),
        };
        sum += &format!("{} {name}", short(factor.abs()));
    }
    if !whole {
        sum += &format!(" + {} more, standardised,", coordinates.len() - MOST_COLUMNS);
    }
    format!("{sum} {} {}", if below { "<=" } else { ">" }, short(bound))
}

/// "body_mass_g 3600, below 4201.75", "island is Dream".
fn place(slope: &Slope, schema: &Schema, features: &Features, row: usize, response: f64) -> String {
    let feature = &schema.features[slope.feature as usize];
    let name = &feature.name;
    match (&features.columns[slope.feature as usize], &feature.kind, slope.level) {
        (column, ..) if column.is_missing(row) => format!("{name} is missing"),
        (_, FeatureKind::Categorical(levels), Some(level)) => {
            format!("{name} is {}{}", if response > 0.0 { "" } else { "not " }, levels[level as usize])
        }
        (Column::Numeric(numbers), ..) => {
            let side = if response < 0.0 { "below" } else { "above" };
            format!("{name} {}, {side} {}", short(numbers.get(row)), short(slope.centre))
        }
        _ => name.clone(),
    }
}

/// The scale of a slope, from where it answers -1 to where it answers 1: "body_mass_g from 1000 to 7000", "island is Dream".
pub fn scale(slope: &Slope, schema: &Schema) -> String {
    let feature = &schema.features[slope.feature as usize];
    match (&feature.kind, slope.level) {
        (FeatureKind::Categorical(levels), Some(level)) => format!("{} is {}", feature.name, levels[level as usize]),
        _ => {
            let end = |side: f64| short(slope.centre + side / slope.scale);
            format!("{} from {} to {}", feature.name, end(-1.0), end(1.0))
        }
    }
}

/// Six digits: columns far from zero vary in their last ones.
fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// "closer to training row 12 (vulture) than to row 57 (duck)".
fn comparison(similarity: &Similarity, supports: &Supports, model: &Model, response: f64) -> String {
    let named = |support: u32| {
        let class = supports.classes[support as usize] as usize;
        format!("row {} ({})", supports.rows[support as usize] + 1, model.schema.classes[class])
    };
    match similarity.form {
        Form::Always => "every row".into(),
        Form::One { support, .. } if response >= 0.0 => format!("near training {}", named(support)),
        Form::One { support, .. } => format!("not near training {}", named(support)),
        Form::Two { supports: [i, j], .. } if response > 0.0 => {
            format!("closer to training {} than to {}", named(i), named(j))
        }
        Form::Two { supports: [i, j], .. } if response < 0.0 => {
            format!("closer to training {} than to {}", named(j), named(i))
        }
        Form::Two { supports: [i, j], .. } => format!("as close to training {} as to {}", named(i), named(j)),
    }
}

/// The questions on the row's way to its leaf: "petal_length <= 2.45 and island in {Dream}". Of several bounds of one
/// number on one side only the last, which is the tightest, is said: deep trees ask again and again.
fn path<L>(tree: &Tree<L>, model: &Model, features: &Features, row: usize) -> (String, Asked) {
    let (mut rules, mut asked) = (Vec::new(), Vec::new());
    for Step { feature, test, goes_left } in way(tree, features, row) {
        asked.push((feature as u32, 1.0));
        let column = &features.columns[feature];
        let name = &model.schema.features[feature].name;
        let (rule, bound) = match test {
            _ if column.is_missing(row) => (format!("{name} is missing"), Some(Bound::Missing)),
            Test::AtMost(threshold) if goes_left => (format!("{name} <= {threshold}"), Some(Bound::Above)),
            Test::AtMost(threshold) => (format!("{name} > {threshold}"), Some(Bound::Below)),
            Test::OneOf(levels) => {
                let verb = if goes_left { "in" } else { "not in" };
                (format!("{name} {verb} {{{}}}", level_names(levels, &model.schema.features[feature].kind)), None)
            }
        };
        if bound.is_some() {
            rules.retain(|(said, _)| *said != (feature, bound));
        }
        rules.push(((feature, bound), rule));
    }
    let rules: Vec<String> = rules.into_iter().map(|(_, rule)| rule).collect();
    (if rules.is_empty() { "every row".into() } else { rules.join(" and ") }, asked)
}

/// The same in turned coordinates: "0.41 petal_length - 1.2 petal_width <= 3.05 and ...".
fn turned_path(tree: &TurnedTree, schema: &Schema, features: &Features, row: usize) -> (String, Asked) {
    let (mut rules, mut asked) = (Vec::new(), Vec::new());
    for Step { feature: axis, test, goes_left } in turned_way(tree, features, row) {
        asked.extend(tree.parts(axis));
        rules.retain(|(said, _)| *said != (axis, goes_left));
        rules.push(((axis, goes_left), side(&tree.direction(axis, test), schema, goes_left)));
    }
    let rules: Vec<String> = rules.into_iter().map(|(_, rule)| rule).collect();
    (if rules.is_empty() { "every row".into() } else { rules.join(" and ") }, asked)
}

/// What a question says about a number, where a later one replaces it.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    Missing,
    Above,
    Below,
}

fn level_names(levels: &[u32], kind: &FeatureKind) -> String {
    let FeatureKind::Categorical(names) = kind else { return String::new() };
    let name = |code: &u32| match names.get(*code as usize) {
        Some(name) if *code != MISSING_LEVEL => name.as_str(),
        _ => "?",
    };
    let mut listed: Vec<String> = levels.iter().take(MOST_LEVELS).map(|code| name(code).to_string()).collect();
    if levels.len() > MOST_LEVELS {
        listed.push(format!("{} more", levels.len() - MOST_LEVELS));
    }
    listed.join(", ")
}
