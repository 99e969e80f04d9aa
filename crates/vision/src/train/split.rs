//! What is learned from and what is held out.

use super::patches::{Patches, factor};
use super::settings::TrainSettings;
use super::stage::Part;
use super::vary::{cut, varied};
use crate::geometry::Size;
use crate::haar::Kinds;
use crate::image::Gray;
use rand::prelude::*;
use rebelboost::context::{Context, stream};
use rebelboost::error::{Error, Result};

/// Fewer objects cannot be split into a part to learn from and one to set thresholds by.
const LEAST_OBJECTS: usize = 10;

/// Objects at the window's size, those held out apart from those to learn from; mirrored and varied ones stay with their
/// originals. Those held out also as large as they were given, to be seen in scenes.
pub fn split_objects(
    pictures: &[Gray],
    window: Size,
    settings: &TrainSettings,
    context: &Context,
    notes: &mut Vec<String>,
) -> Result<(Part, Vec<Gray>)> {
    let inner: Vec<Gray> = pictures.iter().map(|picture| cut(picture, settings.margin)).collect();
    let plain: Vec<Gray> = context.map(inner.len(), usize::MAX, |i| inner[i].resized(window));
    let mut judged: Vec<usize> = (0..plain.len()).filter(|&i| factor(&plain[i]).is_some()).collect();
    if judged.len() < pictures.len() {
        notes.push(format!("{} objects have too little contrast and are left out", pictures.len() - judged.len()));
    }
    if judged.len() < LEAST_OBJECTS {
        return Err(Error::data(format!("{} usable images of objects are too few", judged.len()))
            .hint("a few hundred are a start, a few thousand are good"));
    }
    judged.shuffle(&mut context.stream("objects"));
    let view = |i: usize, number: usize, size: Size| {
        let mut random = stream(context.seed(), &format!("variant-{i}-{number}"));
        varied(&pictures[i], settings.margin, size, settings.mirror && random.random(), &mut random)
    };
    let tilted = settings.kinds == Kinds::All;
    let held = held_out(judged.len(), settings.validation);
    let patches = |numbers: &[usize]| {
        let mut all: Vec<Gray> = numbers.iter().map(|&i| plain[i].clone()).collect();
        if settings.mirror {
            all.extend(numbers.iter().map(|&i| plain[i].mirrored()));
        }
        for number in 0..settings.variants {
            all.extend(context.map(numbers.len(), usize::MAX, |at| view(numbers[at], number, window)));
        }
        Patches::new(window, &all, tilted)
    };
    let part = Part { held: patches(&judged[..held]), train: patches(&judged[held..]) };
    // As varied as what is learned from.
    let seen = |&i: &usize| match settings.variants {
        0 => inner[i].clone(),
        _ => view(i, settings.variants, inner[i].size()),
    };
    Ok((part, judged[..held].iter().map(seen).collect()))
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
