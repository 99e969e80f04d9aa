//! Haar-like features (Viola and Jones 2001, fig. 1; tilted: Lienhart and Maydt 2002): weighted sums over two or three
//! rectangles, four lookups each in an integral image.

use crate::geometry::{Rect, Size};
use serde::{Deserialize, Serialize};

/// A rectangle and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Relative to the window; turned by 45 degrees clockwise about its top left corner if the feature is tilted.
    pub rect: Rect,
    /// What a pixel in it counts.
    pub weight: f32,
}

/// Two or three weighted rectangles in a window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HaarFeature {
    /// Two or three parts.
    pub parts: Vec<Part>,
    /// Whether the parts stand on a corner.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tilted: bool,
}

impl HaarFeature {
    /// The corners of a part in the (tilted) integral image, as (column, row): top, left, right, bottom of the sum
    /// `top - left - right + bottom`.
    pub fn corners(&self, part: &Part) -> [(i32, i32); 4] {
        let Rect { x, y, width: w, height: h } = part.rect;
        if self.tilted {
            [(x, y), (x - h, y + h), (x + w, y + w), (x + w - h, y + w + h)]
        } else {
            [(x, y), (x + w, y), (x, y + h), (x + w, y + h)]
        }
    }

    /// Whether all of it lies in a window of this size.
    pub fn fits(&self, window: Size) -> bool {
        let (width, height) = (window.width as i32, window.height as i32);
        let inside = |(x, y): (i32, i32)| (0..=width).contains(&x) && (0..=height).contains(&y);
        // Sides first: corners of an absurd rectangle might not even be numbers.
        let side = |v: i32| (0..=width.max(height)).contains(&v);
        self.parts.iter().all(|part| {
            let Rect { x, y, width, height } = part.rect;
            side(x) && side(y) && side(width) && side(height) && self.corners(part).into_iter().all(inside)
        })
    }
}

/// Kinds of features to choose from in training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kinds {
    /// The five of Viola and Jones: two and three bars in either direction, four squares.
    #[default]
    Basic,
    /// Also four bars (the inner two against the outer) and centre against surround.
    Core,
    /// Also the tilted ones.
    All,
}

impl std::str::FromStr for Kinds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "basic" => Ok(Kinds::Basic),
            "core" => Ok(Kinds::Core),
            "all" => Ok(Kinds::All),
            _ => Err(format!("'{text}' is not known; choose basic, core or all")),
        }
    }
}

/// Every feature of these kinds that fits a window, in a fixed order.
pub fn enumerate(window: Size, kinds: Kinds) -> Vec<HaarFeature> {
    let mut out = Vec::new();
    let (width, height) = (window.width as i32, window.height as i32);
    for y in 0..height {
        for x in 0..width {
            for h in 1..=height {
                for w in 1..=width {
                    shapes(Rect::new(x, y, w, h), kinds, &mut |feature: HaarFeature| {
                        if feature.fits(window) {
                            out.push(feature);
                        }
                    });
                }
            }
        }
    }
    out
}

/// The features whose cell is this rectangle. The whole counts -1, the part that is set against it so much that a
/// uniform patch gives zero.
fn shapes(cell: Rect, kinds: Kinds, emit: &mut impl FnMut(HaarFeature)) {
    let Rect { x, y, width: w, height: h } = cell;
    let mut add = |tilted: bool, parts: &[(Rect, f32)]| {
        let parts = parts.iter().map(|&(rect, weight)| Part { rect, weight }).collect();
        emit(HaarFeature { parts, tilted });
    };
    let r = Rect::new;
    add(false, &[(r(x, y, 2 * w, h), -1.0), (r(x + w, y, w, h), 2.0)]);
    add(false, &[(r(x, y, w, 2 * h), -1.0), (r(x, y + h, w, h), 2.0)]);
    add(false, &[(r(x, y, 3 * w, h), -1.0), (r(x + w, y, w, h), 3.0)]);
    add(false, &[(r(x, y, w, 3 * h), -1.0), (r(x, y + h, w, h), 3.0)]);
    add(false, &[(r(x, y, 2 * w, 2 * h), -1.0), (r(x, y, w, h), 2.0), (r(x + w, y + h, w, h), 2.0)]);
    if kinds == Kinds::Basic {
        return;
    }
    add(false, &[(r(x, y, 4 * w, h), -1.0), (r(x + w, y, 2 * w, h), 2.0)]);
    add(false, &[(r(x, y, w, 4 * h), -1.0), (r(x, y + h, w, 2 * h), 2.0)]);
    add(false, &[(r(x, y, 3 * w, 3 * h), -1.0), (r(x + w, y + h, w, h), 9.0)]);
    if kinds == Kinds::Core {
        return;
    }
    // Along a tilted rectangle the columns step down to the right and the rows down to the left.
    add(true, &[(r(x, y, 2 * w, h), -1.0), (r(x, y, w, h), 2.0)]);
    add(true, &[(r(x, y, w, 2 * h), -1.0), (r(x, y, w, h), 2.0)]);
    add(true, &[(r(x, y, 3 * w, h), -1.0), (r(x + w, y + w, w, h), 3.0)]);
    add(true, &[(r(x, y, w, 3 * h), -1.0), (r(x - h, y + h, w, h), 3.0)]);
    add(true, &[(r(x, y, 4 * w, h), -1.0), (r(x + w, y + w, 2 * w, h), 2.0)]);
    add(true, &[(r(x, y, w, 4 * h), -1.0), (r(x - h, y + h, w, 2 * h), 2.0)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_five_kinds_of_viola_and_jones() {
        // The number in their paper's footnotes and in every text book: 162,336 in a window of 24 x 24.
        assert_eq!(enumerate(Size::new(24, 24), Kinds::Basic).len(), 162_336);
    }

    #[test]
    fn a_uniform_patch_gives_zero() {
        for feature in enumerate(Size::new(9, 9), Kinds::All) {
            let sum: f32 = feature.parts.iter().map(|p| p.weight * p.rect.area() as f32).sum();
            assert_eq!(sum, 0.0, "{feature:?}");
        }
    }
}
