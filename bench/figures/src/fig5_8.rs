//! Fig. 5.8 of the thesis: the training losses of localized similarities on UCI sets, on a logarithmic axis. Claims: the
//! loss falls exponentially, even faster in the first tenth of the rounds, and far faster than the bound of 5.4, which
//! promises a factor of 1 - 2 / (K N^2) a round.

use crate::Bench;
use crate::course::{Followed, on_uci_sets, series};
use crate::report::{Report, table};
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;

/// Rounds that halve the loss, and how well a straight line describes its logarithm.
struct Decay {
    half: f64,
    fit: f64,
}

/// Trains on every set that is there.
pub fn run(bench: &Bench) -> Result<Report> {
    let runs = on_uci_sets(bench)?;
    let rows = runs.iter().map(|Followed { name, rows, classes, courses }| {
        let losses: Vec<f64> = courses[0].history.iter().map(|info| info.loss).collect();
        let early = decay(&losses[..losses.len() / 10]);
        let late = decay(&losses[losses.len() / 10..]);
        let promised = std::f64::consts::LN_2 * (*classes as f64) * (*rows as f64).powi(2) / 2.0;
        vec![
            name.to_string(),
            losses.len().to_string(),
            format!("{:.1e}", losses.last().copied().unwrap_or(f64::NAN)),
            format!("{:.0}", early.half),
            format!("{:.0}", late.half),
            format!("{:.3}", late.fit),
            format!("{promised:.0e}"),
        ]
    });
    let header = [
        "set",
        "rounds",
        "last loss",
        "rounds to halve it, first tenth",
        "afterwards",
        "R² of a straight line afterwards",
        "promised by the bound",
    ];
    let text = format!(
        "The runs of fig5.7; of glass and vehicle the first split.\n\n{}",
        table(&header, &rows.collect::<Vec<_>>())
    );
    Ok(Report { text, svg: (!runs.is_empty()).then(|| draw(&runs)) })
}

/// A straight line through the logarithms, by least squares.
fn decay(losses: &[f64]) -> Decay {
    let logs: Vec<f64> = losses.iter().map(|loss| loss.ln()).collect();
    let n = logs.len() as f64;
    let (middle, mean) = ((n - 1.0) / 2.0, logs.iter().sum::<f64>() / n);
    let products = logs.iter().enumerate().map(|(i, log)| (i as f64 - middle) * (log - mean));
    let (shared, wide) = (products.sum::<f64>(), n * (n * n - 1.0) / 12.0);
    let high: f64 = logs.iter().map(|log| (log - mean) * (log - mean)).sum();
    Decay { half: -std::f64::consts::LN_2 * wide / shared, fit: shared * shared / (wide * high) }
}

fn draw(runs: &[Followed]) -> String {
    let mut svg = Svg::new(1000.0, 520.0);
    svg.text(500.0, 28.0, 17.0, Anchor::Middle, "Localized similarities: training loss by round");
    let names: Vec<(&str, &str)> = runs.iter().zip(COLOURS).map(|(run, colour)| (run.name, colour)).collect();
    svg.legend(140.0, 58.0, &names);
    let powers = |run: &Followed| series(run.courses[0].history.iter().map(|info| info.loss.log10()));
    let lowest = runs.iter().flat_map(powers).map(|(_, power)| power).fold(0.0, f64::min).floor();
    let longest = runs.iter().map(|run| run.courses[0].history.len()).max().unwrap_or(1) as f64;
    let panel = Panel { place: [75.0, 80.0, 890.0, 380.0], x: (0.0, longest), y: (lowest, 1.0) };
    panel.axes(&mut svg, "rounds", "log10 of the loss");
    for (run, colour) in runs.iter().zip(COLOURS) {
        panel.line(&mut svg, &powers(run), colour, 2.0, "");
    }
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_is_found() {
        let losses: Vec<f64> = (0..50).map(|i| 3.0 * 0.5f64.powf(f64::from(i) / 7.0)).collect();
        let found = decay(&losses);
        assert!((found.half - 7.0).abs() < 1e-9 && (found.fit - 1.0).abs() < 1e-9);
    }
}
