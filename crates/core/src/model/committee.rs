//! A committee: weak learners that vote, and the side with more of the vote is the answer. One term of a model, where
//! the same learners as terms of their own would add up their votes instead.

use super::{Chain, WeakModel};
use serde::Serialize;

/// Answers +1 or -1 as the votes add up, 0 where they cancel out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Committee {
    /// In the order they were added; at least one.
    pub voters: Vec<Voter>,
}

/// A learner and what its answer counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Voter {
    /// Times the answer, this is added to the sum.
    pub vote: f64,
    /// A tree or a direction: it answers +1 or -1.
    pub learner: WeakModel,
}

impl Committee {
    /// Answers to as many rows as `out` holds; `each` fills in those of a voter. The sums are those of a chain of these
    /// voters, to the bit.
    pub(super) fn respond(&self, out: &mut [f64], mut each: impl FnMut(&WeakModel, &mut [f64])) {
        let mut answers = vec![0.0; out.len()];
        out.fill(0.0);
        for Voter { vote, learner } in &self.voters {
            each(learner, &mut answers);
            out.iter_mut().zip(&answers).for_each(|(sum, f)| *sum += vote * f);
        }
        out.iter_mut().for_each(|sum| *sum = sign_of(*sum));
    }
}

/// +1, -1, or 0 for a sum of zero.
#[inline]
pub(crate) fn sign_of(sum: f64) -> f64 {
    f64::from(i8::from(sum > 0.0) - i8::from(sum < 0.0))
}

impl WeakModel {
    /// The voters of a committee; any other learner is alone.
    pub fn alone(&self) -> impl Iterator<Item = &WeakModel> + Clone {
        let (one, voters) = match self {
            WeakModel::Committee(committee) => (None, &committee.voters[..]),
            other => (Some(other), &[][..]),
        };
        one.into_iter().chain(voters.iter().map(|voter| &voter.learner))
    }
}

impl Chain {
    /// Weak learners, the voters of committees counted one by one: the rounds of a model that was made in rounds.
    pub fn learners(&self) -> usize {
        self.terms.iter().flat_map(|term| term.learner.alone()).count()
    }
}
