"""Archives of arrays (.npz), read without trust in their content.

Sizes are checked before memory is allocated, and no stored code is run.
"""

import io
import math
import warnings
import zipfile
from collections.abc import Callable
from functools import partial
from typing import IO, Any

import numpy as np

BASE_ENTRIES = 1 << 23  # entries that a file of any size may expand to
ENTRY_BYTES = 8  # smaller entries count as one, too
ENTRIES_PER_BYTE = 16  # additional entries per byte of the file; real data have less than one

Arrays = dict[str, np.ndarray[Any, Any]]


class UnreadableArchiveError(ValueError):
    """The content is damaged, far too large when expanded, or of another kind."""


def entry_limit(content: bytes) -> int:
    """How many entries a file may expand to: guards against decompression bombs.

    >>> entry_limit(bytes(100)) - entry_limit(b"")
    1600
    """
    return BASE_ENTRIES + ENTRIES_PER_BYTE * len(content)


def load_arrays(content: bytes) -> Arrays:
    """The arrays of an .npz file by name, or UnreadableArchiveError.

    >>> load_arrays(b"PK")
    Traceback (most recent call last):
        ...
    unbraid._util.archives.UnreadableArchiveError: File is not a zip file
    """
    found: Arrays = {}
    room = entry_limit(content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.infolist():
                if member.filename.endswith(".npy"):
                    name = member.filename.removesuffix(".npy")
                    found[name] = _load_array(repr(name), partial(archive.open, member), room)
                    room -= _count_entries(found[name].shape, found[name].dtype)
    except UnreadableArchiveError:
        raise
    except Exception as error:  # a dozen kinds: zlib's, zipfile's, those of a header's syntax
        raise UnreadableArchiveError(str(error)[:300]) from None
    return found


def load_array(content: bytes) -> np.ndarray[Any, Any]:
    """The array of an .npy file, or UnreadableArchiveError."""
    try:
        return _load_array("the file", lambda: io.BytesIO(content), entry_limit(content))
    except UnreadableArchiveError:
        raise
    except Exception as error:
        raise UnreadableArchiveError(str(error)[:300]) from None


def _load_array(name: str, opened: Callable[[], IO[bytes]], room: int) -> np.ndarray[Any, Any]:
    with opened() as file:
        shape, dtype = _read_header(file)
    if dtype.hasobject:
        raise UnreadableArchiveError(f"{name} holds Python objects, which are not read")
    if min(shape, default=0) < 0 or _count_entries(shape, dtype) > room:
        raise UnreadableArchiveError(
            f"{name} claims the shape {shape} of {dtype}, far more than it contains"
        )
    with opened() as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # headers of old versions are read as well
        array = np.lib.format.read_array(file, allow_pickle=False)
        if file.read(1):  # this also compares the checksum of all that was read
            raise UnreadableArchiveError(f"{name} is longer than its array")
    return np.asarray(array)


def _count_entries(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """Number of entries of an array; long texts count as many."""
    return math.prod(shape) * max(dtype.itemsize, ENTRY_BYTES) // ENTRY_BYTES


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type in the header of an array."""
    version = np.lib.format.read_magic(file)
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in readers:
        raise UnreadableArchiveError(f"arrays of version {version[0]}.{version[1]} are not read")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shape, _, dtype = readers[version](file)
    return shape, dtype
