"""What the tests share: small data and a quick classifier."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # else scikit-learn leaves one of its checks out

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs

from rebelboost import RebelClassifier

matplotlib.use("Agg")


def quick(**parameters):
    """A classifier that trains in milliseconds."""
    return RebelClassifier(**{"algorithm": "rebel", "rounds": 15, **parameters})


@pytest.fixture(scope="session")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def iris_frame():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X.rename(columns=lambda name: name.replace(" (cm)", "").replace(" ", "_")), y


@pytest.fixture(scope="session")
def blobs():
    X, y = make_blobs(n_samples=4000, n_features=20, centers=5, cluster_std=6.0, random_state=0)
    return X, np.array(["a", "b", "c", "d", "e"])[y]
