"""Beside other estimators: pipelines, searches, calibration, stacks, routing."""

import json

import numpy as np
import pandas as pd
import pytest
import sklearn
from conftest import quick
from rebelboost import RebelClassifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import StackingClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def test_pipeline_and_cross_validation(iris):
    X, y = iris
    assert cross_val_score(make_pipeline(StandardScaler(), quick()), X, y, cv=3).mean() > 0.9


def test_grid_search_in_processes(iris):
    X, y = iris
    search = GridSearchCV(quick(), {"depth": [1, 2], "rounds": [5, 10]}, cv=3, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.9 and set(search.best_params_) == {"depth", "rounds"}


def test_calibration_stacking_and_selection(iris):
    X, y = iris
    calibrated = CalibratedClassifierCV(quick(), cv=3).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    stack = StackingClassifier([("rebel", quick()), ("linear", LogisticRegression(max_iter=500))], cv=3).fit(X, y)
    assert stack.score(X, y) > 0.9
    assert SelectFromModel(quick()).fit(X, y).transform(X).shape[1] < X.shape[1]


def test_columns_keep_their_names(iris_frame):
    X, y = iris_frame
    prepare = ColumnTransformer(
        [("scale", StandardScaler(), ["sepal_length"])], remainder="passthrough", verbose_feature_names_out=False
    ).set_output(transform="pandas")
    model = make_pipeline(prepare, quick()).fit(X, y)
    assert set(model[-1].feature_names_in_) == set(X.columns)


def test_weights_are_routed(iris):
    X, y = iris
    weights = np.where(y == 2, 0.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), quick().set_fit_request(sample_weight=True))
        assert list(model.fit(X, y, sample_weight=weights).classes_) == [0, 1]
        scored = cross_validate(
            quick().set_fit_request(sample_weight=True).set_score_request(sample_weight=True),
            X, y, params={"sample_weight": np.ones(len(y))}, cv=3,
        )
    assert scored["test_score"].mean() > 0.9


def test_an_unknown_parameter_is_refused_at_once():
    with pytest.raises(TypeError):
        quick(dpth=3)
    with pytest.raises(ValueError, match="Invalid parameter"):
        quick().set_params(dpth=3)


def test_an_option_chooses_the_algorithm_that_has_it():
    X, y = np.arange(40.0).reshape(-1, 1), [0, 1] * 20

    def made(**options):
        return json.loads(RebelClassifier(**options).fit(X, y).model_.header())["provenance"]["algorithm"]

    assert made(rounds=3) == "rebel"
    assert made(preset="fast") == "auto"
    assert made(row_sample=0.5, rounds=3) == "softmax-trees"


def test_frames_of_categories_in_a_pipeline():
    X = pd.DataFrame({"a": pd.Categorical(["x", "y"] * 20), "b": np.arange(40.0)})
    y = ["yes" if a == "x" else "no" for a in X["a"]]
    assert make_pipeline(quick()).fit(X, y).score(X, y) == 1.0
