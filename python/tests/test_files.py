"""Files, copies and the program: the same bytes through every door."""

import copy
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from conftest import quick
from sklearn.base import clone

from rebelboost import RebelClassifier
from rebelboost._core import Model
from rebelboost.errors import FileError, ModelError


def rebel(*arguments, cwd):
    done = subprocess.run([sys.executable, "-m", "rebelboost", *arguments], cwd=cwd, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def table(tmp_path_factory, iris_frame):
    X, y = iris_frame
    X = X.assign(colour=np.where(np.arange(len(X)) % 3 == 0, "red", "blue"))
    X.loc[3, "petal_width"] = np.nan
    y = pd.Series(np.array(["setosa", "versicolor", "virginica"])[y], name="species")
    folder = tmp_path_factory.mktemp("files")
    X.assign(species=y).to_csv(folder / "iris.csv", index=False)
    return X, y, folder


@pytest.mark.parametrize(
    "options", [{"algorithm": None}, {}, {"rounds": 20, "depth": 3, "seed": 7}, {"learner": "similarity"}, {"holdout": 0.3, "learning_rate": 0.5}]
)
def test_the_program_writes_the_same_bytes(table, options):
    X, y, folder = table
    options = {"algorithm": "rebel", **options}
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items() if value is not None]
    code, _, err = rebel("train", "iris.csv", "--target=species", "--out=cli.rebel", *arguments, cwd=folder)
    assert code == 0, err
    model = RebelClassifier(**options).fit(X, y)
    model.save(folder / "python.rebel")
    assert (folder / "python.rebel").read_bytes() == (folder / "cli.rebel").read_bytes()


def test_the_program_gives_the_same_answers(table):
    X, y, folder = table
    model = quick().fit(X, y)
    model.save(folder / "model.rebel")
    code, _, err = rebel("predict", "model.rebel", "iris.csv", "--proba", "--out", "answers.csv", cwd=folder)
    assert code == 0, err
    answers = pd.read_csv(folder / "answers.csv")
    assert any((answers[column] == model.predict(X)).all() for column in answers if answers[column].dtype == y.dtype)
    columns = [next(c for c in answers if c.endswith(name)) for name in model.classes_]
    np.testing.assert_allclose(answers[columns].to_numpy(dtype=float), model.predict_proba(X), atol=1e-9)


def test_load(table, iris):
    X, y, folder = table
    model = quick().fit(X, y)
    model.save(folder / "kept.rebel")
    loaded = RebelClassifier.load(folder / "kept.rebel")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    # By name: other columns and another order do no harm.
    other = X[X.columns[::-1]].assign(extra=1)
    np.testing.assert_array_equal(loaded.predict(other), model.predict(X))
    assert loaded.get_params()["rounds"] == 15 and list(loaded.classes_) == list(model.classes_)
    with pytest.raises(ValueError, match="'petal_width'.*lack it"):
        loaded.predict(X.drop(columns="petal_width"))
    # Arrays: columns that never vary are not in the file, but keep their place.
    A, b = iris
    A = np.column_stack([np.zeros(len(A)), A])
    plain = quick().fit(A, b)
    plain.save(folder / "plain.rebel")
    again = RebelClassifier.load(folder / "plain.rebel")
    np.testing.assert_array_equal(again.predict(A), plain.predict(A))
    assert again.classes_.dtype == plain.classes_.dtype


def test_bad_files_are_refused(tmp_path):
    with pytest.raises(FileError, match="there is no such file"):
        RebelClassifier.load(tmp_path / "none.rebel")
    (tmp_path / "bad.rebel").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="bad.rebel: this is not a RebelBoost model"):
        RebelClassifier.load(tmp_path / "bad.rebel")
    with pytest.raises(OSError):
        quick().fit([[0.0], [1.0]], [0, 1]).save(tmp_path / "no" / "folder.rebel")


def test_copies(table, tmp_path):
    X, y, _ = table
    model = quick(costs={("setosa", "virginica"): 2}).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), joblib.load(tmp_path / "model.joblib")):
        assert other.model_.to_bytes() == model.model_.to_bytes()
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params() and not hasattr(clone(model), "model_")
    assert Model.from_bytes(model.model_.to_bytes()).to_bytes() == model.model_.to_bytes()


def test_the_program_is_installed(tmp_path):
    code, out, _ = rebel("--version", cwd=tmp_path)
    assert code == 0 and out.startswith("rebel ")
    code, _, err = rebel("train", "nothing.csv", cwd=tmp_path)
    assert code == 2 and "nothing.csv" in err
