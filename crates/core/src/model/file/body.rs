//! Terms as bytes. Every kind of weak model has a tag that is never reused.

use super::bytes::Reader;
use super::{committee, direction, ellipse, similarity, slope, tree, turned};
use crate::data::Schema;
use crate::error::{Error, Result};
use crate::model::{Chain, Term, WeakModel};

pub(super) const TREE: u8 = 1;
const SIMILARITY: u8 = 2;
const REGIONS: u8 = 3;
/// As above, with leaves that share vectors.
const SHARED_REGIONS: u8 = 4;
/// A similarity in another than the first metric.
const SIMILARITY_IN: u8 = 5;
pub(super) const DIRECTION: u8 = 6;
const COMMITTEE: u8 = 7;
const SLOPE: u8 = 8;
const RAMP: u8 = 9;
const ELLIPSE: u8 = 10;
const TURNED: u8 = 11;
/// As above, with leaves that share vectors.
const SHARED_TURNED: u8 = 12;
/// Metrics a file may hold.
const MOST_METRICS: u32 = 64;

pub(super) fn encode(chain: &Chain) -> Vec<u8> {
    let mut out = Vec::new();
    put_f64s(&mut out, &chain.bias);
    for term in &chain.terms {
        put_learner(&mut out, &term.learner);
        put_f64s(&mut out, &term.output);
    }
    chain.supports.iter().for_each(|supports| similarity::put_supports(&mut out, supports));
    out
}

/// A learner, its tag first.
pub(super) fn put_learner(out: &mut Vec<u8>, learner: &WeakModel) {
    match learner {
        WeakModel::Tree(tree) => {
            out.push(TREE);
            tree::put(out, tree, |out, leaf| out.push(leaf.sign as u8));
        }
        WeakModel::Regions(tree) => {
            out.push(if tree.counts_up() { REGIONS } else { SHARED_REGIONS });
            tree::put_regions(out, tree);
        }
        WeakModel::Direction(direction) => {
            out.push(DIRECTION);
            direction::put(out, direction);
        }
        WeakModel::Committee(committee) => {
            out.push(COMMITTEE);
            committee::put(out, committee);
        }
        WeakModel::Slope(slope) => {
            out.push(SLOPE);
            slope::put(out, slope);
        }
        WeakModel::Ramp(ramp) => {
            out.push(RAMP);
            direction::put_ramp(out, ramp);
        }
        WeakModel::Ellipse(ellipse) => {
            out.push(ELLIPSE);
            ellipse::put(out, ellipse);
        }
        WeakModel::Turned(turned) => {
            out.push(if turned.tree.counts_up() { TURNED } else { SHARED_TURNED });
            turned::put(out, turned);
        }
        WeakModel::Similarity(learner) => {
            // Files of one metric keep the bytes they have always had.
            match learner.metric {
                0 => out.push(SIMILARITY),
                metric => {
                    out.push(SIMILARITY_IN);
                    put_u32(out, metric);
                }
            }
            similarity::put_learner(out, learner);
        }
    }
}

pub(super) fn decode(bytes: &[u8], schema: &Schema, chains: &[usize]) -> Result<Chain> {
    let classes = schema.class_count();
    let mut reader = Reader::new(bytes);
    let bias = reader.f64s(classes)?;
    let mut terms = Vec::new();
    for _ in 0..chains.first().copied().unwrap_or(0) {
        let mut vectors = 1;
        let learner = match reader.u8()? {
            TREE => WeakModel::Tree(tree::signs(&mut reader, schema)?),
            SIMILARITY => WeakModel::Similarity(similarity::learner(&mut reader, 0)?),
            SIMILARITY_IN => match reader.u32()? {
                metric if metric < MOST_METRICS => WeakModel::Similarity(similarity::learner(&mut reader, metric)?),
                metric => return Err(Error::model(format!("the model names a metric {metric}, which is too many"))),
            },
            tag @ (REGIONS | SHARED_REGIONS) => {
                let (tree, regions) = tree::regions(&mut reader, tag == SHARED_REGIONS, &tree::kinds(schema))?;
                vectors = regions;
                WeakModel::Regions(tree)
            }
            DIRECTION => WeakModel::Direction(direction::read(&mut reader, schema)?),
            COMMITTEE => WeakModel::Committee(committee::read(&mut reader, schema)?),
            SLOPE => WeakModel::Slope(slope::read(&mut reader, schema)?),
            RAMP => WeakModel::Ramp(direction::read_ramp(&mut reader, schema)?),
            ELLIPSE => WeakModel::Ellipse(ellipse::read(&mut reader, schema)?),
            tag @ (TURNED | SHARED_TURNED) => {
                let (turned, regions) = turned::read(&mut reader, schema, tag == SHARED_TURNED)?;
                vectors = regions;
                WeakModel::Turned(turned)
            }
            tag => return Err(Error::model(format!("the model holds an unknown kind of learner ({tag})"))),
        };
        terms.push(Term { learner, output: reader.f64s(classes.saturating_mul(vectors))? });
    }
    let similarities = || {
        terms.iter().filter_map(|term: &Term| match &term.learner {
            WeakModel::Similarity(learner) => Some(learner),
            _ => None,
        })
    };
    let metrics = similarities().map(|learner| learner.metric + 1).max().unwrap_or(0);
    let supports = (0..metrics)
        .map(|metric| similarity::supports(&mut reader, schema, similarities().filter(|l| l.metric == metric)))
        .collect::<Result<Vec<_>>>()?;
    reader.finish()?;
    Ok(Chain { bias, terms, supports })
}

pub(super) fn put_f64s(out: &mut Vec<u8>, values: &[f64]) {
    values.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
}

pub(super) fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}
