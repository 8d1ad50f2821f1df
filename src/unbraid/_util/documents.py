"""Documents on disk: JSON, with large arrays in an .npz beside it. Never pickle.

A document is a tree of dicts, lists, strings, numbers and arrays. What a document means is not
known here; that a file is whole and ours, is.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidFile
from .archives import Unreadable, arrays_in
from .atomic import write_whole

FORMAT = "unbraid"
VERSION = 1
LARGE = 1000  # numbers from which an array goes to the .npz
DEEPEST = 50  # lists in lists; a document of ours has less than ten
DIGITS = 18  # of whole numbers
SHOWN = 60  # characters of what a file holds, in a message


def write(path: str | Path, document: Mapping[str, Any]) -> Path:
    """Write a document; what is already there is replaced, or kept where that fails."""
    path = Path(path)
    files: list[tuple[Path, bytes]] = []
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    body = {"format": FORMAT, "version": VERSION, **_pack(document, "", arrays)}
    if arrays:
        if path.suffix == ".npz":
            raise InvalidFile(f"{path} would hold both the text and its arrays: use .json")
        beside = path.with_name(f"{path.name}.npz")  # no other file is called so
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
        digest = hashlib.sha256(buffer.getvalue()).hexdigest()
        body["arrays"] = {"file": beside.name, "sha256": digest}
        files.append((beside, buffer.getvalue()))
    write_whole(*files, (path, json.dumps(sealed(body), indent=1, allow_nan=False).encode()))
    return path


def sealed(body: Mapping[str, Any]) -> dict[str, Any]:
    """With a checksum in front, by which a digit that changed is found.

    It is of what the text says, not of its bytes: laid out otherwise, it still fits.

    >>> sealed({"W": [[1.0]]})["checksum"] == sealed({"W": [[1.1]]})["checksum"]
    False
    """
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return {"checksum": hashlib.sha256(text.encode()).hexdigest(), **body}


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
    return node.item() if isinstance(node, np.generic) else node


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
        arrays = arrays_in(content)
        return _unpack(json.loads(arrays.pop("").tobytes()), arrays, Path("a cell"))
    except (KeyError, ValueError, RecursionError) as error:
        raise InvalidFile(f"a stored document cannot be read: {error}") from None


def content_of(path: str | Path) -> bytes:
    """All bytes of a file."""
    check_file(path)
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InvalidFile(f"cannot read {path}: {error.strerror}") from error


def check_file(path: str | Path) -> None:
    """Refuse pipes and devices, which may never end, and what cannot be a path."""
    try:
        path = Path(path)
        endless = path.exists() and not (path.is_file() or path.is_dir())
    except OSError as error:
        raise InvalidFile(f"cannot read {path}: {error.strerror}") from error
    except (TypeError, ValueError) as error:
        raise InvalidFile(f"{shown(path)} is not the path of a file: {error}") from None
    if "\0" in str(path):
        raise InvalidFile(f"{shown(str(path))} is not the path of a file: it holds a NUL character")
    if endless:
        raise InvalidFile(f"{path} is a pipe or a device: copy what it gives to a file first")


def shown(value: Any) -> str:
    """What a file holds, for a message: not all of it where it is long."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def read(path: str | Path) -> dict[str, Any]:
    """The document in a file, or ``InvalidFile`` that says what is wrong with it."""
    body = _parsed(content_of(path), path)
    path = Path(path)
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise InvalidFile(f"{path} is JSON but was not written by unbraid")
    if body.get("version") != VERSION:
        raise InvalidFile(
            f"{path} has format version {shown(body.get('version'))}; unbraid reads version "
            f"{VERSION}"
        )
    if "checksum" in body and body.pop("checksum") != sealed(body)["checksum"]:
        raise InvalidFile(
            f"{path} was changed since it was written: restore it from a copy; if it was changed "
            f"by hand and on purpose, delete its line with the checksum"
        )
    arrays = _read_arrays(path, body["arrays"]) if "arrays" in body else {}
    document = _unpack(body, arrays, path)
    assert isinstance(document, dict)
    return document


def _parsed(content: bytes, path: str | Path) -> Any:
    """The tree in a JSON file: finite numbers only, and not absurdly deep."""
    try:
        text = content.decode("utf-8-sig")
        tree = json.loads(text, parse_float=_float, parse_int=_whole, parse_constant=_refused)
    except _NoNumber as error:
        raise InvalidFile(
            f"{path} is damaged: {shown(str(error))} is no number it can hold"
        ) from None
    except (ValueError, RecursionError):
        raise InvalidFile(f"{path} is not a JSON file, or a damaged one") from None
    if _depth(tree) > DEEPEST:
        raise InvalidFile(f"{path} is damaged: its lists are nested more than {DEEPEST} deep")
    return tree


class _NoNumber(ValueError):
    """A number that is not finite."""


def _refused(text: str) -> Any:
    raise _NoNumber(text)


def _float(text: str) -> float:
    number = float(text)
    return number if abs(number) < np.inf else _refused(text)


def _whole(text: str) -> int:
    return int(text) if len(text) <= DIGITS else _refused(text)


def _depth(tree: Any) -> int:
    """How deep lists and dicts are in each other, one level after another."""
    depth, level = 0, [tree]
    while level := [node for node in level if isinstance(node, (dict, list))]:
        depth += 1
        if depth > DEEPEST:
            break
        level = [
            child for node in level for child in (node.values() if isinstance(node, dict) else node)
        ]
    return depth


def _read_arrays(path: Path, reference: Any) -> dict[str, Any]:
    try:
        name, digest = str(reference["file"]), reference["sha256"]
    except (TypeError, KeyError):
        raise InvalidFile(f"{path} does not say where its arrays are") from None
    if Path(name).name != name:
        raise InvalidFile(f"{path} points outside its folder for its arrays: {shown(name)}")
    try:
        beside = path.with_name(name)
        content = content_of(beside)
    except ValueError as error:  # no name at all, or InvalidFile
        raise InvalidFile(f"{path} needs {shown(name)}, which cannot be read: {error}") from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise InvalidFile(f"{beside} is damaged or belongs to another file than {path}")
    try:
        return arrays_in(content)
    except Unreadable as error:
        raise InvalidFile(f"{beside} is not an archive of arrays: {error}") from None


def _unpack(node: Any, arrays: Mapping[str, Any], path: Path) -> Any:
    if isinstance(node, dict):
        if set(node) == {"npz"}:
            try:
                return arrays[node["npz"]]
            except (KeyError, TypeError):
                raise InvalidFile(f"{path} misses the array {shown(node['npz'])}") from None
        return {key: _unpack(value, arrays, path) for key, value in node.items()}
    if isinstance(node, list) and not {dict, list}.isdisjoint(map(type, node)):
        return [_unpack(value, arrays, path) for value in node]
    return node
