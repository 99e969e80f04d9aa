//! Numbers and names as the page writes them.

/// A fraction in percent; the space does not break.
pub fn percent(fraction: f64) -> String {
    match fraction {
        f if !f.is_finite() => "unknown".into(),
        f if f == 0.0 || f == 1.0 => format!("{:.0}\u{a0}%", 100.0 * f),
        f if f > 0.0 && f < 5e-4 => "<0.1\u{a0}%".into(),
        f if (0.9995..1.0).contains(&f) => ">99.9\u{a0}%".into(),
        f => format!("{:.1}\u{a0}%", 100.0 * f),
    }
}

/// A share of a sum in whole percent, for tight places.
pub fn share(fraction: f64) -> String {
    match 100.0 * fraction {
        p if !p.is_finite() => "-".into(),
        p if p > 0.0 && p < 0.5 => "<1".into(),
        p if (99.5..100.0).contains(&p) => ">99".into(),
        p => format!("{p:.0}"),
    }
}

/// A measured number with about three digits.
pub fn number(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if !value.is_finite() => "unknown".into(),
        0.0 => "0".into(),
        s if !(1e-3..1e6).contains(&s) => format!("{value:.2e}"),
        s if s < 1.0 => format!("{value:.3}"),
        s if s < 100.0 => format!("{value:.2}"),
        _ => grouped(value),
    }
}

/// The same with a sign.
pub fn signed(value: f64) -> String {
    match number(value) {
        text if value < 0.0 => text.replacen('-', "\u{2212}", 1),
        text => format!("+{text}"),
    }
}

/// A weighted count: whole numbers without a fraction, thousands set apart.
pub fn count(value: f64) -> String {
    if value.fract() == 0.0 { grouped(value) } else { format!("{value:.1}") }
}

/// A whole number with thin spaces between thousands.
fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::from(if value < 0.0 { "\u{2212}" } else { "" });
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && digits.len() > 4 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `1 row`, `2 rows`.
pub fn plural(count: usize, noun: &str) -> String {
    let ending = match noun {
        _ if count == 1 => "",
        "class" => "es",
        _ => "s",
    };
    format!("{}\u{a0}{noun}{ending}", grouped(count as f64))
}

/// A text of at most so many characters: its middle is left out, since names often differ at the end.
pub fn short(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.into();
    }
    let last = most / 3;
    let first: String = text.chars().take(most - last - 1).collect();
    let last: String = text.chars().skip(length - last).collect();
    format!("{}\u{2026}{}", first.trim_end(), last.trim_start())
}

/// A cell of a table: numbers with few digits, words cut to a length.
pub fn value(cell: &str) -> String {
    match cell.parse::<f64>() {
        _ if cell.is_empty() => "missing".into(),
        Ok(value) if cell.len() > 8 => number(value),
        _ => short(cell, 24),
    }
}

/// An argument as a shell would read it back.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    match argument {
        _ if !argument.is_empty() && argument.chars().all(plain) => argument.into(),
        _ => format!("'{}'", argument.replace('\'', r"'\''")),
    }
}

/// A command line for a shell.
pub fn command(arguments: &[String]) -> String {
    arguments.iter().map(|argument| quoted(argument)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let told = [0.0, 0.1234, -12.345, 12_345.0, 1e-9, f64::NAN].map(number);
        assert_eq!(told, ["0", "0.123", "-12.35", "12\u{202f}345", "1.00e-9", "unknown"]);
        assert_eq!([-0.5, 3.0].map(signed), ["\u{2212}0.500", "+3.00"]);
        assert_eq!([0.001, 0.5, 0.999, 1.0, 0.0].map(share), ["<1", "50", ">99", "100", "0"]);
        let told = [0.0, 1e-9, 0.1234, 0.99999, 1.0].map(percent).join(", ").replace('\u{a0}', " ");
        assert_eq!(told, "0 %, <0.1 %, 12.3 %, >99.9 %, 100 %");
        assert_eq!(
            (value(""), value("0.1234567891"), value("12.25")),
            ("missing".into(), "0.123".into(), "12.25".into())
        );
        assert_eq!((short("abcdef", 4), short("abcd", 4)), ("ab…f".into(), "abcd".into()));
    }

    #[test]
    fn a_shell_reads_the_command_back() {
        let arguments = ["rebel", "train", "my data.csv", "it's", "", "$HOME`x`", "--depth=3", "é"].map(String::from);
        let line = command(&arguments);
        assert!(line.starts_with("rebel train 'my data.csv' 'it'\\''s' '' "), "{line}");
        if cfg!(unix) {
            let told = std::process::Command::new("sh")
                .args(["-c", &format!("printf '%s\\n' {line}")])
                .output()
                .expect("a shell");
            assert_eq!(String::from_utf8_lossy(&told.stdout).lines().collect::<Vec<_>>(), arguments);
        }
    }
}
