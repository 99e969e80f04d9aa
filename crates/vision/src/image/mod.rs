//! Grey images: all that a cascade looks at.

mod decode;
mod draw;

pub use draw::draw_boxes;

use crate::geometry::Size;
use rebelboost::error::{Error, ErrorKind, Result};

/// Most pixels an image may have: eight times a large photograph.
pub const MAX_PIXELS: usize = 1 << 27;

/// A grey image, one byte a pixel, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gray {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Gray {
    /// From its pixels, row by row.
    pub fn new(width: usize, height: usize, pixels: Vec<u8>) -> Result<Self> {
        check_size(width, height)?;
        if pixels.len() != width * height {
            return Err(Error::data(format!("{} pixels are not an image of {width}x{height}", pixels.len())));
        }
        Ok(Gray { width, height, pixels })
    }

    /// From a known good size.
    pub(crate) fn from_parts(width: usize, height: usize, pixels: Vec<u8>) -> Self {
        debug_assert_eq!(pixels.len(), width * height);
        Gray { width, height, pixels }
    }

    /// From pixels of `channels` bytes each: 1 or 2 (grey, alpha) or 3 or 4 (red, green, blue, alpha). Alpha is ignored.
    pub fn from_channels(width: usize, height: usize, channels: usize, bytes: &[u8]) -> Result<Self> {
        check_size(width, height)?;
        if !(1..=4).contains(&channels) || bytes.len() != width * height * channels {
            return Err(Error::data(format!(
                "{} bytes are not an image of {width}x{height} with {channels} channels",
                bytes.len()
            )));
        }
        let pixels = match channels {
            1 => bytes.to_vec(),
            2 => bytes.chunks_exact(2).map(|pixel| pixel[0]).collect(),
            _ => bytes.chunks_exact(channels).map(|pixel| luma(pixel[0], pixel[1], pixel[2])).collect(),
        };
        Ok(Gray { width, height, pixels })
    }

    /// From the bytes of a PNG or JPEG file.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        decode::decode(bytes)
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Columns and rows.
    pub fn size(&self) -> Size {
        Size::new(self.width as u32, self.height as u32)
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// One row of pixels.
    pub fn row(&self, y: usize) -> &[u8] {
        &self.pixels[y * self.width..(y + 1) * self.width]
    }

    /// At another size, linearly interpolated as OpenCV's pyramid does.
    pub fn resized(&self, size: Size) -> Gray {
        crate::resize::resize(self, size.width as usize, size.height as usize)
    }

    /// Left and right exchanged.
    pub fn mirrored(&self) -> Gray {
        let pixels = self.pixels.chunks_exact(self.width).flat_map(|row| row.iter().rev().copied()).collect();
        Gray { pixels, ..*self }
    }
}

/// Refuses what has no pixel or more than can be handled, before memory is asked for.
pub(crate) fn check_size(width: usize, height: usize) -> Result<()> {
    if width == 0 || height == 0 {
        return Err(Error::data(format!("an image of {width}x{height} has no pixels")));
    }
    match width.checked_mul(height) {
        Some(pixels) if pixels <= MAX_PIXELS => Ok(()),
        _ => Err(Error::new(
            ErrorKind::Limit,
            format!("an image of {width}x{height} is too large; at most {MAX_PIXELS} pixels can be read"),
        )),
    }
}

/// Grey of a colour as OpenCV makes it: 15-bit weights, rounded.
fn luma(red: u8, green: u8, blue: u8) -> u8 {
    ((9798 * u32::from(red) + 19235 * u32::from(green) + 3735 * u32::from(blue) + (1 << 14)) >> 15) as u8
}
