"""The price of mistakes in all its forms."""

import numpy as np
import pandas as pd
import pytest
from conftest import quick

from rebelboost.errors import CostsError, ModelError, OptionError, RebelError

NAMES = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture(scope="module")
def data(iris):
    X, y = iris
    return X, NAMES[y]


def test_forms_agree(data):
    X, y = data
    array = np.array([[0, 1, 1], [1, 0, 8], [1, 1, 0.0]])
    shuffled = pd.DataFrame(array, index=NAMES, columns=NAMES).iloc[[2, 0, 1], [1, 2, 0]]
    pairs = {("versicolor", "virginica"): 8}
    made = [quick(costs=costs).fit(X, y).model_.to_bytes() for costs in (array, array.tolist(), shuffled, pairs)]
    assert len(set(made)) == 1
    assert quick().fit(X, y).model_.to_bytes() != made[0]


def test_costs_move_the_answers_without_training(data):
    X, y = data
    model = quick(rounds=5).fit(X, y)
    dear = {("versicolor", "virginica"): 1000, ("versicolor", "setosa"): 1000}
    before, after = model.predict(X), model.predict(X, costs=dear)
    assert (after == "versicolor").sum() > (before == "versicolor").sum()
    expected = model.predict_proba(X) @ np.array([[0, 1, 1], [1000, 0, 1000], [1, 1, 0.0]])
    np.testing.assert_array_equal(after, NAMES[expected.argmin(axis=1)])


def test_order_of_classes_follows_the_names(iris):
    X, y = iris
    # The library sorts these as numbers, numpy as text.
    names = np.array(["100", "20", "3"])
    model = quick(rounds=5).fit(X, names[y])
    cheap = quick(rounds=5).fit(X, y)
    costs = np.array([[0, 1, 1], [50, 0, 1], [1, 1, 0.0]])
    np.testing.assert_array_equal(model.predict(X, costs=costs), names[cheap.predict(X, costs=costs)])
    np.testing.assert_allclose(model.predict_proba(X), cheap.predict_proba(X), atol=1e-9)


def test_taxonomy(data):
    X, y = data
    tree = {"setosa": "iris", "versicolor": "late", "virginica": "late", "late": "iris"}
    assert "cost" in quick(taxonomy=tree).fit(X, y).model_.header()
    with pytest.raises(OptionError, match="cannot both be given"):
        quick(taxonomy=tree, costs={("setosa", "virginica"): 2}).fit(X, y)
    with pytest.raises(CostsError, match="does not name the class 'virginica'"):
        quick(taxonomy={"setosa": "iris", "versicolor": "iris"}).fit(X, y)


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        (np.eye(2), "shape 2 x 2, but there are 3 classes"),
        ({("setosa", "rose"): 2}, "'rose', which is not a class"),
        ({"setosa": 2}, "not a pair"),
        ({("setosa", "virginica"): "dear"}, "not a number"),
        (np.ones((3, 3)), "must be zero: a right answer costs nothing"),
        (np.array([[0, -1, 1], [1, 0, 1], [1, 1, 0.0]]), "must not be negative"),
        ("dear", "K x K"),
        (pd.DataFrame(np.zeros((2, 2)), index=["setosa", "x"], columns=["setosa", "x"]), "'x', which is not a class"),
    ],
)
def test_bad_costs_are_named(data, costs, words):
    with pytest.raises(CostsError, match=words):
        quick(costs=costs).fit(*data)


def test_a_model_trained_on_costs_has_no_probabilities(data):
    X, y = data
    model = quick(costs={("setosa", "virginica"): 3}).fit(X, y)
    with pytest.raises(ModelError, match="cost_mode decide"):
        model.predict_proba(X)
    decided = quick(costs={("setosa", "virginica"): 3}, cost_mode="decide").fit(X, y)
    np.testing.assert_allclose(decided.predict_proba(X).sum(axis=1), 1)


def test_class_weights_are_prices(data):
    X, y = data
    plain, weighted = quick(rounds=5).fit(X, y), quick(rounds=5, class_weight={"virginica": 100.0}).fit(X, y)
    np.testing.assert_array_equal(plain.predict_proba(X), weighted.predict_proba(X))
    assert (weighted.predict(X) == "virginica").sum() > (plain.predict(X) == "virginica").sum()
    balanced = quick(rounds=5, class_weight="balanced").fit(X, y)
    np.testing.assert_array_equal(balanced.predict(X), plain.predict(X))
    with pytest.raises(ValueError):
        quick(class_weight={"rose": 2.0}).fit(X, y)
    with pytest.raises(RebelError):
        quick(class_weight={"virginica": -1.0}).fit(X, y)
