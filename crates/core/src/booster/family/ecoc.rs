//! Error-correcting output codes: AdaBoost on every two-class problem of a code (Dietterich and Bakiri 1995, Solving
//! multiclass learning problems via error-correcting output codes; Allwein, Schapire, Singer 2000, Reducing multiclass to
//! binary). One-vs-all and one-vs-one are the same with their codes.
//!
//! Decoding is loss-based with the linear loss, the class whose codeword has the largest inner product with the margins, or
//! by Hamming distance, that with their signs.
//! Deviations: the columns take turns, so `--rounds` counts the trees of all of them; smoothing of votes as in `adaboost`.

use super::code::CODES;
use super::engine::coded::{Code, Coded};
use super::engine::start;
use crate::booster::draw;
use crate::booster::rebel::SMOOTHING;
use crate::learner::direction;
use crate::registry::{Algorithm, Method, SIGN_TREE_PARAMETERS};
use crate::settings::{Kind, Parameter};

/// The registry's entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "ecoc",
    summary: "AdaBoost on the two-class problems of an error-correcting code",
    paper: "Dietterich, Bakiri 1995; Allwein, Schapire, Singer 2000, Reducing multiclass to binary (linear loss-based decoding, Hamming decoding)",
    most_classes: None,
    trains_on_costs: false,
    ranks: false,
    learners: &["tree", "stump", "exact-stump", "linear"],
    learner_parameters: &[SIGN_TREE_PARAMETERS, direction::PARAMETERS, draw::PARAMETERS],
    own_parameters: &[
        Parameter {
            name: "code",
            kind: Kind::ChoiceOrSigns(CODES),
            default: "dense",
            help: "codewords of the classes: random, all cuts of the classes in two, 15 columns, one class or one pair at a time, or your own",
        },
        Parameter {
            name: "decoding",
            kind: Kind::Choice(&["loss", "hamming"]),
            default: "loss",
            help: "how columns make up an answer: by the sums of their votes (the linear loss), or by the signs of these sums alone, which give no probabilities",
        },
        SMOOTHING,
    ],
    method: Method::Rounds(|problem| {
        let classes = problem.data.class_count();
        let code = Code::named(problem.settings.word("code")?, classes, &mut problem.context.stream("code"))?;
        let coded = Coded::new(problem, code, start(problem.data))?;
        match problem.settings.word("decoding")? {
            "hamming" => Ok(Box::new(coded.by_hamming_distance())),
            _ => Ok(Box::new(coded)),
        }
    }),
};

/// One class against all others: the score of a class is the margin of its own problem.
pub const ONE_VS_ALL: Algorithm = Algorithm {
    name: "one-vs-all",
    summary: "AdaBoost for each class against all others",
    paper: "Allwein, Schapire, Singer 2000, Reducing multiclass to binary; Appel 2017, thesis 4.6",
    own_parameters: &[SMOOTHING],
    method: Method::Rounds(|problem| {
        let classes = problem.data.class_count();
        let unit = |own: usize| (0..classes).map(|k| f64::from(u8::from(k == own))).collect();
        let outputs = Some((0..classes).map(unit).collect());
        let code = Code { outputs, ..Code::one_vs_all(classes) };
        Ok(Box::new(Coded::new(problem, code, start(problem.data))?))
    }),
    ..ALGORITHM
};

/// One class against one other: the score of a class is the sum of its margins over the others.
pub const ONE_VS_ONE: Algorithm = Algorithm {
    name: "one-vs-one",
    summary: "AdaBoost for each pair of classes",
    paper: "Hastie, Tibshirani 1998, Classification by pairwise coupling; Allwein, Schapire, Singer 2000 (linear loss-based decoding)",
    own_parameters: &[SMOOTHING],
    method: Method::Rounds(|problem| {
        let code = Code::one_vs_one(problem.data.class_count());
        Ok(Box::new(Coded::new(problem, code, start(problem.data))?))
    }),
    ..ALGORITHM
};
