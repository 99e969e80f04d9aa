//! Sizes and boxes in whole pixels.

use serde::{Deserialize, Serialize};

/// A width and a height.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Size {
    /// Of this width and height.
    pub const fn new(width: u32, height: u32) -> Self {
        Size { width, height }
    }

    /// Whether it has no pixel.
    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Both sides times a factor, as OpenCV rounds them: half to even.
    pub fn scaled(self, factor: f32) -> Size {
        Size::new(
            (self.width as f32 * factor).round_ties_even() as u32,
            (self.height as f32 * factor).round_ties_even() as u32,
        )
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl std::str::FromStr for Size {
    type Err = String;

    /// `24x24`, or `24` for a square.
    fn from_str(text: &str) -> Result<Self, String> {
        let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
        match (width.trim().parse(), height.trim().parse()) {
            (Ok(width), Ok(height)) => Ok(Size { width, height }),
            _ => Err(format!("'{text}' is not a size; write it as 24x24")),
        }
    }
}

/// A box: left, top, width, height.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Columns.
    pub width: i32,
    /// Rows.
    pub height: i32,
}

impl Rect {
    /// From left, top, width and height.
    pub const fn new(x: i32, y: i32, width: i32, height: i32) -> Self {
        Rect { x, y, width, height }
    }

    /// Number of pixels.
    pub fn area(&self) -> i64 {
        i64::from(self.width) * i64::from(self.height)
    }

    /// What both cover; empty (no area) if they do not meet.
    pub fn intersection(&self, other: &Rect) -> Rect {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let right = (self.x + self.width).min(other.x + other.width);
        let bottom = (self.y + self.height).min(other.y + other.height);
        Rect::new(x, y, (right - x).max(0), (bottom - y).max(0))
    }

    /// Shared area over the area of both together: 1 for the same box, 0 for boxes apart.
    pub fn overlap(&self, other: &Rect) -> f64 {
        let shared = self.intersection(other).area() as f64;
        let union = (self.area() + other.area()) as f64 - shared;
        if union > 0.0 { shared / union } else { 0.0 }
    }
}
