"""Learning with few labels: which rows are worth a person's time?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ._classifier import RebelClassifier, _text
from ._core import Session
from ._costs import NamedCosts, named_costs
from ._labels import free_name, name_of, values_of
from ._parameters import ACTIVE_DOC, ACTIVE_SETTINGS, ActiveOptions
from ._rows import numbered
from ._tables import frame_names, is_frame, table_of
from ._threads import threads_for
from .errors import DataError

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Question:
    """A row to be labelled, and why."""

    row: int
    why: str


@dataclass(frozen=True)
class Estimate:
    """The error on rows drawn at random, with a 95 % interval."""

    error: float
    low: float
    high: float
    rows: int


class ActiveLearner:
    __doc__ = f"""Asks for the classes of the rows that teach most, and learns from the answers.

    Parameters
    ----------
    X : array-like or frame of shape (n, d)
        The rows.
    y : array-like of shape (n,), default=None
        Classes that are known already; None or NaN where not.
    estimator : RebelClassifier, default=None
        The classifier to train, with its parameters; default: `RebelClassifier()`.
    state : str, default=None
        The text of :attr:`state` of an earlier session on the same rows, to go on with it.
    {ACTIVE_DOC.strip().replace(chr(10), chr(10) + "    ")}

    Examples
    --------
    >>> from rebelboost import ActiveLearner
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = ActiveLearner(X)
    >>> while learner.labelled < 30:
    ...     for question in learner.query():
    ...         learner.teach(question.row, y[question.row])
    >>> learner.model().score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        estimator: RebelClassifier | None = None,
        *,
        state: str | None = None,
        **options: Unpack[ActiveOptions],
    ) -> None:
        self.estimator = RebelClassifier() if estimator is None else clone(estimator)
        if not is_frame(X):
            X = np.asarray(X)
        names = frame_names(X) if is_frame(X) else numbered(X.shape[1])
        target = getattr(y, "name", None)
        target = free_name(target if isinstance(target, str) else "class", names)
        threads = threads_for(self.estimator.n_jobs)
        self._values: dict[str, Any] = {}
        extra = [] if y is None else [(target, self._known(y, X.shape[0]))]
        # Answers should not wait for a portfolio: something that learns in rounds.
        algorithm = self.estimator._algorithm("rounds")
        active = {ACTIVE_SETTINGS.get(name, name): value for name, value in options.items()}
        self._session = Session(
            table_of(X, names, extra, threads),
            target=target,
            categorical=self.estimator._categorical(names),
            algorithm=algorithm,
            settings=self.estimator._settings(algorithm),
            active=[(name, _text(value)) for name, value in active.items() if value is not None],
            costs=_costs(self.estimator),
            seed=self.estimator._seed(),
            threads=threads,
            state=state,
        )

    def query(self) -> list[Question]:
        """The open questions, the most useful first; the same until one is answered. Empty when no row is left."""
        return [Question(row, why) for row, why in self._session.query()]

    def teach(self, row: int | Sequence[int], label: Any) -> None:
        """Tells the class of a row, or of several."""
        if isinstance(row, (int, np.integer)):
            answers = [(int(row), self._name(label))]
        else:
            answers = [(int(r), self._name(value)) for r, value in zip(row, label, strict=True)]
        self._session.teach(answers)

    def skip(self, row: int | Sequence[int]) -> None:
        """Leaves a row, or several, unanswered; they are not asked again."""
        self._session.skip([int(row)] if isinstance(row, (int, np.integer)) else [int(r) for r in row])

    def undo(self) -> int | None:
        """Takes the last answer or skip back; its row, which is asked next, or None if there is none."""
        return self._session.undo()

    def model(self) -> RebelClassifier | None:
        """A classifier of all labels so far; None while fewer than two classes are known."""
        model = self._session.model()
        if model is None:
            return None
        classes = self._value_of(model.classes)
        try:
            classes = np.sort(classes)
        except TypeError:
            pass
        return type(self.estimator)._of(model, classes)

    @property
    def labels(self) -> dict[int, Any]:
        """The classes that are known, by row."""
        known = self._session.labels()
        if not known:
            return {}
        names = sorted({name for _, name in known})
        value = dict(zip(names, self._value_of(names).tolist(), strict=True))
        return {row: value[name] for row, name in known}

    @property
    def labelled(self) -> int:
        """Number of labelled rows."""
        return len(self._session.labels())

    @property
    def open(self) -> int:
        """Rows that are neither labelled nor skipped."""
        return self._session.open()

    @property
    def estimate(self) -> Estimate | None:
        """The estimated error of the last batch; None while it is too early."""
        found = self._session.estimate()
        return None if found is None else Estimate(*found)

    @property
    def hint(self) -> str | None:
        """Whether more labels are likely to help, in plain words; None while it is too early to say."""
        return self._session.hint()

    @property
    def state(self) -> str:
        """All that must be kept to go on later."""
        return self._session.state()

    @property
    def notes(self) -> list[str]:
        """Things worth knowing about the data, in plain words."""
        return self._session.notes

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the state to a file, for `ActiveLearner(X, state=Path(path).read_text())`."""
        Path(path).write_text(self.state)

    def _known(self, y: Any, rows: int) -> Any:
        """Classes with gaps, as codes and names."""
        values = list(y)
        if len(values) != rows:
            raise DataError(f"{len(values)} classes for {rows} rows")
        names = [None if v is None or v != v else self._name(v) for v in values]
        levels = sorted({name for name in names if name is not None})
        place = {level: i for i, level in enumerate(levels)}
        return np.array([-1 if name is None else place[name] for name in names], dtype=np.int64), levels

    def _name(self, value: Any) -> str:
        name = name_of(value)
        self._values.setdefault(name, value)
        return name

    def _value_of(self, names: list[str]) -> NDArray[Any]:
        """The values that were given for these names; in a session that goes on, what the names stand for."""
        if all(name in self._values for name in names):
            return np.array([self._values[name] for name in names])
        return values_of(names)


def _costs(estimator: RebelClassifier) -> NamedCosts | None:
    """Costs by name: the classes are those that the costs name."""
    costs = estimator.costs
    if costs is None:
        return None
    if isinstance(costs, Mapping):
        names = sorted({name_of(value) for pair in costs for value in pair})
        return named_costs(costs, np.array(names))
    if hasattr(costs, "index") and hasattr(costs, "columns"):
        return named_costs(costs, np.asarray(costs.index))
    raise DataError("costs of active learning need class names: give a DataFrame or a dict {(truth, answer): cost}")
