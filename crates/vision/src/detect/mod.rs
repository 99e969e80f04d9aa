//! Finding objects of all sizes: the cascade is asked at every place of every level of an image pyramid, and boxes that
//! mean the same object become one. Box for box what OpenCV 4's `detectMultiScale` answers.

pub(crate) mod group;
pub(crate) mod plan;
pub(crate) mod pyramid;
mod scan;

pub use group::group;

use crate::cascade::Cascade;
use crate::geometry::{Rect, Size};
use crate::image::Gray;
use rebelboost::context::Context;
use rebelboost::error::{Error, Result};
use rebelboost::math::ln;
use serde::Serialize;

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectOptions {
    /// How much larger the objects of the next level are.
    pub scale_factor: f64,
    /// A box is kept if more than so many windows agree on it; with 0 every window is a box.
    pub min_neighbors: u32,
    /// Smallest object, or no limit.
    pub min_size: Option<Size>,
    /// Largest object, or no limit.
    pub max_size: Option<Size>,
}

impl Default for DetectOptions {
    /// Those of OpenCV.
    fn default() -> Self {
        DetectOptions { scale_factor: 1.1, min_neighbors: 3, min_size: None, max_size: None }
    }
}

impl DetectOptions {
    /// How many times as many levels, and so windows on an object, there are as with the default scale factor.
    pub(crate) fn density(&self) -> f64 {
        ln(DetectOptions::default().scale_factor) / ln(self.scale_factor)
    }

    fn check(&self) -> Result<()> {
        // Levels closer than this differ by less than a pixel and only cost time.
        if !(1.001..=100.0).contains(&self.scale_factor) {
            let what = format!("a scale factor of {} is not possible", self.scale_factor);
            return Err(Error::option(what).hint("choose one above 1, such as 1.1"));
        }
        Ok(())
    }
}

/// An object that was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Detection {
    /// Where.
    #[serde(flatten)]
    pub rect: Rect,
    /// Number of windows that agree on it.
    pub neighbors: u32,
    /// How sure the cascade is that it is an object, between 0 and 1 (see [`crate::Calibration`]).
    pub score: f64,
}

/// A window that passed all stages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Its place in the image.
    pub rect: Rect,
    /// Sums less thresholds of the last stages, as many as the calibration is about.
    pub margin: f64,
    /// Level of the pyramid, and where in it.
    pub(crate) place: Place,
}

/// A window in the pyramid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub level: usize,
    pub x: usize,
    pub y: usize,
}

impl Cascade {
    /// The objects in an image, sorted by x, y, width and height. The answer does not depend on the threads.
    pub fn detect(&self, image: &Gray, options: &DetectOptions, context: &Context) -> Result<Vec<Detection>> {
        let candidates = self.candidates(image, options, context)?;
        Ok(group(&candidates, image.size(), options, &self.calibration))
    }

    /// Every window that passes all stages, in the order of levels, rows and columns.
    pub fn candidates(&self, image: &Gray, options: &DetectOptions, context: &Context) -> Result<Vec<Candidate>> {
        options.check()?;
        // Its parts are public, and scanning doubts nothing.
        self.check()?;
        let levels = pyramid::levels(image.size(), self.window, options);
        Ok(scan::scan(self, image, &levels, context))
    }
}
