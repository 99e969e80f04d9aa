"""The price of mistakes, as people give it: an array, a frame, a dictionary, a taxonomy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._labels import name_of, names_of
from .errors import CostsError

#: Names of the rows (truths), of the columns (answers), and the costs.
NamedCosts = tuple[list[str], list[str], NDArray[np.float64]]


def named_costs(costs: Any, classes: NDArray[Any]) -> NamedCosts:
    """Costs with the names of their classes.

    >>> named_costs({("a", "b"): 5}, np.array(["a", "b"]))[2].tolist()
    [[0.0, 5.0], [1.0, 0.0]]
    """
    names = names_of(classes)
    if isinstance(costs, Mapping):
        return names, names, _from_pairs(costs, names)
    if hasattr(costs, "columns") and hasattr(costs, "index"):
        values = _numbers(costs.to_numpy())
        return names_of(costs.index), names_of(costs.columns), values
    values = _numbers(costs)
    if values.shape != (len(names), len(names)):
        shape = " x ".join(map(str, values.shape))
        raise CostsError(f"costs of shape {shape}, but there are {len(names)} classes: {', '.join(names)}")
    return names, names, values


def _numbers(costs: Any) -> NDArray[np.float64]:
    try:
        return np.ascontiguousarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise CostsError("costs must be a K x K array of numbers, a DataFrame or a dict {(truth, answer): cost}") from None


def _from_pairs(costs: Mapping[Any, Any], names: list[str]) -> NDArray[np.float64]:
    """Mistakes that are not named cost one."""
    values = 1.0 - np.eye(len(names))
    for pair, cost in costs.items():
        try:
            truth, answer = (name_of(value) for value in pair)
        except (TypeError, ValueError):
            raise CostsError(f"the key {pair!r} is not a pair (truth, answer)") from None
        for name in (truth, answer):
            if name not in names:
                raise CostsError(f"the costs name '{name}', which is not a class; the classes are: {', '.join(names)}")
        try:
            values[names.index(truth), names.index(answer)] = float(cost)
        except (TypeError, ValueError):
            raise CostsError(f"the cost of {pair!r} is {cost!r}, which is not a number") from None
    return values


def named_taxonomy(taxonomy: Any) -> list[tuple[str, str]]:
    """Child and parent by name."""
    if not isinstance(taxonomy, Mapping):
        raise CostsError("a taxonomy must be a dict {child: parent}")
    return [(name_of(child), name_of(parent)) for child, parent in taxonomy.items()]
