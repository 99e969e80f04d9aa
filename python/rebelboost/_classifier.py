"""The classifier, in the manner of scikit-learn."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ._core import Model, algorithm_with, train
from ._costs import named_costs, named_taxonomy
from ._estimate import Estimate, judged
from ._labels import free_name, names_of, values_of
from ._parameters import IN_ROUNDS, PARAMETERS_DOC, SETTINGS, TRAINS_ON_COSTS, TWO_CLASSES, Parameters
from ._progress import watcher
from ._rows import numbers
from ._tables import table_of
from ._threads import threads_for
from ._whitebox import WhiteBox
from .errors import DataError, OptionError

if TYPE_CHECKING:
    from ._core import Trained


class RebelClassifier(WhiteBox, ClassifierMixin, Parameters, BaseEstimator):
    __doc__ = f"""A cost-sensitive multi-class boosting classifier that can explain itself.

    Missing values (NaN), categories, text columns, row weights and any class labels need no preparation. pandas, polars
    and pyarrow frames are matched by column name. The same data, parameters and seed give the same model, byte for byte,
    at any number of threads, and the same file as the program `rebel` writes.

    Parameters
    ----------
    {PARAMETERS_DOC.strip().replace(chr(10), chr(10) + "    ")}

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The classes, sorted.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, if all are strings.
    feature_importances_ : ndarray of shape (n_features_in_,)
        How much of the model each feature makes up; the shares sum to one.
    n_iter_ : int
        Number of terms of the model.
    history_ : dict of ndarray
        `round`, `loss`, `error`, `edge` and `holdout` of every round of the last fit.
    estimate_ : Estimate or None
        What to expect on new rows: `error` with its `interval`, and the probabilities behind it, from models that had not
        seen the rows. For algorithms that leave rows out as they train: the default one does.
    notes_ : list of str
        Things worth knowing, in plain words.
    seconds_ : float
        Wall-clock seconds of the last training.
    model_ : Model
        The model itself.

    Examples
    --------
    >>> from rebelboost import RebelClassifier
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = RebelClassifier(algorithm="rebel", rounds=50).fit(X, y)
    >>> model.score(X, y) > 0.95
    True

    Answering 0 where the truth is 2 costs ten times as much as any other mistake:

    >>> model = RebelClassifier(algorithm="rebel", rounds=50, costs={{(2, 0): 10}}).fit(X, y)
    """

    estimate_: Estimate | None
    notes_: list[str]
    seconds_: float

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RebelClassifier:
        """Trains on rows and their classes.

        Ctrl-C stops after the round, raises KeyboardInterrupt and leaves the model so far.

        Parameters
        ----------
        X : array-like or frame of shape (n, d)
            Rows; NaN is missing.
        y : array-like of shape (n,)
            Their classes.
        sample_weight : array-like of shape (n,), default=None
            Row weights; a row of weight 2 is as good as two rows, a row of weight 0 as none.

        Returns
        -------
        RebelClassifier
            The estimator itself.
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: NDArray[Any] | None = None) -> RebelClassifier:
        """Trains; `groups` tell the query of each row, for algorithms that rank."""
        target = getattr(y, "name", None)
        X, y = self._validated(X, y)
        weights = _weights(y, sample_weight)
        kept = y if weights is None else y[weights > 0]
        classes = np.unique(kept) if len(kept) else np.unique(y)
        if self.costs is not None and self.taxonomy is not None:
            raise OptionError("costs and taxonomy cannot both be given: each is the price of mistakes")
        algorithm = self._algorithm()
        if algorithm in TWO_CLASSES and len(classes) > 2:
            raise DataError(
                "Only binary classification is supported. The type of the target is multiclass. "
                f"{algorithm} tells two classes apart; choose another algorithm"
            )
        class_names = names_of(classes)
        names = self._column_names(X)
        target = free_name(target if isinstance(target, str) else "class", names)
        # Rows of weight zero may have a class that no other row has; they are left out anyway.
        places = np.minimum(np.searchsorted(classes, y), len(classes) - 1).astype(np.int64)
        extra: list[tuple[str, Any]] = [(target, (places, class_names))]
        weight_name = None
        if weights is not None:
            weight_name = free_name("weight", [*names, target])
            extra.append((weight_name, weights))
        group_name = None
        if groups is not None:
            check_consistent_length(y, groups)
            group_name = free_name("group", [*names, *(name for name, _ in extra)])
            queries, numbers_of = np.unique(groups, return_inverse=True)
            extra.append((group_name, (numbers_of.astype(np.int64), [str(i) for i in range(len(queries))])))
        threads = threads_for(self.n_jobs)
        goes_on = self.warm_start and hasattr(self, "model_") and algorithm in IN_ROUNDS
        watching = watcher(self.on_round, self.progress)
        try:
            trained = train(
                table_of(X, names, extra, threads),
                target=target,
                weights=weight_name,
                group=group_name,
                categorical=self._categorical(names),
                algorithm=algorithm,
                settings=self._settings(algorithm),
                costs=None if self.costs is None else named_costs(self.costs, classes),
                taxonomy=None if self.taxonomy is None else named_taxonomy(self.taxonomy),
                class_weights=self._class_weights(class_names, classes, kept),
                seed=self._seed(),
                threads=threads,
                time_limit=self.time_limit,
                resume=self.model_ if goes_on else None,
                observer=watching,
            )
        finally:
            if watching is not None and watching.bar is not None:
                watching.bar.close()
        self._take(trained, classes, names)
        self.estimate_ = self._estimate(trained, places, np.ones(len(y)) if weights is None else weights)
        return self

    def _take(self, trained: Trained, classes: NDArray[Any], names: list[str]) -> None:
        """Keeps the result of a training, which may have been interrupted."""
        if trained.model is not None:
            self._know(trained.model, classes, names)
            self.history_ = trained.history()
            self.notes_ = trained.notes
            self.seconds_ = trained.seconds
        if trained.error is not None:
            raise trained.error

    def _estimate(
        self, trained: Trained, places: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> Estimate | None:
        found = trained.estimate()
        if found is None:
            return None
        folds, rows, scores = found
        probabilities = self._ordered(self.model_.probabilities(scores))
        wrong = self._answers(scores) != self.classes_[places[rows]]
        return judged(wrong, places[rows], weights[rows], folds, rows, probabilities)

    def _class_weights(
        self, names: list[str], classes: NDArray[Any], y: NDArray[Any]
    ) -> list[tuple[str, float]] | None:
        if self.class_weight is None or len(classes) < 2:
            return None
        weights = compute_class_weight(self.class_weight, classes=classes, y=y)
        return [(name, float(weight)) for name, weight in zip(names, weights, strict=True)]

    def _algorithm(self, *also: str) -> str:
        """The algorithm named, or the one that has the options given (and these)."""
        given = [registered for name, registered in SETTINGS.items() if getattr(self, name) is not None]
        return self.algorithm or algorithm_with([*given, *also])

    def _settings(self, algorithm: str) -> list[tuple[str, str]]:
        given = {registered: getattr(self, name) for name, registered in SETTINGS.items()}
        if self.class_weight is not None and self.costs is None and self.taxonomy is None:
            # Training to the last row would undo weights, and probabilities are to stay those of the data.
            if algorithm in TRAINS_ON_COSTS and given["cost-mode"] is None:
                given["cost-mode"] = "decide"
        return [(name, _text(value)) for name, value in given.items() if value is not None]

    def _seed(self) -> int:
        whole = isinstance(self.seed, (int, np.integer)) and not isinstance(self.seed, bool)
        if not whole or not 0 <= self.seed < 2**64:
            raise OptionError(f"seed cannot be {self.seed!r}; a whole number from 0 on, below 2**64")
        return int(self.seed)

    def _answers(self, scores: NDArray[np.float64], costs: Any = None) -> NDArray[Any]:
        answers = self.model_.decide(scores, None if costs is None else named_costs(costs, self.classes_))
        if self._order is not None:
            answers = np.argsort(self._order)[answers]
        return self.classes_[answers]

    def _decision(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        ordered = self._ordered(scores)
        return ordered if ordered.shape[1] > 2 else ordered[:, 1] - ordered[:, 0]

    def predict(self, X: Any, costs: Any = None) -> NDArray[Any]:
        """The answer to each row.

        Parameters
        ----------
        X : array-like or frame of shape (n, d)
            Rows.
        costs : array-like, DataFrame or dict, default=None
            Other costs to decide by, without retraining.

        Returns
        -------
        ndarray of shape (n,)
            Classes.
        """
        return self._answers(self._scores(X), costs)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, in the order of `classes_`. A model trained on costs has none.

        Parameters
        ----------
        X : array-like or frame of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n, K)
            Probabilities, which sum to one in each row.
        """
        scores = self._scores(X)
        return self._ordered(self.model_.probabilities(scores))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of the probabilities.

        Parameters
        ----------
        X : array-like or frame of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n, K)
            Logarithms.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores of the classes; for two classes, by which that of the second is larger.

        Parameters
        ----------
        X : array-like or frame of shape (n, d)
            Rows.

        Returns
        -------
        ndarray of shape (n, K) or (n,)
            Scores.
        """
        return self._decision(self._scores(X))

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Scores after each term.

        Parameters
        ----------
        X : array-like or frame of shape (n, d)
            Rows.

        Yields
        ------
        ndarray of shape (n, K) or (n,)
            Scores, as of :meth:`decision_function`.
        """
        rows, threads = self._rows(X)
        for scores in self.model_.staged(rows, threads):
            yield self._decision(scores)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Answers after each term.

        Parameters
        ----------
        X : array-like or frame of shape (n, d)
            Rows.

        Yields
        ------
        ndarray of shape (n,)
            Classes.
        """
        rows, threads = self._rows(X)
        for scores in self.model_.staged(rows, threads):
            yield self._answers(scores)

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Probabilities after each term.

        Parameters
        ----------
        X : array-like or frame of shape (n, d)
            Rows.

        Yields
        ------
        ndarray of shape (n, K)
            Probabilities.
        """
        rows, threads = self._rows(X)
        for scores in self.model_.staged(rows, threads):
            yield self._ordered(self.model_.probabilities(scores))

    @property
    def n_iter_(self) -> int:
        """Number of terms of the model."""
        check_is_fitted(self)
        return self.model_.terms

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file, whole or not at all: the same file as `rebel train` writes.

        Parameters
        ----------
        path : str or path
            Where it goes.
        """
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RebelClassifier:
        """A classifier from a model file. Frames are matched by name; arrays by position.

        Classes that are all numbers become numbers.

        Parameters
        ----------
        path : str or path
            A file written by :meth:`save` or by `rebel`.

        Returns
        -------
        RebelClassifier
            A fitted classifier.
        """
        return cls._of(Model.load(os.fspath(path)))

    @classmethod
    def _of(cls, model: Model, classes: NDArray[Any] | None = None) -> RebelClassifier:
        """A classifier around a model, whose classes are what their names stand for unless given."""
        made = json.loads(model.header())["provenance"]
        known = {registered: name for name, registered in SETTINGS.items()}
        values = {known[name]: value for name, value in made["settings"].items() if name in known}
        estimator = cls(algorithm=made["algorithm"], seed=made["seed"], **values)
        classes = values_of(model.classes) if classes is None else classes
        estimator._know(model, classes, model.features, numbers(model.features))
        estimator._loaded = True
        estimator.n_features_in_ = len(model.features)
        estimator.feature_names_in_ = np.array(model.features, dtype=object)
        estimator.notes_ = []
        estimator.estimate_ = None
        estimator.history_ = {name: np.array([]) for name in ("round", "loss", "error", "edge", "holdout")}
        return estimator

    if TYPE_CHECKING:
        # Made by scikit-learn from the signatures above.
        def set_fit_request(self, *, sample_weight: bool | None | str = ...) -> RebelClassifier: ...
        def set_predict_request(self, *, costs: bool | None | str = ...) -> RebelClassifier: ...
        def set_score_request(self, *, sample_weight: bool | None | str = ...) -> RebelClassifier: ...

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_class = self._algorithm() not in TWO_CLASSES
        return tags


def _text(value: Any) -> str:
    """A parameter as the registry reads it."""
    if isinstance(value, (bool, np.bool_)):
        return "on" if value else "off"
    return str(value)


def _weights(y: NDArray[Any], sample_weight: Any) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    if np.isscalar(sample_weight):
        return np.full(len(y), sample_weight, dtype=np.float64)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim != 1:
        raise OptionError("Sample weights must be 1D array or scalar")
    check_consistent_length(y, weights)
    return weights
