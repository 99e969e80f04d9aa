//! What exists: algorithms with their papers, abilities and parameters. `rebel algorithms`, help texts, the Python
//! signatures and the conformance tests all follow from these tables.
//!
//! To add an algorithm: a file in `booster/` that declares an [`Algorithm`], and one line in [`ALGORITHMS`].

use crate::booster::family::{
    aoso, cw, descent, ecc, ecoc, joint, logit, m2, mh, rank, real, structboost, vector, votes,
};
use crate::booster::{
    Booster, Outcome, Problem, Watched, ada, auto, discriminant, draw, forest, gamble, logistic, metacost, network,
    pairs, rebel, softmax_trees,
};
use crate::error::Result;
use crate::learner::tree::PRUNING;
use crate::memory::MEMORY_LIMIT;
use crate::model::Model;
use crate::settings::{Kind, Parameter};

/// A registered algorithm.
#[derive(Debug)]
pub struct Algorithm {
    /// Name, as in `--algorithm`.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Where it was published, and the sections implemented.
    pub paper: &'static str,
    /// Most classes it can tell apart; `None` for any number.
    pub most_classes: Option<usize>,
    /// Whether costs can be used in training.
    pub trains_on_costs: bool,
    /// Whether its scores are made to put rows in order, rather than to tell classes apart.
    pub ranks: bool,
    /// Weak learners it can boost, the default first.
    pub learners: &'static [&'static str],
    /// Their parameters.
    pub learner_parameters: &'static [&'static [Parameter]],
    /// Its own parameters.
    pub own_parameters: &'static [Parameter],
    /// How it makes a model.
    pub method: Method,
}

/// How an algorithm makes a model.
#[derive(Clone, Copy, Debug)]
pub enum Method {
    /// One term a round.
    Rounds(Build),
    /// All terms together, from data and perhaps a checkpoint.
    Whole(fn(&Problem<'_>, Option<Model>, &mut Watched<'_>) -> Result<Outcome>),
}

/// Makes the booster for a problem.
pub type Build = for<'a> fn(&Problem<'a>) -> Result<Box<dyn Booster + 'a>>;

impl Algorithm {
    /// All parameters: the loop's and the learners', if it runs in rounds, and its own. A parameter of the loop that an
    /// algorithm declares again (`Parameter { default: "0.1", ..LEARNING_RATE }`) has the algorithm's default.
    pub fn parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        let (own, in_rounds) = (self.own_parameters, matches!(self.method, Method::Rounds(_)));
        let of_loop = LOOP_PARAMETERS.iter().filter(move |p| own.iter().all(|o| o.name != p.name));
        let shared = of_loop.chain(self.learner_parameters.iter().copied().flatten());
        shared.filter(move |_| in_rounds).chain(own)
    }
}

/// All algorithms, the default first.
pub const ALGORITHMS: &[Algorithm] = &[
    auto::ALGORITHM,
    rebel::ALGORITHM,
    ada::ALGORITHM,
    gamble::ALGORITHM,
    votes::SAMME,
    softmax_trees::ALGORITHM,
    forest::ALGORITHM,
    pairs::ALGORITHM,
    // The family; new ones go to the end: whoever gives an option without an algorithm means the first that has it.
    real::REAL_ADABOOST,
    real::GENTLE_ADABOOST,
    logit::ALGORITHM,
    vector::L2_BOOST,
    votes::M1,
    m2::M2,
    m2::MR,
    mh::ALGORITHM,
    vector::GENTLE_MH,
    real::SAMME_R,
    ecoc::ONE_VS_ALL,
    ecoc::ONE_VS_ONE,
    ecoc::ALGORITHM,
    ecc::ALGORITHM,
    aoso::ALGORITHM,
    joint::ALGORITHM,
    descent::GD_MCBOOST,
    descent::GEL,
    descent::GLL,
    metacost::ALGORITHM,
    rank::ALGORITHM,
    cw::ALGORITHM,
    structboost::ALGORITHM,
    logistic::ALGORITHM,
    network::ALGORITHM,
    discriminant::ALGORITHM,
    forest::ROTATION_FOREST,
];

/// The algorithm used when none is named.
pub fn default_algorithm() -> &'static Algorithm {
    &ALGORITHMS[0]
}

/// The algorithm meant by whoever names none but gives these options: the first that has them all, or the default.
pub fn algorithm_with(options: &[&str]) -> &'static Algorithm {
    let later = |algorithm: &Algorithm, option: &str| {
        draw::CAME_LATER.contains(&algorithm.name) && draw::PARTS.iter().any(|p| p.name == option)
    };
    let has = |algorithm: &Algorithm, option: &str| {
        algorithm.parameters().any(|p| p.name == option) && !later(algorithm, option)
    };
    let fits = |algorithm: &&'static Algorithm| options.iter().all(|option| has(algorithm, option));
    // Nobody who names no algorithm means one that only tells two classes apart.
    let any_classes = ALGORITHMS.iter().filter(|algorithm| algorithm.most_classes.is_none());
    any_classes.chain(ALGORITHMS).find(fits).unwrap_or(default_algorithm())
}

/// `--rounds`.
pub const ROUNDS: Parameter = Parameter {
    name: "rounds",
    kind: Kind::IntegerOrAuto(1, 10_000_000),
    default: "auto",
    help: "weak learners to add at most; auto = 200 for trees, as many as the data ask for with similarities",
};

/// `--learning-rate`.
pub const LEARNING_RATE: Parameter = Parameter {
    name: "learning-rate",
    kind: Kind::Real(1e-4, 1.0),
    default: "1",
    help: "share of each step that is taken",
};

/// Parameters of the shared loop.
pub const LOOP_PARAMETERS: &[Parameter] = &[
    ROUNDS,
    Parameter {
        name: "min-rounds",
        kind: Kind::IntegerOrAuto(1, 10_000_000),
        default: "auto",
        help: "go on for this many rounds even if the loss is small enough; auto = 100 for trees (a few deep trees generalise badly), 1 with similarities",
    },
    LEARNING_RATE,
    Parameter {
        name: "holdout",
        kind: Kind::Real(0.0, 0.9),
        default: "0",
        help: "share of the rows held out of training to choose the number of rounds; 0 = train on all rows, for all rounds",
    },
    Parameter {
        name: "patience",
        kind: Kind::Integer(1, 10_000_000),
        default: "50",
        help: "with a holdout: stop after so many rounds without fewer mistakes on it; the model is cut back to the best round",
    },
    LEARNER,
    MEMORY_LIMIT,
];

/// `--learner`.
pub const LEARNER: Parameter = Parameter {
    name: "learner",
    kind: Kind::Choice(&["tree", "stump", "exact-stump", "similarity", "linear"]),
    default: "tree",
    help: "weak learner; a stump is a tree of depth 1, an exact stump tries all thresholds and not those of bins, a similarity compares with training rows, linear is a threshold on a mixture of columns",
};

/// `--bins`.
pub const BINS: Parameter = Parameter {
    name: "bins",
    kind: Kind::Integer(2, 255),
    default: "255",
    help: "thresholds considered per feature, plus one",
};

/// Parameters of trees grown layer by layer.
pub const TREE_PARAMETERS: &[Parameter] = &[DEPTH, BINS];
/// The same where features may be pruned.
pub const SIGN_TREE_PARAMETERS: &[Parameter] = &[DEPTH, BINS, PRUNING];

/// `--depth`.
pub const DEPTH: Parameter =
    Parameter { name: "depth", kind: Kind::Integer(1, 8), default: "2", help: "layers of each tree" };

/// Every parameter of every algorithm once, for doors that list them all.
pub fn all_parameters() -> Vec<&'static Parameter> {
    let mut all: Vec<&'static Parameter> = Vec::new();
    for parameter in ALGORITHMS.iter().flat_map(Algorithm::parameters) {
        if all.iter().all(|p| p.name != parameter.name) {
            all.push(parameter);
        }
    }
    all
}

/// Whether a registered parameter table is consistent; used by the tests.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_parse_and_names_are_unique_within_an_algorithm() {
        for algorithm in ALGORITHMS {
            let mut names: Vec<_> = algorithm.parameters().map(|p| p.name).collect();
            algorithm.parameters().for_each(|p| drop(p.parse(p.default).unwrap()));
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(count, names.len(), "{}", algorithm.name);
        }
    }

    #[test]
    fn options_choose_the_algorithms_they_always_chose() {
        let chosen = |options: &[&str]| algorithm_with(options).name;
        assert_eq!([chosen(&[]), chosen(&["preset"])], ["auto"; 2]);
        assert_eq!([chosen(&["depth"]), chosen(&["smoothing"]), chosen(&["rounds"])], ["rebel"; 3]);
        assert_eq!([chosen(&["row-sample"]), chosen(&["lambda"])], ["softmax-trees"; 2]);
        assert_eq!([chosen(&["leaves"]), chosen(&["pairs"])], ["gamble", "random-pairs"]);
    }

    #[test]
    fn a_name_means_one_thing() {
        for a in ALGORITHMS.iter().flat_map(Algorithm::parameters) {
            for b in ALGORITHMS.iter().flat_map(Algorithm::parameters).filter(|b| b.name == a.name) {
                assert_eq!((a.kind, a.help), (b.kind, b.help), "--{} means two things", a.name);
            }
        }
    }
}
