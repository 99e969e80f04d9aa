//! Cutting rows into folds and parts with every class shared out evenly.
//!
//! With few rows of a class, a plain random cut leaves folds without it: their errors then measure the cut, not the
//! classifier. The cuts here are as even as whole rows allow, within each class and in all, and depend on nothing but
//! the labels and the random stream.

use super::synthetic::random::shuffle;
use rand_chacha::ChaCha8Rng;

/// The fold, below `folds`, of each row. Fold sizes differ by at most one, and so do the numbers of rows of any class
/// in two folds; a class of fewer rows than folds has at most one in each. Which rows, and which folds get the odd
/// ones, is random. Labels that are no class (such as [`UNSEEN_CLASS`](super::UNSEEN_CLASS)) are a class of their
/// own; no folds count as one.
pub fn stratified_folds(labels: &[u32], classes: usize, folds: usize, rng: &mut ChaCha8Rng) -> Vec<u32> {
    let mut fold_names: Vec<u32> = (0..folds.max(1) as u32).collect();
    shuffle(&mut fold_names, rng);
    let mut fold_of = vec![0; labels.len()];
    // Rows sorted by class are dealt like cards, going on where the class before ended: any run of consecutive cards
    // is shared out evenly, hence each class and the whole.
    let rows = shuffled_by_class(labels, classes, rng).into_iter().flatten();
    for (row, fold) in rows.zip(fold_names.iter().cycle()) {
        fold_of[row] = *fold;
    }
    fold_of
}

/// The part of each row when rows are split in these proportions, such as 0.5, 0.25, 0.25 for training, validation
/// and test (thesis 4.6). Within each class, a part gets its share rounded down or up; over all classes the roundings
/// are made to cancel. Proportions need not add up to one; those that are not positive numbers get no rows, and if
/// none is positive all rows are in part 0.
pub fn stratified_split(labels: &[u32], classes: usize, fractions: &[f64], rng: &mut ChaCha8Rng) -> Vec<u32> {
    // Divided by the largest first: a sum of huge proportions must not overflow.
    let usable = |f: f64| if f.is_finite() && f > 0.0 { f } else { 0.0 };
    let largest = fractions.iter().fold(0.0, |max, &f| usable(f).max(max));
    let mut part_of = vec![0; labels.len()];
    if largest == 0.0 {
        return part_of;
    }
    let shares: Vec<f64> = fractions.iter().map(|&f| usable(f) / largest).collect();
    let sum: f64 = shares.iter().sum();
    // What each part is owed so far: its exact share of the rows seen minus the rows it got.
    let mut owed = vec![0.0; shares.len()];
    for rows in shuffled_by_class(labels, classes, rng) {
        let exact = |part: usize| rows.len() as f64 * (shares[part] / sum);
        // 0.1 * 30 must round down to 3 whichever side of it the product falls.
        let mut sizes: Vec<usize> = (0..shares.len()).map(|p| (exact(p) + 1e-9) as usize).collect();
        for part in 0..shares.len() {
            owed[part] += exact(part) - sizes[part] as f64;
        }
        // The rows left over are fewer than the parts whose share is not whole: one each to those owed most.
        let mut open: Vec<usize> = (0..shares.len()).filter(|&p| exact(p) > sizes[p] as f64 + 1e-9).collect();
        open.sort_by(|&a, &b| owed[b].total_cmp(&owed[a]).then(a.cmp(&b)));
        let left = rows.len().saturating_sub(sizes.iter().sum());
        for &part in open.iter().take(left) {
            sizes[part] += 1;
            owed[part] -= 1.0;
        }
        let parts = sizes.iter().zip(0..).flat_map(|(&size, part)| std::iter::repeat_n(part, size));
        for (row, part) in rows.iter().zip(parts) {
            part_of[*row] = part;
        }
    }
    part_of
}

/// The rows of each class in random order, then the rows of no class.
fn shuffled_by_class(labels: &[u32], classes: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); classes + 1];
    for (row, &label) in labels.iter().enumerate() {
        rows[(label as usize).min(classes)].push(row);
    }
    rows.iter_mut().for_each(|rows| shuffle(rows, rng));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::stream;
    use crate::data::UNSEEN_CLASS;
    use proptest::prelude::*;

    /// Rows of each class (and of none) in each part.
    fn table(labels: &[u32], classes: usize, part_of: &[u32], parts: usize) -> Vec<Vec<usize>> {
        let mut table = vec![vec![0; parts]; classes + 1];
        for (&label, &part) in labels.iter().zip(part_of) {
            table[(label as usize).min(classes)][part as usize] += 1;
        }
        table
    }

    fn totals(table: &[Vec<usize>]) -> Vec<usize> {
        (0..table[0].len()).map(|part| table.iter().map(|row| row[part]).sum()).collect()
    }

    fn spread(counts: &[usize]) -> usize {
        counts.iter().max().unwrap() - counts.iter().min().unwrap()
    }

    proptest! {
        #[test]
        fn folds_are_even_in_each_class_and_in_all(
            labels in prop::collection::vec(0u32..7, 0..300), folds in 1usize..12, seed: u64,
        ) {
            // Class 6 of six is no class.
            let fold_of = stratified_folds(&labels, 6, folds, &mut stream(seed, "folds"));
            prop_assert_eq!(fold_of.len(), labels.len());
            let table = table(&labels, 6, &fold_of, folds);
            prop_assert!(table.iter().all(|class| spread(class) <= 1));
            prop_assert!(spread(&totals(&table)) <= 1);
            prop_assert_eq!(fold_of, stratified_folds(&labels, 6, folds, &mut stream(seed, "folds")));
        }

        #[test]
        fn parts_are_true_to_their_fractions(
            labels in prop::collection::vec(0u32..5, 0..300),
            fractions in prop::collection::vec(0.01f64..10.0, 1..6),
            seed: u64,
        ) {
            let part_of = stratified_split(&labels, 5, &fractions, &mut stream(seed, "split"));
            prop_assert_eq!(part_of.len(), labels.len());
            let table = table(&labels, 5, &part_of, fractions.len());
            let sum: f64 = fractions.iter().sum();
            for class in &table {
                let rows = class.iter().sum::<usize>() as f64;
                for (count, f) in class.iter().zip(&fractions) {
                    prop_assert!((*count as f64 - rows * f / sum).abs() < 1.0 + 1e-6, "{table:?}");
                }
            }
            for (count, f) in totals(&table).iter().zip(&fractions) {
                prop_assert!((*count as f64 - labels.len() as f64 * f / sum).abs() < 2.0, "{table:?}");
            }
        }

        #[test]
        fn odd_fractions_do_no_harm(
            labels in prop::collection::vec(0u32..5, 0..50),
            fractions in prop::collection::vec(any::<f64>(), 0..6),
        ) {
            let part_of = stratified_split(&labels, 3, &fractions, &mut stream(0, "split"));
            prop_assert!(part_of.iter().all(|&p| (p as usize) < fractions.len().max(1)));
        }
    }

    #[test]
    fn seeds_differ() {
        let labels: Vec<u32> = (0..100).map(|i| i % 3).collect();
        let folds = |seed| stratified_folds(&labels, 3, 5, &mut stream(seed, "folds"));
        assert_ne!(folds(0), folds(1));
        let parts = |seed| stratified_split(&labels, 3, &[0.5, 0.5], &mut stream(seed, "split"));
        assert_ne!(parts(0), parts(1));
    }

    #[test]
    fn rare_classes_are_spread() {
        let labels: Vec<u32> = (0..50).map(|i| if i < 44 { 0 } else { (i - 44) / 3 + 1 }).collect();
        let fold_of = stratified_folds(&labels, 3, 5, &mut stream(4, "folds"));
        let table = table(&labels, 3, &fold_of, 5);
        assert!(table[1..3].iter().all(|class| class.iter().all(|&n| n <= 1)), "{table:?}");
        assert_eq!(totals(&table), [10; 5]);
    }

    #[test]
    fn halves_and_quarters_are_exact() {
        let labels: Vec<u32> = (0..40).map(|i| i % 2).collect();
        let part_of = stratified_split(&labels, 2, &[50.0, 25.0, 25.0], &mut stream(0, "split"));
        assert_eq!(table(&labels, 2, &part_of, 3)[..2], [[10, 5, 5], [10, 5, 5]]);
        let unseen = [UNSEEN_CLASS; 4];
        let part_of = stratified_split(&unseen, 2, &[0.5, 0.5, f64::NAN, -1.0], &mut stream(0, "split"));
        assert_eq!(totals(&table(&unseen, 2, &part_of, 4)), [2, 2, 0, 0]);
    }
}
