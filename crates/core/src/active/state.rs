//! All that a session must keep: what was asked and answered. Written after every answer; from it the same questions
//! follow, so nothing else needs to be saved.
//!
//! On disk it is one JSON object with a version and a CRC-32 of the state's own text.

use super::{ActiveSettings, Estimate, Query};
use crate::error::{Error, Result};
use crate::settings::Value;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// Version this build writes. It reads this one and all before it.
const VERSION: u32 = 1;
const FORMAT: &str = "rebelboost-labels";

/// A session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Checksum of the pool.
    pub data: String,
    /// Registered name of the booster.
    pub algorithm: String,
    /// Its parameters.
    pub settings: BTreeMap<String, Value>,
    /// Parameters of active learning.
    pub active: ActiveSettings,
    /// Seed of the random streams.
    pub seed: u64,
    /// Class names in the order in which people see them.
    pub classes: Vec<String>,
    /// Answers, the oldest first.
    pub log: Vec<Event>,
    /// Questions of the batch that are still open.
    pub pending: Vec<Query>,
    /// Batches so far.
    pub history: Vec<Step>,
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Row of the pool.
    pub row: usize,
    /// Its class, a position in the state's list; `None` if it was skipped.
    pub class: Option<u32>,
    /// Whether the row was drawn at random.
    pub random: bool,
    /// Whether the label was there without having been asked for.
    pub given: bool,
    /// Whether its class was new.
    pub new: bool,
}

/// The making of a batch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Labelled rows at that time.
    pub labelled: usize,
    /// Estimated error of the model, if one could be trained.
    pub estimate: Option<Estimate>,
}

#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    crc32: String,
    state: State,
}

impl State {
    /// The file's text: the same state gives the same bytes.
    pub fn to_text(&self) -> String {
        let file = File { format: FORMAT.into(), version: VERSION, crc32: self.checksum(), state: self.clone() };
        serde_json::to_string(&file).unwrap_or_default() + "\n"
    }

    /// Reads and checks a file.
    pub fn from_text(text: &str) -> Result<State> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let damaged = |what: String| Error::model(format!("the session is damaged: {what}"));
        let head: Head = serde_json::from_str(text).map_err(|e| damaged(format!("it cannot be understood ({e})")))?;
        if head.format != FORMAT {
            return Err(Error::model("this is not a labelling session"));
        }
        if head.version == 0 || head.version > VERSION {
            return Err(Error::model(format!(
                "the session has file version {}; this program reads versions up to {VERSION}",
                head.version
            ))
            .hint("update RebelBoost"));
        }
        let file: File = serde_json::from_str(text).map_err(|e| damaged(format!("it cannot be understood ({e})")))?;
        if file.crc32 != file.state.checksum() {
            return Err(damaged("its checksum does not fit".into()));
        }
        file.state.check().map_err(damaged)?;
        Ok(file.state)
    }

    fn checksum(&self) -> String {
        format!("{:08x}", crc32fast::hash(serde_json::to_string(self).unwrap_or_default().as_bytes()))
    }

    fn check(&self) -> std::result::Result<(), String> {
        fn distinct(mut rows: impl Iterator<Item = usize>) -> bool {
            let mut seen = HashSet::new();
            rows.all(|row| seen.insert(row))
        }
        if self.classes.iter().enumerate().any(|(i, name)| name.is_empty() || self.classes[..i].contains(name)) {
            return Err("class names are empty or stand twice".into());
        }
        if self.log.iter().any(|e| e.class.is_some_and(|class| class as usize >= self.classes.len())) {
            return Err("an answer names a class that is not there".into());
        }
        if !distinct(self.log.iter().map(|e| e.row)) || !distinct(self.pending.iter().map(|q| q.row)) {
            return Err("a row stands twice".into());
        }
        Ok(())
    }
}
