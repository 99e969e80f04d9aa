//! The steps before a model (version 2). The header says what they are; here are the numbers of the extractions.
//!
//! ```text
//! each extraction: tag u8 | coding, as of similarities | what the tag says:
//!   pca (1), lda (2):  outputs u32 | means f64 | directions f64 | shares f64
//!   k-means (3):       gives distances u8 | centres u32 | centres f64
//!   isomap (4):        outputs u32 | landmarks u32 | neighbours u32 | points f64 | projection f64 | offsets f64
//! ```

use super::body::{put_f64s, put_u32};
use super::bytes::Reader;
use super::similarity::{coding, flag, put_coding};
use crate::data::{Feature, FeatureKind};
use crate::error::{Error, Result};
use crate::extract::isomap::{MOST_LANDMARKS, MOST_NEIGHBOURS};
use crate::extract::linear::Kind;
use crate::extract::{Clusters, Isomap, Linear, Map};
use crate::steps::{Extracted, Selected, Steps};
use serde::{Deserialize, Serialize};

const PCA: u8 = 1;
const LDA: u8 = 2;
const CLUSTERS: u8 = 3;
const ISOMAP: u8 = 4;
/// Outputs of one step.
const MOST_OUTPUTS: usize = 1 << 20;
/// Coordinates are no larger than this in training; sums of their squares, and products with any score, are finite.
const LARGEST_POINT: f64 = 1e30;

/// What the header says of steps.
#[derive(Serialize, Deserialize)]
pub(super) struct Described {
    inputs: Vec<Feature>,
    selections: Vec<Selected>,
    extractions: Vec<String>,
}

fn refuse(what: &str) -> Error {
    Error::model(format!("the steps before the model are broken: {what}"))
}

pub(super) fn describe(steps: &Steps) -> Described {
    Described {
        inputs: steps.inputs.clone(),
        selections: steps.selections.clone(),
        extractions: steps.extractions.iter().map(|step| step.step.clone()).collect(),
    }
}

pub(super) fn encode(steps: &Steps) -> Vec<u8> {
    let mut out = Vec::new();
    for Extracted { map, .. } in &steps.extractions {
        match map {
            Map::Linear(map) => {
                out.push(if map.kind == Kind::Pca { PCA } else { LDA });
                put_coding(&mut out, &map.coding);
                put_u32(&mut out, map.count() as u32);
                [&map.means, &map.directions, &map.shares].iter().for_each(|numbers| put_f64s(&mut out, numbers));
            }
            Map::Clusters(map) => {
                out.push(CLUSTERS);
                put_coding(&mut out, &map.coding);
                out.push(u8::from(map.distances));
                put_u32(&mut out, map.count() as u32);
                put_f64s(&mut out, &map.centres);
            }
            Map::Isomap(map) => {
                out.push(ISOMAP);
                put_coding(&mut out, &map.coding);
                [map.count(), map.landmarks(), map.neighbours].iter().for_each(|n| put_u32(&mut out, *n as u32));
                [&map.points, &map.projection, &map.offsets].iter().for_each(|numbers| put_f64s(&mut out, numbers));
            }
        }
    }
    out
}

impl Steps {
    /// The steps alone, for those who keep them without a model: header length u64, header, the rest.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = serde_json::to_vec(&describe(self)).unwrap_or_default();
        [&(header.len() as u64).to_le_bytes(), header.as_slice(), &encode(self)].concat()
    }

    /// Reads and checks what [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes);
        let described = serde_json::from_slice(reader.sized()?)
            .map_err(|e| refuse(&format!("their header cannot be understood: {e}")))?;
        decode(reader.rest(), described)
    }
}

/// Checks all that taking the steps relies on.
pub(super) fn decode(bytes: &[u8], described: Described) -> Result<Steps> {
    let Described { inputs, selections, extractions } = described;
    if inputs.is_empty() || inputs.iter().any(|f| matches!(&f.kind, FeatureKind::Categorical(l) if l.is_empty())) {
        return Err(refuse("they need a column, and a category needs a level"));
    }
    if selections.iter().any(|selected| selected.names.len() != selected.scores.len()) {
        return Err(refuse("not every selected feature has a score"));
    }
    let mut reader = Reader::new(bytes);
    let mut features = inputs.clone();
    let mut found = Vec::new();
    for step in extractions {
        let map = map(&mut reader, &features)?;
        features = map.outputs();
        found.push(Extracted { step, map });
    }
    reader.finish()?;
    Ok(Steps { inputs, selections, extractions: found })
}

fn map(reader: &mut Reader<'_>, features: &[Feature]) -> Result<Map> {
    let tag = reader.u8()?;
    let coding = coding(reader, features)?;
    if coding.whitening.is_some() {
        return Err(refuse("points are whitened"));
    }
    let dimensions = coding.dimensions();
    match tag {
        PCA | LDA => {
            let outputs = count(reader, MOST_OUTPUTS)?;
            let means = reader.f64s(dimensions)?;
            let directions = reader.f64s(outputs.saturating_mul(dimensions))?;
            let kind = if tag == PCA { Kind::Pca } else { Kind::Lda };
            Ok(Map::Linear(Linear { kind, coding, means, directions, shares: reader.f64s(outputs)? }))
        }
        CLUSTERS => {
            let distances = flag(reader)?;
            let centres = count(reader, MOST_OUTPUTS)?;
            let centres = reader.f64s(centres.saturating_mul(dimensions))?;
            Ok(Map::Clusters(Clusters { coding, centres, distances }))
        }
        ISOMAP => {
            let (outputs, landmarks) = (count(reader, MOST_OUTPUTS)?, count(reader, MOST_LANDMARKS)?);
            let neighbours = count(reader, MOST_NEIGHBOURS)?;
            let points = reader.f64s(landmarks.saturating_mul(dimensions))?;
            if points.iter().any(|x| x.abs() > LARGEST_POINT) {
                return Err(refuse("a coordinate is out of range"));
            }
            let projection = reader.f64s(outputs.saturating_mul(landmarks))?;
            let offsets = reader.f64s(outputs)?;
            Ok(Map::Isomap(Isomap::restored(coding, points, neighbours, projection, offsets)))
        }
        _ => Err(refuse(&format!("an unknown kind of extraction ({tag})"))),
    }
}

fn count(reader: &mut Reader<'_>, most: usize) -> Result<usize> {
    match reader.u32()? as usize {
        count if (1..=most).contains(&count) => Ok(count),
        count => Err(refuse(&format!("a number of {count}"))),
    }
}
