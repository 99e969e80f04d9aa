//! The levels of the pyramid: which sizes are searched, and in what steps (OpenCV's `detectMultiScaleNoGrouping`).

use super::DetectOptions;
use crate::geometry::Size;

/// The image at one size.
pub(crate) struct Level {
    /// How much larger objects are than the window.
    pub scale: f32,
    /// Size of the image at this level.
    pub size: Size,
    /// Size of the objects found here.
    pub object: Size,
    /// Pixels from one window to the next.
    pub step: usize,
}

/// The levels to search, smallest objects first.
pub(crate) fn levels(image: Size, window: Size, options: &DetectOptions) -> Vec<Level> {
    let mut all = Vec::new();
    let mut factor = 1.0f64;
    loop {
        let side = |length: u32| (f64::from(length) * factor).round_ties_even();
        if side(window.width) > f64::from(image.width) || side(window.height) > f64::from(image.height) {
            break;
        }
        all.push(level(image, window, factor as f32));
        factor *= options.scale_factor;
    }
    let least = options.min_size.unwrap_or(Size::new(0, 0));
    let most = options.max_size.filter(|size| !size.is_empty()).unwrap_or(image);
    let small = |level: &Level| level.object.width < least.width || level.object.height < least.height;
    let large = |level: &Level| level.object.width > most.width || level.object.height > most.height;
    let wanted: Vec<bool> = all.iter().map(|level| !small(level) && !large(level)).collect();
    if wanted.contains(&true) {
        let mut wanted = wanted.into_iter();
        all.retain(|_| wanted.next() == Some(true));
        return all;
    }
    // Limits between two levels: the one nearest to the smaller limit, the first of several.
    let apart = |level: &Level| {
        let square = |a: u32, b: u32| (i64::from(a) - i64::from(b)).pow(2);
        square(least.width, level.object.width) + square(least.height, level.object.height)
    };
    all.into_iter().min_by_key(apart).into_iter().collect()
}

fn level(image: Size, window: Size, scale: f32) -> Level {
    let side = |length: u32| (length as f32 / scale).round_ties_even() as u32;
    Level {
        scale,
        size: Size::new(side(image.width), side(image.height)),
        object: window.scaled(scale),
        step: if scale >= 2.0 { 1 } else { 2 },
    }
}
