"""Pictures on matplotlib axes; matplotlib is imported when the first is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._costs import named_costs
from .errors import DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def history(rounds: dict[str, NDArray[Any]], ax: Axes | None) -> Axes:
    """Loss on the left, errors on the right."""
    ax = _axes(ax)
    ax.plot(rounds["round"], rounds["loss"], color="tab:blue", label="loss")
    ax.set(xlabel="round", ylabel="loss")
    right = ax.twinx()
    right.plot(rounds["round"], rounds["error"], color="tab:orange", label="training error")
    if np.isfinite(rounds["holdout"]).any():
        right.plot(rounds["round"], rounds["holdout"], color="tab:green", label="cost on rows held out")
    right.set_ylabel("error")
    right.set_ylim(bottom=0)
    lines = [*ax.get_lines(), *right.get_lines()]
    ax.legend(lines, [str(line.get_label()) for line in lines], loc="upper right")
    return ax


def importance(shares: NDArray[np.float64], names: list[str], ax: Axes | None, most: int) -> Axes:
    """Bars, the largest on top."""
    ax = _axes(ax)
    order = np.argsort(-shares, kind="stable")[:most][::-1]
    ax.barh([str(names[i]) for i in order], 100 * shares[order])
    ax.set_xlabel("share of the movement between classes, %")
    return ax


def confusion(model: Any, X: Any, y: Any, costs: Any, ax: Axes | None) -> Axes:
    """Counts in the cells; colours are shares of the row, or what the cell costs."""
    ax = _axes(ax)
    classes = model.classes_
    answers = np.searchsorted(classes, model.predict(X, costs=costs))
    y = np.asarray(y)
    truths = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    if not np.array_equal(classes[truths], y):
        raise DataError("y holds a class that was never seen in training")
    counts = np.zeros((len(classes), len(classes)))
    np.add.at(counts, (truths, answers), 1)
    if costs is None:
        colours = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        title = f"error {1 - np.trace(counts) / counts.sum():.2%}"
    else:
        rows, columns, values = named_costs(costs, classes)
        names = named_costs(1 - np.eye(len(classes)), classes)[0]
        values = values[np.ix_([rows.index(n) for n in names], [columns.index(n) for n in names])]
        colours = counts * values
        title = f"mean cost {colours.sum() / counts.sum():.4g}"
    ax.imshow(colours, cmap="Blues" if costs is None else "Reds")
    for i, j in np.ndindex(counts.shape):
        dark = colours[i, j] > 0.6 * colours.max()
        ax.text(j, i, f"{counts[i, j]:.0f}", ha="center", va="center", color="white" if dark else "black")
    ticks = range(len(classes))
    ax.set_xticks(ticks, [str(c) for c in classes])
    ax.set_yticks(ticks, [str(c) for c in classes])
    ax.set(xlabel="answer", ylabel="truth", title=title)
    return ax


def regions(model: Any, X: Any, y: Any, ax: Axes | None, resolution: int) -> Axes:
    """The answer at every point of the plane."""
    ax = _axes(ax)
    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise DataError("plot_regions draws models of two numeric features")
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    margin = 0.05 * (high - low)
    horizontal, vertical = (np.linspace(low[i] - margin[i], high[i] + margin[i], resolution) for i in (0, 1))
    grid = np.column_stack([m.ravel() for m in np.meshgrid(horizontal, vertical)])
    names = getattr(model, "feature_names_in_", None)
    answers = np.searchsorted(model.classes_, model.predict(grid if names is None else _named(grid, names)))
    count = len(model.classes_)
    kinds: Any = {"cmap": "tab10" if count <= 10 else "tab20", "vmin": 0, "vmax": (9 if count <= 10 else 19)}
    picture = answers.reshape(resolution, resolution)
    ax.pcolormesh(horizontal, vertical, picture, alpha=0.3, shading="auto", rasterized=True, **kinds)
    if y is not None:
        ax.scatter(points[:, 0], points[:, 1], c=np.searchsorted(model.classes_, np.asarray(y)), s=12, edgecolors="k", linewidths=0.3, **kinds)
    if names is not None:
        ax.set(xlabel=str(names[0]), ylabel=str(names[1]))
    return ax


def _named(grid: NDArray[np.float64], names: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(grid, columns=list(names))
