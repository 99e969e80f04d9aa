//! When to train on costs instead.
//!
//! Calibrated probabilities and the answer of least expected cost beat training on costs almost everywhere. Measured
//! exception: costs like a taxonomy's, with confusions inside groups (almost) free, ten classes or more, and a model of
//! some twenty learners at most.

use crate::data::CostMatrix;

/// Classes from which on it can pay.
const CLASSES: usize = 10;
/// A cost below this share of the largest is almost free.
const FREE: f64 = 0.1;
/// A cost above this share of it is a mistake between groups.
const DEAR: f64 = 0.5;

/// What to tell the user of these costs, if anything.
pub fn on(costs: &CostMatrix) -> Option<String> {
    let (classes, most) = (costs.classes(), costs.max());
    let pairs =
        || (0..classes).flat_map(|a| (0..classes).filter(move |b| a != *b).map(move |b| costs.get(a, b) / most));
    let free = pairs().filter(|cost| *cost <= FREE).count();
    let groups = pairs().all(|cost| cost <= FREE || cost >= DEAR) && free >= classes;
    (classes >= CLASSES && groups && free < pairs().count()).then(|| {
        "some confusions are almost free, as in a taxonomy: if you want a compact model of some 20 learners, \
         one trained on the costs may be cheaper (--algorithm rebel --rounds 20); otherwise deciding by costs, as here, is better"
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_groups_of_many_classes_are_spoken_of() {
        let costs = |classes: usize, cost: &dyn Fn(usize, usize) -> f64| {
            let names: Vec<String> = (0..classes).map(|k| k.to_string()).collect();
            let cell = |i: usize| if i / classes == i % classes { 0.0 } else { cost(i / classes, i % classes) };
            CostMatrix::new((0..classes * classes).map(cell).collect(), &names).unwrap()
        };
        let grouped = |a: usize, b: usize| if a / 3 == b / 3 { 0.05 } else { 1.0 };
        assert!(on(&costs(12, &grouped)).is_some());
        assert!(on(&costs(6, &grouped)).is_none());
        assert!(on(&costs(12, &|_, _| 1.0)).is_none());
        assert!(on(&costs(12, &|a, b| 1.0 + (a * 12 + b) as f64)).is_none());
    }
}
