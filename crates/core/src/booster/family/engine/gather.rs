//! Hamming decoding (Dietterich and Bakiri 1995; Allwein, Schapire, Singer 2000, "Hamming decoding"): the class whose codeword
//! is nearest to the signs of the columns,
//!
//! ```text
//! d_k = sum_l (1 - sign(M_kl F_l)) / 2
//! ```
//!
//! where an entry or a margin of 0 counts one half. Entries are +1, -1 or 0, so sign(M F) = M sign(F), and with L columns
//!
//! ```text
//! H_k = sum_l M_kl sign(F_l) = L - 2 d_k
//! ```
//!
//! A sum again, of one term a column: a committee whose output is the column of the code. A round adds a voter to a
//! committee and no term, so training keeps the terms of its rounds, a model (and a checkpoint) has them gathered, and who
//! goes on from it takes them apart again. Columns take turns: voter r of column l is the term of round r L + l.

use crate::error::{Error, Result};
use crate::model::{Committee, Term, Voter, WeakModel};

/// The vote of a term whose output is a multiple of its column. Entries are +1, -1 and 0, so this is the very vote.
pub(super) fn vote(term: &Term, column: &[f64]) -> f64 {
    let given = term.output.iter().zip(column).find(|(_, m)| **m != 0.0);
    given.map_or(0.0, |(a, m)| a / m) + 0.0 // never minus zero
}

/// Terms that took turns, as one committee a column that had one.
pub(super) fn gather(terms: &[Term], columns: &[&[f64]]) -> Vec<Term> {
    let committee = |(place, column): (usize, &&[f64])| {
        let turns = terms.iter().skip(place).step_by(columns.len());
        let voter = |term: &Term| Voter { vote: vote(term, column), learner: term.learner.clone() };
        let learner = WeakModel::Committee(Committee { voters: turns.map(voter).collect() });
        Term { learner, output: column.to_vec() }
    };
    columns.iter().enumerate().take(terms.len()).map(committee).collect()
}

/// The terms that took turns. A file may claim anything: if there is a voter for every turn, none is left over.
pub(super) fn take_apart(terms: &[Term], columns: &[&[f64]]) -> Result<Vec<Term>> {
    let turns: usize = terms.iter().map(|term| term.learner.alone().count()).sum();
    let turn = |turn: usize| {
        let (place, round) = (turn % columns.len(), turn / columns.len());
        match terms.get(place).map(|term| &term.learner) {
            Some(WeakModel::Committee(Committee { voters })) => voters.get(round).map(|Voter { vote, learner }| {
                Term { learner: learner.clone(), output: columns[place].iter().map(|m| vote * m).collect() }
            }),
            _ => None,
        }
        .ok_or_else(|| Error::model("the checkpoint cannot be continued: its committees are not those of the code"))
    };
    (0..turns).map(turn).collect()
}
