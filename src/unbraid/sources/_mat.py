"""MATLAB's files of versions 4 to 7: their arrays of numbers, and what the rest is called.

Cells, structures, objects and text are never unfolded, however deep they are nested: no samples
are in them.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._util.archives import Arrays, Unreadable, room_for
from .._util.documents import shown

HEADER, TAG = 128, 8
MATRIX, COMPRESSED = 14, 15
STORED = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}
KINDS = {1: "cells", 2: "a structure", 3: "an object", 4: "text", 5: "a sparse matrix"}
NUMERIC = range(6, 16)  # classes of arrays of numbers
COMPLEX = 0x0800
PREFIX = 4096  # bytes that hold the class, the sizes and the name of a variable
OLD = {0: "f8", 1: "f4", 2: "i4", 3: "i2", 4: "u2", 5: "u1"}  # types of version 4
OLD_KINDS = {1: "text", 2: "a sparse matrix"}


class NewFormat(Exception):
    """A file of version 7.3, which is HDF5."""


def mat_content(content: bytes) -> Arrays:
    """The variables of a file by name; what is not an array of numbers is a word that says so."""
    if len(content) < TAG:
        raise Unreadable("it is too short")
    try:
        variables = _old(content) if 0 in content[:4] else _elements(content)
        return _collected(variables)
    except (struct.error, zlib.error, IndexError) as error:
        raise Unreadable(f"it is cut off or damaged ({error})") from None


def _collected(variables: Iterator[tuple[str, Any]]) -> Arrays:
    found: Arrays = {}
    for name, array in variables:
        if name in found:
            raise Unreadable(f"it holds two variables {shown(name)}")
        if name:
            found[name] = array
    return found


def _elements(content: bytes) -> Iterator[tuple[str, Any]]:
    """Variables of versions 5 to 7, one element each."""
    order = {b"IM": "<", b"MI": ">"}.get(content[126:HEADER])
    if order is None:
        raise Unreadable("it does not start as one")
    if struct.unpack(f"{order}H", content[124:126])[0] == 0x0200:
        raise NewFormat
    room, place = room_for(content), HEADER
    while place < len(content):
        kind, size = struct.unpack_from(f"{order}II", content, place)
        body = content[place + TAG : place + TAG + size]
        if len(body) < size or kind not in (MATRIX, COMPRESSED):
            raise Unreadable("it is cut off or damaged")
        name, array = _variable(body, kind == COMPRESSED, order, room)
        room -= array.size
        yield name, array
        place += TAG + size + (-size % TAG if kind == MATRIX else 0)


def _variable(body: bytes, packed: bool, order: str, room: int) -> tuple[str, Any]:
    """A variable; of a compressed one no more is unfolded than is needed, or than there is room."""
    start = _unpacked(body, PREFIX) if packed else body[:PREFIX]
    head = _head(start, order)
    if head.kind not in NUMERIC:
        return head.name, np.array(KINDS.get(head.kind, "a function or an object"))
    if min(head.shape, default=0) < 0 or math.prod(head.shape) > room:
        raise Unreadable(f"{shown(head.name)} claims the shape {head.shape}, far more than it is")
    whole = _unpacked(body, 8 * room + PREFIX, whole=True) if packed else body
    return head.name, _numbers(whole, head, order)


def _unpacked(body: bytes, most: int, whole: bool = False) -> bytes:
    """The beginning of a compressed element, or all of it, without its tag."""
    work = zlib.decompressobj()
    content = work.decompress(body, most + TAG)
    if whole and not work.eof:  # the checksum comes last
        raise Unreadable("it is cut off or damaged")
    return content[TAG:]


@dataclass(frozen=True)
class Head:
    """What comes before the numbers of a variable, and where they are."""

    kind: int
    is_complex: bool
    shape: tuple[int, ...]
    name: str
    end: int


def _head(body: bytes, order: str) -> Head:
    _, flags, end = _part(body, 0, order)
    (bits,) = struct.unpack_from(f"{order}I", flags)
    if bits & 0xFF not in NUMERIC and bits & 0xFF not in KINDS:  # an object has no sizes
        return Head(bits & 0xFF, False, (), _part(body, end, order)[1].decode("latin-1"), end)
    _, sizes, end = _part(body, end, order)
    shape = struct.unpack(f"{order}{len(sizes) // 4}i", sizes)
    _, name, end = _part(body, end, order)
    return Head(bits & 0xFF, bool(bits & COMPLEX), shape, name.decode("latin-1"), end)


def _numbers(body: bytes, head: Head, order: str) -> Any:
    kind, content, _ = _part(body, head.end, order)
    if kind not in STORED:
        raise Unreadable(f"{shown(head.name)} is damaged")
    dtype = np.dtype(order + STORED[kind])
    if len(content) != dtype.itemsize * math.prod(head.shape):
        raise Unreadable(
            f"{shown(head.name)} claims the shape {head.shape}, which it does not have"
        )
    array = np.frombuffer(content, dtype).reshape(head.shape, order="F")
    return array.astype(complex) if head.is_complex else array


def _part(body: bytes, place: int, order: str) -> tuple[int, bytes, int]:
    """Type and content of a part of a variable, and where the next one begins."""
    kind, size = struct.unpack_from(f"{order}II", body, place)
    if kind >> 16:  # up to four bytes, right in the tag
        size, kind = kind >> 16, kind & 0xFFFF
        begin, end = place + 4, place + TAG
        size = min(size, 4)
    else:
        begin = place + TAG
        end = begin + size + -size % TAG
    content = body[begin : begin + size]
    if len(content) < size:
        raise Unreadable("it is cut off or damaged")
    return kind, content, end


def _old(content: bytes) -> Iterator[tuple[str, Any]]:
    """Variables of version 4, one after the other."""
    room, place = room_for(content), 0
    while place < len(content):
        order = "<" if struct.unpack_from("<i", content, place)[0] in range(5000) else ">"
        code, rows, columns, imaginary, length = struct.unpack_from(f"{order}5i", content, place)
        dtype, kind = OLD.get(code // 10 % 10), code % 10
        if code not in range(2000) or dtype is None or min(rows, columns, length - 1) < 0:
            raise Unreadable("it does not start as one, or is damaged")
        begin = place + 20 + length
        name = content[place + 20 : begin].rstrip(b"\0").decode("latin-1")
        size, count = np.dtype(dtype).itemsize, rows * columns
        place = begin + size * count * (2 if imaginary else 1)
        if count > room or place > len(content):
            raise Unreadable(
                f"{shown(name)} claims {rows} x {columns} numbers, more than there are"
            )
        if kind:
            yield name, np.array(OLD_KINDS.get(kind, "something else"))
            continue
        numbers = np.frombuffer(content, np.dtype(order + dtype), count, begin)
        array = numbers.reshape((rows, columns), order="F")
        yield name, array.astype(complex) if imaginary else array
