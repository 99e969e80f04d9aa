//! The model file: golden files of every version load for ever, and no bytes whatever can make the reader panic.

use rebelboost::model::{Committee, Direction, Ellipse, Model, Node, Ramp, Slope, TurnedTree, WeakModel};
use rebelboost::steps::Plan;
use rebelboost_testkit::{Shape, context, fit, settings};

const SHAPE: Shape =
    Shape { seed: 11, rows: 60, features: 3, classes: 3, ties: true, missing: true, categorical: true };

/// The models that golden files hold, by name.
fn golden_models() -> [(&'static str, Model); 8] {
    let similarity = settings("rebel", &[("rounds", "6"), ("learner", "similarity")]);
    let regions =
        |algorithm| fit(&SHAPE.dataset(), None, &settings(algorithm, &[("rounds", "4"), ("leaves", "6")])).model;
    [
        ("rebel-tree", model()),
        ("rebel-similarity", fit(&SHAPE.dataset(), None, &similarity).model),
        ("gamble", regions("gamble")),
        ("samme", regions("samme")),
        ("softmax-trees", regions("softmax-trees")),
        ("forest", fit(&SHAPE.dataset(), None, &settings("forest", &[("rounds", "4"), ("bagging", "on")])).model),
        (
            "linear",
            fit(&SHAPE.dataset(), None, &settings("one-vs-all", &[("rounds", "6"), ("learner", "linear")])).model,
        ),
        (
            "hamming",
            fit(&SHAPE.dataset(), None, &settings("ecoc", &[("rounds", "8"), ("decoding", "hamming")])).model,
        ),
    ]
}

/// A whitened metric, and outputs by linear algebra that rounds differently on different processors: their files are read
/// alike everywhere, but made alike only on processors of one kind.
const BY_ALGEBRA: [(&str, &[(&str, &str)]); 5] = [
    ("random-pairs", &[("pairs", "5"), ("scaling", "whitened")]),
    ("logistic-regression", &[]),
    ("network", &[("units", "3"), ("networks", "2"), ("epochs", "4")]),
    ("discriminant", &[]),
    ("rotation-forest", &[("rounds", "4")]),
];

fn by_algebra((name, changes): (&str, &[(&str, &str)])) -> Model {
    fit(&SHAPE.dataset(), None, &settings(name, changes)).model
}

/// Steps before a model: those that are made alike on every processor, and those by linear algebra.
const STEPS: [(&str, &[&str], &[&str]); 5] = [
    ("cmim-kmeans", &["cmim:3"], &["kmeans:4"]),
    ("fisher", &["fisher:2"], &[]),
    ("pca", &[], &["pca:2"]),
    ("lda-distances", &["mim:3,levels=4"], &["lda:2", "kmeans:3,output=distances"]),
    ("isomap", &[], &["isomap:2,neighbours=5"]),
];

fn steps_model((_, selections, extractions): (&str, &[&str], &[&str])) -> Model {
    let plan = Plan::parse(selections, extractions, None).unwrap();
    let data = plan.fit(&SHAPE.dataset(), None, &context(), &mut Vec::new()).unwrap();
    fit(&data, None, &settings("rebel", &[("rounds", "3")])).model
}

fn model() -> Model {
    fit(&SHAPE.dataset(), Some(&SHAPE.costs()), &settings("rebel", &[("rounds", "6"), ("depth", "3")])).model
}

/// Puts the right checksum at the end, so that what is behind it is tested too.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() >= 4 {
        let end = bytes.len() - 4;
        let checksum = crc32fast::hash(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&checksum);
    }
    bytes
}

/// Whatever loads must also predict.
fn must_not_panic(bytes: &[u8]) {
    if let Ok(model) = Model::from_bytes(bytes) {
        let data = SHAPE.dataset();
        let steps = model.schema.steps.is_some();
        if model.schema == data.schema || steps {
            // With steps, the table is matched by name: what cannot be is refused.
            let aligned = model.schema.align(&SHAPE.table(), &[], &mut Vec::new());
            let Ok(features) = (if steps { aligned } else { Ok(data.features) }) else { return };
            let scores = model.scores(&features, &context());
            assert!(scores.values.iter().all(|h| h.is_finite()));
            let _ = model.decide(&scores, None);
            let _ = rebelboost::explain::explain(&model, &features, 0);
            model.schema.steps.iter().for_each(|steps| drop(steps.words(0)));
        }
    }
}

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/v1/");

#[test]
fn golden_files_load_and_score_the_same() {
    let data = SHAPE.dataset();
    for name in golden_models().map(|(name, _)| name).into_iter().chain(BY_ALGEBRA.map(|(name, _)| name)) {
        let bytes = std::fs::read(format!("{GOLDEN}{name}.rebel")).unwrap();
        let golden = Model::from_bytes(&bytes).unwrap();
        assert_eq!(golden.schema, data.schema);
        let expected: Vec<u64> = std::fs::read_to_string(format!("{GOLDEN}{name}.scores"))
            .unwrap()
            .lines()
            .map(|line| u64::from_str_radix(line, 16).unwrap())
            .collect();
        let scores = golden.scores(&data.features, &context());
        let scores: Vec<u64> = scores.values.iter().map(|h| h.to_bits()).collect();
        assert_eq!(scores, expected, "{name}");
        assert!(golden.to_bytes() == bytes, "reading and writing {name} changes nothing");
    }
}

const GOLDEN_STEPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/v2/");

#[test]
fn golden_files_with_steps_load_and_score_the_same() {
    let bless = std::env::var_os("REBEL_BLESS").is_some();
    for steps in STEPS {
        let (name, ..) = steps;
        let scores = |model: &Model| -> Vec<f64> {
            let features = model.schema.align(&SHAPE.table(), &[], &mut Vec::new()).unwrap();
            model.scores(&features, &context()).values
        };
        if bless {
            let model = steps_model(steps);
            let lines: Vec<String> = scores(&model).iter().map(|h| format!("{:016x}\n", h.to_bits())).collect();
            std::fs::create_dir_all(GOLDEN_STEPS).unwrap();
            std::fs::write(format!("{GOLDEN_STEPS}{name}.rebel"), model.to_bytes()).unwrap();
            std::fs::write(format!("{GOLDEN_STEPS}{name}.scores"), lines.concat()).unwrap();
        }
        let bytes = std::fs::read(format!("{GOLDEN_STEPS}{name}.rebel")).unwrap();
        assert_eq!(bytes[8], 2, "steps make it version 2");
        let golden = Model::from_bytes(&bytes).unwrap();
        let text = std::fs::read_to_string(format!("{GOLDEN_STEPS}{name}.scores")).unwrap();
        let expected: Vec<u64> = text.lines().map(|line| u64::from_str_radix(line, 16).unwrap()).collect();
        assert_eq!(scores(&golden).iter().map(|h| h.to_bits()).collect::<Vec<_>>(), expected, "{name}");
        assert!(golden.to_bytes() == bytes, "reading and writing {name} changes nothing");
        // Linear algebra rounds differently on different processors.
        if ["cmim-kmeans", "fisher"].contains(&name) {
            assert!(steps_model(steps).to_bytes() == bytes, "the trained model differs from the golden file {name}");
        }
    }
}

/// Training data, and the same table matched by name, give the same features to the bit.
#[test]
fn steps_are_repeated_as_they_were_learned() {
    for steps in STEPS {
        let plan = Plan::parse(steps.1, steps.2, None).unwrap();
        let trained_on = plan.fit(&SHAPE.dataset(), None, &context(), &mut Vec::new()).unwrap();
        let aligned = trained_on.schema.align(&SHAPE.table(), &[], &mut Vec::new()).unwrap();
        assert_eq!(format!("{:?}", aligned.columns), format!("{:?}", trained_on.features.columns), "{}", steps.0);
        let taken = trained_on.schema.steps.as_ref().unwrap().take(&SHAPE.dataset(), &context()).unwrap();
        assert_eq!(format!("{:?}", taken.features.columns), format!("{:?}", trained_on.features.columns));
        assert_eq!(taken.schema, trained_on.schema);
        let model = fit(&trained_on, None, &settings("rebel", &[("rounds", "3")])).model;
        assert!(Model::from_bytes(&model.to_bytes()).unwrap() == model, "{}", steps.0);
    }
}

#[test]
fn steps_that_do_not_fit_are_refused() {
    let say = |bytes: Vec<u8>| Model::from_bytes(&with_checksum(bytes)).unwrap_err().to_string();
    let bytes = steps_model(STEPS[2]).to_bytes();
    // A file of version 1 has no steps, and one of version 2 has.
    let mut older = bytes.clone();
    older[8] = 1;
    assert!(say(older).contains("after its end"));
    let mut newer = model().to_bytes();
    newer[8] = 2;
    assert!(say(newer).contains("ends too early"));
    // Another name of an output.
    let place = bytes.windows(6).position(|w| w == b"\"pca1\"").unwrap();
    let mut renamed = bytes.clone();
    renamed[place + 1] = b'q';
    assert!(say(renamed).contains("do not lead to its features"));
}

/// Training today gives the golden bytes of when the files were made: the promise of reproducibility, over time.
/// A deliberate change of an algorithm writes new golden files: `REBEL_BLESS=1 cargo test`.
#[test]
fn training_is_reproducible_over_time() {
    let bless = std::env::var_os("REBEL_BLESS").is_some();
    let blessed = BY_ALGEBRA.into_iter().filter(|_| bless).map(|made| (made.0, by_algebra(made)));
    for (name, model) in golden_models().into_iter().chain(blessed) {
        if bless {
            let scores = model.scores(&SHAPE.dataset().features, &context());
            let lines: Vec<String> = scores.values.iter().map(|h| format!("{:016x}\n", h.to_bits())).collect();
            std::fs::create_dir_all(GOLDEN).unwrap();
            std::fs::write(format!("{GOLDEN}{name}.rebel"), model.to_bytes()).unwrap();
            std::fs::write(format!("{GOLDEN}{name}.scores"), lines.concat()).unwrap();
        }
        let golden = std::fs::read(format!("{GOLDEN}{name}.rebel")).unwrap();
        assert!(model.to_bytes() == golden, "the trained model differs from the golden file {name}");
    }
}

#[test]
fn the_json_twin_holds_everything() {
    let model = model();
    let json = model.to_json();
    assert_eq!(json["version"], 1);
    assert_eq!(json["schema"]["classes"].as_array().unwrap().len(), 3);
    assert_eq!(json["chains"][0]["terms"].as_array().unwrap().len(), model.chain.terms.len());
    assert_eq!(json["provenance"]["algorithm"], "rebel");
}

#[test]
fn damage_is_said_clearly() {
    let bytes = model().to_bytes();
    let say = |bytes: &[u8]| Model::from_bytes(bytes).unwrap_err().to_string();
    assert!(say(b"").contains("not a RebelBoost model"));
    assert!(say(b"PK\x03\x04 something else").contains("not a RebelBoost model"));
    for end in 8..bytes.len() {
        assert!(say(&bytes[..end]).contains("ends too early"), "cut at {end}");
    }
    let mut altered = bytes.clone();
    altered[bytes.len() / 2] ^= 1;
    assert!(say(&altered).contains("checksum") || say(&altered).contains("early"));
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(say(&longer).contains("after its end"));
    let mut newer = bytes.clone();
    newer[8] = 99;
    assert!(say(&newer).contains("version 99") && say(&newer).contains("update"));
    let mut huge = bytes.clone();
    huge[12..20].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(say(&huge).contains("ends too early"));
}

#[test]
fn directions_that_do_not_fit_are_refused() {
    let [.., (_, model), _] = golden_models();
    // Loading says so; prediction never sees it.
    let refused = |change: &dyn Fn(&mut Direction)| {
        let mut broken = model.clone();
        for term in &mut broken.chain.terms {
            let WeakModel::Direction(direction) = &mut term.learner else { panic!("not a direction") };
            change(direction);
        }
        Model::from_bytes(&broken.to_bytes()).unwrap_err().to_string()
    };
    assert!(refused(&|d| d.coordinates[0].feature = 99).contains("not there"));
    assert!(refused(&|d| d.coordinates[0].scale = 0.0).contains("not standardised"));
    assert!(refused(&|d| d.coordinates[0].weight = 1.5).contains("not standardised"));
    assert!(refused(&|d| d.coordinates[0].centre = f64::NAN).contains("not finite"));
    assert!(refused(&|d| d.threshold = f64::INFINITY).contains("not finite"));
    assert!(refused(&|d| d.coordinates.push(d.coordinates[0])).contains("not in order"));
    let level = |d: &mut Direction| {
        d.coordinates.iter_mut().filter(|c| c.level.is_some()).for_each(|c| c.level = Some(1000));
    };
    assert!(refused(&level).contains("does not fit its feature"));
}

#[test]
fn slopes_that_do_not_fit_are_refused() {
    let model = fit(&SHAPE.dataset(), None, &settings("logistic-regression", &[])).model;
    let refused = |change: &dyn Fn(&mut Slope)| {
        let mut broken = model.clone();
        for term in &mut broken.chain.terms {
            let WeakModel::Slope(slope) = &mut term.learner else { panic!("not a slope") };
            change(slope);
        }
        Model::from_bytes(&broken.to_bytes()).unwrap_err().to_string()
    };
    assert!(refused(&|s| s.feature = 99).contains("not there"));
    assert!(refused(&|s| s.scale = 0.0).contains("no scale"));
    assert!(refused(&|s| s.centre = f64::NAN).contains("not finite"));
    assert!(refused(&|s| s.level = s.level.map(|_| 1000)).contains("does not fit its feature"));
}

#[test]
fn ramps_that_do_not_fit_are_refused() {
    let model = by_algebra(BY_ALGEBRA[2]);
    let refused = |change: &dyn Fn(&mut Ramp)| {
        let mut broken = model.clone();
        for term in &mut broken.chain.terms {
            let WeakModel::Ramp(ramp) = &mut term.learner else { panic!("not a ramp") };
            change(ramp);
        }
        Model::from_bytes(&broken.to_bytes()).unwrap_err().to_string()
    };
    assert!(refused(&|r| r.steepness = 0.0).contains("not steep"));
    assert!(refused(&|r| r.steepness = f64::INFINITY).contains("not finite"));
    assert!(refused(&|r| r.direction.coordinates[0].feature = 99).contains("not there"));
}

#[test]
fn ellipses_that_do_not_fit_are_refused() {
    let model = by_algebra(BY_ALGEBRA[3]);
    let refused = |change: &dyn Fn(&mut Ellipse)| {
        let mut broken = model.clone();
        for term in &mut broken.chain.terms {
            let WeakModel::Ellipse(ellipse) = &mut term.learner else { panic!("not an ellipse") };
            change(ellipse);
        }
        Model::from_bytes(&broken.to_bytes()).unwrap_err().to_string()
    };
    assert!(refused(&|e| e.reach = 0.0).contains("no reach"));
    assert!(refused(&|e| e.freedom = -1.0).contains("no reach"));
    assert!(refused(&|e| e.freedom = f64::INFINITY).contains("not finite"));
    assert!(refused(&|e| e.factor[0] = f64::NAN).contains("not finite"));
    assert!(refused(&|e| e.axes[0].scale = 0.0).contains("not standardised"));
    assert!(refused(&|e| e.axes[0].power = 1e9).contains("not standardised"));
    assert!(refused(&|e| e.axes.push(e.axes[0])).contains("not in order"));
    assert!(refused(&|e| e.axes[0].feature = 99).contains("not there"));
    // A matrix of another size, whose end is somewhere else.
    let mut short = model.clone();
    for term in &mut short.chain.terms {
        let WeakModel::Ellipse(ellipse) = &mut term.learner else { panic!("not an ellipse") };
        ellipse.factor.pop();
    }
    assert!(Model::from_bytes(&short.to_bytes()).is_err());
}

#[test]
fn turned_trees_that_do_not_fit_are_refused() {
    let model = by_algebra(BY_ALGEBRA[4]);
    let refused = |change: &dyn Fn(&mut TurnedTree)| {
        let mut broken = model.clone();
        for term in &mut broken.chain.terms {
            let WeakModel::Turned(tree) = &mut term.learner else { panic!("not turned") };
            change(tree);
        }
        Model::from_bytes(&broken.to_bytes()).unwrap_err().to_string()
    };
    assert!(refused(&|t| t.axes.truncate(0)).contains("does not fit its feature"));
    assert!(refused(&|t| t.axes[0].clear()).contains("mixes nothing"));
    assert!(refused(&|t| t.axes[0].iter_mut().for_each(|c| c.weight = 0.0)).contains("mixes nothing"));
    assert!(refused(&|t| t.axes[0][0].feature = 99).contains("not there"));
    assert!(refused(&|t| t.axes[0][0].weight = 1.5).contains("not standardised"));
    let names = |t: &mut TurnedTree| {
        let Node::Split { test, .. } = &mut t.tree.nodes[0] else { panic!("asks nothing") };
        *test = rebelboost::model::Test::OneOf(vec![0]);
    };
    assert!(refused(&names).contains("does not fit its feature"));
    let loops = |t: &mut TurnedTree| {
        let Node::Split { left, .. } = &mut t.tree.nodes[0] else { panic!("asks nothing") };
        *left = 0;
    };
    assert!(refused(&loops).contains("does not come after its parent"));
}

#[test]
fn committees_that_do_not_fit_are_refused() {
    let [.., (_, linear), (_, model)] = golden_models();
    let refused = |change: &dyn Fn(&mut Committee)| {
        let mut broken = model.clone();
        for term in &mut broken.chain.terms {
            let WeakModel::Committee(committee) = &mut term.learner else { panic!("not a committee") };
            change(committee);
        }
        Model::from_bytes(&broken.to_bytes()).unwrap_err().to_string()
    };
    assert!(refused(&|c| c.voters.clear()).contains("it has no voter"));
    assert!(refused(&|c| c.voters[0].vote = f64::NAN).contains("not finite"));
    assert!(refused(&|c| c.voters[0].vote = -1e200).contains("no training gives"));
    let nested = |c: &mut Committee| c.voters[0].learner = WeakModel::Committee(c.clone());
    assert!(refused(&nested).contains("neither a tree nor a direction (7)"));
    let regions = golden_models()[2].1.chain.terms[0].learner.clone();
    assert!(refused(&|c| c.voters[0].learner = regions.clone()).contains("neither a tree nor a direction (3)"));
    let feature = |c: &mut Committee| {
        let WeakModel::Tree(tree) = &mut c.voters[0].learner else { panic!("not a tree") };
        let Node::Split { feature, .. } = &mut tree.nodes[0] else { panic!("no question") };
        *feature = 99;
    };
    assert!(refused(&feature).contains("does not fit its feature"));
    // More voters than the file has bytes for: the end is noticed before memory is asked for.
    let bytes = model.to_bytes();
    let body = 20 + u64::from_le_bytes(bytes[12..20].try_into().unwrap()) as usize + 8;
    let count = body + 8 * model.class_count() + 1;
    assert_eq!(bytes[count - 1], 7);
    let mut absurd = bytes.clone();
    absurd[count..count + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(Model::from_bytes(&with_checksum(absurd)).is_err());
    // Directions may vote, too.
    let mut mixed = model.clone();
    let WeakModel::Committee(committee) = &mut mixed.chain.terms[0].learner else { panic!("not a committee") };
    committee.voters[0].learner = linear.chain.terms[0].learner.clone();
    assert_eq!(Model::from_bytes(&mixed.to_bytes()).unwrap(), mixed);
}

#[test]
fn every_single_byte_can_be_wrong() {
    let steps = STEPS.map(steps_model);
    let models = golden_models().map(|(_, model)| model).into_iter().chain(BY_ALGEBRA.map(by_algebra)).chain(steps);
    for model in models {
        let bytes = model.to_bytes();
        for at in 0..bytes.len() {
            for change in [0x01, 0x80, 0xff] {
                let mut altered = bytes.clone();
                altered[at] ^= change;
                must_not_panic(&with_checksum(altered));
            }
        }
    }
}

#[test]
fn fuzzed_files_never_panic() {
    // Trees with signs, with vectors and with shared vectors, directions, committees, and steps before them, take turns.
    let golden = golden_models();
    let golden = [2, 5, 6, 7].map(|at| golden[at].1.clone());
    let steps = [steps_model(STEPS[0]), steps_model(STEPS[3])];
    let models: Vec<Model> = [model()].into_iter().chain(golden).chain(steps).collect();
    let models: Vec<Vec<u8>> = models.iter().map(Model::to_bytes).collect();
    bolero::check!().with_iterations(5_000).with_type::<(Vec<(u16, u8)>, Option<u16>, Vec<u8>)>().for_each(
        |(edits, cut, tail)| {
            let bytes = &models[edits.len() % models.len()];
            let mut altered = bytes.clone();
            for (at, value) in edits {
                let at = *at as usize % altered.len();
                altered[at] = *value;
            }
            if let Some(cut) = cut {
                altered.truncate(*cut as usize % (bytes.len() + 1));
            }
            altered.extend_from_slice(tail);
            must_not_panic(&altered);
            must_not_panic(&with_checksum(altered));
        },
    );
}
