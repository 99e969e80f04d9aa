"""Learning with few labels."""

import numpy as np
import pytest
from conftest import quick

from rebelboost import ActiveLearner
from rebelboost.errors import DataError, OptionError


def label(learner, y, rows):
    while learner.labelled < rows:
        for question in learner.query():
            learner.teach(question.row, y[question.row])


def test_few_labels_are_enough(iris):
    X, y = iris
    learner = ActiveLearner(X, estimator=quick())
    assert learner.model() is None and learner.hint is None and learner.labels == {}
    questions = learner.query()
    assert questions == learner.query() and questions[0].why
    label(learner, y, 30)
    model = learner.model()
    assert model.score(X, y) > 0.9 and list(model.classes_) == [0, 1, 2]
    assert all(y[row] == value for row, value in learner.labels.items())
    assert learner.open == 150 - learner.labelled
    assert learner.estimate is None or 0 <= learner.estimate.low <= learner.estimate.error <= learner.estimate.high


def test_a_session_goes_on(iris_frame, tmp_path):
    X, y = iris_frame
    options = {"estimator": quick(seed=3), "batch": 3, "strategy": "entropy"}
    whole = ActiveLearner(X, **options)
    label(whole, y, 20)
    begun = ActiveLearner(X, **options)
    label(begun, y, 12)
    begun.save(tmp_path / "session.json")
    again = ActiveLearner(X, state=(tmp_path / "session.json").read_text(), **options)
    assert again.labels == begun.labels
    label(again, y, 20)
    assert again.labels == whole.labels


def test_known_classes_skips_and_second_thoughts(iris):
    X, y = iris
    names = np.array(["one", "two", "three"])
    known = [names[y[i]] if i % 10 == 0 else None for i in range(150)]
    learner = ActiveLearner(X, known, estimator=quick())
    assert learner.labelled == 15
    row = learner.query()[0].row
    learner.skip(row)
    assert row not in [question.row for question in learner.query()]
    assert learner.undo() == row and learner.query()[0].row == row
    learner.teach([row], [names[y[row]]])
    assert learner.labels[row] == names[y[row]]
    with pytest.raises(DataError, match="already"):
        learner.teach(row, "one")
    assert learner.undo() == row and learner.undo() is None


def test_mistakes(iris):
    X, y = iris
    with pytest.raises(OptionError, match="did you mean 'strategy'"):
        ActiveLearner(X, strateggy="margin")
    with pytest.raises(OptionError, match="needs costs"):
        ActiveLearner(X, strategy="expected-cost")
    with pytest.raises(DataError, match="3 classes for 150 rows"):
        ActiveLearner(X, [0, 1, 2])
    with pytest.raises(DataError, match="no row 999"):
        ActiveLearner(X).teach(999, 1)
    learner = ActiveLearner(X, estimator=quick(costs={(0, 1): 2, (1, 2): 3}), strategy="expected-cost")
    label(learner, y, 20)
    assert learner.model().score(X, y) > 0.8
