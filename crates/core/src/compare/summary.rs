//! From trials to a table: mean and deviation, ranks and wins.

use super::{Measured, Trial};

/// How one algorithm did on all splits.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Registered name.
    pub algorithm: String,
    /// Mean error on the test parts; NaN if it never worked.
    pub error: f64,
    /// Its standard deviation between splits; NaN for fewer than two.
    pub deviation: f64,
    /// Mean rank among the algorithms that worked on a split, 1 the best, ties sharing.
    pub rank: f64,
    /// Splits on which nobody did better.
    pub wins: usize,
    /// Mean number of learners used.
    pub learners: f64,
    /// Mean seconds to train.
    pub seconds: f64,
    /// Splits on which it worked.
    pub splits: usize,
    /// Why it did not on the first on which it did not.
    pub failure: Option<String>,
    /// Mean error after 1, 2, ... learners; a run that ended early stays where it ended.
    pub curve: Vec<f64>,
}

/// All algorithms, the lowest error first, those that never worked last; ties in the order of the names given.
pub fn standings(algorithms: &[&str], trials: &[Trial]) -> Vec<Standing> {
    let mut all: Vec<Standing> = algorithms.iter().map(|name| standing(name, trials)).collect();
    all.sort_by(|a, b| a.error.is_nan().cmp(&b.error.is_nan()).then(a.error.total_cmp(&b.error)));
    all
}

fn error_of(trial: &Trial) -> Option<f64> {
    match trial.result {
        Measured::Done { error, .. } => Some(error),
        Measured::Failed(_) => None,
    }
}

fn standing(name: &str, trials: &[Trial]) -> Standing {
    let own: Vec<&Trial> = trials.iter().filter(|trial| trial.algorithm == name).collect();
    let errors: Vec<f64> = own.iter().copied().filter_map(error_of).collect();
    let count = errors.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let error = mean(&errors);
    let squares: f64 = errors.iter().map(|e| (e - error) * (e - error)).sum();
    let (mut ranks, mut wins) = (Vec::new(), 0);
    for trial in &own {
        let Some(error) = error_of(trial) else { continue };
        let others: Vec<f64> = trials.iter().filter(|t| t.split == trial.split).filter_map(error_of).collect();
        let better = others.iter().filter(|e| **e < error).count();
        let same = others.iter().filter(|e| **e == error).count();
        ranks.push(better as f64 + (same as f64 + 1.0) / 2.0);
        wins += usize::from(better == 0);
    }
    let of =
        |value: fn(&Measured) -> Option<f64>| mean(&own.iter().filter_map(|t| value(&t.result)).collect::<Vec<_>>());
    let failure = own.iter().find_map(|trial| match &trial.result {
        Measured::Failed(why) => Some(why.clone()),
        Measured::Done { .. } => None,
    });
    Standing {
        algorithm: name.into(),
        error,
        deviation: if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { f64::NAN },
        rank: mean(&ranks),
        wins,
        learners: of(|result| match result {
            Measured::Done { learners, .. } => Some(*learners as f64),
            Measured::Failed(_) => None,
        }),
        seconds: of(|result| match result {
            Measured::Done { seconds, .. } => Some(*seconds),
            Measured::Failed(_) => None,
        }),
        splits: errors.len(),
        failure,
        curve: mean_curve(&own),
    }
}

fn mean_curve(trials: &[&Trial]) -> Vec<f64> {
    let curves: Vec<&Vec<f64>> = trials
        .iter()
        .filter_map(|trial| match &trial.result {
            Measured::Done { curve, .. } if !curve.is_empty() => Some(curve),
            _ => None,
        })
        .collect();
    let longest = curves.iter().map(|curve| curve.len()).max().unwrap_or(0);
    let at = |i: usize| curves.iter().map(|curve| curve[i.min(curve.len() - 1)]).sum::<f64>() / curves.len() as f64;
    (0..longest).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(algorithm: &str, split: usize, error: f64) -> Trial {
        let result = Measured::Done { error, learners: 2, seconds: 0.5, curve: vec![0.5, error] };
        Trial { algorithm: algorithm.into(), split, result }
    }

    #[test]
    fn means_ranks_and_wins() {
        let failed = Trial { algorithm: "c".into(), split: 0, result: Measured::Failed("no".into()) };
        let trials = [trial("a", 0, 0.3), trial("b", 0, 0.1), trial("a", 1, 0.1), trial("b", 1, 0.1), failed];
        let table = standings(&["a", "b", "c"], &trials);
        let order: Vec<&str> = table.iter().map(|s| s.algorithm.as_str()).collect();
        assert_eq!(order, ["b", "a", "c"]);
        assert!((table[1].error - 0.2).abs() < 1e-12 && (table[1].deviation - 0.02f64.sqrt()).abs() < 1e-12);
        assert_eq!((table[0].rank, table[0].wins), (1.25, 2));
        assert_eq!((table[1].rank, table[1].wins), (1.75, 1));
        assert_eq!(table[1].curve.len(), 2);
        assert!(table[2].error.is_nan() && table[2].failure.as_deref() == Some("no"));
    }
}
