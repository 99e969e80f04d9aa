//! AdaBoost of Haar stumps on the CBCL patches: area under the ROC curve on the test patches, and training time (the
//! problem of thesis Fig. 3.6-3.8). `--set pruning=NAME` says how the search is pruned; the model is the same.

use crate::Bench;
use crate::patches::{boost, features, images, machine};
use crate::report::{Report, table};
use rebelboost::Result;
use rebelboost::metric::auc_binary;
use rebelboost_vision::Size;
use rebelboost_vision::haar::Kinds;
use rebelboost_vision::train::Patches;

const WINDOW: Size = Size::new(19, 19);
const ROUNDS: [usize; 4] = [10, 50, 100, 200];

/// Trains and tests on 2000 and 20,000 features drawn at random and on all upright ones, or on those of `--sets`.
pub fn run(bench: &Bench) -> Result<Report> {
    let read = |name: &str| Ok::<_, rebelboost::Error>(Patches::new(WINDOW, &images(bench, name)?, false));
    let (faces, others) = (read("cbcl19_train_faces.npy")?, read("cbcl19_train_nonfaces.npy")?);
    let tests = [read("cbcl19_test_faces.npy")?, read("cbcl19_test_nonfaces.npy")?];
    let labels: Vec<u32> = (0..2).flat_map(|i| vec![1 - i as u32; tests[i].len()]).collect();
    let weights = vec![1.0; labels.len()];
    let mut rows = Vec::new();
    let wanted = |name: &&str| bench.choice.sets.is_empty() || bench.choice.sets.iter().any(|set| set == name);
    for name in ["2000", "20000", "all"].iter().filter(|name| wanted(name)) {
        let count = name.parse().ok();
        let pool = features(WINDOW, Kinds::Core, count, &bench.context);
        let chain = boost(&pool, &faces, &others, ROUNDS[3], bench)?;
        let sums = tests.each_ref().map(|patches| chain.sums(patches, &bench.context));
        let auc = |rounds: &usize| {
            let scores = [&sums[0][rounds - 1][..], &sums[1][rounds - 1]].concat();
            format!("{:.4}", auc_binary(&labels, 1, &scores, &weights))
        };
        let mut row = vec![format!("{name} ({})", pool.len())];
        row.extend(ROUNDS.iter().map(auc));
        row.extend(chain.seconds.map(|s| format!("{s:.1}")));
        row.push(chain.added.map_or("-".into(), |share| format!("{:.1} %", 100.0 * share)));
        rows.push(row);
    }
    let header = ["features", "T = 10", "50", "100", "200", "columns s", "200 rounds s", "added of all"];
    let given: Vec<String> = bench.choice.parameters.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let text = format!(
        "Discrete AdaBoost, stumps, {} faces and {} others to learn from; AUC on {} and {}. Settings given: {}.\n\n{}\n{}\n",
        faces.len(),
        others.len(),
        tests[0].len(),
        tests[1].len(),
        if given.is_empty() { "none".into() } else { given.join(", ") },
        table(&header, &rows),
        machine(&bench.context)
    );
    Ok(Report { text, svg: None })
}
