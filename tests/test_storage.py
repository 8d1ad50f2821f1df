"""Files: what is written comes back bit for bit; what is not ours is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

from unbraid import (
    RBF,
    BSpline,
    CustomBasis,
    DecoupledFunction,
    Fourier,
    InvalidFile,
    InvalidOption,
    PiecewiseLinear,
    Polynomial,
    load,
)
from unbraid.model._branch import fit_branch


def function_with(basis, n_points=60):
    z = np.sort(np.random.default_rng(0).uniform(-1, 1, n_points))
    branch = fit_branch(basis, z, np.sin(z), np.cos(z))
    return DecoupledFunction(
        np.ones((1, 1)), np.ones((1, 1)), (branch,), np.array([0.5]), None, np.array([1.0])
    )


@pytest.mark.parametrize("n_points", [60, 3000])
@pytest.mark.parametrize(
    "basis", [Polynomial(3), BSpline(9), PiecewiseLinear(7), Fourier(3), RBF(6), None], ids=repr
)
def test_round_trip(tmp_path, basis, n_points):
    d = function_with(basis, n_points)
    path = d.save(tmp_path / "d.json")
    assert (tmp_path / "d.json.npz").exists() == (n_points > 1000)
    again = load(path)
    p = np.linspace(-3, 3, 41)[:, None]
    np.testing.assert_array_equal(again(p), d(p))
    np.testing.assert_array_equal(again.jacobian(p), d.jacobian(p))
    assert again.n_parameters == d.n_parameters
    np.testing.assert_array_equal(again.branches[0].estimate, d.branches[0].estimate)


def test_custom_functions_are_not_saved(tmp_path):
    d = function_with(CustomBasis([np.sin], [np.cos]))
    with pytest.raises(InvalidOption, match="CustomBasis"):
        d.save(tmp_path / "d.json")
    assert not (tmp_path / "d.json").exists()


def test_an_infinite_error_is_no_reason_not_to_save(tmp_path):
    d = replace(function_with(Polynomial(2)), fitted_error=np.array([np.inf]))
    assert load(d.save(tmp_path / "d.json")).fitted_error is None


def edit(path, change):
    body = json.loads(path.read_text())
    del body["checksum"]  # what is behind it is tested
    change(body)
    path.write_text(json.dumps(body))


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
def test_damaged_files_are_refused(tmp_path, change):
    path = function_with(Polynomial(3)).save(tmp_path / "d.json")
    edit(path, change)
    with pytest.raises(InvalidFile):
        load(path)


@pytest.mark.parametrize("content", [b"", b"{", b"\x80\x04", b"[1]", b'"text"', b"[" * 100_000])
def test_foreign_files_are_refused(tmp_path, content):
    path = tmp_path / "d.json"
    path.write_bytes(content)
    with pytest.raises(InvalidFile):
        load(path)


def test_missing_and_damaged_arrays(tmp_path):
    path = function_with(None, 3000).save(tmp_path / "d.json")
    beside = tmp_path / "d.json.npz"
    content = bytearray(beside.read_bytes())
    content[100] ^= 1
    beside.write_bytes(bytes(content))
    with pytest.raises(InvalidFile, match="belongs to"):
        load(path)
    beside.unlink()
    with pytest.raises(InvalidFile, match=r"'d\.json\.npz'"):
        load(path)
    with pytest.raises(InvalidFile, match="cannot read"):
        load(tmp_path / "absent.json")


def test_unwritable_path(tmp_path):
    with pytest.raises(InvalidFile, match="cannot write"):
        function_with(Polynomial(2)).save(tmp_path / "no" / "folder" / "d.json")
