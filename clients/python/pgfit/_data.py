"""Arrays and frames become columns to upload; what comes back becomes arrays."""

from __future__ import annotations

import datetime
import decimal
import numbers
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

_KINDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "b": ("boolean", bool), "i": ("bigint", int), "u": ("bigint", int), "f": ("float8", float), "M": ("timestamp", str)}
_LABELS: dict[str, Callable[[str], Any]] = {"boolean": lambda text: text in ("true", "t"), **dict.fromkeys(("smallint", "integer", "bigint"), int),
           **dict.fromkeys(("real", "double precision", "numeric"), float)}


@dataclass
class Column:
    name: str
    type: str
    values: Sequence[Any]


def sklearn_class(name: str, fallback: type) -> Any:
    """Returns a warning or error of scikit-learn where it is loaded, so that its callers recognize it."""
    return getattr(sys.modules.get("sklearn.exceptions"), name, fallback)


def column_names(X: Any) -> list[str] | None:
    """Returns the names of a frame's columns, or None for what has none."""
    names = list(X.columns) if hasattr(X, "columns") and hasattr(X, "dtypes") else []
    texts = sum(isinstance(name, str) for name in names)
    if 0 < texts < len(names):
        raise TypeError("Feature names are only supported if all input features have string names, but your input has "
                        "names of several types. Convert them: X.columns = X.columns.astype(str)")
    return names if texts else None


def unused(name: str, names: Sequence[str]) -> str:
    """Returns a name that is not among these: this one, with as many _ as it takes."""
    while name in names:
        name += "_"
    return name


def check_finite(values: Any, what: str, nan_too: bool) -> None:
    import numpy as np

    if values.dtype.kind == "f":
        if nan_too and np.isnan(values).any():
            raise ValueError(f"Input {what} contains NaN.")
        if np.isinf(values).any():
            raise ValueError(f"Input {what} contains infinity or a value too large for dtype('float64').")


def as_matrix(X: Any, allow_nan: bool) -> Any:
    """Returns an array of two dimensions of finite numbers, or fails as scikit-learn does."""
    import numpy as np

    if hasattr(X, "toarray"):
        raise TypeError("A sparse matrix was passed, but dense data is required. Use X.toarray() to convert to a dense numpy array.")
    array = np.asarray(X)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    array = array.astype(float)
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead. Reshape your data either using array.reshape(-1, 1) "
                         "if it has a single feature or array.reshape(1, -1) if it contains a single sample.")
    for axis, unit in enumerate(("sample", "feature")):
        if array.shape[axis] == 0:
            raise ValueError(f"Found array with 0 {unit}(s) (shape={array.shape}) while a minimum of 1 is required.")
    check_finite(array, "X", not allow_nan)
    return array


def array_column(name: str, array: Any) -> Column:
    """Returns a column of arrays: the text of each, with NULL for NaN."""
    def text(row: list[float]) -> str:
        return "{" + ",".join("NULL" if value != value else repr(value) for value in row) + "}"

    return Column(name, "float8[]", [text(row) for row in array.tolist()])


def _kind_of(value: Any) -> str:
    if isinstance(value, datetime.datetime):
        return "timestamp" if value.tzinfo is None else "timestamptz"
    kinds = ((str, "text"), (bool, "boolean"), (int, "bigint"), (datetime.date, "date"), (datetime.time, "time"), (datetime.timedelta, "interval"),
             ((numbers.Number, decimal.Decimal), "float8"))
    return next((kind for of, kind in kinds if isinstance(value, of)), type(value).__name__)  # type: ignore[arg-type]


def _type_of_objects(name: str, values: Sequence[Any]) -> tuple[str, Callable[[Any], Any]]:
    """Returns the type of a column of Python's objects, and what makes its values of them. Fails for a mixture, such as dates and texts."""
    kinds = {_kind_of(value) for value in values if value is not None}
    for kind, also, convert in (("text", set(), str), ("boolean", set(), bool), ("bigint", {"boolean"}, int), ("float8", {"boolean", "bigint"}, float), ("timestamp", set(), str),
                                ("timestamptz", set(), str), ("date", set(), str), ("time", set(), str), ("interval", set(), lambda value: f"{value.total_seconds()!r} seconds")):
        if kinds <= {kind, *also}:
            return kind, convert
    raise TypeError(f"Column {name!r} has values of several types, or of one that the database does not have: {', '.join(sorted(kinds))}. "
                    "Convert it, for example by X[name].astype(str).")


def series_column(name: str, series: Any, what: str, allow_nan: bool) -> Column:
    """Returns a column of one type from a series or an array of one dimension, with NULL for what is missing."""
    import numpy as np

    if type(series.dtype).__name__ == "CategoricalDtype" and series.dtype.categories.dtype.kind != "O":
        raise TypeError(f"Column {name!r} has categories of type {series.dtype.categories.dtype}, which would be numbers in the database. "
                        "Make them texts, X[name].astype(str).astype('category'), or numbers, X[name].astype(float).")
    kind = getattr(series.dtype, "kind", "O")
    if kind == "c":
        raise ValueError("Complex data not supported")
    if kind == "f":
        check_finite(np.asarray(series, dtype=float), what, not allow_nan)
    given = series.tolist()
    texts = series.astype(str).tolist() if kind == "M" else given
    values = [None if value is None or type(value).__name__ == "NAType" or value != value else text for value, text in zip(given, texts)]
    if None in values and not allow_nan:
        raise ValueError(f"Input {what} contains NaN.")
    if kind == "M" and getattr(series.dtype, "tz", None) is not None:
        return Column(name, "timestamptz", values)
    column_type, convert = _KINDS.get(kind, ("float8", float))
    if kind not in _KINDS:
        column_type, convert = _type_of_objects(name, values)
    return Column(name, column_type, [None if value is None else convert(value) for value in values])


def frame_columns(X: Any, allow_nan: bool) -> list[Column]:
    """Returns the columns of a frame, which needs rows, and names that differ."""
    names = column_names(X) or []
    if len(X) == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={X.shape}) while a minimum of 1 is required.")
    if len(set(names)) < len(names):
        raise ValueError(f"Columns of a frame need different names: {sorted(name for name in set(names) if names.count(name) > 1)}")
    return [series_column(name, X[name], "X", allow_nan) for name in names]


def target_column(name: str, y: Any, labels: bool, arrays: bool = False) -> Column:
    """Returns the column of targets, or of labels, or of arrays of targets."""
    import numpy as np

    array = np.asarray(y)
    if not labels:
        if array.dtype.kind == "c":
            raise ValueError("Complex data not supported")
        array = array.astype(float)
    if arrays:
        check_finite(array, "y", True)
        return array_column(name, array.reshape(len(array), -1))
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), "
                      "for example using ravel().", sklearn_class("DataConversionWarning", UserWarning), stacklevel=2)
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    column = series_column(name, array, "y", allow_nan=False)
    if labels and column.type == "float8" and any(value != int(value) for value in column.values):
        raise ValueError("Unknown label type: continuous. Labels are whole numbers, texts or booleans.")
    return column


def labels_of(texts: Sequence[str | None], label_type: str) -> Any:
    """Returns labels, which the server gives as texts, as an array of their own type."""
    convert = _LABELS.get(label_type, str)
    return as_array([None if text is None else convert(text) for text in texts])


def as_array(values: Sequence[Any]) -> Any:
    """Returns an array of numpy, with NaN for NULL; without numpy, a list."""
    try:
        import numpy as np
    except ImportError:
        return list(values)
    if any(value is None for value in values):
        if all(value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)) for value in values):
            return np.array([np.nan if value is None else value for value in values], dtype=float)
        width = max((len(value) for value in values if isinstance(value, list)), default=0)
        if width:
            return np.array([[np.nan] * width if value is None else value for value in values], dtype=float)
        return np.array(values, dtype=object)
    return np.array(values)
