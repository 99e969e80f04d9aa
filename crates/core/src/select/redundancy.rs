//! How much of what a feature says of the class is said by a single feature ranked before it.
//!
//! 1 - min_l I(Y; X | X_l) / I(Y; X) over the features before it, and the feature at which the minimum is; zero where a
//! feature adds to every other at least what it says alone.

use super::information::{Ask, Informant, auto_levels, with_informant};
use crate::context::Context;
use crate::data::Dataset;

/// How redundant a feature is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Redundancy {
    /// Share of its information about the class that `with` has too, in [0, 1].
    pub share: f64,
    /// The feature before it that says most of the same; `None` for the first, or if nothing is shared.
    pub with: Option<usize>,
}

/// Ranks that are compared with each other: the number of pairs is half its square.
const MOST: usize = 100;

/// The redundancy of ranked features; `None` beyond the first hundred.
pub(super) fn of(data: &Dataset, ranked: &[usize], context: &Context) -> Vec<Option<Redundancy>> {
    let compared = &ranked[..ranked.len().min(MOST)];
    let known = with_informant(data, compared, auto_levels(data, 2), context, Compare { ranked: compared, context });
    known.into_iter().map(Some).chain(std::iter::repeat(None)).take(ranked.len()).collect()
}

struct Compare<'a> {
    ranked: &'a [usize],
    context: &'a Context,
}

impl Ask for Compare<'_> {
    type Answer = Vec<Redundancy>;

    fn ask<I: Informant>(self, informant: &I) -> Vec<Redundancy> {
        let count = informant.features();
        let work = count * count * informant.work() / 2;
        self.context.map_with(count, work, Vec::new, |scratch, feature| {
            let alone = informant.alone(feature, scratch);
            let given = (0..feature).map(|other| (informant.given(feature, other, scratch), other));
            let least = given.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            match least {
                Some((least, other)) if least < alone => {
                    Redundancy { share: 1.0 - least / alone, with: Some(self.ranked[other]) }
                }
                _ => Redundancy { share: 0.0, with: None },
            }
        })
    }
}
