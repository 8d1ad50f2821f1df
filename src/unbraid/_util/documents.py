"""Documents on disk: one file, JSON or an archive of arrays. Never pickle.

A document is a tree of dicts, lists, strings, numbers and arrays. This module checks that a file
is complete and was written by unbraid, not what the document means.
"""

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidFileError
from .archives import UnreadableArchiveError, load_arrays
from .atomic import write_files

FORMAT = "unbraid"
VERSION = 1
ZIP_HEADER = b"PK"  # of an archive of arrays
LARGE_ARRAY_SIZE = 1000  # entries from which an array of an archive is not text
MAX_NESTING = 50  # of lists and dicts; our documents have less than ten
MAX_INTEGER_DIGITS = 18
MAX_QUOTED_LENGTH = 60  # characters of a file's content in a message


def write_document(path: str | Path, document: Mapping[str, Any]) -> Path:
    """Write a document; an existing file is replaced only if that succeeds.

    The file is JSON, or a compressed archive of arrays if its name ends in .npz.
    """
    path = Path(path)
    body = {"format": FORMAT, "version": VERSION, **document}
    if path.suffix == ".npz":
        content = _pack(body, allow_nan=False)
    else:
        content = _render_json(with_checksum(_extract_arrays(body, "", None))).encode()
    write_files((path, content))
    return path


def _render_json(body: Mapping[str, Any]) -> str:
    """JSON with one line per entry, so that arrays stay compact."""
    lines = [f"{json.dumps(k)}: {json.dumps(v, allow_nan=False)}" for k, v in body.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def with_checksum(body: Mapping[str, Any]) -> dict[str, Any]:
    """The document with a checksum of its content in front.

    The checksum does not depend on the layout of the text.

    >>> with_checksum({"W": [[1.0]]})["checksum"] == with_checksum({"W": [[1.1]]})["checksum"]
    False
    """
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return {"checksum": hashlib.sha256(text.encode()).hexdigest(), **body}


def _extract_arrays(node: Any, name: str, arrays: dict[str, Any] | None) -> Any:
    """The tree with lists for arrays; large ones go to ``arrays`` if it is given."""
    if isinstance(node, np.ndarray):
        if arrays is None or node.size < LARGE_ARRAY_SIZE:
            return node.tolist()
        arrays[name] = node
        return {"npz": name}
    if isinstance(node, Mapping):
        return {
            str(k): _extract_arrays(v, f"{name}.{k}" if name else str(k), arrays)
            for k, v in node.items()
        }
    if isinstance(node, (list, tuple)):
        return [_extract_arrays(v, f"{name}.{i}", arrays) for i, v in enumerate(node)]
    return node.item() if isinstance(node, np.generic) else node


def pack_document(document: Mapping[str, Any]) -> bytes:
    """A document as bytes, for a database.

    >>> unpack_document(pack_document({"a": np.arange(2000.0), "b": [1, float("inf")]}))["b"]
    [1, inf]
    """
    return _pack(document, allow_nan=True)


def _pack(document: Mapping[str, Any], allow_nan: bool) -> bytes:
    """An archive of the large arrays, with the rest as text under an empty name."""
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    text = json.dumps(_extract_arrays(document, "", arrays), allow_nan=allow_nan)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{"": np.frombuffer(text.encode(), np.uint8)}, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def unpack_document(content: bytes) -> Any:
    """The document that ``pack_document`` packed, or InvalidFileError."""
    try:
        arrays = load_arrays(content)
        return _insert_arrays(json.loads(arrays.pop("").tobytes()), arrays, Path("a cell"))
    except (KeyError, ValueError, RecursionError) as error:
        raise InvalidFileError(f"a stored document cannot be read: {error}") from None


def read_bytes(path: str | Path) -> bytes:
    """All bytes of a file."""
    check_file(path)
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InvalidFileError(f"cannot read {path}: {error.strerror}") from error


def check_file(path: str | Path) -> None:
    """Reject pipes and devices, which may never end, and what cannot be a path."""
    try:
        path = Path(path)
        endless = path.exists() and not (path.is_file() or path.is_dir())
    except OSError as error:
        raise InvalidFileError(f"cannot read {path}: {error.strerror}") from error
    except (TypeError, ValueError) as error:
        raise InvalidFileError(f"{quote(path)} is not the path of a file: {error}") from None
    if "\0" in str(path):
        raise InvalidFileError(
            f"{quote(str(path))} is not the path of a file: it holds a NUL character"
        )
    if endless:
        raise InvalidFileError(f"{path} is a pipe or a device: copy what it gives to a file first")


def quote(value: Any) -> str:
    """The repr of a value for a message, abbreviated."""
    text = repr(value)
    return text if len(text) <= MAX_QUOTED_LENGTH else f"{text[:MAX_QUOTED_LENGTH]}..."


def read_document(path: str | Path) -> dict[str, Any]:
    """The document in a file, or ``InvalidFileError``."""
    content, path = read_bytes(path), Path(path)
    if content.startswith(ZIP_HEADER):
        arrays = _load_archive(content, path)
        content = arrays.pop("", np.empty(0)).tobytes()
    else:
        arrays = {}
    body = _parse_json(content, path)
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise InvalidFileError(f"{path} is JSON but was not written by unbraid")
    if body.get("version") != VERSION:
        raise InvalidFileError(
            f"{path} has format version {quote(body.get('version'))}; unbraid reads version "
            f"{VERSION}"
        )
    if "checksum" in body and body.pop("checksum") != with_checksum(body)["checksum"]:
        raise InvalidFileError(
            f"{path} was changed since it was written: restore it from a copy; if it was changed "
            f"by hand and on purpose, delete its line with the checksum"
        )
    if "arrays" in body:  # files of early versions have them beside
        arrays = _read_arrays(path, body["arrays"])
    document = _insert_arrays(body, arrays, path)
    assert isinstance(document, dict)
    return document


def _parse_json(content: bytes, path: str | Path) -> Any:
    """The tree in a JSON file: finite numbers only, limited nesting."""
    try:
        text = content.decode("utf-8-sig")
        tree = json.loads(
            text, parse_float=_parse_float, parse_int=_parse_integer, parse_constant=_reject_number
        )
    except _NotFiniteError as error:
        raise InvalidFileError(
            f"{path} is damaged: {quote(str(error))} is no number it can hold"
        ) from None
    except (ValueError, RecursionError):
        raise InvalidFileError(f"{path} is not a JSON file, or a damaged one") from None
    if _measure_nesting(tree) > MAX_NESTING:
        raise InvalidFileError(
            f"{path} is damaged: its lists are nested more than {MAX_NESTING} deep"
        )
    return tree


class _NotFiniteError(ValueError):
    """A number that is not finite."""


def _reject_number(text: str) -> Any:
    raise _NotFiniteError(text)


def _parse_float(text: str) -> float:
    number = float(text)
    return number if abs(number) < np.inf else _reject_number(text)


def _parse_integer(text: str) -> int:
    return int(text) if len(text) <= MAX_INTEGER_DIGITS else _reject_number(text)


def _measure_nesting(tree: Any) -> int:
    """Nesting of lists and dicts, counted level by level."""
    depth, level = 0, [tree]
    while level := [node for node in level if isinstance(node, (dict, list))]:
        depth += 1
        if depth > MAX_NESTING:
            break
        level = [
            child for node in level for child in (node.values() if isinstance(node, dict) else node)
        ]
    return depth


def _read_arrays(path: Path, reference: Any) -> dict[str, Any]:
    try:
        name, digest = str(reference["file"]), reference["sha256"]
    except (TypeError, KeyError):
        raise InvalidFileError(f"{path} does not say where its arrays are") from None
    if Path(name).name != name:
        raise InvalidFileError(f"{path} points outside its folder for its arrays: {quote(name)}")
    try:
        beside = path.with_name(name)
        content = read_bytes(beside)
    except ValueError as error:  # no name at all, or InvalidFileError
        raise InvalidFileError(
            f"{path} needs {quote(name)}, which cannot be read: {error}"
        ) from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise InvalidFileError(f"{beside} is damaged or belongs to another file than {path}")
    return _load_archive(content, beside)


def _load_archive(content: bytes, path: Path) -> dict[str, Any]:
    try:
        return load_arrays(content)
    except UnreadableArchiveError as error:
        raise InvalidFileError(f"{path} is not an archive of arrays: {error}") from None


def _insert_arrays(node: Any, arrays: Mapping[str, Any], path: Path) -> Any:
    if isinstance(node, dict):
        if set(node) == {"npz"}:
            try:
                return arrays[node["npz"]]
            except (KeyError, TypeError):
                raise InvalidFileError(f"{path} misses the array {quote(node['npz'])}") from None
        return {key: _insert_arrays(value, arrays, path) for key, value in node.items()}
    if isinstance(node, list) and not {dict, list}.isdisjoint(map(type, node)):
        return [_insert_arrays(value, arrays, path) for value in node]
    return node
