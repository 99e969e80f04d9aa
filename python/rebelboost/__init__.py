"""Cost-sensitive multi-class boosting that works at the push of a button and can explain itself.

>>> from rebelboost import RebelClassifier
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> model = RebelClassifier().fit(X, y)
>>> model.predict(X[:2])
array([0, 0])
"""

from typing import TYPE_CHECKING

from ._core import __version__

if TYPE_CHECKING:
    from ._active import ActiveLearner as ActiveLearner
    from ._classifier import RebelClassifier as RebelClassifier
    from ._detector import CascadeClassifier as CascadeClassifier
    from ._detector import Detection as Detection
    from ._detector import Detector as Detector
    from ._estimate import Estimate as Estimate
    from ._progress import RoundInfo as RoundInfo
    from ._ranker import RebelRanker as RebelRanker
    from ._steps import Isomap as Isomap
    from ._steps import KMeans as KMeans
    from ._steps import Lda as Lda
    from ._steps import Pca as Pca
    from ._steps import SelectFeatures as SelectFeatures
    from .errors import RebelError as RebelError
    from .errors import RebelWarning as RebelWarning

# Loaded when first asked for: `rebel` and `import rebelboost` need not wait for scikit-learn.
_HOMES = {
    "ActiveLearner": "_active",
    "CascadeClassifier": "_detector",
    "Detection": "_detector",
    "Detector": "_detector",
    "Estimate": "_estimate",
    "Isomap": "_steps",
    "KMeans": "_steps",
    "Lda": "_steps",
    "Pca": "_steps",
    "RebelClassifier": "_classifier",
    "RebelError": "errors",
    "RebelRanker": "_ranker",
    "RebelWarning": "errors",
    "RoundInfo": "_progress",
    "SelectFeatures": "_steps",
}

__all__ = [
    "ActiveLearner",
    "CascadeClassifier",
    "Detection",
    "Detector",
    "Estimate",
    "Isomap",
    "KMeans",
    "Lda",
    "Pca",
    "RebelClassifier",
    "RebelError",
    "RebelRanker",
    "RebelWarning",
    "RoundInfo",
    "SelectFeatures",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
