"""Coercion and shape checks at the public boundary, done once."""

from __future__ import annotations

from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import InvalidFile, InvalidOption, InvalidSamples

LEAST, MOST = 1e-100, 1e100  # sizes whose squares, and products of these, are still numbers
NO_NUMBERS = {
    "c": "is complex; pass real numbers",
    "U": "is not a rectangular array of numbers but text; convert it: numpy.asarray(x, float)",
    "S": "is not a rectangular array of numbers but text; convert it: numpy.asarray(x, float)",
    "M": "holds dates; pass numbers, say seconds since the first of them",
    "m": "holds time spans; pass numbers, say seconds",
    "V": "has named fields; pass one plain table of numbers",
}


def real_array(name: str, value: Any) -> Array:
    """A fresh float64 array, NaN and infinity allowed, or a typed error."""
    if value is None:
        raise InvalidSamples(f"{name} is None: pass an array of numbers")
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise InvalidSamples(
            f"{name} is masked at {np.ma.getmaskarray(value).sum()} entries; remove those points "
            f"or fill them in"
        )
    try:
        raw = np.asarray(plain_array(value))
        if raw.dtype.kind in NO_NUMBERS:
            raise InvalidSamples(f"{name} {NO_NUMBERS[raw.dtype.kind]}")
        with np.errstate(over="ignore"):  # of long doubles; found below as infinite
            return np.array(raw, dtype=np.float64, order="C")
    except InvalidSamples:
        raise
    except Exception as error:  # an array-like may raise anything
        raise InvalidSamples(f"{name} is not a rectangular array of numbers: {error}") from None


def numbers(z: Any) -> Array:
    """z as float64 of any shape; at no cost where it already is."""
    return z if type(z) is np.ndarray and z.dtype == np.float64 else real_array("z", z)


def finite_array(name: str, value: Any, ndim: int | None = None) -> Array:
    """A fresh float64 array of finite numbers, or a typed error that says what is wrong."""
    array = real_array(name, value)
    if ndim is not None and array.ndim != ndim:
        kind = {1: "a vector", 2: "a table with one row a point"}.get(ndim, f"{ndim}-dimensional")
        hint = (
            "; a single input is a column: points[:, None]" if (ndim, array.ndim) == (2, 1) else ""
        )
        raise InvalidSamples(f"{name} has shape {array.shape} but must be {kind}{hint}")
    if not np.isfinite(array).all():
        bad = np.argwhere(~np.isfinite(array))
        place = tuple(int(i) for i in bad[0])
        raise InvalidSamples(
            f"{name} holds {len(bad)} NaN or infinite entries, the first at index {place}; "
            f"remove those points or repair them"
        )
    return array


def moderate(name: str, array: Array) -> Array:
    """The table, unless a column of it is so large or so small that squares are no numbers.

    Of arrays with more axes, all entries are one column: some of their slopes may well be tiny.

    >>> moderate("points", np.array([[0.0, 1.0], [0.0, 2.0]])).shape
    (2, 2)
    """
    size = np.abs(array if array.ndim == 2 else array.reshape(-1, 1)).max(axis=0, initial=0.0)
    outside = np.flatnonzero((size > MOST) | ((size > 0) & (size < LEAST)))
    if outside.size:
        where = f" in column {outside[0]}" if array.ndim == 2 else ""
        raise InvalidSamples(
            f"{name} reaches {size[outside[0]]:.3g} in size{where}, and its squares are no "
            f"numbers: use units in which the largest are between {LEAST:g} and {MOST:g}"
        )
    return array


def no_overflow(what: str, values: Array, points: Array) -> Array:
    """The values at finite points, unless some of them are no numbers."""
    if np.all(np.isfinite(values)):
        return values
    bad = np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))
    raise InvalidSamples(
        f"{what} overflows at {counted(bad.size, 'point')}, the first at index {bad[0]}, "
        f"p = {np.array2string(points[bad[0]], precision=6, threshold=8)}; stay nearer to the data"
    )


def counted(number: int, word: str, plural: str = "s") -> str:
    """A number and its noun.

    >>> counted(1, "branch", "es"), counted(2, "branch", "es")
    ('1 branch', '2 branches')
    """
    return f"{number} {word}" + ("" if number == 1 else plural)


def plain_array(value: Any) -> Any:
    """torch tensors that need gradients refuse conversion until they are detached."""
    detach = getattr(value, "detach", None)
    return detach().cpu().numpy() if callable(detach) else value


def file_path(path: Any) -> Path:
    """A path that can be one of a file, or InvalidFile."""
    try:
        found = Path(path)
    except TypeError:
        raise InvalidFile(f"{path!r} is no path to a file: pass its name as text") from None
    if not found.name or "\0" in str(found):
        raise InvalidFile(f"{str(path)!r} names no file, perhaps a folder: pass the name of a file")
    return found


def non_negative(name: str, value: Any) -> float:
    """A finite number of at least 0, or InvalidOption."""
    if not is_real(value) or not 0 <= value < np.inf:
        raise InvalidOption(f"{name} must be a finite number >= 0, got {value!r}")
    return float(value)


def is_real(value: Any) -> bool:
    """Is it one number? Truth values are none."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def can_spawn(generator: np.random.Generator) -> bool:
    """Can independent generators be made from this one? Not from what an old RandomState left."""
    return hasattr(getattr(generator.bit_generator, "seed_seq", None), "spawn")


def positive_integer(name: str, value: Any, least: int = 1) -> int:
    """An int of at least ``least``; bools and fractions are refused."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidOption(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)
