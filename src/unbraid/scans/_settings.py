"""JSON values that represent settings: equal settings give equal values."""

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import MethodType
from typing import Any

import numpy as np

from ..errors import InvalidOptionError

LONGEST_LISTED_ARRAY = 20  # entries; a longer array is represented by a digest


def setting_to_json(name: str, value: Any) -> Any:
    """Return the JSON value that represents a setting in tables and in stores.

    >>> from unbraid import BSpline, Filter
    >>> setting_to_json("basis", BSpline(8)), setting_to_json("filters", [Filter("left")])
    ('BSpline(8)', ["Filter('left')"])
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        return _array_to_json(name, value)
    if isinstance(value, Mapping):
        return {str(key): setting_to_json(name, item) for key, item in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [setting_to_json(name, item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return _constructor_call(name, value)
    if callable(value):
        return _qualified_name(name, value)
    raise InvalidOptionError(
        f"{name} is {type(value).__name__}, which cannot be distinguished from others of its kind: "
        f"pass numbers, text, bases, filters or solvers"
    )


def _array_to_json(name: str, array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.kind not in "biufU":
        raise InvalidOptionError(f"{name} is an array of {array.dtype}: pass real numbers or text")
    if array.size <= LONGEST_LISTED_ARRAY:
        return array.tolist()
    digest = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]
    return f"array{array.shape} {array.dtype} {digest}"


def _constructor_call(name: str, value: Any) -> str:
    """Return the code of a dataclass instance, without default arguments."""
    arguments = []
    for position, field in enumerate(fields(value)):
        argument = getattr(value, field.name)
        if type(argument) is type(field.default) and argument == field.default:
            continue
        json_value = setting_to_json(name, argument)
        text = json_value if is_dataclass(argument) else repr(json_value)
        positional = position == 0 and not field.kw_only
        arguments.append(text if positional else f"{field.name}={text}")
    return f"{type(value).__name__}({', '.join(arguments)})"


def _qualified_name(name: str, function: Any) -> str:
    """Return module and name of a function, if they identify it in every process."""
    module, path = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
    if isinstance(function, np.ufunc):  # older ones do not have these attributes
        module, path = module or "numpy", function.__name__
    bound = isinstance(function, MethodType) and not isinstance(function.__self__, type)
    if not path or "<" in path or module == "__main__" or bound:
        raise InvalidOptionError(
            f"{name} holds a function without a lasting name, so a scan cannot recognise it "
            f"later: define it at the top level of a module"
        )
    return f"{module}.{path}"
