//! Other views of an object: a little shifted, larger or smaller, turned, blurred and noisy, as windows of a scan see it.
//! What a picture shows around the object is used, so that nothing has to be made up at the border.

use crate::geometry::Size;
use crate::image::Gray;
use rand::prelude::*;

/// Shifted at most by this share of the window: somewhat more than windows of a scan are apart.
const SHIFT: f64 = 0.03;
/// Larger or smaller by this share at most, somewhat more than the levels of a scan are apart.
const SCALE: f64 = 0.08;
/// The sine of the largest turn: ten degrees.
const TURN: f64 = 0.17;
/// A pixel is the mean over up to so many times its width.
const BLUR: f64 = 2.0;
/// Noise of at most this share of the deviation of the picture.
const NOISE: f64 = 0.3;
/// A pixel is the mean of the square of so many places.
const PLACES: usize = 3;

/// The object of a picture that shows a share `margin` more at each side.
pub fn cut(picture: &Gray, margin: f64) -> Gray {
    // At least a pixel remains of the smallest picture.
    let around = |side: usize| ((margin * side as f64).round() as usize).min((side - 1) / 2);
    let [left, top] = [picture.width(), picture.height()].map(around);
    let (width, height) = (picture.width() - 2 * left, picture.height() - 2 * top);
    let rows = top..top + height;
    let pixels = rows.flat_map(|y| picture.row(y)[left..left + width].iter().copied()).collect();
    Gray::from_parts(width, height, pixels)
}

/// A view of the object drawn at random, at a size.
pub fn varied(picture: &Gray, margin: f64, size: Size, mirrored: bool, random: &mut impl Rng) -> Gray {
    let mut around_zero = |most: f64| most * (2.0 * random.random::<f64>() - 1.0);
    let (shift, scale, sine) =
        ([around_zero(SHIFT), around_zero(SHIFT)], 1.0 + around_zero(SCALE), around_zero(TURN));
    let cosine = (1.0 - sine * sine).sqrt();
    let footprint = 1.0 + (BLUR - 1.0) * random.random::<f64>();
    let noise = NOISE * random.random::<f64>() * deviation(picture);
    let (width, height) = (f64::from(size.width), f64::from(size.height));
    let sides = [picture.width(), picture.height()].map(|side| side as f64 * (1.0 - 2.0 * margin));
    let centre = [picture.width(), picture.height()].map(|side| side as f64 / 2.0);
    let mut pixels = Vec::with_capacity(size.width as usize * size.height as usize);
    for y in 0..size.height {
        for x in 0..size.width {
            let mut sum = 0.0;
            for place in 0..PLACES * PLACES {
                let within = |i: usize| 0.5 + footprint * ((i as f64 + 0.5) / PLACES as f64 - 0.5);
                // From the middle, in sides of the window.
                let across = (f64::from(x) + within(place % PLACES)) / width - 0.5;
                let down = (f64::from(y) + within(place / PLACES)) / height - 0.5;
                let across = if mirrored { -across } else { across };
                let (across, down) = (across * sides[0] * scale, down * sides[1] * scale);
                sum += at(
                    picture,
                    centre[0] + shift[0] * sides[0] + cosine * across - sine * down,
                    centre[1] + shift[1] * sides[1] + sine * across + cosine * down,
                );
            }
            let grey = sum / (PLACES * PLACES) as f64 + noise * (2.0 * random.random::<f64>() - 1.0);
            pixels.push(grey.round().clamp(0.0, 255.0) as u8);
        }
    }
    Gray::from_parts(size.width as usize, size.height as usize, pixels)
}

/// The grey at a place between pixels; the border goes on for ever.
fn at(picture: &Gray, x: f64, y: f64) -> f64 {
    let inside = |v: f64, length: usize| (v - 0.5).clamp(0.0, (length - 1) as f64);
    let (x, y) = (inside(x, picture.width()), inside(y, picture.height()));
    let (left, top) = (x as usize, y as usize);
    let (right, below) = ((left + 1).min(picture.width() - 1), (top + 1).min(picture.height() - 1));
    let across =
        |row: &[u8]| f64::from(row[left]) + (x - left as f64) * (f64::from(row[right]) - f64::from(row[left]));
    let (upper, lower) = (across(picture.row(top)), across(picture.row(below)));
    upper + (y - top as f64) * (lower - upper)
}

fn deviation(picture: &Gray) -> f64 {
    let count = picture.pixels().len() as f64;
    let mean = picture.pixels().iter().map(|p| f64::from(*p)).sum::<f64>() / count;
    let square = picture.pixels().iter().map(|p| (f64::from(*p) - mean).powi(2)).sum::<f64>() / count;
    square.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rebelboost::context::stream;

    fn picture(width: usize, height: usize, grey: impl Fn(usize, usize) -> u8) -> Gray {
        let pixels = (0..width * height).map(|i| grey(i % width, i / width)).collect();
        Gray::new(width, height, pixels).unwrap()
    }

    proptest! {
        #[test]
        fn any_picture_has_views(
            width in 1usize..40, height in 1usize..40, margin in 0.0f64..0.4, side in 1u32..30, seed in any::<u64>(),
        ) {
            let picture = picture(width, height, |x, y| (x * 31 + y * 7) as u8);
            let size = Size::new(side, side + 1);
            let view = varied(&picture, margin, size, seed % 2 == 0, &mut stream(seed, "vary"));
            prop_assert_eq!(view.size(), size);
            let inner = cut(&picture, margin);
            prop_assert!(inner.width() > 0 && inner.height() > 0);
        }
    }

    /// A bright disc stays about where it is; what is outside the margin comes in only where windows are shifted.
    #[test]
    fn a_view_shows_the_object_and_not_its_mirror_image() {
        let disc = picture(60, 60, |x, y| {
            let (dx, dy) = (x as f64 - 22.0, y as f64 - 30.0);
            if dx * dx + dy * dy < 36.0 { 220 } else { 20 }
        });
        for (seed, mirrored) in [(1, false), (2, true), (3, false), (4, true)] {
            let view = varied(&disc, 1.0 / 6.0, Size::new(20, 20), mirrored, &mut stream(seed, "vary"));
            let bright: Vec<usize> = (0..400).filter(|&i| view.pixels()[i] > 120).collect();
            let mean = |of: fn(usize) -> usize| {
                bright.iter().map(|&i| of(i) as f64 + 0.5).sum::<f64>() / bright.len() as f64
            };
            // The disc is at 12.5 of 40, or 6.25 of 20, or as far from the other side.
            let expected = if mirrored { 13.75 } else { 6.25 };
            assert!((mean(|i| i % 20) - expected).abs() < 1.2, "{seed}: {}", mean(|i| i % 20));
            assert!((mean(|i| i / 20) - 10.0).abs() < 1.8, "{seed}: {}", mean(|i| i / 20));
            assert!((15..50).contains(&bright.len()), "{seed}: {}", bright.len());
        }
    }
}
