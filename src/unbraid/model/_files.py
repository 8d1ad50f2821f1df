"""Decoupled functions from files."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from .._typing import Array
from .._util.documents import read_document
from .._util.validation import check_path, finite_array
from ..errors import InvalidFileError, InvalidOptionError, InvalidSamplesError
from ._branch_files import branch_from_dict
from ._fit_record import fit_record_from_dict
from ._function import ERROR_FIELDS, DecoupledFunction
from ._residuals import Residuals
from ._validation import find_defect


def load(path: str | Path) -> DecoupledFunction:
    """Read a file of ``DecoupledFunction.save``, or raise ``InvalidFileError``."""
    document = read_document(check_path(path))
    for key, kind in (("narx", "NARX"), ("statespace", "state-space")):
        if key in document:
            raise InvalidFileError(f"{path} holds a {kind} model: unbraid.{key}.load reads it")
    return function_from_dict(document, path)


def function_from_dict(document: Any, path: str | Path) -> DecoupledFunction:
    """The function in a document, checked, or InvalidFileError."""
    try:
        W = finite_array("W", document["W"], ndim=2)
        V = finite_array("V", document["V"], ndim=2)
        offset = finite_array("offset", document["offset"], ndim=1)
        branches = tuple(branch_from_dict(branch) for branch in document["branches"])
        errors = {name: _optional_vector(document, name) for name in ERROR_FIELDS}
        spread = _optional_vector(document, "spread")
        points = _optional_table(document, "points")
        fit = fit_record_from_dict(document.get("fit"))
        residuals = _residuals(document.get("residuals"), len(offset))
        origin = document.get("origin", "")
    except (KeyError, TypeError, InvalidSamplesError, InvalidFileError) as problem:
        raise InvalidFileError(f"{path} is incomplete or damaged: {str(problem)[:300]}") from None
    sizes = {W.shape[1], V.shape[1], len(branches)}
    shapes = offset.shape == (W.shape[0],) and (spread is None or spread.shape == (V.shape[0],))
    shapes = shapes and (points is None or (points.shape[1] == len(V) and len(points) > 0))
    if len(sizes) != 1 or not shapes or not branches:
        raise InvalidFileError(
            f"{path} is damaged: W {W.shape}, V {V.shape}, {len(branches)} branches and "
            f"{offset.size} offsets do not belong together"
        )
    if not isinstance(origin, str):
        raise InvalidFileError(f"{path} is damaged: its origin is no text")
    flaw = find_defect((W, V, offset), branches)
    if any(e is not None and (e.shape != offset.shape or e.min() < 0) for e in errors.values()):
        flaw = "its errors are not one number of at least 0 an output"
    if flaw:
        raise InvalidFileError(f"{path} is damaged: {flaw}")
    try:
        d = DecoupledFunction(
            W, V, branches, offset, spread=spread, residuals=residuals, origin=origin, fit=fit
        )
        d = replace(d, points=points, **errors)  # type: ignore[arg-type]
        return d.named(document.get("input_names"), document.get("output_names"))
    except (InvalidOptionError, InvalidSamplesError, TypeError) as problem:
        raise InvalidFileError(f"{path} is damaged: {str(problem)[:300]}") from None


def _optional_vector(document: Any, name: str) -> Array | None:
    return None if document.get(name) is None else finite_array(name, document[name], ndim=1)


def _optional_table(document: Any, name: str) -> Array | None:
    return None if document.get(name) is None else finite_array(name, document[name], ndim=2)


def _residuals(document: Any, n_outputs: int) -> Residuals | None:
    if document is None:
        return None
    found = Residuals(
        finite_array("values", document["values"], ndim=2),
        finite_array("errors", document["errors"], ndim=2),
    )
    if found.values.shape != found.errors.shape or found.values.shape[1] != n_outputs:
        raise InvalidSamplesError("residuals do not have the shape of the outputs")
    return found
