//! Integral images (Viola and Jones 2001, sec. 2.1): the sum over any rectangle from four numbers, whatever its size.
//!
//! Sums are 32-bit and wrap: a difference of four is right as long as it fits itself. Row 0 and column 0 are zero.

use crate::image::Gray;

/// Sums, sums of squares and tilted sums of an image, one column and row more than the image has.
pub struct Integral {
    /// Columns: the image's width and one.
    pub stride: usize,
    /// `sum[y][x]` = pixels above y and left of x.
    pub sum: Vec<i32>,
    /// The same of their squares.
    pub square: Vec<i32>,
    /// Pixels in the cone upwards from (x - 1, y - 1), borders included (Lienhart and Maydt 2002, eq. 5).
    pub tilted: Option<Vec<i32>>,
}

impl Integral {
    /// Of an image; the tilted sums only if asked for.
    pub fn new(image: &Gray, tilted: bool) -> Self {
        let (width, height) = (image.width(), image.height());
        let stride = width + 1;
        let mut sum = vec![0; stride * (height + 1)];
        let mut square = sum.clone();
        let mut cone = tilted.then(|| sum.clone());
        for y in 0..height {
            let row = image.row(y);
            let (above, here) = sum[y * stride..].split_at_mut(stride);
            add_row(row, above, &mut here[..stride], |p| p);
            let (above, here) = square[y * stride..].split_at_mut(stride);
            add_row(row, above, &mut here[..stride], |p| p * p);
            if let Some(cone) = &mut cone {
                let before = if y > 0 { Some(image.row(y - 1)) } else { None };
                let (above, here) = cone.split_at_mut((y + 1) * stride);
                let twice = if y > 0 { &above[(y - 1) * stride..y * stride] } else { &[][..] };
                tilt_row(row, before, &above[y * stride..], twice, &mut here[..stride]);
            }
        }
        Integral { stride, sum, square, tilted: cone }
    }
}

/// One row of an integral image from the row above it.
pub(crate) fn add_row(pixels: &[u8], above: &[i32], here: &mut [i32], of: impl Fn(i32) -> i32) {
    let mut row = 0i32;
    here[0] = 0;
    for ((pixel, above), here) in pixels.iter().zip(&above[1..]).zip(&mut here[1..]) {
        row = row.wrapping_add(of(i32::from(*pixel)));
        *here = above.wrapping_add(row);
    }
}

/// One row of a tilted integral image from the two above it; `before` and `twice` are missing in the first row.
///
/// t(x, y) = t(x - 1, y - 1) + t(x + 1, y - 1) - t(x, y - 2) + i(x - 1, y - 1) + i(x - 1, y - 2). Beyond the right
/// border t(W + 1, y - 1) = t(W, y - 2), because the pixels in which the two cones differ are not there.
pub(crate) fn tilt_row(pixels: &[u8], before: Option<&[u8]>, above: &[i32], twice: &[i32], here: &mut [i32]) {
    let width = pixels.len();
    let twice_at = |x: usize| twice.get(x).copied().unwrap_or(0);
    here[0] = above[1];
    for x in 1..=width {
        let right = if x < width { above[x + 1].wrapping_sub(twice_at(x)) } else { 0 };
        let pair = i32::from(pixels[x - 1]) + before.map_or(0, |before| i32::from(before[x - 1]));
        here[x] = above[x - 1].wrapping_add(right).wrapping_add(pair);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rect;
    use crate::haar::{HaarFeature, Part};
    use proptest::prelude::*;

    fn image() -> impl Strategy<Value = Gray> {
        (1usize..20, 1usize..20).prop_flat_map(|(width, height)| {
            proptest::collection::vec(any::<u8>(), width * height)
                .prop_map(move |pixels| Gray::new(width, height, pixels).unwrap())
        })
    }

    proptest! {
        #[test]
        fn sums_are_those_of_brute_force(image in image()) {
            let integral = Integral::new(&image, true);
            let tilted = integral.tilted.as_ref().unwrap();
            for y in 0..=image.height() {
                for x in 0..=image.width() {
                    let (mut sum, mut square, mut cone) = (0, 0, 0);
                    for v in 0..y {
                        for (u, pixel) in image.row(v).iter().enumerate() {
                            let pixel = i32::from(*pixel);
                            if u < x {
                                sum += pixel;
                                square += pixel * pixel;
                            }
                            if (u as i32 - x as i32 + 1).abs() <= (y - v - 1) as i32 {
                                cone += pixel;
                            }
                        }
                    }
                    let at = y * integral.stride + x;
                    prop_assert_eq!([integral.sum[at], integral.square[at], tilted[at]], [sum, square, cone]);
                }
            }
        }

        #[test]
        fn a_tilted_part_counts_the_pixels_of_its_diamond(
            pixels in proptest::collection::vec(any::<u8>(), 24 * 24),
            (right, y) in (0i32..12, 0i32..12),
            (w, h) in (1i32..6, 1i32..6),
        ) {
            let x = h + right;
            let feature = HaarFeature { parts: vec![Part { rect: Rect::new(x, y, w, h), weight: 1.0 }], tilted: true };
            let image = Gray::new(24, 24, pixels).unwrap();
            prop_assert!(feature.fits(image.size()));
            let integral = Integral::new(&image, true);
            let t = integral.tilted.as_ref().unwrap();
            let [a, b, c, d] = feature.corners(&feature.parts[0]).map(|(x, y)| t[y as usize * integral.stride + x as usize]);
            // Two pixels a cell: step (i, j) along the sides covers (x + i - j - 1, y + i + j) and the one below it.
            let mut sum = 0;
            for i in 0..w {
                for j in 0..h {
                    for k in 0..2 {
                        sum += i32::from(image.row((y + i + j + k) as usize)[(x + i - j - 1) as usize]);
                    }
                }
            }
            prop_assert_eq!(a - b - c + d, sum);
        }
    }
}
