//! Boxes drawn over an image, as a PNG file.

use super::Gray;
use crate::geometry::Rect;
use rebelboost::error::{Error, Result};

/// Green: visible on grey of any brightness.
const COLOUR: [u8; 3] = [40, 220, 60];

/// The bytes of a PNG of the image with these boxes.
pub fn draw_boxes(image: &Gray, boxes: &[Rect]) -> Result<Vec<u8>> {
    let (width, height) = (image.width(), image.height());
    let mut pixels: Vec<u8> = image.pixels().iter().flat_map(|p| [*p; 3]).collect();
    // Thick enough to be seen in a large picture that is shown small.
    let thickness = (width.min(height) / 300).max(1) as i32;
    let mut dot = |x: i32, y: i32| {
        if (0..width as i32).contains(&x) && (0..height as i32).contains(&y) {
            let at = 3 * (y as usize * width + x as usize);
            pixels[at..at + 3].copy_from_slice(&COLOUR);
        }
    };
    for Rect { x, y, width, height } in boxes {
        for inset in 0..thickness {
            for u in *x..x + width {
                dot(u, y + inset);
                dot(u, y + height - 1 - inset);
            }
            for v in *y..y + height {
                dot(x + inset, v);
                dot(x + width - 1 - inset, v);
            }
        }
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let fault = |e: png::EncodingError| Error::internal(format!("cannot make a PNG image: {e}"));
    let mut writer = encoder.write_header().map_err(fault)?;
    writer.write_image_data(&pixels).map_err(fault)?;
    writer.finish().map_err(fault)?;
    Ok(bytes)
}
