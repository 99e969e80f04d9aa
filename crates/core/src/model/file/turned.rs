//! Trees in turned coordinates as bytes (docs/file-format.md): the axes, then the tree.

use super::body::put_u32;
use super::bytes::Reader;
use super::{direction, tree};
use crate::data::{FeatureKind, Schema};
use crate::error::{Error, Result};
use crate::model::TurnedTree;

pub(super) fn put(out: &mut Vec<u8>, turned: &TurnedTree) {
    put_u32(out, turned.axes.len() as u32);
    turned.axes.iter().for_each(|axis| direction::put_coordinates(out, axis));
    tree::put_regions(out, &turned.tree);
}

/// The tree and how many vectors it has. Checks what prediction relies on: axes of columns that are there, and questions about
/// axes that are there.
pub(super) fn read(reader: &mut Reader<'_>, schema: &Schema, shared: bool) -> Result<(TurnedTree, usize)> {
    let mut axes = Vec::new();
    for _ in 0..reader.u32()? {
        let axis = direction::coordinates(reader, schema)?;
        if axis.iter().all(|c| c.weight == 0.0) {
            return Err(Error::model("the model holds a broken tree: an axis mixes nothing"));
        }
        axes.push(axis);
    }
    let kind = |axis: u32| ((axis as usize) < axes.len()).then_some(&FeatureKind::Numeric);
    let (tree, regions) = tree::regions(reader, shared, &kind)?;
    Ok((TurnedTree { axes, tree }, regions))
}
