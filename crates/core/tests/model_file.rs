//! The model file: golden files of every version load for ever, and no bytes whatever can make the reader panic.

use rebelboost::model::Model;
use rebelboost_testkit::{Shape, context, fit, settings};

const SHAPE: Shape =
    Shape { seed: 11, rows: 60, features: 3, classes: 3, ties: true, missing: true, categorical: true };

/// The models that golden files hold, by name.
fn golden_models() -> [(&'static str, Model); 6] {
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
    ]
}

/// A whitened metric, and outputs by linear algebra that rounds differently on different processors: its file is read
/// alike everywhere, but made alike only on processors of one kind.
fn pairs_model() -> Model {
    let settings = settings("random-pairs", &[("pairs", "5"), ("scaling", "whitened")]);
    fit(&SHAPE.dataset(), None, &settings).model
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
        if model.schema == data.schema {
            let scores = model.scores(&data.features, &context());
            assert!(scores.values.iter().all(|h| h.is_finite()));
            let _ = model.decide(&scores, None);
            let _ = rebelboost::explain::explain(&model, &data.features, 0);
        }
    }
}

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/v1/");

#[test]
fn golden_files_load_and_score_the_same() {
    let data = SHAPE.dataset();
    for name in golden_models().map(|(name, _)| name).into_iter().chain(["random-pairs"]) {
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

/// Training today gives the golden bytes of when the files were made: the promise of reproducibility, over time.
/// A deliberate change of an algorithm writes new golden files: `REBEL_BLESS=1 cargo test`.
#[test]
fn training_is_reproducible_over_time() {
    let bless = std::env::var_os("REBEL_BLESS").is_some();
    let pairs = bless.then(|| ("random-pairs", pairs_model()));
    for (name, model) in golden_models().into_iter().chain(pairs) {
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
fn every_single_byte_can_be_wrong() {
    for model in golden_models().map(|(_, model)| model).into_iter().chain([pairs_model()]) {
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
    // Trees with signs, with vectors and with shared vectors take turns.
    let models = [model(), golden_models()[2].1.clone(), golden_models()[5].1.clone()].map(|model| model.to_bytes());
    bolero::check!().with_iterations(5_000).with_type::<(Vec<(u16, u8)>, Option<u16>, Vec<u8>)>().for_each(
        |(edits, cut, tail)| {
            let bytes = &models[edits.len() % 3];
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
