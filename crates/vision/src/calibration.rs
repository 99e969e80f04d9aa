//! What a box is worth: the probability that it is an object, given the windows that agree on it.
//!
//! A detector trained here knows it from data ([`Calibration::fit`]): a logistic regression (Platt 1999, with the targets
//! of Lin, Lin and Weng 2007) of the boxes around objects held out against those in scenes held out. Of a foreign cascade
//! nothing is known but the link of boosting.

use rebelboost::error::{Error, Result};
use rebelboost::math::{ln, sigmoid, softplus};
use serde::{Deserialize, Serialize};

/// What speaks for a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Windows that agree on it.
    pub windows: f64,
    /// Sum of the margins by which they pass the last thresholds.
    pub margin: f64,
}

/// From evidence to a probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// What the margin counts: the sum over all windows or, if fitted, their mean.
    pub slope: f64,
    /// Log odds without any evidence.
    pub offset: f64,
    /// What the logarithm of the number of windows counts; only where the calibration was fitted to data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    /// How many of the last stages the margin is of.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub stages: usize,
}

fn one() -> usize {
    1
}

fn is_one(stages: &usize) -> bool {
    *stages == one()
}

impl Default for Calibration {
    /// The link of boosted sums, p = 1 / (1 + e^-2h), as if windows were independent: all that is known of a foreign
    /// cascade. It orders boxes, but is too sure of itself.
    fn default() -> Self {
        Calibration { slope: 2.0, offset: 0.0, agreement: None, stages: one() }
    }
}

impl Evidence {
    /// Mean margin and logarithm of the number of windows: windows that overlap are evidence that adds up ever more
    /// slowly. Of the forms tried, the one of least log loss on faces held out.
    fn inputs(&self) -> [f64; 2] {
        [self.margin / self.windows, ln(self.windows)]
    }
}

impl Calibration {
    /// The probability of an object.
    pub fn probability(&self, evidence: &Evidence) -> f64 {
        match self.agreement {
            None => sigmoid(self.slope * evidence.margin + self.offset),
            Some(agreement) => {
                let [margin, windows] = evidence.inputs();
                sigmoid(self.slope * margin + agreement * windows + self.offset)
            }
        }
    }

    /// Whether data say what scores mean.
    pub fn is_fitted(&self) -> bool {
        self.agreement.is_some()
    }

    pub(crate) fn check(&self) -> Result<()> {
        let numbers = [self.slope, self.offset, self.agreement.unwrap_or(0.0)];
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(Error::model("the calibration is not a number"));
        }
        if self.stages == 0 {
            return Err(Error::model("the calibration is of no stage"));
        }
        Ok(())
    }

    /// The logistic regression of boxes that are objects against boxes that are not, with their weights; `None` if there
    /// are too few of either to tell. The margins are of the last `stages`.
    pub fn fit(objects: &[(Evidence, f64)], background: &[(Evidence, f64)], stages: usize) -> Option<Calibration> {
        if objects.len().min(background.len()) < LEAST_BOXES {
            return None;
        }
        // Targets short of 0 and 1 (Platt 1999): the classes may be separable.
        let target = |count: usize| 1.0 / (count as f64 + 2.0);
        let (high, low) = (1.0 - target(objects.len()), target(background.len()));
        let rows: Vec<Row> = (objects.iter().map(|row| (row, high)))
            .chain(background.iter().map(|row| (row, low)))
            .map(|((evidence, weight), target)| {
                let [margin, windows] = evidence.inputs();
                Row { inputs: [1.0, windows, margin], target, weight: *weight }
            })
            .collect();
        // An input that would speak against an object where there is more of it says nothing: it is left out.
        let uses = [&[0, 1, 2][..], &[0, 1], &[0, 2]];
        let [offset, agreement, slope] = uses
            .into_iter()
            .filter_map(|used| regress(&rows, used))
            .find(|found| found[1] >= 0.0 && found[2] >= 0.0)?;
        Some(Calibration { slope, offset, agreement: Some(agreement), stages })
    }
}

/// Fewer boxes of a kind tell nothing.
const LEAST_BOXES: usize = 8;

struct Row {
    inputs: [f64; 3],
    target: f64,
    weight: f64,
}

/// Logistic regression by Newton's method, with steps halved until the loss falls; inputs that are not used count 0.
fn regress(rows: &[Row], used: &[usize]) -> Option<[f64; 3]> {
    const STEPS: usize = 100;
    let loss = |w: &[f64; 3]| -> f64 {
        rows.iter().map(|row| row.weight * (softplus(dot(w, &row.inputs)) - row.target * dot(w, &row.inputs))).sum()
    };
    let mut w = [0.0; 3];
    let mut best = loss(&w);
    for _ in 0..STEPS {
        let (mut gradient, mut curvature) = ([0.0; 3], [[0.0; 3]; 3]);
        for row in rows {
            let p = sigmoid(dot(&w, &row.inputs));
            for &i in used {
                gradient[i] += row.weight * (p - row.target) * row.inputs[i];
                for &j in used {
                    curvature[i][j] += row.weight * p * (1.0 - p) * row.inputs[i] * row.inputs[j];
                }
            }
        }
        // Inputs that are not used stay where they are; the others must not be alike.
        (0..3).for_each(|i| curvature[i][i] += if used.contains(&i) { 1e-9 } else { 1.0 });
        let step = solve(curvature, gradient)?;
        let mut share = 1.0;
        let next = loop {
            let next = std::array::from_fn(|i| w[i] - share * step[i]);
            let after = loss(&next);
            if after < best {
                break Some((next, after));
            }
            share *= 0.5;
            if share < 1e-10 {
                break None;
            }
        };
        let Some((next, after)) = next else { break };
        let gained = best - after;
        (w, best) = (next, after);
        if gained < 1e-12 * best {
            break;
        }
    }
    w.iter().all(|v| v.is_finite()).then_some(w)
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The solution of three equations (Cramer's rule), if there is one.
fn solve(m: [[f64; 3]; 3], b: [f64; 3]) -> Option<[f64; 3]> {
    let det = |m: &[[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let whole = det(&m);
    let column = |i: usize| {
        let mut with = m;
        (0..3).for_each(|row| with[row][i] = b[row]);
        det(&with) / whole
    };
    let found = [column(0), column(1), column(2)];
    found.iter().all(|v| v.is_finite()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rebelboost::context::stream;

    /// Boxes whose true log odds are known.
    fn draw(count: usize, truth: &Calibration, seed: u64) -> [Vec<Evidence>; 2] {
        let mut random = stream(seed, "boxes");
        let mut out = [Vec::new(), Vec::new()];
        for _ in 0..count {
            let windows = f64::from(random.random_range(1..60));
            let evidence = Evidence { windows, margin: windows * random.random_range(0.0..6.0) };
            out[usize::from(random.random::<f64>() < truth.probability(&evidence))].push(evidence);
        }
        out
    }

    fn weighed(boxes: &[Evidence], weight: f64) -> Vec<(Evidence, f64)> {
        boxes.iter().map(|evidence| (*evidence, weight)).collect()
    }

    #[test]
    fn what_is_true_is_found() {
        let truth = Calibration { slope: 1.2, offset: -5.0, agreement: Some(0.8), stages: 1 };
        let [background, objects] = draw(20_000, &truth, 1);
        let fitted = Calibration::fit(&weighed(&objects, 1.0), &weighed(&background, 1.0), 1).unwrap();
        assert!((fitted.slope - 1.2).abs() < 0.1, "{fitted:?}");
        assert!((fitted.agreement.unwrap() - 0.8).abs() < 0.1, "{fitted:?}");
        // On new boxes a score is the share of boxes of this score that are objects.
        let [background, objects] = draw(20_000, &truth, 2);
        for bin in 0..5 {
            let inside = |e: &&Evidence| (fitted.probability(e) * 5.0).min(4.0) as usize == bin;
            let (right, wrong) = (objects.iter().filter(inside).count(), background.iter().filter(inside).count());
            let all = objects.iter().chain(&background).filter(inside);
            let mean = all.map(|e| fitted.probability(e)).sum::<f64>() / (right + wrong) as f64;
            let share = right as f64 / (right + wrong) as f64;
            assert!((mean - share).abs() < 0.03, "scores {mean}, true {share}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Few boxes, equal ones, separable ones: numbers, never falling with evidence.
        #[test]
        fn whatever_the_boxes_more_evidence_is_never_less(
            objects in proptest::collection::vec((1u32..50, 0.0f64..9.0), 0..30),
            background in proptest::collection::vec((1u32..50, 0.0f64..9.0), 0..30),
            weight in 0.01f64..1.0, same in any::<bool>(),
        ) {
            let of = |boxes: &[(u32, f64)]| boxes.iter().map(|&(n, mean)| {
                let n = if same { 3.0 } else { f64::from(n) };
                Evidence { windows: n, margin: n * mean }
            }).collect::<Vec<_>>();
            let Some(fitted) = Calibration::fit(&weighed(&of(&objects), weight), &weighed(&of(&background), 1.0), 1) else { return Ok(()) };
            prop_assert!(fitted.check().is_ok() && fitted.is_fitted());
            let at = |windows: f64, mean: f64| fitted.probability(&Evidence { windows, margin: windows * mean });
            for (a, b) in [((1.0, 0.0), (1.0, 1.0)), ((1.0, 1.0), (30.0, 1.0)), ((30.0, 1.0), (30.0, 200.0))] {
                let (a, b) = (at(a.0, a.1), at(b.0, b.1));
                prop_assert!(a <= b && (0.0..=1.0).contains(&a) && (0.0..=1.0).contains(&b), "{} {}", a, b);
            }
        }
    }
}
