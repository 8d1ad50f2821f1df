"""The model itself inside the page, as a link that saves the file ``unbraid.load`` reads."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._util.documents import FORMAT, VERSION, sealed
from ..errors import UnbraidError

LARGEST = 300_000  # bytes of a file


def model_file(model: Any, largest: int = LARGEST) -> bytes | None:
    """The file of a function or NARX model, or None where it cannot be saved or is large."""
    try:
        body = {"format": FORMAT, "version": VERSION, **_plain(model.to_dict())}
        content = json.dumps(sealed(body), separators=(",", ":"), allow_nan=False).encode()
    except (UnbraidError, ValueError):  # made of Python functions, or not of finite numbers
        return None
    return content if len(content) <= largest else None


def data_link(content: bytes) -> str:
    """The address that is the content."""
    return "data:application/json;base64," + b64encode(content).decode()


def _plain(node: Any) -> Any:
    """All arrays as lists: a link is one file, nothing can lie beside it."""
    if isinstance(node, np.ndarray):
        return node.tolist()
    if isinstance(node, Mapping):
        return {str(key): _plain(value) for key, value in node.items()}
    if isinstance(node, (list, tuple)):
        return [_plain(value) for value in node]
    return node
