"""Checks of the documents in a store, whose digests may be forged."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from .._util.validation import finite_array, is_real
from ..errors import InvalidSamplesError

Check = Callable[[Any], bool]
DYNAMIC_KINDS = ("narx", "statespace")  # of problems with records and simulation errors


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_error(value: Any) -> bool:
    """Accept an error in %, which is NaN or infinite where a simulation diverged."""
    return is_real(value) and not value < 0


def _is_a(kind: type) -> Check:
    return lambda value: isinstance(value, kind)


def _list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


OUTCOME_CHECKS: dict[str, Check] = {
    "settings": _is_a(dict),
    "model": _or_none(_is_a(dict)),
    **dict.fromkeys(("n_branches", "n_parameters"), _or_none(_is_count)),
    **dict.fromkeys(("fitted_error", "held_out_error", "compression"), _or_none(_is_error)),
    **dict.fromkeys(("fitted_errors", "held_out_errors"), _or_none(_list_of(_is_error))),
    "degrees_of_freedom": _or_none(_is_a(int)),
    "seconds": lambda value: is_real(value) and 0 <= value < math.inf,
    "failure": _is_a(str),
    "unexpected": _is_a(bool),
    "warnings": _list_of(_is_a(str)),
}
PROBLEM_CHECKS: dict[str, Check] = {
    "kind": lambda value: value in ("function", *DYNAMIC_KINDS),
    "words": _is_a(str),
    "coupled_parameters": _or_none(_is_count),
    "reference_errors": lambda value: _list_of(_or_none(_is_error))(value) and len(value) == 2,
}


def find_outcome_defect(outcome: Any) -> str:
    """Return what is wrong with the outcome of a cell, or an empty text.

    >>> find_outcome_defect({"settings": 5})
    'settings is invalid'
    """
    defect = _find_defect(outcome, OUTCOME_CHECKS)
    if defect or outcome["failure"]:
        return defect
    missing = [name for name in ("model", "n_parameters", "n_branches") if outcome[name] is None]
    return f"{missing[0]} is missing" if missing else ""


def find_problem_defect(problem: Any) -> str:
    """Return what is wrong with the problem of a store, or an empty text."""
    defect = _find_defect(problem, PROBLEM_CHECKS)
    if defect or "records" not in problem:
        return defect
    try:
        for item in problem["records"]["items"]:
            u, y = (finite_array(name, item[name], ndim=2) for name in ("u", "y"))
            if len(u) != len(y):
                return "records is invalid: u and y differ in length"
    except (KeyError, TypeError, InvalidSamplesError) as error:
        return f"records is invalid: {error}"
    return ""


def _find_defect(document: Any, checks: Mapping[str, Check]) -> str:
    if not isinstance(document, Mapping):
        return "it is not a document"
    invalid = [n for n, check in checks.items() if n not in document or not check(document[n])]
    return f"{invalid[0]} is invalid" if invalid else ""
