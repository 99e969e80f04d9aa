//! Whether answers given with 80 % confidence are right 80 % of the time.

/// Number of bins of [`expected_calibration_error`], as in Guo et al. 2017, "On calibration of modern neural networks".
pub const CALIBRATION_BINS: usize = 15;

/// The rows whose confidence (largest probability) falls into one range.
#[derive(Clone, Debug, PartialEq)]
pub struct ReliabilityBin {
    /// Lower end of the range, included.
    pub low: f64,
    /// Upper end of the range, excluded but for 1.
    pub high: f64,
    /// Weight of the rows.
    pub weight: f64,
    /// Their mean confidence; NaN without rows.
    pub confidence: f64,
    /// The weighted fraction of them whose likeliest class is the truth; NaN without rows.
    pub accuracy: f64,
}

/// The reliability diagram: rows sorted into `bins` (at least one) ranges of equal width by their largest probability.
/// The answer is the likeliest class, the first of equals; classes never seen count as wrong answers.
pub fn reliability(
    labels: &[u32],
    probabilities: &[f64],
    classes: usize,
    weights: &[f64],
    bins: usize,
) -> Vec<ReliabilityBin> {
    debug_assert!(probabilities.len() == labels.len() * classes && labels.len() == weights.len());
    let bins = bins.max(1);
    let mut sums = vec![(0.0, 0.0, 0.0); bins];
    for (row, (&truth, &weight)) in labels.iter().zip(weights).enumerate() {
        let row = &probabilities[row * classes..][..classes];
        let (mut answer, mut top) = (0, f64::NEG_INFINITY);
        for (k, &p) in row.iter().enumerate() {
            if p > top {
                (answer, top) = (k, p);
            }
        }
        // Casts saturate: whatever is not a probability still has a bin.
        let bin = ((top * bins as f64) as usize).min(bins - 1);
        if weight != 0.0 {
            sums[bin].0 += weight;
            sums[bin].1 += weight * top;
            sums[bin].2 += if truth as usize == answer { weight } else { 0.0 };
        }
    }
    let bin = |(i, (weight, confidence, right)): (usize, (f64, f64, f64))| ReliabilityBin {
        low: i as f64 / bins as f64,
        high: (i + 1) as f64 / bins as f64,
        weight,
        confidence: confidence / weight,
        accuracy: right / weight,
    };
    sums.into_iter().enumerate().map(bin).collect()
}

/// The gap between confidence and accuracy, averaged over [`CALIBRATION_BINS`] bins by weight.
pub fn expected_calibration_error(labels: &[u32], probabilities: &[f64], classes: usize, weights: &[f64]) -> f64 {
    let bins = reliability(labels, probabilities, classes, weights, CALIBRATION_BINS);
    let gap = |bin: &ReliabilityBin| bin.weight * (bin.confidence - bin.accuracy).abs();
    let used = || bins.iter().filter(|bin| bin.weight > 0.0);
    used().map(gap).sum::<f64>() / used().map(|bin| bin.weight).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::UNSEEN_CLASS;

    #[test]
    fn known_values() {
        let p = [0.75, 0.25, 0.75, 0.25, 0.75, 0.25, 0.75, 0.25];
        assert_eq!(expected_calibration_error(&[0, 0, 0, 1], &p, 2, &[1.0; 4]), 0.0);
        assert_eq!(expected_calibration_error(&[0, 0, 0, UNSEEN_CLASS], &p, 2, &[1.0; 4]), 0.0);
        assert_eq!(expected_calibration_error(&[0; 4], &p, 2, &[1.0; 4]), 0.25);
        assert_eq!(expected_calibration_error(&[1; 4], &p, 2, &[1.0; 4]), 0.75);
        assert!(expected_calibration_error(&[], &[], 2, &[]).is_nan());
    }

    #[test]
    fn bins_cover_the_unit_interval() {
        let bins = reliability(&[0, 1, 1], &[1.0, 0.0, 0.5, 0.5, 0.2, 0.8], 2, &[1.0, 2.0, 3.0], 4);
        let weights: Vec<f64> = bins.iter().map(|b| b.weight).collect();
        assert_eq!(weights, [0.0, 0.0, 2.0, 4.0]);
        assert_eq!((bins[2].confidence, bins[2].accuracy), (0.5, 0.0));
        assert_eq!((bins[0].low, bins[3].high, bins[3].accuracy), (0.0, 1.0, 1.0));
    }
}
