//! Cascades in OpenCV's XML: the new format (Haar and LBP, OpenCV 2.4 on), the old one (`opencv-haar-classifier`), and
//! writing the new one.

mod new;
mod old;
mod text;
mod write;

use crate::cascade::Cascade;
use rebelboost::error::{Error, Result};
use roxmltree::{Document, ParsingOptions};
use text::{children, find};

/// Most XML nodes believed: ten times those of the largest cascade that OpenCV has.
const MAX_NODES: u32 = 10_000_000;
/// OpenCV subtracts this from a stage's threshold when it reads it, to forgive rounding.
const FORGIVEN: f32 = 1e-5;

impl Cascade {
    /// Reads OpenCV's XML, new or old.
    pub fn from_xml(xml: &str) -> Result<Cascade> {
        let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
        let document = Document::parse_with_options(xml, options).map_err(|e| {
            Error::parse(format!("the XML cannot be read: {e}")).hint("is it a cascade saved by OpenCV?")
        })?;
        let root = document.root_element();
        if root.tag_name().name() != "opencv_storage" {
            return Err(Error::parse(format!(
                "the XML holds '{}', not 'opencv_storage' with a cascade of OpenCV",
                root.tag_name().name()
            )));
        }
        // Named `cascade` in the new format and anything in the old; `type_id` is often missing.
        let node = children(root).next().ok_or_else(|| Error::parse("'opencv_storage' is empty"))?;
        let cascade = if find(node, "featureType").is_some() { new::read(node) } else { old::read(node) }?;
        cascade.check()?;
        Ok(cascade)
    }

    /// OpenCV's XML (the new format). Refused for a soft cascade, which that format cannot say.
    pub fn to_xml(&self) -> Result<String> {
        write::write(self)
    }
}
