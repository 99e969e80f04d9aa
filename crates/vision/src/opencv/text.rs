//! Elements and numbers of OpenCV's XML, with complaints that name the line.

use crate::geometry::Rect;
use crate::haar::{HaarFeature, Part};
use rebelboost::error::{Error, Result};
use roxmltree::Node;
use std::str::FromStr;

/// The elements in an element.
pub(super) fn children<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// The element of this name in an element, if there is one.
pub(super) fn find<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    children(node).find(|child| child.tag_name().name() == name)
}

/// The element of this name in an element.
pub(super) fn element<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Result<Node<'a, 'i>> {
    find(node, name).ok_or_else(|| complain(node, format!("'{}' has no '{name}'", node.tag_name().name())))
}

/// An error at the line of an element.
pub(super) fn complain(node: Node<'_, '_>, message: String) -> Error {
    Error::parse(message).at_line(node.document().text_pos_at(node.range().start).row.into())
}

/// All words in an element, whatever comments divide them.
pub(super) fn words<'a>(node: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    node.children()
        .filter_map(|child| child.is_text().then(|| child.text()).flatten())
        .flat_map(str::split_whitespace)
}

/// All numbers in an element.
pub(super) fn numbers<T: FromStr>(node: Node<'_, '_>) -> Result<Vec<T>> {
    words(node).map(|word| number(node, word)).collect()
}

/// One number.
pub(super) fn number<T: FromStr>(node: Node<'_, '_>, word: &str) -> Result<T> {
    word.parse().map_err(|_| complain(node, format!("'{word}' in '{}' is not a number", node.tag_name().name())))
}

/// The one number in the element of this name.
pub(super) fn value<T: FromStr>(node: Node<'_, '_>, name: &str) -> Result<T> {
    let child = element(node, name)?;
    let mut words = words(child);
    match (words.next(), words.next()) {
        (Some(word), None) => number(child, word),
        _ => Err(complain(child, format!("'{name}' does not hold one number"))),
    }
}

/// A number read as 64 bits and rounded to 32, as OpenCV does; refused if not finite.
pub(super) fn real(node: Node<'_, '_>, word: &str) -> Result<f32> {
    let value = number::<f64>(node, word)? as f32;
    if value.is_finite() {
        return Ok(value);
    }
    Err(complain(node, format!("'{word}' in '{}' is not a finite number", node.tag_name().name())))
}

/// The one real number in the element of this name.
pub(super) fn real_value(node: Node<'_, '_>, name: &str) -> Result<f32> {
    real(element(node, name)?, &value::<String>(node, name)?)
}

/// `rects` and perhaps `tilted`.
pub(super) fn haar(node: Node<'_, '_>) -> Result<HaarFeature> {
    let part = |node: Node<'_, '_>| {
        let found: Vec<&str> = words(node).collect();
        let [x, y, width, height, weight] = found[..] else {
            return Err(complain(node, "a rectangle needs four numbers and a weight".to_string()));
        };
        let [x, y, width, height] = [number(node, x)?, number(node, y)?, number(node, width)?, number(node, height)?];
        Ok(Part { rect: Rect { x, y, width, height }, weight: real(node, weight)? })
    };
    let mut parts: Vec<Part> = children(element(node, "rects")?).map(part).collect::<Result<_>>()?;
    // A third part without weight is OpenCV's way to say that there is none.
    if parts.len() == 3 && parts[2].weight == 0.0 {
        parts.pop();
    }
    let tilted = find(node, "tilted").is_some() && value::<i32>(node, "tilted")? != 0;
    Ok(HaarFeature { parts, tilted })
}
