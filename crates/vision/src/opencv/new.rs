//! The format of OpenCV 2.4 on: stages with `internalNodes` and `leafValues`, features in a list of their own.

use super::FORGIVEN;
use super::text::{children, complain, element, haar, number, numbers, real, real_value, value, words};
use crate::calibration::Calibration;
use crate::cascade::{Cascade, Features, Node as TreeNode, Stage, Test, Tree};
use crate::geometry::{Rect, Size};
use rebelboost::error::Result;
use roxmltree::Node;

pub(super) fn read(node: Node<'_, '_>) -> Result<Cascade> {
    let kind = element(node, "featureType")?;
    let kind = words(kind).next().unwrap_or_default();
    let features = element(node, "features")?;
    let features = match kind {
        "HAAR" => Features::Haar(children(features).map(haar).collect::<Result<_>>()?),
        "LBP" => Features::Lbp(children(features).map(lbp).collect::<Result<_>>()?),
        other => {
            let what = format!("features of the kind '{other}' are not known, only HAAR and LBP");
            return Err(complain(node, what));
        }
    };
    let sets = matches!(features, Features::Lbp(_));
    let stages = children(element(node, "stages")?).map(|node| stage(node, sets)).collect::<Result<_>>()?;
    Ok(Cascade {
        window: Size::new(value(node, "width")?, value(node, "height")?),
        features,
        stages,
        carries: false,
        calibration: Calibration::default(),
    })
}

fn stage(node: Node<'_, '_>, sets: bool) -> Result<Stage> {
    Ok(Stage {
        threshold: real_value(node, "stageThreshold")? - FORGIVEN,
        trees: children(element(node, "weakClassifiers")?).map(|node| tree(node, sets)).collect::<Result<_>>()?,
    })
}

fn tree(node: Node<'_, '_>, sets: bool) -> Result<Tree> {
    let inner = element(node, "internalNodes")?;
    let found: Vec<&str> = words(inner).collect();
    let size = if sets { 11 } else { 4 };
    if !found.len().is_multiple_of(size) {
        return Err(complain(inner, format!("'internalNodes' holds {} numbers, not {size} a node", found.len())));
    }
    let mut nodes = Vec::with_capacity(found.len() / size);
    for words in found.chunks_exact(size) {
        let test = if sets {
            let mut set = [0; 8];
            for (bits, word) in set.iter_mut().zip(&words[3..]) {
                *bits = number::<i32>(inner, word)? as u32;
            }
            Test::In(set)
        } else {
            Test::Below(real(inner, words[3])?)
        };
        let [left, right] = [number(inner, words[0])?, number(inner, words[1])?];
        nodes.push(TreeNode { feature: number(inner, words[2])?, test, left, right });
    }
    let leaves = element(node, "leafValues")?;
    Ok(Tree { nodes, leaves: words(leaves).map(|word| real(leaves, word)).collect::<Result<_>>()? })
}

fn lbp(node: Node<'_, '_>) -> Result<Rect> {
    let rect = element(node, "rect")?;
    match numbers(rect)?[..] {
        [x, y, width, height] => Ok(Rect { x, y, width, height }),
        _ => Err(complain(rect, "a rectangle needs four numbers".to_string())),
    }
}
