//! Learning curves: the error by the number of labels, over several runs.

use serde::Serialize;

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Curve {
    /// Labelled rows, rising.
    pub labelled: Vec<usize>,
    /// Test error with so many labels.
    pub error: Vec<f64>,
    /// Mean test cost with so many labels; the error without costs.
    pub cost: Vec<f64>,
    /// Seconds of training and choosing up to then.
    pub seconds: Vec<f64>,
}

/// Several runs: mean and deviation of the error.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Labelled rows, rising: within the range of every run.
    pub labelled: Vec<usize>,
    /// Mean error.
    pub mean: Vec<f64>,
    /// Standard deviation of the sample; 0 for one run.
    pub deviation: Vec<f64>,
}

impl Curve {
    /// Error with this many labels, between two measurements in proportion.
    fn at(&self, labelled: usize) -> f64 {
        let after = self.labelled.partition_point(|n| *n < labelled).min(self.labelled.len() - 1);
        let before = after.saturating_sub(1);
        let (a, b) = (self.labelled[before], self.labelled[after]);
        if a == b || labelled >= b {
            return self.error[after];
        }
        let share = (labelled.max(a) - a) as f64 / (b - a) as f64;
        self.error[before] + share * (self.error[after] - self.error[before])
    }
}

impl Summary {
    /// Sums up runs at the points of the first, as far as all of them go.
    pub fn of(runs: &[Curve]) -> Summary {
        let runs: Vec<&Curve> = runs.iter().filter(|run| !run.labelled.is_empty()).collect();
        let Some(first) = runs.first() else { return Summary::default() };
        let from = runs.iter().map(|run| run.labelled[0]).max().unwrap_or(0);
        let to = runs.iter().filter_map(|run| run.labelled.last()).min().copied().unwrap_or(0);
        let mut summary = Summary::default();
        for &labelled in first.labelled.iter().filter(|n| (from..=to).contains(*n)) {
            let errors: Vec<f64> = runs.iter().map(|run| run.at(labelled)).collect();
            let n = errors.len() as f64;
            let mean = errors.iter().sum::<f64>() / n;
            let squares: f64 = errors.iter().map(|e| (e - mean).powi(2)).sum();
            summary.labelled.push(labelled);
            summary.mean.push(mean);
            summary.deviation.push((squares / (n - 1.0).max(1.0)).sqrt());
        }
        summary
    }
}

/// The fewest labels with which the error is at most the target (data efficiency, GAMBLE thesis 5.2).
pub fn rows_to_reach(labelled: &[usize], error: &[f64], target: f64) -> Option<usize> {
    labelled.iter().zip(error).find(|(_, error)| **error <= target).map(|(labelled, _)| *labelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_averaged_where_all_were_measured() {
        let run = |labelled: &[usize], error: &[f64]| Curve {
            labelled: labelled.to_vec(),
            error: error.to_vec(),
            ..Curve::default()
        };
        let runs = [run(&[10, 20, 30], &[0.4, 0.2, 0.1]), run(&[12, 22], &[0.4, 0.2])];
        let summary = Summary::of(&runs);
        assert_eq!(summary.labelled, [20]);
        assert!((summary.mean[0] - 0.22).abs() < 1e-12, "{summary:?}");
        assert_eq!(Summary::of(&[]), Summary::default());
        assert_eq!(Summary::of(&runs[..1]).mean, [0.4, 0.2, 0.1]);
        assert_eq!(rows_to_reach(&runs[0].labelled, &runs[0].error, 0.2), Some(20));
        assert_eq!(rows_to_reach(&runs[0].labelled, &runs[0].error, 0.05), None);
    }
}
