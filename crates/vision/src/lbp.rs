//! Local binary patterns over blocks (multi-block LBP, Zhang et al. 2007, as OpenCV's cascades use them): a 3 x 3 grid of
//! equal blocks; each outer block gives a bit, set if its sum is at least that of the middle one.

use crate::geometry::{Rect, Size};

/// The eight neighbours of the middle cell as (column, row), highest bit first: clockwise from the top left.
pub const NEIGHBOURS: [(usize, usize); 8] = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)];

/// The corners of the grid whose first block is `cell`, as (column, row), row by row: 4 x 4 of them.
pub fn corners(cell: &Rect) -> [(i32, i32); 16] {
    std::array::from_fn(|i| (cell.x + cell.width * (i as i32 % 4), cell.y + cell.height * (i as i32 / 4)))
}

/// Whether the whole grid lies in a window of this size.
pub fn fits(cell: &Rect, window: Size) -> bool {
    let (width, height) = (i64::from(window.width), i64::from(window.height));
    let side = |at: i32, size: i32, most: i64| at >= 0 && size > 0 && i64::from(at) + 3 * i64::from(size) <= most;
    side(cell.x, cell.width, width) && side(cell.y, cell.height, height)
}
