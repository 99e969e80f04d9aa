"""Generated from the registry by generate.py: `make python-parameters` writes it anew. Do not edit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from ._progress import RoundInfo

#: Algorithm used when none is named.
DEFAULT = "auto"

#: Algorithms that add one term a round.
IN_ROUNDS = frozenset({"rebel", "adaboost", "gamble", "samme", "softmax-trees", "forest", "real-adaboost", "gentle-adaboost", "logitboost", "l2boost", "adaboost-m1", "adaboost-m2", "adaboost-mr", "adaboost-mh", "gentle-mh", "samme-r", "one-vs-all", "one-vs-one", "ecoc", "adaboost-ecc", "aoso-logitboost", "jointboost", "gd-mcboost", "gel-mcboost", "gll-mcboost", "rankboost", "cw-boost", "structboost", "rotation-forest"})

#: Algorithms that can use costs in training.
TRAINS_ON_COSTS = frozenset({"rebel", "gel-mcboost", "gll-mcboost", "metacost", "structboost"})

#: Algorithms that tell two classes apart and no more.
TWO_CLASSES = frozenset({"adaboost", "real-adaboost", "gentle-adaboost"})

#: Parameters of algorithms by their names in Python; a value of None leaves the algorithm's default.
SETTINGS = {
    "preset": "preset",
    "memory_limit": "memory-limit",
    "keep_values": "keep-values",
    "rounds": "rounds",
    "min_rounds": "min-rounds",
    "learning_rate": "learning-rate",
    "holdout": "holdout",
    "patience": "patience",
    "learner": "learner",
    "depth": "depth",
    "bins": "bins",
    "pruning": "pruning",
    "shape": "shape",
    "scaling": "scaling",
    "coincident": "coincident",
    "candidates": "candidates",
    "faithful": "faithful",
    "row_sample": "row-sample",
    "feature_sample": "feature-sample",
    "trim": "trim",
    "loss": "loss",
    "subcosts": "subcosts",
    "smoothing": "smoothing",
    "bias": "bias",
    "stop_loss": "stop-loss",
    "cost_mode": "cost-mode",
    "directions": "directions",
    "mix": "mix",
    "resample": "resample",
    "leaves": "leaves",
    "step_cap": "step-cap",
    "criterion": "criterion",
    "lambda_": "lambda",
    "splits": "splits",
    "split_features": "split-features",
    "min_leaf": "min-leaf",
    "bagging": "bagging",
    "pairs": "pairs",
    "ridge": "ridge",
    "left_out": "left-out",
    "calibrate": "calibrate",
    "code": "code",
    "decoding": "decoding",
    "base": "base",
    "samples": "samples",
    "penalty": "penalty",
    "sharing": "sharing",
    "units": "units",
    "networks": "networks",
    "epochs": "epochs",
    "pooling": "pooling",
    "prior": "prior",
    "unskew": "unskew",
    "turned_together": "turned-together",
}

#: The same for active learning.
ACTIVE_SETTINGS = {
    "strategy": "strategy",
    "batch": "batch",
    "seed_rows": "seed-rows",
    "seeding": "seeding",
    "pool_sample": "pool-sample",
    "diversity": "diversity",
    "committee": "committee",
    "check": "check",
    "estimate": "estimate",
}

PARAMETERS_DOC = r"""
algorithm : str, default=None
    Algorithm: one of auto, rebel, adaboost, gamble, samme, softmax-trees, forest, random-pairs,
    real-adaboost, gentle-adaboost, logitboost, l2boost, adaboost-m1, adaboost-m2, adaboost-mr, adaboost-mh,
    gentle-mh, samme-r, one-vs-all, one-vs-one, ecoc, adaboost-ecc, aoso-logitboost, jointboost, gd-mcboost,
    gel-mcboost, gll-mcboost, metacost, rankboost, cw-boost, structboost, logistic-regression, network,
    discriminant, rotation-forest. None: auto, or the first that has the options given.
preset : str, default=None
    Auto: all members, those most worth their time, or the best one of those alone. One of best, fast, single.
    None: best. Only for auto.
memory_limit : int or 'auto', default=None
    Megabytes for rows and distances of similarities (auto = a quarter of what the machine has), and for what
    trees take beside the table (auto = as much as they need). Auto, or a whole number from 1 to 16777216.
    None: auto. Only for auto, rebel, adaboost, gamble, samme, softmax-trees, forest, random-pairs,
    real-adaboost, gentle-adaboost, logitboost, l2boost, adaboost-m1, adaboost-m2, adaboost-mr, adaboost-mh,
    gentle-mh, samme-r, one-vs-all, one-vs-one, ecoc, adaboost-ecc, aoso-logitboost, jointboost, gd-mcboost,
    gel-mcboost, gll-mcboost, metacost, rankboost, cw-boost, structboost, network, discriminant,
    rotation-forest.
keep_values : bool, default=None
    Similarities: keep the original values of the rows a model compares with, for explanations. On or off.
    None: on. Only for auto, rebel, random-pairs.
rounds : int or 'auto', default=None
    Weak learners to add at most; auto = 200 for trees, as many as the data ask for with similarities. Auto,
    or a whole number from 1 to 10000000. None: auto, 300 for forest, 100 for rotation-forest. Only for rebel,
    adaboost, gamble, samme, softmax-trees, real-adaboost, gentle-adaboost, logitboost, l2boost, adaboost-m1,
    adaboost-m2, adaboost-mr, adaboost-mh, gentle-mh, samme-r, one-vs-all, one-vs-one, ecoc, adaboost-ecc,
    aoso-logitboost, jointboost, gd-mcboost, gel-mcboost, gll-mcboost, metacost, rankboost, cw-boost,
    structboost, forest, rotation-forest.
min_rounds : int or 'auto', default=None
    Go on for this many rounds even if the loss is small enough; auto = 100 for trees (a few deep trees
    generalise badly), 1 with similarities. Auto, or a whole number from 1 to 10000000. None: auto. Only for
    rebel, adaboost, gamble, samme, softmax-trees, forest, real-adaboost, gentle-adaboost, logitboost,
    l2boost, adaboost-m1, adaboost-m2, adaboost-mr, adaboost-mh, gentle-mh, samme-r, one-vs-all, one-vs-one,
    ecoc, adaboost-ecc, aoso-logitboost, jointboost, gd-mcboost, gel-mcboost, gll-mcboost, rankboost,
    cw-boost, structboost, rotation-forest.
learning_rate : float, default=None
    Share of each step that is taken. A number from 0.0001 to 1. None: 1, 0.1 for softmax-trees. Only for
    rebel, adaboost, gamble, samme, forest, real-adaboost, gentle-adaboost, logitboost, l2boost, adaboost-m1,
    adaboost-m2, adaboost-mr, adaboost-mh, gentle-mh, samme-r, one-vs-all, one-vs-one, ecoc, adaboost-ecc,
    aoso-logitboost, jointboost, gd-mcboost, gel-mcboost, gll-mcboost, rankboost, cw-boost, structboost,
    rotation-forest, softmax-trees.
holdout : float, default=None
    Share of the rows held out of training to choose the number of rounds; 0 = train on all rows, for all
    rounds. A number from 0 to 0.9. None: 0. Only for rebel, adaboost, gamble, samme, softmax-trees, forest,
    real-adaboost, gentle-adaboost, logitboost, l2boost, adaboost-m1, adaboost-m2, adaboost-mr, adaboost-mh,
    gentle-mh, samme-r, one-vs-all, one-vs-one, ecoc, adaboost-ecc, aoso-logitboost, jointboost, gd-mcboost,
    gel-mcboost, gll-mcboost, rankboost, cw-boost, structboost, rotation-forest.
patience : int, default=None
    With a holdout: stop after so many rounds without fewer mistakes on it; the model is cut back to the best
    round. A whole number from 1 to 10000000. None: 50. Only for rebel, adaboost, gamble, samme,
    softmax-trees, forest, real-adaboost, gentle-adaboost, logitboost, l2boost, adaboost-m1, adaboost-m2,
    adaboost-mr, adaboost-mh, gentle-mh, samme-r, one-vs-all, one-vs-one, ecoc, adaboost-ecc, aoso-logitboost,
    jointboost, gd-mcboost, gel-mcboost, gll-mcboost, rankboost, cw-boost, structboost, rotation-forest.
learner : str, default=None
    Weak learner; a stump is a tree of depth 1, an exact stump tries all thresholds and not those of bins, a
    similarity compares with training rows, linear is a threshold on a mixture of columns. One of tree, stump,
    exact-stump, similarity, linear. None: tree, stump for jointboost. Only for rebel, adaboost, gamble,
    samme, softmax-trees, forest, real-adaboost, gentle-adaboost, logitboost, l2boost, adaboost-m1,
    adaboost-m2, adaboost-mr, adaboost-mh, gentle-mh, samme-r, one-vs-all, one-vs-one, ecoc, adaboost-ecc,
    aoso-logitboost, gd-mcboost, gel-mcboost, gll-mcboost, rankboost, cw-boost, structboost, rotation-forest,
    jointboost.
depth : int, default=None
    Layers of each tree. A whole number from 1 to 8. None: 2, 8 for softmax-trees. Only for rebel, adaboost,
    adaboost-mh, one-vs-all, one-vs-one, ecoc, adaboost-ecc, rankboost, cw-boost, structboost, softmax-trees.
bins : int, default=None
    Thresholds considered per feature, plus one. A whole number from 2 to 255. None: 255, 64 for
    rotation-forest. Only for rebel, adaboost, gamble, samme, softmax-trees, forest, real-adaboost,
    gentle-adaboost, logitboost, l2boost, adaboost-m1, adaboost-m2, adaboost-mr, adaboost-mh, gentle-mh,
    samme-r, one-vs-all, one-vs-one, ecoc, adaboost-ecc, aoso-logitboost, jointboost, gd-mcboost, gel-mcboost,
    gll-mcboost, rankboost, cw-boost, structboost, rotation-forest.
pruning : str, default=None
    How features that cannot be the best are told early: the model is the same in every case; auto = whichever
    is faster. One of auto, off, quickboost, delta. None: auto. Only for rebel, adaboost, real-adaboost,
    gentle-adaboost, logitboost, l2boost, adaboost-m1, adaboost-m2, adaboost-mr, adaboost-mh, gentle-mh,
    samme-r, one-vs-all, one-vs-one, ecoc, adaboost-ecc, aoso-logitboost, gd-mcboost, gel-mcboost,
    gll-mcboost, rankboost, cw-boost, structboost.
shape : str, default=None
    Similarities: how a comparison of two rows falls off; best = whichever helps most, each round. One of
    best, thesis, ratio, linear. None: best. Only for rebel.
scaling : str, default=None
    Similarities: how numbers are scaled before rows are compared. One of within-class, whitened, standard,
    minmax, raw. None: within-class. Only for rebel, random-pairs.
coincident : str, default=None
    Similarities: equal rows of different classes get the label that costs least, or no say. One of majority,
    mixed. None: majority. Only for rebel.
candidates : int or 'auto', default=None
    Similarities: opposite rows tried each round; auto = 20, or without limit if faithful. Auto, or a whole
    number from 1 to 1000. None: auto. Only for rebel.
faithful : bool, default=None
    Similarities: binary answers and the closed-form step, as published. On or off. None: off. Only for rebel.
row_sample : float, default=None
    Share of the rows each tree is grown on, drawn at random. A number from 0.01 to 1. None: 1, 0.7 for
    softmax-trees. Only for rebel, adaboost, gamble, samme, real-adaboost, gentle-adaboost, logitboost,
    l2boost, adaboost-m1, adaboost-m2, adaboost-mr, adaboost-mh, gentle-mh, samme-r, one-vs-all, one-vs-one,
    ecoc, adaboost-ecc, aoso-logitboost, jointboost, gd-mcboost, gel-mcboost, gll-mcboost, rankboost,
    cw-boost, structboost, softmax-trees.
feature_sample : float, default=None
    Share of the features each tree may ask about, drawn at random. A number from 0.001 to 1. None: 1, 0.4 for
    softmax-trees. Only for rebel, adaboost, gamble, samme, real-adaboost, gentle-adaboost, logitboost,
    l2boost, adaboost-m1, adaboost-m2, adaboost-mr, adaboost-mh, gentle-mh, samme-r, one-vs-all, one-vs-one,
    ecoc, adaboost-ecc, aoso-logitboost, jointboost, gd-mcboost, gel-mcboost, gll-mcboost, rankboost,
    cw-boost, structboost, softmax-trees.
trim : float, default=None
    Each round leaves out the lightest rows that hold this share of the weight (weight trimming). A number
    from 0 to 0.5. None: 0. Only for rebel, adaboost, gamble, samme, real-adaboost, gentle-adaboost,
    logitboost, l2boost, adaboost-m1, adaboost-m2, adaboost-mr, adaboost-mh, gentle-mh, samme-r, one-vs-all,
    one-vs-one, ecoc, adaboost-ecc, aoso-logitboost, jointboost, gd-mcboost, gel-mcboost, gll-mcboost,
    rankboost, cw-boost, structboost.
loss : str, default=None
    Bound of the cost that is minimised. One of exp, logistic, squared. None: exp. Only for rebel.
subcosts : str, default=None
    How costs enter the loss. One of thesis, paper. None: thesis. Only for rebel.
smoothing : float or 'auto', default=None
    Share of the weight added to both sides of a step; 0 = the published step; auto = half a row for trees, 0
    for similarities. Auto, or a number from 0 to 1. None: auto. Only for rebel, adaboost, real-adaboost,
    adaboost-mr, adaboost-mh, samme-r, one-vs-all, one-vs-one, ecoc, adaboost-ecc, rankboost.
bias : bool, default=None
    Start from a constant score for each class (a0). On or off. None: on. Only for rebel, adaboost.
stop_loss : float or 'auto', default=None
    Stop once the loss is this near its minimum; auto = no mistake is left, 0 = never. Auto, or a number from
    0 to 1000000000. None: auto. Only for rebel, adaboost.
cost_mode : str, default=None
    Use costs in training, or only in the decision (minimum expected cost). One of train, decide. None: train.
    Only for rebel, gel-mcboost, gll-mcboost, metacost, structboost.
directions : int, default=None
    Random directions that a linear learner is the best of. A whole number from 1 to 100000. None: 100. Only
    for adaboost, one-vs-all, one-vs-one, ecoc, rankboost, cw-boost, structboost.
mix : int or 'auto', default=None
    Columns that a direction of the linear learner mixes, a level of a category being one; auto = 3. Auto, or
    a whole number from 1 to 1000000. None: auto. Only for adaboost, one-vs-all, one-vs-one, ecoc, rankboost,
    cw-boost, structboost.
resample : bool, default=None
    Instead of weighing rows, draw them in proportion to their weights: boosts a learner that knows no
    weights. On or off. None: off. Only for adaboost, real-adaboost, gentle-adaboost, adaboost-m1, samme-r,
    one-vs-all, one-vs-one, ecoc, adaboost-ecc, rankboost.
leaves : int, default=None
    Leaves of each tree at most. A whole number from 2 to 1024. None: 15, 64 for softmax-trees. Only for
    gamble, samme, real-adaboost, gentle-adaboost, logitboost, l2boost, adaboost-m1, adaboost-m2, adaboost-mr,
    gentle-mh, samme-r, aoso-logitboost, gd-mcboost, gel-mcboost, gll-mcboost, softmax-trees.
step_cap : float, default=None
    Largest step of a class in multiples of K, the step of a leaf of that class alone (a class without rows
    asks for K - 1 of them downwards); 0 = no cap, as published. A number from 0 to 1000000. None: 0. Only for
    gamble.
criterion : str, default=None
    How splits of trees of classes are judged. One of gini, entropy, gain-ratio, error. None: gini. Only for
    samme, real-adaboost, adaboost-m1, samme-r.
lambda_ : float, default=None
    Added to the curvature of a leaf: more means smaller steps where rows are few. A number from 0 to 1000000.
    None: 1. Only for softmax-trees.
splits : str, default=None
    Thresholds of a forest: the best of each feature looked at, or a random one for each. One of best, random.
    None: random. Only for forest.
split_features : int or 'auto', default=None
    Random features that each node of a forest looks at; auto = the square root of their number. Auto, or a
    whole number from 1 to 10000000. None: auto. Only for forest.
min_leaf : int, default=None
    Rows of mean weight that each leaf of a forest has at least: more of them smooth out noise. A whole number
    from 1 to 10000000. None: 1. Only for forest, rotation-forest.
bagging : bool, default=None
    Draw rows with replacement: those that a tree of a forest is grown on, as many as there are, or those by
    which columns of a rotation forest are turned, three quarters of them; off = take all. On or off. None:
    off, on for rotation-forest. Only for forest, rotation-forest.
pairs : int or 'auto', default=None
    Random pairs: how many pairs of rows to compare with; auto = a fifth of the rows, from 600 to 3000. Auto,
    or a whole number from 1 to 20000. None: auto. Only for random-pairs.
ridge : float or 'auto', default=None
    Weight of the squared outputs against the mean loss; auto = random pairs: by leave-one-out, logistic
    regression and network: one over the number of rows. Auto, or a number from 0.000000001 to 1000. None:
    auto. Only for random-pairs, logistic-regression, network.
left_out : int, default=None
    Random pairs: rows left out one at a time, at most, to choose the ridge and to judge the model by. A whole
    number from 10 to 1000000. None: 1500. Only for random-pairs.
calibrate : bool, default=None
    Random pairs, discriminant: scale scores so that probabilities are calibrated on the rows left out; off =
    leave them as they are. On or off. None: on. Only for random-pairs, discriminant.
code : str, default=None
    Codewords of the classes: random, all cuts of the classes in two, 15 columns, one class or one pair at a
    time, or your own. One of dense, sparse, exhaustive, fifteen, one-vs-all, one-vs-one, or a matrix such as
    "+-0;0+-;-0+", one row a class. None: dense. Only for ecoc.
decoding : str, default=None
    How columns make up an answer: by the sums of their votes (the linear loss), or by the signs of these sums
    alone, which give no probabilities. One of loss, hamming. None: loss. Only for ecoc.
base : str, default=None
    Algorithm that MetaCost trains, with its defaults and --rounds. One of rebel, gamble, samme,
    softmax-trees, forest, random-pairs, logitboost, l2boost, adaboost-m1, adaboost-m2, adaboost-mr,
    adaboost-mh, gentle-mh, samme-r, one-vs-all, one-vs-one, ecoc, adaboost-ecc, aoso-logitboost, gd-mcboost.
    None: samme. Only for metacost.
samples : int, default=None
    Models whose mean probabilities give the expected costs (the paper: 50). A whole number from 2 to 1000.
    None: 10. Only for metacost.
penalty : float, default=None
    Weight of the sum of all outputs' sizes against the mean loss (l1): learners that cannot earn it are not
    added. A number from 0.00000001 to 1. None: 0.001, 0.04 for structboost. Only for cw-boost, structboost.
sharing : bool, default=None
    A learner has an output for every class (Shen and Hao 2011), not only for the class it was found for (Lin
    et al. 2012). On or off. None: on. Only for cw-boost.
units : int or 'auto', default=None
    Soft steps of each network; auto = 64 for few rows, 128 for many. Auto, or a whole number from 1 to 10000.
    None: auto. Only for network.
networks : int, default=None
    Networks that are averaged. A whole number from 1 to 1000. None: 2. Only for network.
epochs : int or 'auto', default=None
    Times that each network sees every row; auto = 30, more where rows are few and fewer where they are long
    and many. Auto, or a whole number from 1 to 100000. None: auto. Only for network.
pooling : float or 'auto', default=None
    Discriminant: share of the common shape of all classes in that of each, from 0 (each its own) to 1 (one
    for all, so that borders are flat); auto = by leave-one-out. Auto, or a number from 0 to 1. None: auto.
    Only for discriminant.
prior : float or 'auto', default=None
    Discriminant: rows that columns without any correlation count for; auto = by leave-one-out. Auto, or a
    number from 0.01 to 1000000. None: auto. Only for discriminant.
unskew : str, default=None
    Discriminant: bend each measurement so that its distribution is as symmetric as it can be; auto = if
    leave-one-out says so. One of auto, on, off. None: auto. Only for discriminant.
turned_together : int, default=None
    Columns of a rotation forest that are turned together, a level of a category being one. A whole number
    from 1 to 100. None: 3. Only for rotation-forest.
costs : array-like of shape (K, K), DataFrame or dict, default=None
    Price of each mistake: rows are the truth, columns the answer, in the order of `classes_`; a DataFrame by
    class names; or `{(truth, answer): cost}`, where mistakes that are not named cost 1. None: every mistake
    costs 1.
taxonomy : dict, default=None
    Tree of classes as `{child: parent}`; a mistake costs the distance in the tree.
class_weight : dict or 'balanced', default=None
    Price of mistakes on the rows of each class, as `{class: weight}`: multiplies the rows of `costs`.
    'balanced' makes all classes equally important. By itself it changes the answers, not the probabilities;
    row weights do both.
categorical : list of names or positions, default=None
    Columns that are categories although they hold numbers. Text and categorical columns of frames need no
    mention.
seed : int, default=0
    Seed of all random choices: the same seed gives the same model.
time_limit : float, default=None
    Seconds after which training stops and keeps the model so far.
warm_start : bool, default=False
    Whether `fit` goes on from the last fit, on the same data, with more `rounds`; algorithms without rounds
    begin anew.
n_jobs : int, default=None
    Threads; None and -1 use all cores, or what joblib allows. The result does not depend on it.
progress : bool, default=None
    Whether a progress bar is shown; None: at a Python prompt and in notebooks, not in scripts.
on_round : callable, default=None
    Called after every round with a :class:`RoundInfo`; training stops if it returns True.
"""

ACTIVE_DOC = r"""
strategy : str, default=None
    How rows are chosen: smallest margin between two classes, largest entropy, most disagreement in a
    committee, largest expected cost (needs costs), or at random. One of margin, entropy, vote, expected-cost,
    random. None: margin.
batch : int, default=None
    Rows to ask for before the model is trained again (R of Algorithm 4). A whole number from 1 to 100000.
    None: 5.
seed_rows : int or 'auto', default=None
    Random rows to begin with; auto = 10, or two a class if that is more. Auto, or a whole number from 2 to
    1000000. None: auto.
seeding : str, default=None
    First rows of a simulation: as many of each class as possible, or at random; without known classes always
    at random. One of stratified, random. None: stratified.
pool_sample : int, default=None
    Rows of the pool that are judged a batch: a random part if more are left. A whole number from 10 to
    100000000. None: 10000.
diversity : float, default=None
    Rows of a batch are at least this far apart, as a share of the distance of two random rows; 0 = anything
    goes. A number from 0 to 1. None: 0.1.
committee : int, default=None
    Members of the committee, for the strategy vote. A whole number from 2 to 100. None: 5.
check : int, default=None
    Every so many rows one is drawn at random, so that the error can be estimated without bias; 0 = never. A
    whole number from 0 to 1000000. None: 10.
estimate : bool, default=None
    Estimate the error by cross-validation after every batch. On or off. None: on.
"""


class Parameters:
    """The parameters of the estimators."""

    def __init__(
        self,
        algorithm: Literal["auto", "rebel", "adaboost", "gamble", "samme", "softmax-trees", "forest", "random-pairs", "real-adaboost", "gentle-adaboost", "logitboost", "l2boost", "adaboost-m1", "adaboost-m2", "adaboost-mr", "adaboost-mh", "gentle-mh", "samme-r", "one-vs-all", "one-vs-one", "ecoc", "adaboost-ecc", "aoso-logitboost", "jointboost", "gd-mcboost", "gel-mcboost", "gll-mcboost", "metacost", "rankboost", "cw-boost", "structboost", "logistic-regression", "network", "discriminant", "rotation-forest"] | None = None,
        *,
        preset: Literal["best", "fast", "single"] | None = None,
        memory_limit: int | Literal["auto"] | None = None,
        keep_values: bool | None = None,
        rounds: int | Literal["auto"] | None = None,
        min_rounds: int | Literal["auto"] | None = None,
        learning_rate: float | None = None,
        holdout: float | None = None,
        patience: int | None = None,
        learner: Literal["tree", "stump", "exact-stump", "similarity", "linear"] | None = None,
        depth: int | None = None,
        bins: int | None = None,
        pruning: Literal["auto", "off", "quickboost", "delta"] | None = None,
        shape: Literal["best", "thesis", "ratio", "linear"] | None = None,
        scaling: Literal["within-class", "whitened", "standard", "minmax", "raw"] | None = None,
        coincident: Literal["majority", "mixed"] | None = None,
        candidates: int | Literal["auto"] | None = None,
        faithful: bool | None = None,
        row_sample: float | None = None,
        feature_sample: float | None = None,
        trim: float | None = None,
        loss: Literal["exp", "logistic", "squared"] | None = None,
        subcosts: Literal["thesis", "paper"] | None = None,
        smoothing: float | Literal["auto"] | None = None,
        bias: bool | None = None,
        stop_loss: float | Literal["auto"] | None = None,
        cost_mode: Literal["train", "decide"] | None = None,
        directions: int | None = None,
        mix: int | Literal["auto"] | None = None,
        resample: bool | None = None,
        leaves: int | None = None,
        step_cap: float | None = None,
        criterion: Literal["gini", "entropy", "gain-ratio", "error"] | None = None,
        lambda_: float | None = None,
        splits: Literal["best", "random"] | None = None,
        split_features: int | Literal["auto"] | None = None,
        min_leaf: int | None = None,
        bagging: bool | None = None,
        pairs: int | Literal["auto"] | None = None,
        ridge: float | Literal["auto"] | None = None,
        left_out: int | None = None,
        calibrate: bool | None = None,
        code: Literal["dense", "sparse", "exhaustive", "fifteen", "one-vs-all", "one-vs-one"] | None = None,
        decoding: Literal["loss", "hamming"] | None = None,
        base: Literal["rebel", "gamble", "samme", "softmax-trees", "forest", "random-pairs", "logitboost", "l2boost", "adaboost-m1", "adaboost-m2", "adaboost-mr", "adaboost-mh", "gentle-mh", "samme-r", "one-vs-all", "one-vs-one", "ecoc", "adaboost-ecc", "aoso-logitboost", "gd-mcboost"] | None = None,
        samples: int | None = None,
        penalty: float | None = None,
        sharing: bool | None = None,
        units: int | Literal["auto"] | None = None,
        networks: int | None = None,
        epochs: int | Literal["auto"] | None = None,
        pooling: float | Literal["auto"] | None = None,
        prior: float | Literal["auto"] | None = None,
        unskew: Literal["auto", "on", "off"] | None = None,
        turned_together: int | None = None,
        costs: Any = None,
        taxonomy: Mapping[Any, Any] | None = None,
        class_weight: Mapping[Any, float] | Literal['balanced'] | None = None,
        categorical: Sequence[str | int] | None = None,
        seed: int = 0,
        time_limit: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        progress: bool | None = None,
        on_round: Callable[[RoundInfo], Any] | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.preset = preset
        self.memory_limit = memory_limit
        self.keep_values = keep_values
        self.rounds = rounds
        self.min_rounds = min_rounds
        self.learning_rate = learning_rate
        self.holdout = holdout
        self.patience = patience
        self.learner = learner
        self.depth = depth
        self.bins = bins
        self.pruning = pruning
        self.shape = shape
        self.scaling = scaling
        self.coincident = coincident
        self.candidates = candidates
        self.faithful = faithful
        self.row_sample = row_sample
        self.feature_sample = feature_sample
        self.trim = trim
        self.loss = loss
        self.subcosts = subcosts
        self.smoothing = smoothing
        self.bias = bias
        self.stop_loss = stop_loss
        self.cost_mode = cost_mode
        self.directions = directions
        self.mix = mix
        self.resample = resample
        self.leaves = leaves
        self.step_cap = step_cap
        self.criterion = criterion
        self.lambda_ = lambda_
        self.splits = splits
        self.split_features = split_features
        self.min_leaf = min_leaf
        self.bagging = bagging
        self.pairs = pairs
        self.ridge = ridge
        self.left_out = left_out
        self.calibrate = calibrate
        self.code = code
        self.decoding = decoding
        self.base = base
        self.samples = samples
        self.penalty = penalty
        self.sharing = sharing
        self.units = units
        self.networks = networks
        self.epochs = epochs
        self.pooling = pooling
        self.prior = prior
        self.unskew = unskew
        self.turned_together = turned_together
        self.costs = costs
        self.taxonomy = taxonomy
        self.class_weight = class_weight
        self.categorical = categorical
        self.seed = seed
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.progress = progress
        self.on_round = on_round


class ActiveOptions(TypedDict, total=False):
    """The options of active learning."""

    strategy: Literal["margin", "entropy", "vote", "expected-cost", "random"] | None
    batch: int | None
    seed_rows: int | Literal["auto"] | None
    seeding: Literal["stratified", "random"] | None
    pool_sample: int | None
    diversity: float | None
    committee: int | None
    check: int | None
    estimate: bool | None
