//! Categories of many levels as numbers, for trees.
//!
//! A tree may send any set of levels either way, so with many levels a split that means nothing looks good: the set is
//! chosen by the very rows that it is judged by. Here the levels are put in order before a tree sees them, each row's by
//! rows of other parts only: the value of a row is where its level stands by the shares of the classes among those rows,
//! drawn towards the shares among all where there are few (the ordered statistics of Prokhorenkova et al. 2018, with parts
//! in the place of an order). More than two classes give several numbers, along the directions in which levels differ most.
//!
//! In a finished tree such a number is one of a level: the question whether it is at most t is the question whether the
//! level is one of those at most there. So models and explanations know nothing of it.

use crate::booster::Prepared;
use crate::context::Context;
use crate::data::{Categorical, Column, Dataset, Feature, FeatureKind, MISSING_LEVEL, Schema};
use crate::learner::leading::{inner, leading};
use crate::model::{Chain, Node, Test, Tree, WeakModel};
use rand::RngExt;

/// Levels from which on a category becomes numbers,
const MANY: usize = 16;
/// and up to which: a question about a number is a list of levels in the finished tree.
const MOST: usize = 2048;
/// Levels times classes up to which it does.
const MOST_COUNTS: usize = 1 << 20;
/// Numbers that a category becomes at most.
const DIRECTIONS: usize = 3;
/// Parts: a row's value comes from all parts but its own.
const PARTS: usize = 5;
/// Rows of the average that each level has beside its own.
const SHRINK: f64 = 10.0;

/// Rows whose categories of many levels are numbers.
pub struct Coded {
    pub data: Dataset,
    pub prepared: Prepared,
    origins: Vec<Origin>,
}

/// What a column was made of.
enum Origin {
    /// This feature as it is.
    Itself(u32),
    /// This feature, with the number of each of its levels.
    Levels(u32, Vec<f64>),
}

impl Coded {
    /// `None` where no category has many levels. `room` is for what those share who train on these rows.
    pub fn new(data: &Dataset, room: usize, context: &Context) -> Option<Coded> {
        let most = MOST.min(MOST_COUNTS / data.class_count());
        let many =
            |column: &Column| matches!(column, Column::Categorical(c) if (MANY..=most).contains(&c.levels.len()));
        if !data.features.columns.iter().any(many) {
            return None;
        }
        let mut rng = context.stream("levels");
        let parts: Vec<usize> = (0..data.rows()).map(|_| rng.random_range(0..PARTS)).collect();
        let (mut columns, mut features, mut origins) = (Vec::new(), Vec::new(), Vec::new());
        for (number, (column, feature)) in (0u32..).zip(data.features.columns.iter().zip(&data.schema.features)) {
            match column {
                Column::Categorical(levels) if many(column) => {
                    for (values, of_level) in numbers(levels, data, &parts) {
                        columns.push(Column::numeric(values));
                        let name = format!("{} {}", feature.name, origins.len());
                        features.push(Feature { name, kind: FeatureKind::Numeric });
                        origins.push(Origin::Levels(number, of_level));
                    }
                }
                _ => {
                    columns.push(column.clone());
                    features.push(feature.clone());
                    origins.push(Origin::Itself(number));
                }
            }
        }
        let schema = Schema { features, ..data.schema.clone() };
        Some(Coded { data: data.with_columns(schema, columns), prepared: Prepared::within(room), origins })
    }

    /// The same trees with questions about the features as they were.
    pub fn decoded(&self, mut chain: Chain) -> Chain {
        for term in &mut chain.terms {
            match &mut term.learner {
                WeakModel::Tree(tree) => self.decode(tree),
                WeakModel::Regions(tree) => self.decode(tree),
                _ => {}
            }
        }
        chain
    }

    fn decode<L>(&self, tree: &mut Tree<L>) {
        for node in &mut tree.nodes {
            let Node::Split { feature, test, .. } = node else { continue };
            match &self.origins[*feature as usize] {
                Origin::Itself(number) => *feature = *number,
                Origin::Levels(number, of_level) => {
                    *feature = *number;
                    if let Test::AtMost(most) = test {
                        let left = (0u32..).zip(of_level).filter(|(_, value)| **value <= *most);
                        *test = Test::OneOf(left.map(|(level, _)| level).collect());
                    }
                }
            }
        }
    }
}

/// Numbers for rows and for levels, one pair a direction.
fn numbers(column: &Categorical, data: &Dataset, parts: &[usize]) -> Vec<(Vec<f64>, Vec<f64>)> {
    let (levels, classes) = (column.levels.len(), data.class_count());
    let scale = data.rows() as f64 / data.weights.iter().sum::<f64>();
    // `[part][level][class]`, and of all parts.
    let mut counts = vec![0.0; PARTS * levels * classes];
    let mut prior = vec![0.0; classes];
    for (((code, label), weight), part) in column.codes.iter().zip(&data.labels).zip(&data.weights).zip(parts) {
        let (class, weight) = (*label as usize, weight * scale);
        prior[class] += weight / data.rows() as f64;
        if *code != MISSING_LEVEL {
            counts[(part * levels + *code as usize) * classes + class] += weight;
        }
    }
    let mut all = vec![0.0; levels * classes];
    for part in counts.chunks_exact(levels * classes) {
        all.iter_mut().zip(part).for_each(|(sum, more)| *sum += more);
    }
    // Shares of the classes at a level, less those of all rows, in units in which chance differs alike for all classes.
    let units: Vec<f64> = prior.iter().map(|share| if *share > 0.0 { 1.0 / share.sqrt() } else { 0.0 }).collect();
    let weights: Vec<f64> = all.chunks_exact(classes).map(|level| level.iter().sum()).collect();
    let mut offsets = Vec::with_capacity(all.len());
    for (level, weight) in all.chunks_exact(classes).zip(&weights) {
        let each = level.iter().zip(&prior).zip(&units);
        offsets.extend(each.map(|((own, share), unit)| (own - weight * share) * unit / (weight + SHRINK)));
    }
    let (mut direction, mut scratch) = (Vec::new(), Vec::new());
    let mut found = Vec::new();
    for _ in 0..DIRECTIONS.min(classes - 1) {
        leading(&weights, &offsets, &mut direction, &mut scratch);
        let slopes: Vec<f64> = direction.iter().zip(&units).map(|(d, unit)| d * unit).collect();
        let mean: f64 = inner(&slopes, &prior);
        let along = |level: &[f64]| {
            let weight: f64 = level.iter().sum();
            (inner(level, &slopes) - weight * mean) / (weight + SHRINK)
        };
        let of_level: Vec<f64> = all.chunks_exact(classes).map(along).collect();
        let mut others = vec![0.0; PARTS * levels];
        let mut rest = vec![0.0; classes];
        for part in 0..PARTS {
            for level in 0..levels {
                let own = &counts[(part * levels + level) * classes..][..classes];
                let whole = &all[level * classes..][..classes];
                rest.iter_mut().zip(whole.iter().zip(own)).for_each(|(rest, (a, b))| *rest = a - b);
                others[part * levels + level] = along(&rest);
            }
        }
        let value = |(code, part): (&u32, &usize)| match *code {
            MISSING_LEVEL => f64::NAN,
            code => others[part * levels + code as usize],
        };
        found.push((column.codes.iter().zip(parts).map(value).collect(), of_level));
        for offset in offsets.chunks_exact_mut(classes) {
            let along = inner(offset, &direction);
            offset.iter_mut().zip(&direction).for_each(|(x, d)| *x -= along * d);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::booster::train;
    use crate::context::stream;
    use crate::data::{Roles, Table};
    use crate::settings::Settings;
    use proptest::prelude::*;

    fn context() -> Context {
        Context::new(0, 1).unwrap()
    }

    /// A number, and a category of many levels with `tells` for its share in the class.
    fn data(seed: u64, rows: usize, levels: usize, classes: usize, tells: f64) -> Dataset {
        let mut rng = stream(seed, "levels of a test");
        let of: Vec<Option<usize>> =
            (0..rows).map(|_| Some(rng.random_range(0..levels)).filter(|_| rng.random_bool(0.95))).collect();
        let labels: Vec<usize> = of
            .iter()
            .map(|level| match level {
                Some(level) if rng.random_bool(tells) => level % classes,
                _ => rng.random_range(0..classes),
            })
            .collect();
        let number = labels.iter().map(|k| *k as f64 + rng.random_range(-3.0..3.0)).collect();
        let names = ["number", "place", "class"].map(String::from).to_vec();
        let columns = vec![
            Column::numeric(number),
            Column::categorical(of.iter().map(|level| level.map(|level| format!("p{level:03}")))),
            Column::categorical(labels.iter().map(|k| Some(format!("c{k}")))),
        ];
        Dataset::from_table(&Table::new(names, columns).unwrap(), &Roles::default(), &mut Vec::new()).unwrap()
    }

    fn chain(data: &Dataset, algorithm: &str) -> Chain {
        let settings = Settings::new(algorithm).unwrap().with("rounds", 8).unwrap().with("depth", 3).unwrap();
        train(data, None, &settings, &context(), &mut ()).unwrap().model.chain
    }

    fn scores(chain: &Chain, data: &Dataset) -> Vec<f64> {
        let mut scores = chain.bias.repeat(data.rows());
        chain.add_terms(0..chain.terms.len(), &data.features, &mut scores, &context());
        scores
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// What a tree asks about a level's number is what it asks about the level.
        #[test]
        fn decoded_trees_answer_alike(seed: u64, levels in MANY..300, classes in 2usize..6) {
            let data = data(seed, 600, levels, classes, 0.5);
            let coded = Coded::new(&data, 0, &context()).unwrap();
            prop_assert_eq!(coded.origins.len(), 1 + DIRECTIONS.min(classes - 1));
            let Column::Categorical(places) = &data.features.columns[1] else { unreachable!() };
            // Every row with the number of its level, as a new row would have it.
            let column = |origin: &Origin| match origin {
                Origin::Itself(number) => data.features.columns[*number as usize].clone(),
                Origin::Levels(_, of_level) => Column::numeric(
                    places.codes.iter().map(|code| of_level.get(*code as usize).copied().unwrap_or(f64::NAN)).collect(),
                ),
            };
            let new = coded.data.with_columns(coded.data.schema.clone(), coded.origins.iter().map(column).collect());
            for algorithm in ["rebel", "softmax-trees"] {
                let chain = chain(&coded.data, algorithm);
                let expected = scores(&chain, &new);
                prop_assert_eq!(scores(&coded.decoded(chain), &data), expected);
            }
        }
    }

    /// The classes are drawn by lot. A tree that may choose any set of levels believes in one; numbers that come from other
    /// rows than those they are judged by show nothing.
    #[test]
    fn levels_that_mean_nothing_show_nothing() {
        let error = |data: &Dataset, column: usize| {
            let only = data.with_features(&[column]);
            let settings = Settings::new("rebel").unwrap().with("rounds", 1).unwrap().with("depth", 1).unwrap();
            train(&only, None, &settings, &context(), &mut ()).unwrap().summary.history[0].error
        };
        for seed in 0..5 {
            let data = data(seed, 600, 60, 2, 0.0);
            let coded = Coded::new(&data, 0, &context()).unwrap();
            let (by_set, by_number) = (error(&data, 1), error(&coded.data, 1));
            assert!(by_number > by_set + 0.05, "{by_set} {by_number}");
        }
    }

    /// Levels that mean something are still seen.
    #[test]
    fn levels_that_mean_something_are_seen() {
        let data = data(1, 600, 60, 3, 1.0);
        let coded = Coded::new(&data, 0, &context()).unwrap();
        let chain = coded.decoded(chain(&coded.data, "softmax-trees"));
        let scores = scores(&chain, &data);
        let right = scores.chunks_exact(3).zip(&data.labels).filter(|(h, k)| crate::model::argmax(h) == **k as usize);
        assert!(right.count() > 540);
    }

    #[test]
    fn few_levels_stay_and_too_many() {
        assert!(Coded::new(&data(0, 100, MANY - 1, 2, 0.5), 0, &context()).is_none());
        assert!(Coded::new(&data(0, 9000, 2 * MOST, 2, 0.5), 0, &context()).is_none());
    }
}
