//! AdaBoost and SAMME against scikit-learn's AdaBoostClassifier on committed golden files (golden/sklearn/make.py): the
//! same features, the same thresholds, the same votes (for AdaBoost, scikit-learn's weight is 2 alpha).

use rebelboost::data::{Dataset, Roles};
use rebelboost::model::{Node, Test, WeakModel};
use rebelboost_testkit::{context, dataset, fit, record, settings, table};

#[test]
#[allow(irrefutable_let_patterns)]
fn adaboost_is_scikit_learns() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("golden/sklearn/adaboost.json")).unwrap();
    let rounds = golden["rounds"].as_array().unwrap();
    let data = dataset(&table(include_str!("golden/sklearn/data.csv")));
    let count = rounds.len().to_string();
    let options = [("rounds", count.as_str()), ("learner", "stump"), ("bias", "off"), ("smoothing", "0")];
    for algorithm in ["adaboost", "rebel"] {
        let model = fit(&data, None, &settings(algorithm, &options)).model;
        assert_eq!(model.chain.terms.len(), rounds.len());
        for (t, (term, golden)) in model.chain.terms.iter().zip(rounds).enumerate() {
            let WeakModel::Tree(tree) = &term.learner else { panic!("{algorithm} round {t} is not a tree") };
            let Node::Split { feature, test: Test::AtMost(threshold), .. } = &tree.nodes[0] else {
                panic!("{algorithm} round {t} is not a stump")
            };
            assert_eq!(u64::from(*feature), golden["feature"].as_u64().unwrap(), "{algorithm} round {t}");
            let expected = golden["threshold"].as_f64().unwrap();
            assert!((threshold - expected).abs() < 1e-9, "{algorithm} round {t}: {threshold} {expected}");
            let alpha = term.output[1].abs();
            let weight = golden["weight"].as_f64().unwrap();
            assert!((2.0 * alpha - weight).abs() < 1e-6, "{algorithm} round {t}: {alpha} {weight}");
        }
        let answers = model.decide(&model.scores(&data.features, &context()), None).unwrap();
        let wrong = answers.iter().zip(&data.labels).filter(|(a, b)| a != b).count();
        let error = wrong as f64 / data.rows() as f64;
        assert!((error - golden["training_error"].as_f64().unwrap()).abs() < 1e-12);
    }
}

/// Votes and training errors of every round. Trees choose the same rows but not the same thresholds between them: ours
/// lie between neighbouring values of all rows, scikit-learn's between those of the node.
#[test]
fn samme_is_scikit_learns() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("golden/sklearn/samme.json")).unwrap();
    let numbers =
        |name: &str| -> Vec<f64> { golden[name].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
    let (votes, errors) = (numbers("votes"), numbers("training_errors"));
    let roles = Roles { weights: Some("weight".into()), ..Roles::default() };
    let table = table(include_str!("golden/sklearn/samme.csv"));
    let data = Dataset::from_table(&table, &roles, &mut Vec::new()).unwrap();
    let options = [("rounds", votes.len().to_string()), ("leaves", golden["leaves"].to_string())];
    let options = options.each_ref().map(|(name, value)| (*name, value.as_str()));
    let run = record(&data, None, &settings("samme", &options));
    assert_eq!(run.rounds.len(), votes.len());
    for (t, (info, model)) in run.rounds.iter().enumerate() {
        // The vote times K - 1, for the answer.
        let output = &model.chain.terms[t].output[..4];
        let span = output.iter().copied().fold(f64::MIN, f64::max) - output.iter().copied().fold(f64::MAX, f64::min);
        assert!((span / 3.0 - votes[t]).abs() < 1e-6, "round {t}: {} {}", span / 3.0, votes[t]);
        assert!((info.error - errors[t]).abs() < 1e-12, "round {t}: {} {}", info.error, errors[t]);
    }
}

/// SAMME with stumps and with four leaves, and the first stump of gradient boosting of the exponential loss, which is that of
/// Gentle AdaBoost: split and direction.
#[test]
fn stumps_are_scikit_learns() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("golden/sklearn/family.json")).unwrap();
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
    };
    let roles = Roles { weights: Some("weight".into()), ..Roles::default() };
    let samme = table(include_str!("golden/sklearn/samme.csv"));
    let data = Dataset::from_table(&samme, &roles, &mut Vec::new()).unwrap();
    for leaves in ["2", "4"] {
        let (votes, errors) =
            (numbers(&golden["samme"][leaves]["votes"]), numbers(&golden["samme"][leaves]["training_errors"]));
        let rounds = votes.len().to_string();
        let run = record(&data, None, &settings("samme", &[("rounds", rounds.as_str()), ("leaves", leaves)]));
        for (t, (info, model)) in run.rounds.iter().enumerate() {
            let output = &model.chain.terms[t].output[..4];
            let span =
                output.iter().copied().fold(f64::MIN, f64::max) - output.iter().copied().fold(f64::MAX, f64::min);
            assert!((span / 3.0 - votes[t]).abs() < 1e-6, "{leaves} leaves, round {t}: {} {}", span / 3.0, votes[t]);
            assert!((info.error - errors[t]).abs() < 1e-12, "{leaves} leaves, round {t}");
        }
        assert_eq!(run.rounds.len(), votes.len());
    }
    let data = dataset(&table(include_str!("golden/sklearn/data.csv")));
    let model = fit(&data, None, &settings("gentle-adaboost", &[("rounds", "1"), ("learner", "stump")])).model;
    let WeakModel::Regions(tree) = &model.chain.terms[0].learner else { panic!("not a tree of regions") };
    let Node::Split { feature, test: Test::AtMost(threshold), .. } = &tree.nodes[0] else { panic!("not a stump") };
    let theirs = &golden["gradient_boosting"];
    assert_eq!(u64::from(*feature), theirs["feature"].as_u64().unwrap());
    assert!((threshold - theirs["threshold"].as_f64().unwrap()).abs() < 1e-6);
    for (leaf, value) in numbers(&theirs["leaves"]).into_iter().enumerate() {
        assert!(model.chain.terms[0].output[leaf * 2 + 1] * value > 0.0);
    }
}
