//! Going on from a checkpoint: is it one of the same training?

use crate::data::{Column, Dataset, Numeric};
use crate::error::{Error, Result};
use crate::model::{Chain, Model};

/// Settings that may change between a checkpoint and its continuation.
const FREE: [&str; 2] = ["rounds", "memory-limit"];

/// The terms of a checkpoint, if it belongs to the same training.
pub(crate) fn continued(checkpoint: Model, expected: &Model, fixed_rounds: bool) -> Result<Chain> {
    let (was, is) = (&checkpoint.provenance, &expected.provenance);
    let refuse = |what: &str| {
        Err(Error::option(format!("the checkpoint cannot be continued: {what}"))
            .hint("resume with the data and options it was made with"))
    };
    if was.algorithm != is.algorithm {
        return refuse(&format!("it was made by {}, not {}", was.algorithm, is.algorithm));
    }
    let free = |name: &str| FREE.contains(&name) && !(fixed_rounds && name == "rounds");
    for name in was.settings.keys().chain(is.settings.keys()).filter(|name| !free(name)) {
        if was.settings.get(name) != is.settings.get(name) {
            return refuse(&format!("--{name} was different"));
        }
    }
    if was.seed != is.seed {
        return refuse("--seed was different");
    }
    if checkpoint.schema != expected.schema || was.data != is.data {
        return refuse("the training data were different");
    }
    if checkpoint.costs != expected.costs {
        return refuse("the costs were different");
    }
    Ok(checkpoint.chain)
}

/// Checksum of everything training reads, so that a checkpoint is not continued on other data.
pub(crate) fn fingerprint(data: &Dataset) -> String {
    let mut hash = crc32fast::Hasher::new();
    for column in &data.features.columns {
        match column {
            Column::Numeric(Numeric::U8(v)) => hash.update(v),
            Column::Numeric(c) => feed(&mut hash, (0..c.len()).map(|row| c.get(row).to_le_bytes())),
            Column::Categorical(c) => feed(&mut hash, c.codes.iter().map(|code| code.to_le_bytes())),
        }
    }
    feed(&mut hash, data.labels.iter().map(|label| label.to_le_bytes()));
    feed(&mut hash, data.weights.iter().map(|weight| weight.to_le_bytes()));
    format!("{:08x}", hash.finalize())
}

/// Many at a time: a checksum of a few bytes is slow.
fn feed<const N: usize>(hash: &mut crc32fast::Hasher, mut items: impl Iterator<Item = [u8; N]>) {
    let mut some = Vec::new();
    loop {
        some.clear();
        some.extend(items.by_ref().take(1024));
        if some.is_empty() {
            break;
        }
        hash.update(some.as_flattened());
    }
}
