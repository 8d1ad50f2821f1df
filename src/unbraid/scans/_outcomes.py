"""What a store holds, checked before anyone relies on it: a digest says who wrote, not what."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from .._util.validation import finite_array
from ..errors import InvalidSamples

Check = Callable[[Any], bool]


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _error(value: Any) -> bool:
    """In %; unknown or infinite where a simulation ran off."""
    return _number(value) and not value < 0


def _list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _text(value: Any) -> bool:
    return isinstance(value, str)


OUTCOME: dict[str, Check] = {
    "settings": lambda value: isinstance(value, Mapping),
    "model": _or_none(lambda value: isinstance(value, Mapping)),
    "n_branches": _or_none(_count),
    "fitted_errors": _or_none(_list_of(_error)),
    "held_out_errors": _or_none(_list_of(_error)),
    "fitted_error": _or_none(_error),
    "held_out_error": _or_none(_error),
    "n_parameters": _or_none(_count),
    "degrees_of_freedom": _or_none(lambda value: isinstance(value, int)),
    "compression": _or_none(_error),
    "seconds": lambda value: _number(value) and 0 <= value < math.inf,
    "failure": _text,
    "unexpected": lambda value: isinstance(value, bool),
    "warnings": _list_of(_text),
}
PROBLEM: dict[str, Check] = {
    "kind": lambda value: value in ("function", "narx"),
    "words": _text,
    "coupled_parameters": _or_none(_count),
    "reference_errors": lambda value: _list_of(_or_none(_error))(value) and len(value) == 2,
}


def flaw_of_outcome(outcome: Any) -> str:
    """What is wrong with the outcome of a cell; empty where nothing is.

    >>> flaw_of_outcome({"settings": 5})
    'its settings make no sense'
    """
    flaw = _flaw(outcome, OUTCOME)
    if flaw or outcome["failure"]:
        return flaw
    lacking = [name for name in ("model", "n_parameters", "n_branches") if outcome[name] is None]
    return f"its {lacking[0]} is missing" if lacking else ""


def flaw_of_problem(problem: Any) -> str:
    """What is wrong with the problem of a store; empty where nothing is."""
    flaw = _flaw(problem, PROBLEM)
    if flaw or "records" not in problem:
        return flaw
    try:
        for item in problem["records"]["items"]:
            u, y = (finite_array(name, item[name], ndim=2) for name in ("u", "y"))
            if len(u) != len(y):
                return "its records make no sense"
    except (KeyError, TypeError, InvalidSamples) as error:
        return f"its records make no sense: {error}"
    return ""


def _flaw(document: Any, checks: Mapping[str, Check]) -> str:
    if not isinstance(document, Mapping):
        return "it is not a document"
    wrong = [n for n, check in checks.items() if n not in document or not check(document[n])]
    return f"its {wrong[0]} make no sense" if wrong else ""
