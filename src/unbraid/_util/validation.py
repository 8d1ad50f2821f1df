"""Validation of arguments: conversion, shapes and finite values."""

from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from ..errors import InvalidFileError, InvalidOptionError, InvalidSamplesError

SMALLEST, LARGEST = 1e-100, 1e100  # magnitudes whose squares and their products are finite
NOT_NUMERIC = {
    "c": "is complex; pass real numbers",
    "U": "is not a rectangular array of numbers but text; convert it: numpy.asarray(x, float)",
    "S": "is not a rectangular array of numbers but text; convert it: numpy.asarray(x, float)",
    "M": "holds dates; pass numbers, say seconds since the first of them",
    "m": "holds time spans; pass numbers, say seconds",
    "V": "has named fields; pass one plain table of numbers",
}


def real_array(name: str, value: Any) -> Array:
    """A new float64 array, NaN and infinity allowed, or a typed error."""
    if value is None:
        raise InvalidSamplesError(f"{name} is None: pass an array of numbers")
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise InvalidSamplesError(
            f"{name} is masked at {np.ma.getmaskarray(value).sum()} entries; remove those points "
            f"or fill them in"
        )
    try:
        raw = np.asarray(detach_tensor(value))
        if raw.dtype.kind in NOT_NUMERIC:
            raise InvalidSamplesError(f"{name} {NOT_NUMERIC[raw.dtype.kind]}")
        with np.errstate(over="ignore"):  # of long doubles; found below as infinite
            return np.array(raw, dtype=np.float64, order="C")
    except InvalidSamplesError:
        raise
    except Exception as error:  # an array-like may raise anything
        raise InvalidSamplesError(
            f"{name} is not a rectangular array of numbers: {error}"
        ) from None


def as_float_array(z: Any) -> Array:
    """z as a float64 array of any shape; not copied if it is one."""
    return z if type(z) is np.ndarray and z.dtype == np.float64 else real_array("z", z)


def finite_array(name: str, value: Any, ndim: int | None = None) -> Array:
    """A new float64 array of finite numbers, or InvalidSamplesError."""
    array = real_array(name, value)
    if ndim is not None and array.ndim != ndim:
        kind = {1: "a vector", 2: "a table with one row per point"}.get(ndim, f"{ndim}-dimensional")
        hint = (
            "; a single input is a column: points[:, None]" if (ndim, array.ndim) == (2, 1) else ""
        )
        raise InvalidSamplesError(f"{name} has shape {array.shape} but must be {kind}{hint}")
    if not np.isfinite(array).all():
        bad = np.argwhere(~np.isfinite(array))
        place = tuple(int(i) for i in bad[0])
        raise InvalidSamplesError(
            f"{name} holds {len(bad)} NaN or infinite entries, the first at index {place}; "
            f"remove those points or repair them"
        )
    return array


def check_magnitude(name: str, array: Array) -> Array:
    """Return the array unless the squares of a column overflow or underflow.

    All entries of an array with more axes count as one column: single slopes may be tiny.

    >>> check_magnitude("points", np.array([[0.0, 1.0], [0.0, 2.0]])).shape
    (2, 2)
    """
    size = np.abs(array if array.ndim == 2 else array.reshape(-1, 1)).max(axis=0, initial=0.0)
    outside = np.flatnonzero((size > LARGEST) | ((size > 0) & (size < SMALLEST)))
    if outside.size:
        where = f" in column {outside[0]}" if array.ndim == 2 else ""
        raise InvalidSamplesError(
            f"{name} reaches {size[outside[0]]:.3g} in size{where}, and its squares "
            f"overflow: use units in which the largest are between {SMALLEST:g} and {LARGEST:g}"
        )
    return array


def check_overflow(what: str, values: Array, points: Array) -> Array:
    """Return the values unless some of them are not finite."""
    if np.all(np.isfinite(values)):
        return values
    bad = np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))
    raise InvalidSamplesError(
        f"{what} overflows at {count_noun(bad.size, 'point')}, the first at index {bad[0]}, "
        f"p = {np.array2string(points[bad[0]], precision=6, threshold=8)}; stay nearer to the data"
    )


def count_noun(number: int, word: str, plural: str = "s") -> str:
    """A number with its noun.

    >>> count_noun(1, "branch", "es"), count_noun(2, "branch", "es")
    ('1 branch', '2 branches')
    """
    return f"{number} {word}" + ("" if number == 1 else plural)


def with_article(phrase: str) -> str:
    """A phrase with its indefinite article.

    >>> with_article("cubic curve"), with_article("exponential curve")
    ('a cubic curve', 'an exponential curve')
    """
    return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"


def detach_tensor(value: Any) -> Any:
    """Detach torch tensors with gradients, which refuse conversion."""
    detach = getattr(value, "detach", None)
    return detach().cpu().numpy() if callable(detach) else value


def check_path(path: Any) -> Path:
    """The path of a file, or InvalidFileError."""
    try:
        found = Path(path)
    except TypeError:
        raise InvalidFileError(f"{path!r} is no path to a file: pass its name as text") from None
    if not found.name or "\0" in str(found):
        raise InvalidFileError(
            f"{str(path)!r} names no file, perhaps a folder: pass the name of a file"
        )
    return found


def check_non_negative(name: str, value: Any) -> float:
    """A finite number of at least 0, or InvalidOptionError."""
    if not is_real(value) or not 0 <= value < np.inf:
        raise InvalidOptionError(f"{name} must be a finite number >= 0, got {value!r}")
    return float(value)


def is_real(value: Any) -> bool:
    """Whether it is one real number; booleans are not."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def can_spawn(generator: np.random.Generator) -> bool:
    """Whether a generator can spawn others; one from an old RandomState cannot."""
    return hasattr(getattr(generator.bit_generator, "seed_seq", None), "spawn")


def check_integer(name: str, value: Any, least: int = 1) -> int:
    """An int of at least ``least``; booleans and fractions are rejected."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidOptionError(
            f"{name} must be a whole number of at least {least}, got {value!r}"
        )
    return int(value)
