"""Tests of files."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import unbraid
from branch_examples import polynomial_branch
from hardening.plain import known_function
from unbraid import (
    RBF,
    BSpline,
    CustomBasis,
    DecoupledFunction,
    Fourier,
    InvalidFileError,
    InvalidOptionError,
    PiecewiseLinear,
    Polynomial,
    load,
)
from unbraid.model._branch import Branch
from unbraid.model._branch_files import branch_to_dict
from unbraid.model._branch_fit import fit_branch
from unbraid.model._curves import Expansion
from unbraid.model._files import function_from_dict


def function_with(basis, n_points=60):
    z = np.sort(np.random.default_rng(0).uniform(-1, 1, n_points))
    branch = fit_branch(basis, z, np.sin(z), np.cos(z))
    return DecoupledFunction(
        np.ones((1, 1)), np.ones((1, 1)), (branch,), np.array([0.5]), None, np.array([1.0])
    )


def edit(path, change):
    body = json.loads(path.read_text())
    del body["checksum"]  # what is behind it is tested
    change(body)
    path.write_text(json.dumps(body))


@pytest.mark.parametrize("name", ["d.json", "d.npz"])
@pytest.mark.parametrize("n_points", [60, 3000])
@pytest.mark.parametrize(
    "basis",
    [
        Polynomial(3),
        BSpline(9),
        PiecewiseLinear(7),
        Fourier(3),
        RBF(6),
        unbraid.SignedSquare(),
        None,
    ],
    ids=repr,
)
def test_loads_what_was_saved(tmp_path, basis, n_points, name):
    d = function_with(basis, n_points)
    path = d.save(tmp_path / name)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    again = load(path)
    p = np.linspace(-3, 3, 41)[:, None]
    np.testing.assert_array_equal(again(p), d(p))
    np.testing.assert_array_equal(again.jacobian(p), d.jacobian(p))
    assert again.n_parameters == d.n_parameters
    np.testing.assert_array_equal(again.branches[0].estimate, d.branches[0].estimate)


def test_refuses_to_save_a_custom_basis(tmp_path):
    d = function_with(CustomBasis([np.sin], [np.cos]))
    with pytest.raises(InvalidOptionError, match="CustomBasis"):
        d.save(tmp_path / "d.json")
    assert not (tmp_path / "d.json").exists()


def test_saves_a_function_with_an_infinite_error(tmp_path):
    d = replace(function_with(Polynomial(2)), fitted_error=np.array([np.inf]))
    assert load(d.save(tmp_path / "d.json")).fitted_error is None


@pytest.mark.parametrize(
    "change",
    [
        lambda b: b.update(format="other"),
        lambda b: b.update(version=99),
        lambda b: b.pop("W"),
        lambda b: b.update(W=[[1, 2]]),
        lambda b: b.update(W=[["x"]]),
        lambda b: b.update(W="text"),
        lambda b: b.update(offset=[1, 2, 3]),
        lambda b: b.update(branches=[]),
        lambda b: b.update(branches=7),
        lambda b: b["branches"][0].update(coefficients=[1]),
        lambda b: b["branches"][0].update(extrapolate="sideways"),
        lambda b: b["branches"][0]["basis"].update(kind="os.system"),
        lambda b: b["branches"][0]["basis"].update(degree=-1),
        lambda b: b["branches"][0]["basis"].update(low=None),
        lambda b: b["branches"][0]["basis"].update(surprise=1),
        lambda b: b["branches"][0].update(estimate=[[1, 2, 3]]),
        lambda b: b["branches"][0].update(
            basis={"kind": "BSpline", "n_coefficients": 4, "knots": [0] * 3 + [1] * 4}
        ),
        lambda b: b["branches"][0].update(
            basis={"kind": "BSpline", "n_coefficients": 4, "knots": [1] * 4 + [0] * 4}
        ),
        lambda b: b.update(arrays={"file": "../d.npz", "sha256": ""}),
        lambda b: b.update(arrays=3),
        lambda b: b.update(V={"npz": "nothing"}),
    ],
)
def test_rejects_damaged_files(tmp_path, change):
    path = function_with(Polynomial(3)).save(tmp_path / "d.json")
    edit(path, change)
    with pytest.raises(InvalidFileError):
        load(path)


@pytest.mark.parametrize("content", [b"", b"{", b"\x80\x04", b"[1]", b'"text"', b"[" * 100_000])
def test_rejects_foreign_files(tmp_path, content):
    path = tmp_path / "d.json"
    path.write_bytes(content)
    with pytest.raises(InvalidFileError):
        load(path)


FILES = Path(__file__).parent / "files"


def test_loads_a_file_with_arrays_beside_it():
    d = load(FILES / "function_with_arrays.json")
    z = np.linspace(-1, 1, 600)
    np.testing.assert_allclose(d(z)[:, 0], z**3 - z + 0.5, atol=1e-12)
    np.testing.assert_array_equal(d.branches[0].estimate[:, 0], z)
    assert d.input_names == ("speed",)


def test_rejects_missing_and_damaged_arrays(tmp_path):
    for name in ("function_with_arrays.json", "function_with_arrays.json.npz"):
        shutil.copy(FILES / name, tmp_path)
    path, beside = tmp_path / "function_with_arrays.json", tmp_path / name
    content = bytearray(beside.read_bytes())
    content[100] ^= 1
    beside.write_bytes(bytes(content))
    with pytest.raises(InvalidFileError, match="belongs to"):
        load(path)
    beside.unlink()
    with pytest.raises(InvalidFileError, match=r"'function_with_arrays\.json\.npz'"):
        load(path)
    with pytest.raises(InvalidFileError, match="cannot read"):
        load(tmp_path / "absent.json")


def test_rejects_an_unwritable_path(tmp_path):
    with pytest.raises(InvalidFileError, match="cannot write"):
        function_with(Polynomial(2)).save(tmp_path / "no" / "folder" / "d.json")


Z = np.linspace(-1, 1, 41)


def one_branch(branch):
    return {"W": [[1.0]], "V": [[1.0], [0.0]], "branches": [branch_to_dict(branch)]}


STEEP = BSpline(220, degree=200).bind(np.linspace(-1, 1, 999))


FLAWS = [
    ("origin", {"origin": 3}),
    ("errors", {"fitted_error": [1.0, 2.0]}),
    ("errors", {"held_out_error": [-1.0]}),
    ("branch 1", one_branch(polynomial_branch(1e200))),
    ("branch 1", one_branch(Branch(Expansion(STEEP, np.ones(STEEP.n_functions))))),
]


@pytest.mark.parametrize(("says", "change"), FLAWS)
def test_rejects_invalid_functions(says, change):
    document = {**known_function().to_dict(), **change}
    with pytest.raises(InvalidFileError, match=says):
        function_from_dict(document, "d.json")


SQUARE = unbraid.sampling.uniform(100, [0, 0], [1, 1], random_state=2)


def bent(p):
    return np.tanh(p[:, 0] + 0.5 * p[:, 1])


def test_saves_integers_of_any_type(tmp_path):
    for basis in (Polynomial(np.int64(5)), BSpline(np.int32(8)), unbraid.RBF(np.uint8(6))):
        d = unbraid.decouple(
            bent, SQUARE, n_branches=np.int64(1), basis=basis, n_starts=1, random_state=0
        )
        again = unbraid.load(d.save(tmp_path / "d.json"))
        np.testing.assert_array_equal(again(SQUARE), d(SQUARE))


def test_saves_beside_files_with_similar_names(tmp_path):
    points = unbraid.sampling.uniform(900, [-1, -1], [1, 1], random_state=0)
    theirs = tmp_path / "data.npz"
    theirs.write_bytes(b"theirs")
    names = ["lambda0.1", "lambda0.2", "data.json"]
    made = [
        unbraid.decouple(bent, points, 1, basis=Polynomial(k), n_starts=1, random_state=0)
        for k in (3, 5, 7)
    ]
    for name, d in zip(names, made, strict=True):
        d.save(tmp_path / name)
    for name, d in zip(names, made, strict=True):
        np.testing.assert_array_equal(unbraid.load(tmp_path / name)(points), d(points))
    assert theirs.read_bytes() == b"theirs"


def test_loads_a_file_without_a_fit_record():
    d = unbraid.load(FILES / "function_0_1_0.json")
    truth = unbraid.cases.toy_polynomial()
    points = np.random.default_rng(0).uniform(-1, 1, (20, 2))
    np.testing.assert_allclose(d(points), truth(points), rtol=1e-9, atol=1e-9)
    assert d.input_names == ("speed", "load")
    assert d.fit is None
    assert d.converged is None


@pytest.mark.parametrize(
    "record",
    [
        "text",
        {"method": "varpro"},
        {"method": "varpro", "status": "NO_SUCH"},
        {"method": "varpro", "status": "EXACT", "unique": "yes"},
    ],
)
def test_rejects_an_invalid_fit_record(record):
    d = unbraid.load(FILES / "function_0_1_0.json")
    with pytest.raises(InvalidFileError, match="fit"):
        function_from_dict({**d.to_dict(), "fit": record}, "d.json")
