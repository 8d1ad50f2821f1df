"""Tests of documents."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hardening import bombs
from hardening.plain import known_function
from unbraid import InvalidFileError, load
from unbraid._util import documents


def test_document_and_arrays_need_different_names(tmp_path):
    path = tmp_path / "d.npz"
    with pytest.raises(InvalidFileError, match=r"use \.json"):
        documents.write_document(path, {"W": np.ones(100_000)})
    assert not path.exists()


def test_rejects_deeply_nested_lists(tmp_path):
    path = tmp_path / "d.json"
    path.write_text("[" * 60 + "]" * 60)
    with pytest.raises(InvalidFileError, match="nested"):
        load(path)
    path.write_text("[" * 40 + "]" * 40)
    with pytest.raises(InvalidFileError, match="written by"):
        load(path)


def test_rejects_an_archive_without_arrays(tmp_path):
    path = tmp_path / "d.json"
    known_function().save(path)
    tree = {k: v for k, v in json.loads(path.read_text()).items() if k != "checksum"}
    bombs.with_archive(path, b"no archive at all", tree)
    with pytest.raises(InvalidFileError, match=r"d\.npz"):
        load(path)
