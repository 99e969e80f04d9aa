//! Committees as bytes (docs/file-format.md).

use super::body::{DIRECTION, TREE, put_f64s, put_learner, put_u32};
use super::bytes::Reader;
use super::{direction, tree};
use crate::data::Schema;
use crate::error::{Error, Result};
use crate::model::{Committee, Voter, WeakModel};

fn refuse(what: &str) -> Error {
    Error::model(format!("the model holds a broken committee: {what}"))
}

pub(super) fn put(out: &mut Vec<u8>, committee: &Committee) {
    put_u32(out, committee.voters.len() as u32);
    for Voter { vote, learner } in &committee.voters {
        put_f64s(out, &[*vote]);
        put_learner(out, learner);
    }
}

/// Checks what prediction relies on: voters that answer +1 or -1, and sums that are finite.
pub(super) fn read(reader: &mut Reader<'_>, schema: &Schema) -> Result<Committee> {
    let mut voters = Vec::new();
    for _ in 0..reader.u32()? {
        let vote = reader.f64s(1)?[0];
        let learner = match reader.u8()? {
            TREE => WeakModel::Tree(tree::signs(reader, schema)?),
            DIRECTION => WeakModel::Direction(direction::read(reader, schema)?),
            tag => return Err(refuse(&format!("a voter is neither a tree nor a direction ({tag})"))),
        };
        voters.push(Voter { vote, learner });
    }
    if voters.is_empty() {
        return Err(refuse("it has no voter"));
    }
    Ok(Committee { voters })
}
