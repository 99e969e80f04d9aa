"""Rows in whatever form people have them, to columns the library understands.

Arrays of numbers go to the library as they are, whatever their order and type. Frames go column by column: pandas by its
own types, everything else (polars, pyarrow, duckdb ...) through the Arrow stream interface. Booleans are 0 and 1; text
and categories are categories; dates are refused by name.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._core import Table
from ._labels import name_of
from .errors import DataError

Extra = list[tuple[str, Any]]

#: Element types the library reads in place.
_NATIVE = frozenset(np.dtype(t) for t in ("f8", "f4", "u1", "i8", "i4", "?", "i2", "i1", "u2", "u4", "u8"))


def is_pandas(X: Any) -> bool:
    """Whether this is a pandas DataFrame, without importing pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def is_arrow(X: Any) -> bool:
    """Whether this is a frame that speaks Arrow."""
    return hasattr(X, "__arrow_c_stream__") and hasattr(X, "columns") and not is_pandas(X)


def is_frame(X: Any) -> bool:
    """Whether this is a frame of named columns."""
    return is_pandas(X) or is_arrow(X)


def frame_names(X: Any) -> list[str]:
    """Names of a frame's columns."""
    names = X.column_names if hasattr(X, "column_names") else X.columns
    return [name_of(name) for name in names]


def is_native(X: NDArray[Any]) -> bool:
    """Whether the library can read an array in place."""
    return X.dtype in _NATIVE and X.dtype.isnative and bool(X.flags.aligned)


def unmasked(X: Any) -> Any:
    """A masked array with NaN in its gaps; anything else as it is."""
    return np.ma.filled(X.astype(np.float64), np.nan) if isinstance(X, np.ma.MaskedArray) else X


def table_of(X: Any, names: list[str], extra: Extra, threads: int) -> Table:
    """The rows as a table with these column names."""
    if is_pandas(X):
        columns = [_pandas_column(X.iloc[:, i], name) for i, name in enumerate(names)]
        return Table.from_columns(names, columns, extra)
    if is_arrow(X):
        return Table.from_arrow(X if frame_names(X) == names else _renamed(X, names), extra)
    X = as_numbers(X)
    if is_native(X):
        return Table.from_array(X, names, extra, threads)
    return Table.from_columns(names, [_object_column(X[:, i], name) for i, name in enumerate(names)], extra)


def _renamed(X: Any, names: list[str]) -> Any:
    """A frame fitted by position."""
    if hasattr(X, "rename_columns"):
        return X.rename_columns(names)
    if hasattr(X, "rename"):
        return X.rename(dict(zip(frame_names(X), names, strict=True)))
    raise DataError(f"the columns are called {', '.join(frame_names(X))}, but the model knows {', '.join(names)}")


def as_numbers(X: NDArray[Any]) -> NDArray[Any]:
    """An array in a type that the library reads, if its elements are numbers."""
    if is_native(X):
        return X
    if not X.flags.aligned:
        return as_numbers(X.copy())
    if X.dtype.kind == "f":
        return X.astype(np.float32 if X.dtype.itemsize <= 4 else np.float64)
    if X.dtype.kind in "iub":
        return X.astype(X.dtype.newbyteorder("="))
    if X.dtype.kind in "mM":
        raise DataError("dates and times are not understood; give numbers instead (a year, an age, seconds)")
    if X.dtype.kind in "OUS":
        try:
            return X.astype(np.float64)
        except ValueError:  # words; a TypeError (a dict, a list) is for the caller
            return X
    raise DataError(f"an array of type {X.dtype} is not understood; give numbers")


def _object_column(column: NDArray[Any], name: str) -> Any:
    """A column of an array of objects: numbers if all are, else categories."""
    try:
        return column.astype(np.float64)
    except (TypeError, ValueError):
        pass
    values = [None if _is_missing(value) else _word(value, name) for value in column.tolist()]
    levels = sorted({value for value in values if value is not None})
    place = {level: i for i, level in enumerate(levels)}
    return np.array([-1 if value is None else place[value] for value in values], dtype=np.int64), levels


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")


def _word(value: Any, name: str) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (str, bool, int, float, np.generic)):
        return name_of(value)
    kind = type(value).__name__
    raise TypeError(f"column '{name}': argument must be a string or a number, not {kind!r}")


def _pandas_column(column: Any, name: str) -> Any:
    import pandas as pd

    kind = column.dtype
    if isinstance(kind, pd.SparseDtype):
        column = column.sparse.to_dense()
        kind = column.dtype
    types = pd.api.types
    if isinstance(kind, pd.CategoricalDtype):
        levels = [name_of(level) for level in kind.categories]
        return column.cat.codes.to_numpy(dtype=np.int64), levels
    if types.is_datetime64_any_dtype(kind) or types.is_timedelta64_dtype(kind) or _is_time(kind):
        raise DataError(
            f"column '{name}': dates and times ({kind}) are not understood; "
            "give numbers instead (a year, an age, seconds), or leave the column out"
        )
    if types.is_bool_dtype(kind) or types.is_numeric_dtype(kind):
        if types.is_complex_dtype(kind):
            raise DataError(f"column '{name}': Complex data not supported")
        if isinstance(kind, np.dtype):
            return as_numbers(column.to_numpy())
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if types.is_string_dtype(kind) or types.is_object_dtype(kind):
        return _pandas_words(column, name)
    raise DataError(f"column '{name}': the type {kind} is not understood; convert it to numbers or text")


def _is_time(kind: Any) -> bool:
    import pandas as pd

    if isinstance(kind, (pd.PeriodDtype, pd.IntervalDtype)):
        return True
    return any(word in str(kind) for word in ("timestamp", "date", "time32", "time64", "duration"))


def _pandas_words(column: Any, name: str) -> Any:
    """Text, or objects: numbers among them stay numbers if all are."""
    import pandas as pd

    found = pd.api.types.infer_dtype(column, skipna=True)
    if found in ("integer", "floating", "mixed-integer-float", "boolean", "decimal", "empty"):
        return pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
    if "date" in found or "time" in found or found in ("period", "interval"):
        raise DataError(f"column '{name}': dates and times are not understood; give numbers, or leave the column out")
    if found == "string":
        codes, levels = pd.factorize(column)
        return codes.astype(np.int64), [str(level) for level in levels]
    if found == "mixed" and any(isinstance(value, (dict, list, tuple, set, np.ndarray)) for value in column):
        raise DataError(f"column '{name}': its cells hold collections; give numbers or text")
    names = column.map(name_of, na_action="ignore")
    codes, levels = pd.factorize(names)
    return codes.astype(np.int64), [str(level) for level in levels]
