//! What a command prints and keeps: a text in Markdown and, for figures, a drawing.

use std::fmt::Write;

/// A finished figure or table.
pub struct Report {
    /// Markdown.
    pub text: String,
    /// The drawing, if it is a figure.
    pub svg: Option<String>,
}

/// A Markdown table with aligned columns, the first to the left.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let width_of = |i: usize| {
        let cells = rows.iter().map(|row| row[i].chars().count());
        cells.chain([header[i].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width_of).collect();
    let line = |cells: Vec<&str>| {
        let mut text = String::from("|");
        for (i, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
            let padding = " ".repeat(width - cell.chars().count());
            if i == 0 {
                write!(text, " {cell}{padding} |").expect("writing to a string does not fail");
            } else {
                write!(text, " {padding}{cell} |").expect("writing to a string does not fail");
            }
        }
        text + "\n"
    };
    let mut text = line(header.to_vec());
    let rule = widths
        .iter()
        .enumerate()
        .map(|(i, &w)| if i == 0 { format!("-{}-", "-".repeat(w)) } else { format!("-{}:", "-".repeat(w)) });
    text += &format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
    rows.iter().for_each(|row| text += &line(row.iter().map(String::as_str).collect()));
    text
}

/// Mean and standard deviation of the sample.
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, variance.sqrt())
}

/// `0.123 +- 0.004`.
pub fn spread(values: &[f64]) -> String {
    let (mean, deviation) = mean_and_deviation(values);
    format!("{mean:.3} ± {deviation:.3}")
}

/// `12.3 ± 0.4 %` of fractions.
pub fn spread_percent(values: &[f64]) -> String {
    let (mean, deviation) = mean_and_deviation(values);
    format!("{:.1} ± {:.1} %", 100.0 * mean, 100.0 * deviation)
}

/// Mean of the values.
pub fn mean(values: &[f64]) -> f64 {
    mean_and_deviation(values).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviation_is_of_the_sample() {
        assert_eq!(mean_and_deviation(&[1.0, 3.0]), (2.0, 2f64.sqrt()));
        assert_eq!(mean_and_deviation(&[5.0]), (5.0, 0.0));
    }

    #[test]
    fn tables_are_aligned() {
        let text = table(&["a", "bb"], &[vec!["ccc".into(), "1".into()]]);
        assert_eq!(text, "| a   | bb |\n|-----|---:|\n| ccc |  1 |\n");
    }
}
