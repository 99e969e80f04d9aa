//! Fig. 5.2 of the GAMBLE thesis: GAMBLE and SAMME at 10, 100 and 1000 iterations on eight sets. Claim: GAMBLE has less
//! error, by the sign test at p = 0.0066.

use crate::Bench;
use crate::gamble::{ROUNDS, SETS, courses, percent, settings, test_at};
use crate::report::{Report, table};
use crate::svg::{Anchor, COLOURS, Panel, Svg};
use rebelboost::Result;

const SHOWN: [usize; 3] = [10, 100, 1000];

/// Trains both on every set that is there.
pub fn run(bench: &Bench) -> Result<Report> {
    let mut rows = Vec::new();
    let mut pairs: Vec<[(f64, f64); 3]> = Vec::new();
    for set in &SETS {
        let parts = set.parts(bench)?;
        if parts.is_empty() {
            continue;
        }
        let gamble = courses(&parts, &settings("gamble", ROUNDS)?, bench)?;
        let samme = courses(&parts, &settings("samme", ROUNDS)?, bench)?;
        eprintln!("  {}: {} split(s)", set.name, parts.len());
        let errors = SHOWN.map(|round| (test_at(&gamble, round), test_at(&samme, round)));
        let mut row = vec![set.name.to_string()];
        row.extend(errors.iter().flat_map(|(g, s)| [percent(*g), percent(*s)]));
        row.push(format!("{:.0}", samme.iter().map(|c| c.test.len()).sum::<usize>() as f64 / samme.len() as f64));
        rows.push(row);
        pairs.push(errors);
    }
    let header =
        ["set", "GAMBLE 10", "SAMME 10", "GAMBLE 100", "SAMME 100", "GAMBLE 1000", "SAMME 1000", "SAMME's rounds"];
    let mut text = format!(
        "Test errors, 15 leaves, official splits or means over ten random ones. SAMME ends when a tree makes no mistake \
         and all rows are right; its error then stays.\n\n{}\n",
        table(&header, &rows)
    );
    for (name, of) in [("10 rounds", 0..1), ("100", 1..2), ("1000", 2..3), ("all", 0..3)] {
        let all: Vec<(f64, f64)> = pairs.iter().flat_map(|errors| errors[of.clone()].to_vec()).collect();
        let (wins, losses) = (all.iter().filter(|(g, s)| g < s).count(), all.iter().filter(|(g, s)| g > s).count());
        text += &format!(
            "- {name}: GAMBLE better in {wins}, SAMME in {losses}, equal in {}; sign test, two-sided: p = {:.4}.\n",
            all.len() - wins - losses,
            sign_test(wins, losses)
        );
    }
    Ok(Report { text, svg: (!pairs.is_empty()).then(|| draw(&pairs)) })
}

/// The chance of a split at least as uneven if both sides are equally likely.
fn sign_test(wins: usize, losses: usize) -> f64 {
    let n = wins + losses;
    let chance = |k: usize| (0..k).fold(0.5f64.powi(n as i32), |p, i| p * (n - i) as f64 / (i + 1) as f64);
    let tail: f64 = (0..=wins.min(losses)).map(chance).sum();
    (2.0 * tail).min(1.0)
}

fn draw(pairs: &[[(f64, f64); 3]]) -> String {
    let mut svg = Svg::new(560.0, 560.0);
    svg.text(280.0, 28.0, 17.0, Anchor::Middle, "Test errors of GAMBLE and SAMME");
    svg.legend(150.0, 54.0, &[("10 rounds", COLOURS[0]), ("100", COLOURS[1]), ("1000", COLOURS[2])]);
    let top = pairs.iter().flatten().fold(0.0, |top: f64, (g, s)| top.max(*g).max(*s)) * 1.05;
    let panel = Panel { place: [75.0, 80.0, 420.0, 420.0], x: (0.0, top), y: (0.0, top) };
    panel.axes(&mut svg, "GAMBLE", "SAMME");
    panel.line(&mut svg, &[(0.0, 0.0), (top, top)], "#8a909a", 1.2, "5 4");
    for (i, colour) in COLOURS.iter().take(3).enumerate() {
        panel.points(&mut svg, pairs.iter().map(|errors| errors[i]), colour, 9.0);
    }
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs() {
        assert!((sign_test(8, 0) - 2.0 / 256.0).abs() < 1e-12);
        assert!((sign_test(3, 1) - 10.0 / 16.0).abs() < 1e-12);
        assert_eq!(sign_test(4, 4), 1.0);
    }
}
