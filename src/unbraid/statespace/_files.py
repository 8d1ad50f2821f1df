"""State-space models as documents, for files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._util.validation import check_integer, finite_array
from ..errors import InvalidFileError, InvalidOptionError
from ..model._files import function_from_dict
from ..model._function import DecoupledFunction
from ..sources._hermite import HermitePolynomial, HermiteTerms

DOCUMENT_KEY = "statespace"
PLAIN_FIELDS = ("n_states", "sampling_time", "input_names", "output_names")
ARRAY_FIELDS = ("linear", "offset", "output_spread", "initial_states")


def to_document(model: Any) -> dict[str, Any]:
    """The document of a model; InvalidOptionError if its function cannot be saved."""
    function = model.function
    if function is None:
        kind, content = "linear", None
    elif isinstance(function, DecoupledFunction):
        kind, content = "decoupled", function.to_dict()
    elif isinstance(function, HermitePolynomial):
        kind = "polynomial"
        names = ("coefficients", "degree", "centre", "whiten")
        content = {name: getattr(function, name) for name in names}
    else:
        raise InvalidOptionError(
            f"a model around {type(function).__name__} cannot be saved: decouple it first"
        )
    bounds = model.bounds  # JSON has no infinity
    finite = None if bounds is None else [np.where(np.isfinite(b), b, 0.0) for b in bounds]
    limited = None if bounds is None else [np.isfinite(b) for b in bounds]
    return {
        DOCUMENT_KEY: {
            **{name: getattr(model, name) for name in (*PLAIN_FIELDS, *ARRAY_FIELDS)},
            "bounds": finite,
            "limited": limited,
        },
        "kind": kind,
        "function": content,
    }


def from_document(document: Mapping[str, Any], path: str | Path) -> dict[str, Any]:
    """The fields of the model in a document. Invalid ones raise errors of many kinds."""
    if DOCUMENT_KEY not in document:
        raise InvalidFileError(f"{path} holds no state-space model; unbraid.load reads others")
    content = document[DOCUMENT_KEY]
    fields = {name: content[name] for name in PLAIN_FIELDS}
    for name in ("input_names", "output_names"):
        fields[name] = None if fields[name] is None else tuple(fields[name])
    for name in ARRAY_FIELDS:
        value = content[name]
        fields[name] = None if value is None else finite_array(name, value)
    kind = document["kind"]
    if kind == "decoupled":
        fields["function"] = function_from_dict(document["function"], path)
    elif kind == "polynomial":
        fields["function"] = _read_polynomial(document["function"])
    elif kind == "linear":
        fields["function"] = None
    else:
        raise KeyError(f"kind {kind!r}")
    if content["bounds"] is not None:
        pairs = zip(content["bounds"], content["limited"], (-np.inf, np.inf), strict=True)
        fields["bounds"] = tuple(np.where(mask, b, end) for b, mask, end in pairs)
    return fields


def _read_polynomial(content: Any) -> HermitePolynomial:
    centre = finite_array("centre", content["centre"], ndim=1)
    coefficients = finite_array("coefficients", content["coefficients"], ndim=2)
    whiten = finite_array("whiten", content["whiten"], ndim=2)
    terms = HermiteTerms(centre.size, check_integer("degree", content["degree"]))
    if len(terms) != coefficients.shape[1] or whiten.shape != (centre.size,) * 2:
        raise ValueError("the polynomial's terms, centre and coefficients do not fit together")
    return HermitePolynomial(coefficients, terms, centre, whiten)
