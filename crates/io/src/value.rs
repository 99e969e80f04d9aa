//! What one cell of text says: nothing, a number, or a word.

/// A cell, told apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    /// Empty or one of the words for "unknown".
    Missing,
    /// A small whole number (never minus zero).
    Integer(i32),
    /// A finite number.
    Number(f64),
    /// An infinity, or a number beyond double precision: an error in a numeric column, a word in a column of words.
    Infinite,
    /// Anything else.
    Text,
}

const MISSING: [&str; 6] = ["na", "n/a", "nan", "?", "null", "none"];

/// Whether trimmed text stands for a missing value.
pub(crate) fn is_missing(text: &[u8]) -> bool {
    text.is_empty() || text.len() <= 4 && MISSING.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
}

impl Cell {
    /// Tells a cell apart; surrounding white space does not count.
    #[inline]
    pub(crate) fn of(raw: &[u8]) -> Cell {
        match integer(raw) {
            Some(value) => Cell::Integer(value),
            None => Cell::of_other(raw.trim_ascii()),
        }
    }

    fn of_other(text: &[u8]) -> Cell {
        if is_missing(text) {
            return Cell::Missing;
        }
        // Most words are told by their first letter; "i" and "n" may begin an infinity or NaN.
        if !matches!(text[0], b'0'..=b'9' | b'+' | b'-' | b'.' | b'i' | b'I' | b'n' | b'N') {
            return Cell::Text;
        }
        match std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()) {
            None => Cell::Text,
            Some(value) if value.is_nan() => Cell::Missing,
            Some(value) if value.is_infinite() => Cell::Infinite,
            Some(value) => Cell::Number(value),
        }
    }

    /// Whether the cell looks like a quantity.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Cell::Integer(_) | Cell::Number(_) | Cell::Infinite)
    }
}

/// The usual case, done fast: up to nine digits with an optional minus.
#[inline]
fn integer(raw: &[u8]) -> Option<i32> {
    let (negative, digits) = match raw {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    let mut value = 0;
    for &digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i32::from(digit);
    }
    match (negative, value) {
        (true, 0) => None,
        (true, value) => Some(-value),
        (false, value) => Some(value),
    }
}

/// A cell as a message shows it: quoted, cut after 40 characters.
pub(crate) fn shown(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw.trim_ascii());
    let short: String = text.chars().take(40).collect();
    if short.len() < text.len() { format!("'{short}...'") } else { format!("'{short}'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_told_apart() {
        for text in ["", "  ", "NA", "n/A", "NaN", "?", " null ", "None", "-nan"] {
            assert_eq!(Cell::of(text.as_bytes()), Cell::Missing, "{text:?}");
        }
        for (text, value) in [("0", 0), ("007", 7), ("-12", -12), ("999999999", 999_999_999)] {
            assert_eq!(Cell::of(text.as_bytes()), Cell::Integer(value));
        }
        for (text, value) in
            [(" 5", 5.0), ("-0", -0.0), ("+1", 1.0), ("1e3", 1e3), (".5", 0.5), ("1234567890", 1234567890.0)]
        {
            assert_eq!(Cell::of(text.as_bytes()), Cell::Number(value));
        }
        for text in ["inf", "-Infinity", "1e400"] {
            assert_eq!(Cell::of(text.as_bytes()), Cell::Infinite);
        }
        for text in ["abc", "1a", "-", "1,5", "0x10", "nano", "\u{e9}"] {
            assert_eq!(Cell::of(text.as_bytes()), Cell::Text);
        }
    }
}
