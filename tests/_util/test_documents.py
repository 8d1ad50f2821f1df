"""Tests of documents."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hardening import bombs
from hardening.plain import known_function
from unbraid import InvalidFileError, load
from unbraid._util import documents


@pytest.mark.parametrize("name", ["d.json", "d.npz", "d"])
def test_a_document_is_one_file(tmp_path, name):
    content = {"W": np.linspace(0, 1, 3000), "small": np.arange(3), "text": "µ", "none": None}
    path = documents.write_document(tmp_path / name, content)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    again = documents.read_document(path)
    np.testing.assert_array_equal(again["W"], content["W"])
    assert (again["small"], again["text"], again["none"]) == ([0, 1, 2], "µ", None)


@pytest.mark.parametrize("name", ["d.json", "d.npz"])
def test_infinite_numbers_are_not_written(tmp_path, name):
    with pytest.raises(ValueError, match="JSON compliant"):
        documents.write_document(tmp_path / name, {"W": np.array([np.nan])})
    assert not list(tmp_path.iterdir())


def test_lines_of_a_file_are_its_entries(tmp_path):
    path = documents.write_document(tmp_path / "d.json", {"W": np.eye(2), "b": {"c": 1}})
    lines = path.read_text().splitlines()
    assert lines[1].startswith('"checksum": ')
    assert lines[4:] == ['"W": [[1.0, 0.0], [0.0, 1.0]],', '"b": {"c": 1}', "}"]


def test_rejects_archives_of_other_kinds(tmp_path):
    path = tmp_path / "d.npz"
    np.savez(path, W=np.ones(3))
    with pytest.raises(InvalidFileError, match="not a JSON file"):
        load(path)
    path.write_bytes(b"PK and no archive")
    with pytest.raises(InvalidFileError, match="not an archive"):
        load(path)


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


def test_rejects_damaged_archives(tmp_path):
    path = known_function().save(tmp_path / "d.npz")
    content, rng = path.read_bytes(), np.random.default_rng(0)
    for place in rng.integers(len(content), size=100).tolist():
        path.write_bytes(content[:place])
        with pytest.raises(InvalidFileError):
            load(path)
