"""Settings in plain words: the same setting always reads the same, different ones never do."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import MethodType
from typing import Any

import numpy as np

from ..errors import InvalidOption

FEW = 20  # numbers that are spelled out


def plain(name: str, value: Any) -> Any:
    """A value of JSON that stands for a setting.

    >>> from unbraid import BSpline, Filter
    >>> plain("basis", BSpline(8)), plain("filters", [Filter("left")]), plain("r", np.int64(3))
    ('BSpline(8)', ["Filter('left')"], 3)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        return _array(name, value)
    if isinstance(value, Mapping):
        return {str(key): plain(name, item) for key, item in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(name, item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return _call(name, value)
    if callable(value):
        return _function(name, value)
    raise InvalidOption(
        f"{name} is {type(value).__name__}, which cannot be told apart from others of its kind: "
        f"pass numbers, text, bases, filters or solvers"
    )


def _array(name: str, array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.kind not in "biufU":
        raise InvalidOption(f"{name} is an array of {array.dtype}: pass real numbers or text")
    if array.size <= FEW:
        return array.tolist()
    digest = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]
    return f"array{array.shape} {array.dtype} {digest}"


def _call(name: str, value: Any) -> str:
    """How the object is written in code, without what is at its default."""
    parts = []
    for place, field in enumerate(fields(value)):
        here = getattr(value, field.name)
        if _is_default(field, here):
            continue
        text = repr(plain(name, here)) if not is_dataclass(here) else str(plain(name, here))
        positional = place == 0 and not field.kw_only
        parts.append(text if positional else f"{field.name}={text}")
    return f"{type(value).__name__}({', '.join(parts)})"


def _is_default(field: Any, value: Any) -> bool:
    default = field.default if field.default is not MISSING else None
    if default is None or value is None:
        return default is None and value is None and field.default is not MISSING
    return type(value) is type(default) and not isinstance(value, np.ndarray) and value == default


def _function(name: str, value: Any) -> str:
    """A function by its name, if it has one that means the same tomorrow.

    Which object's method it is, a name does not tell.
    """
    module, place = getattr(value, "__module__", ""), getattr(value, "__qualname__", "")
    if isinstance(value, np.ufunc):  # older ones do not say where they are from
        module, place = module or "numpy", value.__name__
    bound = isinstance(value, MethodType) and not isinstance(value.__self__, type)
    if not place or "<" in place or module == "__main__" or bound:
        raise InvalidOption(
            f"{name} holds a function without a lasting name, so that a scan cannot know it "
            f"again: define it at the top of a module"
        )
    return f"{module}.{place}"
