"""NARX models on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._util.validation import finite_array, positive_integer
from ..errors import InvalidFile, InvalidOption, InvalidSamples
from ..model._function import DecoupledFunction, function_from_dict
from ..sources import PolynomialFunction
from ..sources._hermite import HermitePolynomial, HermiteTerms

MOST_TERMS = 1_000_000
MOST_POWER = 1000  # every power up to the largest is computed


def to_document(function: Any, input_lags: Any, output_lags: Any, limit: Any) -> dict[str, Any]:
    """What a file holds of a model."""
    if isinstance(function, DecoupledFunction):
        kind, content = "decoupled", function.to_dict()
    elif isinstance(function, HermitePolynomial):
        kind = "polynomial"
        content = {
            "coefficients": function.coefficients,
            "degree": function.degree,
            "centre": function.centre,
            "whiten": function.whiten,
        }
    elif isinstance(function, PolynomialFunction):
        kind = "monomials"
        content = {"coefficients": function.coefficients, "exponents": function.exponents}
    else:
        raise InvalidOption(
            f"a model around {type(function).__name__} cannot be saved: decouple it first"
        )
    return {
        "narx": {"input_lags": input_lags, "output_lags": output_lags},
        "limit": None if limit is None else np.asarray(limit, dtype=float),
        "kind": kind,
        "function": content,
    }


def from_document(document: Mapping[str, Any], path: str | Path) -> tuple[Any, Any, Any, Any]:
    """Function, input lags, output lags and limit that ``to_document`` wrote, or InvalidFile."""
    if "narx" not in document:
        raise InvalidFile(f"{path} holds no NARX model; unbraid.load reads decoupled functions")
    readers: dict[str, Callable[[Any, Any], Any]] = {
        "decoupled": function_from_dict,
        "polynomial": _polynomial,
        "monomials": _monomials,
    }
    try:
        function = readers[document["kind"]](document["function"], path)
        lags = document["narx"]
        limit = document["limit"]
        limit = None if limit is None else finite_array("limit", limit)
        return function, lags["input_lags"], lags["output_lags"], limit
    except (KeyError, TypeError, InvalidSamples) as problem:
        raise InvalidFile(f"{path} is incomplete or damaged: {str(problem)[:300]}") from None


def _polynomial(document: Any, path: str | Path) -> HermitePolynomial:
    centre = finite_array("centre", document["centre"], ndim=1)
    whiten = finite_array("whiten", document["whiten"], ndim=2)
    coefficients = finite_array("coefficients", document["coefficients"], ndim=2)
    try:
        degree = positive_integer("degree", document["degree"])
    except InvalidOption as problem:
        raise InvalidFile(f"{path} is damaged: {str(problem)[:300]}") from None
    m = centre.size
    if whiten.shape != (m, m) or _count(m, degree) != coefficients.shape[1]:
        raise InvalidFile(
            f"{path} is damaged: {m} inputs, degree {degree} and {coefficients.shape[1]} terms do "
            f"not belong together"
        )
    return HermitePolynomial(coefficients, HermiteTerms(m, degree), centre, whiten)


def _monomials(document: Any, path: str | Path) -> PolynomialFunction:
    exponents = finite_array("exponents", document["exponents"], ndim=2)
    if exponents.max(initial=0.0) > MOST_POWER:
        raise InvalidFile(f"{path} is damaged: it has an exponent of {exponents.max():g}")
    return PolynomialFunction(document["coefficients"], exponents)


def _count(n_inputs: int, degree: int) -> int:
    """Terms of a polynomial; none where there would be absurdly many."""
    count = 1
    for k in range(1, degree + 1):
        count = count * (n_inputs + k) // k
        if count > MOST_TERMS:
            return 0
    return count
