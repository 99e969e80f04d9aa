"""Selection and extraction as scikit-learn transformers."""

import pickle

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.feature_selection import mutual_info_classif
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from conftest import quick
from rebelboost import Isomap, KMeans, Lda, Pca, RebelClassifier, RebelError, SelectFeatures

ALL = [SelectFeatures(), SelectFeatures("fisher", 1), Pca(), Lda(), KMeans(3), KMeans(3, output="distances"), Isomap()]


def expected(estimator):
    """Random starts of k-means draw rows, and twice the row is not the same draw as the row of weight two."""
    reason = "the start is random"
    names = ["check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"]
    return dict.fromkeys(names, reason) if isinstance(estimator, KMeans) else {}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ALL, expected_failed_checks=expected)
def test_check(estimator, check):
    check(estimator)


def test_selection_ranks_and_keeps(iris_frame):
    X, y = iris_frame
    step = SelectFeatures("mim", 2).fit(X, y)
    assert [X.columns[i] for i in step.ranking_] == ["petal_length", "petal_width"] or set(step.ranking_) == {2, 3}
    assert list(step.get_feature_names_out()) == ["petal_length", "petal_width"]
    assert step.transform(X).shape == (150, 2)
    assert step.redundancies_[0] == 0 and step.redundancies_[1] > 0.3
    wrapped = SelectFeatures("forward", 1, parameters={"folds": 2}, settings={"rounds": 3}).fit(X, y)
    assert len(wrapped.ranking_) == 1 and 0 <= wrapped.scores_[0] < 0.3


def test_information_is_scikit_learns():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = np.column_stack([(y + rng.integers(0, k, 300)) % 4 for k in (1, 2, 3, 4)]).astype(float)
    step = SelectFeatures("mim", 4, parameters={"levels": 10}).fit(X, y)
    theirs = mutual_info_classif(X, y, discrete_features=True)
    ours = np.empty(4)
    ours[step.ranking_] = step.scores_
    np.testing.assert_allclose(ours * np.log(2), theirs, atol=1e-9)


def test_extraction_is_scikit_learns_and_survives_pickling(iris):
    X, y = iris
    ours = Pca(2, scaling="raw").fit(X)
    theirs = PCA(2).fit(X)
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-6)
    for step in (ours, Lda(2).fit(X, y), KMeans(4).fit(X), Isomap(2).fit(X)):
        again = pickle.loads(pickle.dumps(step))
        np.testing.assert_array_equal(again.transform(X[:7]), step.transform(X[:7]))


def test_missing_values_and_text_need_no_preparation(iris_frame):
    X, y = iris_frame
    X = X.copy()
    X.iloc[::7, 0] = np.nan
    X["place"] = np.where(np.arange(150) % 2, "north", "south")
    for step in (Pca(2), Lda(2), KMeans(3), Isomap(2), SelectFeatures("cmim", 3)):
        out = step.fit(X, y).transform(X)
        assert out.shape[0] == 150
    pipeline = make_pipeline(Pca(3), quick()).fit(X, y)
    assert pipeline.score(X, y) > 0.9


def test_mistakes_are_sentences(iris):
    X, y = iris
    with pytest.raises(RebelError, match="did you mean 'cmim'"):
        SelectFeatures("cmin").fit(X, y)
    with pytest.raises(RebelError, match="scaling cannot be 'none'"):
        Pca(2, scaling="none").fit(X)


def test_models_with_steps_predict_in_python(tmp_path, iris_frame):
    from rebelboost._core import cli

    X, y = iris_frame
    table = X.assign(species=np.array(["a", "b", "c"])[y])
    table.to_csv(tmp_path / "iris.csv", index=False)
    for steps in (["--select", "cmim:2"], ["--transform", "pca:2"]):
        model = str(tmp_path / "m.rebel")
        line = ["rebel", "train", str(tmp_path / "iris.csv"), "--algorithm", "rebel", "--rounds", "10", "--quiet"]
        assert cli([*line, *steps, "--out", model]) == 0
        loaded = RebelClassifier.load(model)
        assert (loaded.predict(X) == table["species"]).mean() > 0.9
