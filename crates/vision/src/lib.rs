//! Finding objects in images with boosted cascades (Viola and Jones 2001; Bourdev and Brandt 2005).
//!
//! ```text
//! image -> pyramid -> integral images -> windows -> cascade -> boxes -> groups      (detect)
//! patches + scenes -> Haar columns in u8 bins -> the core's boosters -> stages      (train)
//! ```
//!
//! A [`Cascade`] comes from OpenCV's XML ([`opencv`]), from our own file ([`file`]) or from training ([`train`]);
//! [`Cascade::detect`] answers box for box as OpenCV 4 does.

pub mod calibration;
pub mod cascade;
pub mod detect;
pub mod evaluate;
pub mod file;
pub mod geometry;
pub mod haar;
pub mod image;
pub mod integral;
pub mod lbp;
pub mod opencv;
mod resize;
pub mod source;
pub mod train;

pub use calibration::Calibration;
pub use cascade::Cascade;
pub use detect::{DetectOptions, Detection};
pub use geometry::{Rect, Size};
pub use image::Gray;
