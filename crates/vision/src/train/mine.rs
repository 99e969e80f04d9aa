//! Background windows that the cascade so far takes for objects. The search is bounded: so many passes over the scenes,
//! each with other windows, and never more windows than asked for.

use super::patches::factor;
use crate::cascade::Cascade;
use crate::detect::pyramid::{Level, levels};
use crate::detect::{DetectOptions, Place};
use crate::geometry::Size;
use crate::image::Gray;
use crate::source::ImageFile;
use rand::prelude::*;
use rebelboost::context::{Context, stream};
use rebelboost::error::Result;

/// Passes over all scenes before the search is given up.
const PASSES: usize = 4;
/// Scenes searched before it is asked whether there are enough.
const BATCH: usize = 16;

/// What a search brought.
pub struct Mined {
    /// Windows, at most as many as wanted.
    pub patches: Vec<Gray>,
    /// Windows looked at.
    pub searched: u64,
}

/// Searches scenes without objects for windows that `cascade` accepts; without one, any window will do.
pub fn mine(
    cascade: &Cascade,
    scenes: &[ImageFile],
    wanted: usize,
    most_windows: u64,
    round: usize,
    context: &Context,
) -> Result<Mined> {
    let mut found = Mined { patches: Vec::new(), searched: 0 };
    // No scene gives more than a few times its share, or the first ones would give all.
    let share = 8 + 2 * wanted / scenes.len().max(1);
    for pass in 0..PASSES {
        let mut order: Vec<usize> = (0..scenes.len()).collect();
        order.shuffle(&mut context.stream(&format!("mine-{round}-{pass}")));
        for batch in order.chunks(BATCH) {
            let search = |i: usize| {
                let scene = altered(scenes[batch[i]].read()?, pass);
                let name = format!("mine-{round}-{pass}-{}", batch[i]);
                windows(cascade, &scene, share, &mut stream(context.seed(), &name), context)
            };
            for result in context.map(batch.len(), usize::MAX, search) {
                let (patches, searched) = result?;
                found.searched += searched;
                found.patches.extend(patches);
            }
            if found.patches.len() >= wanted || found.searched >= most_windows || context.asked_to_stop().is_some() {
                found.patches.truncate(wanted);
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// The scene, or on later passes one with other windows: mirrored, a little smaller.
pub(super) fn altered(scene: Gray, pass: usize) -> Gray {
    let scene = if pass % 2 == 1 { scene.mirrored() } else { scene };
    let share = 1.0 - 0.045 * (pass / 2) as f32;
    let size = scene.size().scaled(share);
    if pass < 2 || size.is_empty() { scene } else { scene.resized(size) }
}

/// Some accepted windows of a scene, and how many were looked at.
fn windows(
    cascade: &Cascade,
    scene: &Gray,
    share: usize,
    random: &mut impl Rng,
    context: &Context,
) -> Result<(Vec<Gray>, u64)> {
    let options = DetectOptions::default();
    let window = cascade.window;
    let levels = levels(scene.size(), window, &options);
    let mut places: Vec<Place>;
    let searched;
    if cascade.stages.is_empty() {
        places = (0..2 * share).filter_map(|_| anywhere(&levels, window, random)).collect();
        searched = places.len() as u64;
    } else {
        places = cascade.candidates(scene, &options, context)?.into_iter().map(|c| c.place).collect();
        searched = levels.iter().map(|level| visited(level, window)).sum();
        places.shuffle(random);
        places.truncate(share);
    }
    // Level by level, so that each is made once.
    places.sort_by_key(|place| (place.level, place.y, place.x));
    let mut patches = Vec::new();
    for same in places.chunk_by(|a, b| a.level == b.level) {
        let level = scene.resized(levels[same[0].level].size);
        patches.extend(same.iter().map(|place| cut(&level, place, window)).filter(|patch| factor(patch).is_some()));
    }
    patches.shuffle(random);
    patches.truncate(share);
    Ok((patches, searched))
}

fn visited(level: &Level, window: Size) -> u64 {
    let places = |size: u32, window: u32| u64::from((size + 1).saturating_sub(window)).div_ceil(level.step as u64);
    places(level.size.width, window.width) * places(level.size.height, window.height)
}

fn anywhere(levels: &[Level], window: Size, random: &mut impl Rng) -> Option<Place> {
    let level = random.random_range(0..levels.len().max(1));
    let size = levels.get(level)?.size;
    let mut place = |size: u32, window: u32| random.random_range(0..=size.checked_sub(window)?).try_into().ok();
    Some(Place { level, x: place(size.width, window.width)?, y: place(size.height, window.height)? })
}

fn cut(level: &Gray, place: &Place, window: Size) -> Gray {
    let (width, height) = (window.width as usize, window.height as usize);
    let rows = place.y..place.y + height;
    let pixels = rows.flat_map(|y| level.row(y)[place.x..place.x + width].iter().copied()).collect();
    Gray::from_parts(width, height, pixels)
}
