"""Coercion and shape checks at the public boundary, done once."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidOption, InvalidSamples


def finite_array(name: str, value: Any, ndim: int | None = None) -> NDArray[np.float64]:
    """A fresh float64 array of finite numbers, or a typed error that says what is wrong."""
    value = plain_array(value)
    try:
        raw = np.asarray(value)
        if raw.dtype.kind == "c":
            raise InvalidSamples(f"{name} is complex; pass real numbers")
        array = np.array(raw, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidSamples):
            raise
        raise InvalidSamples(f"{name} is not a rectangular array of numbers: {error}") from None
    if ndim is not None and array.ndim != ndim:
        kind = {1: "a vector", 2: "a table with one row a point"}.get(ndim, f"{ndim}-dimensional")
        hint = (
            "; a single input is a column: points[:, None]" if (ndim, array.ndim) == (2, 1) else ""
        )
        raise InvalidSamples(f"{name} has shape {array.shape} but must be {kind}{hint}")
    bad = np.argwhere(~np.isfinite(array))
    if bad.size:
        place = tuple(int(i) for i in bad[0])
        raise InvalidSamples(
            f"{name} holds {len(bad)} NaN or infinite entries, the first at index {place}; "
            f"remove those points or repair them"
        )
    return array


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


def non_negative(name: str, value: Any) -> float:
    """A finite number of at least 0, or InvalidOption."""
    real = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    if not real or not 0 <= value < np.inf:
        raise InvalidOption(f"{name} must be a finite number >= 0, got {value!r}")
    return float(value)


def positive_integer(name: str, value: Any, least: int = 1) -> int:
    """An int of at least ``least``; bools and fractions are refused."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidOption(f"{name} must be a whole number of at least {least}, got {value!r}")
    return int(value)
