"""Static maps of dynamic models as documents, for files."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .._util.validation import check_integer, finite_array
from ..errors import InvalidFileError, InvalidOptionError
from ..model._files import function_from_dict
from ..model._function import DecoupledFunction
from ..sources import PolynomialFunction
from ..sources._hermite import HermitePolynomial, HermiteTerms


def function_to_document(function: Any) -> tuple[str, Any]:
    """The kind of a static map and its document, or InvalidOptionError."""
    if isinstance(function, DecoupledFunction):
        return "decoupled", function.to_dict()
    if isinstance(function, HermitePolynomial):
        names = ("coefficients", "degree", "centre", "whiten")
        return "polynomial", {name: getattr(function, name) for name in names}
    if isinstance(function, PolynomialFunction):
        content = {"coefficients": function.coefficients, "exponents": function.exponents}
        return "monomials", content
    raise InvalidOptionError(
        f"a model around {type(function).__name__} cannot be saved: decouple it first"
    )


def function_from_document(kind: Any, content: Any, path: str | Path) -> Any:
    """The static map in a document. Invalid documents raise errors of many kinds."""
    readers: dict[str, Callable[[Any, Any], Any]] = {
        "decoupled": function_from_dict,
        "polynomial": _read_polynomial,
        "monomials": lambda content, _: PolynomialFunction(**content),
    }
    return readers[kind](content, path)


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
