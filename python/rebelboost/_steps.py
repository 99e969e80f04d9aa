"""Feature selection and extraction, in the manner of scikit-learn: thin over the library, which holds all defaults."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, validate_data

from ._core import Extraction, Table, select_features
from ._labels import free_name, names_of
from ._rows import numbered
from ._tables import frame_names, is_arrow, is_frame, table_of, unmasked
from ._threads import threads_for
from .errors import OptionError


class _Step(BaseEstimator):
    """What selection and extraction share: rows in, a table of the library out."""

    categorical: Sequence[str | int] | None
    seed: int
    n_jobs: int | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def _validated(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        given: dict[str, Any] = {} if y is None else {"y": y}
        if is_frame(X):
            validate_data(self, X, **given, skip_check_array=True, reset=reset)
            if reset and is_arrow(X):  # not every scikit-learn asks these for their names
                self.feature_names_in_ = np.array(frame_names(X), dtype=object)
        else:
            least = {"ensure_min_samples": 2} if reset else {}
            checked = validate_data(self, unmasked(X), **given, ensure_all_finite="allow-nan", reset=reset, **least)
            X, y = checked if given else (checked, None)
        if y is not None:
            y = column_or_1d(np.asarray(y), warn=True)
            check_classification_targets(y)
        return X, y

    def _names(self, X: Any) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return numbered(X.shape[1]) if names is None else list(names)

    def _table(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, dict[str, Any]]:
        """The rows with their classes and weights, and which columns these are."""
        names = self._names(X)
        extra: list[tuple[str, Any]] = []
        target = weights = None
        if y is not None:
            classes, places = np.unique(y, return_inverse=True)
            target = free_name("class", names)
            extra.append((target, (places.astype(np.int64), names_of(classes))))
        if sample_weight is not None:
            rows = X if not is_arrow(X) else np.empty((X.shape[0], 0))
            values = _check_sample_weight(sample_weight, rows, dtype=np.float64)
            weights = free_name("weight", [*names, target or ""])
            extra.append((weights, values))
        threads = threads_for(self.n_jobs)
        roles = {
            "target": target,
            "weights": weights,
            "categorical": self._categorical(names),
            "seed": self._seed(),
            "threads": threads,
        }
        return table_of(X, names, extra, threads), roles

    def _categorical(self, names: list[str]) -> list[str]:
        return [column if isinstance(column, str) else names[column] for column in self.categorical or ()]

    def _seed(self) -> int:
        if isinstance(self.seed, bool) or not isinstance(self.seed, (int, np.integer)) or not 0 <= self.seed < 2**64:
            raise OptionError(f"seed cannot be {self.seed!r}; a whole number from 0 on, below 2**64")
        return int(self.seed)


def _step(name: str, count: int | None, parameters: Mapping[str, Any]) -> str:
    """A step as the program writes it: ``cmim:20,levels=8``."""
    text = name if count is None else f"{name}:{count}"
    given = {key: value for key, value in parameters.items() if value is not None}
    return ",".join([text, *(f"{key}={value}" for key, value in given.items())])


class SelectFeatures(SelectorMixin, _Step, metaclass=ABCMeta):
    """Keeps the features that say most of the class.

    Parameters
    ----------
    method : str, default=None
        ``cmim`` (the default), ``mim``, ``fisher``, ``ks``, ``boosting``, ``forward``, ``backward`` or ``random``.
    count : int, default=None
        Features to keep; the method's default if None.
    parameters : dict, default=None
        Of the method, such as ``{"levels": 8}``.
    algorithm : str, default=None
        What ``forward``, ``backward`` and ``boosting`` train.
    settings : dict, default=None
        Its parameters, such as ``{"rounds": 30}``.
    categorical : sequence of str or int, default=None
        Columns that are names even if they look like numbers.
    seed : int, default=0
        Seed of all random choices.
    n_jobs : int, default=None
        Threads; the result does not depend on them.

    Attributes
    ----------
    ranking_ : list of int
        Selected columns, the best first.
    scores_ : ndarray
        Their scores.
    redundancies_ : ndarray
        Share of each one's information about the class that one before it has too; NaN beyond the first hundred.
    notes_ : list of str
        Things worth knowing, in plain words.

    Examples
    --------
    >>> from rebelboost import SelectFeatures
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> list(SelectFeatures("cmim", 2).fit(X, y).get_feature_names_out())
    ['sepal width (cm)', 'petal width (cm)']
    """

    def __init__(
        self,
        method: str | None = None,
        count: int | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        algorithm: str | None = None,
        settings: Mapping[str, Any] | None = None,
        categorical: Sequence[str | int] | None = None,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.count = count
        self.parameters = parameters
        self.algorithm = algorithm
        self.settings = settings
        self.categorical = categorical
        self.seed = seed
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    if TYPE_CHECKING:
        # Made by scikit-learn from the signature below.
        def set_fit_request(self, *, sample_weight: bool | None | str = ...) -> SelectFeatures: ...

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SelectFeatures:
        """Ranks the columns by what they say of the classes."""
        if y is None:
            raise OptionError("requires y to be passed, but the target y is None")
        X, y = self._validated(X, y, reset=True)
        table, roles = self._table(X, y, sample_weight)
        ranked, self.notes_ = select_features(
            table,
            **roles,
            step=_step(self.method or "", self.count, self.parameters or {}),
            algorithm=self.algorithm,
            settings=[(name.replace("_", "-"), str(value)) for name, value in (self.settings or {}).items()],
        )
        position = {name: i for i, name in enumerate(self._names(X))}
        self.ranking_ = [position[name] for name, _, _, _ in ranked]
        self.scores_ = np.array([score for _, score, _, _ in ranked])
        self.redundancies_ = np.array([np.nan if share is None else share for _, _, share, _ in ranked])
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.ranking_] = True
        return mask


class _Extract(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Step):
    """What methods of extraction share."""

    _method: str
    _parameters: tuple[str, ...]

    @property
    def _n_features_out(self) -> int:
        return len(self.extraction_.names)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Any:
        X, y = self._validated(X, y, reset=True)
        table, roles = self._table(X, y, sample_weight)
        step = _step(self._method, getattr(self, "count"), {name: getattr(self, name) for name in self._parameters})
        self.extraction_ = Extraction.fit(table, **roles, step=step)
        self.notes_ = self.extraction_.notes
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The new features of rows."""
        check_is_fitted(self)
        X, _ = self._validated(X, None, reset=False)
        return self.extraction_.transform(table_of(X, self._names(X), [], threads_for(self.n_jobs)))


class Pca(_Extract):
    """Principal components; numbers are divided by their deviation first unless ``scaling="raw"``.

    Missing values and categories need no preparation. ``shares_`` are the shares of the variance.

    Examples
    --------
    >>> from rebelboost import Pca
    >>> from sklearn.datasets import load_iris
    >>> X, _ = load_iris(return_X_y=True)
    >>> Pca(2).fit(X).shares_.round(2)
    array([0.73, 0.23])
    """

    _method = "pca"
    _parameters = ("scaling",)

    def __init__(
        self,
        count: int | None = None,
        *,
        scaling: str | None = None,
        categorical: Sequence[str | int] | None = None,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.count = count
        self.scaling = scaling
        self.categorical = categorical
        self.seed = seed
        self.n_jobs = n_jobs

    @property
    def shares_(self) -> NDArray[np.float64]:
        """Share of the variance of each component."""
        return np.array(self.extraction_.shares)

    if TYPE_CHECKING:
        # Made by scikit-learn from the signature below.
        def set_fit_request(self, *, sample_weight: bool | None | str = ...) -> Pca: ...

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Pca:
        """Finds the components; `y` is not looked at."""
        self._fit(X, None, sample_weight)
        return self


class Lda(_Extract):
    """Linear discriminants, at most one fewer than classes. ``shares_`` are shares of the variance between classes."""

    _method = "lda"
    _parameters = ("scaling", "shrinkage")

    def __init__(
        self,
        count: int | None = None,
        *,
        scaling: str | None = None,
        shrinkage: float | str | None = None,
        categorical: Sequence[str | int] | None = None,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.count = count
        self.scaling = scaling
        self.shrinkage = shrinkage
        self.categorical = categorical
        self.seed = seed
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @property
    def shares_(self) -> NDArray[np.float64]:
        """Share of the variance between classes of each discriminant."""
        return np.array(self.extraction_.shares)

    if TYPE_CHECKING:
        # Made by scikit-learn from the signature below.
        def set_fit_request(self, *, sample_weight: bool | None | str = ...) -> Lda: ...

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Lda:
        """Finds the directions that push the classes apart."""
        if y is None:
            raise OptionError("requires y to be passed, but the target y is None")
        self._fit(X, y, sample_weight)
        return self


class KMeans(_Extract):
    """k-means: the number of the nearest centre (from 0), or with ``output="distances"`` the distance to each."""

    _method = "kmeans"
    _parameters = ("scaling", "output", "starts")

    def __init__(
        self,
        count: int | None = None,
        *,
        scaling: str | None = None,
        output: str | None = None,
        starts: int | None = None,
        categorical: Sequence[str | int] | None = None,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.count = count
        self.scaling = scaling
        self.output = output
        self.starts = starts
        self.categorical = categorical
        self.seed = seed
        self.n_jobs = n_jobs

    if TYPE_CHECKING:
        # Made by scikit-learn from the signature below.
        def set_fit_request(self, *, sample_weight: bool | None | str = ...) -> KMeans: ...

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KMeans:
        """Finds the centres; `y` is not looked at."""
        self._fit(X, None, sample_weight)
        return self


class Isomap(_Extract):
    """Isomap: coordinates along the surface that the rows lie on, also for rows it has not seen."""

    _method = "isomap"
    _parameters = ("scaling", "neighbours", "landmarks")

    def __init__(
        self,
        count: int | None = None,
        *,
        scaling: str | None = None,
        neighbours: int | None = None,
        landmarks: int | None = None,
        categorical: Sequence[str | int] | None = None,
        seed: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.count = count
        self.scaling = scaling
        self.neighbours = neighbours
        self.landmarks = landmarks
        self.categorical = categorical
        self.seed = seed
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Isomap:
        """Makes the graph; `y` is not looked at."""
        self._fit(X, None, None)
        return self
