//! Terms as bytes. Every kind of weak model has a tag that is never reused.

use super::bytes::Reader;
use super::{direction, similarity, tree};
use crate::data::Schema;
use crate::error::{Error, Result};
use crate::model::{Chain, Term, WeakModel};

const TREE: u8 = 1;
const SIMILARITY: u8 = 2;
const REGIONS: u8 = 3;
/// As above, with leaves that share vectors.
const SHARED_REGIONS: u8 = 4;
/// A similarity in another than the first metric.
const SIMILARITY_IN: u8 = 5;
const DIRECTION: u8 = 6;
/// Metrics a file may hold.
const MOST_METRICS: u32 = 64;

pub(super) fn encode(chain: &Chain) -> Vec<u8> {
    let mut out = Vec::new();
    put_f64s(&mut out, &chain.bias);
    for term in &chain.terms {
        match &term.learner {
            WeakModel::Tree(tree) => {
                out.push(TREE);
                tree::put(&mut out, tree, |out, leaf| out.push(leaf.sign as u8));
            }
            // Leaves that share vectors say which one is theirs.
            WeakModel::Regions(tree) if !tree.counts_up() => {
                out.push(SHARED_REGIONS);
                tree::put(&mut out, tree, |out, leaf| put_u32(out, leaf.region));
            }
            // Leaves are numbered in stored order: nothing to write.
            WeakModel::Regions(tree) => {
                out.push(REGIONS);
                tree::put(&mut out, tree, |_, _| {});
            }
            WeakModel::Direction(learner) => {
                out.push(DIRECTION);
                direction::put(&mut out, learner);
            }
            WeakModel::Similarity(learner) => {
                // Files of one metric keep the bytes they have always had.
                match learner.metric {
                    0 => out.push(SIMILARITY),
                    metric => {
                        out.push(SIMILARITY_IN);
                        put_u32(&mut out, metric);
                    }
                }
                similarity::put_learner(&mut out, learner);
            }
        }
        put_f64s(&mut out, &term.output);
    }
    chain.supports.iter().for_each(|supports| similarity::put_supports(&mut out, supports));
    out
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
            REGIONS => {
                let tree = tree::regions(&mut reader, schema)?;
                vectors = tree.leaves();
                WeakModel::Regions(tree)
            }
            SHARED_REGIONS => {
                let (tree, regions) = tree::shared_regions(&mut reader, schema)?;
                vectors = regions;
                WeakModel::Regions(tree)
            }
            DIRECTION => WeakModel::Direction(direction::read(&mut reader, schema)?),
            tag => return Err(Error::model(format!("the model holds an unknown kind of learner ({tag})"))),
        };
        terms.push(Term { learner, output: reader.f64s(classes.saturating_mul(vectors))? });
    }
    let similarities = || {
        terms.iter().filter_map(|term: &Term| match &term.learner {
            WeakModel::Similarity(learner) => Some(learner),
            WeakModel::Tree(_) | WeakModel::Regions(_) | WeakModel::Direction(_) => None,
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
