"""NARX models as documents, for files."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._util.validation import check_integer, finite_array
from ..errors import InvalidFileError, InvalidOptionError
from ..model._files import function_from_dict
from ..model._function import DecoupledFunction
from ..sources import PolynomialFunction
from ..sources._hermite import HermitePolynomial, HermiteTerms

CHANNEL_FIELDS = ("input_lags", "output_lags", "input_names", "output_names")


def to_document(function: Any, channels: Mapping[str, Any], limit: Any) -> dict[str, Any]:
    """The document of a model; InvalidOptionError if its function cannot be saved.

    ``channels`` are the lags and names of the inputs and outputs.
    """
    if isinstance(function, DecoupledFunction):
        kind, content = "decoupled", function.to_dict()
    elif isinstance(function, HermitePolynomial):
        kind = "polynomial"
        content = {
            name: getattr(function, name) for name in ("coefficients", "degree", "centre", "whiten")
        }
    elif isinstance(function, PolynomialFunction):
        kind = "monomials"
        content = {"coefficients": function.coefficients, "exponents": function.exponents}
    else:
        raise InvalidOptionError(
            f"a model around {type(function).__name__} cannot be saved: decouple it first"
        )
    return {
        "narx": dict(channels),
        "limit": None if limit is None else np.asarray(limit, dtype=float),
        "kind": kind,
        "function": content,
    }


def from_document(document: Mapping[str, Any], path: str | Path) -> dict[str, Any]:
    """The fields of the model in a document: function, lags, names and limit.

    Invalid documents raise errors of many kinds.
    """
    if "narx" not in document:
        raise InvalidFileError(
            f"{path} holds no NARX model; unbraid.load reads decoupled functions"
        )
    readers: dict[str, Callable[[Any, Any], Any]] = {
        "decoupled": function_from_dict,
        "polynomial": _read_polynomial,
        "monomials": lambda content, _: PolynomialFunction(**content),
    }
    function = readers[document["kind"]](document["function"], path)
    limit = document["limit"]
    limit = None if limit is None else finite_array("limit", limit)
    channels = {"input_names": None, "output_names": None, **document["narx"]}
    return {
        "function": function,
        "limit": limit,
        **{name: channels[name] for name in CHANNEL_FIELDS},
    }


def _read_polynomial(document: Any, path: str | Path) -> HermitePolynomial:
    centre = finite_array("centre", document["centre"], ndim=1)
    whiten = finite_array("whiten", document["whiten"], ndim=2)
    coefficients = finite_array("coefficients", document["coefficients"], ndim=2)
    degree = check_integer("degree", document["degree"])
    m, n_terms = centre.size, coefficients.shape[1]
    plausible = whiten.shape == (m, m) and degree < n_terms  # keeps the binomial small
    if not plausible or math.comb(m + degree, degree) != n_terms:
        raise InvalidFileError(
            f"{path} is damaged: {m} inputs, degree {degree} and {n_terms} terms do not belong "
            f"together"
        )
    return HermitePolynomial(coefficients, HermiteTerms(m, degree), centre, whiten)
