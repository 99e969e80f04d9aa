//! PNG and JPEG files to grey images. Whatever the bytes are, the answer is an image or one sentence.

use super::{Gray, MAX_PIXELS, check_size};
use rebelboost::error::{Error, Result};
use std::io::Cursor;
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

pub(super) fn decode(bytes: &[u8]) -> Result<Gray> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => png(bytes),
        [0xff, 0xd8, ..] => jpeg(bytes),
        [] => Err(Error::data("the file is empty")),
        _ => Err(Error::parse("this is neither a PNG nor a JPEG image").hint("convert it to PNG")),
    }
}

fn png(bytes: &[u8]) -> Result<Gray> {
    let damaged = |e: png::DecodingError| Error::parse(format!("the PNG image cannot be read: {e}"));
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: 8 * MAX_PIXELS });
    // Palettes and few bits become bytes; sixteen bits keep the upper eight.
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let info = decoder.read_header_info().map_err(damaged)?;
    let (width, height) = (info.width as usize, info.height as usize);
    check_size(width, height)?;
    let mut reader = decoder.read_info().map_err(damaged)?;
    let length = reader.output_buffer_size().ok_or_else(|| Error::parse("the PNG image is too large"))?;
    let mut pixels = vec![0; length];
    let info = reader.next_frame(&mut pixels).map_err(damaged)?;
    pixels.truncate(info.buffer_size());
    Gray::from_channels(width, height, info.color_type.samples(), &pixels)
}

fn jpeg(bytes: &[u8]) -> Result<Gray> {
    let damaged = |e: zune_jpeg::errors::DecodeErrors| Error::parse(format!("the JPEG image cannot be read: {e}"));
    let side = u16::MAX as usize;
    let options = DecoderOptions::default().set_max_width(side).set_max_height(side);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(damaged)?;
    let (width, height) = decoder.dimensions().ok_or_else(|| Error::parse("the JPEG image has no size"))?;
    check_size(width, height)?;
    // Brightness is stored as such but for inks and plain colours.
    let stored = decoder.input_colorspace();
    let wanted = match stored {
        Some(ColorSpace::YCbCr | ColorSpace::Luma) => ColorSpace::Luma,
        _ => ColorSpace::RGB,
    };
    decoder.set_options(options.jpeg_set_out_colorspace(wanted));
    let pixels = decoder.decode().map_err(damaged)?;
    Gray::from_channels(width, height, if wanted == ColorSpace::Luma { 1 } else { 3 }, &pixels)
}
