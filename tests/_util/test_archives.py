"""Tests of archives."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from hardening import bombs
from unbraid._util.archives import UnreadableArchiveError, load_array, load_arrays


def version_3():
    return bombs.npy("(2,)", data=bombs.ONES).replace(b"\x93NUMPY\x01", b"\x93NUMPY\x03")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (bombs.npy("(1000000000000, 1)"), "1000000000000"),
        (bombs.npy("(-1, 1)"), r"\(-1, 1\)"),
        (bombs.npy("(1,)", data=bombs.ONES), "longer"),
        (version_3(), "version 3"),
        (b"text", "magic"),
    ],
)
def test_rejects_arrays_with_false_headers(content, says):
    with pytest.raises(UnreadableArchiveError, match=says):
        load_array(content)


def test_rejects_a_large_text_without_expanding_it():
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.npy", "w") as f,
    ):
        np.lib.format.write_array(f, np.zeros(1, dtype="S100000000"))
    with pytest.raises(UnreadableArchiveError, match="S100000000"):
        load_arrays(buffer.getvalue())
