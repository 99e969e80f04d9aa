//! Writing the new format, as `opencv_traincascade` did: OpenCV 4 loads it and finds the same boxes.

use super::FORGIVEN;
use crate::cascade::{Cascade, Features, Stage, Test, Tree};
use crate::geometry::Rect;
use rebelboost::error::{Error, Result};
use std::fmt::Write;

pub(super) fn write(cascade: &Cascade) -> Result<String> {
    if cascade.carries {
        return Err(Error::option("OpenCV's XML cannot hold a soft cascade")
            .hint("keep it in our own format, or train an attentional one"));
    }
    cascade.check()?;
    let (kind, categories) = match cascade.features {
        Features::Haar(_) => ("HAAR", 0),
        Features::Lbp(_) => ("LBP", 256),
    };
    let most = cascade.stages.iter().map(|stage| stage.trees.len()).max().unwrap_or(0);
    let mut out = format!(
        "<?xml version=\"1.0\"?>\n<opencv_storage>\n<cascade type_id=\"opencv-cascade-classifier\">\n  \
         <stageType>BOOST</stageType>\n  <featureType>{kind}</featureType>\n  <height>{}</height>\n  \
         <width>{}</width>\n  <stageParams>\n    <maxWeakCount>{most}</maxWeakCount></stageParams>\n  \
         <featureParams>\n    <maxCatCount>{categories}</maxCatCount></featureParams>\n  \
         <stageNum>{}</stageNum>\n  <stages>\n",
        cascade.window.height,
        cascade.window.width,
        cascade.stages.len()
    );
    cascade.stages.iter().for_each(|stage| write_stage(&mut out, stage));
    out += "  </stages>\n  <features>\n";
    match &cascade.features {
        Features::Haar(features) => features.iter().for_each(|feature| {
            out += "    <_>\n      <rects>\n";
            for part in &feature.parts {
                line(&mut out, format_args!("        <_>{} {}</_>", sides(&part.rect), real(part.weight)));
            }
            line(&mut out, format_args!("      </rects>\n      <tilted>{}</tilted></_>", u8::from(feature.tilted)));
        }),
        Features::Lbp(cells) => cells.iter().for_each(|cell| {
            line(&mut out, format_args!("    <_>\n      <rect>{}</rect></_>", sides(cell)));
        }),
    }
    out += "  </features>\n</cascade>\n</opencv_storage>\n";
    Ok(out)
}

fn write_stage(out: &mut String, stage: &Stage) {
    line(
        out,
        format_args!(
            "    <_>\n      <maxWeakCount>{}</maxWeakCount>\n      <stageThreshold>{}</stageThreshold>\n      \
             <weakClassifiers>",
            stage.trees.len(),
            real(unforgiven(stage.threshold))
        ),
    );
    stage.trees.iter().for_each(|tree| write_tree(out, tree));
    *out += "      </weakClassifiers></_>\n";
}

fn write_tree(out: &mut String, tree: &Tree) {
    *out += "        <_>\n          <internalNodes>\n           ";
    for node in &tree.nodes {
        let _ = write!(out, " {} {} {}", node.left, node.right, node.feature);
        match &node.test {
            Test::Below(threshold) => *out += &format!(" {}", real(*threshold)),
            Test::In(set) => set.iter().for_each(|bits| *out += &format!(" {}", *bits as i32)),
        }
    }
    *out += "</internalNodes>\n          <leafValues>\n           ";
    tree.leaves.iter().for_each(|leaf| *out += &format!(" {}", real(*leaf)));
    *out += "</leafValues></_>\n";
}

/// The number that becomes this threshold when it is read again: OpenCV will subtract what it forgives.
fn unforgiven(threshold: f32) -> f32 {
    let guess = threshold + FORGIVEN;
    let candidates =
        [guess, guess.next_up(), guess.next_down(), guess.next_up().next_up(), guess.next_down().next_down()];
    candidates.into_iter().find(|c| c - FORGIVEN == threshold).unwrap_or(guess)
}

/// Nine digits, from which the very same number is read.
fn real(value: f32) -> String {
    format!("{value:.8e}")
}

fn sides(rect: &Rect) -> String {
    format!("{} {} {} {}", rect.x, rect.y, rect.width, rect.height)
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{text}");
}
