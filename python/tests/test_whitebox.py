"""Explanations add up, histories fit, pictures are drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from conftest import quick

from rebelboost import RebelClassifier
from rebelboost.errors import DataError, ModelError


@pytest.mark.parametrize("parameters", [{}, {"learner": "similarity"}, {"algorithm": "gamble"}])
def test_explanations_add_up_to_the_scores(iris_frame, parameters):
    X, y = iris_frame
    names = np.array(["b", "c", "a"])
    model = quick(**parameters).fit(X, names[y])
    why = model.explain(X[::30])
    assert list(why.columns) == ["row", "term", "text", "class", "contribution"]
    scores = why.groupby(["row", "class"])["contribution"].sum().unstack().to_numpy()
    np.testing.assert_allclose(scores, model.decision_function(X[::30]), rtol=1e-12, atol=1e-12)
    assert why["term"].min() == -1 and why["term"].max() == model.n_iter_ - 1


def test_similar_rows(iris_frame):
    X, y = iris_frame
    names = np.array(["b", "c", "a"])
    model = quick(learner="similarity").fit(X, names[y])
    found = model.similar_rows(X[:3])
    assert set(found["row"]) == {0, 1, 2}
    assert (names[y[found["training_row"]]] == found["class"]).all()
    assert (found.groupby("row")["distance"].diff().dropna() >= 0).all()
    with pytest.raises(ModelError, match="learner='similarity'"):
        quick().fit(X, y).similar_rows(X)


def test_stages_end_where_prediction_does(iris):
    X, y = iris
    for labels in (y, y > 0):
        model = quick().fit(X, labels)
        decisions = list(model.staged_decision_function(X))
        assert len(decisions) == model.n_iter_ == 15
        np.testing.assert_array_equal(decisions[-1], model.decision_function(X))
        np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
        np.testing.assert_array_equal(list(model.staged_predict_proba(X))[-1], model.predict_proba(X))
        errors = [np.mean(answers != labels) for answers in model.staged_predict(X)]
        np.testing.assert_allclose(errors, model.history_["error"])


def test_importances(iris):
    X, y = iris
    for options in ({}, {"learner": "similarity", "scaling": "standard"}, {"learner": "similarity", "scaling": "whitened"}):
        shares = quick(**options).fit(X, y).feature_importances_
        assert shares.shape == (4,) and shares.min() >= 0 and abs(shares.sum() - 1) < 1e-12
        assert shares[2:].sum() > 0.5, options  # petals tell irises apart


def test_history(iris):
    X, y = iris
    model = quick(holdout=0.3).fit(X, y)
    assert {len(values) for values in model.history_.values()} == {len(model.history_["round"])}
    assert np.isfinite(model.history_["holdout"]).all()
    assert model.history_["loss"][-1] < model.history_["loss"][0]


def test_notes_speak_python(iris):
    notes = quick(learner="similarity").fit(*iris).notes_
    assert any("keep_values" in note for note in notes) and not any("--" in note for note in notes)


def test_pictures(iris_frame):
    X, y = iris_frame
    model = quick().fit(X, y)
    assert model.plot_history().get_xlabel() == "round"
    assert len(model.plot_importance().patches) == 4
    assert "error" in model.plot_confusion(X, y).get_title()
    ax = plt.subplots()[1]
    assert model.plot_confusion(X, y, costs={(1, 2): 5}, ax=ax) is ax and "mean cost" in ax.get_title()
    with pytest.raises(DataError, match="never seen"):
        model.plot_confusion(X, np.full(len(y), 7))
    flat = X[["petal_length", "petal_width"]]
    assert quick().fit(flat, y).plot_regions(flat, y, resolution=20).get_xlabel() == "petal_length"
    with pytest.raises(DataError, match="two numeric features"):
        model.plot_regions(X)
    plt.close("all")


def test_notebooks_see_the_facts(iris):
    X, y = iris
    assert "training rows" not in quick()._repr_html_()
    model = quick().fit(X, y)
    html = model._repr_html_()
    assert "training rows" in html and "150" in html
    assert "training rows" in model._repr_mimebundle_()["text/html"]
    assert "RebelClassifier" in repr(RebelClassifier())


def test_estimate(iris):
    X, y = iris
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(len(y)) < 0.3, (y + 1) % 3, y)
    model = RebelClassifier(preset="fast").fit(X, noisy)
    found = model.estimate_
    assert found.rows.tolist() == list(range(len(y))) and found.folds == 3
    assert 0.2 < found.error < 0.45, "the noise cannot be foreseen, and training error would hide it"
    assert found.interval[0] < found.error < found.interval[1] < 0.6 < found.trivial_error + 0.1
    answers = model.classes_[found.probabilities.argmax(axis=1)]
    assert np.mean(answers != noisy) == pytest.approx(found.error)
    assert "mistakes on new rows" in model._repr_html_inner()
    assert quick().fit(X, y).estimate_ is None


def test_estimate_leaves_out_rows_without_weight(iris):
    X, y = iris
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 2.0)
    model = RebelClassifier(preset="fast").fit(X, y, sample_weight=weights)
    assert (weights[model.estimate_.rows] > 0).all() and len(model.estimate_.rows) == 100
