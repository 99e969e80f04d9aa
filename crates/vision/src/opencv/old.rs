//! The format before OpenCV 2.4 (`opencv-haar-classifier`): each node holds its feature, each stage its trees.

use super::FORGIVEN;
use super::text::{children, complain, element, find, haar, numbers, real_value, value};
use crate::calibration::Calibration;
use crate::cascade::{Cascade, Features, Node as TreeNode, Stage, Test, Tree};
use crate::geometry::Size;
use crate::haar::HaarFeature;
use rebelboost::error::Result;
use roxmltree::Node;

pub(super) fn read(node: Node<'_, '_>) -> Result<Cascade> {
    let size = element(node, "size")?;
    let [width, height] = numbers(size)?[..] else {
        return Err(complain(size, "'size' does not hold a width and a height".to_string()));
    };
    let mut features = Vec::new();
    let stages = children(element(node, "stages")?);
    let stages = stages.map(|node| stage(node, &mut features)).collect::<Result<_>>()?;
    Ok(Cascade {
        window: Size::new(width, height),
        features: Features::Haar(features),
        stages,
        carries: false,
        calibration: Calibration::default(),
    })
}

fn stage(node: Node<'_, '_>, features: &mut Vec<HaarFeature>) -> Result<Stage> {
    Ok(Stage {
        threshold: real_value(node, "stage_threshold")? - FORGIVEN,
        trees: children(element(node, "trees")?).map(|node| tree(node, features)).collect::<Result<_>>()?,
    })
}

fn tree(node: Node<'_, '_>, features: &mut Vec<HaarFeature>) -> Result<Tree> {
    let mut tree = Tree { nodes: Vec::new(), leaves: Vec::new() };
    for node in children(node) {
        let feature = features.len() as u32;
        features.push(haar(element(node, "feature")?)?);
        let test = Test::Below(real_value(node, "threshold")?);
        let mut child = |value_name, node_name| match find(node, value_name) {
            Some(_) => {
                tree.leaves.push(real_value(node, value_name)?);
                Ok(1 - tree.leaves.len() as i32)
            }
            None => value::<i32>(node, node_name),
        };
        let (left, right) = (child("left_val", "left_node")?, child("right_val", "right_node")?);
        tree.nodes.push(TreeNode { feature, test, left, right });
    }
    Ok(tree)
}
