//! What the scores of a trained detector mean. Neither side was trained on: boxes around objects held out, pasted into
//! scenes held out at random sizes and places, against all other boxes found there. Objects count as one a scene, whatever
//! number is pasted: so a score is the share of such boxes that are objects where there is one in each scene.

use super::mine::altered;
use crate::calibration::{Calibration, Evidence};
use crate::cascade::Cascade;
use crate::detect::DetectOptions;
use crate::detect::group::boxes;
use crate::geometry::{Rect, Size};
use crate::image::Gray;
use crate::source::ImageFile;
use rand::prelude::*;
use rebelboost::context::{Context, stream};
use rebelboost::error::Result;

/// One scene in so many is kept for calibration.
const SHARE: usize = 10;
/// Fewer scenes are all needed to learn from.
const LEAST_SCENES: usize = 10;
/// Each scene is looked at as it is, mirrored and smaller.
const VIEWS: usize = 4;
/// More views of scenes than this teach little.
const MOST_VIEWS: usize = 240;
/// Objects have up to so many times the sides of the window.
const LARGEST: f64 = 4.0;
/// A box that shares this much with an object is that object.
const OVERLAP: f64 = 0.4;
/// The margins of so many of the last stages count. They were learned from much the same hard background, and each alone
/// says little: of faces held out .88 were found at 50 false boxes with the last alone, .92 with six, .90 with all twelve.
const MARGINS: usize = 6;
/// Weak boxes are wanted too: they are what most false ones look like.
const OPTIONS: DetectOptions = DetectOptions { scale_factor: 1.1, min_neighbors: 1, min_size: None, max_size: None };

/// Scenes to learn from, and scenes to calibrate with.
pub fn split_scenes(scenes: &[ImageFile], context: &Context) -> (Vec<ImageFile>, Vec<ImageFile>) {
    let mut order: Vec<usize> = (0..scenes.len()).collect();
    order.shuffle(&mut context.stream("calibration-scenes"));
    let held = if scenes.len() < LEAST_SCENES { 0 } else { scenes.len().div_ceil(SHARE) };
    let mut kept = order.split_off(held);
    kept.sort_unstable();
    let of = |numbers: Vec<usize>| numbers.into_iter().map(|i| scenes[i].clone()).collect();
    (of(kept), of(order))
}

/// A calibration, unless there are too few boxes to tell.
pub fn calibrate(
    cascade: &Cascade,
    objects: &[Gray],
    scenes: &[ImageFile],
    context: &Context,
) -> Result<Option<Calibration>> {
    // A soft cascade's last sum is of all its trees already.
    let stages = if cascade.carries { 1 } else { MARGINS.min(cascade.stages.len()) };
    let margins = Calibration { stages, ..Calibration::default() };
    let cascade = &Cascade { calibration: margins, ..cascade.clone() };
    let views = (VIEWS * scenes.len()).min(MOST_VIEWS);
    let look = |i: usize| {
        let scene = altered(scenes[i % scenes.len()].read()?, i / scenes.len());
        let mut random = stream(context.seed(), &format!("calibrate-{i}"));
        let empty = found(cascade, &scene, context)?;
        let (scene, places) = pasted(&scene, cascade.window, objects, &mut random);
        Ok((empty, found(cascade, &scene, context)?, places))
    };
    let looked = context.map(views, usize::MAX, look).into_iter().collect::<Result<Vec<_>>>()?;
    let pastes: usize = looked.iter().map(|(_, _, places)| places.len()).sum();
    let weight = views as f64 / pastes.max(1) as f64;
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for (empty, boxes, places) in looked {
        wrong.extend(empty.into_iter().map(|(_, evidence)| (evidence, 1.0)));
        let matched: Vec<Option<usize>> = places.iter().map(|place| best(&boxes, place)).collect();
        for (i, (rect, evidence)) in boxes.into_iter().enumerate() {
            if matched.contains(&Some(i)) {
                right.push((evidence, weight));
            } else if places.iter().any(|place| place.overlap(&rect) > 0.0) {
                // A second box for an object, or one of a part of it.
                wrong.push((evidence, weight));
            }
        }
    }
    Ok(Calibration::fit(&right, &wrong, stages))
}

/// The box that is this object: of those that share enough with it, the one of most windows.
fn best(boxes: &[(Rect, Evidence)], place: &Rect) -> Option<usize> {
    let own = (0..boxes.len()).filter(|&i| boxes[i].0.overlap(place) >= OVERLAP);
    own.max_by(|&a, &b| boxes[a].1.windows.total_cmp(&boxes[b].1.windows).then(b.cmp(&a)))
}

fn found(cascade: &Cascade, scene: &Gray, context: &Context) -> Result<Vec<(Rect, Evidence)>> {
    let candidates = cascade.candidates(scene, &OPTIONS, context)?;
    let groups = boxes(&candidates, scene.size(), OPTIONS.min_neighbors);
    Ok(groups.iter().map(|group| (group.rect, group.evidence(OPTIONS.density()))).collect())
}

/// The scene with an object in each quarter that has room for one, and where.
fn pasted(scene: &Gray, window: Size, objects: &[Gray], random: &mut impl Rng) -> (Gray, Vec<Rect>) {
    let (width, height) = (scene.width() / 2, scene.height() / 2);
    let mut pixels = scene.pixels().to_vec();
    let mut places = Vec::new();
    let room = (width as f64 / f64::from(window.width)).min(height as f64 / f64::from(window.height)).min(LARGEST);
    if room < 1.0 || objects.is_empty() {
        return (scene.clone(), places);
    }
    for quarter in 0..4 {
        // Small ones are more frequent than large ones.
        let size = window.scaled(room.powf(random.random::<f64>()) as f32);
        let object = objects[random.random_range(0..objects.len())].resized(size);
        let left = quarter % 2 * width + random.random_range(0..=width - object.width());
        let top = quarter / 2 * height + random.random_range(0..=height - object.height());
        for y in 0..object.height() {
            let at = (top + y) * scene.width() + left;
            pixels[at..at + object.width()].copy_from_slice(object.row(y));
        }
        places.push(Rect::new(left as i32, top as i32, object.width() as i32, object.height() as i32));
    }
    (Gray::from_parts(scene.width(), scene.height(), pixels), places)
}
