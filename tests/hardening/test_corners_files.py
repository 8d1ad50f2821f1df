"""Files that claim what cannot be: bases, branches, functions, arrays, documents, paths."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hardening import bombs
from hardening.plain import known_function
from unbraid import BSpline, InvalidFile, Polynomial, load
from unbraid._util import documents as storage
from unbraid._util.archives import Unreadable, array_in
from unbraid.bases._files import basis_from_dict
from unbraid.model._branch import Branch, Expansion, branch_from_dict, branch_to_dict
from unbraid.model._function import function_from_dict

Z = np.linspace(-1, 1, 41)


def polynomial(*coefficients, extrapolate="linear"):
    """A branch with these coefficients on [-1, 1]."""
    basis = Polynomial(len(coefficients)).bind(Z)
    return Branch(Expansion(basis, np.array(coefficients, dtype=float)), extrapolate)


def test_an_interval_that_cannot_be():
    document = {**Polynomial(2).bind(Z).to_dict(), "high": -3.0}
    with pytest.raises(InvalidFile, match="interval"):
        basis_from_dict(document)


def test_a_margin_that_cannot_be():
    document = {**branch_to_dict(polynomial(1.0)), "margin": -0.5}
    with pytest.raises(InvalidFile, match="margin"):
        branch_from_dict(document)


def one_branch(branch):
    return {"W": [[1.0]], "V": [[1.0], [0.0]], "branches": [branch_to_dict(branch)]}


STEEP = BSpline(220, degree=200).bind(np.linspace(-1, 1, 999))
FLAWS = [
    ("origin", {"origin": 3}),
    ("errors", {"fitted_error": [1.0, 2.0]}),
    ("errors", {"held_out_error": [-1.0]}),
    ("branch 1", one_branch(polynomial(1e200))),
    ("branch 1", one_branch(Branch(Expansion(STEEP, np.ones(STEEP.n_functions))))),
]


@pytest.mark.parametrize(("says", "change"), FLAWS)
def test_functions_that_cannot_be(says, change):
    document = {**known_function().to_dict(), **change}
    with pytest.raises(InvalidFile, match=says):
        function_from_dict(document, "d.json")


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
def test_arrays_that_are_not_what_they_claim(content, says):
    with pytest.raises(Unreadable, match=says):
        array_in(content)


def test_a_document_and_its_arrays_need_two_files(tmp_path):
    path = tmp_path / "d.npz"
    with pytest.raises(InvalidFile, match=r"use \.json"):
        storage.write(path, {"W": np.ones(100_000)})
    assert not path.exists()


@pytest.mark.parametrize("path", [3.5, None, ["a"]])
def test_what_is_no_path(path):
    with pytest.raises(InvalidFile, match="the path"):
        storage.read(path)


def test_a_name_that_no_disk_holds():
    with pytest.raises(InvalidFile, match="too long"):
        load("a" * 5000 + ".json")


def test_lists_in_lists_in_lists(tmp_path):
    path = tmp_path / "d.json"
    path.write_text("[" * 60 + "]" * 60)
    with pytest.raises(InvalidFile, match="nested"):
        load(path)
    path.write_text("[" * 40 + "]" * 40)
    with pytest.raises(InvalidFile, match="written by"):
        load(path)


def test_arrays_beside_a_document_that_are_none(tmp_path):
    path = tmp_path / "d.json"
    known_function().save(path)
    tree = {k: v for k, v in json.loads(path.read_text()).items() if k != "checksum"}
    bombs.with_archive(path, b"no archive at all", tree)
    with pytest.raises(InvalidFile, match=r"d\.npz"):
        load(path)
