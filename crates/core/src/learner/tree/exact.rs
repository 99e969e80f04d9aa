//! The exact stump by one sort (EPFL lecture, "Boosting"): rows are sorted once by every feature; a round walks along each
//! order and keeps a running sum of signed weights, so that all thresholds between neighbouring values are judged in one pass.
//! Binned stumps judge at most 254 thresholds a feature; this one all of them.
//!
//! Weights are fixed-point integers, so equal stumps are equal whatever the order of rows; ties to the lowest feature,
//! then threshold. Of a category the levels of positive weight go left, which is the best of all subsets. Missing values go
//! to the better side.

use super::fixed::FixedRows;
use super::sign::Binary;
use crate::binning::between;
use crate::context::Context;
use crate::data::{Column, Features, MISSING_LEVEL};
use crate::model::{Node, Sign, SignTree, Test, WeakModel};

/// Features with their rows in order.
pub struct ExactStump<'a> {
    features: &'a Features,
    /// Rows by rising value; without those whose value is missing. Empty for a category.
    orders: Vec<Vec<u32>>,
}

struct Best {
    /// |sum of signed weights, left less right|.
    edge: u64,
    feature: usize,
    test: Test,
    missing_left: bool,
}

impl<'a> ExactStump<'a> {
    /// Sorts once.
    pub fn new(features: &'a Features, context: &Context) -> Self {
        let columns = &features.columns;
        let orders =
            context.map(columns.len(), features.rows * columns.len() * 16, |feature| match &columns[feature] {
                Column::Numeric(values) => {
                    let mut rows: Vec<u32> =
                        (0..features.rows as u32).filter(|&row| !values.get(row as usize).is_nan()).collect();
                    rows.sort_by(|&a, &b| values.get(a as usize).total_cmp(&values.get(b as usize)));
                    rows
                }
                Column::Categorical(_) => Vec::new(),
            });
        ExactStump { features, orders }
    }

    /// The stump whose answers agree best with the signs of the weights.
    pub fn fit(&self, signed: &[f64], allowed: Option<&[bool]>, context: &Context) -> Binary {
        let fixed = FixedRows::new(signed, Vec::new(), context).values;
        let total: i64 = fixed.iter().map(|w| i64::from(*w)).sum();
        let features = self.orders.len();
        let found = context.map(features, fixed.len() * features * 4, |feature| {
            let may = allowed.is_none_or(|allowed| allowed[feature]);
            may.then(|| self.feature(feature, &fixed, total)).flatten()
        });
        let best = found.into_iter().flatten().reduce(|a, b| if b.edge > a.edge { b } else { a });
        let leaf = |sign: i8| Node::Leaf(Sign { sign });
        let nodes = match best.filter(|best| best.edge > total.unsigned_abs()) {
            Some(Best { feature, test, missing_left, .. }) => {
                let feature = feature as u32;
                vec![Node::Split { feature, test, missing_left, left: 1, right: 2 }, leaf(1), leaf(-1)]
            }
            None => vec![leaf(1)],
        };
        let tree = SignTree { nodes };
        let mut response = vec![0.0; signed.len()];
        tree.respond(self.features, 0, &mut response);
        Binary { learner: WeakModel::Tree(tree), response }
    }

    fn feature(&self, feature: usize, weights: &[i32], total: i64) -> Option<Best> {
        match &self.features.columns[feature] {
            Column::Numeric(values) => {
                let order = &self.orders[feature];
                let known: i64 = order.iter().map(|&row| i64::from(weights[row as usize])).sum();
                let missing = total - known;
                let any_missing = order.len() < weights.len();
                let mut left = 0;
                let mut best: Option<(u64, usize, bool)> = None;
                for (at, &row) in order.iter().enumerate() {
                    left += i64::from(weights[row as usize]);
                    let value = values.get(row as usize);
                    // Behind the last value only missing ones are on the other side.
                    let next = order.get(at + 1).map(|&next| values.get(next as usize));
                    if next == Some(value) || (next.is_none() && !any_missing) {
                        continue;
                    }
                    let mut consider = |sum: i64, missing_left: bool| {
                        let edge = (2 * sum - total).unsigned_abs();
                        if best.is_none_or(|(most, ..)| edge > most) {
                            best = Some((edge, at, missing_left));
                        }
                    };
                    // Where no row is missing, missing values go with more rows.
                    consider(left, !any_missing && 2 * (at + 1) >= order.len());
                    if any_missing && next.is_some() {
                        consider(left + missing, true);
                    }
                }
                best.map(|(edge, at, missing_left)| {
                    let value = values.get(order[at] as usize);
                    let next = order.get(at + 1).map(|&next| values.get(next as usize));
                    let threshold = next.map_or(f64::MAX, |next| between(value, next));
                    Best { edge, feature, test: Test::AtMost(threshold), missing_left }
                })
            }
            Column::Categorical(column) => {
                let mut sums = vec![0i64; column.levels.len()];
                let mut missing = 0;
                for (code, weight) in column.codes.iter().zip(weights) {
                    match *code {
                        MISSING_LEVEL => missing += i64::from(*weight),
                        code => sums[code as usize] += i64::from(*weight),
                    }
                }
                let levels: Vec<u32> =
                    (0u32..).zip(&sums).filter(|(_, sum)| **sum > 0).map(|(level, _)| level).collect();
                let left = sums.iter().filter(|sum| **sum > 0).sum::<i64>() + missing.max(0);
                let edge = (2 * left - total).unsigned_abs();
                (!levels.is_empty()).then_some(Best {
                    edge,
                    feature,
                    test: Test::OneOf(levels),
                    missing_left: missing > 0,
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, Roles, Table};
    use proptest::prelude::*;

    proptest! {
        /// Against every threshold, one by one, with both sides for missing values.
        #[test]
        fn is_the_best_of_all_thresholds(rows in prop::collection::vec((prop::option::weighted(0.8, 0..12), -9..10i32), 2..40)) {
            let values: Vec<f64> = rows.iter().map(|(x, _)| x.map_or(f64::NAN, f64::from)).collect();
            let signed: Vec<f64> = rows.iter().map(|(_, w)| f64::from(*w)).collect();
            prop_assume!(signed.iter().any(|w| *w != 0.0));
            let class = Column::categorical((0..rows.len()).map(|row| Some(["a", "b"][row % 2])));
            let table = Table::new(vec!["x".into(), "class".into()], vec![Column::numeric(values.clone()), class]).unwrap();
            let Ok(data) = Dataset::from_table(&table, &Roles::default(), &mut Vec::new()) else { return Ok(()) };
            let context = Context::new(0, 1).unwrap();
            let found = ExactStump::new(&data.features, &context).fit(&signed, None, &context);
            let edge = |f: &dyn Fn(f64) -> f64| signed.iter().zip(&values).map(|(w, x)| w * f(*x)).sum::<f64>().abs();
            let mut best = edge(&|_| 1.0);
            for cut in 0..13 {
                for missing in [1.0, -1.0] {
                    let cut = f64::from(cut) - 0.5;
                    best = best.max(edge(&|x| if x.is_nan() { missing } else if x <= cut { 1.0 } else { -1.0 }));
                }
            }
            best = best.max(edge(&|x| if x.is_nan() { 1.0 } else { -1.0 }));
            let reached = signed.iter().zip(&found.response).map(|(w, f)| w * f).sum::<f64>().abs();
            prop_assert!((reached - best).abs() < 1e-9, "{reached} of {best}");
        }
    }
}
