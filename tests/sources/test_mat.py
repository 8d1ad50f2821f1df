"""MATLAB files: variables that are no arrays, damaged files and version 7.3."""

import io
import struct

import numpy as np
import pytest
from scipy.io import savemat

from sources.functions import POINTS
from unbraid import InvalidFileError, sample
from unbraid._util.archives import UnreadableArchiveError
from unbraid.sources._mat import read_variables


def mat_file(**arrays):
    buffer = io.BytesIO()
    savemat(buffer, arrays)
    return buffer.getvalue()


def test_rejects_a_variable_that_occurs_twice():
    content = mat_file(P=POINTS)
    with pytest.raises(UnreadableArchiveError, match="two variables"):
        read_variables(content + content[128:])


def test_names_objects_without_reading_them():
    name = struct.pack("<II", 1, 6) + b"handle\0\0"
    body = struct.pack("<IIII", 6, 8, 17, 0) + name + bytes(64)
    content = mat_file(P=POINTS) + struct.pack("<II", 14, len(body)) + body
    found = read_variables(content)
    assert str(found["handle"]) == "a function or an object"
    np.testing.assert_array_equal(found["P"], POINTS)


def test_rejects_entries_of_unknown_type():
    content = bytearray(mat_file(P=POINTS))
    place = content.index(struct.pack("<II", 9, POINTS.nbytes))
    content[place] = 99
    with pytest.raises(UnreadableArchiveError, match="'P' is"):
        read_variables(bytes(content))


def test_rejects_version_7_3(tmp_path):
    path = tmp_path / "new.mat"
    text = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM"
    path.write_bytes(text + bytes(384) + b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(InvalidFileError, match="-v7"):
        sample(path)
