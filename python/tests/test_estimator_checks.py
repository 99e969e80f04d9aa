"""scikit-learn's own checks: none may fail, and none is expected to."""

import json

import pytest
import sklearn
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

from rebelboost import RebelClassifier
from rebelboost._core import registry
from rebelboost._parameters import SETTINGS

#: Fewer rounds, and no random choice of rows: a row of weight two is then exactly two rows.
QUICK = {"rounds": 5, "row_sample": 1.0, "bagging": False}
#: Full steps make these sure of every answer within five rounds, and no class weight moves a probability of zero.
GENTLE = {"l2boost", "gd-mcboost", "gel-mcboost", "gll-mcboost"}


def estimators():
    """The classifier as it comes and, under a recent scikit-learn, one of every other algorithm."""
    yield RebelClassifier()
    if parse_version(sklearn.__version__) < parse_version("1.7"):
        return
    declared = json.loads(registry())
    for algorithm in declared["algorithms"]:
        # Who ranks rows does not answer with classes.
        if algorithm["name"] == declared["default"] or algorithm["ranks"]:
            continue
        known = {name for name, _ in algorithm["defaults"]}
        options = {k: v for k, v in QUICK.items() if SETTINGS[k] in known}
        if algorithm["name"] in GENTLE:
            options["learning_rate"] = 0.1
        yield RebelClassifier(algorithm=algorithm["name"], **options)
    yield RebelClassifier(algorithm="rebel", learner="similarity", rounds=5)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(list(estimators()))
def test_check(estimator, check):
    check(estimator)
