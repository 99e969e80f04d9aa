//! The pyramid's resize, to the bit that of OpenCV's `INTER_LINEAR_EXACT`: linear between two neighbours in each
//! direction, weights in 1/256, one rounding at the end, (v + 2^15) >> 16.

use crate::image::Gray;

/// For each place of the result, its left (upper) neighbour in the source and the weight of the other one in 1/256.
pub(crate) struct Axis {
    from: Vec<u32>,
    weight: Vec<u16>,
}

impl Axis {
    pub(crate) fn new(source: usize, result: usize) -> Self {
        // As OpenCV has it: the inverse first, so that the rounding of both divisions is the same.
        let scale = 1.0 / (result as f64 / source as f64);
        let place = |at: usize| {
            let exact = scale * (at as f64 + 0.5) - 0.5;
            let whole = exact.floor();
            if whole < 0.0 {
                (0, 0)
            } else if whole as usize >= source - 1 {
                (source as u32 - 1, 0)
            } else {
                (whole as u32, ((exact - whole) * 256.0).round_ties_even() as u16)
            }
        };
        let (from, weight) = (0..result).map(place).unzip();
        Axis { from, weight }
    }

    pub(crate) fn len(&self) -> usize {
        self.from.len()
    }
}

/// Makes rows of a resized image one after the other, keeping the two source rows it last needed.
pub(crate) struct Rows<'a> {
    image: &'a Gray,
    across: &'a Axis,
    down: &'a Axis,
    kept: [(usize, Vec<u16>); 2],
}

impl<'a> Rows<'a> {
    pub(crate) fn new(image: &'a Gray, across: &'a Axis, down: &'a Axis) -> Self {
        let none = || (usize::MAX, vec![0; across.len()]);
        Rows { image, across, down, kept: [none(), none()] }
    }

    /// Row `y` of the result.
    pub(crate) fn row(&mut self, y: usize, out: &mut [u8]) {
        let (from, weight) = (self.down.from[y] as usize, u32::from(self.down.weight[y]));
        if weight == 0 && self.across.len() == self.image.width() {
            // The same width is the same pixels: weights are whole there.
            out.copy_from_slice(self.image.row(from));
            return;
        }
        self.need(from, 0);
        if weight == 0 {
            out.iter_mut().zip(&self.kept[0].1).for_each(|(out, v)| *out = ((u32::from(*v) + 128) >> 8) as u8);
            return;
        }
        self.need(from + 1, 1);
        let [(_, upper), (_, lower)] = &self.kept;
        for ((out, upper), lower) in out.iter_mut().zip(upper).zip(lower) {
            let value = u32::from(*upper) * (256 - weight) + u32::from(*lower) * weight;
            *out = ((value + (1 << 15)) >> 16) as u8;
        }
    }

    /// Makes sure that slot `slot` holds this source row, resized across.
    fn need(&mut self, row: usize, slot: usize) {
        if self.kept[slot].0 == row {
            return;
        }
        if self.kept[1 - slot].0 == row {
            self.kept.swap(0, 1);
            return;
        }
        let source = self.image.row(row);
        let last = source.len() - 1;
        let (number, kept) = &mut self.kept[slot];
        *number = row;
        for ((kept, from), weight) in kept.iter_mut().zip(&self.across.from).zip(&self.across.weight) {
            let from = *from as usize;
            let (a, b) = (u16::from(source[from]), u16::from(source[(from + 1).min(last)]));
            *kept = a * (256 - weight) + b * weight;
        }
    }
}

/// A whole image at another size.
pub(crate) fn resize(image: &Gray, width: usize, height: usize) -> Gray {
    let (across, down) = (Axis::new(image.width(), width), Axis::new(image.height(), height));
    let mut rows = Rows::new(image, &across, &down);
    let mut pixels = vec![0; width * height];
    pixels.chunks_exact_mut(width).enumerate().for_each(|(y, out)| rows.row(y, out));
    Gray::from_parts(width, height, pixels)
}
