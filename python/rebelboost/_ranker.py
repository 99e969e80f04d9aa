"""The ranker, in the manner of scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._classifier import RebelClassifier
from .errors import DataError, OptionError


class RebelRanker(BaseEstimator):
    """Scores that put rows in order, within query groups (RankBoost).

    Parameters
    ----------
    rounds, learner, depth, bins, learning_rate, smoothing, row_sample, feature_sample, trim, categorical, seed, n_jobs
        As of :class:`RebelClassifier`; None leaves the default of `rankboost`.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The grades, rising.
    n_features_in_ : int
        Number of columns seen in `fit`.
    model_ : Model
        The model itself.

    Examples
    --------
    >>> import numpy as np
    >>> from rebelboost import RebelRanker
    >>> X = np.arange(12.0).reshape(-1, 1)
    >>> y = np.array([0, 0, 1, 1, 2, 2] * 2)
    >>> ranker = RebelRanker(rounds=20).fit(X, y, group=[6, 6])
    >>> scores = ranker.predict(X)
    >>> bool(scores[0] < scores[5] and scores[6] < scores[11])
    True
    """

    def __init__(
        self,
        *,
        rounds: int | None = None,
        learner: str | None = None,
        depth: int | None = None,
        bins: int | None = None,
        learning_rate: float | None = None,
        smoothing: float | None = None,
        row_sample: float | None = None,
        feature_sample: float | None = None,
        trim: float | None = None,
        categorical: Any = None,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.rounds = rounds
        self.learner = learner
        self.depth = depth
        self.bins = bins
        self.learning_rate = learning_rate
        self.smoothing = smoothing
        self.row_sample = row_sample
        self.feature_sample = feature_sample
        self.trim = trim
        self.categorical = categorical
        self.seed = seed
        self.n_jobs = n_jobs

    if TYPE_CHECKING:
        # Made by scikit-learn from the signature below.
        def set_fit_request(
            self,
            *,
            group: bool | None | str = ...,
            qid: bool | None | str = ...,
            sample_weight: bool | None | str = ...,
        ) -> RebelRanker: ...

    def fit(self, X: Any, y: Any, *, group: Any = None, qid: Any = None, sample_weight: Any = None) -> RebelRanker:
        """Trains on rows and their grades.

        Parameters
        ----------
        X : array-like or frame of shape (n, d)
            Rows; NaN is missing.
        y : array-like of shape (n,)
            Grades: a row is to come before those of a lower grade.
        group : array-like of int, default=None
            Sizes of the query groups, whose rows follow one another; they sum to n.
        qid : array-like of shape (n,), default=None
            The query of each row, instead of `group`. Without either all rows are one group.
        sample_weight : array-like of shape (n,), default=None
            Row weights.

        Returns
        -------
        RebelRanker
            The estimator itself.
        """
        self._classifier = RebelClassifier(algorithm="rankboost", **self.get_params())
        self._classifier._fit(X, y, sample_weight, _queries(group, qid, len(y)))
        self.model_ = self._classifier.model_
        self.classes_ = self._classifier.classes_
        self.n_features_in_ = self._classifier.n_features_in_
        if hasattr(self._classifier, "feature_names_in_"):
            self.feature_names_in_ = self._classifier.feature_names_in_
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Scores: the higher, the earlier a row should come.

        Parameters
        ----------
        X : array-like or frame of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n,)
            Scores.
        """
        check_is_fitted(self, "model_")
        scores = self._classifier._ordered(self._classifier._scores(X))
        return np.ascontiguousarray(scores[:, -1])


def _queries(group: Any, qid: Any, rows: int) -> NDArray[Any] | None:
    """The query of each row."""
    if group is not None and qid is not None:
        raise OptionError("group and qid cannot both be given: each says which rows belong together")
    if group is None:
        return None if qid is None else np.asarray(qid)
    sizes = np.asarray(group)
    if sizes.ndim != 1 or not np.issubdtype(sizes.dtype, np.integer) or (sizes < 0).any() or sizes.sum() != rows:
        raise DataError(f"group must be sizes that sum to the number of rows, {rows}; qid takes the query of each row")
    return np.repeat(np.arange(len(sizes)), sizes)
