"""Compiled part of `rebelboost`."""

import os
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

__version__: str
__all__ = [
    "Detector",
    "Extraction",
    "Features",
    "Model",
    "Session",
    "Staged",
    "Table",
    "Trained",
    "__version__",
    "algorithm_with",
    "cli",
    "registry",
    "select_features",
    "train",
    "wilson_interval",
]

_Extra = Sequence[tuple[str, Any]]
_Pairs = Sequence[tuple[str, str]]
_Costs = tuple[list[str], list[str], NDArray[np.float64]]

class _Observer(Protocol):
    def round(
        self, round: int, rounds: int, loss: float, error: float, edge: float, holdout: float | None, /
    ) -> bool: ...
    def progress(self, share: float, what: str, /) -> bool: ...

@final
class Detector:
    """A cascade that finds objects in images."""

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Detector: ...
    @property
    def window(self) -> tuple[int, int]: ...
    @property
    def calibrated(self) -> bool: ...
    def detect(
        self,
        pixels: NDArray[np.uint8],
        shape: tuple[int, int, int],
        scale_factor: float | None,
        min_neighbors: int | None,
        min_size: tuple[int, int] | None,
        max_size: tuple[int, int] | None,
        threads: int,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]: ...

@final
class Table:
    """Named columns of equal length, used up by whoever takes them."""

    @staticmethod
    def from_array(array: NDArray[Any], names: Sequence[str], extra: _Extra, threads: int) -> Table: ...
    @staticmethod
    def from_columns(names: Sequence[str], columns: Sequence[Any], extra: _Extra) -> Table: ...
    @staticmethod
    def from_arrow(frame: Any, extra: _Extra) -> Table: ...

@final
class Features:
    """Rows in the order and with the codes of a model's features."""

@final
class Staged:
    """An iterator over the scores after every term."""

    def __iter__(self) -> Iterator[NDArray[np.float64]]: ...
    def __next__(self) -> NDArray[np.float64]: ...

@final
class Model:
    """A trained model. Immutable."""

    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def load(path: str | os.PathLike[str]) -> Model: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def header(self) -> str: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def features(self) -> list[str]: ...
    @property
    def terms(self) -> int: ...
    @property
    def stopped(self) -> str: ...
    @property
    def is_numeric(self) -> bool: ...
    @property
    def compares(self) -> bool: ...
    @property
    def asked(self) -> list[bool]: ...
    def rows_of_array(self, array: NDArray[Any], columns: NDArray[np.int64]) -> Features: ...
    def scores_of_array(
        self, array: NDArray[Any], columns: NDArray[np.int64], threads: int
    ) -> NDArray[np.float64]: ...
    def rows_of_table(self, table: Table) -> tuple[Features, list[str]]: ...
    def scores(self, rows: Features, threads: int) -> NDArray[np.float64]: ...
    def decide(self, scores: NDArray[np.float64], costs: _Costs | None = None) -> NDArray[np.int64]: ...
    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def staged(self, rows: Features, threads: int) -> Staged: ...
    def explain(
        self, rows: Features
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str], NDArray[np.float64]]: ...
    def similar(
        self, rows: Features
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
    def importances(self) -> NDArray[np.float64]: ...

@final
class Trained:
    """A model and how it came about."""

    @property
    def model(self) -> Model | None: ...
    @property
    def error(self) -> BaseException | None: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def seconds(self) -> float: ...
    def estimate(self) -> tuple[int, NDArray[np.int64], NDArray[np.float64]] | None: ...
    def history(self) -> dict[str, NDArray[Any]]: ...

@final
class Session:
    """A labelling session."""

    def __new__(
        cls,
        table: Table,
        *,
        target: str,
        categorical: Sequence[str],
        algorithm: str | None,
        settings: _Pairs,
        active: _Pairs,
        costs: _Costs | None,
        seed: int,
        threads: int,
        state: str | None,
    ) -> Self: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def notes(self) -> list[str]: ...
    def query(self) -> list[tuple[int, str]]: ...
    def teach(self, answers: Sequence[tuple[int, str]]) -> None: ...
    def skip(self, rows: Sequence[int]) -> None: ...
    def undo(self) -> int | None: ...
    def model(self) -> Model | None: ...
    def labels(self) -> list[tuple[int, str]]: ...
    def open(self) -> int: ...
    def estimate(self) -> tuple[float, float, float, int] | None: ...
    def hint(self) -> str | None: ...
    def state(self) -> str: ...

def wilson_interval(errors: float, rows: float) -> tuple[float, float]: ...
def train(
    table: Table,
    *,
    target: str,
    weights: str | None,
    group: str | None,
    categorical: Sequence[str],
    algorithm: str | None,
    settings: _Pairs,
    costs: _Costs | None,
    taxonomy: _Pairs | None,
    class_weights: Sequence[tuple[str, float]] | None,
    seed: int,
    threads: int,
    time_limit: float | None,
    resume: Model | None,
    observer: _Observer | None,
) -> Trained: ...
def algorithm_with(options: Sequence[str]) -> str: ...
def registry() -> str: ...
def cli(arguments: Sequence[str]) -> int: ...

@final
class Extraction:
    """A learned extraction. Immutable."""

    @staticmethod
    def fit(
        table: Table,
        *,
        target: str | None,
        weights: str | None,
        categorical: Sequence[str],
        step: str,
        seed: int,
        threads: int,
    ) -> Extraction: ...
    def transform(self, table: Table) -> NDArray[np.float64]: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def words(self) -> list[str]: ...
    @property
    def shares(self) -> list[float]: ...
    @property
    def notes(self) -> list[str]: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Extraction: ...
    def to_bytes(self) -> bytes: ...

def select_features(
    table: Table,
    *,
    target: str,
    weights: str | None,
    categorical: Sequence[str],
    step: str,
    algorithm: str | None,
    settings: _Pairs,
    seed: int,
    threads: int,
) -> tuple[list[tuple[str, float, float | None, str | None]], list[str]]: ...
