"""Documents on disk: JSON, with large arrays in an .npz beside it. Never pickle.

A document is a tree of dicts, lists, strings, numbers and arrays. What a document means is not
known here; that a file is whole and ours, is.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InvalidFile

FORMAT = "unbraid"
VERSION = 1
LARGE = 1000  # numbers from which an array goes to the .npz


def write(path: str | Path, document: Mapping[str, Any]) -> Path:
    """Write a document; a file that is already there is replaced in one move."""
    path = Path(path)
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    body = {"format": FORMAT, "version": VERSION, **_pack(document, "", arrays)}
    if arrays:
        beside = path.with_suffix(".npz")
        if beside == path:
            raise InvalidFile(f"{path} would hold both the text and its arrays: use .json")
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
        digest = hashlib.sha256(buffer.getvalue()).hexdigest()
        body["arrays"] = {"file": beside.name, "sha256": digest}
        _replace(beside, buffer.getvalue())
    _replace(path, json.dumps(body, indent=1, allow_nan=False).encode())
    return path


def _pack(node: Any, name: str, arrays: dict[str, Any]) -> Any:
    if isinstance(node, np.ndarray):
        if node.size < LARGE:
            return node.tolist()
        arrays[name] = node
        return {"npz": name}
    if isinstance(node, Mapping):
        return {
            str(k): _pack(v, f"{name}.{k}" if name else str(k), arrays) for k, v in node.items()
        }
    if isinstance(node, (list, tuple)):
        return [_pack(v, f"{name}.{i}", arrays) for i, v in enumerate(node)]
    return node


def packed(document: Mapping[str, Any]) -> bytes:
    """A document in one piece, to be kept in a database.

    >>> unpacked(packed({"a": np.arange(2000.0), "b": [1, float("inf")]}))["b"]
    [1, inf]
    """
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    text = json.dumps(_pack(document, "", arrays))
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{"": np.frombuffer(text.encode(), np.uint8)}, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def unpacked(content: bytes) -> Any:
    """The document in what ``packed`` made, or InvalidFile."""
    try:
        arrays = _arrays(content)
        return _unpack(json.loads(arrays.pop("").tobytes()), arrays, Path("a cell"))
    except (KeyError, ValueError, OSError, zipfile.BadZipFile) as error:
        raise InvalidFile(f"a stored document cannot be read: {error}") from None


def _arrays(content: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {key: archive[key] for key in archive.files}


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InvalidFile(f"cannot write {path}: {error.strerror}") from error


def read(path: str | Path) -> dict[str, Any]:
    """The document in a file, or ``InvalidFile`` that says what is wrong with it."""
    path = Path(path)
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidFile(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError):
        raise InvalidFile(f"{path} is not a JSON file, or a damaged one") from None
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise InvalidFile(f"{path} is JSON but was not written by unbraid")
    if body.get("version") != VERSION:
        raise InvalidFile(
            f"{path} has format version {body.get('version')!r}; unbraid reads version {VERSION}"
        )
    arrays = _read_arrays(path, body["arrays"]) if "arrays" in body else {}
    document = _unpack(body, arrays, path)
    assert isinstance(document, dict)
    return document


def _read_arrays(path: Path, reference: Any) -> dict[str, Any]:
    try:
        name, digest = str(reference["file"]), reference["sha256"]
    except (TypeError, KeyError):
        raise InvalidFile(f"{path} does not say where its arrays are") from None
    if Path(name).name != name:
        raise InvalidFile(f"{path} points outside its folder for its arrays: {name!r}")
    beside = path.with_name(name)
    try:
        content = beside.read_bytes()
    except OSError as error:
        raise InvalidFile(
            f"{path} needs {beside}, which cannot be read: {error.strerror}"
        ) from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise InvalidFile(f"{beside} is damaged or belongs to another file than {path}")
    try:
        return _arrays(content)
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        raise InvalidFile(f"{beside} is not an archive of arrays: {error}") from None


def _unpack(node: Any, arrays: Mapping[str, Any], path: Path) -> Any:
    if isinstance(node, dict):
        if set(node) == {"npz"}:
            try:
                return arrays[node["npz"]]
            except (KeyError, TypeError):
                raise InvalidFile(f"{path} misses the array {node['npz']!r}") from None
        return {key: _unpack(value, arrays, path) for key, value in node.items()}
    if isinstance(node, list):
        return [_unpack(value, arrays, path) for value in node]
    return node
