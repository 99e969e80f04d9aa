//! The model file: a versioned container with a checksum (docs/file-format.md).
//!
//! ```text
//! magic "REBELBST" | version u32 | header length u64 | header (JSON) | body length u64 | body
//!                  | from version 2 on: steps length u64 | steps | CRC-32 u32
//! ```
//!
//! A model without steps before it is written as version 1, so that older programs read it.
//!
//! Little-endian. The header says what the model is (schema, provenance, costs, decision); the body holds the
//! terms. A reader checks everything before it believes anything: a length is compared with the bytes that are
//! left before memory is asked for, so a hostile file cannot make us allocate.

mod body;
mod bytes;
mod committee;
mod direction;
mod ellipse;
mod similarity;
mod slope;
mod steps;
mod tree;
mod turned;

use super::{Decision, Link, Model, Part, Provenance};
use crate::data::{CostMatrix, FeatureKind, Schema};
use crate::error::{Error, Result};
use bytes::Reader;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Newest version this build writes, that of models with steps before them. It reads this one and all before it.
pub const VERSION: u32 = 2;

/// The version of models without.
const WITHOUT_STEPS: u32 = 1;

const MAGIC: &[u8; 8] = b"REBELBST";

#[derive(Serialize, Deserialize)]
struct Header {
    schema: Schema,
    provenance: Provenance,
    /// Rows of truth by columns of answer, in the user's unit.
    costs: Option<Vec<Vec<f64>>>,
    decision: Decision,
    link: Option<String>,
    /// Members of a stacked model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part>,
    /// Steps before the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steps: Option<steps::Described>,
    /// Terms of each chain in the body.
    chains: Vec<usize>,
}

impl Model {
    /// The file's bytes: the same model gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = serde_json::to_vec(&self.header()).unwrap_or_default();
        let body = body::encode(&self.chain);
        let mut out = Vec::with_capacity(header.len() + body.len() + 32);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&self.version().to_le_bytes());
        let steps = self.schema.steps.as_ref().map(|steps| steps::encode(steps));
        for part in [Some(&header), Some(&body), steps.as_ref()].into_iter().flatten() {
            out.extend_from_slice(&(part.len() as u64).to_le_bytes());
            out.extend_from_slice(part);
        }
        let checksum = crc32fast::hash(&out);
        out.extend_from_slice(&checksum.to_le_bytes());
        out
    }

    /// Reads and checks a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
        if bytes.len() < MAGIC.len() || &bytes[..MAGIC.len()] != MAGIC {
            return Err(Error::model("this is not a RebelBoost model"));
        }
        let mut reader = Reader::new(&bytes[MAGIC.len()..]);
        let version = reader.u32()?;
        if version == 0 || version > VERSION {
            return Err(Error::model(format!(
                "the model has file version {version}; this program reads versions up to {VERSION}"
            ))
            .hint("update RebelBoost"));
        }
        let header = reader.sized()?;
        let body = reader.sized()?;
        let steps = if version > WITHOUT_STEPS { Some(reader.sized()?) } else { None };
        let checksum = reader.u32()?;
        reader.finish()?;
        if checksum != crc32fast::hash(&bytes[..bytes.len() - 4]) {
            return Err(Error::model("the model file is damaged: its checksum does not fit")
                .hint("copy it again or train anew"));
        }
        let mut header: Header = serde_json::from_slice(header)
            .map_err(|e| Error::model(format!("the model's header cannot be understood: {e}")))?;
        let costs = check_header(&header)?;
        header.schema.steps = match (steps, header.steps.take()) {
            (Some(bytes), Some(steps)) => Some(Arc::new(steps::decode(bytes, steps)?)),
            (None, None) => None,
            _ => return Err(Error::model("the model is inconsistent: header and file differ about steps before it")),
        };
        if header.schema.steps.as_ref().is_some_and(|steps| steps.outputs() != header.schema.features) {
            return Err(Error::model("the steps before the model do not lead to its features"));
        }
        let chain = body::decode(body, &header.schema, &header.chains)?;
        Ok(Model {
            schema: header.schema,
            provenance: header.provenance,
            costs,
            decision: header.decision,
            link: header.link,
            parts: header.parts,
            chain,
        })
    }

    /// The JSON twin: everything the file holds, for people and other programs.
    pub fn to_json(&self) -> serde_json::Value {
        let mut json = serde_json::to_value(self.header()).unwrap_or_default();
        json["version"] = self.version().into();
        json["chains"] = serde_json::to_value([&self.chain]).unwrap_or_default();
        json
    }

    /// The version of its file.
    fn version(&self) -> u32 {
        if self.schema.steps.is_some() { VERSION } else { WITHOUT_STEPS }
    }

    fn header(&self) -> Header {
        let costs = self.costs.as_ref().map(|c| (0..c.classes()).map(|truth| c.row(truth).to_vec()).collect());
        Header {
            schema: self.schema.clone(),
            provenance: self.provenance.clone(),
            costs,
            decision: self.decision,
            link: self.link.clone(),
            parts: self.parts.clone(),
            steps: self.schema.steps.as_ref().map(|steps| steps::describe(steps)),
            chains: vec![self.chain.terms.len()],
        }
    }
}

fn check_header(header: &Header) -> Result<Option<CostMatrix>> {
    let Schema { features, classes, .. } = &header.schema;
    let refuse = |what: &str| Err(Error::model(format!("the model is inconsistent: {what}")));
    if classes.len() < 2 || features.is_empty() {
        return refuse("it needs two classes and a feature");
    }
    if header.chains.len() != 1 {
        return refuse("this version holds one chain");
    }
    let terms = header.parts.iter().try_fold(0usize, |sum, part| sum.checked_add(part.terms));
    if !header.parts.is_empty() && terms != Some(header.chains[0]) {
        return refuse("its members do not add up to its terms");
    }
    for feature in features {
        if let FeatureKind::Categorical(levels) = &feature.kind
            && levels.is_empty()
        {
            return refuse("a categorical feature has no level");
        }
    }
    if let Some(link) = &header.link {
        Link::named(link).map_err(|e| Error::model(format!("the model's link is unknown: {e}")))?;
    }
    let costs = match &header.costs {
        None => None,
        Some(rows) if rows.iter().any(|row| row.len() != classes.len()) => return refuse("its costs are ragged"),
        Some(rows) => Some(CostMatrix::new(rows.concat(), classes).map_err(|e| Error::model(e.to_string()))?),
    };
    if costs.is_none() && header.decision != Decision::LargestScore {
        return refuse("it decides by costs but holds none");
    }
    Ok(costs)
}
