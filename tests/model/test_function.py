"""Tests of function."""

import numpy as np
import pytest

import unbraid
from unbraid import BSpline, DecoupledFunction, InvalidOptionError, InvalidSamplesError, Polynomial
from unbraid.model._branch_fit import fit_branch

Z = np.sort(np.random.default_rng(0).uniform(-2, 3, 80))


def make_function():
    rng = np.random.default_rng(1)
    branches = (fit_branch(BSpline(9), Z, np.sin(Z)), fit_branch(Polynomial(3), Z, Z**3))
    return DecoupledFunction(
        rng.standard_normal((3, 2)), rng.standard_normal((4, 2)), branches, np.arange(3.0)
    )


def test_jacobian_matches_differences():
    d = make_function()
    points = np.random.default_rng(2).standard_normal((6, 4))
    J = d.jacobian(points)
    for l in range(4):
        step = 1e-6 * np.eye(4)[l]
        np.testing.assert_allclose(
            J[:, :, l], (d(points + step) - d(points - step)) / 2e-6, atol=1e-6
        )


def test_counts_parameters_and_degrees_of_freedom():
    d = make_function()
    assert d.n_parameters == 6 + 8 + (8 + 3) + 3
    assert d.degrees_of_freedom == d.n_parameters - 2
    assert (d.n_inputs, d.n_outputs, d.n_branches) == (4, 3, 2)
    assert "28 parameters" in repr(d)


def test_rejects_points_with_other_inputs():
    with pytest.raises(InvalidSamplesError, match="4 inputs"):
        make_function()(np.ones((5, 3)))


@pytest.fixture(scope="module")
def samples():
    points = np.random.default_rng(3).uniform(-1, 1, (300, 3))
    return unbraid.sample(
        lambda p: np.stack([np.tanh(2 * p[:, 0] + 2 * p[:, 1]), p[:, 2] ** 2], 1), points
    )


def test_names_are_kept_with_the_function(samples, tmp_path):
    cubic = unbraid.Polynomial(3)
    d = unbraid.decouple(samples, n_branches=1, basis=cubic, n_starts=1, random_state=0)
    named = d.named([f"in{k}" for k in range(d.n_inputs)])
    assert d.input_names is None
    assert "in0" in named.describe().words
    kept = unbraid.load(named.save(tmp_path / "named.json"))
    assert kept.input_names == named.input_names
    assert kept.output_names is None
    assert unbraid.refine(named, samples).input_names == named.input_names
    with pytest.raises(InvalidOptionError, match="different names"):
        d.named(["a"] * d.n_inputs)
    broken = (tmp_path / "named.json").read_text().replace('"in0"', '"in1"', 1)
    (tmp_path / "broken.json").write_text(broken)
    with pytest.raises(unbraid.InvalidFileError, match="changed"):
        unbraid.load(tmp_path / "broken.json")
    lines = [line for line in broken.splitlines() if '"checksum"' not in line]
    (tmp_path / "broken.json").write_text("\n".join(lines))
    with pytest.raises(unbraid.InvalidFileError, match="damaged"):
        unbraid.load(tmp_path / "broken.json")


def test_tables_are_matched_by_name():
    pandas = pytest.importorskip("pandas")
    names = ["a", "b", "c", "d"]
    d = make_function().named(names)
    points = np.random.default_rng(4).standard_normal((6, 4))
    table = pandas.DataFrame(points, columns=names)[["c", "a", "d", "b"]].assign(extra=0.0)
    np.testing.assert_array_equal(d(table), d(points))
    np.testing.assert_array_equal(d.jacobian(table), d.jacobian(points))
    np.testing.assert_array_equal(d.transform(table), d.transform(points))
    assert str(d.describe(table)) == str(d.describe(points))
    for method in (d, d.jacobian, d.transform, d.describe):
        with pytest.raises(InvalidSamplesError, match="no column 'b'"):
            method(table.drop(columns="b"))
