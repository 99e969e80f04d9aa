"""Classes and their names: the library knows names, people have values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import DataError


def name_of(value: Any) -> str:
    """The name a value has in a file: ``1`` for 1 and 1.0, the shortest digits otherwise.

    >>> [name_of(v) for v in (1, 1.0, 0.1, 1e21, True, "one")]
    ['1', '1', '0.1', '1000000000000000000000', 'True', 'one']
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return np.format_float_positional(float(value), trim="-")
    return str(value)


def names_of(values: Any) -> list[str]:
    """The names of distinct values."""
    names = [name_of(value) for value in values]
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise DataError(f"two classes are both called '{double}'")
    return names


def values_of(names: list[str]) -> NDArray[Any]:
    """The values that names stand for: whole numbers or numbers if all names are, else the names themselves.

    >>> values_of(["0", "1"]), values_of(["0.5", "1"]), values_of(["0", "a"])
    (array([0, 1]), array([0.5, 1. ]), array(['0', 'a'], dtype='<U1'))
    """
    for kind in (int, float):
        try:
            values = np.array([kind(name) for name in names])
        except (ValueError, OverflowError):
            continue
        if values.dtype != object and [name_of(value) for value in values] == names:
            return values
    return np.array(names)


def free_name(wanted: str, taken: list[str]) -> str:
    """The wanted name, longer if it is taken."""
    while wanted in taken:
        wanted += "_"
    return wanted
