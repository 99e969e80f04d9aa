//! Terms as bytes. Every kind of weak model has a tag that is never reused.

use super::bytes::Reader;
use super::similarity;
use crate::data::{FeatureKind, Schema};
use crate::error::{Error, Result};
use crate::model::{Chain, Node, SignTree, Term, Test, WeakModel};

const TREE: u8 = 1;
const SIMILARITY: u8 = 2;
const LEAF: u8 = 0;
const AT_MOST: u8 = 1;
const ONE_OF: u8 = 2;

pub(super) fn encode(chain: &Chain) -> Vec<u8> {
    let mut out = Vec::new();
    put_f64s(&mut out, &chain.bias);
    for term in &chain.terms {
        match &term.learner {
            WeakModel::Tree(tree) => {
                out.push(TREE);
                put_tree(&mut out, tree);
            }
            WeakModel::Similarity(learner) => {
                out.push(SIMILARITY);
                similarity::put_learner(&mut out, learner);
            }
        }
        put_f64s(&mut out, &term.output);
    }
    // Exactly if a term is a similarity: files of trees alone keep their bytes.
    if let Some(supports) = &chain.supports {
        similarity::put_supports(&mut out, supports);
    }
    out
}

pub(super) fn decode(bytes: &[u8], schema: &Schema, chains: &[usize]) -> Result<Chain> {
    let classes = schema.class_count();
    let mut reader = Reader::new(bytes);
    let bias = reader.f64s(classes)?;
    let mut terms = Vec::new();
    for _ in 0..chains.first().copied().unwrap_or(0) {
        let learner = match reader.u8()? {
            TREE => WeakModel::Tree(tree(&mut reader, schema)?),
            SIMILARITY => WeakModel::Similarity(similarity::learner(&mut reader)?),
            tag => return Err(Error::model(format!("the model holds an unknown kind of learner ({tag})"))),
        };
        terms.push(Term { learner, output: reader.f64s(classes)? });
    }
    let similarities = || {
        terms.iter().filter_map(|term: &Term| match &term.learner {
            WeakModel::Similarity(learner) => Some(learner),
            WeakModel::Tree(_) => None,
        })
    };
    let supports = match similarities().next() {
        Some(_) => Some(similarity::supports(&mut reader, schema, similarities())?),
        None => None,
    };
    reader.finish()?;
    Ok(Chain { bias, terms, supports })
}

pub(super) fn put_f64s(out: &mut Vec<u8>, values: &[f64]) {
    values.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
}

pub(super) fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put_tree(out: &mut Vec<u8>, tree: &SignTree) {
    put_u32(out, tree.nodes.len() as u32);
    for node in &tree.nodes {
        match node {
            Node::Leaf { sign } => out.extend([LEAF, *sign as u8]),
            Node::Split { feature, test, missing_left, left, right } => {
                out.push(if matches!(test, Test::AtMost(_)) { AT_MOST } else { ONE_OF });
                put_u32(out, *feature);
                out.push(u8::from(*missing_left));
                put_u32(out, *left);
                put_u32(out, *right);
                match test {
                    Test::AtMost(threshold) => put_f64s(out, &[*threshold]),
                    Test::OneOf(levels) => {
                        put_u32(out, levels.len() as u32);
                        levels.iter().for_each(|level| put_u32(out, *level));
                    }
                }
            }
        }
    }
}

/// Checks what prediction relies on: children after parents (so every path ends), tests that fit their feature.
fn tree(reader: &mut Reader<'_>, schema: &Schema) -> Result<SignTree> {
    let refuse = |what: &str| Error::model(format!("the model holds a broken tree: {what}"));
    let count = reader.u32()?;
    let mut nodes = Vec::new();
    for at in 0..count {
        let node = match reader.u8()? {
            LEAF => match reader.u8()? as i8 {
                sign @ (1 | -1) => Node::Leaf { sign },
                _ => return Err(refuse("a leaf answers neither +1 nor -1")),
            },
            tag @ (AT_MOST | ONE_OF) => {
                let feature = reader.u32()?;
                let missing_left = reader.u8()? != 0;
                let (left, right) = (reader.u32()?, reader.u32()?);
                if left <= at || right <= at || left >= count || right >= count {
                    return Err(refuse("a child does not come after its parent"));
                }
                let kind = schema.features.get(feature as usize).map(|f| &f.kind);
                let test = match (tag, kind) {
                    (AT_MOST, Some(FeatureKind::Numeric)) => Test::AtMost(reader.f64()?),
                    (ONE_OF, Some(FeatureKind::Categorical(known))) => {
                        let levels = reader.u32s()?;
                        let rising = levels.windows(2).all(|pair| pair[0] < pair[1]);
                        if !rising || levels.last().is_some_and(|last| *last as usize >= known.len()) {
                            return Err(refuse("a set of levels does not fit its feature"));
                        }
                        Test::OneOf(levels)
                    }
                    _ => return Err(refuse("a question does not fit its feature")),
                };
                Node::Split { feature, test, missing_left, left, right }
            }
            tag => return Err(refuse(&format!("unknown node {tag}"))),
        };
        nodes.push(node);
    }
    if nodes.is_empty() {
        return Err(refuse("it is empty"));
    }
    Ok(SignTree { nodes })
}
