"""What a model is expected to do on rows it has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._core import wilson_interval


@dataclass(frozen=True)
class Estimate:
    """The training rows as models judged them that had not seen them: no test rows are needed.

    Attributes
    ----------
    error : float
        Share of mistakes, by weight.
    interval : tuple of float
        Where the error lies with 95 % confidence.
    trivial_error : float
        Share of mistakes of always answering the commonest class.
    folds : int
        Number of parts the rows were cut into; as many as rows if each was left out alone.
    rows : ndarray of shape (m,)
        Positions of the judged rows in the data of `fit`.
    probabilities : ndarray of shape (m, K)
        Their probabilities, in the order of `classes_`.
    """

    error: float
    interval: tuple[float, float]
    trivial_error: float
    folds: int
    rows: NDArray[np.int64]
    probabilities: NDArray[np.float64]

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.error:.2%} mistakes on new rows ({low:.2%} to {high:.2%}); {self.trivial_error:.2%} if always the same"


def judged(
    wrong: NDArray[np.bool_],
    places: NDArray[np.int64],
    weights: NDArray[np.float64],
    folds: int,
    rows: NDArray[np.int64],
    probabilities: NDArray[np.float64],
) -> Estimate:
    """From the mistakes, classes and weights of the judged rows."""
    error = float(np.average(wrong, weights=weights))
    # As many rows of equal weight as tell as much.
    effective = float(weights.sum() ** 2 / np.square(weights).sum())
    commonest = np.bincount(places, weights).max() / weights.sum()
    interval = wilson_interval(error * effective, effective)
    return Estimate(error, interval, float(1 - commonest), folds, rows, probabilities)
