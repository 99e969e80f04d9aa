//! A cascade: boosted trees over features of a window, with thresholds at which a window is turned down.
//!
//! One form serves both kinds. In an *attentional* cascade (Viola and Jones 2001, sec. 4) each stage adds up its own
//! trees. A *soft* cascade (Bourdev and Brandt 2005) is the same with the sum carried over from stage to stage and only a
//! few trees, often one, between two thresholds.

use crate::calibration::Calibration;
use crate::geometry::{Rect, Size};
use crate::haar::HaarFeature;
use crate::lbp;
use rebelboost::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Widest and highest window believed; real ones have a few dozen pixels.
const MAX_WINDOW: u32 = 1024;

/// A detector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cascade {
    /// Size of the window the features are about.
    pub window: Size,
    /// What trees ask about.
    pub features: Features,
    /// In the order they are asked.
    pub stages: Vec<Stage>,
    /// Whether a stage goes on from the sum of the one before: a soft cascade.
    pub carries: bool,
    /// What the margins of the windows of a box mean.
    pub calibration: Calibration,
}

/// The features of one cascade are of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Features {
    /// Differences of rectangles, divided by the deviation of the window.
    Haar(Vec<HaarFeature>),
    /// Local binary patterns; the first block of each grid.
    Lbp(Vec<Rect>),
}

/// Trees, and the sum below which a window is turned down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// A window passes with at least this sum; [`f32::MIN`] lets every window pass.
    pub threshold: f32,
    /// The trees.
    pub trees: Vec<Tree>,
}

/// A tree of tests. A child above zero is a node; one of zero or below is minus the number of a leaf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// The root is the first; children come after their parents.
    pub nodes: Vec<Node>,
    /// What the tree adds to the sum.
    pub leaves: Vec<f32>,
}

/// A test of one feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Position in the cascade's features.
    pub feature: u32,
    /// What sends a window to the left.
    pub test: Test,
    /// Where to go.
    pub left: i32,
    /// Where else to go.
    pub right: i32,
}

/// What sends a window to the left child.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Test {
    /// A Haar feature below this.
    Below(f32),
    /// A pattern in this set, one bit a pattern.
    In([u32; 8]),
}

impl Tree {
    /// A test of one feature with two answers.
    pub fn stump(feature: u32, test: Test, left: f32, right: f32) -> Self {
        Tree { nodes: vec![Node { feature, test, left: 0, right: -1 }], leaves: vec![left, right] }
    }
}

impl Cascade {
    /// Number of features.
    pub fn feature_count(&self) -> usize {
        match &self.features {
            Features::Haar(features) => features.len(),
            Features::Lbp(features) => features.len(),
        }
    }

    /// Number of trees.
    pub fn tree_count(&self) -> usize {
        self.stages.iter().map(|stage| stage.trees.len()).sum()
    }

    /// Whether any feature needs the tilted integral image.
    pub fn is_tilted(&self) -> bool {
        matches!(&self.features, Features::Haar(features) if features.iter().any(|feature| feature.tilted))
    }

    /// Refuses what cannot be run: everything a reader hands on has passed here, so detection need not doubt it.
    pub fn check(&self) -> Result<()> {
        let Size { width, height } = self.window;
        if !(3..=MAX_WINDOW).contains(&width) || !(3..=MAX_WINDOW).contains(&height) {
            return Err(Error::model(format!("a window of {} is not possible, only 3x3 to 1024x1024", self.window)));
        }
        if self.stages.is_empty() {
            return Err(Error::model("the cascade has no stages"));
        }
        let misfit = match &self.features {
            Features::Haar(features) => features.iter().position(|f| {
                !(2..=3).contains(&f.parts.len())
                    || !f.fits(self.window)
                    || f.parts.iter().any(|part| !part.weight.is_finite())
            }),
            Features::Lbp(cells) => cells.iter().position(|cell| !lbp::fits(cell, self.window)),
        };
        if let Some(feature) = misfit {
            return Err(Error::model(format!("feature {feature} does not fit the window of {}", self.window)));
        }
        let count = self.feature_count();
        let haar = matches!(self.features, Features::Haar(_));
        for (number, stage) in self.stages.iter().enumerate() {
            let complain = |what: String| Err(Error::model(format!("stage {number}: {what}")));
            if stage.trees.is_empty() {
                return complain("there are no trees".into());
            }
            if !stage.threshold.is_finite() {
                return complain(format!("the threshold is {}", stage.threshold));
            }
            for (t, tree) in stage.trees.iter().enumerate() {
                if let Err(what) = tree.check(count, haar) {
                    return complain(format!("tree {t}: {what}"));
                }
            }
        }
        self.calibration.check()
    }
}

impl Tree {
    fn check(&self, features: usize, haar: bool) -> Result<(), String> {
        if self.nodes.is_empty() {
            return Err("there are no nodes".into());
        }
        if let Some(leaf) = self.leaves.iter().find(|leaf| !leaf.is_finite()) {
            return Err(format!("a leaf is {leaf}"));
        }
        for (i, node) in self.nodes.iter().enumerate() {
            for child in [node.left, node.right] {
                let there = if child > 0 {
                    // A way back would never end.
                    child as usize > i && (child as usize) < self.nodes.len()
                } else {
                    (child.unsigned_abs() as usize) < self.leaves.len()
                };
                if !there {
                    return Err(format!("node {i} leads to {child}, which is not there"));
                }
            }
            if node.feature as usize >= features {
                return Err(format!("node {i} asks about feature {}, but there are only {features}", node.feature));
            }
            match &node.test {
                Test::Below(threshold) if !haar || !threshold.is_finite() => {
                    return Err(format!("the test of node {i} is not one of its features"));
                }
                Test::In(_) if haar => return Err(format!("the test of node {i} is not one of its features")),
                _ => {}
            }
        }
        Ok(())
    }
}
