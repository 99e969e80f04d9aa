"""Rows in order, within query groups."""

import numpy as np
import pytest
from rebelboost import RebelRanker
from rebelboost.errors import DataError, OptionError
from sklearn.base import clone


def problem(seed=0):
    rng = np.random.default_rng(seed)
    sizes = [30, 40, 50]
    queries = np.repeat(np.arange(3), sizes)
    grades = rng.integers(0, 3, 120)
    # Only within a query does the first column tell the order.
    X = np.c_[grades + rng.uniform(0, 0.9, 120) + 10 * queries, rng.normal(size=120)]
    return X, grades, sizes, queries


def wrong_pairs(scores, grades, queries):
    pairs = (queries[:, None] == queries) & (grades[:, None] > grades)
    return np.mean(scores[:, None] <= scores, where=pairs)


def test_ranks_within_queries():
    X, y, sizes, queries = problem()
    by_size = RebelRanker(rounds=150, learner="stump").fit(X, y, group=sizes)
    assert wrong_pairs(by_size.predict(X), y, queries) < 0.01
    by_name = RebelRanker(rounds=150, learner="stump").fit(X, y, qid=np.array(["a", "b", "c"])[queries])
    np.testing.assert_array_equal(by_size.predict(X), by_name.predict(X))
    alone = RebelRanker(rounds=150, learner="stump").fit(X, y)
    assert not np.array_equal(alone.predict(X), by_size.predict(X))


def test_parameters_and_errors():
    X, y, sizes, queries = problem()
    ranker = RebelRanker(rounds=5, depth=3)
    assert clone(ranker).get_params() == ranker.get_params()
    with pytest.raises(OptionError, match="both"):
        ranker.fit(X, y, group=sizes, qid=queries)
    with pytest.raises(DataError, match="120"):
        ranker.fit(X, y, group=[1, 2])
    with pytest.raises(ValueError, match="inconsistent"):
        ranker.fit(X, y, qid=queries[:-1])
