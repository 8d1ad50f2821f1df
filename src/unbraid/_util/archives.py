"""Archives of arrays (.npz): sizes are known before memory is taken, and nothing is run."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
from collections.abc import Callable
from functools import partial
from typing import IO, Any

import numpy as np

FREE = 1 << 23  # numbers that a file of any size may unfold to
NUMBER = 8  # bytes; what is smaller counts as one, too
PER_BYTE = 16  # numbers more for each of its bytes; real data has less than one

Arrays = dict[str, np.ndarray[Any, Any]]


class Unreadable(ValueError):
    """The content is damaged, unfolds to far more than it is, or is something else."""


def room_for(content: bytes) -> int:
    """How many numbers a file may unfold to: a bomb is small on disk and vast in memory.

    >>> room_for(bytes(100)) - room_for(b"")
    1600
    """
    return FREE + PER_BYTE * len(content)


def arrays_in(content: bytes) -> Arrays:
    """The arrays of an .npz file by name, or Unreadable.

    >>> arrays_in(b"PK")
    Traceback (most recent call last):
        ...
    unbraid._util.archives.Unreadable: File is not a zip file
    """
    found: Arrays = {}
    room = room_for(content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.infolist():
                if member.filename.endswith(".npy"):
                    name = member.filename.removesuffix(".npy")
                    found[name] = _array(repr(name), partial(archive.open, member), room)
                    room -= _numbers(found[name].shape, found[name].dtype)
    except Unreadable:
        raise
    except Exception as error:  # a dozen kinds: zlib's, zipfile's, those of a header's syntax
        raise Unreadable(str(error)[:300]) from None
    return found


def array_in(content: bytes) -> np.ndarray[Any, Any]:
    """The array of an .npy file, or Unreadable."""
    try:
        return _array("the file", lambda: io.BytesIO(content), room_for(content))
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(str(error)[:300]) from None


def _array(name: str, opened: Callable[[], IO[bytes]], room: int) -> np.ndarray[Any, Any]:
    with opened() as file:
        shape, dtype = _header(file)
    if dtype.hasobject:
        raise Unreadable(f"{name} holds Python objects, which are not read")
    if min(shape, default=0) < 0 or _numbers(shape, dtype) > room:
        raise Unreadable(f"{name} claims the shape {shape} of {dtype}, far more than it is")
    with opened() as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # headers of old versions are read as well
        array = np.lib.format.read_array(file, allow_pickle=False)
        if file.read(1):  # this also compares the checksum of all that was read
            raise Unreadable(f"{name} is longer than its array")
    return np.asarray(array)


def _numbers(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """The size of an array; long texts are many numbers."""
    return math.prod(shape) * max(dtype.itemsize, NUMBER) // NUMBER


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type that an array claims to have."""
    version = np.lib.format.read_magic(file)
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in readers:
        raise Unreadable(f"arrays of version {version[0]}.{version[1]} are not read")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shape, _, dtype = readers[version](file)
    return shape, dtype
