"""What the default method says about the uniqueness and the errors of its result."""

import warnings

import numpy as np
import pytest

import unbraid
from end_to_end.problems import noisy, ridge
from unbraid import BSpline, FitWarning, Polynomial, decouple
from unbraid.cases import toy_samples
from unbraid.cases._ridges import RIDGE_SHAPES


def test_toy_problem_is_identified():
    solution = decouple(toy_samples(100, 1), n_branches=3, random_state=0).solution
    assert solution.identified is solution.details["identified"] is True
    assert solution.details["n_agreeing"] >= 2
    errors = solution.uncertainty.V_standard_errors
    assert errors is solution.details["V_standard_errors"]
    assert errors.shape == (2, 3)
    assert errors.max() < 1e-8
    assert solution.diagnosis.startswith("W and V are identified")
    assert "agree on W and V" in solution.diagnosis
    assert solution.converged
    assert "varpro" in repr(solution)


def test_superfluous_branch_is_not_identified():
    solution = decouple(toy_samples(100, 1), n_branches=4, basis=Polynomial(3)).solution
    assert solution.identified is False
    assert "only the function is determined" in solution.diagnosis


def test_quadratics_of_one_output_are_not_identified():
    points = np.random.default_rng(0).uniform(-1, 1, (200, 3))
    f = lambda p: p[:, :1] ** 2 + 2 * p[:, 1:2] ** 2 + 3 * p[:, 2:] ** 2  # noqa: E731
    d = decouple(f, points, 3, basis=Polynomial(2), random_state=0)
    assert d.fitted_error[0] < 1e-6
    assert d.solution.identified is False


@pytest.mark.slow
def test_standard_errors_and_bands_are_of_the_right_size():
    ratios, inside = [], []
    for seed in range(3):
        f, points, rng = ridge(20 + seed, N=120, n=2, m=3, r=2)
        f.kinds = np.array([0, 1])
        samples = noisy(f, points, rng, 0.02, 0.02)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FitWarning)
            d = decouple(samples, n_branches=2, basis=BSpline(8), n_starts=2, random_state=0)
        true = f.V / np.linalg.norm(f.V, axis=0)
        for i, v in enumerate(d.V.T):
            j = np.argmax(np.abs(true.T @ v))
            sign = np.sign(true[:, j] @ v)
            off = v - sign * true[:, j]
            ratios.append(np.abs(off) / d.solution.uncertainty.V_standard_errors[:, i])
            z, half = d.branches[i].band.T
            shape = RIDGE_SHAPES[f.kinds[j]][0]
            w = f.W[:, j] @ d.W[:, i]
            expected = w * shape(sign * np.linalg.norm(f.V[:, j]) * z)
            data = (points @ d.V)[:, i]
            centre = np.mean(w * shape(sign * np.linalg.norm(f.V[:, j]) * data))
            g = d.branches[i](z) - np.mean(d.branches[i](data))
            inside.append(np.mean(np.abs(g - (expected - centre)) <= half))
    assert 0.3 < np.sqrt(np.mean(np.square(ratios))) < 3
    assert np.mean(inside) > 0.7


def test_plots_and_saves_the_bands(tmp_path):
    f, points, rng = ridge(4, N=100, r=2)
    samples = noisy(f, points, rng, 0.1, 0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        d = decouple(samples, n_branches=2, basis=BSpline(8), n_starts=2, random_state=0)
    panels = [axes for axes in d.plot().axes if axes.lines]
    assert all(len(axes.collections) == 1 for axes in panels)
    again = unbraid.load(d.save(tmp_path / "d.json"))
    np.testing.assert_array_equal(again.branches[0].band, d.branches[0].band)
    np.testing.assert_array_equal(again.held_out_error, d.held_out_error)
    np.testing.assert_array_equal(again(5 * points), d(5 * points))  # margins too
