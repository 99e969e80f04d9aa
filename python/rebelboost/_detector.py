"""Finding objects in images: our detectors and OpenCV's cascades, which OpenCV 5 no longer runs."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._threads import threads_for

_Found = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]
_Size = tuple[int, int]


class Detection(NamedTuple):
    """An object that was found: its box, the windows that agree on it, and a score between 0 and 1."""

    x: int
    y: int
    width: int
    height: int
    neighbors: int
    score: float


def _search(
    core: _core.Detector,
    image: ArrayLike,
    scale_factor: float | None,
    min_neighbors: int | None,
    min_size: _Size | None,
    max_size: _Size | None,
    n_jobs: int | None,
    blue_first: bool = False,
) -> _Found:
    pixels = np.asarray(image)
    if pixels.dtype != np.uint8:
        raise TypeError(f"an image is an array of bytes (uint8), not of {pixels.dtype}")
    if pixels.ndim == 2:
        pixels = pixels[:, :, np.newaxis]
    if pixels.ndim != 3:
        raise ValueError(f"an image has the shape (height, width) or (height, width, channels), not {pixels.shape}")
    if blue_first and pixels.shape[2] >= 3:
        pixels = pixels[:, :, 2::-1]
    height, width, channels = pixels.shape
    flat: NDArray[np.uint8] = np.ascontiguousarray(pixels).reshape(-1)
    shape = (height, width, channels)
    return core.detect(flat, shape, scale_factor, min_neighbors, min_size, max_size, threads_for(n_jobs))


class Detector:
    """A detector of `rebel train-detector`, or a cascade of OpenCV (XML).

    Objects are immutable: any number of threads may use one at the same time.

    >>> Detector("faces.xml").detect(image)  # doctest: +SKIP
    [Detection(x=24, y=28, width=51, height=51, neighbors=9, score=0.99)]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._core = _core.Detector.load(path)

    @property
    def window(self) -> _Size:
        """Width and height of the smallest object it finds."""
        return self._core.window

    @property
    def calibrated(self) -> bool:
        """Whether scores are probabilities, fitted to data in training; those of OpenCV's cascades only order boxes."""
        return self._core.calibrated

    def detect(
        self,
        image: ArrayLike,
        *,
        scale_factor: float | None = None,
        min_neighbors: int | None = None,
        min_size: _Size | None = None,
        max_size: _Size | None = None,
        n_jobs: int | None = None,
    ) -> list[Detection]:
        """Objects in an image (uint8; grey, or red, green and blue), sorted by x, y, width and height.

        What is left out has the program's default (see `rebel detect --help`).
        """
        found = _search(self._core, image, scale_factor, min_neighbors, min_size, max_size, n_jobs)
        boxes, neighbors, scores = (part.tolist() for part in found)
        return [Detection(*box, *rest) for box, *rest in zip(boxes, neighbors, scores, strict=True)]


class CascadeClassifier:
    """The class of that name in OpenCV 4, as far as detection goes: the same boxes, sorted.

    >>> from rebelboost import CascadeClassifier as cascade  # instead of cv2.CascadeClassifier
    """

    def __init__(self, filename: str | os.PathLike[str] | None = None) -> None:
        self._core: _core.Detector | None = None
        if filename is not None:
            self.load(filename)

    def load(self, filename: str | os.PathLike[str]) -> bool:
        """Reads a cascade; unlike OpenCV's, a file that cannot be read is an exception that says why."""
        self._core = _core.Detector.load(filename)
        return True

    def empty(self) -> bool:
        """Whether no cascade was loaded."""
        return self._core is None

    def getOriginalWindowSize(self) -> _Size:
        """Width and height of the window."""
        return (0, 0) if self._core is None else self._core.window

    def _found(self, image: ArrayLike, factor: Any, neighbors: Any, least: Any, most: Any) -> _Found:
        if self._core is None:
            raise ValueError("no cascade was loaded")
        neighbors = None if neighbors is None else max(int(neighbors), 0)
        sizes = [None if size is None else (int(size[0]), int(size[1])) for size in (least, most)]
        return _search(self._core, image, factor, neighbors, sizes[0], sizes[1], None, blue_first=True)

    def detectMultiScale(
        self,
        image: ArrayLike,
        scaleFactor: float | None = None,
        minNeighbors: int | None = None,
        flags: int = 0,
        minSize: _Size | None = None,
        maxSize: _Size | None = None,
    ) -> NDArray[np.int32]:
        """Boxes as rows of x, y, width and height. Colours are blue, green, red, as in OpenCV; `flags` mean nothing."""
        return self._found(image, scaleFactor, minNeighbors, minSize, maxSize)[0]

    def detectMultiScale2(
        self,
        image: ArrayLike,
        scaleFactor: float | None = None,
        minNeighbors: int | None = None,
        flags: int = 0,
        minSize: _Size | None = None,
        maxSize: _Size | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Boxes, and the number of windows that agree on each."""
        return self._found(image, scaleFactor, minNeighbors, minSize, maxSize)[:2]
