//! What is learned from and what is held out.

use super::patches::{Patches, factor};
use super::settings::TrainSettings;
use super::stage::Part;
use crate::geometry::Size;
use crate::haar::Kinds;
use crate::image::Gray;
use rand::prelude::*;
use rebelboost::context::Context;
use rebelboost::error::{Error, Result};

/// Fewer objects cannot be split into a part to learn from and one to set thresholds by.
const LEAST_OBJECTS: usize = 10;

/// Objects at the window's size, those held out apart from those to learn from; mirrored ones stay with their originals.
/// Those held out also as they were given.
pub fn split_objects<'a>(
    objects: &'a [Gray],
    window: Size,
    settings: &TrainSettings,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<(Part, Vec<&'a Gray>)> {
    let resized: Vec<Gray> = context.map(objects.len(), usize::MAX, |i| objects[i].resized(window));
    let mut judged: Vec<(Gray, &Gray)> =
        resized.into_iter().zip(objects).filter(|(patch, _)| factor(patch).is_some()).collect();
    if judged.len() < objects.len() {
        notes.push(format!("{} objects have too little contrast and are left out", objects.len() - judged.len()));
    }
    if judged.len() < LEAST_OBJECTS {
        return Err(Error::data(format!("{} usable images of objects are too few", judged.len()))
            .hint("a few hundred are a start, a few thousand are good"));
    }
    judged.shuffle(&mut context.stream("objects"));
    let tilted = settings.kinds == Kinds::All;
    let held = held_out(judged.len(), settings.validation);
    let with_mirrored = |patches: &[(Gray, &Gray)]| {
        let mut all: Vec<Gray> = patches.iter().map(|(patch, _)| patch.clone()).collect();
        if settings.mirror {
            all.extend(patches.iter().map(|(patch, _)| patch.mirrored()));
        }
        Patches::new(window, &all, tilted)
    };
    let part = Part { held: with_mirrored(&judged[..held]), train: with_mirrored(&judged[held..]) };
    Ok((part, judged[..held].iter().map(|(_, original)| *original).collect()))
}

fn held_out(count: usize, share: f64) -> usize {
    ((count as f64 * share).round() as usize).clamp(1, count - 1)
}

/// Background held out apart from that to learn from; mining has already shuffled it.
pub fn split(patches: Vec<Gray>, window: Size, share: f64, tilted: bool) -> Part {
    let held = held_out(patches.len(), share);
    Part {
        held: Patches::new(window, &patches[..held], tilted),
        train: Patches::new(window, &patches[held..], tilted),
    }
}
