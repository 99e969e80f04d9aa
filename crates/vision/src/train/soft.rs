//! Thresholds after each tree of a chain, from the sums of objects held out.
//!
//! *Soft* (Bourdev and Brandt 2005, sec. 3): after tree t of T at most a share (1 - D) r(t) of the objects may have been
//! turned down, r rising exponentially from 0 to 1: few early, when the sums tell little. *Constant*: one threshold for
//! all trees but the last, as high as half of the objects that D allows to lose, and one for the last.

use super::settings::Form;

/// How much of the loss is put off to the end (their alpha).
const LATE: f64 = 4.0;
/// Below the sum of the last object kept, to forgive rounding.
const SLACK: f64 = 1e-5;

/// Thresholds, one a tree. `sums[t]` are the sums of all objects after tree t.
pub fn thresholds(form: Form, sums: &[Vec<f64>], detection: f64) -> Vec<f32> {
    let objects = sums.first().map_or(0, Vec::len);
    let most = ((1.0 - detection) * objects as f64).floor();
    if form == Form::Constant {
        return constant(sums, objects, most as usize);
    }
    let mut left: Vec<usize> = (0..objects).collect();
    let mut out = Vec::with_capacity(sums.len());
    for (t, after) in sums.iter().enumerate() {
        let share = ((LATE * (t + 1) as f64 / sums.len() as f64).exp() - 1.0) / (LATE.exp() - 1.0);
        let lost = objects - left.len();
        let allowed = ((most * share).floor() as usize).saturating_sub(lost);
        left.sort_by(|&a, &b| after[a].total_cmp(&after[b]).then(a.cmp(&b)));
        let Some(&kept) = left.get(allowed.min(left.len().saturating_sub(1))) else {
            out.push(f32::MIN);
            continue;
        };
        let threshold = (after[kept] - SLACK) as f32;
        left.retain(|&object| after[object] >= f64::from(threshold));
        out.push(threshold);
    }
    out
}

/// Half of the objects that may be lost are lost to the threshold that all trees share, half to the last one, which
/// alone decides what is an object.
fn constant(sums: &[Vec<f64>], objects: usize, most: usize) -> Vec<f32> {
    let Some(end) = sums.last() else { return Vec::new() };
    let below = |mut values: Vec<f64>, lost: usize| {
        values.sort_by(f64::total_cmp);
        values.get(lost).map_or(f32::MIN, |value| (value - SLACK) as f32)
    };
    let least = |object: usize| sums.iter().map(|after| after[object]).fold(f64::INFINITY, f64::min);
    let lows: Vec<f64> = (0..objects).map(least).collect();
    let shared = below(lows.clone(), most / 2);
    let left: Vec<f64> = (0..objects).filter(|&o| lows[o] >= f64::from(shared)).map(|o| end[o]).collect();
    let lost = objects - left.len();
    let mut out = vec![shared; sums.len()];
    out[sums.len() - 1] = below(left, most.saturating_sub(lost)).max(shared);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_detection_rate_is_kept(
            steps in proptest::collection::vec(proptest::collection::vec(-1.0f64..1.5, 60), 1..30),
            detection in 0.5f64..1.0,
            constant in any::<bool>(),
        ) {
            let mut sums: Vec<Vec<f64>> = Vec::new();
            for step in steps {
                let before = sums.last().cloned().unwrap_or(vec![0.0; 60]);
                sums.push(before.iter().zip(step).map(|(a, b)| a + b).collect());
            }
            let thresholds = thresholds(if constant { Form::Constant } else { Form::Soft }, &sums, detection);
            let passes = |object: usize| sums.iter().zip(&thresholds).all(|(after, t)| after[object] >= f64::from(*t));
            let passed = (0..60).filter(|&object| passes(object)).count();
            prop_assert!(passed as f64 >= detection * 60.0, "{passed} of 60 at {detection}");
            // Not simply by letting all pass: as many as allowed are turned down at the end, unless sums are tied.
            if !constant {
                prop_assert!(passed as f64 <= detection * 60.0 + 1.0, "{passed} of 60 at {detection}");
            }
        }
    }
}
