"""Rows on their way in: checked as scikit-learn does, matched to the model by name."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from ._core import Features, Model
from ._labels import names_of
from ._tables import frame_names, is_arrow, is_frame, is_native, table_of, unmasked
from ._threads import threads_for
from .errors import DataError, ModelError, OptionError, RebelWarning

#: Rows below which no second thread is worth waking.
_FEW = 256


class Rows:
    """What a classifier knows of its columns and classes."""

    model_: Model
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    categorical: Sequence[str | int] | None
    n_jobs: int | None

    def _know(self, model: Model, classes: NDArray[Any], names: list[str], columns: list[int] | None = None) -> None:
        self.model_ = model
        self.classes_ = classes
        self._names = names
        self._loaded = False
        position = {name: i for i, name in enumerate(names)}
        self._columns = [position[name] for name in model.features] if columns is None else columns
        # Columns that no term asks about need not be read.
        self._read = np.where(model.asked, self._columns, -1).astype(np.int64)
        order = [model.classes.index(name) for name in names_of(classes)]
        self._order = None if order == sorted(order) else np.array(order)

    def _ordered(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Columns in the order of `classes_`."""
        return values if self._order is None else values[:, self._order]

    def _validated(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        if is_frame(X):
            validate_data(self, X, y, skip_check_array=True)
            if is_arrow(X):  # not every scikit-learn asks these for their names
                self.feature_names_in_ = np.array(frame_names(X), dtype=object)
        else:
            X, y = validate_data(
                self, unmasked(X), y, dtype=None, ensure_all_finite="allow-nan", multi_output=True, ensure_min_samples=1
            )
        y = column_or_1d(np.asarray(y), warn=True)
        check_array(y, ensure_2d=False, dtype=None, input_name="y")
        check_consistent_length(X if not is_arrow(X) else range(X.shape[0]), y)
        check_classification_targets(y)
        return X, y

    def _column_names(self, X: Any) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            return list(names)
        return numbered(X.shape[1])

    def _categorical(self, names: list[str]) -> list[str]:
        chosen = []
        for column in self.categorical or ():
            if isinstance(column, str):
                chosen.append(column)
            elif 0 <= column < len(names):
                chosen.append(names[column])
            else:
                raise OptionError(f"categorical names column {column}, but there are {len(names)}, from 0")
        return chosen

    def _rows(self, X: Any) -> tuple[Features, int]:
        """Rows in the model's form, and the threads worth using."""
        X, names = self._checked(X)
        return self._features(X, names), self._threads(X)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """One score a row and class, in the model's order of classes."""
        X, names = self._checked(X)
        if self._is_plain(X):
            return self.model_.scores_of_array(X, self._read, self._threads(X))
        return self.model_.scores(self._features(X, names), self._threads(X))

    def _features(self, X: Any, names: list[str]) -> Features:
        if self._is_plain(X):
            return self.model_.rows_of_array(X, self._read)
        rows, notes = self.model_.rows_of_table(table_of(X, names, [], self._threads(X)))
        for note in notes:
            if "never seen" in note:
                warnings.warn(note, RebelWarning, stacklevel=4)
        return rows

    def _is_plain(self, X: Any) -> bool:
        """Whether all is numbers, in an array that the library reads in place."""
        return not is_frame(X) and is_native(X) and self.model_.is_numeric

    def _threads(self, X: Any) -> int:
        return 1 if X.shape[0] < _FEW else threads_for(self.n_jobs)

    def _checked(self, X: Any) -> tuple[Any, list[str]]:
        """Rows as scikit-learn wants them checked, and the names of their columns."""
        if not hasattr(self, "model_"):
            check_is_fitted(self)  # which takes its time
        if self._loaded:
            return self._named(X)
        array = type(X) is np.ndarray and X.ndim == 2 and len(X) > 0 and X.shape[1] == self.n_features_in_
        if array and is_native(X) and not hasattr(self, "feature_names_in_"):
            pass  # nothing is left to check, and one row should not take longer to check than to answer
        elif is_arrow(X):
            self._check_names(frame_names(X))
        elif is_frame(X):
            validate_data(self, X, skip_check_array=True, reset=False)
        else:
            X = validate_data(self, unmasked(X), dtype=None, ensure_all_finite="allow-nan", reset=False)
        return X, self._names

    def _check_names(self, found: list[str]) -> None:
        """As scikit-learn does for pandas."""
        expected = list(getattr(self, "feature_names_in_", found))
        if len(found) != self.n_features_in_:
            raise DataError(f"X has {len(found)} features, but the model is expecting {self.n_features_in_} features")
        if sorted(found) != sorted(expected):
            strange = [name for name in found if name not in expected]
            raise DataError(
                "The feature names should match those that were passed during fit; "
                f"these were not: {', '.join(strange)}"
            )
        if found != expected:
            raise DataError("Feature names must be in the same order as they were in fit")

    def _named(self, X: Any) -> tuple[Any, list[str]]:
        """For a model from a file, which knows the features it needs but not the other columns of its training."""
        if is_frame(X):
            return X, frame_names(X)
        X = check_array(unmasked(X), dtype=None, ensure_all_finite="allow-nan")
        if numbers(self.model_.features) is not None:
            return X, numbered(X.shape[1])
        if X.shape[1] != len(self._columns):
            raise ModelError(
                f"the model needs {len(self._columns)} columns and the array has {X.shape[1]}; "
                f"they are: {', '.join(self.model_.features)}"
            )
        return X, self.model_.features


def numbered(count: int) -> list[str]:
    """Names of the columns of an array, as in an NPY file."""
    return [f"c{i + 1}" for i in range(count)]


def numbers(names: list[str]) -> list[int] | None:
    """The positions that such names stand for, if all do."""
    found = [re.fullmatch(r"c([1-9]\d*)", name) for name in names]
    return [int(match[1]) - 1 for match in found if match] if all(found) else None
