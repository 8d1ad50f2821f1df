"""NARX models as documents, for files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._util.validation import finite_array
from ..dynamics._function_files import function_from_document, function_to_document
from ..errors import InvalidFileError

CHANNEL_FIELDS = ("input_lags", "output_lags", "input_names", "output_names", "sampling_time")
OPTIONAL_FIELDS = ("input_names", "output_names", "sampling_time")  # older files lack them


def to_document(function: Any, channels: Mapping[str, Any], limit: Any) -> dict[str, Any]:
    """The document of a model; InvalidOptionError if its function cannot be saved.

    ``channels`` are lags and names of inputs and outputs, and the sampling time.
    """
    kind, content = function_to_document(function)
    return {
        "narx": dict(channels),
        "limit": None if limit is None else np.asarray(limit, dtype=float),
        "kind": kind,
        "function": content,
    }


def from_document(document: Mapping[str, Any], path: str | Path) -> dict[str, Any]:
    """The fields of the model in a document, as arguments of ``NARX``.

    Invalid documents raise errors of many kinds.
    """
    if "narx" not in document:
        raise InvalidFileError(
            f"{path} holds no NARX model; unbraid.load reads decoupled functions"
        )
    function = function_from_document(document["kind"], document["function"], path)
    limit = document["limit"]
    limit = None if limit is None else finite_array("limit", limit)
    channels = {**dict.fromkeys(OPTIONAL_FIELDS), **document["narx"]}
    return {
        "function": function,
        "limit": limit,
        **{name: channels[name] for name in CHANNEL_FIELDS},
    }
