//! Trees as bytes: the number of nodes, then the nodes (docs/file-format.md).

use super::body::{put_f64s, put_u32};
use super::bytes::Reader;
use crate::data::{FeatureKind, Schema};
use crate::error::{Error, Result};
use crate::model::{Node, Region, RegionTree, Sign, SignTree, Test, Tree};

const LEAF: u8 = 0;
const AT_MOST: u8 = 1;
const ONE_OF: u8 = 2;

fn refuse(what: &str) -> Error {
    Error::model(format!("the model holds a broken tree: {what}"))
}

pub(super) fn put<L>(out: &mut Vec<u8>, tree: &Tree<L>, put_leaf: impl Fn(&mut Vec<u8>, &L)) {
    put_u32(out, tree.nodes.len() as u32);
    for node in &tree.nodes {
        match node {
            Node::Leaf(leaf) => {
                out.push(LEAF);
                put_leaf(out, leaf);
            }
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

/// A tree of regions. Leaves that share vectors say which one is theirs; others are numbered in stored order, so there is nothing to
/// write.
pub(super) fn put_regions(out: &mut Vec<u8>, tree: &RegionTree) {
    match tree.counts_up() {
        true => put(out, tree, |_, _| {}),
        false => put(out, tree, |out, leaf| put_u32(out, leaf.region)),
    }
}

/// What the features are that a tree asks about; `None` if there is no such feature.
pub(super) type Kinds<'a> = dyn Fn(u32) -> Option<&'a FeatureKind> + 'a;

/// Those of a schema.
pub(super) fn kinds<'a>(schema: &'a Schema) -> impl Fn(u32) -> Option<&'a FeatureKind> {
    |feature| schema.features.get(feature as usize).map(|f| &f.kind)
}

/// A tree whose leaves are signs.
pub(super) fn signs(reader: &mut Reader<'_>, schema: &Schema) -> Result<SignTree> {
    tree(reader, &kinds(schema), |reader| match reader.u8()? as i8 {
        sign @ (1 | -1) => Ok(Sign { sign }),
        _ => Err(refuse("a leaf answers neither +1 nor -1")),
    })
}

/// A tree whose leaves share vectors, or are numbered as they come, and how many vectors there are.
pub(super) fn regions(reader: &mut Reader<'_>, shared: bool, kinds: &Kinds<'_>) -> Result<(RegionTree, usize)> {
    let (mut next, mut regions) = (0, 0);
    let tree = tree(reader, kinds, |reader| {
        let region = if shared { reader.u32()? } else { next };
        next += 1;
        regions = regions.max(region as usize + 1);
        Ok(Region { region })
    })?;
    // Numbers without a leaf, or a number a leaf, are not what is written.
    if regions > tree.leaves() || shared == tree.counts_up() {
        return Err(refuse("its leaves are numbered wrongly"));
    }
    Ok((tree, regions))
}

/// Checks what prediction relies on: children after parents (so every path ends), one parent each (so that paths are no
/// more than leaves), tests that fit their feature.
fn tree<L>(
    reader: &mut Reader<'_>,
    kinds: &Kinds<'_>,
    mut leaf: impl FnMut(&mut Reader<'_>) -> Result<L>,
) -> Result<Tree<L>> {
    let count = reader.u32()?;
    let mut nodes = Vec::new();
    for at in 0..count {
        let node = match reader.u8()? {
            LEAF => Node::Leaf(leaf(reader)?),
            tag @ (AT_MOST | ONE_OF) => {
                let feature = reader.u32()?;
                let missing_left = reader.u8()? != 0;
                let (left, right) = (reader.u32()?, reader.u32()?);
                if left <= at || right <= at || left >= count || right >= count {
                    return Err(refuse("a child does not come after its parent"));
                }
                let test = match (tag, kinds(feature)) {
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
    let mut has_parent = vec![false; nodes.len()];
    for node in &nodes {
        if let Node::Split { left, right, .. } = node {
            for child in [*left, *right] {
                if std::mem::replace(&mut has_parent[child as usize], true) {
                    return Err(refuse("a node has two parents"));
                }
            }
        }
    }
    Ok(Tree { nodes })
}
