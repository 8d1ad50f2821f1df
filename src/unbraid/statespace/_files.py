"""State-space models as documents, for files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._typing import Array
from .._util.validation import check_integer, finite_array
from ..dynamics._function_files import function_from_document, function_to_document
from ..dynamics._records import check_name_count, check_sampling_time
from ..errors import InvalidFileError, InvalidSamplesError

DOCUMENT_KEY = "statespace"
PLAIN_FIELDS = ("n_states", "sampling_time", "input_names", "output_names")
ARRAY_FIELDS = ("linear", "offset", "output_spread", "initial_states")
LINEAR_KIND = "linear"  # kind of a model without a nonlinear part


def to_document(model: Any) -> dict[str, Any]:
    """The document of a model; InvalidOptionError if its function cannot be saved."""
    kind, content = LINEAR_KIND, None
    if model.function is not None:
        kind, content = function_to_document(model.function)
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
    fields: dict[str, Any] = {name: content[name] for name in PLAIN_FIELDS}
    for name in ARRAY_FIELDS:
        value = content[name]
        optional = name == "initial_states" and value is None
        fields[name] = None if optional else finite_array(name, value)
    n_states = check_integer("n_states", fields["n_states"])
    n_y, n_u = (size - n_states for size in finite_array("linear", content["linear"], ndim=2).shape)
    for name, count in (("input_names", n_u), ("output_names", n_y)):
        names = fields[name]
        fields[name] = None if names is None else tuple(map(str, names))
        check_name_count(name, fields[name], count)
    fields["sampling_time"] = check_sampling_time(fields["sampling_time"])
    _check_size("output_spread", fields["output_spread"], n_y)
    states = fields["initial_states"]
    if states is not None and (states.ndim != 2 or states.shape[1] != n_states):
        raise InvalidSamplesError(f"initial_states has shape {states.shape}")
    kind = document["kind"]
    fields["function"] = (
        None if kind == LINEAR_KIND else function_from_document(kind, document["function"], path)
    )
    if content["bounds"] is not None:
        pairs = zip(content["bounds"], content["limited"], (-np.inf, np.inf), strict=True)
        fields["bounds"] = tuple(
            _check_size("bounds", np.where(mask, finite_array("bounds", b), end), n_y)
            for b, mask, end in pairs
        )
    _check_function(fields["function"], fields["linear"].shape)
    return fields


def _check_size(name: str, values: Array, count: int) -> Array:
    if values.shape != (count,):
        raise InvalidSamplesError(f"{name} has shape {values.shape}: {count} are needed")
    return values


def _check_function(function: Any, shape: tuple[int, ...]) -> None:
    """Refuse a static map of other states, inputs or outputs."""
    if function is None:
        return
    found = np.shape(function(np.zeros((1, shape[1]))))
    if found != (1, shape[0]):
        raise InvalidSamplesError(f"the function has {found[-1]} outputs, not {shape[0]}")
