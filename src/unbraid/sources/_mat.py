"""Numeric arrays in MATLAB files, versions 4 to 7, and kinds of other variables.

Cells, structures, objects and text hold no samples. They are skipped, however deep they are nested.
"""

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._util.archives import Arrays, UnreadableArchiveError, entry_limit
from .._util.documents import quote

HEADER_BYTES, TAG_BYTES = 128, 8
MATRIX, COMPRESSED = 14, 15  # types of elements
ENTRY_NAMES = ["i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8", "i8", "u8"]
ENTRY_TYPES = dict(zip((1, 2, 3, 4, 5, 6, 7, 9, 12, 13), ENTRY_NAMES, strict=True))
OTHER_CLASSES = {1: "cells", 2: "a structure", 3: "an object", 4: "text", 5: "a sparse matrix"}
NUMERIC_CLASSES = range(6, 16)
COMPLEX_FLAG = 0x0800
PREFIX_BYTES = 4096  # these hold the class, the sizes and the name of a variable
V4_ENTRY_TYPES = {0: "f8", 1: "f4", 2: "i4", 3: "i2", 4: "u2", 5: "u1"}
V4_OTHER_CLASSES = {1: "text", 2: "a sparse matrix"}


def read_variables(content: bytes) -> Arrays:
    """The variables of a file by name: numeric arrays, or a description of the kind."""
    if len(content) < TAG_BYTES:
        raise UnreadableArchiveError("it is too short")
    found: Arrays = {}
    try:
        for name, array in _read_v4(content) if 0 in content[:4] else _read_v5(content):
            if name in found:
                raise UnreadableArchiveError(f"it holds two variables {quote(name)}")
            if name:
                found[name] = array
    except (struct.error, zlib.error, IndexError) as error:
        raise UnreadableArchiveError(f"it is cut off or damaged ({error})") from None
    return found


def _read_v5(content: bytes) -> Iterator[tuple[str, Any]]:
    """The variables of versions 5 to 7, one element each."""
    order = {b"IM": "<", b"MI": ">"}.get(content[126:HEADER_BYTES])
    if order is None:
        raise UnreadableArchiveError("it does not start as one")
    if struct.unpack(f"{order}H", content[124:126])[0] == 0x0200:
        raise UnreadableArchiveError(
            "it has version 7.3 (HDF5), which is not read: save it with save(..., '-v7')"
        )
    room, place = entry_limit(content), HEADER_BYTES
    while place < len(content):
        kind, size = struct.unpack_from(f"{order}II", content, place)
        body = content[place + TAG_BYTES : place + TAG_BYTES + size]
        if len(body) < size or kind not in (MATRIX, COMPRESSED):
            raise UnreadableArchiveError("it is cut off or damaged")
        name, array = _read_variable(body, kind == COMPRESSED, order, room)
        room -= array.size
        yield name, array
        place += TAG_BYTES + size + (-size % TAG_BYTES if kind == MATRIX else 0)


def _read_variable(body: bytes, compressed: bool, order: str, room: int) -> tuple[str, Any]:
    """Name and content of a variable, decompressed only as far as needed.

    A numeric array of more than ``room`` entries raises UnreadableArchiveError.
    """
    head = _read_head(_decompress(body, PREFIX_BYTES) if compressed else body, order)
    if head.kind not in NUMERIC_CLASSES:
        return head.name, np.array(OTHER_CLASSES.get(head.kind, "a function or an object"))
    if min(head.shape, default=0) < 0 or math.prod(head.shape) > room:
        raise UnreadableArchiveError(
            f"{quote(head.name)} claims the shape {head.shape}, far more than it contains"
        )
    full = _decompress(body, 8 * room + PREFIX_BYTES, to_end=True) if compressed else body
    return head.name, _read_entries(full, head, order)


def _decompress(body: bytes, max_bytes: int, to_end: bool = False) -> bytes:
    """The beginning of a compressed element, or all of it, without its tag."""
    decompressor = zlib.decompressobj()
    content = decompressor.decompress(body, max_bytes + TAG_BYTES)
    if to_end and not decompressor.eof:  # the checksum comes last
        raise UnreadableArchiveError("it is cut off or damaged")
    return content[TAG_BYTES:]


@dataclass(frozen=True)
class VariableHead:
    """The description of a variable, and where its entries begin."""

    kind: int
    is_complex: bool
    shape: tuple[int, ...]
    name: str
    end: int


def _read_head(body: bytes, order: str) -> VariableHead:
    _, flags, end = _read_part(body, 0, order)
    (bits,) = struct.unpack_from(f"{order}I", flags)
    kind, shape = bits & 0xFF, tuple[int, ...]()
    if kind in NUMERIC_CLASSES or kind in OTHER_CLASSES:  # other kinds of objects have no sizes
        _, sizes, end = _read_part(body, end, order)
        shape = struct.unpack(f"{order}{len(sizes) // 4}i", sizes)
    _, name, end = _read_part(body, end, order)
    return VariableHead(kind, bool(bits & COMPLEX_FLAG), shape, name.decode("latin-1"), end)


def _read_entries(body: bytes, head: VariableHead, order: str) -> Any:
    kind, content, _ = _read_part(body, head.end, order)
    if kind not in ENTRY_TYPES:
        raise UnreadableArchiveError(f"{quote(head.name)} is damaged")
    dtype = np.dtype(order + ENTRY_TYPES[kind])
    if len(content) != dtype.itemsize * math.prod(head.shape):
        raise UnreadableArchiveError(
            f"{quote(head.name)} claims the shape {head.shape}, which it does not have"
        )
    array = np.frombuffer(content, dtype).reshape(head.shape, order="F")
    return array.astype(complex) if head.is_complex else array


def _read_part(body: bytes, place: int, order: str) -> tuple[int, bytes, int]:
    """Type and content of one part of a variable, and the start of the next part."""
    kind, size = struct.unpack_from(f"{order}II", body, place)
    if kind >> 16:  # up to four bytes, inside the tag
        size, kind = min(kind >> 16, 4), kind & 0xFFFF
        begin, end = place + 4, place + TAG_BYTES
    else:
        begin = place + TAG_BYTES
        end = begin + size + -size % TAG_BYTES
    content = body[begin : begin + size]
    if len(content) < size:
        raise UnreadableArchiveError("it is cut off or damaged")
    return kind, content, end


def _read_v4(content: bytes) -> Iterator[tuple[str, Any]]:
    """The variables of version 4, one after the other."""
    room, place = entry_limit(content), 0
    while place < len(content):
        order = "<" if struct.unpack_from("<i", content, place)[0] in range(5000) else ">"
        code, rows, columns, imaginary, length = struct.unpack_from(f"{order}5i", content, place)
        dtype, kind = V4_ENTRY_TYPES.get(code // 10 % 10), code % 10
        if code not in range(2000) or dtype is None or min(rows, columns, length - 1) < 0:
            raise UnreadableArchiveError("it does not start as one, or is damaged")
        begin = place + 20 + length
        name = content[place + 20 : begin].rstrip(b"\0").decode("latin-1")
        size, count = np.dtype(dtype).itemsize, rows * columns
        place = begin + size * count * (2 if imaginary else 1)
        if count > room or place > len(content):
            raise UnreadableArchiveError(
                f"{quote(name)} claims {rows} x {columns} numbers, more than there are"
            )
        if kind:
            yield name, np.array(V4_OTHER_CLASSES.get(kind, "something else"))
            continue
        entries = np.frombuffer(content, np.dtype(order + dtype), count, begin)
        array = entries.reshape((rows, columns), order="F")
        yield name, array.astype(complex) if imaginary else array
