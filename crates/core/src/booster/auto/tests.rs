use super::combine;
use super::folds::Folds;
use super::judge::{Rows, judge};
use super::members::{Member, Preset};
use super::stack::Stack;
use crate::booster::train;
use crate::context::{Context, stream};
use crate::data::{Dataset, Roles, synthetic};
use crate::math::{exp, ln};
use crate::settings::Settings;
use proptest::prelude::*;
use rand::RngExt;

fn context() -> Context {
    Context::new(0, 1).unwrap()
}

/// Members of different skill: log probabilities around the truth with noise.
fn members(seed: u64, rows: usize, classes: usize, count: usize) -> (Vec<Vec<f64>>, Vec<u32>, Vec<f64>) {
    let mut rng = stream(seed, "members");
    let labels: Vec<u32> = (0..rows).map(|_| rng.random_range(0..classes as u32)).collect();
    let weights: Vec<f64> = (0..rows).map(|_| rng.random_range(0.5..2.0)).collect();
    let all = (0..count).map(|_| {
        let skill = rng.random_range(0.0..3.0);
        let mut values = Vec::new();
        for label in &labels {
            let mut p: Vec<f64> = (0..classes).map(|_| rng.random_range(0.05..1.0)).collect();
            p[*label as usize] += skill * rng.random_range(0.0..1.0);
            let sum: f64 = p.iter().sum();
            values.extend(p.iter().map(|p| ln(p / sum)));
        }
        values
    });
    (all.collect(), labels, weights)
}

/// The function that [`Stack::solve`] minimises.
fn objective(stack: &Stack<'_>, at: &[f64]) -> f64 {
    stack.log_loss(at, &context()) + pulled(stack, at)
}

/// What the pull costs.
fn pulled(stack: &Stack<'_>, at: &[f64]) -> f64 {
    stack.pull() * at.iter().zip(stack.target()).map(|(w, t)| (w - t).powi(2)).sum::<f64>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Nothing feasible nearby or at the corners is better, and so the stack is worse than a member by no more than the
    /// pull allows.
    #[test]
    fn the_weights_are_the_best(seed: u64, rows in prop_oneof![8usize..60, 600usize..1000], classes in 2usize..5, count in 1usize..6) {
        let (members, labels, weights) = members(seed, rows, classes, count);
        let stack = Stack { members, labels: &labels, weights: &weights };
        let at = stack.solve(&context()).unwrap();
        prop_assert!(at.iter().all(|w| (0.0..=3.0).contains(w)), "{at:?}");
        let least = objective(&stack, &at);
        let mut rng = stream(seed, "nearby");
        for _ in 0..30 {
            let near: Vec<f64> = at.iter().map(|w| (w + rng.random_range(-0.1..0.1)).clamp(0.0, 3.0)).collect();
            prop_assert!(objective(&stack, &near) >= least - 1e-9);
        }
        for m in 0..count {
            let alone: Vec<f64> = (0..count).map(|i| f64::from(u8::from(i == m))).collect();
            prop_assert!(objective(&stack, &alone) >= least - 1e-9);
        }
    }

    #[test]
    fn permuting_classes_changes_no_weight(seed: u64, rows in 8usize..60, classes in 2usize..5) {
        let (members, labels, weights) = members(seed, rows, classes, 4);
        let turned = |values: &Vec<f64>| -> Vec<f64> {
            values.chunks_exact(classes).flat_map(|row| (0..classes).map(|k| row[(k + 1) % classes])).collect()
        };
        let other: Vec<u32> = labels.iter().map(|k| (k + classes as u32 - 1) % classes as u32).collect();
        let b = Stack { members: members.iter().map(turned).collect(), labels: &other, weights: &weights };
        let a = Stack { members, labels: &labels, weights: &weights };
        for (x, y) in a.solve(&context()).unwrap().iter().zip(b.solve(&context()).unwrap()) {
            prop_assert!((x - y).abs() < 1e-6);
        }
    }

    /// A member twice is the member once, but for the pull.
    #[test]
    fn a_duplicated_member_changes_little(seed: u64, rows in 20usize..80) {
        let (mut members, labels, weights) = members(seed, rows, 3, 3);
        let stack = |members: &[Vec<f64>]| Stack { members: members.to_vec(), labels: &labels, weights: &weights };
        let one = stack(&members);
        members.push(members[0].clone());
        let two = stack(&members);
        let (at, twice) = (one.solve(&context()).unwrap(), two.solve(&context()).unwrap());
        let (before, after) = (one.log_loss(&at, &context()), two.log_loss(&twice, &context()));
        // The weights of one problem are feasible in the other, split in halves or added up (if one may weigh as much):
        // the optimum of each can be worse than them only by what the pull saves.
        let split = [at[0] / 2.0, at[1], at[2], at[0] / 2.0];
        let joined = [twice[0] + twice[3], twice[1], twice[2]];
        prop_assert!(after <= before + pulled(&two, &split) - pulled(&two, &twice) + 1e-9);
        prop_assume!(joined[0] <= 3.0);
        prop_assert!(before <= after + pulled(&one, &joined) - pulled(&one, &at) + 1e-9);
    }

    /// Targets sum to one, and the better of two members has the larger one.
    #[test]
    fn the_better_member_is_pulled_to_more(seed: u64, rows in 8usize..60, classes in 2usize..5, count in 1usize..6) {
        let (members, labels, weights) = members(seed, rows, classes, count);
        let stack = Stack { members, labels: &labels, weights: &weights };
        let target = stack.target();
        prop_assert!((target.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let alone = |m: usize| {
            let only: Vec<f64> = (0..count).map(|i| f64::from(u8::from(i == m))).collect();
            stack.log_loss(&only, &context())
        };
        for a in 0..count {
            for b in 0..count {
                prop_assert!(alone(a) > alone(b) - 1e-12 || target[a] >= target[b]);
            }
        }
    }

    /// Every class that can be is in every training part, and every row is left out at most once.
    #[test]
    fn rare_classes_survive_folding(seed: u64, common in 100usize..400, rare in prop::collection::vec(1usize..5, 1..6)) {
        let mut labels = vec![0u32; common];
        for (k, count) in rare.iter().enumerate() {
            labels.extend(std::iter::repeat_n(k as u32 + 1, *count));
        }
        let data = with_labels(labels);
        let folds = Folds::new(&data, Preset::Best, &Context::new(seed, 1).unwrap());
        let mut left = vec![0; data.rows()];
        for fold in 0..folds.count {
            let trained = folds.trained(fold);
            prop_assert!((0..=rare.len() as u32).all(|k| trained.iter().any(|&row| data.labels[row] == k)));
            folds.left_out(fold).iter().for_each(|&row| left[row] += 1);
        }
        for (row, times) in left.iter().enumerate() {
            let alone = data.labels.iter().filter(|k| **k == data.labels[row]).count() == 1;
            prop_assert_eq!(*times, usize::from(!alone));
        }
    }
}

fn with_labels(labels: Vec<u32>) -> Dataset {
    let classes = labels.iter().max().map_or(0, |k| k + 1);
    let x: Vec<f64> = (0..labels.len()).map(|i| i as f64).collect();
    let names: Vec<Option<String>> = labels.iter().map(|k| Some(format!("{k:04}"))).collect();
    let columns = vec![crate::data::Column::numeric(x), crate::data::Column::categorical(names)];
    let table = crate::data::Table::new(vec!["x".into(), "class".into()], columns).unwrap();
    let data = Dataset::from_table(&table, &Roles::default(), &mut Vec::new()).unwrap();
    assert_eq!(data.class_count(), classes as usize);
    data
}

/// A member that has every row right is as sure as so many rows allow, and no surer: it would drown the others.
#[test]
fn nobody_is_surer_than_the_rows_allow() {
    let (rows, classes) = (90, 3);
    let data = with_labels((0..rows as u32).map(|row| row % classes as u32).collect());
    let folds = Folds::new(&data, Preset::Best, &context());
    let right = |row: usize| (0..classes).map(move |class| f64::from(u8::from(class == row % classes)));
    let scores: Vec<Vec<Vec<f64>>> =
        (0..folds.count).map(|fold| vec![folds.left_out(fold).into_iter().flat_map(right).collect()]).collect();
    let settings = Settings::new("forest").unwrap();
    let member = Member { name: "forest".into(), settings, stages: &[], effort: 1.0, coded: false };
    let judged = judge(&member, &folds, &scores, &Rows::new(&data, &folds));
    // The share of the other classes that makes the loss least is that of a row more of every class.
    let other = 1.0 / (1.0 + exp(judged.factor) / (classes - 1) as f64);
    let expected = (classes - 1) as f64 / classes as f64 / (rows + classes) as f64;
    assert!((other / expected - 1.0).abs() < 1e-3, "{other} and not {expected}");
}

#[test]
fn many_rows_are_left_out_once_and_in_part() {
    let data = with_labels((0..20_000).map(|i| i % 3).collect());
    let folds = Folds::new(&data, Preset::Best, &context());
    assert_eq!(folds.count, 1);
    assert_eq!(folds.judged().len(), 4000);
    for rows in [4000, 9000, 12_000] {
        let data = with_labels((0..rows).map(|i| i % 1000).collect());
        let judged = Folds::new(&data, Preset::Best, &context()).judged().len();
        assert!((900..=1100).contains(&judged), "{judged} of {rows}");
    }
}

/// What grows with rows times classes is not tried on a crowd of classes, and parts are left out once.
#[test]
fn a_crowd_of_classes_is_left_to_the_light_members() {
    for (classes, heavy) in [(100, true), (101, false)] {
        let data = with_labels((0..1200).map(|i| i % classes).collect());
        for preset in [Preset::Best, Preset::Fast] {
            let members = super::members::members(&data, preset, false, 1000, 1).unwrap();
            let is_heavy = |member: &Member| {
                ["forest", "similarity", "network", "discriminant"].iter().any(|kind| member.name.starts_with(kind))
            };
            assert_eq!(members.iter().any(is_heavy), heavy, "{classes} classes");
            assert_eq!(Folds::new(&data, preset, &context()).count, 1);
        }
    }
}

/// Scores of a sum are the sum of scores; packed chains come back as they were.
#[test]
fn chains_add_up_and_come_back() {
    let data = Dataset::from_table(&synthetic::penguins().unwrap(), &Roles::default(), &mut Vec::new()).unwrap();
    let context = context();
    let chain = |algorithm: &str, options: &[(&str, &str)]| {
        let mut settings = Settings::new(algorithm).unwrap();
        options.iter().for_each(|(name, value)| settings.set(name, value).unwrap());
        train(&data, None, &settings, &context, &mut ()).unwrap().model.chain
    };
    let chains = [
        chain("random-pairs", &[("pairs", "20")]),
        chain("rebel", &[("rounds", "5")]),
        chain("rebel", &[("rounds", "5"), ("learner", "similarity")]),
        chain("random-pairs", &[("pairs", "20"), ("scaling", "raw")]),
    ];
    let scales = [0.5, 2.0, 1.25, 0.1];
    let mut sum = combine::empty(3);
    chains.iter().zip(scales).for_each(|(chain, scale)| combine::add(&mut sum, (*chain).clone(), scale));
    let together = sum.scores(&data.features, &context);
    let mut expected = vec![0.0; together.len()];
    for (chain, scale) in chains.iter().zip(scales) {
        let scores = chain.scores(&data.features, &context);
        expected.iter_mut().zip(scores).for_each(|(sum, h)| *sum += scale * h);
    }
    assert!(together.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + a.abs())));
    let named: Vec<(String, _)> = chains.iter().enumerate().map(|(i, chain)| (format!("chain {i}"), chain)).collect();
    let (packed, parts) = combine::pack(&named, 3);
    for (name, chain) in &named {
        assert_eq!(combine::unpack(&packed, &parts, name).as_ref(), Some(*chain), "{name}");
    }
    assert!(combine::unpack(&packed, &parts, "chain 9").is_none());
}
